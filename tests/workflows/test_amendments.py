"""What an amendment shows, whom it hides, and that the last one holds."""

import json
from collections import Counter
from fractions import Fraction
from math import comb

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats

from living_publications import PLACES, Living, living_answers, living_study, other
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.keys import Unprotected
from sfumato.publications import read_registry
from sfumato.publications.amendments import Amendment, with_cover
from sfumato.publications.note import PartNote
from sfumato.publications.reports import read_report_files
from sfumato.sampling import SystemBits
from sfumato.study import OneOfMany, YesNo
from sfumato.workflows.reading import estimate_reports, open_reports

GUARANTEES = ("information-theoretic", "computational")


@pytest.fixture
def living(tmp_path):
    made = Living(tmp_path / "office")
    made.publish(living_answers(400))
    return made


def flipped(rows, table):
    answers = table["moved"].to_pylist()
    return {"row": list(rows), "moved": [other(answers[row]) for row in rows]}


class TestWithoutCover:
    """What anybody learns from public files alone: it is certain, and no ε bounds it."""

    def test_who_was_corrected_and_to_what_is_known_with_certainty(self, living):
        """Of two answers: whoever knows what somebody said before knows what they say now, whatever the reports are."""
        table = living_answers(400)
        corrected = {3, 77, 78, 399}
        living.amend(flipped(sorted(corrected), table))
        # The attacker has the public folder, and knows what person 77 answered in the first place; no key, no index.
        files = [pq.read_table(path) for path in living.part_files()]
        amended = next(one for one in files if one.num_rows < 400)
        seen = {row for row, cell in zip(amended["row"].to_pylist(), amended["moved"].to_pylist(), strict=True) if cell}
        assert seen == corrected
        guessed = {row: other(table["moved"][row].as_py()) for row in seen}
        truth = dict(zip(living.recovered()["row"].to_pylist(), living.recovered()["moved"].to_pylist(), strict=True))
        assert guessed == {row: truth[row] for row in seen}

    def test_of_three_answers_it_is_known_that_the_old_one_is_wrong(self, living):
        table = living_answers(400)
        old = table["place"].to_pylist()
        rows = list(range(0, 400, 40))
        living.amend({"row": rows, "place": [PLACES[(PLACES.index(old[row]) + 1) % 3] for row in rows]})
        truth = living.recovered()["place"].to_pylist()
        seen = read_report_files(living.reports).note.parts[1]
        assert seen.rows == len(rows)
        assert all(truth[row] != old[row] for row in rows)

    def test_cells_that_did_not_change_stay_byte_for_byte(self, living):
        before = {path.name: path.read_bytes() for path in living.part_files()}
        living.amend(flipped([5, 6], living_answers(400)))
        assert {name: (living.reports / name).read_bytes() for name in before} == before
        amended = next(path for path in living.part_files() if path.name not in before)
        table = pq.read_table(amended)
        assert table["row"].to_pylist() == [5, 6]
        assert "place" not in table.column_names, "a question that is not amended is not drawn again"
        assert table["region"].to_pylist() == ["hill", "coast"]

    def test_cells_of_an_amended_row_that_are_not_amended_are_empty(self, living):
        table = living_answers(400)
        old = table["place"][9].as_py()
        new = PLACES[(PLACES.index(old) + 1) % 3]
        living.amend({"row": [8, 9], "moved": [other(table["moved"][8].as_py()), None], "place": [None, new]})
        amended = pq.read_table(next(path for path in living.part_files() if pq.read_metadata(path).num_rows == 2))
        assert [cell is None for cell in amended["moved"].to_pylist()] == [False, True]
        assert [cell is None for cell in amended["place"].to_pylist()] == [True, False]
        found = living.recovered()
        expected = table["moved"].to_pylist()
        expected[8] = other(expected[8])
        assert found["moved"].to_pylist() == expected
        assert found["place"][9].as_py() == new


