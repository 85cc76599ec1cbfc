"""The estimates on the report page of a study: tables, groups, contrasts and pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from sfumato.certificates.pages import is_marked, number_mark
from sfumato.display.charts import (
    AXIS,
    FROM,
    TO,
    Numbers,
    Scale,
    Series,
    axis_parts,
    chart_legend,
    chart_top,
    dot_chart,
    mark,
    number_chart,
    numbers_top,
    picture,
    reach_line,
    scale_chart,
    scale_colours,
    scale_legend,
    truth_line,
)
from sfumato.display.tables import scroll_box
from sfumato.display.text import share_words
from sfumato.errors import printable
from sfumato.inference.quantities import (
    Line,
    Picture,
    Quantity,
    estimate_column,
    first_column,
    is_pair,
    numbers_first,
    quantity_lines,
    share_lines,
    shown_places,
)
from sfumato.inference.results import Contrast, QuestionEstimate, Truth, contrast_cells, contrast_name, group_contrasts
from sfumato.output.estimates import answer_numbers, cumulative_quantities
from sfumato.output.report_material import ReportMaterial, Seen
from sfumato.study.cells import NO_ANSWER
from sfumato.study.planning import StudyPlan
from sfumato.study.question_plans import QuestionPlan

# --- Tables of estimates
# One line for each share and number, and two columns for each reader.


_LONGEST_NUMBER = 30


def epsilon_mark(epsilon: float, question: str, level: int) -> str:
    """Return the ε of a question at a level, for a page whose `epsilon_places` say which claim it is."""
    return number_mark(epsilon, "epsilon", f"{question}/{level}")


def epsilon_places(plan: StudyPlan) -> dict[str, str]:
    """Return which claim of a study's certificates bounds the ε of each question at each level."""
    found = {}
    for i, planned in enumerate(plan.questions):
        claims = {claim.measure: k for k, claim in enumerate(planned.certificate.claims)}
        for level in range(1, len(planned.levels) + 1):
            claim = claims.get(f"epsilon_level_{level}", claims.get("epsilon") if len(planned.levels) == 1 else None)
            if claim is not None:
                found[f"{planned.question.id}/{level}"] = f"/certificates/{i}/claims/{claim}"
    return found


def estimates_frame(first: Sequence[str], seen: Sequence[Seen], rows: str, *, has_truth: bool = False) -> str:
    """Return a table whose first columns name its lines."""
    top = "".join(f'<th scope="col" rowspan="2">{escape(name)}</th>' for name in first)
    heads = "".join(
        f'<th scope="colgroup" colspan="2" class="number">{escape(one.reader)}, '
        f"ε = {epsilon_mark(one.whole.epsilon, one.whole.question.id, one.whole.level)}</th>"
        for one in seen
    )
    truth = '<th scope="col" rowspan="2" class="number">truth</th>' if has_truth else ""
    below = (
        f'<th scope="col" class="number">{estimate_column(seen[0].whole)}</th>'
        f'<th scope="col" class="number">{confidence_words(seen)} interval</th>'
    )
    return f"<table><thead><tr>{top}{heads}{truth}</tr><tr>{below * len(seen)}</tr></thead>{rows}</table>"


def estimates_rows(
    estimates: Sequence[QuestionEstimate],
    places: Sequence[int],
    labels: Sequence[str],
    *,
    group: str = "",
    truth: Truth | None = None,
) -> str:
    """Return the lines of all people, or of one group: what each reader sees of each share and number.

    `places` are those among `labels`; a reader who finds other answers has lines of their own for them.
    """
    known = truth if truth is not None and (truth.shares is not None or truth.mean is not None) else None
    shares = _side_by_side(
        [share_lines(found, places if found.labels == labels else None, number_mark) for found in estimates]
    )
    numbers = _side_by_side([quantity_lines(found, number_mark) for found in estimates])
    parts = [numbers, shares] if numbers_first(estimates[0]) else [shares, numbers]
    rows = [_row(same, known) for part in parts for same in part]
    if group and rows:
        head = f'<th scope="rowgroup" rowspan="{len(rows)}">{escape(group)}</th>'
        rows[0] = rows[0].replace("<tr>", f"<tr>{head}", 1)
    return f"<tbody>{''.join(rows)}</tbody>"


