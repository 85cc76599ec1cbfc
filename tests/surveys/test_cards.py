"""A spinner card is the channel: counting its faces gives the law, exactly."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.prob import Channel
from sfumato.surveys import meets, playable, spinner_card, survey, warner
from sfumato.surveys.cards import DEVICES


def faces_of(card):
    """The law of the card, face by face."""
    rows = []
    for ranges in card.ranges:
        row = {}
        for face in range(1, card.faces + 1):
            (report,) = [report for first, last, report in ranges if first <= face <= last]
            row[report] = row.get(report, 0) + Fraction(1, card.faces)
        rows.append(row)
    return rows


@given(
    denominator=st.integers(2, 60),
    counts=st.lists(st.integers(0, 60), min_size=4, max_size=4),
)
def test_counting_faces_gives_the_channel(denominator, counts):
    p, q, r, s = (Fraction(min(count, denominator), 2 * denominator) for count in counts)
    channel = Channel([[p, q, 1 - p - q], [r, s, 1 - r - s]], ["no", "yes"], ["either", "no", "yes"])
    for row, law in zip(faces_of(spinner_card(channel)), channel.rows, strict=True):
        assert tuple(row.get(report, 0) for report in channel.outputs) == law


def test_two_coins_are_enough_for_a_quarter():
    card = spinner_card(survey(delta=0.25).channel)
    assert card.faces == 4
    assert card.lines() == (
        f"{DEVICES[4]} Keep the number to yourself.",
        "If your true answer is “no”: 1 to 3: report “either”; 4: report “no”.",
        "If your true answer is “yes”: 1 to 3: report “either”; 4: report “yes”.",
    )


@pytest.mark.parametrize(
    ("denominator", "words"),
    [(2, "a coin:"), (3, "a die."), (5, "ten-sided"), (9, "red and a white"), (50, "two ten-sided"), (7, "phone")],
)
def test_people_use_what_they_have(denominator, words):
    third = Fraction(1, denominator)
    assert words in spinner_card(Channel([[third, 1 - third], [1 - third, third]])).device


@given(
    a=st.fractions(Fraction(1, 10), Fraction(9, 20), max_denominator=40),
    epsilon=st.floats(0.5, 4),
    faces=st.sampled_from([100, 1000]),
)
def test_playable_designs_keep_the_limits(a, epsilon, faces):
    design = survey(guess_error=a, max_epsilon=epsilon)
    rounded = playable(design, faces=faces)
    assert meets(rounded.channel, design.limits)
    assert spinner_card(rounded.channel).faces <= faces
    information = [d.fisher_information(Fraction(1, 2)) for d in (rounded, design)]
    assert information[0] <= information[1]
    if faces == 1000:
        # A thousandth of a face moves δ by at most 3/1000 of itself when δ is at least a tenth.
        assert information[0] >= information[1] * Fraction(9, 10)


@pytest.mark.parametrize("faces", [10, 12, 20, 36])
@pytest.mark.parametrize("epsilon", [1.0, 1.5, 2.0, 3.0])
def test_a_report_keeps_its_meaning_however_few_the_faces(faces, epsilon):
    """Once 12 faces had those whose truth is no report yes: the estimate was right and the card a lie."""
    try:
        rounded = playable(survey(guess_error=0.375, max_epsilon=epsilon), faces=faces)
    except InvalidParameter as error:
        assert "too few" in str(error)  # noqa: PT017  the other way to keep the meaning
        return
    (_, no_if_no, yes_if_no), (_, no_if_yes, yes_if_yes) = rounded.channel.rows
    assert no_if_no >= no_if_yes
    assert yes_if_yes >= yes_if_no


def test_what_cannot_be_played_is_refused_with_a_way_out():
    fine = survey(guess_error=0.375, max_epsilon=1)
    with pytest.raises(InvalidParameter, match="Use `playable`"):
        spinner_card(fine.channel)
    with pytest.raises(InvalidParameter, match="faces=2 are too few"):
        playable(fine, faces=2)
    with pytest.raises(InvalidParameter, match=r"faces=1 must lie in"):
        playable(fine, faces=1)
    assert playable(warner(delta=0.25), faces=8).channel == warner(delta=0.25).channel