def covered_once(source):
    """Amend rows 0, 1 and 2 of twelve with three people as cover; return who is amended, and in what."""
    answers = {
        "moved": {row: "yes" if row % 2 else "no" for row in range(12)},
        "place": {row: PLACES[row % 3] for row in range(12)},
    }
    part = PartNote(id="0" * 32, rows=12, roots={}, salts=b"")
    cells = {"moved": {0: "yes", 1: "no"}, "place": {1: "east", 2: "north"}}
    amendment = with_cover(Amendment(part=part, cells=cells, corrected=3), answers, 3, source)
    return amendment, answers


def uniform(counts, expected):
    """The p-value of a chi-square test."""
    return stats.chisquare(counts, expected).pvalue


class TestCover:
    def test_who_covers_is_chosen_with_equal_chances(self):
        """Every set of three of the nine others is equally probable; a false alarm is rarer than 1e-9."""
        runs = 8400
        seen = Counter()
        for _ in range(runs):
            amendment, _ = covered_once(SystemBits())
            seen[tuple(sorted(set(amendment.numbers.tolist()) - {0, 1, 2}))] += 1
        assert len(seen) == comb(9, 3)
        counts = [*seen.values()]
        assert uniform(counts, [runs / 84] * 84) > 1e-9
        # The test can fail: one person who is chosen two fifths less often is noticed.
        skewed = [count - round(0.4 * count) * (3 in who) for who, count in seen.items()]
        assert uniform(skewed, [sum(skewed) / 84] * 84) < 1e-9

    def test_they_are_amended_in_the_same_questions_and_keep_their_answers(self):
        amendment, answers = covered_once(SystemBits())
        patterns = Counter(
            tuple(name for name, column in amendment.cells.items() if row in column) for row in amendment.numbers
        )
        assert patterns == {("moved",): 2, ("moved", "place"): 2, ("place",): 2}
        for name, column in amendment.cells.items():
            assert all(answers[name][row] == cell for row, cell in column.items() if row > 2)

    def test_each_pattern_is_as_often_cover_whatever_is_left_over(self):
        """With fewer people as cover than patterns, which pattern is covered is left to chance: none is given away."""
        answers = {name: dict.fromkeys(range(40), "yes") for name in ("a", "b")}
        part = PartNote(id="0" * 32, rows=40, roots={}, salts=b"")
        cells = {"a": {0: "no"}, "b": {1: "no"}}
        runs, covered = 2000, 0
        for _ in range(runs):
            amendment = with_cover(Amendment(part=part, cells=cells, corrected=2), answers, 1, SystemBits())
            covered += len(amendment.cells["a"]) == 2
        assert stats.binomtest(covered, runs, 0.5).pvalue > 1e-9
        assert stats.binomtest(runs, runs, 0.5).pvalue < 1e-9

    def test_an_amended_row_was_corrected_with_the_chance_that_is_said(self, tmp_path):
        """Corrected over corrected and cover: right to within chance, and one person more is noticed (below 1e-6)."""
        # With so many runs a true 2/5 is told from 1/4 but for one time in 1e15.
        corrected, cover, runs = 2, 3, 1500
        answers = {"moved": dict.fromkeys(range(30), "no")}
        part = PartNote(id="0" * 32, rows=30, roots={}, salts=b"")
        draw = np.random.default_rng(7)
        hits = total = 0
        for _ in range(runs):
            # Whoever was corrected is anybody; the attacker picks the first amended row and says that it was.
            who = set(draw.choice(30, corrected, replace=False).tolist())
            cells = {"moved": dict.fromkeys(who, "yes")}
            made = with_cover(Amendment(part=part, cells=cells, corrected=corrected), answers, cover, SystemBits())
            assert made.numbers.size == corrected + cover
            hits += sum(row in who for row in made.numbers[:1].tolist())
            total += 1
        said = corrected / (corrected + cover)
        assert stats.binomtest(hits, total, said).pvalue > 1e-6
        assert stats.binomtest(hits, total, 1.0).pvalue < 1e-6
        assert stats.binomtest(hits, total, corrected / (corrected + 2 * cover)).pvalue < 1e-6

    @pytest.mark.parametrize("guarantee", GUARANTEES)
    def test_nothing_in_the_public_files_tells_cover_from_correction(self, tmp_path, guarantee):
        """Byte for byte: the table has amended cells for both alike; both open to the true answers of now."""
        living = Living(tmp_path / "office", guarantee=guarantee)
        table = living_answers(400)
        living.publish(table)
        made = living.amend(flipped([10, 20], table), cover=6)
        assert (made.covered, made.rows, made.cells) == (6, 8, 8)
        amended = pq.read_table(next(path for path in living.part_files() if pq.read_metadata(path).num_rows == 8))
        assert amended["moved"].null_count == 0
        assert set(amended["row"].to_pylist()) > {10, 20}
        expected = table["moved"].to_pylist()
        for row in (10, 20):
            expected[row] = other(expected[row])
        assert living.recovered()["moved"].to_pylist() == expected
        # The note of the amendment speaks of rows, digests and salts, as that of any other; the record of rows.
        noted = json.loads(next(living.reports.glob(f"{living.read().note.parts[1].id[:8]}*.about.json")).read_text())
        assert set(noted["parts"][0]) - {"series"} == {"id", "rows", "roots", "salts", "blocks", "amends", "turn"}
        assert "covered" not in (living.folder / "releases.json").read_text()

    def test_more_than_there_are_is_refused_and_so_is_cover_without_keys(self, living):
        table = living_answers(400)
        with pytest.raises(InvalidParameter, match="more people than the 398"):
            living.amend(flipped([10, 20], table), cover=399)
        (living.keys / "registrar.moved.key").rename(living.folder / "elsewhere.key")
        with pytest.raises(InvalidParameter):
            living.amend(flipped([10, 20], table), cover=2)


