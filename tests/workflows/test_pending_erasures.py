"""Nobody is erased while something waits to be finished: it would bring them back."""

import errno
import os

import pytest

from living_publications import Living, living_answers, living_study
from sfumato.errors import InvalidParameter
from sfumato.files.disk import write_atomically
from sfumato.keys import Unprotected
from sfumato.publications import registry as record_files
from sfumato.publications.place import Destination
from sfumato.publications.reports import Reports
from sfumato.study import YesNo, write_study
from sfumato.workflows.erasing import erase
from sfumato.workflows.publishing import publish


class Stopped(Exception):
    """As if the machine had stopped."""


def test_an_interrupted_amendment_does_not_bring_back_who_is_erased(tmp_path, monkeypatch):
    living = Living(tmp_path / "office", living_study(questions=(YesNo(id="moved", text="Did you?"),)))
    table = living_answers(50)
    living.publish(table)
    other = {"yes": "no", "no": "yes"}[table.column("moved")[7].as_py()]
    correction = {"row": [7], "moved": [other]}

    def stop(*_):
        raise Stopped

    with monkeypatch.context() as broken:
        broken.setattr(Destination, "put", stop)
        with pytest.raises(Stopped):
            living.amend(correction)
    with pytest.raises(InvalidParameter, match="interrupted on its way"):
        living.erase(7)
    assert living.amend(correction).resumed
    living.erase(7)
    left = Reports.read(living.reports)
    assert left.note.rows == 49
    assert all(7 not in chunk.numbers for chunk in left.chunks(["moved"]))


@pytest.mark.parametrize("name", ["reports", "reports.parquet", "reports.csv"])
def test_what_is_in_place_and_not_settled_is_settled_before_anybody_is_erased(tmp_path, monkeypatch, name):
    """The disk of the record is full when all is in place: the same command ends it, and only then somebody goes."""
    write_study(living_study(), tmp_path / "study.toml")
    out, keys, table = tmp_path / name, tmp_path / "keys", living_answers(50)

    def run():
        return publish(tmp_path / "study.toml", table, out=out, keys=keys, protection=Unprotected())

    def full(path, data):
        if path.exists():  # what is intended is written, and that it is in place is not
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write_atomically(path, data)

    with monkeypatch.context() as broken:
        broken.setattr(record_files, "write_atomically", full)
        with pytest.raises(OSError, match="No space left"):
            run()
    before = Reports.read(out)
    assert before.table.num_rows == 50, "all of it is in place"
    with pytest.raises(InvalidParameter, match="interrupted on its way"):
        erase(out, rows=[(None, 7)], keys=keys, unlock=Unprotected())
    assert Reports.read(out).note == before.note, "nobody was erased"
    made = run()
    assert made.resumed
    assert made.reports.note.parts == before.note.parts, "nothing was drawn again"
    assert erase(out, rows=[(None, 7)], keys=keys, unlock=Unprotected()).people == 1
    left = Reports.read(out)
    assert sorted(number for chunk in left.chunks([]) for number in chunk.numbers) == [*range(7), *range(8, 50)]
