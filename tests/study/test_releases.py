"""Two releases about the same people: what two attacks did, and that they are refused; and how releases add up."""

import shutil
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.account import Ledger
from sfumato.errors import KeyReused, ReleasedBefore
from sfumato.refine import Unprotected
from sfumato.study import YesNo
from sfumato.study.steps import rotate_key_file
from small_studies import small_study

ROWS = 200


def people(rows=ROWS):
    return {"moved": ["yes" if i % 3 == 0 else "no" for i in range(rows)]}


def public_only(**changes):
    given = {
        "questions": (YesNo(id="moved", text="Did you move?"),), "analysts": (), "recover": False,
        "public_epsilon": Fraction(1, 2), **changes,
    }  # fmt: skip
    return small_study(**given)


def keyed(**changes):
    return small_study(questions=(YesNo(id="moved", text="Did you move?"),), **changes)


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.toml"
    sf.write_study(public_only(), path)
    return path


class TestTheAttackByRepetition:
    """Sixty publications at ε = 1/2 with fresh noise: the majority of sixty reports is the answer."""

    def test_works_on_simulations(self, tmp_path):
        """The control: what sixty draws would tell."""
        votes = np.zeros(ROWS, dtype=int)
        for seed in range(60):
            made = sf.publish(public_only(), people(), insecure_seed=seed)
            votes += np.array(made.reports.table["moved"].to_pylist()) == "yes"
        truth = np.array(people()["moved"]) == "yes"
        assert ((votes > 30) == truth).mean() > 0.9

    @pytest.mark.parametrize("same", [True, False])
    def test_is_refused_from_the_second_on(self, study, tmp_path, same):
        def out(number):
            return tmp_path / ("reports.csv" if same else f"reports{number}.csv")

        sf.publish(study, people(), out=out(0))
        first = out(0).read_bytes()
        for number in range(1, 60):
            with pytest.raises(ReleasedBefore, match="again"):
                sf.publish(study, people(), out=out(number))
        assert out(0).read_bytes() == first
        assert len(list(tmp_path.glob("*.csv"))) == 1


class TestTheAttackByCopiedKeys:
    """A rotated folder is copied before its first use; each copy publishes another table under the same draws."""

    def two_folders(self, tmp_path, **changes):
        study = tmp_path / "study.toml"
        sf.write_study(keyed(**changes), study)
        given = {"protection": Unprotected(), "guarantee": "computational"}
        sf.publish(study, people(), out=tmp_path / "first.csv", keys=tmp_path / "keys", **given)
        for path in (tmp_path / "keys").iterdir():
            rotate_key_file(path, tmp_path / "one" / path.name, protection=Unprotected())
        shutil.copytree(tmp_path / "one", tmp_path / "two")
        return study

    def changed(self):
        table = people()
        table["moved"][7] = "yes"
        return table

    def publish(self, study, table, name):
        folder = study.parent
        return sf.publish(study, table, out=folder / f"{name}.csv", keys=folder / name, epoch=1)

    @pytest.mark.parametrize("ledger", [None, "budget"])
    def test_is_refused(self, tmp_path, ledger):
        book = Ledger.create(tmp_path / "budget", epsilon=100)
        study = self.two_folders(tmp_path, ledger=ledger)
        self.publish(study, people(), "one")
        with pytest.raises(KeyReused, match="difference"):
            self.publish_elsewhere(study, "two")
        assert not (tmp_path / "two.csv").exists()
        assert len(book.entries()) == (2 if ledger else 0)

    def publish_elsewhere(self, study, name):
        """In a process that does not remember the drawing itself."""
        from sfumato.refine import reuse

        reuse._MADE.clear()
        self.publish(study, self.changed(), name)

    def test_is_refused_by_the_ledger_when_the_record_is_gone(self, tmp_path):
        book = Ledger.create(tmp_path / "budget", epsilon=100)
        study = self.two_folders(tmp_path, ledger="budget")
        self.publish(study, people(), "one")
        (tmp_path / "releases.json").unlink()
        with pytest.raises(KeyReused, match="difference"):
            self.publish_elsewhere(study, "two")
        assert not (tmp_path / "two.csv").exists()
        assert len(book.entries()) == 2

    def test_the_copy_may_make_the_same_reports_again(self, tmp_path):
        book = Ledger.create(tmp_path / "budget", epsilon=100)
        study = self.two_folders(tmp_path, ledger="budget")
        self.publish(study, people(), "one")
        self.publish(study, people(), "two")
        assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
        assert len(book.entries()) == 2