class TestWhatIsPaid:
    def test_the_worst_total_that_is_said_is_the_sum_over_the_record(self, living):
        """One ε for the first report, one more for every amendment of the same people; others pay once."""
        table = living_answers(400)
        epsilon = living.study.handlers[0].epsilons[-1]
        both = sum(way.epsilons[-1] for way in living.study.handlers)
        said = living.amend(flipped([10, 20], table)).sums
        recorded = read_registry(living.file).sums
        assert [one.as_json for one in said] == [one.as_json for one in recorded]
        assert said[0].epsilon == pytest.approx(both + epsilon, rel=1e-12)
        assert Fraction(said[0].epsilon) >= sum(map(Fraction, (both, epsilon))) - Fraction(1, 10**12)
        again = living.amend({"row": [10], "moved": [table["moved"][10].as_py()]}).sums
        assert [one.as_json for one in again] == [one.as_json for one in read_registry(living.file).sums]
        assert again[0].epsilon == pytest.approx(both + 2 * epsilon, rel=1e-12)
        living.publish(living_answers(50, "q"), append=True)
        assert read_registry(living.file).sums[0].epsilon == again[0].epsilon, "new people pay for themselves"


class TestAmendmentsOfAmendments:
    @pytest.mark.parametrize("guarantee", GUARANTEES)
    def test_the_last_one_holds_in_every_verb_and_however_files_are_named(self, tmp_path, guarantee):
        """By folder, by glob, and file by file in any order: amendments have turns, and names of files have not."""
        living = Living(tmp_path / "office", guarantee=guarantee)
        table = living_answers(600)
        living.publish(table)
        truth = table["place"].to_pylist()
        for turn in range(1, 5):
            rows = list(range(0, 600, 2 * turn))
            for row in rows:
                truth[row] = PLACES[(PLACES.index(truth[row]) + 1) % 3]
            living.amend({"row": rows, "place": [truth[row] for row in rows]})
        assert living.recovered()["place"].to_pylist() == truth
        public = estimate_reports(living.reports, questions=["place"])
        opened = open_reports(living.reports, living.keys, unlock=Unprotected())
        seen = estimate_reports(opened, questions=["place"])
        files = living.part_files()
        for named in (str(living.reports / "*.parquet"), files, files[::-1], [*files[2:], *files[:2]]):
            found = read_report_files(named)
            assert living.recovered(found)["place"].to_pylist() == truth
            assert estimate_reports(found, questions=["place"])[0].raw == public[0].raw
            again = open_reports(found, living.keys, unlock=Unprotected())
            assert estimate_reports(again, questions=["place"])[0].raw == seen[0].raw

    def test_a_missing_amendment_is_missed(self, living):
        table = living_answers(400)
        living.amend(flipped([10, 20], table))
        living.amend(flipped([30], table))
        living.amend(flipped([40], table))
        by_turn = {read_report_files(path).note.parts[0].turn: path for path in living.part_files()}
        with pytest.raises(InvalidParameter, match="lack an amendment"):
            read_report_files([by_turn[0], by_turn[1], by_turn[3]])
        with pytest.raises(InvalidParameter, match="not among them"):
            read_report_files([by_turn[1], by_turn[2]])

    def test_the_estimate_counts_everybody_once(self, living):
        """The superseded report is left out, the new one is in: as if the reports of now had been all there is."""
        table = living_answers(400)
        living.amend(flipped(range(0, 400, 4), table))
        living.amend(flipped(range(0, 400, 8), living.recovered()))
        opened = open_reports(living.reports, living.keys, unlock=Unprotected())
        assert [estimate.total for estimate in estimate_reports(opened)] == [400, 400]
        public = estimate_reports(living.reports, questions=["moved"])[0]
        last = {}
        note = living.read().note
        for part in sorted(note.parts, key=lambda one: one.turn):
            file = pq.read_table(living.reports / f"{part.id[:8]}.parquet")
            last.update(zip(file["row"].to_pylist(), file["moved"].to_pylist(), strict=True))
        odds = float(note.handler("moved").ladder.levels[-1].odds)
        told = sum(cell == "yes" for cell in last.values()) / 400
        assert public.raw[1] == pytest.approx((told * (odds + 1) - 1) / (odds - 1), abs=1e-9)


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_a_ladder_that_is_read_by_position(tmp_path, guarantee):
    """Binary Hadamard with few random bits: which answers a report speaks for depends on its row, and rows stay.

    The intervals have confidence 1 - 1e-9 and there are 28 of them.
    """
    many = OneOfMany(id="home", text="Which?", answers=tuple(f"h{i}" for i in range(7)), random_bits=Fraction(2))
    living = Living(tmp_path / "office", living_study(questions=(many,), recover=False), guarantee)
    rows = 9000  # three blocks
    draw = np.random.default_rng(5)
    truth = np.array([f"h{i}" for i in draw.choice(7, rows, p=(0.4, 0.2, 0.15, 0.1, 0.1, 0.05, 0.0))])
    region = np.array(["hill", "coast"])[draw.integers(0, 2, rows)]
    living.publish(pa.table({"home": truth, "region": region}))
    assert living.read().note.handler("home").by_position
    here = np.ones(rows, dtype=bool)

    def holds():
        opened = open_reports(living.reports, living.keys, unlock=Unprotected())
        assert opened.table["row"].to_pylist() == np.flatnonzero(here).tolist()
        for reports in (living.read(), opened):
            (estimate,) = estimate_reports(reports, confidence=1 - 1e-9)
            assert estimate.total == here.sum()
            for label, interval in zip(estimate.labels, estimate.intervals, strict=True):
                assert interval.lower <= np.mean(truth[here] == label) <= interval.upper
        return estimate

    before = holds()
    for first in (4, 5):
        corrected = np.arange(first, rows, 3)
        truth[corrected] = "h6"
        living.amend({"row": corrected.tolist(), "home": truth[corrected].tolist()})
    after = holds()
    assert after.intervals[6].lower > before.intervals[6].upper, "two thirds were corrected, and that is seen"
    gone = [0, 4, 5, 4095, 4096, 4100, 8999]
    living.erase(*gone)
    here[gone] = False
    holds()


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_groups_by_a_kept_column_are_right_after_all_of_it(tmp_path, guarantee):
    """Estimates of a group are those of its members of now; 12 intervals of confidence 1 - 1e-9 a reading."""
    living = Living(tmp_path / "office", guarantee=guarantee)
    table = living_answers(6000)
    living.publish(table, id_column="person")
    moved, region = np.array(table["moved"].to_pylist()), np.array(table["region"].to_pylist())
    coast = np.flatnonzero((region == "coast") & (moved == "no"))
    moved[coast] = "yes"
    living.amend({"person": [f"p{row:05d}" for row in coast], "moved": moved[coast]}, id_column="person")
    here = np.ones(6000, dtype=bool)
    gone = [*coast[:5].tolist(), 1, 3]
    living.erase(ids=[f"p{row:05d}" for row in gone])
    here[gone] = False
    opened = open_reports(living.reports, living.keys, unlock=Unprotected())
    for reports in (living.read(), opened):
        found = {one.group: one for one in estimate_reports(reports, group="region", confidence=1 - 1e-9)
                 if one.question.id == "moved"}  # fmt: skip
        for group, estimate in found.items():
            mine = here if group is None else here & (region == group)
            assert estimate.total == mine.sum()
            interval = estimate.intervals[1]
            assert interval.lower <= np.mean(moved[mine] == "yes") <= interval.upper
        assert found["coast"].intervals[1].lower > found["hill"].intervals[1].upper


