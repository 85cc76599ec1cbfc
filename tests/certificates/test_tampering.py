"""A thousand changes to the bytes, and a thousand changes to the content under a fresh seal: every one is refused."""

import hashlib
import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest

from fresh_seals import reseal
from sfumato.certificates import Certificate, certify, verify
from sfumato.errors import ClaimRefused, DigestMismatch, SfumatoError, UnknownSchema, UnreadableFile
from sfumato.prob import Channel

CHANNEL = Channel(
    [
        [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)],
        [Fraction(1, 5), Fraction(3, 5), Fraction(1, 5)],
    ],
    ["no", "yes"],
    ["a", "b", "c"],
)
SEALED = certify(CHANNEL, [Fraction(2, 3), Fraction(1, 3)]).to_json().encode()


def test_resealing_is_what_the_software_does():
    assert reseal(json.loads(SEALED)) == SEALED


def test_a_thousand_byte_changes_are_refused_by_the_digest():
    generator = np.random.default_rng(20261115)
    refused = 0
    for trial in range(1000):
        position = int(generator.integers(len(SEALED)))
        changed = bytearray(SEALED)
        if trial % 4 == 0:
            changed[position] ^= 1 << int(generator.integers(8))
        elif trial % 4 == 1:
            changed[position] = (changed[position] + int(generator.integers(1, 256))) % 256
        elif trial % 4 == 2:
            changed.insert(position, int(generator.integers(256)))
        else:
            del changed[position]
        assert bytes(changed) != SEALED
        with pytest.raises(DigestMismatch):
            Certificate.from_json(bytes(changed))
        refused += 1
    assert refused == 1000


def test_a_thousand_false_claims_under_a_fresh_seal_are_refused_by_recomputation():
    generator = np.random.default_rng(7)
    refused = 0
    while refused < 1000:
        document = json.loads(SEALED)
        _falsify(document, generator)
        sealed = reseal(document)
        assert sealed != SEALED
        opened = Certificate.from_json(sealed)  # the seal and the form are fine
        with pytest.raises(ClaimRefused):
            verify(opened)
        refused += 1


def _falsify(document: dict, generator: np.random.Generator) -> None:
    """Make at least one claim false: move its number, its subject, its prior, its unit or its words."""
    kind = generator.choice(["number", "number", "number", "row", "prior", "witness", "unit", "words", "status"])
    claims = document["claims"]
    if kind == "row":
        row = int(generator.integers(2))
        cells = [Fraction(cell) for cell in document["subject"]["channel"]["rows"][row].split(" ")]
        source, target = generator.permutation(3)[:2]
        moved = cells[source] * Fraction(int(generator.integers(1, 1000)), 1000)
        cells[source] -= moved
        cells[target] += moved
        document["subject"]["channel"]["rows"][row] = " ".join(map(str, cells))
        return
    if kind == "prior":
        share = Fraction(int(generator.integers(1, 1000)), 1001)
        document["subject"]["prior"] = f"{share} {1 - share}"
        return
    if kind == "witness":
        claim = next(claim for claim in claims if "witness" in claim)
        share = float(generator.uniform(0.05, 0.95))
        claim["witness"] = [share, 1 - share]
        return
    claim = claims[int(generator.integers(len(claims)))]
    if kind == "unit":
        claim["unit"] += "s"
    elif kind == "status":
        claim["relation"] = "≥"
    elif kind == "words":
        digits = list(re.finditer(r"[0-9]", claim["sentence"]))
        if not digits:
            claim["sentence"] = "Nothing leaks."
            return
        place = digits[int(generator.integers(len(digits)))].start()
        old = claim["sentence"][place]
        new = str((int(old) + int(generator.integers(1, 10))) % 10)
        claim["sentence"] = claim["sentence"][:place] + new + claim["sentence"][place + 1 :]
    elif isinstance(claim["value"], str):
        factor = 1 + Fraction(int(generator.integers(1, 10**6)), 10**9) * int(generator.choice([-1, 1]))
        old_value = Fraction(claim["value"])
        claim["value"] = str(old_value * factor if old_value else Fraction(1, 1000))
    else:
        # The interval moves off the truth by at least its own width, or more.
        width = claim["value"]["upper"] - claim["value"]["lower"]
        shift = float((width + 10.0 ** generator.uniform(-9, 0)) * generator.choice([-1, 1]))
        claim["value"] = {"lower": claim["value"]["lower"] + shift, "upper": claim["value"]["upper"] + shift}


def test_a_vague_claim_is_refused_too():
    document = json.loads(SEALED)
    claim = next(claim for claim in document["claims"] if claim["measure"] == "capacity_bits")
    claim["value"]["upper"] += 1e-6
    with pytest.raises(ClaimRefused, match="vaguer than the recomputed"):
        verify(Certificate.from_json(reseal(document)))


def test_claims_cannot_be_left_out_doubled_or_invented():
    for change, sentence in [
        (lambda claims: claims.pop(3), "leaves out epsilon"),
        (lambda claims: claims.append(claims[0]), "claimed twice"),
        (lambda claims: claims.append({**claims[0], "measure": "goodness"}), "goodness is not a measure"),
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
        (lambda d: d.update(schema="sfumato/certificate/channel/2"), UnknownSchema),
        (lambda d: d.update(extra=1), UnreadableFile),
        (lambda d: d["subject"].update(prior="1/0 1"), UnreadableFile),
        (lambda d: d["subject"]["channel"].update(rows=["1/2 1/3 1/3", "1/5 3/5 1/5"]), UnreadableFile),
        (lambda d: d["subject"]["channel"].update(kind="cube"), UnreadableFile),
        (lambda d: d["claims"][0].update(status="sworn"), UnreadableFile),
        (lambda d: d["claims"][0].update(value=0.375), UnreadableFile),
        (lambda d: d["claims"][2].update(value={"lower": 2.0, "upper": 1.0}), UnreadableFile),
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


def test_a_seal_around_nonsense_is_still_nonsense():
    blank = b'"digest": "sha256:' + b"0" * 64 + b'"'
    sealed = blank.replace(b"0" * 64, hashlib.sha256(blank).hexdigest().encode())
    with pytest.raises(SfumatoError, match="not a Sfumato certificate"):
        Certificate.from_json(sealed)


def test_certificates_in_memory_are_checked_as_well():
    from dataclasses import replace

    honest = certify(CHANNEL)
    lie = replace(honest["odds"], value=Fraction(3, 2))
    with pytest.raises(ClaimRefused, match="odds: claimed 3/2"):
        verify(replace(honest, claims=tuple(lie if one.measure == "odds" else one for one in honest.claims)))
    with pytest.raises(ClaimRefused, match="must be exact"):
        verify(replace(honest, subject=replace(honest.subject, channel=Channel(np.array([[0.5, 0.5], [0.1, 0.9]])))))
    assert honest["odds"].value < math.inf
