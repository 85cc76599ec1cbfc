"""What touches money, keys or files is the same through the command and through the library.

Each case is run twice, from equal folders: once as a command, once as a call. Both must end alike: the same class of
refusal with the same exit code, the same sentence in the words of the command, the same files made and none changed,
the same debits in the ledger. A new case is a few lines in one of the tables in `twice/`.
"""

import json
from dataclasses import replace

import pytest

from cli.twice.asking import ASKING
from cli.twice.budgeting import BUDGETING, paid_once
from cli.twice.cases import PRIVATE, debits_in, through_the_command, through_the_library
from cli.twice.disclosing import DISCLOSING
from cli.twice.forging import FORGING
from cli.twice.keeping import KEEPING
from cli.twice.noising import NOISING
from cli.twice.publishing import PUBLISH, PUBLISHING, people, publish, published
from cli.twice.reading import READING, RECOVER, recover_with
from sfumato.study.steps import read_ledger

CASES = [*PUBLISHING, *READING, *KEEPING, *FORGING, *DISCLOSING, *ASKING, *NOISING, *BUDGETING]


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
    assert library.changes == ()
    assert library.makes == tuple(sorted(case.makes))
    assert tuple(release.kind for release, _ in library.debits) == case.debits
    if error is not None:
        assert case.words in str(error)
        assert PRIVATE not in str(error)


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


def test_answers_that_come_back_are_for_their_owner_alone(sfumato, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    published(tmp_path)
    assert sfumato(*f"{RECOVER} keys/registrar.place.key".split()).returncode == 0
    recover_with("keys/registrar.place.key", out="too.csv")()
    assert (tmp_path / "back.csv").read_bytes() == (tmp_path / "too.csv").read_bytes()
    assert [(tmp_path / name).stat().st_mode & 0o077 for name in ("back.csv", "too.csv")] == [0, 0]
