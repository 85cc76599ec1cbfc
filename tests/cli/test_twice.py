"""What touches money, keys or files is the same through the command and through the library.

Each case is run twice, from equal folders: once as a command, once as a call. Both must end alike: the same class of
refusal with the same exit code, the same sentence in the words of the command, the same files made and none changed,
the same debits in the ledger. A new case is a few lines in one of the tables in `twice/`.
"""

import json
from dataclasses import replace

import pytest

import sfumato as sf
from cli.twice.asking import ASKING
from cli.twice.budgeting import BUDGETING, paid_once
from cli.twice.cases import PRIVATE, debits_in, through_the_command, through_the_library
from cli.twice.changing import GROWING
from cli.twice.disclosing import DISCLOSING
from cli.twice.forging import FORGING, NEW, PROTECT, SECRET, locked
from cli.twice.keeping import KEEPING, KEY
from cli.twice.noising import NOISING
from cli.twice.publishing import PUBLISH, PUBLISHING, people, publish, published
from cli.twice.reading import READING, RECOVER, recover_with
from cli.twice.releasing import RELEASING
from sfumato.errors import KeyRefused
from sfumato.workflows.budget import read_ledger
from sfumato.workflows.key_files import protect_key_file

CASES = [*PUBLISHING, *RELEASING, *GROWING, *READING, *KEEPING, *FORGING, *DISCLOSING, *ASKING, *NOISING, *BUDGETING]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_command_and_the_library_end_alike(sfumato, tmp_path, tmp_path_factory, monkeypatch, case):
    arguments = case.command.split()
    other = tmp_path_factory.mktemp("library")
    for folder in (tmp_path, other):
        case.prepare(folder)
    command = through_the_command(sfumato, tmp_path, arguments)
    monkeypatch.chdir(other)
    library, error = through_the_library(other, arguments, case.call)
    expected = replace(library, refusal=command.refusal, sentence=command.sentence) if case.own_words else library
    assert command == expected
    assert library.refusal == (None if case.refusal is None else case.refusal.__name__)
    assert library.changes == tuple(sorted(case.changes))
    assert library.makes == tuple(sorted(case.makes))
    assert tuple(release.kind for release, _ in library.debits) == case.debits
    if error is not None:
        assert case.words in str(error)
        assert PRIVATE not in str(error)
        assert PRIVATE not in command.sentence


def test_every_debit_of_a_release_that_was_made_is_settled(sfumato, tmp_path, monkeypatch):
    """The cases compare command and library; here it is said what both must have done."""
    monkeypatch.chdir(tmp_path)
    people(tmp_path)
    assert sfumato(*PUBLISH.split()).returncode == 0
    ((release, settled),) = debits_in(tmp_path)
    assert settled
    assert release.charges.epsilon == 6, "two questions at the ministry's ε, 3"
    publish()()
    assert debits_in(tmp_path) == ((release, True),), "the library pays for the command's release no second time"


def test_what_is_shown_is_what_is_read(sfumato, tmp_path):
    paid_once(tmp_path)
    said = json.loads(sfumato("budget", "show", "budget", "--json").stdout)
    book = read_ledger(tmp_path / "budget")
    (entry,) = book.entries
    assert said["spent"]["bits"] == str(book.spent.bits) == "1/2"
    assert [(one["id"], one["title"], one["digest"]) for one in said["entries"]] == [
        (entry.receipt.release_id, entry.release.title, entry.receipt.digest)
    ]


@pytest.mark.parametrize("name", ["seen.csv", "seen.parquet"])
def test_what_a_key_opened_is_for_the_holder_of_the_key(sfumato, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    published(tmp_path)
    for word, opened in (("command", True), ("library", False)):
        (tmp_path / word).mkdir()
        if opened:
            made = sfumato(*f"open reports.parquet --key keys/ministry.place.key --out {word}/{name}".split())
            assert made.returncode == 0
        else:
            sf.open_reports("reports.parquet", "keys/ministry.place.key").write(f"{word}/{name}")
        assert {path.name: path.stat().st_mode & 0o077 for path in (tmp_path / word).iterdir()} == dict.fromkeys(
            [path.name for path in (tmp_path / word).iterdir()], 0
        )
    assert (tmp_path / "reports.parquet").stat().st_mode & 0o044, "the public reports are for everybody"


def test_a_passphrase_is_changed_from_a_script(sfumato, tmp_path, monkeypatch):
    """By the command and by the library: the new one opens, the old one does not, and nobody else may read it."""
    monkeypatch.chdir(tmp_path)
    locked(tmp_path)
    for protect in (lambda: sfumato(*PROTECT.split()), lambda: protect_key_file(KEY, protection=NEW, unlock=SECRET)):
        (tmp_path / "copy").write_bytes((tmp_path / KEY).read_bytes())
        protect()
        seen = sf.open_reports("reports.parquet", KEY, unlock=NEW)
        same = sf.open_reports("reports.parquet", "copy", unlock=SECRET)
        assert seen.note.columns == same.note.columns
        assert seen.to_arrow().equals(same.to_arrow())
        with pytest.raises(KeyRefused, match="does not open"):
            sf.open_reports("reports.parquet", KEY, unlock=SECRET)
        assert (tmp_path / KEY).stat().st_mode & 0o177 == 0
        (tmp_path / KEY).write_bytes((tmp_path / "copy").read_bytes())


def test_answers_that_come_back_are_for_their_owner_alone(sfumato, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    published(tmp_path)
    assert sfumato(*f"{RECOVER} keys/registrar.place.key".split()).returncode == 0
    recover_with("keys/registrar.place.key", out="too.csv")()
    assert (tmp_path / "back.csv").read_bytes() == (tmp_path / "too.csv").read_bytes()
    assert [(tmp_path / name).stat().st_mode & 0o077 for name in ("back.csv", "too.csv")] == [0, 0]
