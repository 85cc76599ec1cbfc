"""Numbers beside the shares, and the picture that suits each kind: in tables, files, pages, notebooks and plots."""

import io
import json
import re
from dataclasses import replace
from html import unescape

import pytest
from rich.cells import cell_len
from rich.console import Console

from estimate_samples import ESTIMATES, MEAN, MEDIAN, NOTHING, SCALE, made, material_with
from page_samples import sample_files
from sfumato.certificates.pages import checked_page
from sfumato.display.charts import scale_colours
from sfumato.display.tables import FittedTable
from sfumato.display.text import interval_words
from sfumato.inference.quantities import Picture, Quantity, Unit, all_lines, quantity_cells, quantity_line, shown_places
from sfumato.numbers import Interval
from sfumato.output import shares_svg
from sfumato.output.estimates import estimates_document, estimates_markdown, estimates_tables, filled_bar, step_bar
from sfumato.output.report_estimates import estimates_section
from sfumato.publications.estimating import Estimates

each = pytest.mark.parametrize("name", ESTIMATES)
WIDTHS = (40, 60, 80, 120)


def printed(parts, width):
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    for part in parts:
        console.print(part)
    return console.file.getvalue()


def plain(text):
    return " ".join(re.sub(r"[│┃┏┓━┳┡╇┩├┼┤└┴┘─┌┐┬]", " ", text).split())


class TestWords:
    @pytest.mark.parametrize(
        ("value", "low", "high", "shown"),
        [
            (8.02, 7.7, 8.4, ("8.02", "7.70 – 8.40")),
            (1962.04, 1961.66, 1962.44, ("1962.04", "1961.66 – 1962.44")),
            (3.14159, 3.131, 3.152, ("3.142", "3.131 – 3.152")),
            (48_211.4, 47_000.2, 49_999.9, ("48,211", "47,000 – 50,000")),
            (-0.04, -0.3, 0.2, ("-0.04", "-0.30 – 0.20")),
            (-0.001, -0.3, 0.2, ("0.00", "-0.30 – 0.20")),
            (5.0, 5.0, 5.0, ("5.0000", "5.0000 – 5.0000")),
        ],
    )
    def test_as_many_digits_as_the_interval_is_worth(self, value, low, high, shown):
        one = Quantity(name="mean", value=value, interval=Interval(low, high))
        assert quantity_cells(one) == shown

    def test_ends_of_shares_are_rounded_outwards(self):
        assert interval_words(Interval(0.1239, 0.5671)) == "12.3 – 56.8 %"
        assert (
            interval_words(Interval(0.1 + 0.2 - 1e-16, 0.1 + 0.2)) == "30.0 – 30.0 %"
        )  # 0.1 + 0.2 is 0.3, but for a bit

    def test_ends_are_rounded_outwards(self):
        one = Quantity(name="mean", value=2.0, interval=Interval(1.2349, 2.7651))
        assert quantity_cells(one)[1] == "1.2 – 2.8"

    def test_shares_answers_and_nothing(self):
        share = Quantity(name="up to 3", value=0.254, interval=Interval(0.2001, 0.3), unit=Unit.SHARE)
        assert quantity_cells(share) == ("25.4 %", "20.0 – 30.0 %")
        assert quantity_cells(MEDIAN) == ("agree", "neither agree nor disagree – agree")
        assert quantity_cells(replace(MEDIAN, interval=Interval(3.0, 3.0))) == ("agree", "agree")
        assert quantity_cells(NOTHING) == ("not estimable: hardly anybody answers", "0 – 50")
        assert quantity_cells(replace(NOTHING, words=""))[0] == "not estimable"
        assert quantity_line(MEAN, 0.95) == "mean 8.02, 95 % 7.70 – 8.40"


class TestTerminal:
    @each
    @pytest.mark.parametrize("width", WIDTHS)
    def test_nothing_is_cut_at_any_width(self, name, width):
        """Every number is whole, on one line where it is a number, and no line is longer than the terminal."""
        found = ESTIMATES[name]
        text = printed(estimates_tables([found]), width)
        assert max(map(cell_len, text.splitlines())) <= width
        assert "…" not in text
        lines, _ = all_lines(found)
        for line in lines:
            if line.quantity is None or line.quantity.unit is not Unit.ANSWER:
                assert line.reach in text
            if line.quantity is None or line.quantity.value is not None:
                assert line.value in text
        if width >= 80:
            assert ("answer" if found.labels else "number") in text.splitlines()[2]

    def test_a_narrow_terminal_gets_a_few_lines_for_each_row(self):
        table = FittedTable(header=("reader", *"abcdefgh"), rows=[("public", *(f"{i}.123" for i in range(8)))])
        assert printed([table], 40).splitlines()[:3] == ["public", "  a: 0.123".ljust(40), "  b: 1.123".ljust(40)]
        assert "┃ reader" in printed([table], 100)

    @pytest.mark.parametrize(("width", "bars"), [(120, True), (40, False)])
    def test_pictures_go_first(self, width, bars):
        assert ("█" in printed(estimates_tables([ESTIMATES["options"]]), width)) is bars

    def test_means_come_first_where_answers_are_numbers(self):
        text = plain(printed(estimates_tables([ESTIMATES["two numbers"]]), 80))
        assert text.index("mean 14.8") < text.index("0 70.3 %") < text.index("50 29.7 %")
        text = plain(printed(estimates_tables([ESTIMATES["scale"]]), 80))
        assert text.index("strongly agree 20.0 %") < text.index("mean score 3.35")

    def test_the_mean_is_marked_at_its_number(self):
        (line,) = [line for line in printed(estimates_tables([ESTIMATES["numbers"]]), 100).splitlines() if "◂" in line]
        assert "1955" in line

    def test_steps_lie_end_to_end(self):
        assert step_bar(0.0, 0.3, 10) == "███·······"
        assert step_bar(0.3, 1.0, 10) == "···███████"
        assert step_bar(1.0, 1.0, 10) == "·········▏"
        assert filled_bar(0.5, Interval(0.4, 0.7), 10) == "█████──   "

    def test_words_about_a_number_are_notes(self):
        found = made(Picture.NUMBERS, ["0", "1"], [0.5, 0.5], replace(MEAN, words="of rounded values"))
        assert "mean: of rounded values" in printed(estimates_tables([found]), 80)
        assert "> mean: of rounded values" in estimates_markdown([found])


