"""Certificates of ladders: true claims pass, changed bytes and false claims do not, wrong steps are never certified."""

import hashlib
import itertools
import json
import math
import re
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from fresh_seals import reseal
from ladder_strategies import groups_of, ladders
from sfumato.certificates import Certificate, certify, verify
from sfumato.errors import ClaimRefused, DigestMismatch, InvalidParameter, NotCertified, UnknownSchema, UnreadableFile
from sfumato.ladders import Ladder, TwoLevelShift
from sfumato.ladders.certificate import LadderSubject, coalitions, state_claims, state_notes
from sfumato.ladders.evidence import AsBuilt, FromCounts, FromSteps, is_small
from sfumato.ladders.spec import Outline
from sfumato.mechanisms import BinaryHadamard, CyclicResponse
from sfumato.numbers import Interval

OVER = CyclicResponse(size=3, odds=Fraction(2), q=2, t=3)
BIT = BinaryHadamard(size=2, odds=Fraction(2))
LADDER = Ladder.of_odds(OVER, [Fraction(9), Fraction(4), Fraction(2)], recover=True)
CERTIFICATE = certify(LADDER)
SEALED = CERTIFICATE.to_json().encode()


def test_resealing_is_what_the_software_does():
    assert reseal(json.loads(SEALED)) == SEALED


@settings(max_examples=15)
@given(ladder=ladders(most=3))
def test_every_ladder_can_be_certified_and_checked(ladder):
    certificate = Certificate.from_json(certify(ladder).to_json())
    verify(certificate)
    assert certificate == certify(ladder)
    assert certificate.subject == LadderSubject(declaration=ladder.declaration)
    for level, odds in enumerate(ladder.odds, start=1):
        assert certificate[f"odds_level_{level}"].value == odds
        assert math.log(odds) in certificate[f"epsilon_level_{level}"].value
    for group in groups_of(ladder):
        assert certificate["odds_coalition_" + "_".join(map(str, group))].value == ladder.odds[min(group) - 1]


def test_the_two_ways_agree_to_the_last_digits():
    for ladder in (LADDER, Ladder.within(size=300, epsilons=[2.0, 1.0, 0.5], recover=True)):
        built, steps, counts = AsBuilt(ladder), FromSteps(ladder), FromCounts(ladder.outline)
        counts.check_premise()
        assert built.odds == steps.odds == counts.odds == ladder.odds
        for found in [
            [way.step_bits() for way in (built, steps, counts)],
            [way.separate_bits() for way in (built, steps, counts)],
            *([way.key_bits(level) for way in (built, steps, counts)] for level in ladder.key_levels),
        ]:
            assert all(one.overlaps(two) for one, two in itertools.combinations(found, 2))
            assert all(one.width < 1e-12 for one in found)
        assert built.recovered() == steps.recovered() == counts.recovered() == 1


@settings(max_examples=25)
@given(ladder=ladders(most=4))
def test_counts_alone_say_what_the_steps_say(ladder):
    steps, counts = FromSteps(ladder), FromCounts(ladder.outline)
    counts.check_premise()
    assert counts.odds == steps.odds
    assert [counts.key_bits(level).overlaps(steps.key_bits(level)) for level in ladder.key_levels] == [True] * len(
        ladder.key_levels
    )
    assert counts.step_bits().overlaps(steps.step_bits())
    assert counts.separate_bits().overlaps(steps.separate_bits())


ENORMOUS = (
    '{"mechanism":"cyclic_response","size":4000000,"family":"Singer","q":2,"t":22,'
    '"odds":["7933938573/1073741824","5837465777/2147483648"],"recover":true}'
)


def test_a_ladder_of_four_million_answers_is_judged_without_being_built(monkeypatch):
    """A file of a few hundred bytes must not cost its reader seconds or a gigabyte."""
    outline = Outline.declared(ENORMOUS)
    honest = Certificate(
        subject=LadderSubject(declaration=ENORMOUS),
        claims=state_claims(FromCounts(outline)),
        notes=state_notes(outline),
        schema=CERTIFICATE.schema,
    )

    def forbidden(*_arguments, **_options):
        raise AssertionError

    monkeypatch.setattr("sfumato.mechanisms.cyclic.singer_set", forbidden)
    opened = Certificate.from_json(honest.to_json())
    verify(opened)
    assert "4000000 answers" in opened.title + opened.to_markdown()
    assert opened["key_bits_level_0"].value.lower > 20
    lie = replace(honest.claims[0], value=Fraction(7))
    with pytest.raises(ClaimRefused, match="odds_level_1"):
        verify(replace(honest, claims=(lie, *honest.claims[1:])))