def _side_by_side(several: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Put lines of the same name beside each other, with nothing where a reader has none."""
    by_name = [{line.name: line for line in lines} for lines in several]
    names = dict.fromkeys(line.name for lines in several for line in lines)
    return [[lines.get(name, Line(name=name, value="", reach="")) for lines in by_name] for name in names]


def same_labels(estimates: Sequence[QuestionEstimate]) -> bool:
    """Whether estimates are of the same answers, so that one picture can show them."""
    return all(found.labels == estimates[0].labels for found in estimates)


def _row(same: Sequence[Line], truth: Truth | None) -> str:
    cells = [text for line in same for text in (line.value, line.reach)]
    if truth is not None:
        cells.append(_truth(same[0], truth))
    return f'<tr><th scope="row">{escape(same[0].name)}</th>{"".join(map(_cell, cells))}</tr>'


def _cell(text: str) -> str:
    # An answer, or a sentence that stands for a number, may be folded.
    is_short = any(letter.isdigit() for letter in text) and len(text) <= _LONGEST_NUMBER
    is_number = not text or is_marked(text) or is_short
    return f'<td class="{"number" if is_number else "words"}">{escape(text)}</td>'


def _truth(line: Line, truth: Truth) -> str:
    if line.place is not None:
        return "" if truth.shares is None else share_words(truth.shares[line.place], show=number_mark)
    return f"{truth.mean:.4g}" if truth.mean is not None and line.name == "mean" else ""


def confidence_words(seen: Sequence[Seen]) -> str:
    """Return the confidence of the intervals."""
    return f"{100 * seen[0].whole.confidence:g} %"


# --- Differences between groups
# One line for each pair of groups and number, as each reader sees it.


# Further lines are left to the command, which shows all.
_MOST_LINES = 120
_SAID = (
    "Whether two groups differ is not seen from their two intervals: each difference has an interval of its own, and "
    "one that holds 0 is no proof of a difference."
)


def contrasts_part(name: str, group: str, shown: Sequence[Seen]) -> str:
    """Return the differences between the groups of a question; empty where there are none."""
    readers = [{_key(one): one for one in group_contrasts(seen.groups)} for seen in shown]
    keys = [key for key in readers[0] if all(key in found for found in readers)]
    if not keys:
        return ""
    head = f"<h5>Differences by {escape(group)}</h5>"
    if len(keys) > _MOST_LINES:
        many = number_mark(len(keys), "count")
        return f"{head}<p>{many} of them; <code>sfumato estimate --contrasts</code> shows them all.</p>"
    columns = "".join(
        f'<th scope="colgroup" colspan="2" class="number">{escape(one.reader)}, '
        f"ε = {epsilon_mark(one.whole.epsilon, one.whole.question.id, one.whole.level)}</th>"
        for one in shown
    )
    confidence = f"{100 * readers[0][keys[0]].confidence:.6g} % interval"
    below = f'<th scope="col" class="number">difference</th><th scope="col" class="number">{confidence}</th>'
    rows = "".join(_contrast_row([found[key] for found in readers]) for key in keys)
    table = (
        f'<table><thead><tr><th scope="col" rowspan="2">{escape(group)}</th><th scope="col" rowspan="2">of</th>'
        f"{columns}</tr><tr>{below * len(shown)}</tr></thead><tbody>{rows}</tbody></table>"
    )
    return f'{head}<p class="caption">{_SAID}</p>' + scroll_box(f"Differences for {name} by {group}", table)


def _key(one: Contrast) -> tuple[str, str, str, str | None]:
    return one.first, one.second, one.quantity, one.answer


def _contrast_row(same: Sequence[Contrast]) -> str:
    one = same[0]
    head = f'<th scope="row">{escape(printable(one.first))} minus {escape(printable(one.second))}</th>'
    cells = "".join(
        f'<td class="number">{escape(cell)}</td>' for found in same for cell in contrast_cells(found, number_mark)
    )
    return f"<tr>{head}<td>{escape(contrast_name(one))}</td>{cells}</tr>"


# --- Means as inline SVG
# A mark with its interval for each group and reader, on an axis of numbers.


_LABEL, _LINE, _GAP = 19, 15, 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What one reader sees: a mean for each label of the chart, where there is one."""

    name: str
    means: Sequence[Quantity | None]


def means_chart(
    identifier: str,
    title: str,
    description: str,
    labels: Sequence[str],
    readers: Sequence[Means],
    true_mean: float | None = None,
) -> str:
    """Draw a mark and an interval for each label and reader."""
    ends = [end for one in readers for mean in one.means if mean for end in (mean.interval.lower, mean.interval.upper)]
    low, high, step = _axis([end for end in (*ends, *([] if true_mean is None else [true_mean])) if math.isfinite(end)])

    def place(value: float) -> str:
        return f"{FROM + (TO - FROM) * min(max((value - low) / (high - low), 0.0), 1.0):.3f}%"

    block = _LABEL + _LINE * len(readers) + _GAP
    bottom = block * len(labels)
    ticks = [low + step * i for i in range(round((high - low) / step) + 1)]
    parts = axis_parts([(place(tick), f"{tick:.10g}") for tick in ticks], bottom)
    for row, label in enumerate(labels):
        parts.append(f'<text x="{FROM}%" dx="6" y="{block * row + 14}">{escape(label)}</text>')
        for i, one in enumerate(readers):
            mean, middle = one.means[row], block * row + _LABEL + _LINE * i + _LINE / 2
            if mean is not None:
                parts.append(reach_line(place(mean.interval.lower), place(mean.interval.upper), middle, i))
                parts += [mark(place(mean.value), middle, i)] if mean.value is not None else []
        if true_mean is not None:
            parts.append(truth_line(place(true_mean), block * row + _LABEL - 2, block * (row + 1) - _GAP + 2))
    return picture(identifier, title, description, bottom + AXIS, parts)


def _axis(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the ends of an axis that holds some values, and the distance of its ticks: 1, 2 or 5 of some unit."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    width = max(high - low, 1e-9 * max(abs(low), abs(high), 1.0))
    unit = 10.0 ** math.floor(math.log10(width / 3))
    step = next(unit * factor for factor in (1, 2, 5, 10) if width / (unit * factor) <= 5)
    return step * math.floor(low / step), step * (math.floor(high / step) + 1), step


# --- The picture of a question
# A mark, bars for options, a scale laid end to end, or histograms with means.


_SAME = "The table after the picture has the same numbers."
# A scale with more parts has no colours that can be told apart.
_MOST_PARTS = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What one reader sees."""

    reader: str
    found: QuestionEstimate

    @property
    def name(self) -> str:
        """The reader, and how sharply they see."""
        return f"{self.reader} (ε = {epsilon_mark(self.found.epsilon, self.found.question.id, self.found.level)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """One question as several readers see it, and which of its answers are drawn; several pictures share a scale."""

    readers: Sequence[Named]
    places: Sequence[int]
    truth: Truth = Truth()  # noqa: RUF009  a frozen value
    top: float | None = None

    @property
    def first(self) -> QuestionEstimate:
        """Any of them: questions and answers are the same."""
        return self.readers[0].found

    @property
    def suited(self) -> Picture | None:
        """The picture that suits, or marks where there is too much for it; None where there are no shares to draw."""
        suits = self.first.picture
        if not self.first.labels:
            return None
        if suits is Picture.NUMBERS and self.numbers is None:
            return Picture.ANSWERS
        if suits is Picture.ORDERED and len(self.first.labels) > _MOST_PARTS:
            return Picture.ANSWERS
        return suits

    @property
    def numbers(self) -> list[float] | None:
        """Where answers that are numbers lie."""
        return answer_numbers(self.first)

    @property
    def truths(self) -> list[float] | None:
        """The true shares of what is drawn."""
        shares = self.truth.shares
        return None if shares is None else [shares[place] for place in self.places]


def sitting_top(sittings: Sequence[Sitting]) -> float:
    """Return one end for the axes of several pictures."""
    if sittings[0].suited is None:
        return 1.0
    if sittings[0].suited is Picture.NUMBERS:
        return numbers_top([one for sitting in sittings for one in _numbers(sitting)])
    return chart_top([one for sitting in sittings for one in _series(sitting)])


def draw_sitting(identifier: str, title: str, sitting: Sitting) -> str:
    """Draw it."""
    labels = [printable(sitting.first.labels[place]) for place in sitting.places]
    who = " and ".join(one.name for one in sitting.readers)
    reach = f"{100 * sitting.first.confidence:g} % interval"
    if sitting.suited is None:
        said = f"A mark for the mean and a line for its {reach}, as {who} see it. {_SAME}"
        means = [Means(name=one.name, means=[one.found.mean]) for one in sitting.readers]
        return means_chart(identifier, title, said, ["mean"], means, sitting.truth.mean)
    if sitting.suited is Picture.NUMBERS:
        said = (
            f"For each of {who} a histogram of the answers, with a line for the {reach} of each share; below it a mark "
            f"for the mean and a line for its {reach}. {_SAME}"
        )
        values = sitting.numbers or []
        return number_chart(identifier, title, said, values, _numbers(sitting), sitting.truth.mean, top=sitting.top)
    if sitting.suited is Picture.ORDERED:
        said = (
            f"For each of {who} a bar in which the answers lie end to end in the order {', '.join(labels)}; lines "
            f"below it are the {reach}s of where they meet. {_SAME}"
        )
        scales = [
            Scale(
                name=one.name,
                shares=one.found.shares,
                cuts=[found.interval for found in cumulative_quantities(one.found)],
            )
            for one in sitting.readers
        ]
        return scale_chart(identifier, title, said, _colours(sitting.first), scales, sitting.truth.shares)
    bars = sitting.suited is Picture.OPTIONS
    what = "option a bar for its share, which need not sum to one," if bars else "answer a mark for the estimate"
    said = f"For each {what} and a line for the {reach}, as {who} see it. {_SAME}"
    return dot_chart(identifier, title, said, labels, _series(sitting), sitting.truths, bars=bars, top=sitting.top)


def legend_of(sitting: Sitting) -> str:
    """Say what the marks and the colours mean."""
    if sitting.suited is Picture.ORDERED:
        return scale_legend([printable(label) for label in sitting.first.labels], _colours(sitting.first))
    has_truth = sitting.truth.shares is not None or sitting.truth.mean is not None
    return chart_legend([one.name for one in sitting.readers], has_truth=has_truth)


def _colours(found: QuestionEstimate) -> list[str]:
    return scale_colours(len(found.labels), aside=found.labels[-1] == NO_ANSWER)


def _series(sitting: Sitting) -> list[Series]:
    return [
        Series(
            name=one.name,
            shares=[one.found.shares[place] for place in sitting.places],
            intervals=[one.found.intervals[place] for place in sitting.places],
        )
        for one in sitting.readers
    ]


def _numbers(sitting: Sitting) -> list[Numbers]:
    many = len(sitting.numbers or ())
    found = []
    for one in sitting.readers:
        mean = one.found.mean
        found.append(
            Numbers(
                name=one.name,
                shares=one.found.shares[:many],
                intervals=one.found.intervals[:many],
                mean=None if mean is None else mean.value,
                reach=None if mean is None else mean.interval,
            )
        )
    return found


# --- Groups
# Two answers: a mark for each group. More answers: a small picture for each group, and one table.


_NO_GROUPS = "Respondents were asked about different parts of the answer, so groups cannot be told apart."
# More would make an unreadable picture; the table has them all.
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
    found = [f"{one.reader}: {note}" for one in seen for note in _reader_notes(one)]
    return f'<ul class="plain">{"".join(f"<li>{escape(note)}</li>" for note in found)}</ul>' if found else ""


def _reader_notes(one: Seen) -> list[str]:
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
