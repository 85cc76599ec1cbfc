"""Forged certificates of disclosures: each is sealed afresh, as an attacker would, and says something that is not so.

`python -m disclose.forged_disclosures` (in tests/) writes them to vectors/forged/; a test compares the files with this.
"""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

import sfumato as sf
from fresh_seals import reseal
from sfumato.certificates.certifying import certify_subject
from sfumato.disclose import DataLaw, DisclosureSubject, Estimation, Origin, optimum, public_certificate

FOLDER = Path(__file__).parents[1] / "vectors" / "forged"
SALT = "5a" * 32  # a fixed one, so that the files are the same on every run
LAW = DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], 2)
ESTIMATED = Estimation(law=Origin.RECORDS, data_sets=100)


def honest(channel=None, *, estimated=False):
    """A certificate of the best mapping of two coins, or of another one."""
    found = optimum(LAW)
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


def wide_group():
    """A certificate of 63 binary samples that are protected together."""
    ends = [(0,) * 63, (1,) * 63]
    law = DataLaw(shape=(2,) * 63, cells=np.array(ends), masses=(Fraction(1, 2),) * 2)
    subject = DisclosureSubject(
        law=law, groups=(tuple(range(63)),), channel=sf.Channel([[1], [1]], ends), estimation=ESTIMATED, salt=SALT
    )
    return certify_subject(subject)


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
        "less_leaked_by_1e-11": (moved(private, drift, -1e-11), drift),
        "a_note_added": ({**document(good), "notes": [*good.notes, "Approved."]}, "notes"),
        "a_note_left_out": (document(silent), "notes"),
        "private_note_left_out": ({**document(private), "notes": list(good.notes)}, "notes"),
        "estimated_called_declared": (
            with_subject(
                private, estimation={"law": "declared", "feature": None, "data_sets": None, "samples": None}, salt=None
            ),
            drift,
        ),
        "wide_group_called_safe": (
            with_claim(
                wide_group(),
                drift,
                value={"lower": 0.0, "upper": 0.0},
                sentence=wide_group()[drift].sentence.replace("at most 63 bits", "at most 0 bits"),
            ),
            drift,
        ),
        "public_with_a_false_sentence": (with_claim(public, told, sentence="Verified: it tells 9 bits."), told),
        "public_called_certified": (with_claim(public, leak, status="certified"), leak),
        "public_with_more_digits": (with_claim(public, told, value={"lower": 0.231, "upper": 0.24}), told),
        "public_with_more_than_there_is": (with_claim(public, told, value={"lower": 7.0, "upper": 7.1}), told),
        "public_from_more_records": (
            with_subject(public, estimation={"law": "records", "feature": None, "data_sets": 10**6, "samples": None}),
            drift,
        ),
        "public_with_a_mapping": (with_subject(public, mapping=[["1"], ["1"], ["1"], ["1"]]), "mapping"),
        "public_without_a_commitment": (with_subject(public, commitment="sha256:none"), "64 hex digits"),
    }


if __name__ == "__main__":
    for name, (forged, _) in forgeries().items():
        (FOLDER / f"disclosure_{name}.json").write_text(sealed(forged))
