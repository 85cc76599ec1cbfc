"""Which cells a table of corrections changes, and the part that supersedes them.

Only amended cells are drawn again. That a cell was amended is public, whatever its ε: an amendment has the number of
the row that it amends. With two answers this discloses that the other one is true now, unless unchanged people are
drawn again beside it as cover.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.columns import Words
from sfumato.files.tables import number_column
from sfumato.keys.digests import NOTHING, Numbers, ReportTree, blocks_of
from sfumato.publications.coded_reports import written_column
from sfumato.publications.note import PartNote, ReportsNote, Salts
from sfumato.publications.part import Keys, PartPlan, PartSink, arrow_table, draw_of, finished_part
from sfumato.publications.reports import ROW
from sfumato.sampling.samplers import UniformBelow
from sfumato.sampling.sources import BitSource
from sfumato.study.answers import is_asked
from sfumato.study.cells import NO_ANSWER, codes_of
from sfumato.study.handler import Handler
from sfumato.study.question import Question
from sfumato.study.study import Study

# --- Corrections of answers that may be missing, or that were asked only of some
# An empty cell of a table of corrections changes nothing. An answer is taken back by a declared code or, where not
# answering is hidden, by its name. Questions that depend on a private answer are amended with it, all or none: which
# cells were amended is public, and would otherwise show whom a question was asked, and so that answer.


def corrected_texts(table: Any, question: Question) -> dict[int, str]:
    """Return the cells of a column that correct something, by their line; what means no answer is called so."""
    words, is_none = question.cells.read(question.words(table, amends=True)), codes_of(question)
    lines = range(words.rows) if words.filled is None else np.flatnonzero(words.filled).tolist()
    found = {line: words.texts[code] for line, code in zip(lines, words.codes.tolist(), strict=True)}
    taken_back = [line for line, text in found.items() if is_none(text)]
    if taken_back and not question.hides:
        raise UnreadableFile(
            f"column {question.id}, row {taken_back[0] + 1} takes an answer back, and an amendment cannot empty a cell "
            f"that everybody has seen filled: there an empty cell stays as it was",
            way_out="Leave the cell empty; erase the person, or publish the study anew without the answer.",
        )
    return found | dict.fromkeys(taken_back, NO_ANSWER)


def amended_answers(handler: Handler, cells: Mapping[int, str], numbers: Numbers) -> Any:
    """Return the answers of amended cells in the form that a drawer takes."""
    texts = [cells[number] for number in numbers.tolist()]
    answered = np.array([not handler.question.hides or text != NO_ANSWER for text in texts], dtype=np.bool_)
    there = [text for text, is_one in zip(texts, answered.tolist(), strict=True) if is_one]
    known = {text: code for code, text in enumerate(dict.fromkeys(there))}
    words = Words(np.array([known[text] for text in there], dtype=np.int64), tuple(known))
    answers = handler.read(words)
    return answers if answered.all() else handler.with_nobody(answers, answered)


def units_of(study: Study) -> tuple[frozenset[str], ...]:
    """Return the questions that are amended together: each with those that are asked by its private answers."""
    found: dict[str, frozenset[str]] = {question.id: frozenset({question.id}) for question in study.questions}
    for question in study.questions:
        rule = question.ask_if
        if rule is not None and rule.question is not None:
            joined = found[question.id] | found[rule.question]
            found |= dict.fromkeys(joined, joined)
    return tuple(dict.fromkeys(unit for unit in found.values() if len(unit) > 1))


def check_units(study: Study, texts: Mapping[str, Mapping[int, str]]) -> None:
    """Refuse a row that corrects some of the questions that depend on one another, or against their skip rules."""
    for unit in units_of(study):
        there = {name: texts.get(name, {}) for name in unit}
        for line in sorted({line for column in there.values() for line in column}):
            lacks = sorted(name for name, column in there.items() if line not in column)
            if lacks:
                raise UnreadableFile(
                    f"row {line + 1} corrects some of {', '.join(sorted(unit))} and leaves {lacks[0]} empty; which "
                    f"cells are amended is public, and would tell who was asked",
                    way_out=f"Give all of them in that row, “{NO_ANSWER}” where there is none.",
                )
    for question in study.questions:
        rule = question.ask_if
        if rule is None or rule.question is None or question.id not in texts or rule.question not in texts:
            continue
        for line, text in texts[question.id].items():
            if text != NO_ANSWER and texts[rule.question][line] not in rule.answers:
                raise _not_asked(question, line + 1)


def check_asked_by_column(study: Study, cells: Mapping[str, Collection[int]], kept: Any, numbers: Numbers) -> None:
    """Refuse to amend cells of those who are not asked, by a public column."""
    for question in study.questions:
        rule = question.ask_if
        if rule is not None and rule.is_public and cells.get(question.id):
            asked = is_asked(study, rule, kept)
            wrong = [
                number
                for number, is_one in zip(numbers.tolist(), asked.tolist(), strict=True)
                if not is_one and number in cells[question.id]
            ]
            if wrong:
                raise _not_asked(question, wrong[0], "with number ")


def _not_asked(question: Question, row: int, called: str = "") -> UnreadableFile:
    return UnreadableFile(
        f"column {question.id}, row {called}{row} has an answer, and by `ask_if` that row is not asked",
        way_out="Leave it out, or correct what decides who is asked.",
    )


Cells = Mapping[str, Mapping[int, str]]
"""By question: the answers, by the number of the row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """The cells of one part that are drawn again: corrected ones, and those of people who are redrawn as cover."""

    part: PartNote
    cells: Cells
    corrected: int
    covered: int = 0

    @property
    def numbers(self) -> Numbers:
        """The rows that are amended, ascending."""
        return np.array(sorted({number for column in self.cells.values() for number in column}), dtype=np.int64)

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that are amended."""
        return tuple(name for name, column in self.cells.items() if column)


def corrections(table: Any, study: Study, rows: Sequence[tuple[str, int]]) -> dict[str, dict[str, dict[int, str]]]:
    """Return the cells that a table corrects, by part and question; an empty cell stays as it is."""
    found: dict[str, dict[str, dict[int, str]]] = {}
    texts = {
        question.id: corrected_texts(table, question)
        for question in study.questions
        if not set(question.sources).isdisjoint(table.column_names)
    }
    check_units(study, texts)
    for name, column in texts.items():
        for line, text in column.items():
            part, number = rows[line]
            found.setdefault(part, {}).setdefault(name, {})[number] = text
    if not found:
        raise UnreadableFile("the table corrects nothing", way_out="Fill in the answers that are to be corrected.")
    return found


def check_rows(part: PartNote, numbers: Iterable[int]) -> None:
    """Refuse rows that a part does not have, or no longer."""
    gone = set(part.erased)
    for number in numbers:
        if number in gone:
            raise InvalidParameter(
                "was erased, and does not come back by an amendment", parameter=ROW, value=number, way_out="Drop it."
            )
        if not part.start <= number < part.start + part.rows:
            raise InvalidParameter(
                f"is none of the rows {part.start} to {part.start + part.rows - 1} of part {part.id[:8]}",
                parameter=ROW,
                value=number,
                way_out="Take the numbers from the column `row` of the reports.",
            )


def with_cover(
    amendment: Amendment, answers: Mapping[str, Mapping[int, str]], cover: int, source: BitSource
) -> Amendment:
    """Add the cells of randomly drawn people, with the answers that they have; each pays as if corrected.

    `answers` are those of all people who are left in the part. A covering row is amended in the same questions as one
    of the corrected rows, so that it looks like one; each of these has as many, and it is random which have one more.
    """
    taken = set(amendment.numbers.tolist())
    others = sorted(set.intersection(*(set(column) for column in answers.values())) - taken) if answers else []
    if cover > len(others):
        raise InvalidParameter(
            f"asks for more people than the {len(others)} whose answers are not corrected",
            parameter="cover",
            value=cover,
            way_out="Lower it.",
        )
    patterns = [
        tuple(name for name, column in amendment.cells.items() if number in column)
        for number in amendment.numbers.tolist()
    ]
    cells = {name: dict(column) for name, column in amendment.cells.items()}
    rounds, over = divmod(cover, len(patterns))
    looks = [*range(len(patterns))] * rounds + _chosen(range(len(patterns)), over, source)
    for look, number in zip(looks, _chosen(others, cover, source), strict=True):
        for name in patterns[look]:
            cells[name][number] = answers[name][number]
    return replace(amendment, cells=cells, covered=cover)


def draw_amendment(plan: PartPlan, amendment: Amendment, kept: Any, sink: PartSink) -> tuple[ReportsNote, Keys]:
    """Draw the amended cells as a part of their own; `kept` has the columns that were kept, of the amended rows."""
    numbers = amendment.numbers
    source = plan.source
    salt_of = Salts(plan.part, source)
    handlers = {
        handler: handler.question.id for handler in plan.study.handlers if handler.question.id in amendment.questions
    }
    handlers |= {handler.sealed: name for handler, name in handlers.items() if handler.sealed is not None}
    tree = ReportTree([handler.question.id for handler in handlers], salt_of)
    reports: dict[str, npt.NDArray[np.int64]] = {}
    keys = {}
    made: dict[str, Any] = {ROW: number_column(numbers)}
    for handler, asked in handlers.items():
        name = handler.question.id
        column = amendment.cells[asked]
        filled = np.array([number in column for number in numbers.tolist()], dtype=np.bool_)
        drawer = handler.drawer(draw_of(plan, handler, sink))
        drawn = drawer.draw(amended_answers(handler, column, numbers[filled]), numbers, filled)
        reports[name] = np.full(numbers.size, NOTHING, dtype=np.int64)
        reports[name][filled] = drawn
        made[name] = _spread(written_column(handler, drawn), filled)
        if held := drawer.keys(numbers.size):
            keys[name] = held
    tree.add(numbers, reports)
    sink.write(arrow_table(made | {name: kept.column(name) for name in plan.keep}))
    return finished_part(plan, tree, salt_of, rows=numbers.size, blocks=blocks_of(numbers), keys=keys)


def _spread(column: Any, filled: npt.NDArray[np.bool_]) -> Any:
    """Return a column with empty cells where nothing is amended."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    places = np.cumsum(filled) - 1
    return column.take(
        pa.array([int(place) if full else None for place, full in zip(places, filled, strict=True)], pa.int64())
    )


def _chosen(others: Sequence[int], count: int, source: BitSource) -> list[int]:
    """Return so many of the others, each selection as probable as any other."""
    pool = list(others)
    chosen = []
    for _ in range(count):
        place = int(UniformBelow(bound=len(pool)).sample(source, 1)[0]) if len(pool) > 1 else 0
        pool[place], pool[-1] = pool[-1], pool[place]
        chosen.append(pool.pop())
    return chosen
