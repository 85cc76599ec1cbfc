"""The section of a study's page with its numbers: each question as every reader given sees it, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sfumato.printing import printable
from sfumato.render.estimate_tables import is_pair, shown_order
from sfumato.render.page_style import scroll_box
from sfumato.render.report_charts import Series, chart_legend, dot_chart
from sfumato.render.report_material import ReportMaterial, Seen
from sfumato.render.words import epsilon_text, interval_words
from sfumato.study.ways import QuestionEstimate, QuestionPlan, Truth

_NO_GROUPS = "Respondents were asked about different parts of the answer, so groups cannot be told apart."
# More would make a picture that nobody reads; the table has them all.
_MOST_DRAWN = 60


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
    if not sharpest.labels:
        return f"{head}{_notes(seen)}"
    order = shown_order(sharpest.shares)
    labels = [printable(sharpest.labels[place]) for place in order]
    truths = None if truth.shares is None else [truth.shares[place] for place in order]
    series = [_series(one, order) for one in seen]
    chart = dot_chart(
        f"chart-{question.id}",
        f"Estimated shares: {question.text}",
        f"For each answer a mark for the estimate and a line for the {_confidence(seen)} interval, as "
        f"{' and '.join(one.name for one in series)} see it. The table after the picture has the same numbers.",
        labels,
        series,
        truths,
    )
    rest = len(sharpest.labels) - len(order)
    parts = [
        head,
        chart_legend([one.name for one in series], has_truth=truths is not None),
        f"<figure>{chart}</figure>",
        scroll_box(f"Estimates for {question.id}", _table(seen, order, labels, truths)),
        f"<p class='caption'>And {rest} rarer answers, which are not shown.</p>" if rest else "",
        f"<p class='caption'>{escape(_read_from(seen))}</p>",
        _means(seen, truth),
        _notes(seen),
        _by_group(material, planned, seen, order, labels),
    ]
    return "".join(parts)


def _series(one: Seen, order: Sequence[int]) -> Series:
    return Series(
        name=f"{one.reader} (ε = {epsilon_text(one.whole.epsilon)})",
        shares=[one.whole.shares[place] for place in order],
        intervals=[one.whole.intervals[place] for place in order],
    )


def _table(seen: Sequence[Seen], order: Sequence[int], labels: Sequence[str], truths: Sequence[float] | None) -> str:
    extra = [] if truths is None else [f"{100 * truth:.1f} %" for truth in truths]
    rows = [_row([labels[i]], [one.whole for one in seen], place, extra[i : i + 1]) for i, place in enumerate(order)]
    return _frame(["answer"], seen, rows, has_truth=truths is not None)


def _frame(first: Sequence[str], seen: Sequence[Seen], rows: Sequence[str], *, has_truth: bool = False) -> str:
    top = "".join(f'<th scope="col" rowspan="2">{escape(name)}</th>' for name in first)
    heads = "".join(
        f'<th scope="colgroup" colspan="2" class="number">{escape(one.reader)}, '
        f"ε = {epsilon_text(one.whole.epsilon)}</th>"
        for one in seen
    )
    truth = '<th scope="col" rowspan="2" class="number">true share</th>' if has_truth else ""
    below = f'<th scope="col" class="number">share</th><th scope="col" class="number">{_confidence(seen)} interval</th>'
    return (
        f"<table><thead><tr>{top}{heads}{truth}</tr><tr>{below * len(seen)}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _row(names: Sequence[str], estimates: Sequence[QuestionEstimate], place: int, extra: Sequence[str] = ()) -> str:
    cells = [
        text
        for found in estimates
        for text in (f"{100 * found.shares[place]:.1f} %", interval_words(found.intervals[place]))
    ]
    head = "".join(f'<th scope="row">{escape(name)}</th>' for name in names)
    numbers = "".join(f'<td class="number">{escape(cell)}</td>' for cell in (*cells, *extra))
    return f"<tr>{head}{numbers}</tr>"


def _means(seen: Sequence[Seen], truth: Truth) -> str:
    said = [
        f"{one.reader}: {one.whole.mean.mean:.4g} ({one.whole.mean.interval.lower:.4g} to "
        f"{one.whole.mean.interval.upper:.4g})"
        for one in seen
        if one.whole.mean is not None
    ]
    if not said:
        return ""
    true = "" if truth.mean is None else f"; the true mean is {truth.mean:.4g}"
    return f"<p>Mean, with its {_confidence(seen)} interval: {escape('; '.join(said) + true)}.</p>"


def _notes(seen: Sequence[Seen]) -> str:
    found = [f"{one.reader}: {note}" for one in seen for note in one.whole.notes]
    return f'<ul class="plain">{"".join(f"<li>{escape(note)}</li>" for note in found)}</ul>' if found else ""


def _by_group(
    material: ReportMaterial, planned: QuestionPlan, seen: Sequence[Seen], order: Sequence[int], labels: Sequence[str]
) -> str:
    if material.group is None:
        return ""
    question = planned.question
    head = f"<h4>By {escape(material.group)}</h4>"
    if not seen[0].groups:
        return f"{head}<p>{_NO_GROUPS}</p>"
    groups = [found.group for found in seen[0].groups]
    names = [printable(group or "") for group in groups]
    shown = [one for one in seen if [found.group for found in one.groups] == groups]
    rows = []
    for i, name in enumerate(names):
        estimates = [one.groups[i] for one in shown]
        first = f"{name} ({estimates[0].total:,})"
        rows += [_row([first, label], estimates, place) for place, label in zip(order, labels, strict=True)]
    table = scroll_box(
        f"Estimates for {question.id} by {material.group}", _frame([material.group, "answer"], shown, rows)
    )
    if not is_pair(shown[0].whole) or len(names) > _MOST_DRAWN:
        return head + table
    series = [
        Series(
            name=one.reader,
            shares=[found.shares[1] for found in one.groups],
            intervals=[found.intervals[1] for found in one.groups],
        )
        for one in shown
    ]
    chart = dot_chart(
        f"groups-{question.id}",
        f"Share of “{question.labels[1]}” by {material.group}: {question.text}",
        f"A mark and a {_confidence(seen)} interval for each group. The table after the picture has the same numbers.",
        names,
        series,
    )
    caption = f"<figcaption>Share of “{escape(question.labels[1])}” in each group</figcaption>"
    return f"{head}<figure>{chart}{caption}</figure>{table}"


def _read_from(seen: Sequence[Seen]) -> str:
    totals = {one.whole.total for one in seen}
    if len(totals) == 1:
        return f"Read from {totals.pop():,} reports; intervals are rounded outwards."
    each = ", ".join(f"{one.reader}: {one.whole.total:,}" for one in seen)
    return f"Reports that were read: {each}; intervals are rounded outwards."


def _confidence(seen: Sequence[Seen]) -> str:
    return f"{100 * seen[0].whole.confidence:g} %"
