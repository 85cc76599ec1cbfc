"""Two releases about the same people: what two attacks did, and that they are refused; and how releases add up."""

import itertools
import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import sfumato as sf
from drawn_parts import drawn_part
from sfumato.errors import DigestMismatch, InvalidParameter, KeyReused, ReleasedBefore, UnreadableFile
from sfumato.files.tables import as_arrow
from sfumato.keys import Unprotected
from sfumato.ladders import keys as reuse
from sfumato.ledger import Ledger, Published, PublishedColumn, Role
from sfumato.output.accounts import adding_words, releases_document, releases_table
from sfumato.output.report import study_report_html
from sfumato.publications import registry as remembering
from sfumato.publications.coded_reports import codebook
from sfumato.publications.registry import Remembered, StudyRecord, held_record, read_record_file, read_registry
from sfumato.publications.reports import Reports
from sfumato.study import YesNo
from sfumato.study.readers import sums_over
from sfumato.workflows.key_files import rotate_key_file
from sfumato.workflows.releasing import _drawn
from small_studies import answers, small_study

ROWS = 200
PARTS = itertools.count()


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
            made = sf.publish(public_only(), people(), insecure_seed=1_000_000 + seed)
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

    def publish(self, study, table, name, out=None):
        folder = study.parent
        place = {"out": folder / f"{out or name}.csv", "keys": folder / name, "unlock": Unprotected()}
        return sf.publish(study, table, epoch=1, **place)

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

    @pytest.mark.parametrize("ledger", [None, "budget"])
    def test_the_copy_may_make_the_same_reports_again_in_their_place(self, tmp_path, ledger):
        """Elsewhere their salts are not known, and nobody could tell them from others."""
        book = Ledger.create(tmp_path / "budget", epsilon=100)
        study = self.two_folders(tmp_path, ledger=ledger)
        self.publish(study, people(), "one")
        reports, note = ((tmp_path / name).read_bytes() for name in ("one.csv", "one.csv.about.json"))
        for table in (people(), self.changed()):
            with pytest.raises(KeyReused, match="difference"):
                self.publish(study, table, "two")
        assert not (tmp_path / "two.csv").exists()
        with pytest.raises(KeyReused, match="difference"):
            self.publish(study, self.changed(), "two", out="one")
        for name in ("two", "one"):
            self.publish(study, people(), name, out="one")
            assert (tmp_path / "one.csv").read_bytes() == reports
            assert (tmp_path / "one.csv.about.json").read_bytes() == note
        assert len(book.entries()) == (2 if ledger else 0)