@pytest.mark.parametrize(
    "named",
    [
        '"family":"Paley","q":4000001,"t":1',
        '"family":"Paley","q":3999999,"t":1',
        '"family":"Paley","q":1000003,"t":5',
        '"family":"Singer","q":6,"t":8',
        '"family":"Singer","q":2,"t":39',
    ],
)
def test_a_set_that_does_not_exist_makes_no_ladder(named):
    """By counts alone all would seem well; the names are checked, though nothing is built."""
    declaration = f'{{"mechanism":"cyclic_response","size":400000,{named},"odds":["4","2"],"recover":false}}'
    with pytest.raises(UnreadableFile, match="declaration of a ladder is damaged"):
        Outline.declared(declaration)


def test_what_is_certified_from_the_built_ladder_is_verified_by_counts(monkeypatch):
    certificate = certify(Ladder.within(size=300, epsilons=[2.0, 1.0, 0.5], recover=True))
    monkeypatch.setattr("sfumato.ladders.certificate.MOST_BUILT", 100)
    verify(certificate)
    lie = replace(certificate["key_bits_level_1"], value=Interval(0.0, 1.0))
    with pytest.raises(ClaimRefused, match="key_bits_level_1"):
        verify(
            replace(certificate, claims=tuple(lie if one.measure == lie.measure else one for one in certificate.claims))
        )


def test_a_large_ladder_is_certified_by_the_argument():
    ladder = Ladder.within(size=1000, epsilons=[2.0, 1.0, 0.5], recover=True)
    assert not is_small(ladder.outline)
    certificate = Certificate.from_json(certify(ladder).to_json())
    verify(certificate)
    claim = certificate["odds_coalition_1_3"]
    assert claim.value == ladder.odds[0]
    assert claim.sentence == "Analysts 1 and 3 together see no more than analyst 1 alone: odds 7.39."
    assert "checked exactly" in claim.because
    assert "written out" in CERTIFICATE["odds_coalition_1_3"].because
    assert certificate["epsilon_coalition_2_3"].value.upper <= 1.0 + 1e-11


@pytest.mark.parametrize(
    ("epsilons", "together", "apart"),
    [((1.0, 0.5), 1.62657, 1.79623), ((1.0, 0.1), 1.83149, 1.83814), ((1.0, 0.9), 1.09812, 1.70743)],
)
def test_random_bits_of_yes_no_ladders(epsilons, together, apart):
    certificate = certify(Ladder(BIT, epsilons))
    assert certificate["randomness_bits"].value.midpoint == pytest.approx(together, abs=5e-6)
    assert certificate["separate_randomness_bits"].value.midpoint == pytest.approx(apart, abs=5e-6)


def test_storage_is_not_always_saved():
    certificate = certify(Ladder(CyclicResponse(size=1000, odds=Fraction(2), q=4, t=6), [1.0], recover=True))
    claim = certificate["key_bits_level_0"]
    assert claim.value.midpoint == pytest.approx(10.24449, abs=5e-6)
    assert "at least 10.24 bits" in claim.sentence
    assert "at most 9.966" in claim.sentence


def test_beyond_six_levels_the_certificate_says_what_it_leaves_out():
    ladder = Ladder.of_odds(BIT, [Fraction(9 - j) for j in range(7)], recover=True)
    certificate = certify(ladder)
    verify(Certificate.from_json(certificate.to_json()))
    assert len(coalitions(7)) == 7 + 21 + 1
    assert len(coalitions(6)) == 63
    assert any("only single levels, pairs and all together" in note for note in certificate.notes)
    assert not any("only single levels" in note for note in CERTIFICATE.notes)
    assert certificate["odds_coalition_1_2_3_4_5_6_7"].value == 9


def test_recovery_is_claimed_only_where_it_is_offered():
    assert CERTIFICATE["recovered"].value == 1
    closed = certify(Ladder.of_odds(OVER, LADDER.odds))
    with pytest.raises(KeyError, match="no claim about 'recovered'"):
        _ = closed["recovered"]
    with pytest.raises(KeyError):
        _ = closed["key_bits_level_0"]


