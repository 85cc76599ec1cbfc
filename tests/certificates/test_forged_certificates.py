"""Forged certificates of channels, ladders and noise are refused, by a sentence that names the claim."""

import pytest

import sfumato as sf
from certificates.forged_certificates import FOLDER, HONEST, document, forgeries
from fresh_seals import reseal
from sfumato.errors import Refused, UnreadableFile

FORGED = forgeries()


def test_the_files_are_the_forgeries():
    kinds = ("channel_", "ladder_", "noise_")
    assert {path.stem for path in FOLDER.glob("*.json") if path.name.startswith(kinds)} == set(FORGED)
    for name, (forged, _) in FORGED.items():
        assert (FOLDER / f"{name}.json").read_bytes() == reseal(forged)


@pytest.mark.parametrize("name", HONEST)
def test_what_they_were_forged_from_is_accepted(name):
    certificate = HONEST[name]()
    assert reseal(document(certificate)) == certificate.to_json().encode()
    sf.verify(sf.Certificate.from_json(certificate.to_json()))


@pytest.mark.parametrize("name", FORGED)
def test_every_forged_file_is_refused_by_a_sentence_that_says_where(name):
    with pytest.raises((Refused, UnreadableFile), match=FORGED[name][1]):
        sf.verify(sf.Certificate.read(FOLDER / f"{name}.json"))