class TestWhatIsRemembered:
    def test_before_it_is_handed_out(self, study):
        made = sf.publish(study, people())
        (one,) = read_record_file(study.parent / "releases.json")
        assert one.released is not None
        (column,) = one.published.columns
        assert column.digest == made.reports.note.parts[0].roots["moved"]
        assert one.published.part == made.reports.note.parts[0].id == column.drawing
        assert one.published.file == "study.toml"
        with pytest.raises(ReleasedBefore):
            sf.publish(study, people())

    def test_is_written_later_for_nothing(self, study, tmp_path):
        """What was handed out in memory is one release with what is written of it."""
        made = sf.publish(study, people())
        before = (tmp_path / "releases.json").read_bytes()
        sf.workflows.write_publication(made, tmp_path / "reports.csv")
        assert (tmp_path / "releases.json").read_bytes() == before
        assert Reports.read(tmp_path / "reports.csv").note.publication == made.reports.note.publication

    def test_nowhere(self, tmp_path):
        """An object, or what was drawn by hand, has no folder; nothing is drawn before that is said."""
        with pytest.raises(InvalidParameter, match="registry must say where releases are remembered"):
            sf.publish(public_only(), Path("never-read.csv"))
        with pytest.raises(InvalidParameter, match="registry must say where"):
            sf.publish(public_only(), Path("never-read.csv"), out=tmp_path / "r.csv")
        with pytest.raises(InvalidParameter, match="registry must say where"):
            sf.workflows.write_publication(drawn_part(public_only(), as_arrow(people())), tmp_path / "r.csv")
        assert list(tmp_path.iterdir()) == []

    def test_in_a_record_of_its_own(self, tmp_path):
        sf.publish(public_only(), people(), registry=tmp_path / "mine.json")
        with pytest.raises(ReleasedBefore):
            sf.publish(public_only(), people(), registry=tmp_path / "mine.json")

    def test_in_a_ledger_alone(self, tmp_path):
        book = Ledger.create(tmp_path / "budget", epsilon=1)
        sf.publish(public_only(), people(), ledger=tmp_path / "budget", out=tmp_path / "r.csv")
        with pytest.raises(ReleasedBefore):
            sf.publish(public_only(), people(), ledger=tmp_path / "budget", out=tmp_path / "s.csv")
        sf.publish(public_only(), people(), ledger=tmp_path / "budget", out=tmp_path / "s.csv", again="two")
        assert book.left.epsilon == 0
        assert [one.published.again for one in (entry.release for entry in book.entries())] == [None, "two"]

    def test_where_the_folder_may_not_be_written(self, study, tmp_path, monkeypatch):
        """Root may write everywhere, so the trial itself is made to fail."""
        monkeypatch.setattr(remembering, "_may_write", lambda folder: folder != tmp_path)
        (tmp_path / "elsewhere").mkdir()
        with pytest.raises(InvalidParameter, match=r"registry must say where.*nothing was drawn"):
            sf.publish(study, Path("never-read.csv"), out=tmp_path / "elsewhere" / "r.csv")
        sf.publish(study, people(), out=tmp_path / "r.csv", registry=tmp_path / "elsewhere" / "registry.json")
        assert not (tmp_path / "releases.json").exists()

    def test_beside_the_file_and_not_beside_a_link_to_it(self, study, tmp_path):
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "link.toml").symlink_to(study)
        sf.publish(study, people())
        with pytest.raises(ReleasedBefore):
            sf.publish(tmp_path / "other" / "link.toml", people())

    def test_simulations_are_not(self, study, tmp_path):
        for _ in range(2):
            sf.publish(study, people(), out=tmp_path / "r.csv", insecure_seed=99)
        assert not (tmp_path / "releases.json").exists()

    def test_true_keys_make_a_release_whatever_the_seed(self, tmp_path):
        """A seed does not excuse reports that are made under true keys."""
        study = tmp_path / "study.toml"
        sf.write_study(keyed(), study)
        given = {"protection": Unprotected(), "guarantee": "computational"}
        sf.publish(study, people(), out=tmp_path / "first.csv", keys=tmp_path / "keys", **given)
        for path in (tmp_path / "keys").iterdir():
            rotate_key_file(path, tmp_path / "one" / path.name, protection=Unprotected())
        shutil.copytree(tmp_path / "one", tmp_path / "two")
        again = {"epoch": 1, "insecure_seed": 5, "unlock": Unprotected()}
        sf.publish(study, people(), out=tmp_path / "one.csv", keys=tmp_path / "one", **again)
        reuse._MADE.clear()
        with pytest.raises(KeyReused):
            sf.publish(
                study, {"moved": people()["moved"][::-1]}, out=tmp_path / "two.csv", keys=tmp_path / "two", **again
            )

    def test_reports_under_keys_of_a_seed_say_so(self, tmp_path):
        """Keys that anyone can repeat make a simulation, whoever publishes under them."""
        study = tmp_path / "study.toml"
        sf.write_study(keyed(), study)
        place = {"out": tmp_path / "r.csv", "keys": tmp_path / "keys"}
        sf.publish(study, people(), protection=Unprotected(), insecure_seed=31, **place)
        made = sf.publish(study, people(), unlock=Unprotected(), **place)
        assert made.simulated
        assert made.reports.note.insecure
        assert "a simulation, not a release" in made.reports.note.source
        assert not (tmp_path / "releases.json").exists()


