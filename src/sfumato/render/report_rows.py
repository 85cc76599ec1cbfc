"""The tables of a study's page: a line for each share and number, and two columns for each reader."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sfumato.render.estimate_lines import Line, estimate_column, numbers_first, quantity_lines, share_lines
from sfumato.render.page_texts import is_marked, number_mark
from sfumato.render.report_material import Seen
from sfumato.render.words import share_words
from sfumato.study.planning import StudyPlan
from sfumato.study.ways import QuestionEstimate, Truth

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
    """Return the lines of everybody, or of one group: what each reader sees of each share and number.

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
