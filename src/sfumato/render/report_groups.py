"""Groups on a study's page: of two answers a mark for each group, of more a small picture for each, and one table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sfumato.printing import printable
from sfumato.render.chart_parts import chart_legend
from sfumato.render.estimate_lines import first_column, is_pair
from sfumato.render.mean_charts import Means, means_chart
from sfumato.render.page_texts import number_mark
from sfumato.render.report_charts import Series, dot_chart
from sfumato.render.report_contrasts import contrasts_part
from sfumato.render.report_material import ReportMaterial, Seen
from sfumato.render.report_pictures import Named, Sitting, draw_sitting, legend_of, sitting_top
from sfumato.render.report_rows import confidence_words, estimates_frame, estimates_rows, same_labels
from sfumato.render.sheets import scroll_box
from sfumato.study.ways import QuestionPlan

_NO_GROUPS = "Respondents were asked about different parts of the answer, so groups cannot be told apart."
# More would make a picture that nobody reads; the table has them all.
_MOST_DRAWN = 60
_MOST_MULTIPLES = 24


def groups_part(material: ReportMaterial, planned: QuestionPlan, seen: Sequence[Seen], places: Sequence[int]) -> str:
    """Return what the groups say of a question; nothing where no groups were asked for."""
    if material.group is None:
        return ""
    head = f"<h4>By {escape(material.group)}</h4>"
    if not seen[0].groups:
        return f"{head}<p>{_NO_GROUPS}</p>"
    groups = [found.group for found in seen[0].groups]
    shown = [one for one in seen if [found.group for found in one.groups] == groups]
    names = [printable(group or "") for group in groups]
    labels = seen[-1].whole.labels
    rows = "".join(
        estimates_rows(
            [one.groups[i] for one in shown], places, labels, group=f"{name} ({_count(shown[0].groups[i].total)})"
        )
        for i, name in enumerate(names)
    )
    table = scroll_box(
        f"Estimates for {planned.question.id} by {material.group}",
        estimates_frame([material.group, first_column(shown[0].whole)], shown, rows),
    )
    table += contrasts_part(planned.question.id, material.group, shown)
    whole = shown[0].whole
    if not same_labels([seen[-1].whole, *(found for one in shown for found in (one.whole, *one.groups))]):
        return f"{head}{table}"
    if is_pair(whole):
        return f"{head}{_pairs(material.group, planned, shown, names)}{table}"
    if not whole.labels:
        return f"{head}{_means(material.group, planned, shown, names)}{table}"
    return f"{head}{_multiples(material.group, planned, shown, names, places)}{table}"


def _count(number: int) -> str:
    return number_mark(number, "count")


def _pairs(group: str, planned: QuestionPlan, shown: Sequence[Seen], names: Sequence[str]) -> str:
    if len(names) > _MOST_DRAWN:
        return ""
    question, second = planned.question, printable(shown[0].whole.labels[1])
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
        f"Share of “{second}” by {group}: {question.text}",
        f"A mark and a {confidence_words(shown)} interval for each group. The table after the picture has the same "
        f"numbers.",
        names,
        series,
    )
    caption = f"<figcaption>Share of “{escape(second)}” in each group</figcaption>"
    return f"{chart_legend([one.reader for one in shown])}<figure>{chart}{caption}</figure>"


def _means(group: str, planned: QuestionPlan, shown: Sequence[Seen], names: Sequence[str]) -> str:
    if len(names) > _MOST_DRAWN:
        return ""
    readers = [Means(name=one.reader, means=[found.mean for found in one.groups]) for one in shown]
    chart = means_chart(
        f"groups-{planned.question.id}",
        f"Mean by {group}: {planned.question.text}",
        f"A mark and a {confidence_words(shown)} interval for each group. The table after the picture has the same "
        f"numbers.",
        names,
        readers,
    )
    caption = "<figcaption>Mean of each group</figcaption>"
    return f"{chart_legend([one.reader for one in shown])}<figure>{chart}{caption}</figure>"


def _multiples(
    group: str, planned: QuestionPlan, shown: Sequence[Seen], names: Sequence[str], places: Sequence[int]
) -> str:
    """Draw a small picture for each group, all with the same axis."""
    if len(names) > _MOST_MULTIPLES:
        return f"<p class='caption'>{_count(len(names))} groups are too many to draw; the table has them all.</p>"
    plain = [
        Sitting(readers=[Named(reader=one.reader, found=one.groups[i]) for one in shown], places=places)
        for i in range(len(names))
    ]
    top = sitting_top(plain)
    parts = [legend_of(plain[0]), '<div class="multiples">']
    for i, (name, sitting) in enumerate(zip(names, plain, strict=True)):
        one = Sitting(readers=sitting.readers, places=places, top=top)
        title = f"{planned.question.text}, {group} {name}"
        chart = draw_sitting(f"groups-{planned.question.id}-{i}", title, one)
        parts.append(
            f"<figure><figcaption>{escape(name)} ({_count(sitting.first.total)} reports)</figcaption>{chart}</figure>"
        )
    return "".join([*parts, "</div>"])