class TestOtherPlaces:
    @each
    def test_markdown_notebooks_and_programs_have_every_number(self, name):
        found = ESTIMATES[name]
        lines, _ = all_lines(found)
        page = estimates_markdown([found])
        book = unescape(re.sub(r"</?td>", " ", Estimates((found,))._repr_html_()))
        for line in lines:
            assert f"| {line.name} | {line.value} | {line.reach} |" in page
            assert f" {line.name}  {line.value}  {line.reach} " in book
        document = estimates_document([found], sample_files()[0].note)
        (entry,) = json.loads(json.dumps(document))["estimates"]
        assert [one["quantity"] for one in entry["quantities"]] == [one.name for one in found.quantities]
        assert [one["value"] for one in entry["quantities"]] == [one.value for one in found.quantities]
        assert entry["picture"] == found.picture.value

    def test_rows_of_a_table(self):
        rows = Estimates((ESTIMATES["scale"], replace(ESTIMATES["no mean"], group="north"))).to_rows()
        assert {tuple(row) for row in rows} == {tuple(rows[0])}
        assert [row["quantity"] for row in rows] == [
            *["share"] * 5, *(one.name for one in ESTIMATES["scale"].quantities), *["share"] * 3, NOTHING.name,
        ]  # fmt: skip
        median = rows[10]
        assert (median["answer"], median["value"], median["lower"], median["upper"]) == ("agree", 3.0, 2.0, 3.0)
        last = rows[-1]
        assert (last["group"], last["answer"], last["value"], last["words"]) == ("north", None, None, NOTHING.words)
        table = Estimates((ESTIMATES["scale"], ESTIMATES["no mean"])).to_arrow()
        assert table.num_rows == len(rows)
        assert table.column("value").null_count == 1

    @each
    def test_plots(self, name):
        drawn = shares_svg([ESTIMATES[name]], title="T")
        assert drawn.rstrip().endswith("</svg>")
        assert shares_svg([ESTIMATES[name]], title="T") == drawn
        for one in ESTIMATES[name].quantities:
            assert f"{one.name}: {quantity_cells(one)[0]}" in unescape(drawn)

    def test_many_numbers_keep_their_order(self):
        many = made(Picture.NUMBERS, [str(i) for i in range(60)], [1 / 60] * 60, MEAN)
        places = shown_places(many)
        assert len(places) == 30
        assert places == sorted(places)
        assert "█" in printed(estimates_tables([many]), 80)


class TestPage:
    @each
    def test_numbers_of_every_reader_and_group(self, name):
        found = ESTIMATES[name]
        page = re.split("<h3[^>]*>", checked_page("T", estimates_section(material_with(found))))[1]
        text = " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())
        for one in found.quantities:
            value, reach = quantity_cells(one)
            assert text.count(f"{one.name} {value} {reach} {value} {reach} {value} {reach}") == 4  # all, three groups
        for group in ("north (300)", "south (300)", "east & west (300)"):
            assert group in text

    @each
    def test_pictures_have_words_for_those_who_do_not_see_them(self, name):
        page = estimates_section(material_with(ESTIMATES[name])).split("<h3>")[1]
        pictures = re.findall(r'<svg class="chart" role="img"[^>]*aria-labelledby="(\S+) (\S+)">(.*?)</figure>', page)
        groups = 3 if ESTIMATES[name].labels else 1  # means of all groups stand in one
        assert len(pictures) == 1 + groups
        for title, description, inside in pictures:
            assert re.search(
                rf'<title id="{title}">.+?</title><desc id="{description}">.+?95 % interval.+?</desc>', inside
            )
        assert page.count('<div class="multiples">') == (groups == 3)

    @pytest.mark.parametrize(
        ("name", "there"),
        [("scale", 'class="part"'), ("numbers", 'preserveAspectRatio="none"'), ("ranges", 'preserveAspectRatio="none"'),
         ("only a mean", 'class="dot '), ("options", 'class="bar '),
         ("answers", 'class="dot ')],
    )  # fmt: skip
    def test_each_has_the_picture_that_suits_it(self, name, there):
        marks = {'class="part"', 'preserveAspectRatio="none"'}
        page = estimates_section(material_with(ESTIMATES[name])).split("<h3>")[1]
        assert there in page
        for other in marks - {there}:
            assert other not in page

    def test_groups_share_an_axis(self):
        page = estimates_section(material_with(ESTIMATES["answers"])).split("<h3>")[1]
        axes = re.findall(r'text-anchor="end">([\d.]+ %)</text>', page)
        assert len(axes) == 4
        assert len(set(axes[1:])) == 1

    def test_colours_of_a_scale_are_all_different(self):
        for count in range(2, 12):
            assert len(set(scale_colours(count))) == count
        assert scale_colours(5)[0] == "#0072b2"
        assert len(scale_colours(6, aside=True)) == 6

    def test_intervals_of_where_answers_meet(self):
        page = estimates_section(material_with(ESTIMATES["scale"])).split("<h3>")[1]
        assert page.count('class="cut"') == 3 * 4 * (len(SCALE) - 1) * 3
