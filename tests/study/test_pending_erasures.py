"""Nobody is erased while something waits to be finished: it would bring them back."""

import pytest

from living_publications import Living, living_answers, living_study
from sfumato.errors import InvalidParameter
from sfumato.study import YesNo
from sfumato.study.reports import Reports
from sfumato.study.steps.staging import Destination


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
