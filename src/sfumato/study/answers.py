"""The answers of a chunk of a table, and value labels of statistics files.

A refusal names the column and the row, never the content of the cell. An empty cell whose meaning the study does not
declare is refused, with the cost of either meaning.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.columns import Words, count_among
from sfumato.files.formats import DataFile, as_file
from sfumato.files.row_files import file_rows
from sfumato.files.row_streams import RowSource
from sfumato.files.tables import TABLE_LIMIT_BYTES, TableLike, as_arrow, filled_words
from sfumato.keys.digests import NOTHING
from sfumato.study.cells import NO_ANSWER, AskIf, Missing
from sfumato.study.handler import Handler
from sfumato.study.question import Question
from sfumato.study.study import Study

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class AnswerCells:
    """The answers of some rows in the form that a drawer takes; `drawn` says which rows have a report, None is all."""

    answers: Any
    drawn: Mask | None = None

    def spread(self, reports: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return reports of the rows that are drawn as a column, with `NOTHING` where there is none."""
        if self.drawn is None:
            return reports
        found = np.full(self.drawn.size, NOTHING, dtype=np.int64)
        found[self.drawn] = reports
        return found


def read_cells(study: Study, handler: Handler, table: Any, first: int) -> AnswerCells:
    """Return the answers to a question in a chunk of a table; a refusal counts rows after `first` others."""
    question = handler.question
    words = question.words(table, first)
    rule = question.ask_if
    asked = None if rule is None else is_asked(study, rule, table, first)
    if asked is not None and words.rows:
        _check_skipped(question, words, asked)
    if words.filled is None:
        return AnswerCells(handler.answers_in(words))
    expected = words.filled if asked is None else words.filled | ~asked
    if question.missing is None and not expected.all():
        raise _undeclared(handler, words, ~expected)
    # Who is not asked by a public column has no report; of the others everybody has one where that is hidden.
    drawn = words.filled
    if question.hides:
        drawn = asked if rule is not None and rule.is_public and asked is not None else np.ones_like(words.filled)
    answers = handler.answers_in(words)
    if question.hides:
        answers = handler.with_nobody(answers, words.filled[drawn])
    return AnswerCells(answers, None if drawn.all() else drawn)


def is_asked(study: Study, rule: AskIf, table: Any, first: int = 0) -> Mask:
    """Say of which rows the condition of a question holds; an empty cell is no answer that it names."""
    words = filled_words(table, rule.source, first)
    if rule.question is not None:
        words = study.question(rule.question).cells.read(words)
    named = np.array([text in rule.answers for text in words.texts], dtype=np.bool_)
    there = named[words.codes] if len(words) else np.zeros(0, dtype=np.bool_)
    if words.filled is None:
        return there
    found = np.zeros(words.rows, dtype=np.bool_)
    found[words.filled] = there
    return found


def held_answers(study: Study, question: Question, table: Any) -> Counter[str]:
    """Count the answers of a whole table as they stand there, and where that is hidden who gave none."""
    words = question.cells.read(question.words(table))
    found = Counter(words.texts[code] for code in words.codes.tolist())
    if question.hides and words.filled is not None:
        rule = question.ask_if
        asked = is_asked(study, rule, table) if rule is not None and rule.is_public else np.ones_like(words.filled)
        found[NO_ANSWER] += int((asked & ~words.filled).sum())
    return found


def needed_columns(questions: Collection[Question]) -> list[str]:
    """Return the columns that the questions are read from: their own, and those that decide who is asked."""
    rules = [question.ask_if for question in questions if question.ask_if is not None]
    asked = (name for question in questions for name in question.sources)
    return [*dict.fromkeys((*asked, *(rule.source for rule in rules)))]


def check_rules_kept(study: Study, keep: Sequence[str]) -> None:
    """Refuse to ask by a public column that is not kept: empty cells would disclose it."""
    for question in study.questions:
        rule = question.ask_if
        if rule is not None and rule.is_public and rule.source not in keep:
            raise InvalidParameter(
                f"must name {rule.source}: who is asked {question.id} depends on it, and the empty cells of the others "
                f"tell it",
                parameter="keep",
                way_out=f"Keep {rule.source}, which is public then, or write the skip rule after a question.",
            )


def _check_skipped(question: Question, words: Words, asked: Mask) -> None:
    filled = np.ones(words.rows, dtype=np.bool_) if words.filled is None else words.filled
    wrong = np.flatnonzero(filled & ~asked)
    if wrong.size:
        rule = question.ask_if
        raise UnreadableFile(
            f"column {question.id}, row {words.first + int(wrong[0]) + 1} has an answer, and by `ask_if` that row is "
            f"not asked ({words.among(wrong.size)} are like this)",
            way_out=f"Empty the cell, or correct column {'' if rule is None else rule.source}; declare a text that "
            f"means “not asked” in missing_codes.",
        )


def _undeclared(handler: Handler, words: Words, empty: Mask) -> UnreadableFile:
    name, rows, gone = handler.question.id, words.first + words.rows, int(empty.sum())
    public = (
        f'missing = "{Missing.PUBLIC}": the {rows - gone:,} who answered are counted, and everybody sees who did not'
    )
    price = handler.hidden_price()
    ways_out = f"Write into [[questions]] {public}."
    if price is not None:
        hidden = (
            f'missing = "{Missing.HIDDEN}": not answering is as protected as an answer, and the same error takes '
            f"{price:.2f} times the respondents, {math.ceil(rows * price):,} in place of {rows:,}"
        )
        ways_out = f"Write into [[questions]] either {hidden}; or {public}."
    return UnreadableFile(
        f"column {name}, row {words.first + int(np.flatnonzero(empty)[0]) + 1} is empty ({count_among(gone, rows)} "
        f"are), and the study does not say what that means",
        way_out=ways_out,
    )


# --- Codes and value labels of SPSS, Stata and SAS
# Labels are read where the study's answers are labels, codes where they are codes or numbers. A study that mixes the
# two, or has neither, is refused with both lists. The lists come from the file's dictionary, not from a respondent.


def in_words_of(questions: Sequence[Question], source: Any) -> RowSource:
    """Return a source whose columns say what the questions' answers are: labels or codes."""
    known: Mapping[str, Mapping[str, str]] = getattr(source, "value_labels", {})
    codes = [name for question in questions for name in question.codes_meant(known)] if known else []
    chosen: RowSource = source.with_codes(codes) if codes else source
    return chosen


def answers_table(data: TableLike, questions: Sequence[Question], *, limit_bytes: int = TABLE_LIMIT_BYTES) -> Any:
    """Return a whole table whose columns say what the questions' answers are."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if not isinstance(data, str | Path | DataFile) or Path(as_file(data).path).is_dir():
        return as_arrow(data, limit_bytes=limit_bytes)
    source: Any = None
    if Path(as_file(data).path).suffix.lower() in {".sav", ".zsav", ".dta"}:
        source = file_rows(data, limit_bytes=limit_bytes)
    if not getattr(source, "value_labels", {}):
        return as_arrow(data, limit_bytes=limit_bytes)
    chosen = in_words_of(questions, source)
    batches = list(chosen.batches(chosen.names, 2**16))
    tables = [pa.Table.from_batches([one]) if isinstance(one, pa.RecordBatch) else one for one in batches]
    return pa.concat_tables(tables) if tables else as_arrow(data, limit_bytes=limit_bytes)
