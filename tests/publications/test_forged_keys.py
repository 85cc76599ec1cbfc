"""The two attacks on keys, end to end: a forger plants the registrar's key, and reads what is published under it."""

import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import KeyRefused
from sfumato.keys import Passphrase, Unprotected, new_key_pair
from sfumato.keys.key_files import publish_with_files, read_key, write_key
from sfumato.ladders import Binding, Ladder
from sfumato.publications.key_folder import KeyFolder
from sfumato.publications.opening import recover_table
from sfumato.publications.part import binding_of
from small_studies import answers, small_study

ROWS = 2000
STUDY = small_study(questions=small_study().questions[1:2])
SECRET = Passphrase("correct horse", memory_kib=64, passes=1, lanes=1)
PRIVATE, PUBLIC = new_key_pair()


def plant(folder, protection):
    """The forger has the study, the number of rows and the public key; what they keep opens what will be published."""
    (folder / "keys").mkdir()
    key = STUDY.handler("place").ladder.draw_keys(ROWS, binding=binding_of(STUDY, "place", 0))[0]
    (path,) = [path for path, held in KeyFolder.of(STUDY, folder / "keys").files.items() if held.level == 0]
    write_key(key, path, protection)
    return key


def publish(folder, **secrets):
    place = {"out": folder / "reports.parquet", "keys": folder / "keys", "registry": folder / "registry.json"}
    return sf.publish(STUDY, answers(ROWS), **place, **secrets)


def recovered(folder, key):
    """How many answers the forger reads from the public reports."""
    reports = sf.read_reports(folder / "reports.parquet")
    told = np.array(recover_table(reports, [key])["place"].to_pylist())
    return int((told == np.array(answers(ROWS)["place"].to_pylist())).sum())


def test_whoever_says_that_keys_are_unprotected_is_at_the_mercy_of_the_folder(tmp_path):
    """The control: this is what the attack gets, and SECURITY.md says so."""
    key = plant(tmp_path, Unprotected())
    publish(tmp_path, protection=Unprotected())
    assert recovered(tmp_path, key) == ROWS


@pytest.mark.parametrize(
    "secrets",
    [
        {"protection": SECRET},
        {"protection": SECRET, "unlock": SECRET},
        {"protection": {"ministry": PUBLIC, "press": PUBLIC, "registrar": SECRET}},
        {"protection": {"ministry": PUBLIC, "press": PUBLIC, "registrar": PRIVATE}},
        {"protection": PUBLIC, "unlock": PRIVATE},
        {"protection": PUBLIC},
        {"protection": lambda holders: dict.fromkeys(holders, SECRET)},
        {"unlock": (SECRET, PRIVATE)},
        {},
    ],
    ids=["passphrase", "both", "by holder", "private key", "unlock", "public key", "asked", "several", "nothing"],
)
@pytest.mark.parametrize("forgery", [Unprotected(), PUBLIC, new_key_pair()[1]], ids=["none", "hpke", "other"])
def test_a_forged_key_makes_no_reports(tmp_path, forgery, secrets):
    plant(tmp_path, forgery)
    with pytest.raises(KeyRefused, match="could have written it"):
        publish(tmp_path, **secrets)
    assert not (tmp_path / "reports.parquet").exists()


@pytest.mark.parametrize("registrar", [SECRET, PRIVATE], ids=["passphrase", "private key"])
def test_keys_that_the_registrars_secret_binds_publish_again(tmp_path, registrar):
    by_holder = {"ministry": PUBLIC, "press": Unprotected(), "registrar": registrar}
    first = publish(tmp_path, protection=by_holder)
    again = publish(tmp_path, protection=by_holder)
    assert again.reports.note == first.reports.note
    again = publish(tmp_path, unlock=registrar)
    assert again.reports.note == first.reports.note


def test_a_sealed_key_cannot_be_carried_to_another_place(tmp_path):
    """The forger has no secret, but other files that were sealed under it."""
    publish(tmp_path, protection=SECRET)
    keys = tmp_path / "keys"
    (keys / "registrar.place.key").write_bytes((keys / "ministry.place.key").read_bytes())
    with pytest.raises(KeyRefused, match="each at its level"):
        publish(tmp_path, protection=SECRET)


@pytest.mark.parametrize("forgery", [Unprotected(), PUBLIC], ids=["none", "hpke"])
@pytest.mark.parametrize("secret", [SECRET, PRIVATE], ids=["passphrase", "private key"])
def test_a_ladder_is_not_published_under_a_forged_file_either(tmp_path, forgery, secret):
    ladder, binding = Ladder.within(size=5, epsilons=(2.0, 1.0), recover=True), Binding(study="s", question="q")
    path = tmp_path / "level0.key"
    write_key(ladder.draw_keys(ROWS, binding=binding)[0], path, forgery)
    with pytest.raises(KeyRefused):
        publish_with_files(ladder, np.arange(ROWS) % 5, {0: path}, secret, binding)
    assert read_key(path, Unprotected() if forgery == Unprotected() else PRIVATE).produced is None
