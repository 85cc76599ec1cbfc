"""Forged certificates of disclosures: each is sealed afresh, as an attacker would, and says something that is not so.

`python -m disclose.forged_disclosures` (in tests/) writes them to vectors/forged/; a test compares the files with this.
"""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import msgspec

import sfumato as sf
from fresh_seals import reseal
from sfumato.certificates.certifying import certify_subject
from sfumato.disclosure import DataLaw, Estimation, Origin, optimum, public_certificate
from sfumato.disclosure.certificate import DisclosureSubject, counted_estimation
from sfumato.disclosure.estimation import write_estimation

FOLDER = Path(__file__).parents[1] / "vectors" / "forged"
SALT = "5a" * 32  # a fixed one, so that the files are the same on every run
LAW = DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], 2)
COUNTED = sf.disclosure.counted_law([[49, 21], [21, 9]])
ESTIMATED = counted_estimation(Origin.RECORDS, 100, 4)
DECLARED = msgspec.to_builtins(write_estimation(Estimation()))


def honest(channel=None, *, estimated=False):
    """A certificate of the best mapping of two coins, or of another one; of a hundred counted pairs."""
    found = optimum(COUNTED if estimated else LAW)
    subject = DisclosureSubject(
        law=found.law,
        groups=found.groups,
        channel=found.channel if channel is None else channel,
        estimation=ESTIMATED if estimated else Estimation(),
        salt=SALT if estimated else None,
    )
    return certify_subject(subject)


def identity():
    """A certificate of the mapping that publishes everything."""
    cells = [tuple(cell) for cell in LAW.cells.tolist()]
    return honest(sf.Channel([[int(x == y) for y in cells] for x in cells], cells))


def unsmoothed():
    """A private certificate whose law is counts alone, which no bound is for: only a forger makes it."""
    private = document(honest(estimated=True))
    plain = document(honest())
    for name in ("masses", "mapping"):
        private["subject"][name] = plain["subject"][name]
    return private


def document(certificate):
    return json.loads(certificate.to_json())


def sealed(forged):
    """The text of a forgery that is sealed afresh."""
    return reseal(forged).decode()


def with_claim(certificate, measure, **changes):
    """Change some fields of one claim."""
    forged = document(certificate)
    for claim in forged["claims"]:
        if claim["measure"] == measure:
            claim.update(changes)
    return forged


def moved(certificate, measure, step):
    """Move both ends of a claim by the same step."""
    value = certificate[measure].value
    return with_claim(certificate, measure, value={"lower": value.lower + step, "upper": value.upper + step})


def with_subject(certificate, **changes):
    forged = document(certificate)
    forged["subject"].update(changes)
    return forged


def with_bound(certificate, above, below):
    """Multiply the bound for other laws, in number and words; four digits of it where the factor has few."""
    claim = certificate["leak_if_law_differs_bits"]
    digits = 4 if below == 100 else 9
    number = float(f"{claim.value.upper * above / below:.{digits}g}")
    words = claim.sentence.replace(f"at most {claim.value.upper:g} bits", f"at most {number:g} bits")
    assert number == claim.value.upper or words != claim.sentence or digits == 9
    return with_claim(certificate, claim.measure, value={"lower": 0.0, "upper": number}, sentence=words)


def more_records(certificate):
    """The estimation of a file, with ten thousand times as many records."""
    found = document(certificate)["subject"]["estimation"]
    return {**found, "records": 10_000 * found["records"]}


def told_of(private):
    """How much a private certificate says is told."""
    return next(claim for claim in document(private)["claims"] if claim["measure"] == "disclosed_bits")


def forgeries():
    """Every forged document by its name, with the word that its refusal must have."""
    nothing = honest()["sample_leak_bits"]
    good, all_told = honest(), identity()
    private = honest(estimated=True)
    public = public_certificate(private)
    told, leak, drift = "disclosed_bits", "sample_leak_bits", "leak_if_law_differs_bits"
    silent = replace(good, notes=())
    return {
        "identity_called_exact": (
            with_claim(
                all_told,
                leak,
                relation="=",
                value="0",
                status="exact",
                because=nothing.because,
                sentence=nothing.sentence,
            ),
            leak,
        ),
        "identity_with_a_false_sentence": (with_claim(all_told, leak, sentence=nothing.sentence), leak),
        "relation_turned_round": (with_claim(all_told, leak, relation="≥"), leak),
        "another_reason": (with_claim(all_told, leak, because=nothing.because), leak),
        "more_told_by_1e-11": (moved(good, told, 1e-11), told),
        "less_leaked_by_1e-11": (moved(all_told, leak, -1e-11), leak),
        "a_note_added": ({**document(good), "notes": [*good.notes, "Approved."]}, "notes"),
        "a_note_left_out": (document(silent), "notes"),
        "private_note_left_out": ({**document(private), "notes": list(good.notes)}, "notes"),
        "estimated_called_declared": (with_subject(private, estimation=DECLARED, salt=None), drift),
        "law_not_smoothed": (unsmoothed(), "records with"),
        "law_of_more_records": (with_subject(private, estimation=more_records(private)), "records with"),
        "bound_lower_by_a_percent": (with_bound(private, 99, 100), drift),
        "bound_with_more_digits": (with_bound(private, 100001, 100000), drift),
        "nobody_called_covered": (
            with_claim(private, drift, sentence=private[drift].sentence.partition("from them. ")[2]),
            drift,
        ),
        "public_with_a_false_sentence": (with_claim(public, leak, sentence="Verified: it tells nothing."), leak),
        "public_called_certified": (with_claim(public, leak, status="certified"), leak),
        "public_with_a_leak_of_its_own": (with_claim(public, leak, value={"lower": 0.0, "upper": 0.001}), leak),
        "public_with_bits_told": (
            {**document(public), "claims": [*document(public)["claims"], told_of(private)]},
            told,
        ),
        "public_with_its_own_symbols": (with_subject(public, symbols=3), "symbols"),
        "public_bound_lower_by_a_percent": (with_bound(public, 99, 100), drift),
        "public_from_more_records": (with_subject(public, estimation=more_records(public)), drift),
        "public_with_a_mapping": (with_subject(public, mapping=[["1"], ["1"], ["1"], ["1"]]), "mapping"),
        "public_without_a_commitment": (with_subject(public, commitment="sha256:none"), "64 hex digits"),
    }


if __name__ == "__main__":
    for name, (forged, _) in forgeries().items():
        (FOLDER / f"disclosure_{name}.json").write_text(sealed(forged))
