"""What people find in a file of reports: answers by their labels in their order, numbers that say what they are, and
nothing that quietly means the opposite."""

import json
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from drawn_parts import drawn_part
from sfumato import measures
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.output.report import study_report_html
from sfumato.publications.estimating import estimate_collected
from sfumato.publications.opening import open_table
from sfumato.publications.reports import Reports
from sfumato.sampling import InsecureSeeded
from sfumato.study import Card, Count, FreeText, OneOfMany, Recoverable, Study, YesNo
from sfumato.study.planning import plan_study
from small_studies import answers, keys_at, small_study

ROWS = 4000
TWO = {
    "ladder": YesNo(id="q", text="Q?", epsilon=Fraction(1)),
    "ladder, other words": YesNo(id="q", text="Q?", answers=("zebra", "ant"), epsilon=Fraction(1)),
    "card": Card(id="q", text="Q?", guess_error=Fraction(3, 8), max_epsilon=Fraction(1)),
    "card, other words": Card(id="q", text="Q?", answers=("zebra", "ant"), guess_error=Fraction(1, 4)),
    "told": Recoverable(
        id="q", text="Q?", answers=("zebra", "cat", "ant"), tell=("no", "no", "yes"), rho=Fraction(3, 4)
    ),
    "one of two": OneOfMany(id="q", text="Q?", answers=("zebra", "ant"), epsilon=Fraction(1)),
    "count": Count(id="q", text="Q?", lowest=5, highest=6, epsilon=Fraction(1)),
}


def held(question):
    """Who holds the last answer, and their answers."""
    yes = np.random.default_rng(3).random(ROWS) < 0.4
    known = getattr(question, "answers", None) or question.labels
    return yes, pa.table({"q": [known[-1] if one else known[0] for one in yes]})


def codes_of(frame):
    """The column as a statistician takes it: the codes of a category, or the numbers."""
    column = frame["q"]
    return column.cat.codes.to_numpy() if hasattr(column, "cat") else column.to_numpy()


class TestCodes:
    @pytest.mark.parametrize("name", TWO)
    @pytest.mark.parametrize("suffix", ["memory", "parquet"])
    def test_a_larger_code_is_a_later_answer(self, tmp_path, name, suffix):
        """A regression on the codes has the sign of the truth: seven standard errors from none."""
        question = TWO[name]
        yes, table = held(question)
        reports = drawn_part(Study(name="s", questions=(question,)), table).reports
        if suffix == "parquet":
            reports.write(tmp_path / "r.parquet")
            reports = Reports.read(tmp_path / "r.parquet")
        codes = codes_of(reports.to_pandas())
        # Of three reports of a card the first is neither; only the others speak of the answer.
        spoken = codes > 0 if len(reports.note.handler("q").report_labels) == 3 else codes >= 0
        assert np.corrcoef(codes[spoken], yes[spoken])[0, 1] > 7 / np.sqrt(spoken.sum())

    def test_the_other_order_would_be_noticed(self):
        question = TWO["ladder"]
        yes, table = held(question)
        codes = codes_of(drawn_part(Study(name="s", questions=(question,)), table).reports.to_pandas())
        assert np.corrcoef(1 - codes, yes)[0, 1] < -7 / np.sqrt(ROWS)

    @pytest.mark.parametrize("name", ["ladder", "ladder, other words", "one of two"])
    def test_code_1_is_the_second_answer(self, name):
        question = TWO[name]
        reports = drawn_part(Study(name="s", questions=(question,)), held(question)[1]).reports
        frame = reports.to_pandas()
        assert list(frame["q"].cat.categories) == list(question.labels)
        said = (frame["q"] == question.labels[1]).to_numpy()
        assert np.array_equal(said, frame["q"].cat.codes.to_numpy() == 1)
        assert np.array_equal(said, reports.column("q") == 1)
        assert reports.to_polars()["q"].cast(str).to_list() == frame["q"].tolist()


@pytest.fixture(scope="module")
def published():
    return drawn_part(small_study(), answers(), keep=["region"])


