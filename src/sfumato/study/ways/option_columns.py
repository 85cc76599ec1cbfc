"""One column an option, as questionnaires and SPSS have them: 1 where it was chosen, 0 where not.

They are read as the one cell that would name the same options. A row of zeros chose none; a row whose cells are all
empty has no answer; one that is empty in part is refused, because nobody can know what its empty cells mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.gaps import filled_words, without
from sfumato.files.words import Words, count_among
from sfumato.study.ways.chosen_options import set_text
from sfumato.study.ways.no_answer import NO_ANSWER, codes_of
from sfumato.study.wording import LONGEST, check_line

if TYPE_CHECKING:
    from sfumato.study.ways.several_questions import Several

_CHOSEN = frozenset({"1", "yes", "true"})
_LEFT = frozenset({"0", "no", "false"})
_ELSE, _CODE = -1, 2
Mask = npt.NDArray[np.bool_]


def check_option_columns(columns: tuple[str, ...], options: tuple[str, ...], none: str | None) -> None:
    """Refuse columns that are not one for each option."""
    if not columns:
        return
    if len(columns) != len(options) or len(set(columns)) != len(columns):
        raise InvalidParameter(
            f"names {len(set(columns))} columns, and there are {len(options)} options",
            parameter="columns",
            way_out="Name a column for each option, in the order of `options`, each once.",
        )
    for name in columns:
        check_line("columns", name, most=LONGEST["name"])
    if none == "":
        raise InvalidParameter(
            "says what an empty cell means, and of several columns a row of zeros chose none",
            parameter="none",
            way_out="Leave out `none`, or `columns`.",
        )


def check_empty_none(question: Several) -> None:
    """Refuse an empty cell that would mean two things: that no option was chosen, and that there is no answer."""
    if question.none != "":
        return
    if question.ask_if is not None or (question.missing is not None and not question.missing_codes):
        raise InvalidParameter(
            "says that an empty cell has chosen no option, and by "
            + ("`ask_if`" if question.ask_if is not None else "`missing`")
            + " it is no answer",
            parameter="none",
            way_out="Declare in missing_codes the text of those who did not answer, or write a word for `none`."
            if question.ask_if is None
            else "Write a word for `none`, and that word into the cells of those who chose none.",
        )


def means_codes(columns: Sequence[str], labels: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the columns whose codes, and not their labels, say whether an option was chosen."""
    return [name for name in columns if name in labels and set(labels[name]) <= _CHOSEN | _LEFT]


def with_none(words: Words, cell: str, is_code: Callable[[str], bool]) -> Words:
    """Return a column whose empty cells say `cell`; what means no answer is left out."""
    codes = np.full(words.rows, len(words.texts), dtype=np.int64)
    codes[slice(None) if words.filled is None else words.filled] = words.codes
    return without(Words(codes, (*words.texts, cell), words.first), is_code)


def gathered_words(question: Several, table: Any, first: int, *, amends: bool) -> Words:
    """Return the columns of the options as one, in the words of a cell that names them; empty rows are left out.

    In a table of corrections an empty row stays as it is, and one that means no answer is called so.
    """
    rows, aliases = table.num_rows, dict(question.aliases)
    is_code = codes_of(question)
    chosen, filled = np.zeros(rows, dtype=np.int64), np.zeros((len(question.columns), rows), dtype=np.bool_)
    taken = np.zeros(rows, dtype=np.int64)
    for i, (name, option) in enumerate(zip(question.columns, question.options, strict=True)):
        words = filled_words(table, name, first)
        yes = {option, *aliases.get(option, ())}
        marks = np.array([_mark(text, yes, is_code) for text in words.texts], dtype=np.int64)
        values = marks[words.codes] if len(words) else words.codes
        _check_marks(name, option, words, values == _ELSE)
        there = np.ones(rows, dtype=np.bool_) if words.filled is None else words.filled.copy()
        taken[there] += values == _CODE
        there[there] = values != _CODE
        filled[i] = there
        chosen[there] |= values[values != _CODE] << i
    given = filled.any(axis=0)
    back = taken == len(question.columns) if amends else np.zeros(rows, dtype=np.bool_)
    _check_whole(question, filled, given | (amends & (taken > 0) & ~back), first)
    different, codes = np.unique(chosen[given | back], return_inverse=True)
    texts = [set_text(one, question.options, question.separator, question.none_cell) for one in different.tolist()]
    codes = codes.astype(np.int64).reshape(-1)
    if back.any():
        codes[back[given | back]] = len(texts)
        texts.append(NO_ANSWER)
    there = given | back
    return Words(codes, tuple(texts), first, None if there.all() else there)


def _mark(text: str, yes: set[str], is_code: Callable[[str], bool]) -> int:
    if is_code(text):
        return _CODE
    if text in yes or text.casefold() in _CHOSEN:
        return 1
    return 0 if text.casefold() in _LEFT else _ELSE


def _check_marks(name: str, option: str, words: Words, wrong: Mask) -> None:
    places = np.flatnonzero(wrong)
    if places.size:
        raise UnreadableFile(
            f"column {name}, row {words.row(places[0])} does not say whether {option!r} was chosen; "
            f"{words.among(places.size)} are like this",
            way_out=f"Write 1 where it was chosen and 0 where not (yes and no, or true and false, are read too), or "
            f"declare `aliases` for what stands for {option!r} where it was chosen.",
        )


def _check_whole(question: Several, filled: npt.NDArray[np.bool_], given: Mask, first: int) -> None:
    partly = np.flatnonzero(given & ~filled.all(axis=0))
    if partly.size:
        row = int(partly[0])
        name = question.columns[int(np.flatnonzero(~filled[:, row])[0])]
        raise UnreadableFile(
            f"column {name}, row {first + row + 1} is empty, and other options of {question.id} are filled in there "
            f"({count_among(int(partly.size), first + given.size)} are like this)",
            way_out="Write 0 where an option was not chosen; where there is no answer, empty all columns of the "
            "question.",
        )
