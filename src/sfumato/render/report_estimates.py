"""The section of a study's page with its numbers: each question as every reader given sees it, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sfumato.render.estimate_lines import first_column, shown_places
from sfumato.render.page_texts import number_mark
from sfumato.render.report_groups import groups_part
from sfumato.render.report_material import ReportMaterial, Seen
from sfumato.render.report_pictures import Named, Sitting, draw_sitting, legend_of
from sfumato.render.report_rows import estimates_frame, estimates_rows, same_labels
from sfumato.render.sheets import scroll_box
from sfumato.study.ways import QuestionPlan, Truth


def estimates_section(material: ReportMaterial) -> str:
    """Each question: a picture, and the same numbers in a table."""
    return "".join(_question(material, planned) for planned in material.plan.questions)


def _question(material: ReportMaterial, planned: QuestionPlan) -> str:
    question = planned.question
    seen = material.seen[question.id]
    head = f"<h3>{escape(question.text)}</h3>"
    if not seen:
        return f"{head}<p>None of the files shows this question.</p>"
    truth = material.truths.get(question.id, Truth())
    sharpest = seen[-1].whole
    if not sharpest.labels and not sharpest.quantities:
        return f"{head}{_notes(seen)}"
    places = shown_places(sharpest)
    sitting = Sitting(readers=[Named(reader=one.reader, found=one.whole) for one in seen], places=places, truth=truth)
    estimates = [one.whole for one in seen]
    rows = estimates_rows(estimates, places, sharpest.labels, truth=truth)
    drawn = ""
    if same_labels(estimates):
        chart = draw_sitting(f"chart-{question.id}", f"Estimates: {question.text}", sitting)
        drawn = f"{legend_of(sitting)}<figure>{chart}</figure>"
    has_truth = truth.shares is not None or truth.mean is not None
    rest = len(sharpest.labels) - len(places)
    parts = [
        head,
        drawn,
        scroll_box(
            f"Estimates for {question.id}", estimates_frame([first_column(sharpest)], seen, rows, has_truth=has_truth)
        ),
        f"<p class='caption'>And {number_mark(rest, 'count')} rarer answers, which are not shown.</p>" if rest else "",
        f"<p class='caption'>{escape(_read_from(seen))}</p>",
        _notes(seen),
        groups_part(material, planned, seen, places),
    ]
    return "".join(parts)


def _notes(seen: Sequence[Seen]) -> str:
    found = [f"{one.reader}: {note}" for one in seen for note in _notes_of(one)]
    return f'<ul class="plain">{"".join(f"<li>{escape(note)}</li>" for note in found)}</ul>' if found else ""


def _notes_of(one: Seen) -> list[str]:
    # Why there is no number stands where the number would; what else is to be known of one stands here.
    said = [
        f"{number.name}: {number.words}" for number in one.whole.quantities if number.words and number.value is not None
    ]
    return [*said, *one.whole.notes]


def _read_from(seen: Sequence[Seen]) -> str:
    totals = {one.whole.total for one in seen}
    if len(totals) == 1:
        return f"Read from {number_mark(totals.pop(), 'count')} reports; intervals are rounded outwards."
    each = ", ".join(f"{one.reader}: {number_mark(one.whole.total, 'count')}" for one in seen)
    return f"Reports that were read: {each}; intervals are rounded outwards."