class TestColumns:
    @pytest.mark.parametrize("rows", [1, 600])
    def test_labels_keep_their_order_in_parquet(self, tmp_path, rows):
        """Also those that nobody reported."""
        made = drawn_part(small_study(), answers().slice(0, rows))
        made.reports.write(tmp_path / "r.parquet")
        read = Reports.read(tmp_path / "r.parquet")
        for name in ("moved", "place", "debt"):
            column = read.table[name]
            assert pa.types.is_dictionary(column.type)
            labels = made.reports.note.handler(name).report_labels
            assert tuple(column.chunk(0).dictionary.to_pylist()) == labels
            assert tuple(read.to_pandas()[name].cat.categories) == labels
        assert np.array_equal(read.column("place"), made.reports.column("place"))

    def test_opened_columns_keep_it_too(self, tmp_path, published):
        opened = open_table(published.reports, keys_at(published, 1))
        opened.write(tmp_path / "opened.parquet")
        read = Reports.read(tmp_path / "opened.parquet")
        assert tuple(read.table["moved"].chunk(0).dictionary.to_pylist()) == ("no", "yes")
        assert np.array_equal(read.column("moved"), opened.column("moved"))

    def test_counts_hold_values_of_the_scale(self, tmp_path, published):
        for suffix in ("csv", "parquet"):
            published.reports.write(tmp_path / f"r.{suffix}")
            read = Reports.read(tmp_path / f"r.{suffix}")
            assert {int(value) for value in read.table["rooms"].to_pylist()} == {0, 2, 4, 6}
        assert pa.types.is_integer(published.reports.to_arrow()["rooms"].type)
        numbers = published.reports.to_pandas()["rooms"].to_numpy()
        assert np.array_equal(numbers, 2 * published.reports.column("rooms"))

    def test_every_column_says_in_its_metadata_what_it_is(self, tmp_path, published):
        published.reports.write(tmp_path / "r.parquet")
        for table in (Reports.read(tmp_path / "r.parquet").to_arrow(), published.reports.to_arrow()):
            for name in published.reports.note.columns:
                said = json.loads(table.schema.field(name).metadata[b"sfumato"])
                way = published.reports.note.handler(name)
                assert said["question"] == name
                assert said["reports"] == way.report_words
                alone = {"debt": "inf", "rooms_sealed": "0"}
                assert said["level"] == ("its only level" if name in alone else "the public level")
                assert said["epsilon"] == alone.get(name, "0.5")
                wanted = way.report_numbers or way.report_labels
                assert said.get("values") == (None if name == "rooms_sealed" else list(wanted))
            assert table.schema.field("region").metadata is None


SYMBOLS = {
    "a symbol": OneOfMany(id="q", text="Q?", answers=tuple(f"answer {i}" for i in range(12)), epsilon=Fraction(1, 2)),
    "1 or 0": OneOfMany(id="q", text="Q?", answers=("a", "b", "c"), epsilon=Fraction(1), random_bits=Fraction(1)),
    "a symbol of the round": FreeText(id="q", text="Q?", longest=2, epsilon=Fraction(1)),
}


class TestSymbols:
    @pytest.mark.parametrize("words", SYMBOLS)
    def test_columns_of_symbols_say_so(self, tmp_path, words):
        """In the file there are numbers; the codebook beside it says that they are no answers."""
        question = SYMBOLS[words]
        cells = [(question.labels or ("ab", "cd"))[i % 2] for i in range(500)]
        made = drawn_part(Study(name="s", questions=(question,)), pa.table({"q": cells}))
        made.reports.write(tmp_path / "r.parquet")
        stored = pq.read_table(tmp_path / "r.parquet")
        assert pa.types.is_integer(stored["q"].type)
        said = json.loads(Reports.read(tmp_path / "r.parquet").to_arrow().schema.field("q").metadata[b"sfumato"])
        assert said["reports"].startswith(words)
        assert "not an answer" in said["reports"]
        assert "values" not in said
        assert said["count"] == made.reports.note.handler("q").report_count
        book = (tmp_path / "r.parquet.codebook.md").read_text()
        assert f"- a report is {said['reports']}" in book
        assert f"- values: whole numbers from 0 to {said['count'] - 1}" in book

    def test_the_codebook_names_labels_in_order_and_kept_columns(self, tmp_path):
        made = drawn_part(small_study(), answers(), keep=["region"])
        for suffix in ("csv", "parquet"):
            made.reports.write(tmp_path / f"r.{suffix}")
            book = (tmp_path / f"r.{suffix}.codebook.md").read_text()
            assert book.startswith("# Homes: how to read the reports\n")
            assert "600 in all" in book
            assert "- values, in order (code 0, 1, …): “no”, “yes”\n" in book
            assert "- values, in order (code 0, 1, …): 0, 2, 4, 6\n" in book
            assert "- ε: inf nats" in book
            assert "## region\n\n- a column that was kept as it is, in public" in book


class TestChannels:
    def test_the_channel_is_that_of_the_level_at_hand(self):
        made = drawn_part(small_study(), answers())
        public, sharp = made.reports, open_table(made.reports, keys_at(made, 1))
        assert public.channel("moved").inputs == public.channel("moved").outputs == ("no", "yes")
        assert public.channel("rooms").outputs == ("0", "2", "4", "6")
        for reports, epsilon in ((public, 0.5), (sharp, 3.0)):
            for name in ("moved", "place", "rooms"):
                assert epsilon - 1e-6 < measures.epsilon(reports.channel(name)) <= epsilon
        assert public.channel("debt") == sharp.channel("debt") == small_study().question("debt").design().channel

    def test_shares_follow_from_it(self):
        """Solving for the shares by hand gives what the estimate says."""
        reports = drawn_part(small_study(), answers()).reports
        seen = np.bincount(reports.column("place"), minlength=5) / len(reports)
        (found,) = estimate_collected(reports, questions=["place"])
        assert found.raw == pytest.approx(np.linalg.solve(reports.channel("place").array.T, seen))

    def test_strangers_are_refused(self):
        reports = drawn_part(small_study(), answers()).reports
        with pytest.raises(InvalidParameter, match="question='age' is not among these reports"):
            reports.channel("age")


