"""Corrections of answers that may be missing, or that were asked only of some.

In a table of corrections an empty cell stays as it is. Where no answer is hidden, its name or a declared code takes an
answer back. What depends on a private answer is amended with it, all of it or nothing: else which cells were amended,
which is public, would tell whom a question was asked, and so that answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import UnreadableFile
from sfumato.files.words import Words
from sfumato.study.answer_cells import is_asked
from sfumato.study.studies import Study
from sfumato.study.ways import NO_ANSWER, Question, Way
from sfumato.study.ways.no_answer import codes_of

Numbers = npt.NDArray[np.int64]


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


def amended_answers(way: Way, cells: Mapping[int, str], numbers: Numbers) -> Any:
    """Return the answers of amended cells in the form that a drawer takes."""
    texts = [cells[number] for number in numbers.tolist()]
    answered = np.array([not way.question.hides or text != NO_ANSWER for text in texts], dtype=np.bool_)
    there = [text for text, is_one in zip(texts, answered.tolist(), strict=True) if is_one]
    known = {text: code for code, text in enumerate(dict.fromkeys(there))}
    words = Words(np.array([known[text] for text in there], dtype=np.int64), tuple(known))
    answers = way.read(words)
    return answers if answered.all() else way.with_nobody(answers, answered)


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