def test_markdown_is_a_plain_table():
    text = CERTIFICATE.to_markdown()
    lines = text.splitlines()
    assert lines[0] == "## Certificate of a ladder: 3 answers, 3 levels, 7 reports"
    rows = [line for line in lines if line.startswith("| ")]
    assert len(rows) == len(CERTIFICATE.claims) + 1
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6}
    assert "Analysts 1 and 2 together see no more than analyst 1 alone: odds 9." in text
    assert "and a guess is right at most 2^-64 more often.\n" in text


def test_three_hundred_byte_changes_are_refused_by_the_digest():
    generator = np.random.default_rng(20261116)
    for trial in range(300):
        position = int(generator.integers(len(SEALED)))
        changed = bytearray(SEALED)
        if trial % 3 == 0:
            changed[position] ^= 1 << int(generator.integers(8))
        elif trial % 3 == 1:
            changed[position] = (changed[position] + int(generator.integers(1, 256))) % 256
        else:
            del changed[position]
        with pytest.raises(DigestMismatch):
            Certificate.from_json(bytes(changed))


def falsify(document, generator):
    """Make at least one claim false: move its number, its ladder, its unit or its words."""
    kind = generator.choice(["number", "number", "number", "ladder", "unit", "words", "status", "note", "because"])
    claims = document["claims"]
    claim = claims[int(generator.integers(len(claims)))]
    if kind == "ladder":
        ladder = json.loads(document["subject"]["ladder"])
        level = int(generator.integers(3))
        ladder["odds"][level] = str(Fraction(ladder["odds"][level]) + Fraction(int(generator.integers(1, 900)), 1000))
        document["subject"]["ladder"] = json.dumps(ladder, separators=(",", ":"))
    elif kind == "note":
        document["notes"] = document["notes"][: int(generator.integers(2))]
    elif kind == "unit":
        claim["unit"] += "s"
    elif kind == "because":
        claim["because"] = "because"
    elif kind == "status":
        claim["relation"] = "≥"
    elif kind == "words":
        digits = list(re.finditer(r"[0-9]", claim["sentence"]))
        place = digits[int(generator.integers(len(digits)))].start() if digits else 0
        claim["sentence"] = claim["sentence"][:place] + "x" + claim["sentence"][place + 1 :]
    elif isinstance(claim["value"], str):
        factor = 1 + Fraction(int(generator.integers(1, 10**6)), 10**9) * int(generator.choice([-1, 1]))
        claim["value"] = str(Fraction(claim["value"]) * factor)
    else:
        width = claim["value"]["upper"] - claim["value"]["lower"]
        shift = float((width + 10.0 ** generator.uniform(-9, 0)) * generator.choice([-1, 1]))
        claim["value"] = {"lower": claim["value"]["lower"] + shift, "upper": claim["value"]["upper"] + shift}


def test_false_claims_under_a_fresh_seal_are_refused_by_recomputation():
    generator = np.random.default_rng(8)
    for _ in range(100):
        document = json.loads(SEALED)
        falsify(document, generator)
        sealed = reseal(document)
        assert sealed != SEALED
        opened = Certificate.from_json(sealed)  # the seal and the form are fine
        with pytest.raises(ClaimRefused):
            verify(opened)


def test_a_vague_claim_is_refused_too():
    document = json.loads(SEALED)
    claim = next(claim for claim in document["claims"] if claim["measure"] == "randomness_bits")
    claim["value"]["upper"] += 1e-6
    with pytest.raises(ClaimRefused, match="vaguer than the recomputed"):
        verify(Certificate.from_json(reseal(document)))


def test_claims_cannot_be_left_out_doubled_moved_or_invented():
    for change, sentence in [
        (lambda claims: claims.pop(2), "leaves out odds_level_2"),
        (lambda claims: claims.append(claims[0]), "claimed twice"),
        (lambda claims: claims.append({**claims[0], "measure": "goodness"}), "goodness is not a measure"),
        (lambda claims: claims.reverse(), "stands where odds_level_1 belongs"),
    ]:
        document = json.loads(SEALED)
        change(document["claims"])
        with pytest.raises(ClaimRefused, match=sentence):
            verify(Certificate.from_json(reseal(document)))


