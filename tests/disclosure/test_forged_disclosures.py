"""Forged certificates of disclosures are refused, by a sentence that says where."""

import pytest

import sfumato as sf
from disclosure.forged_disclosures import FOLDER, document, forgeries, honest, identity, sealed
from sfumato.disclosure import public_certificate
from sfumato.errors import NotChecked, Refused, UnreadableFile

FORGED = forgeries()


def test_the_files_are_the_forgeries():
    assert {path.name for path in FOLDER.glob("disclosure_*.json")} == {f"disclosure_{name}.json" for name in FORGED}
    for name, (forged, _) in FORGED.items():
        assert (FOLDER / f"disclosure_{name}.json").read_text() == sealed(forged)


def test_what_they_were_forged_from_is_accepted():
    """Else their refusal would show nothing; and sealing again by hand gives the file itself."""
    for certificate in (honest(), honest(estimated=True), identity()):
        assert sealed(document(certificate)) == certificate.to_json()
        sf.verify(sf.Certificate.from_json(certificate.to_json()))
    private = honest(estimated=True)
    public = public_certificate(private)
    assert sealed(document(public)) == public.to_json()
    with pytest.raises(NotChecked):
        sf.verify(public)
    sf.verify(public, opening=private)


@pytest.mark.parametrize("name", FORGED)
def test_every_forged_file_is_refused_by_a_sentence_that_says_where(name):
    with pytest.raises((Refused, UnreadableFile), match=FORGED[name][1]):
        sf.verify(sf.Certificate.read(FOLDER / f"disclosure_{name}.json"))
