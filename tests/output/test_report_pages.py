"""A study's page: complete, honest about its limits, safe with hostile text, and alone in the world."""

import dataclasses
import re
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from drawn_parts import drawn_part
from page_samples import ANSWERS, OCCUPATIONS, STUDY, sample_files, sample_plan
from sfumato.display.charts import Series, dot_chart
from sfumato.display.text import interval_words
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.inference.results import contrast_cells, contrast_name
from sfumato.numbers import Interval
from sfumato.output.report import SECTIONS, study_report_html
from sfumato.publications.estimating import estimate_collected
from sfumato.publications.reports import Reports
from sfumato.sampling import InsecureSeeded
from sfumato.study import FreeText, OneOfMany, Study, YesNo
from sfumato.study.planning import plan_study

VOID = {"meta", "br", "img", "line", "circle", "rect", "path"}


class Balanced(HTMLParser):
    """Collects the text, and complains about tags that do not match."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.ids = [], [], []

    def handle_starttag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["script"]:
            self.text.append(data)


def read(page):
    reader = Balanced()
    reader.feed(page)
    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))
    return " ".join(" ".join(reader.text).split())


@pytest.fixture(scope="module")
def page():
    return study_report_html(sample_plan(), sample_files(), group="region")


class TestWhatIsSaid:
    def test_every_section_in_its_order(self, page):
        words = read(page)
        places = [words.rindex(title) for anchor, title, _ in SECTIONS if anchor != "whole"]
        assert places == sorted(places)
        assert words.startswith("Marriage survey")

    def test_questions_answers_and_why(self, page):
        words = read(page)
        for question in STUDY.questions:
            assert question.text in words
        for said in (
            "“student”, “farming”, “white-collar”, “teacher”",
            "A whole number from 0 to 6; each is rounded at random",
            "A short text of at most 1 bytes",
            "Two answers: each report is the answer or its opposite, 3 levels of one report, by flips.",
            "If your true answer is “no”:",
        ):
            assert said in words

    def test_who_sees_what(self, page):
        words = read(page)
        assert "reader affair drugs occupation children town all questions public 0.5 ∞ 0.5 0.5 0.5 ∞" in words
        assert "registrar answer" in words

    def test_numbers_in_the_tables_are_the_estimates(self, page):
        words = read(page)
        for file in sample_files():
            for found in estimate_collected(file, questions=["affair", "drugs", "occupation", "children"]):
                for share, interval in zip(found.shares, found.intervals, strict=True):
                    assert f"{100 * share:.1f} % {interval_words(interval)}" in words

    def test_groups_stand_below_the_whole(self, page):
        words = read(page)
        for found in estimate_collected(sample_files()[0], group="region", questions=["affair"])[1:]:
            assert re.search(rf"{found.group} \({found.total:,}\) no [^()]*? yes {100 * found.shares[1]:.1f} %", words)

    def test_differences_between_groups_are_those_of_the_estimates(self, page):
        words = read(page)
        for question in ("affair", "occupation", "children"):
            public = estimate_collected(sample_files()[0], group="region", questions=[question]).contrasts()
            assert public
            for one in public:
                said = " ".join([f"{one.first} minus {one.second}", contrast_name(one), *contrast_cells(one)])
                assert said in words
        assert words.count("Differences by region") == 4

    def test_texts_are_found_or_said_not_to_be(self):
        question = FreeText(id="town", text="Where?", longest=1, keep=2, epsilon=Fraction(3))
        study = Study(name="Towns", questions=(question,))
        plan = plan_study(study)
        for rows, said in ((len(ANSWERS), "groups cannot be told apart"), (4, "No text is surely frequent")):
            table = ANSWERS.slice(0, rows)
            files = [drawn_part(study, table, bits=InsecureSeeded(2), keep=["region"]).reports]
            assert said in read(study_report_html(plan, files, group="region"))

    def test_groups_that_cannot_be_read_are_said(self):
        question = OneOfMany(
            id="occupation", text="What do you do?", answers=OCCUPATIONS, epsilon=Fraction(1), random_bits=Fraction(1)
        )
        study = Study(name="Thrifty", questions=(question,))
        files = [drawn_part(study, ANSWERS, keep=["region"]).reports]
        assert "groups cannot be told apart" in read(study_report_html(plan_study(study), files, group="region"))

    def test_each_reader_once_and_the_public_first(self, page):
        names = re.findall(r'<ul class="legend">(.*?)</ul>', page)
        readers = [re.sub(r"<[^>]+>", " ", name).split() for name in names]
        assert readers[0] == ["public", "(ε", "=", "0.5)", "university", "(ε", "=", "1)", "ministry", "(ε", "=", "2)"]
        assert readers[1] == ["public", "university", "ministry"]  # by region
        assert readers[2] == ["public", "(ε", "=", "∞)"]

    def test_pictures_have_a_title_a_description_and_a_table(self, page):
        pictures = re.findall(r'<svg class="chart".*?</figure>', page)
        assert len(pictures) >= 5
        for picture in pictures:
            assert re.search(r'aria-labelledby="(\S+) (\S+)"><title id="\1".+</title><desc id="\2".+</desc>', picture)
        assert page.count('class="wide" role="region" tabindex="0" aria-label=') >= len(pictures)

    @pytest.mark.parametrize(
        "limit",
        [
            "Over all questions they add up",
            "A key that is handed on",
            "The registrar's keys give back every answer",
            "The claims are about true draws",
            "Counts are rounded at random",
            "Estimates are of those who answered",
        ],
    )
    def test_limits(self, page, limit):
        assert limit in read(page)

    def test_limits_that_do_not_apply_are_left_out(self):
        study = Study(name="One", questions=(YesNo(id="affair", text="Have you?", epsilon=Fraction(1)),))
        words = read(study_report_html(plan_study(study), [drawn_part(study, ANSWERS).reports]))
        for limit in ("add up: everybody", "handed on", "registrar", "Counts are"):
            assert limit not in words
        assert "another study" in words


class TestLoudness:
    def test_true_draws_raise_no_alarm(self, page):
        assert "INSECURE" not in page
        assert 'class="alarm"' not in page

    def test_a_seed_is_said_at_the_top_and_among_the_limits(self):
        words = read(study_report_html(sample_plan(), sample_files(is_secure=False)))
        assert words.count("INSECURE seed 1") == 3
        assert words.index("INSECURE") < words.index("What was asked")
        assert "none of the promises on this page holds" in words

    def test_truth_is_marked_and_said(self):
        page = study_report_html(sample_plan(), sample_files()[:1], truth=ANSWERS)
        words = read(page)
        assert "not for release" in words
        assert page.count('class="truth"') == 2 + 2 + 4 + 1, "shares, and the mean of the count"
        assert re.search(r"mean [\d.]+ [\d. –]+ 2\.003", words) or re.search(r"mean [\d.]+ [\d. –]+ 2 ", words)
        assert "33.3 %" in words
        with pytest.raises(UnreadableFile, match="no column 'affair'"):
            study_report_html(sample_plan(), sample_files()[:1], truth=ANSWERS.select(["region"]))

    @pytest.mark.parametrize(
        ("column", "values"),
        [("affair", ["maybe"]), ("children", ["many"]), ("affair", []), ("children", ["9" * 5000])],
    )
    def test_truth_that_is_none_is_refused_without_quoting_it(self, column, values):
        import pyarrow as pa

        row = ANSWERS.slice(0, len(values))
        table = row.set_column(row.column_names.index(column), column, pa.array(values, pa.string()))
        with pytest.raises(InvalidParameter, match=f"truth has a column {column} that is empty, or holds what") as no:
            study_report_html(sample_plan(), sample_files()[:1], truth=table)
        assert not any(value in str(no.value) for value in values)

    def test_an_exposing_card_is_marked(self, page):
        assert re.search(r'<li class="warn"[^>]*>[^<]*answer is published', page)


def without_data(page):
    """The page without its JSON."""
    before, script, after = page.partition('<script type="application/json" id="data">')
    assert script
    return before + after.partition("</script>")[2]


class TestSafety:
    def test_it_stands_alone(self, page):
        assert "default-src 'none'" in page
        assert "<script" not in without_data(page)
        assert "http:" not in page.replace('http-equiv="Content', "")
        assert "https:" not in page
        assert not re.search(r'(?:src|href)="(?!data:|#)', page)

    def test_hostile_text_stays_text(self):
        question = OneOfMany(
            id="occupation", text='<script>alert("x")</script> & "more"', answers=("<b>", "'\"><img src=x>", "ok"),
            epsilon=Fraction(1),
        )  # fmt: skip
        study = Study(name="<i>Study</i>", questions=(question,))
        import pyarrow as pa

        table = pa.table({"occupation": ["<b>", "ok"] * 50, "region": ["<u>\u202e", "s"] * 50})
        files = [drawn_part(study, table, keep=["region"]).reports]
        page = study_report_html(plan_study(study), files, group="region")
        words = read(page)
        for tag in ("<script", "<b>", "<img", "<i>", "<u>"):
            assert tag not in without_data(page)
        assert "'\"><img src=x>" in words
        assert "\u202e" not in page

    def test_the_same_input_gives_the_same_page(self, page):
        assert study_report_html(sample_plan(), sample_files(), group="region") == page

    def test_other_studies_epochs_and_nothing_are_refused(self):
        other = dataclasses.replace(STUDY, name="Another")
        with pytest.raises(InvalidParameter, match="different studies"):
            study_report_html(sample_plan(), [*sample_files(), sample_files(study=other)[0]])
        with pytest.raises(InvalidParameter, match="epochs 0 and 1"):
            study_report_html(sample_plan(), [sample_files()[0], sample_files(epoch=1)[0]])
        with pytest.raises(InvalidParameter, match="reports is empty"):
            study_report_html(sample_plan(), [])

    def test_a_changed_column_is_refused(self):
        public = sample_files()[0]
        turned = public.table.take([1, 0, *range(2, 600)])
        for changed in (turned, turned.set_column(0, "row", public.table["row"])):
            with pytest.raises(UnreadableFile, match="not the column"):
                study_report_html(sample_plan(), [Reports.of(changed, public.note)])


class TestSections:
    def test_a_new_section_is_a_line(self):
        added = (*SECTIONS, ("extra", "Budget", lambda material: f"<p>{len(material.files)} files</p>"))
        words = read(study_report_html(sample_plan(), sample_files(), sections=added))
        assert words.rindex("Budget") > words.rindex("Limits of the claim")
        assert "3 files" in words

    def test_what_does_not_apply_is_left_out(self):
        added = (*SECTIONS, ("extra", "Budget", lambda _: ""))
        assert "Budget" not in study_report_html(sample_plan(), sample_files(), sections=added)


class TestCharts:
    def test_dots_and_lines_are_where_the_numbers_are(self):
        series = [Series(name="public", shares=[0.1, 0.4], intervals=[Interval(0.0, 0.2), Interval(0.3, 0.5)])]
        chart = dot_chart("c", "t", "d", ["a", "b"], series)
        places = [float(x) for x in re.findall(r'<svg class="dot s0" x="([\d.]+)%"', chart)]
        assert places == pytest.approx([2 + 96 * 0.1 / 0.6, 2 + 96 * 0.4 / 0.6], abs=1e-3)
        ends = [(float(a), float(b)) for a, b in re.findall(r'class="reach s0" x1="([\d.]+)%" x2="([\d.]+)%"', chart)]
        assert ends == [pytest.approx((2, 34), abs=1e-3), pytest.approx((50, 82), abs=1e-3)]

    def test_the_axis_ends_above_the_highest(self):
        for highest, label in ((0.01, "2 %"), (0.35, "40 %"), (0.95, "100 %")):
            series = [Series(name="public", shares=[0.0], intervals=[Interval(0.0, highest)])]
            assert f">{label}</text>" in dot_chart("c", "t", "d", ["a"], series)