class TestOnePage:
    """Files of different publications are not shown side by side as if they were one."""

    STUDY = small_study(questions=small_study().questions[:3])

    def page(self, *files):
        return study_report_html(plan_study(self.STUDY), files)

    def test_views_of_one_publication_go_together(self, tmp_path):
        made = drawn_part(self.STUDY, answers(), keep=["region"])
        opened = open_table(made.reports, keys_at(made, 1))
        made.reports.write(tmp_path / "public.csv")
        opened.write(tmp_path / "opened.parquet")
        files = [Reports.read(tmp_path / "public.csv"), Reports.read(tmp_path / "opened.parquet")]
        assert files[0].note.publication == files[1].note.publication == made.reports.note.publication
        assert "ministry" in self.page(*files)

    def test_other_draws_are_refused(self):
        first, second = (drawn_part(self.STUDY, answers()) for _ in range(2))
        with pytest.raises(InvalidParameter, match="different publications: other draws, or other people"):
            self.page(first.reports, second.reports)
        with pytest.raises(InvalidParameter, match="different publications"):
            self.page(first.reports, open_table(second.reports, keys_at(second, 1)))

    def test_other_people_are_refused(self):
        here, there = (drawn_part(self.STUDY, answers().slice(start, 300)) for start in (0, 300))
        with pytest.raises(InvalidParameter, match="different publications"):
            self.page(here.reports, there.reports)

    def test_the_mark_is_the_id_of_the_part(self):
        """So nobody has to invent one, and the same reports made again bear the same."""
        first = drawn_part(self.STUDY, answers())
        held = {name: {0: keys[0]} for name, keys in first.keys.items()}
        again = drawn_part(self.STUDY, answers(), keys=held, before=first)
        (part,) = first.reports.note.parts
        assert again.reports.note.publication == first.reports.note.publication == part.id
        assert {key.drawing for keys in first.keys.values() for key in keys.values()} == {part.id}

    def test_typed_in_reports_of_other_people_are_refused(self, tmp_path):
        study = Study(name="Late", questions=(TWO["card"],))
        files = []
        for place, rows in (("north", ["either", "no", "yes"]), ("south", ["either", "either", "no", "yes"])):
            path = tmp_path / f"{place}.csv"
            path.write_text("report\n" + "\n".join(rows) + "\n")
            files.append(sf.read_reports(path, study))
        assert "private reports" in study_report_html(plan_study(study), files[:1])
        assert "private reports" in study_report_html(plan_study(study), [files[0], files[0]])
        with pytest.raises(InvalidParameter, match="different publications"):
            study_report_html(plan_study(study), files)


class TestTypedIn:
    STUDY = Study(name="Late", questions=(TWO["card"],))
    CELLS = {"report": ["either", "no", "yes"], "count": [5, 3, 2]}  # noqa: RUF012  nobody changes it

    @pytest.fixture(params=["csv", "parquet"])
    def path(self, request, tmp_path):
        found = tmp_path / f"typed.{request.param}"
        if request.param == "parquet":
            pq.write_table(pa.table(self.CELLS), found)
        else:
            rows = zip(*self.CELLS.values(), strict=True)
            found.write_text("report,count\n" + "".join(f"{report},{n}\n" for report, n in rows))
        return found

    def test_a_column_of_counts_is_used_only_when_it_is_named(self, path):
        plain = sf.read_reports(path, self.STUDY)
        assert (len(plain), plain.counts["q"].counts, plain.unused_count) == (3, (1, 1, 1), True)
        named = sf.read_reports(path, self.STUDY, count="count")
        assert (len(named), named.counts["q"].counts, named.unused_count) == (10, (5, 3, 2), False)
        assert [found.total for found in sf.estimate_reports(path, self.STUDY)] == [3]
        (found,) = sf.estimate_reports(path, self.STUDY, count="count")
        assert found.total == 10
        assert found == estimate_collected(named)[0]

    def test_it_may_be_called_anything_and_be_the_reports_too(self, tmp_path):
        path = tmp_path / "typed.csv"
        path.write_text("count,times\nyes,4\nno,1\n")
        found = sf.read_reports(path, self.STUDY, column="count", count="times")
        assert found.counts["q"].counts == (0, 1, 4)
        assert not found.unused_count
        with pytest.raises(UnreadableFile, match="count='n' is not a column of this file"):
            sf.read_reports(path, self.STUDY, column="count", count="n")

    def test_they_are_what_a_simulation_of_them_would_be(self, tmp_path):
        """Typed in or published, the same reports give the same shares."""
        yes, table = held(TWO["card"])
        made = drawn_part(self.STUDY, table, bits=InsecureSeeded(9))
        path = tmp_path / "typed.csv"
        path.write_text("report\n" + "".join(f"{cell}\n" for cell in made.reports.table["q"].to_pylist()))
        (typed,) = sf.estimate_reports(path, self.STUDY)
        (published,) = sf.estimate_reports(made.reports)
        assert typed == published
        assert abs(typed.raw[1] - yes.mean()) < 5 * typed.standard_errors[1]
        assert sf.read_reports(path, self.STUDY).channel("q") == made.reports.channel("q")
