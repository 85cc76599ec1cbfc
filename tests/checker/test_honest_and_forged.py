"""The checker and the product agree: honest certificates of every kind pass both, and no lie passes either."""

import json
import re
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
import sfumato_check
from checker_samples import ROOT, honest, is_refused_by_the_product, lies
from fresh_seals import reseal
from sfumato.errors import NotChecked

# What remains open in an honest certificate, by measure; everything else must be checked.
_MAY_STAY_OPEN = {
    "individual_capacity_bits": "not checked by me",
    "noise_capacity_bits": "not checked by me",  # of three and four values
    "sample_leak_bits": "stated",
    "leak_if_law_differs_bits": "not checked by me",  # of counts with noise
}


def agree(certificate):
    raw = certificate.to_json().encode()
    found = sfumato_check.answer(raw)
    assert found["answer"] in {"checked", "not wholly checked"}, found["because"]
    assert [claim["measure"] for claim in found["claims"]] == [claim.measure for claim in certificate.claims]
    for claim in found["claims"]:
        if claim["answer"] != "checked":
            assert claim["answer"] == _MAY_STAY_OPEN[claim["measure"]]
    assert (found["exit_code"] == 0) == all(claim["answer"] == "checked" for claim in found["claims"])
    stated = "stated" in {claim["answer"] for claim in found["claims"]}
    try:
        sf.verify(sf.Certificate.from_json(raw))
    except NotChecked:
        assert stated
    else:
        assert not stated
    return raw


def refuse(certificates, count, seed):
    generator = np.random.default_rng(seed)
    refused = 0
    while refused < count:
        certificate = certificates[refused % len(certificates)]
        for what, forged in lies(json.loads(certificate.to_json()), generator, 1):
            found = sfumato_check.answer(forged)
            assert found["exit_code"] in {1, 2}, f"{what} of {certificate.title}: {found['because']}"
            assert is_refused_by_the_product(forged), f"{what} of {certificate.title}"
            refused += 1


def test_honest_certificates_pass_both():
    assert sum(len(agree(certificate)) > 0 for certificate in honest(50, seed=15)) >= 60


def test_two_hundred_lies_under_fresh_seals_are_refused_by_both():
    refuse(list(honest(21, seed=16)), 200, seed=17)


@pytest.mark.slow
def test_a_thousand_honest_certificates_pass_both():
    assert sum(len(agree(certificate)) > 0 for certificate in honest(1000, seed=18)) >= 1000


@pytest.mark.slow
def test_ten_thousand_lies_are_refused_by_both():
    refuse(list(honest(140, seed=19)), 10_000, seed=20)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests" / "vectors" / "forged").glob("*.json")), ids=lambda path: path.stem
)
def test_every_forged_file_is_refused(path):
    found = sfumato_check.answer(path.read_bytes())
    assert found["exit_code"] in {1, 2}, found["because"]
    assert is_refused_by_the_product(path.read_bytes())


def test_an_end_inside_of_what_a_witness_proves_is_refused():
    """A capacity is known up to a gap, and a claim must hold all of it, not just some."""
    tried = 0
    for certificate in honest(42, seed=21):
        document = json.loads(certificate.to_json())
        for place, claim in enumerate(document["claims"]):
            value = claim["value"]
            if "witness" not in claim or value["upper"] - value["lower"] < 1e-11:
                continue
            for end in ("lower", "upper"):
                changed = json.loads(json.dumps(document))
                changed["claims"][place]["value"][end] = (value["lower"] + value["upper"]) / 2
                found = sfumato_check.answer(reseal(changed))
                assert found["exit_code"] == 1
                assert found["because"].startswith(f"{claim['measure']}: its interval does not hold what I find")
                assert is_refused_by_the_product(reseal(changed))
                tried += 1
    assert tried >= 10


def test_a_mapping_off_by_less_than_any_double_is_refused():
    """Independence is compared in whole numbers: 10^-30 is not nothing."""
    law = [[Fraction(k, 12) for k in (1, 3, 2)], [Fraction(k, 12) for k in (2, 3, 1)]]
    document = json.loads(sf.certify(sf.disclosure.optimum(law)).to_json())
    assert sfumato_check.answer(reseal(document))["exit_code"] == 0
    row = document["subject"]["mapping"][0]
    held = max(range(len(row)), key=lambda y: Fraction(row[y]))
    other = (held + 1) % len(row)
    row[held] = str(Fraction(row[held]) - Fraction(1, 10**30))
    row[other] = str(Fraction(row[other]) + Fraction(1, 10**30))
    found = sfumato_check.answer(reseal(document))
    assert found["exit_code"] == 1
    assert found["because"].startswith("sample_leak_bits: ")
    assert is_refused_by_the_product(reseal(document))


def test_a_refusal_names_the_claim():
    document = json.loads(next(iter(honest(0, seed=1))).to_json())
    for claim in document["claims"]:
        changed = json.loads(json.dumps(document))
        mine = next(one for one in changed["claims"] if one["measure"] == claim["measure"])
        mine["sentence"] = "It tells nothing at all."
        found = sfumato_check.answer(reseal(changed))
        assert found["exit_code"] == 1
        assert found["because"].startswith(f"{claim['measure']}: its sentence")


def test_the_description_of_the_files_has_every_reason_and_note():
    """Word for word, where a text does not depend on numbers: whoever writes a third checker has all of them."""
    page = re.sub(r"\s+", " ", (ROOT / "docs" / "reference" / "files.md").read_text().replace("\\|", "|"))
    seen = set()
    for certificate in honest(0, seed=1):
        texts = [claim.because for claim in certificate.claims] + list(certificate.notes)
        for said in texts:
            text = re.sub(r"about \d+ of them", "about *m* of them", re.sub(r"\d+ options", "*k* options", said))
            text = re.sub(r"(m =|at most) \d+ people", r"\1 *m* people", text)
            text = re.sub(r"\d\.\de-18 bits", "*g*e-18 bits", text)
            if not re.search(
                r"from \d+ records in|selections of|over the \d+ inputs|Level \d|that this is|with mlkem", text
            ):
                assert text in page, text
                seen.add(text)
        for claim in certificate.claims:
            name = re.sub(r"_level_\d+$", "_level_j", re.sub(r"_coalition_[\d_]+$", "_coalition_…", claim.measure))
            assert f"`{name}`" in page
            assert claim.unit in page
    assert len(seen) > 30