class TestWhoThePeopleAre:
    def mark(self, **changes):
        column = PublishedColumn(question="moved", drawing="a" * 32, digest="b" * 64)
        given = {
            "study": "Homes", "fingerprint": "c" * 64, "epoch": 0, "rows": 5, "columns": (column,),
            "seen": (("public", "0.5"),), "file": "/s/study.toml", "part": f"{next(PARTS):032x}",
            **changes,
        }  # fmt: skip
        return Published(**given)

    @pytest.mark.parametrize(
        ("changes", "same"),
        [
            ({}, True),
            ({"study": "Houses"}, True),
            ({"file": "/s/copy.toml"}, True),
            ({"file": None}, True),
            ({"fingerprint": "d" * 64}, True),
            ({"rows": 6}, True),
            ({"study": "Houses", "file": "/s/copy.toml"}, False),
            ({"study": "Houses", "file": None}, False),
            ({"epoch": 1}, False),
            ({"people": "South"}, False),
            ({"columns": (PublishedColumn(question="debt", drawing="e" * 32, digest="f" * 64),)}, False),
        ],
    )
    def test_by_the_study_or_its_file_the_question_and_the_epoch(self, changes, same):
        fresh = (PublishedColumn(question="moved", drawing="e" * 32, digest="f" * 64),)
        later = self.mark(**{"columns": fresh, **changes})
        assert later.asks_again(self.mark()) == same
        if same:
            with pytest.raises(ReleasedBefore):
                later.check_once([self.mark()])
            replace(later, again="two").check_once([self.mark()])
            with pytest.raises(ReleasedBefore, match="was made already"):
                replace(later, again="two").check_once([self.mark(), self.mark(again="two")])
        else:
            later.check_once([self.mark()])

    def test_who_says_nothing_means_everybody(self):
        """People without a name are counted with all that have one; people with a name only with their own."""
        south, north, all_of_them = self.mark(people="South"), self.mark(people="North"), self.mark()
        assert all_of_them.is_about(south)
        assert not south.is_about(all_of_them)
        assert not south.is_about(north)
        assert south.is_about(self.mark(people="South"))

    def test_the_same_reports_by_chance_are_another_release(self):
        """Two draws about one person agree half of the time; that they do is told all the same."""
        other = replace(self.mark(), columns=(PublishedColumn(question="moved", drawing="e" * 32, digest="b" * 64),))
        assert other.id != self.mark().id

    def test_the_same_draws_are_the_same_release(self, tmp_path):
        study = small_study(questions=small_study().questions[:3])
        first = drawn_part(study, answers())
        again = drawn_part(study, answers(), keys=first.keys, before=first)
        made = [_drawn(self.mark(), one.reports.note).id for one in (first, again)]
        assert made[0] == made[1]
        # A card is played afresh: never the same release.
        cards = [_drawn(self.mark(), drawn_part(small_study(), answers()).reports.note).id for _ in "ab"]
        assert cards[0] != cards[1]


class TestWhatReadersSee:
    def test_releases_add_up(self, study, tmp_path):
        for name in (None, "spring", "summer"):
            sf.publish(study, people(), out=tmp_path / f"{name}.csv", again=name)
        note = Reports.read(tmp_path / "summer.csv").note
        assert note.again == "summer"
        assert [one.name for one in note.earlier] == [None, "spring"]
        (public,) = note.sums
        assert public.epsilon == 1.5
        said = "This is release 3 about the same people, called “summer”, and releases add up."
        assert said in codebook(note)
        assert "public: ε = 1.5." in codebook(note)
        assert not Reports.read(tmp_path / "None.csv").note.earlier
        page = study_report_html(sf.plan(study), [Reports.read(tmp_path / "summer.csv")])
        assert "This is release 3 about the same people" in page
        assert "release 3" in Reports.read(tmp_path / "summer.csv")._repr_html_()
        found = read_registry(study)
        assert [total.epsilon for number in range(3) for total in found.sums_at(number)] == [0.5, 1, 1.5]

    def test_other_people_are_not_added(self, study, tmp_path):
        sf.publish(study, people(), out=tmp_path / "all.csv")
        sf.publish(study, people(), out=tmp_path / "south.csv", people="South")
        assert not Reports.read(tmp_path / "south.csv").note.earlier
        with pytest.raises(ReleasedBefore):
            sf.publish(study, people(), out=tmp_path / "again.csv", people="South")
        (total,) = read_registry(study).sums
        assert total.epsilon == 1, "somebody could be in both"

    def test_who_has_no_key_to_a_release_sees_what_the_public_sees(self):
        first = (("public", "0.5"), ("press", "1.0"), ("registrar", "answers"))
        second = (("public", "0.25"), ("ministry", "3.0"))
        assert {one.holder: one.epsilon for one in sums_over([first, second])} == {
            "public": 0.75, "press": 1.25, "ministry": 3.5, "all analysts together": 4, "registrar": None,
        }  # fmt: skip

    def test_a_sum_is_never_rounded_down(self):
        """For half of these the double next to the sum lies below it."""
        for count in range(2, 40):
            (total,) = sums_over([(("public", "0.1"),)] * count)
            assert Fraction(total.epsilon) >= count * Fraction(0.1)
            assert total.epsilon <= count * 0.1 * (1 + 1e-12)


