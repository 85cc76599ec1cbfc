"""No false claim verifies: numbers moved by 1e-11, changed words, under fresh seals, over all kinds of certificates."""

import random

import pytest

import sfumato as sf
from certificates.claim_mutations import mutated
from certificates.honest_certificates import MAKERS, honest
from sfumato.errors import ClaimRefused, SfumatoError


def refusal_of(data):
    """The class of what is raised, when the file is opened or verified; None where it is accepted."""
    try:
        sf.verify(sf.Certificate.from_json(data))
    except SfumatoError as error:
        return type(error)
    return None


def check(seed, certificates, forgeries):
    draw = random.Random(seed)  # noqa: S311  repeatable
    made = honest(draw, certificates)
    refused = []
    for certificate in made:
        data = certificate.to_json()
        assert refusal_of(data) is None, data
    for turn in range(forgeries):
        data, said = mutated(draw, made[turn % len(made)])
        refusal = refusal_of(data)
        assert refusal is not None, (said, data.decode())
        refused.append((said, refusal))
    # A lie that cannot be read, such as "at mostly" for a relation, is refused as well; most must be read and refuted.
    assert sum(refusal is ClaimRefused for _, refusal in refused) > 0.7 * forgeries
    return [said for said, _ in refused]


def test_honest_certificates_pass_and_false_ones_do_not():
    """A few; product and checker are held against five hundred in tests/checker."""
    refused = check("quick", 18, 180)
    assert len(set(refused)) > 40, "many kinds of lies"


@pytest.mark.slow
def test_a_thousand_honest_certificates_pass_and_ten_thousand_false_ones_do_not():
    for part in range(20):
        check(f"slow {part}", 50, 500)


def test_every_maker_makes_another_form():
    draw = random.Random("forms")  # noqa: S311  repeatable
    forms = {frozenset(claim.measure for claim in make(draw).claims) for make in MAKERS}
    assert len(forms) >= 6


def test_a_refusal_names_the_claim():
    draw = random.Random("one")  # noqa: S311  repeatable
    certificate = honest(draw, 1)[0]
    for claim in certificate.claims:
        false = sf.Certificate.from_json(certificate.to_json())
        changed = tuple(
            sf.values.Claim(**{**{name: getattr(one, name) for name in one.__slots__}, "sentence": "Nothing is told."})
            if one.measure == claim.measure
            else one
            for one in false.claims
        )
        with pytest.raises(ClaimRefused, match=claim.measure):
            sf.verify(sf.Certificate(subject=false.subject, claims=changed, notes=false.notes, schema=false.schema))