def test_another_spelling_is_refused_even_when_sealed():
    blank = json.dumps({**json.loads(SEALED), "digest": "sha256:" + "0" * 64}).encode()
    other = blank.replace(b"0" * 64, hashlib.sha256(blank).hexdigest().encode(), 1)
    with pytest.raises(DigestMismatch, match="one spelling"):
        Certificate.from_json(other)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda d: d.update(schema="sfumato/certificate/ladder/2"), UnknownSchema),
        (lambda d: d.update(schema="sfumato/certificate/channel/1"), UnreadableFile),
        (lambda d: d.update(extra=1), UnreadableFile),
        (lambda d: d["subject"].update(ladder="{}"), UnreadableFile),
        (lambda d: d["subject"].update(ladder=d["subject"]["ladder"].replace("9", "1/0")), UnreadableFile),
        (lambda d: d["subject"].update(ladder=d["subject"]["ladder"].replace('"2"', '"1"')), UnreadableFile),
        (lambda d: d["claims"][0].update(status="sworn"), UnreadableFile),
        (lambda d: d["claims"][0].update(value=0.375), UnreadableFile),
    ],
)
def test_damaged_documents_get_a_sentence(change, error):
    document = json.loads(SEALED)
    change(document)
    with pytest.raises(error) as caught:
        Certificate.from_json(reseal(document))
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("junk", [b"", b"{}", b"\x00\xff", b"[1, 2]", b"nonsense"])
def test_what_is_no_certificate_at_all(junk):
    with pytest.raises(UnreadableFile, match="not a Sfumato certificate"):
        Certificate.from_json(junk)


def test_certificates_in_memory_are_checked_as_well():
    lie = replace(CERTIFICATE.claims[0], value=Fraction(3, 2))
    with pytest.raises(ClaimRefused, match="odds_level_1: claimed 3/2, recomputed 9"):
        verify(replace(CERTIFICATE, claims=(lie, *CERTIFICATE.claims[1:])))
    with pytest.raises(ClaimRefused, match="cannot be made from its declaration"):
        verify(replace(CERTIFICATE, subject=LadderSubject(declaration="nonsense")))


def tampered(ladder, steps):
    changed = Ladder.of_odds(ladder.levels[0], ladder.odds, recover=ladder.recover_answers)
    object.__setattr__(changed, "steps", tuple(steps))
    return changed


@pytest.mark.parametrize("over", [OVER, BIT], ids=lambda over: type(over).__name__)
def test_a_wrong_step_is_never_certified(over):
    """Lambda on the wrong side, a step used twice, a step left out: by convolution and by the closed form."""
    ladder = Ladder.of_odds(over, [Fraction(9), Fraction(4), Fraction(2)], recover=True)
    first, second, third = ladder.steps
    high, low = second.probabilities
    wrong_side = TwoLevelShift.erasure(ladder.modulus, high - low)
    nothing = TwoLevelShift.erasure(ladder.modulus, Fraction(0))
    for steps in [(first, wrong_side, third), (first, second, second), (first, nothing, third), (first, third, second)]:
        with pytest.raises(NotCertified, match="does not lead from level"):
            certify(tampered(ladder, steps))
        with pytest.raises(NotCertified, match="is not the one that leads"):
            FromSteps(tampered(ladder, steps)).check_premise()


def test_a_wrong_level_is_never_certified():
    changed = Ladder.of_odds(OVER, LADDER.odds, recover=True)
    object.__setattr__(changed, "levels", (replace(changed.levels[0], odds=Fraction(8)), *changed.levels[1:]))
    with pytest.raises(NotCertified):
        certify(changed)


def test_a_wrong_first_step_is_refused_by_verification(monkeypatch):
    """Were the code that makes steps wrong, verification would say so: its numbers come from the steps."""
    real = Ladder.of_odds

    def wrong(mechanism, odds, *, recover=False):
        built = real(mechanism, odds, recover=recover)
        object.__setattr__(built, "steps", (real(mechanism, [Fraction(8)]).steps[0], *built.steps[1:]))
        return built

    monkeypatch.setattr(Ladder, "of_odds", staticmethod(wrong))
    with pytest.raises(ClaimRefused):
        verify(CERTIFICATE)


