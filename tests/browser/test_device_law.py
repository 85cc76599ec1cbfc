"""The law that browsers draw is Python's: by every word at small width, by enumeration, at borders, by the auditor."""

import base64
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from browser import device_laws as laws
from browser.device_pages import Device
from browser.device_vectors import FILES, FOLDER, text_of
from kind_samples import ASKED, READERS, Sample, by_name
from sfumato.study import LargeList, OneOfMany, Study
from sfumato.study.collection import form_document
from study.test_forms import COLLECTED, collected

# Of 57 symbols two levels are enumerated, and three where there are 7.
MANY = replace(by_name("one of many, by symbols"), analysts=READERS[:1])
SEVEN = Sample(
    name="one of six, by symbols, three levels",
    question=OneOfMany(**ASKED, answers=tuple("uvwxyz")),
    tenths={"u": 5, "z": 5},
    analysts=tuple(replace(one, epsilon=one.epsilon / 10) for one in READERS),
    public_epsilon=Fraction(1, 20),
)
# Three levels, all in eighths: three answers, or seven with a difference set.
LADDERS = [(3, (0,), ("3/4", "5/8", "7/8")), (7, (1, 2, 4), ("3/4", "5/8"))]


@pytest.mark.parametrize("name", FILES)
def test_the_vectors_are_those_of_the_samplers(name):
    assert (FOLDER / name).read_text() == text_of(FILES[name]()), "run python -m browser.device_vectors in tests/"


def test_every_word_at_small_width_gives_what_it_gives_in_python(device):
    laws.check_small(device)


def test_words_at_borders_give_what_plain_integers_say(device):
    laws.check_wide(device)


def test_a_set_of_many_residues_is_the_same_set(device):
    """Of a list of 40 000 texts, 52 figures of the favoured set and of the others, at both ends and in between."""
    question = LargeList(id="q", text="?", dictionary=tuple(f"text {i}" for i in range(40_000)), epsilon=Fraction(1))
    way = Study(name="Many", questions=(question,)).handler("q")
    (step,), modulus = way.ladder.steps, way.ladder.modulus
    spelled = {"kind": "shift", "modulus": modulus, "width": 64, **way.form().draw["steps"][0]}
    sizes = (step.favoured.size, modulus - step.favoured.size)
    places = [[*range(9), *range(size - 9, size), *range(7, size, size // 8)] for size in sizes]
    # The first word decides the side: the coin falls on the others where it is small.
    scripts = [[str(word), str(place)] for word, some in zip((2**64 - 1, 0), places, strict=True) for place in some]
    found = [int(outcome) for outcome, _ in device.ask("drawn", spelled, scripts)]
    expected = [*step.at(np.array(places[0])), *step.at(np.array(places[1]) + sizes[0])]
    assert found == list(map(int, expected))
    assert len(found) == 52
    assert device.ask("judged", form_document(collected(Study(name="Many", questions=(question,)))))["odds"] == str(
        way.ladder.odds[0]
    )


def test_words_come_from_the_system_alone(device):
    laws.check_system(device)


@pytest.mark.parametrize(
    ("sample", "text"),
    [
        (one, text)
        for one in (*(sample for sample in COLLECTED if sample.name != MANY.name), MANY, SEVEN)
        for text in one.tenths
    ],
    ids=lambda one: getattr(one, "name", one),
)
def test_reports_and_shifts_of_all_levels_have_the_joint_law_of_the_way(device, sample, text):
    laws.check_kind(device, sample, text)


@pytest.mark.parametrize(
    "name", ["yes-no", "one of a few", "large list", "several, all at once", "number, for its mean", "ordered"]
)
@pytest.mark.parametrize("is_silent", [True, False], ids=["silent", "answered"])
def test_where_it_is_hidden_no_answer_has_the_law_of_one_more_answer(device, name, is_silent):
    given = by_name(name)
    sample = replace(given, question=replace(given.question, missing="hidden"), analysts=READERS[:1])
    laws.check_kind(device, sample, None if is_silent else next(iter(sample.tenths)))


def test_where_it_is_public_there_is_no_report_and_the_shifts_are_drawn_all_the_same(device):
    given = by_name("one of a few")
    sample = replace(given, question=replace(given.question, missing="public"))
    found = laws.joint_of(device.ask("jointLaw", form_document(collected(sample.study)), None))
    expected = {}
    for (_, *shifts), p in laws.expected_joint(sample, "coast").items():
        expected[None, *shifts] = expected.get((None, *shifts), 0) + p
    assert found == expected


@pytest.mark.parametrize("ladder", LADDERS, ids=lambda one: f"{one[0]} symbols, {len(one[2])} steps")
def test_a_ladder_word_by_word(device, ladder):
    laws.check_words(device, *ladder)


@pytest.mark.parametrize(
    "name", ["yes-no", *(pytest.param(one, marks=pytest.mark.slow) for one in ("one of a few", "several, all at once"))]
)
def test_a_hundred_thousand_draws_pass_the_auditor(device, name):
    laws.check_draws(device, by_name(name), 100_000)


SKIPPED = ("drawing.js", "level = this.steps.length - 1; level >= 0", "level = this.steps.length - 2; level >= 0")
BIASED = ("samplers.js", "if (number <= last) return", "return")
FLOATS = "BigInt(Math.floor(Math.random() * 2 ** 53)) << 11n"
ALIKE = "for (const one of this.levels) shifts[one] = sum;"
MUTANTS = {
    "Math.random": (("words.js", "crypto.getRandomValues(new BigUint64Array(1))[0]", FLOATS), laws.check_system),
    "modulo bias": (BIASED, laws.check_small),
    "modulo bias at 64 bits": (BIASED, laws.check_wide),
    "a coin that is rounded": (
        ("samplers.js", "if (word > border || rest === 0n) return 0;", "return 0;"),
        laws.check_small,
    ),
    "a border that is one off": (("samplers.js", "if (word < border)", "if (word <= border)"), laws.check_wide),
    "one step skipped": (SKIPPED, lambda device: laws.check_kind(device, by_name("one of a few"), "coast")),
    "one step skipped, to the auditor": (SKIPPED, lambda device: laws.check_draws(device, by_name("yes-no"), 100_000)),
    "one step skipped, word by word": (SKIPPED, lambda device: laws.check_words(device, *LADDERS[0])),
    "a level that gets the whole shift": (
        ("drawing.js", "if (this.levels.includes(level)) shifts[level] = sum;", ALIKE),
        lambda device: laws.check_kind(device, by_name("yes-no"), "yes"),
    ),
    "numbers that are rounded down": (
        ("asking.js", "dice.below(BigInt(parts)) < scaled % BigInt(parts) ? 1 : 0", "0"),
        lambda device: laws.check_kind(device, by_name("count, by degrees"), "1"),
    ),
}


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.slow) if one.endswith("to the auditor") else one for one in MUTANTS]
)
def test_clients_that_draw_otherwise_are_caught(browser, empty_pages, name):
    mutation, check = MUTANTS[name]
    mutant = Device(browser, empty_pages.url, [mutation])
    try:
        with pytest.raises(AssertionError):
            check(mutant)
    finally:
        mutant.close()


