"""Plans, estimates and pages of every way of asking: nothing is asked about its kind, and nothing it says is lost."""

import io
import json
import re
from fractions import Fraction
from html import escape

import pyarrow as pa
import pytest
from rich.console import Console

from drawn_parts import drawn_part
from kind_samples import SAMPLES, seeded
from sfumato.display.plots import plan_svg
from sfumato.inference.quantities import range_words, value_words
from sfumato.output import shares_svg
from sfumato.output.estimates import estimates_document, estimates_markdown, estimates_tables
from sfumato.output.plans import study_plan_document, study_plan_markdown, study_plan_tables
from sfumato.output.report import study_report_html
from sfumato.publications.estimating import estimate_collected
from sfumato.study import Card, FreeText, OneOfMany, Study, YesNo
from sfumato.study.planning import plan_study

each = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)


def printed(parts, width=200):
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    for part in parts:
        console.print(part)
    return " ".join(console.file.getvalue().split())


def published(sample):
    return drawn_part(sample.study, sample.table.slice(0, 2000), bits=seeded(sample, 900)).reports


@each
def test_a_plan_says_the_same_everywhere(sample):
    plan = plan_study(sample.study)
    (planned,) = plan.questions
    seen = printed(study_plan_tables(plan))
    page = study_plan_markdown(plan)
    document = study_plan_document(plan)
    assert json.loads(json.dumps(document)) == document
    (entry,) = document["questions"]
    assert (entry["id"], entry["kind"], entry["because"]) == ("q", sample.question.kind, planned.because)
    assert set(planned.document) <= set(entry)
    for said in (planned.because, *planned.words, *planned.instructions, *(one.sentence for one in planned.protection)):
        assert " ".join(said.split()) in seen
        assert said.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;") in page
    for table in planned.tables:
        for row in table.rows:
            assert f"| {' | '.join(row)} |" in page
            assert all(cell in seen for cell in row)
    assert sum(line.startswith("|") for line in page.splitlines()) > len(planned.tables)


@each
def test_what_can_be_drawn_of_a_plan_is(sample):
    (planned,) = plan_study(sample.study).questions
    if planned.curve is None and planned.costs is None:
        return
    assert plan_svg([planned], population=None, title="T").rstrip().endswith("</svg>")


@each
def test_estimates_say_the_same_everywhere(sample):
    reports = published(sample)
    found = estimate_collected(reports)
    seen, page = printed(estimates_tables(found)), estimates_markdown(found)
    document = estimates_document(found, reports.note)
    assert json.loads(json.dumps(document)) == document
    assert document["insecure"] is True
    (one,) = found
    (entry,) = document["estimates"]
    assert [answer["answer"] for answer in entry["answers"]] == list(one.labels)
    assert [answer["share"] for answer in entry["answers"]] == list(one.shares)
    shown = one.shares[1:] if len(one.labels) == 2 else one.shares
    for share in shown:
        assert f"{100 * share:.1f} %" in seen
        assert f"{100 * share:.1f} %" in page
    for number in one.quantities:
        assert f"│ {number.name} │ {value_words(number)} │ {range_words(number)} │" in seen
        assert f"| {number.name} | {value_words(number)} | {range_words(number)} |" in page
    assert shares_svg(found).rstrip().endswith("</svg>")
    assert len(found.to_rows()) == len(one.labels) + len(one.quantities)
    assert sample.question.text in found._repr_html_()
    assert "q" in reports._repr_html_()


@each
def test_the_page_says_what_was_asked_and_what_is_not_promised(sample):
    page = study_report_html(plan_study(sample.study), [published(sample)])
    way = sample.handler
    for said in (way.describe(), *way.limits()):
        assert escape(said, quote=False) in page


HOSTILE = "[/b] [red]x[/red] <i>&amp; | \\"
ASKED = {"id": "q", "text": HOSTILE}
QUESTIONS = [
    YesNo(**ASKED, answers=("[/no]", "[bold]yes"), epsilon=Fraction(2)),
    Card(**ASKED, answers=("[/no]", "[bold]yes"), guess_error=Fraction(3, 8)),
    OneOfMany(**ASKED, answers=("[/a]", "[b]", "<c>"), epsilon=Fraction(2)),
    FreeText(**ASKED, longest=4, epsilon=Fraction(5)),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: type(question).__name__)
def test_brackets_are_text_and_no_markup(question):
    """Rich reads [red] as a colour and stumbles over [/b], unless it is told that this is text."""
    study = Study(name=HOSTILE, questions=(question,))
    plan = plan_study(study)
    cells = [(question.labels or ("[/b]", "[b]"))[i % 2] for i in range(2000)]
    found = estimate_collected(drawn_part(study, pa.table({"q": cells})).reports)
    words = printed([*study_plan_tables(plan), *estimates_tables(found)])
    assert words.count(HOSTILE.replace("  ", " ")) >= 3
    for label in found[0].labels[1:]:
        assert label in words
    for page in (study_plan_markdown(plan), estimates_markdown(found)):
        assert not re.search(r"(?<!\\)\| \\$", page)
        assert "<i>" not in page