class TestPartsOfAPublication:
    """A first part, one appended, two amendments of the appended one, and a publication about a named group."""

    @pytest.fixture
    def found(self):
        def part(number, public, **changes):
            column = PublishedColumn(question="moved", drawing=f"{number:032x}", digest=f"{number:064x}")
            return Published(
                study="Homes", fingerprint="c" * 64, epoch=0, rows=5, columns=(column,), part=f"{number:032x}",
                seen=(("public", public), ("press", "2.0")), **changes,
            )  # fmt: skip

        first, appended = f"{1:032x}", f"{2:032x}"
        amended = {"role": Role.AMEND, "of": first, "amends": appended}
        parts = [
            part(1, "1.0"), part(2, "0.5", role=Role.APPEND, of=first), part(3, "0.25", **amended),
            part(4, "0.375", **amended), part(5, "0.125", people="South"),
        ]  # fmt: skip
        for number, one in enumerate(parts):
            one.check_once(parts[:number])
        releases = tuple(Remembered(published=one, time="2026-01-01T00:00:00Z", released=True) for one in parts)
        return StudyRecord(study=public_only(), registry=None, ledger=None, releases=releases)

    def test_the_worst_person_is_in_one_part_and_in_its_amendments(self, found):
        assert {one.holder: one.epsilon for one in found.sums} == {"public": 1.125 + 0.125, "press": 8}
        assert [found.sums_at(number)[0].epsilon for number in range(5)] == [1, 0.5, 0.75, 1.125, 0.125]

    def test_and_that_is_shown(self, found):
        said = adding_words(found)
        assert said.startswith("Of one person, 5 releases show at most: public: ε = 1.25; press: ε = 8.")
        assert said.endswith("That parts of a publication have nobody in common was declared, and is not checked here.")
        documents = releases_document(found)["releases"]
        assert [one["role"] for one in documents] == ["first", "append", "amend", "amend", "first"]
        assert documents[3]["amends"] == documents[1]["part"]
        screen = Console(width=220)
        with screen.capture() as captured:
            screen.print(releases_table(found))
        assert "00000000 amends 00000000" in captured.get()


class TestTheFile:
    @pytest.fixture
    def registry(self, study):
        sf.publish(study, people())
        return study.parent / "releases.json"

    def test_says_no_more_than_it_should(self, registry):
        document = json.loads(registry.read_text())
        assert set(document) == {"schema", "releases", "seal"}
        (one,) = document["releases"]
        assert set(one) == {
            "study", "fingerprint", "epoch", "rows", "columns", "seen", "file", "part", "role", "time", "released",
        }  # fmt: skip

    def test_any_change_is_found(self, registry):
        text = registry.read_text()
        for i in range(0, len(text), 7):
            changed = text[:i] + ("x" if text[i] != "x" else "y") + text[i + 1 :]
            registry.write_text(changed)
            with pytest.raises((DigestMismatch, UnreadableFile)):
                read_record_file(registry)
        for less in (text[:-1], text[: len(text) // 2], ""):
            registry.write_text(less)
            with pytest.raises((DigestMismatch, UnreadableFile)):
                read_record_file(registry)

    @pytest.mark.parametrize("text", ["[]", "7", "{}", "[" * 5000, '{"schema": "sfumato/record/9"}', "\x00"])
    def test_whatever_it_is_there_is_a_sentence(self, tmp_path, text):
        (tmp_path / "registry.json").write_text(text)
        with pytest.raises(UnreadableFile):
            read_record_file(tmp_path / "registry.json")

    def test_what_is_released_is_never_forgotten(self, registry):
        (one,) = read_record_file(registry)
        with held_record(registry) as held:
            held.void(one.published)
            assert held.releases == (one,)
        assert read_record_file(registry) == (one,)


def test_of_several_at_once_one_is_released(study, tmp_path):
    """All of them find nothing published, draw, and come to the registry; it lets one pass."""

    def publish(number):
        try:
            sf.publish(study, people(), out=tmp_path / f"{number}.csv")
        except ReleasedBefore:
            return 0
        return 1

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(publish, range(6))) == 1
    assert len(list(tmp_path.glob("*.csv"))) == 1
    assert not [path for path in tmp_path.iterdir() if path.name.endswith((".staged", ".tmp"))]
    (one,) = read_record_file(tmp_path / "releases.json")
    assert one.released is not None
