"""Forged certificates of channels, ladders and noise are refused, by a sentence that names the claim."""

import json
import math

import pytest

import sfumato as sf
from certificates.forged_certificates import FOLDER, HONEST, document, forgeries
from fresh_seals import reseal
from sfumato.errors import Refused, UnreadableFile

KINDS = ("belief_", "channel_", "ladder_", "noise_", "rank_", "vector_")
# They are made when a test looks at them, and not by everybody who counts the tests.
FORGED = sorted(path.stem for path in FOLDER.glob("*.json") if path.name.startswith(KINDS))


def test_the_files_are_the_forgeries():
    assert sorted(forgeries()) == FORGED
    for name, (forged, _) in forgeries().items():
        written = (FOLDER / f"{name}.json").read_bytes()
        assert written == reseal(json.loads(written)), "the seal of a forgery fits"
        assert_alike(json.loads(written), json.loads(reseal(forged)))


def assert_alike(written, made):
    """Equal but for the last digits of weights, which a search finds otherwise on another processor, and the seal."""
    assert written.keys() == made.keys()
    for key in written.keys() - {"digest", "subject"}:
        assert written[key] == made[key]
    weights, again = (found["subject"].pop("weights", []) for found in (written, made))
    assert written["subject"] == made["subject"]
    assert weights == pytest.approx(again, rel=1e-13)
    assert [math.copysign(1, one) for one in weights] == [math.copysign(1, one) for one in again]


@pytest.mark.parametrize("name", HONEST)
def test_what_they_were_forged_from_is_accepted(name):
    certificate = HONEST[name]()
    assert reseal(document(certificate)) == certificate.to_json().encode()
    sf.verify(sf.Certificate.from_json(certificate.to_json()))


@pytest.mark.parametrize("name", FORGED)
def test_every_forged_file_is_refused_by_a_sentence_that_says_where(name):
    with pytest.raises((Refused, UnreadableFile), match=forgeries()[name][1]):
        sf.verify(sf.Certificate.read(FOLDER / f"{name}.json"))