@dataclass(frozen=True)
class OtherOdds(FromSteps):
    """Evidence that a level has other odds than are declared."""

    @property
    def odds(self):
        return (*self.ladder.odds[:-1], self.ladder.odds[-1] + 1)


@dataclass(frozen=True)
class Conspiring(FromSteps):
    """Evidence that some of the analysts see more together than the best of them alone."""

    def joint_odds(self, coalition):
        return self.ladder.odds[min(coalition) - 1] + int(len(coalition) > 1)


@pytest.mark.parametrize(
    "stated", [None, {claim.measure: claim for claim in CERTIFICATE.claims}], ids=["new", "checked"]
)
def test_evidence_against_the_ladder_is_believed(stated):
    assert state_claims(FromSteps(LADDER), stated) == CERTIFICATE.claims
    with pytest.raises(NotCertified, match="the reports of level 3 have other odds than the ladder declares"):
        state_claims(OtherOdds(LADDER), stated)
    with pytest.raises(NotCertified, match="a coalition sees more than its best member"):
        state_claims(Conspiring(LADDER), stated)


def named():
    return certify(LADDER, readers=["ministry", ("press", "radio_1")])


def test_a_certificate_names_its_readers():
    certificate = Certificate.from_json(named().to_json())
    verify(certificate)
    said = "\n".join([*(claim.sentence for claim in certificate.claims), *certificate.notes])
    assert not re.search(r"level \d|Level \d|[Aa]nalysts? \d", said)
    assert certificate["odds_level_2"].sentence.startswith("No report that press and radio_1 see favours one answer")
    assert certificate["epsilon_level_3"].sentence.startswith("What the public sees is ε-locally")
    assert certificate["odds_coalition_1"].sentence.startswith(
        "With the public report beside its own, ministry sees no"
    )
    assert certificate["odds_coalition_2"].sentence.startswith("With the public report beside their own, press and ra")
    assert certificate["odds_coalition_2_3"].sentence.startswith(
        "Together, press, radio_1 and the public see no more than press or radio_1 alone: odds"
    )
    assert certificate["key_bits_level_0"].sentence.startswith("A true key of the registrar takes")
    assert certificate["recovered"].sentence.startswith("Whoever holds the registrar's key gets every answer back")
    assert "1 is ministry; 2 is press and radio_1; 3 is the public." in certificate.notes[0]
    assert [(one.value, one.because) for one in certificate.claims] == [
        (one.value, one.because) for one in CERTIFICATE.claims
    ]


def test_tables_and_pages_name_the_readers_too():
    certificate = named()
    for text in (certificate.to_markdown(), certificate.to_html().split("<details>")[0], certificate._repr_html_()):
        assert "odds, press and radio_1" in text
        assert "key bits, the registrar" in text
        assert not re.search(r"level \d|coalition \d", text)
    assert "| odds level 2 |" in CERTIFICATE.to_markdown()


def test_the_independent_checker_says_the_same(tmp_path):
    import sfumato_check as checker

    for certificate in (named(), CERTIFICATE):
        path = tmp_path / "certificate.json"
        path.write_text(certificate.to_json(), encoding="utf-8")
        assert checker.main([str(path)]) == 0


@pytest.mark.parametrize(
    "readers",
    [
        "ab",
        [],
        ["ministry"],
        ["ministry", []],
        ["ministry", "public"],
        ["ministry", "Registrar"],
        ["ministry", ["press", "Ministry"]],
        ["ministry", "no blanks"],
        ["ministry", "x" * 101],
        ["ministry", "\ud800"],
        ["ministry", [7]],
        ["ministry", "-_"],
    ],
)
def test_readers_that_cannot_be_are_refused_in_a_file_and_out_of_it(readers):
    """What the library refuses, the independent checker does too."""
    import sfumato_check as checker

    with pytest.raises(InvalidParameter, match="readers"):
        certify(LADDER, readers=readers)
    listed = [[one] if isinstance(one, str) else one for one in readers] if isinstance(readers, list) else readers
    with pytest.raises(checker.Unreadable):
        checker.read_readers(listed, 3)


def test_another_reader_under_a_fresh_seal_is_refused():
    """The names are part of what the claims are about: sentences that name others do not verify."""
    lie = replace(named(), subject=replace(named().subject, readers=(("ministry",), ("police",))))
    with pytest.raises(ClaimRefused, match="sentence"):
        verify(Certificate.from_json(lie.to_json()))
