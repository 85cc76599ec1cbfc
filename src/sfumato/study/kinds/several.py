"""Questions of which any number of options may be the answer."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from statistics import NormalDist
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.columns import Words, count_among
from sfumato.files.documents import toml_value
from sfumato.files.tables import filled_words, text_column, without
from sfumato.inference.estimates import pair_shares
from sfumato.inference.quantities import Picture, Quantity, Unit
from sfumato.inference.results import OptionDifferences, QuestionEstimate, Reading, Truth
from sfumato.keys.digests import positions_of
from sfumato.ladders.ladder import Ladder
from sfumato.mechanisms.options import MOST_ASKED, MOST_OPTIONS, AssignedOptions, best_asked, choices, option_deviation
from sfumato.numbers.checks import check_between, check_integer
from sfumato.prob.channel import Channel
from sfumato.sampling.mechanism import Tally
from sfumato.sampling.rows import RowSource
from sfumato.study.cells import (
    ALIASES,
    NO_ANSWER,
    NOBODY,
    Aliases,
    Cells,
    SymbolArray,
    answer_cure,
    checked_list,
    codes_of,
)
from sfumato.study.fields import (
    EPSILON,
    LONGEST,
    Entry,
    Key,
    as_text,
    check_line,
    checked_label,
    line_key,
    number_key,
    texts_key,
    whole_key,
)
from sfumato.study.goals import INTERVAL_KEYS, Goal
from sfumato.study.handler import (
    MOST_REPORTS,
    IntArray,
    channel_capacity_bits,
    channel_leakage_bits,
    epsilon_capacity_bits,
    epsilon_leakage_bits,
    least,
    options_reckoning,
)
from sfumato.study.ladder_planning import epsilon_words, plan_ladder
from sfumato.study.ladder_questions import Answered, LadderHandler, LadderQuestion
from sfumato.study.question import listed_answers
from sfumato.study.question_plans import PlanTable, QuestionPlan
from sfumato.study.readers import Audience
from sfumato.study.recovery import label_column

# --- The plan: how many options each respondent is asked about
# m options at ε/m each: more options give more respondents for each, and more noise in each report. The plan shows
# every m with the error at each level, from one option at the full ε to all k at ε/k.   Theory: docs/theory/several.md


def plan_several(handler: SeveralHandler) -> QuestionPlan:
    """Work a question out, with the table of what asking about more or fewer options would mean."""
    planned, question = plan_ladder(handler), handler.question
    options, asked = len(question.labels), handler.rung(1).asked
    epsilons = [level.epsilon for level in planned.levels]
    offered = sorted({*choices(options), options})
    errors = {m: [option_deviation(options, m, epsilon, question.goal_share) for epsilon in epsilons] for m in offered}
    document = {
        **planned.document,
        "asked": asked,
        "choices": [{"asked": m, "deviations": errors[m]} for m in offered],
    }
    own, *_ = planned.tables
    return replace(
        planned,
        words=(_why(handler, errors), *planned.words, _pairs(asked)),
        tables=(
            replace(own, title=own.title.replace("hold an answer", "choose an option")),
            _table(handler, planned, errors, offered.index(asked)),
        ),
        document=document,
    )


def _why(handler: SeveralHandler, errors: dict[int, list[float]]) -> str:
    asked, options = handler.rung(1).asked, len(handler.question.labels)
    if handler.question.ask is not None:
        return f"The study asks each respondent about {asked} of the {options} options."
    most = max(errors)
    ratios = {m: max(one / own for one, own in zip(errors[m], errors[asked], strict=True)) for m in errors}
    against = [
        f"{name} has {ratios[m]:.2f} times its error"
        for m, name in ((1, "one option at the full ε"), (most, f"asking about all {options} at ε/{options}"))
        if m != asked
    ]
    levels = "at the level where it is worst off, " if len(errors[asked]) > 1 else ""
    return (
        f"Asking about {asked} of {options} options makes the worst error of a share smallest: {levels}"
        f"{' and '.join(against)}."
    )


def _pairs(asked: int) -> str:
    if asked == 1:
        return "How many chose two options together cannot be told: a respondent is asked about one."
    return "How many chose two options together can be told as well, from those who are asked about both."


def _table(handler: SeveralHandler, planned: QuestionPlan, errors: dict[int, list[float]], chosen: int) -> PlanTable:
    question, people = handler.question, handler.audience.population
    reach = NormalDist().inv_cdf((1 + question.confidence) / 2)
    shown = [_words(m, len(question.labels)) for m in errors]
    readers = [f"{planned.readers_of(level.level)}, ε {epsilon_words(level.epsilon)}" for level in planned.levels]
    if people is None:
        title = f"Respondents for ± {100 * question.half_width:g} points, by how many options each is asked about:"
        cells = [[f"{math.ceil((reach * one / question.half_width) ** 2):,}" for one in errors[m]] for m in errors]
    else:
        title = f"± in points with {people:,} respondents, by how many options each is asked about:"
        cells = [[f"{100 * reach * one / math.sqrt(people):.2f}" for one in errors[m]] for m in errors]
    return PlanTable(
        title=title,
        header=("asked about", *readers),
        rows=tuple((name, *row) for name, row in zip(shown, cells, strict=True)),
        chosen=chosen,
    )


def _words(asked: int, options: int) -> str:
    if asked == options:
        return f"all {options}, each at ε/{options}"
    return "1, at the full ε" if asked == 1 else f"{asked}, each at ε/{asked}"


# --- Cells that name several options, such as `bus;train`


LONGEST_SEPARATOR = 3
_USUAL = (";", ",", "|", "/", "+", "&")
_UNKNOWN = -1
_FEW = 4096


def check_separator(separator: str, options: tuple[str, ...], aliases: Aliases) -> None:
    """Refuse what cannot stand between options."""
    check_line("separator", separator, most=LONGEST_SEPARATOR)
    texts = [*options, *(text for _, several in aliases for text in several)]
    if any(separator in text for text in texts):
        raise InvalidParameter(
            "stands inside an option, so that a cell could be read in two ways",
            parameter="separator",
            value=separator,
            way_out="Choose another one, or write the option without it.",
        )


def check_none(none: str | None, options: tuple[str, ...], separator: str, aliases: Aliases) -> None:
    """Refuse a word for "none of them" that means something else."""
    if not none:  # an empty cell is nothing else
        return
    meant = {*options, *(text for _, several in aliases for text in several)}
    if none in meant or separator in none:
        raise InvalidParameter(
            "is an option, or holds what stands between options",
            parameter="none",
            value=none,
            way_out="Write what a cell says where no option was chosen.",
        )


def chosen_sets(
    name: str, column: Words, options: tuple[str, ...], separator: str, none: str | None, aliases: Aliases
) -> SymbolArray:
    """Return the options that each cell names, as the bits of a number."""
    look_up = _sets if len(column.texts) <= _FEW else _sets.__wrapped__
    sets = np.array(look_up(column.texts, options, separator, none, aliases), dtype=np.int64)
    found: SymbolArray = sets[column.codes] if len(column) else column.codes
    outside = np.flatnonzero(found == _UNKNOWN)
    if outside.size:
        texts = [column.texts[code] for code in np.unique(column.codes[outside])]
        shown = ", ".join(map(repr, options[:8])) + (", …" if len(options) > 8 else "")
        raise UnreadableFile(
            f"column {name}, row {column.row(outside[0])} holds something else than options of the study ({shown}) "
            f"with {separator!r} between them; {column.among(outside.size)} are like this",
            way_out=_cure(texts, options, separator, none, aliases),
        )
    return found


def set_of(text: str, options: tuple[str, ...], separator: str, none: str | None, aliases: Aliases) -> int | None:
    """Return the options that a text names; None where it names something else."""
    (found,) = _sets.__wrapped__((text,), options, separator, none, aliases)
    return None if found == _UNKNOWN else found


def set_text(chosen: int, options: tuple[str, ...], separator: str, none: str | None) -> str:
    """Write a set of options as a cell has it."""
    return separator.join(option for i, option in enumerate(options) if chosen >> i & 1) or none or ""


@functools.lru_cache(maxsize=4)
def _sets(
    texts: tuple[str, ...], options: tuple[str, ...], separator: str, none: str | None, aliases: Aliases
) -> tuple[int, ...]:
    bit = {option: 1 << i for i, option in enumerate(options)}
    bit |= {text: bit[option] for option, several in aliases for text in several}

    def read(text: str) -> int:
        if text == none:
            return 0
        # Forms often end a cell with what stands between options.
        parts = [part for part in map(str.strip, text.split(separator)) if part]
        if not parts and none == "":
            return 0
        if not parts or any(part not in bit for part in parts):
            return _UNKNOWN
        return functools.reduce(int.__or__, (bit[part] for part in parts))

    return tuple(map(read, texts))


def _cure(texts: Iterable[str], options: tuple[str, ...], separator: str, none: str | None, aliases: Aliases) -> str:
    """Say what to do about cells; the cure is chosen by how they are written, and never repeats one."""
    held = tuple(texts)
    for other in _USUAL:
        if other != separator and not any(other in option for option in options):
            found = _sets.__wrapped__(held, options, other, none, aliases)
            if any(one != _UNKNOWN for one in found):
                return f"If {other!r} stands between options, say so in the study: separator = {toml_value(other)}."
    known = {*options, *(text for _, several in aliases for text in several)}
    parts = {part for text in held for part in map(str.strip, text.split(separator)) if part and part not in known}
    said = "" if none is not None else " If it says that no option was chosen, say so with `none`."
    return answer_cure(sorted(parts), options) + said


# --- Several-option questions and their handler
# m options are assigned in public, and each is reported through a flip. The assignment follows from the name of the
# row: the id of its part (of the amended part, for an amendment) and its number there. So parts, appended people,
# engines and readers agree, and an amended person is asked the same.   Theory: docs/theory/several.md


# Rounds of assignments begin at one of so many places, which depends on the part.
_STARTS = 1 << 40
METHOD_WORDS = "each option from those who were asked about it, exact interval"


class SeveralHandler(LadderHandler):
    """How a question with any number of options is asked."""

    by_position = False

    def __init__(self, question: Several, audience: Audience, declaration: str | None = None) -> None:
        super().__init__(question, audience, declaration)
        self.question: Several = question

    @property
    def unrounded(self) -> int | None:
        """All sets of options, unless each respondent is asked about all of them."""
        return 1 << len(self.question.options) if self.by_number else None

    @property
    def by_number(self) -> bool:  # type: ignore[override]
        """Unless each respondent is asked about all options."""
        return self.ladder.by_position

    def rung(self, level: int) -> AssignedOptions:
        """Return the mechanism of a level."""
        found = self.ladder.levels[level - 1]
        if not isinstance(found, AssignedOptions):  # a question checks what reports declare
            raise InvalidParameter("is not over options", parameter="declaration", way_out="Ask for the reports again.")
        return found

    def placed(self, numbers: IntArray, part: str) -> int | IntArray:
        """Begin the rounds of assignments of a part at a place of its own, so that small parts do not ask alike."""
        if not self.by_number:
            return positions_of(numbers)
        start = sha256(f"sfumato assignment {part} {self.question.id}".encode()).digest()
        return positions_of(numbers) + int.from_bytes(start[:8], "big") % _STARTS

    def asked(self, numbers: IntArray, part: str) -> tuple[IntArray, tuple[str, ...]]:
        """Return which options the rows of a part are asked about, as places in the list: a row a respondent."""
        return self.rung(1).assigned(numbers.size, self.placed(numbers, part)), self.question.labels

    def plan(self) -> QuestionPlan:
        """Work out how many options to ask, who sees what, and what it costs."""
        return plan_several(self)

    def channel(self, level: int) -> Channel:
        """Return the channel from sets of options to the options that are asked and the report about them."""
        if level == 0:
            raise self._are_answers()
        found = self.rung(level).channel()
        return Channel(found.rows, tuple(map(self._text, range(found.shape[0]))), found.outputs)

    def _text(self, chosen: int) -> str:
        question = self.question
        return set_text(chosen, question.labels, question.separator, question.none_cell)

    @property
    def report_words(self) -> str:
        """Say which bit is about which option."""
        rung = self.rung(1)
        if not self.by_number:
            return (
                f"a number whose bit i, from the least, says whether option i of the list was chosen, each bit flipped "
                f"at random; all {rung.options} options are asked"
            )
        return (
            f"a number of {rung.asked} bits about {rung.asked} of the {rung.options} options, which the part and the "
            f"number of the row decide (`sf.workflows.asked_options` names them); the least bit is about the first of "
            f"them in the order of the study, 1 where it was chosen, and each bit is flipped at random"
        )

    def tally(
        self, reports: IntArray, level: int, *, positions: int | IntArray = 0, counts: IntArray | None = None
    ) -> Tally:
        """Count what is said of each option and of each pair by those who were asked about it."""
        return self.rung(level).tally(reports, positions, counts)

    def estimate(self, tally: Tally, reading: Reading) -> QuestionEstimate:
        """Return the share of each option; they need not sum to one."""
        if reading.level == 0:
            raise self._are_answers()
        rung, labels = self.rung(reading.level), self.question.labels
        reading = reading.plain(self.question.id)
        found = rung.estimate(tally, confidence=reading.confidence)
        asked = rung.option_counts(tally).sum(axis=1)
        nobody = [label for label, count in zip(labels, asked.tolist(), strict=True) if not count]
        return QuestionEstimate(
            question=self.question,
            group=reading.group,
            level=reading.level,
            epsilon=self.exact_epsilon(reading.level),
            labels=labels,
            shares=found.projected,
            raw=found.raw,
            standard_errors=found.standard_errors,
            intervals=found.intervals,
            confidence=reading.confidence,
            total=found.total,
            method=METHOD_WORDS,
            picture=Picture.OPTIONS,
            notes=(_unasked(nobody),) if nobody else (),
            differences=OptionDifferences(rung=rung, tally=tally),
        )

    def reckoning(self, level: int) -> dict[str, Any] | None:
        """Return that of flips, where all options are asked and the reports can be listed."""
        if level < 1 or self.by_number or self.report_count > MOST_REPORTS:
            return None
        own, other = map(float, self.rung(level).probabilities)
        return options_reckoning(self.question, level, self.exact_epsilon(level), own, other)

    def pairs(self, tally: Tally, reading: Reading) -> tuple[Quantity, ...]:
        """Return the share of those who chose both, for each pair of options; only where two are asked at a time."""
        if reading.level == 0:
            raise self._are_answers()
        rung, labels = self.rung(reading.level), self.question.labels
        if rung.asked < 2:
            raise InvalidParameter(
                f"question {self.question.id!r} asks each respondent about one option, so nothing is known of two "
                f"together",
                way_out="Write ask = 2 in the study before it is published, or more.",
            )
        found = pair_shares(rung.pair_counts(tally), *rung.probabilities, reading.confidence)
        return tuple(
            Quantity(
                name=f"{labels[first]} and {labels[second]}",
                value=one.value,
                interval=one.interval,
                raw=one.raw,
                standard_error=one.standard_error,
                unit=Unit.SHARE,
                words="" if one.total else "Nobody here was asked about both.",
            )
            for (first, second), one in zip(rung.pairs, found, strict=True)
        )

    def truth(self, held: Counter[str]) -> Truth:
        """Return the true shares of the options."""
        question, total = self.question, held.total()
        shares = [0] * len(question.labels)
        for text, count in held.items():
            chosen = set_of(text, question.options, question.separator, question.none_cell, question.aliases)
            if question.hides and text == NO_ANSWER:
                chosen = 1 << len(question.options)
            if chosen is None:
                raise self.no_answers()
            for i in range(len(shares)):
                shares[i] += count * (chosen >> i & 1)
        if not total:
            raise self.no_answers()
        return Truth(shares=tuple(share / total for share in shares))

    @property
    def answer_bits(self) -> Fraction:
        """One for each option: over several releases all of them may be asked."""
        return Fraction(len(self.question.labels))

    def capacity_bits(self, level: int) -> Fraction:
        """Return the capacity of all flips of a level: they are drawn apart, and capacities of such channels add."""
        own = self.rung(level).asked * channel_capacity_bits(self._flip(level))
        return least(self.answer_bits, own, epsilon_capacity_bits(self.epsilons[level - 1]))

    def leakage_bits(self, level: int) -> Fraction:
        """Return the maximal leakage of all flips of a level."""
        own = self.rung(level).asked * channel_leakage_bits(self._flip(level))
        return least(self.answer_bits, own, epsilon_leakage_bits(self.epsilons[level - 1]))

    def _flip(self, level: int) -> Channel:
        """Return the channel of one option that is asked."""
        own, other = self.rung(level).probabilities
        return Channel([[own, other], [other, own]])


def _unasked(options: list[str]) -> str:
    named = ", ".join(f"“{option}”" for option in options[:8]) + (", …" if len(options) > 8 else "")
    return f"Nobody here was asked about {named}: nothing is known of it."


# --- One column for each option, as in questionnaires and SPSS: 1 chosen, 0 not chosen
# They are read as the one cell that would name the same options. A row of zeros chose none. A row of empty cells has no
# answer. A row that is empty in part is refused, because the meaning of its empty cells is unknown.


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


_SEPARATOR = ";"
_NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Several(LadderQuestion):
    """Any number of `options`: a cell such as `bus;train` has those that were chosen, with `separator` between.

    Each respondent is asked about `ask` of them, in public; left out, as many as make the worst error smallest. `none`
    is what a cell says where no option was chosen; "" is an empty cell. A table that has a column for each option
    instead, 1 where it was chosen and 0 where not, names them in `columns`.

    >>> import sfumato as sf
    >>> sf.Several(id="ways", text="How do you get about?", options=("bus", "car", "bicycle")).labels
    ('bus', 'car', 'bicycle')
    """

    KIND: ClassVar[str] = "several"
    HEADLINE: ClassVar[str] = "any of a list"
    KEYS: ClassVar = (
        texts_key("options", "What may be chosen, each once.", low=2, high=MOST_OPTIONS, is_needed=True),
        whole_key(
            "ask",
            "Each respondent is asked about so many options; left out, as many as make the worst error smallest.",
            1,
            MOST_ASKED,
        ),
        line_key("separator", "What stands between options in a cell.", most=LONGEST_SEPARATOR),
        Key(
            name="none",
            words='What a cell says where no option was chosen; "" is an empty cell.',
            read=as_text,
            schema={"type": "string", "maxLength": LONGEST["answers"]},
        ),
        texts_key(
            "columns",
            "The columns of a table that has one for each option, in their order: 1 where it was chosen, 0 where not.",
            low=2,
            high=MOST_OPTIONS,
            longest=LONGEST["name"],
        ),
        ALIASES,
        EPSILON,
        number_key(
            "expected_share", "Share of those who choose an option; left out, a half, which is the worst.", 0, 1
        ),
        *(key for key in INTERVAL_KEYS if key.name in {"difference", "half_width", "confidence"}),
    )
    COMMENTS: ClassVar = {
        "options": "any number of them may be chosen",
        "separator": "what stands between options in a cell",
        "none": "what a cell says where no option was chosen",
    }

    options: tuple[str, ...]
    ask: int | None = None
    separator: str = _SEPARATOR
    none: str | None = None
    columns: tuple[str, ...] = ()
    goal: Goal = field(default_factory=Goal)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_list(self.options, MOST_OPTIONS))
        if self.none:
            object.__setattr__(self, "none", checked_label("none", self.none, most=LONGEST["answers"]))
        self._check()
        if self.ask is not None:
            check_between("ask", check_integer("ask", self.ask), 1, min(len(self.options), MOST_ASKED))
        check_separator(self.separator, self.options, self.aliases)
        check_none(self.none_cell, self.options, self.separator, self.aliases)
        check_option_columns(self.columns, self.options, self.none)
        check_empty_none(self)
        if self.goal.is_test:
            raise InvalidParameter(
                "is a goal for a card", parameter="theta_1", way_out="Plan for a `half_width` instead."
            )

    @property
    def choices(self) -> tuple[str, ...]:
        """The options; their shares need not sum to one."""
        return self.options

    @property
    def none_cell(self) -> str | None:
        """What a cell says where no option was chosen; a row of zeros has to be called something."""
        return _NONE if self.columns and self.none is None else self.none

    @property
    def sources(self) -> tuple[str, ...]:
        """A column for each option, or one for all."""
        return self.columns or (self.id,)

    def words(self, table: Any, first: int = 0, *, amends: bool = False) -> Words:
        """Return cells that name options, whatever columns they stand in."""
        if self.columns:
            return gathered_words(self, table, first, amends=amends)
        if self.none == "" and not amends:
            # A cell that has nothing but the separator names no option.
            return with_none(filled_words(table, self.id, first), self.separator, codes_of(self))
        return super(Several, self).words(table, first, amends=amends)

    def codes_meant(self, labels: Mapping[str, Mapping[str, str]]) -> list[str]:
        """Of columns of options, those that are 0 and 1; else the labels are read."""
        return means_codes(self.columns, labels) if self.columns else super(Several, self).codes_meant(labels)

    @property
    def asked(self) -> int | None:
        """How many are asked about; who is asked about all options is asked whether they answered at all as well."""
        return len(self.labels) if self.ask == len(self.options) else self.ask

    def page_asks(self) -> dict[str, Any]:
        """Return the options; a symbol has a bit for each. `none` is null where choosing nothing is no answer."""
        return {"type": "several", "options": list(self.options), "none": self.none_cell}

    @property
    def nobody(self) -> int:
        """That alone is chosen."""
        return 1 << len(self.options)

    def symbols(self, places: SymbolArray, words: Callable[[Answered], RowSource]) -> SymbolArray:
        """Return sets of `labels`; who did not answer has chosen that alone."""
        del words
        return np.where(places == NOBODY, self.nobody, places)

    @property
    def noun(self) -> str:
        """What is asked about."""
        return "options (with “no answer”)" if self.hides else "options"

    @property
    def goal_share(self) -> float:
        """The share that is expected, or the worst."""
        return float(self.goal.share)

    @property
    def half_width(self) -> float:
        """What was asked for."""
        return float(self.goal.width)

    @property
    def confidence(self) -> float:
        """What was asked for."""
        return float(self.goal.confidence)

    @property
    def cells(self) -> Cells:
        """A cell names several options; what stands for one is looked up when it is cut."""
        return Cells()

    def describe(self) -> str:
        """Name the options."""
        return f"Any of these may be chosen. {listed_answers(self.labels).replace('Answers', 'Options', 1)}"

    def limits(self) -> tuple[str, ...]:
        """Say what a report is not about."""
        said = (
            "A report is about the options that its respondent was asked about and says nothing of the others; which "
            "these are is public, and no key gives back from a report what was not asked."
        )
        return (said,)

    def handler(self, audience: Audience, declaration: str | None = None) -> SeveralHandler:
        """Return how it is asked."""
        return SeveralHandler(self, audience, declaration)

    def places(self, column: Words) -> SymbolArray:
        """Return the options that each cell names, as the bits of a number."""
        return chosen_sets(self.id, column, self.options, self.separator, self.none_cell, self.aliases)

    def mechanism(self, epsilons: Sequence[float]) -> AssignedOptions:
        """Ask about as many options as the study says, or as make the worst error smallest."""
        count = len(self.labels)
        asked = best_asked(count, epsilons, self.goal_share) if self.asked is None else self.asked
        return AssignedOptions(options=count, asked=asked, odds=Fraction(2) ** asked)

    def given_back(self, places: SymbolArray, *, as_text: bool, kind: str) -> dict[str, Any]:
        """Return cells that name the options, or a column for each option where the table has these."""
        if self.columns:
            words = ("False", "True") if kind == "bool" else ("0", "1")
            wanted = "" if as_text else kind or "int64"
            return {name: label_column(places >> i & 1, words, wanted) for i, name in enumerate(self.columns)}
        different, codes = np.unique(places, return_inverse=True)
        texts = [set_text(one, self.options, self.separator, self.none_cell) for one in different.tolist()]
        return {self.id: text_column(codes.reshape(-1).astype(np.int64), texts)}

    def fits(self, ladder: Ladder) -> bool:
        """Whether reports that a ladder made are about these options, as many at a time as the study says."""
        rung = ladder.levels[0]
        return (
            isinstance(rung, AssignedOptions)
            and rung.options == len(self.labels)
            and (self.ask is None or rung.asked == self.asked)
        )

    @classmethod
    def suits(cls, answers: str) -> bool:
        """Options with semicolons between, as cells have them."""
        return len(_typed(answers)) > 1

    @classmethod
    def typed(cls, name: str, text: str, answers: str) -> Self:
        """Read options with semicolons or commas between."""
        return cls(id=name, text=text, options=_typed(answers) if ";" in answers else _typed(answers.replace(",", ";")))

    @property
    def takes_goal(self) -> bool:
        """An interval."""
        return True

    def with_goal(self, wished: Mapping[str, Fraction]) -> Self:
        """Return the same question for another goal."""
        return replace(self, goal=self.goal.changed(wished))

    @classmethod
    def from_entries(cls, entries: dict[str, Any]) -> Self:
        """Put the goal together."""
        return cls(**Goal.taken_from(entries))

    def entries(self) -> dict[str, Entry]:
        """Return what a file says of it."""
        separator = None if self.separator == _SEPARATOR else self.separator
        columns = list(self.columns) or None
        own = {"columns": columns, "ask": self.ask, "separator": separator, "none": self.none, "epsilon": self.epsilon}
        found: dict[str, Entry] = {"options": list(self.options)}
        found |= {name: value for name, value in own.items() if value is not None}
        return found | self.goal.entries() | self.cell_entries()


def _typed(answers: str) -> tuple[str, ...]:
    return tuple(option for option in map(str.strip, answers.split(";")) if option)