# What a page is told is worked out again, and a form that says less than is true is refused.


@pytest.mark.parametrize("sample", COLLECTED, ids=lambda one: one.name)
def test_a_page_works_out_for_itself_what_a_report_tells(device, sample):
    form = form_document(collected(sample.study))
    (question,) = form["questions"]
    found = device.ask("judged", form)
    assert (found["odds"] and Fraction(found["odds"])) == (question["odds"] and Fraction(question["odds"]))
    assert list(map(Fraction, found["sees"])) == [Fraction(one["odds"]) for one in question["sees"]]


def changed(sample, change):
    form = json.loads(json.dumps(form_document(collected(sample.study))))
    change(form, form["questions"][0])
    return form


def less(text):
    """A little less than these odds."""
    odds = Fraction(text) - Fraction(1, 1 << 80)
    return f"{odds.numerator}/{odds.denominator}"


def step(place, **changes):
    return lambda form, q: q["draw"]["steps"][place].update(changes)


def card(*rows):
    return lambda form, q: q["draw"].update(counts=[row.split() for row in rows])


def receiver(**changes):
    return lambda form, q: form["receivers"][0].update(changes)


PRESS = base64.b64encode(b"press".ljust(32, b".")).decode()
FORGED = {
    "odds that are stated too small": ("yes-no", lambda form, q: q.update(odds=less(q["odds"])), "odds"),
    "a reader who sees more than is said": (
        "yes-no",
        lambda form, q: q["sees"][0].update(odds=less(q["sees"][0]["odds"])),
        "odds",
    ),
    "a step that flips less": ("yes-no", step(2, inside="99/100"), "odds"),
    "a step that is missing": ("yes-no, its own epsilon", lambda form, q: q["draw"]["steps"].pop(), "form"),
    "masks that flip less": ("several, all at once", step(0, chance="1/1000"), "odds"),
    "a card that tells more": ("card with limits", card("34 60 6", "43 13 44"), "odds"),
    "a card that proves an answer": ("card with limits", card("34 66 0", "43 13 44"), "odds"),
    "rows of other denominators": ("card with limits", card("34 56 11", "43 13 44"), "form"),
    "a second step that moves": ("one of a few", step(1, favoured={"first": 1, "count": 1}), "form"),
    "two answers in one place": ("one of a few", lambda form, q: q["draw"].update(places=[0, 1, 1]), "form"),
    "a level that nobody holds": ("yes-no", receiver(levels={"q": 3}), "form"),
    "the answer itself for an analyst": ("yes-no", receiver(levels={"q": 0}), "odds"),
    "a receiver whom nobody named": ("yes-no", lambda form, q: q["sees"].pop(), "form"),
    "longer rows": ("yes-no", lambda form, q: form.update(row=[["q", 2]]), "form"),
    "longer bodies": ("yes-no", receiver(bytes=60), "form"),
    "one key for two receivers": ("yes-no", receiver(public_key=PRESS), "form"),
    "a newer form": ("yes-no", lambda form, q: form.update(schema="sfumato/form/2"), "form"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_form_that_is_less_private_than_it_says_is_refused(device, name):
    kind, change, code = FORGED[name]
    assert device.ask("judged", changed(by_name(kind), change)) == {"code": code}


@pytest.mark.parametrize(
    ("odds", "epsilon", "is_within"),
    [
        ("5837465777/2147483648", "1", True),
        ("5837465778/2147483648", "1", False),
        ("1", "1/1000000", True),
        ("1000001/1000000", "1/1000000", True),
        ("100000100001/100000000000", "1/1000000", False),
        (str(2**1442), "1000", True),
        (str(2**1443), "1000", False),
    ],
)
def test_odds_are_held_against_an_epsilon_exactly(device, odds, epsilon, is_within):
    assert device.ask("isWithin", odds, epsilon) is is_within