def test_who_was_erased_is_not_amended_nor_covers(living):
    living.erase(7)
    with pytest.raises(InvalidParameter, match="was erased"):
        living.amend({"row": [7], "moved": ["yes"]})
    made = living.amend(flipped([8], living_answers(400)), cover=398)
    assert made.rows == 399
    amended = living.read().amended[living.read().note.parts[0].id][0]
    assert 7 not in amended.table["row"].to_pylist()


def test_an_amendment_of_what_another_process_changed_is_refused_before_anything_is_drawn(living, monkeypatch):
    """The table of corrections was held against answers that are not those of now."""
    from sfumato.workflows import amending

    before = amending.series_keys

    def slowly(place):
        monkeypatch.setattr(amending, "series_keys", before)
        living.amend(flipped([1], living_answers(400)))
        return before(place)

    monkeypatch.setattr(amending, "series_keys", slowly)
    with pytest.raises(InvalidParameter, match="meanwhile"):
        living.amend(flipped([1, 2], living_answers(400)))
    assert len(living.read().note.parts) == 2
    assert len(read_registry(living.file).releases) == 2


def test_of_a_question_with_keys_alone_is_known_what_is_right_already(living):
    table = living_answers(400)
    made = living.amend({"row": [1, 2], "moved": [table["moved"][1].as_py(), other(table["moved"][2].as_py())]})
    assert (made.unchanged, made.rows) == (1, 1)
    with pytest.raises(InvalidParameter, match="corrects nothing"):
        living.amend({"row": [1], "moved": [table["moved"][1].as_py()]})


def test_an_amended_column_has_one_answer_a_cell(tmp_path):
    """A question with two answers and one with three, amended in different rows by one table and by several."""
    living = Living(tmp_path / "office", living_study(questions=(YesNo(id="moved", text="Did you?"),)))
    table = living_answers(50)
    living.publish(table)
    with pytest.raises(UnreadableFile, match="row 2 names somebody whom an earlier row names"):
        living.amend({"row": [1, 1], "moved": ["yes", "no"]})
    with pytest.raises(InvalidParameter, match="none of the rows 0 to 49"):
        living.amend({"row": [50], "moved": ["yes"]})
