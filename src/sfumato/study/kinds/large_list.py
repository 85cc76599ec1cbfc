"""Questions with one answer of a long list.

The estimate names the texts that are surely given, under one error for the whole list.
Theory: docs/theory/heavy_hitters.md
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.columns import Words
from sfumato.files.documents import toml_value
from sfumato.inference.heavy_hitters import FamilyCut, FoundAnswers, found_answers, raw_shares, reports_to_find
from sfumato.inference.results import JointDifferences, QuestionEstimate, Reading
from sfumato.ladders.spec import HittingLevel, hitting_level
from sfumato.numbers.checks import check_between
from sfumato.numbers.intervals import Interval
from sfumato.sampling.mechanism import smallest_dtype
from sfumato.study.cells import NO_ANSWER, Cells, SymbolArray
from sfumato.study.fields import (
    EPSILON,
    Entry,
    Key,
    as_text,
    checked_label,
    exact_number,
    line_key,
    number_key,
    path_key,
    whole_key,
)
from sfumato.study.handler import FloatArray, IntArray
from sfumato.study.kinds.dictionaries import DIGEST, LEAST_TEXTS, LONGEST_TEXT, MOST_TEXTS, Dictionary, InFile
from sfumato.study.ladder_planning import epsilon_words, plan_ladder
from sfumato.study.ladder_questions import LadderHandler, LadderQuestion
from sfumato.study.question_plans import PlanTable, QuestionPlan
from sfumato.study.readers import Audience

# --- Counts of reports
# Reports are kept as they came while they are few, and counted once they are many. So a small group takes as little
# memory as its reports, however many different reports there could be.


@dataclass(frozen=True, slots=True, eq=False)
class ReportCounts:
    """How often each of `size` reports was seen: `counted`, and those that have come since. Counts of chunks add."""

    size: int
    counted: IntArray | None
    since: tuple[npt.NDArray[Any], ...] = ()

    @classmethod
    def of(cls, reports: npt.NDArray[Any], size: int) -> ReportCounts:
        """Count reports."""
        return cls(size, None) + cls(size, None, (reports.astype(smallest_dtype(size)),))

    @property
    def total(self) -> int:
        """The number of reports."""
        return (0 if self.counted is None else int(self.counted.sum())) + self.waiting

    @property
    def counts(self) -> IntArray:
        """How often each report was seen."""
        found = np.zeros(self.size, dtype=np.int64) if self.counted is None else self.counted.copy()
        for reports in self.since:
            found += np.bincount(reports, minlength=self.size)
        return found

    @property
    def waiting(self) -> int:
        """How many reports have not been counted yet."""
        return sum(reports.size for reports in self.since)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ReportCounts):
            return NotImplemented
        return bool(np.array_equal(self.counts, other.counts))

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: ReportCounts) -> ReportCounts:
        held = [one.counted for one in (self, other) if one.counted is not None]
        counted = None if not held else held[0] if len(held) == 1 else held[0] + held[1]
        found = ReportCounts(self.size, counted, (*self.since, *other.since))
        # Counted as soon as that takes less memory than the reports.
        return ReportCounts(self.size, found.counts) if found.waiting > self.size else found


# --- Large-list questions and their handler
# They are asked through a ladder like a short list. Counts are kept in arrays, because a hundred thousand texts are as
# many numbers as a small table has cells. Only the texts that were found are shown.


# The plan says how often texts with these shares are found, and from which share on one is found this often.
PLANNED_SHARES = (0.001, 0.003, 0.01)
PLANNED_POWER = 0.9
_MOST_WEIGHTS = 1 << 24


class LargeListHandler(LadderHandler):
    """How a question with a dictionary is asked."""

    question: LargeList

    def __init__(self, question: LargeList, audience: Audience, declaration: str | None = None) -> None:
        super().__init__(question, audience, declaration)

    @property
    def not_recovered(self) -> str | None:
        """Texts that count for others are not kept."""
        if self.ladder.recover_answers and self.question.others is not None:
            return f"texts outside its list are reported as “{self.question.others}”, and not kept apart"
        return super().not_recovered

    def plan(self) -> QuestionPlan:
        """Say from which share on a text is found."""
        planned, people = plan_ladder(self), self.audience.population
        rows = [
            {**row, **self._found(level.level, people)}
            for level, row in zip(planned.levels, planned.document["levels"], strict=True)
        ]
        document = {**planned.document, "levels": rows, "family_error": float(self.question.family_error)}
        return replace(
            planned,
            words=(*planned.words, self._error_words()),
            tables=(self._table(rows, people),),
            curve=None,
            document=document,
        )

    def _found(self, level: int, people: int | None) -> dict[str, Any]:
        needed = {str(share): reports_to_find(self.rule(level, 1), share, PLANNED_POWER) for share in PLANNED_SHARES}
        found: dict[str, Any] = {"respondents_to_find": needed}
        if people is not None:
            rule = self.rule(level, people)
            found |= {
                "least_hits": rule.count(),
                "share_cut": rule.share,
                "share_found": rule.share_found(PLANNED_POWER),
                "power": {str(share): rule.power(share) for share in PLANNED_SHARES},
            }
        return found

    def _error_words(self) -> str:
        asked = self.question
        sure = f"{100 * (1 - float(asked.family_error)):.6g} %"
        given = (
            "is one that nobody gave"
            if not asked.at_least
            else f"is given by {100 * float(asked.at_least):.6g} % or fewer"
        )
        return (
            f"Reported are texts that are surely given: with probability {sure} or more none of those reported, of "
            f"{asked.size:,} in all, {given}."
        )

    def _table(self, rows: Sequence[dict[str, Any]], people: int | None) -> PlanTable:
        shares = [f"{100 * share:g} %" for share in PLANNED_SHARES]
        if people is None:
            return PlanTable(
                title=f"Respondents needed to find a text {100 * PLANNED_POWER:g} % of the time, by its share:",
                header=("readers", "ε", *shares),
                rows=tuple(
                    (
                        *_heading(row),
                        *(
                            "never" if number is None else f"{number:,}"
                            for number in row["respondents_to_find"].values()
                        ),
                    )
                    for row in rows
                ),
            )
        return PlanTable(
            title=(
                f"With {people:,} respondents: from which share on a text is found {100 * PLANNED_POWER:g} % of the "
                f"time, and how often smaller and larger ones are:"
            ),
            header=("readers", "ε", "found from", *shares),
            rows=tuple(
                (
                    *_heading(row),
                    "never" if row["share_found"] is None else f"{100 * row['share_found']:.3g} %",
                    *(f"{100 * power:.3g} %" for power in row["power"].values()),
                )
                for row in rows
            ),
        )

    def rule(self, level: int, n: int) -> FamilyCut:
        """Return the cut of a level for n reports."""
        own, other = self._cyclic(level).probabilities
        asked = self.question
        return FamilyCut(
            size=asked.size,
            n=n,
            own=own,
            other=other,
            error=asked.family_error,
            at_least=asked.at_least or Fraction(0),
        )

    def _cyclic(self, level: int) -> HittingLevel:
        return hitting_level(self.rung_at(level))

    def tally(  # type: ignore[override]
        self,
        reports: IntArray,
        level: int,
        *,
        positions: int | IntArray = 0,
        counts: IntArray | None = None,
    ) -> ReportCounts:
        """Count reports."""
        del level, positions
        seen = np.asarray(reports) if counts is None else np.repeat(reports, counts)
        return ReportCounts.of(seen, self.report_count)

    def estimate(self, tally: ReportCounts, reading: Reading) -> QuestionEstimate:  # type: ignore[override]
        """Return the texts that are surely given, most frequent first."""
        asked, plain = self.question, reading.plain(self.question.id)
        hits, rule = self._hits(tally, reading.level)
        found = found_answers(hits, rule, confidence=plain.confidence)
        labels = self._labels(found)
        shares, raw = tuple(np.clip(found.raw, 0.0, 1.0).tolist()), tuple(found.raw.tolist())
        intervals = tuple(map(Interval, found.lower.tolist(), found.upper.tolist()))
        return QuestionEstimate(
            question=asked,
            group=reading.group,
            level=reading.level,
            epsilon=math.log(self._cyclic(reading.level).odds),
            labels=labels,
            shares=shares,
            raw=raw,
            standard_errors=tuple(found.standard_errors.tolist()),
            intervals=intervals,
            confidence=plain.confidence,
            together=plain.confidence,
            total=rule.n,
            method=(
                f"texts with at least {found.cut:,} hits, family-wise error {100 * float(asked.family_error):.6g} % "
                f"over {asked.size:,} (Holm); unbiased shares"
            ),
            notes=self._notes(len(labels)),
            differences=JointDifferences(raw=raw, shares=shares, intervals=intervals),
        )

    def reckoning(self, level: int) -> None:
        """Texts are found among very many by a rule of their own, in Python alone."""
        del level

    def raw_shares(self, tally: ReportCounts, level: int) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
        """Return the unbiased shares of all texts, found or not, and their standard errors."""
        hits, rule = self._hits(tally, level)
        raw, errors, _, _ = raw_shares(hits, rule, tail=0.025)
        return self.question.labels, raw, errors

    def _hits(self, tally: ReportCounts, level: int) -> tuple[FloatArray, FamilyCut]:
        if level == 0:
            raise self._are_answers()
        total = tally.total
        if not total:
            raise InvalidParameter("is empty", parameter="tally", way_out="Collect at least one report.")
        return self._cyclic(level).hits(tally.counts.astype(np.float64)), self.rule(level, total)

    def _labels(self, found: FoundAnswers) -> tuple[str, ...]:
        labels = self.question.labels
        return tuple(labels[place] for place in found.places.tolist())

    def _notes(self, found: int) -> tuple[str, ...]:
        sure = f"{100 * (1 - float(self.question.family_error)):.6g} %"
        if not found:
            return ("No text is surely given so often; ask more people, or raise epsilon.",)
        at_least = self.question.at_least
        said = "is one that nobody gave" if not at_least else f"is given by {100 * float(at_least):.6g} % or fewer"
        picked = (
            f"Texts were picked because their shares came out high, so shares tend high. The intervals hold for all "
            f"{self.question.size:,} texts at once, and so for those that were picked."
        )
        return f"With probability {sure} or more, no text in this list {said}. Others may be given as well.", picked

    def weights(self, level: int) -> FloatArray:
        """Return the weights while they fit a table."""
        if self.report_count * self.question.size > _MOST_WEIGHTS:
            raise InvalidParameter(
                f"question {self.question.id!r} has {self.report_count * self.question.size:,} weights, and a table "
                f"holds at most {_MOST_WEIGHTS:,}",
                way_out="Name the other questions; `sf.workflows.raw_shares` has the unbiased shares of all texts.",
            )
        return super().weights(level)

    def truth(self, held: Counter[str]) -> None:
        """Only what is found is shown, so there is nothing to compare place by place."""
        del held


def _heading(row: dict[str, Any]) -> tuple[str, str]:
    return ", ".join(row["readers"]) or "-", epsilon_words(row["epsilon"])


DEFAULT_ERROR = Fraction(1, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeList(LadderQuestion):
    """One of the texts of a `dictionary`: texts in Python, or the path of a file with one on each line, in UTF-8.

    An answer that is none of them is refused, or counts for the answer `others`. The estimate names texts that were
    surely given, with `at_least` by more than this share; `family_error` bounds the probability that one of them is
    wrong.

    >>> import sfumato as sf
    >>> codes = [f"A{number:02}" for number in range(100)]
    >>> sf.LargeList(id="disease", text="What is your diagnosis?", dictionary=codes).kind
    'large-list'
    """

    KIND: ClassVar[str] = "large-list"
    HEADLINE: ClassVar[str] = "one of a long list in a file"
    KEYS: ClassVar = (
        path_key(
            "dictionary",
            f"The file of the texts, from the study's folder: UTF-8, one text a line, each once, {LEAST_TEXTS} to "
            f"{MOST_TEXTS:,} of them.",
            is_needed=True,
        ),
        EPSILON,
        line_key(
            "others",
            "An answer that is not in the dictionary counts for this, or is refused.",
            most=LONGEST_TEXT,
        ),
        number_key("family_error", "How probably any text that nobody gave may be reported.", 1e-9, 0.5),
        number_key("at_least", "Report texts that surely more than this share gave.", 0, 1),
        Key(
            name="dictionary_sha256",
            words="SHA-256 of the texts, each followed by a line break; another dictionary is then refused.",
            read=as_text,
            schema={"type": "string", "pattern": f"^{DIGEST.pattern}$"},
        ),
        whole_key("dictionary_count", "How many texts there are.", LEAST_TEXTS, MOST_TEXTS),
    )
    COMMENTS: ClassVar = {
        "dictionary": "one text a line",
        "others": "what is not in the file counts for this",
        "family_error": "how probably any text is reported that nobody gave",
    }

    dictionary: Dictionary
    others: str | None = None
    family_error: Fraction = DEFAULT_ERROR
    at_least: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "dictionary", dictionary_of(self.dictionary))
        self._check()
        if self.others is not None:
            object.__setattr__(self, "others", checked_label("others", self.others, most=LONGEST_TEXT))
            if self._has(self.others):
                raise InvalidParameter(
                    "is one of the texts of the dictionary", parameter="others", way_out="Name it otherwise."
                )
        object.__setattr__(self, "family_error", exact_number("family_error", self.family_error))
        check_between("family_error", self.family_error, Fraction(1, 10**9), Fraction(1, 2))
        if self.at_least is not None:
            object.__setattr__(self, "at_least", exact_number("at_least", self.at_least))
            if not 0 <= self.at_least < 1:
                raise InvalidParameter(
                    "must lie in [0, 1)", parameter="at_least", way_out="Write a share, such as 0.001 for 0.1 %."
                )

    def handler(self, audience: Audience, declaration: str | None = None) -> LargeListHandler:
        """Return how it is asked."""
        return LargeListHandler(self, audience, declaration)

    def _has(self, text: str) -> bool:
        """Whether a text is in the dictionary, as far as that is known before it is read."""
        return self.dictionary.is_at_hand and text in self.dictionary.places

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts, and what stands for all others."""
        return self.dictionary.texts if self.others is None else (*self.dictionary.texts, self.others)

    @property
    def choice_count(self) -> int:
        """As many as there are texts, and one more for all others."""
        return self.dictionary.count + (self.others is not None)

    @property
    def listed(self) -> tuple[str, ...]:
        """Nothing that a skip rule could choose from: the texts stand in another file."""
        return ()

    @property
    def cells(self) -> Cells:
        """Texts as they are: 01234 and 1234 may both be codes, and neither is the other."""
        return Cells()

    def check_hidden(self) -> None:
        """Refuse a text that is called like no answer."""
        if self._has(NO_ANSWER) or self.others == NO_ANSWER:
            raise InvalidParameter(
                f"calls an empty cell {NO_ANSWER!r}, which is one of the texts already",
                parameter="missing",
                value=str(self.missing),
                way_out="Take it out of the dictionary: empty cells are what it is for.",
            )

    @property
    def counts_hits(self) -> bool:
        """They are."""
        return True

    @property
    def noun(self) -> str:
        """Texts of a list."""
        return "texts"

    def describe(self) -> str:
        """Say how many texts there are, and what becomes of others."""
        others = "" if self.others is None else f"; any other counts for “{self.others}”"
        return f"One of {self.dictionary.count:,} texts of a dictionary ({self.dictionary.name}){others}."

    def limits(self) -> tuple[str, ...]:
        """Say what the dictionary is."""
        words = "The dictionary is public. It says nothing about respondents if it was not made from their answers."
        return (words,)

    def page_asks(self) -> dict[str, Any]:
        """Return the dictionary as its file has it, so that its digest, which the study names, can be checked."""
        texts = self.dictionary.to_bytes().decode()
        return {"type": "listed", "texts": texts, "sha256": self.dictionary.digest, "others": self.others}

    def places(self, column: Words) -> SymbolArray:
        """Return the place of each answer in the dictionary; others come after it, or are refused by their row."""
        places, rest = self.dictionary.places, -1 if self.others is None else self.dictionary.count
        found = np.fromiter((places.get(text, rest) for text in column.texts), dtype=np.int64, count=len(column.texts))
        symbols: SymbolArray = found.take(column.codes) if len(column) else np.empty(0, np.int64)
        outside = np.flatnonzero(symbols < 0)
        if outside.size:
            raise UnreadableFile(
                f"column {self.id}, row {column.row(outside[0])} holds none of the {self.dictionary.count:,} texts of "
                f"the dictionary; {column.among(outside.size)} are like this",
                way_out="Correct it, add it to the dictionary, or name an answer for all `others` in the study.",
            )
        return symbols

    @classmethod
    def from_entries(cls, entries: dict[str, Any]) -> Self:
        """Read the dictionary, or remember where it stands."""
        file: InFile = entries.pop("dictionary")
        digest, count = entries.pop("dictionary_sha256", None), entries.pop("dictionary_count", None)
        if digest is not None and DIGEST.fullmatch(digest) is None:
            raise InvalidParameter(
                "must be 64 hexadecimal digits, in small letters",
                parameter="dictionary_sha256",
                way_out="Leave it out, or copy it from a file that `write_study` wrote.",
            )
        if digest is not None and count is not None:
            folders = (file.path.parent, file.path.parent.parent)
            declared = Dictionary.declared(digest, count, folders)
            # A note always has this name; a study may name any file.
            if file.path.name == declared.name and (declared.is_at_hand or not file.at_once):
                return cls(**entries, dictionary=declared)
        found = Dictionary.read(file.path)
        found.check_is(found.digest if digest is None else digest)
        if count not in {None, found.count}:
            raise InvalidParameter(
                f"does not fit the dictionary, which has {found.count:,} texts",
                parameter="dictionary_count",
                value=count,
                way_out="Leave it out.",
            )
        return cls(**entries, dictionary=found)

    def entries(self) -> dict[str, Entry]:
        """Return what a file says of it: the texts stand in a file beside it, whose name is made of their digest."""
        found: dict[str, Entry] = {
            "dictionary": self.dictionary.name,
            "dictionary_sha256": self.dictionary.digest,
            "dictionary_count": self.dictionary.count,
        }
        for name in ("epsilon", "others", "at_least"):
            if getattr(self, name) is not None:
                found[name] = getattr(self, name)
        if self.family_error != DEFAULT_ERROR:
            found["family_error"] = self.family_error
        return found | self.cell_entries()

    def files_beside(self) -> dict[str, Callable[[], bytes]]:
        """Return the dictionary."""
        return {self.dictionary.name: self.dictionary.to_bytes} if self.dictionary.is_known else {}

    @classmethod
    def suits(cls, answers: str) -> bool:
        """The name of a text file."""
        return answers.strip().endswith(".txt") and "," not in answers

    @classmethod
    def typed(cls, name: str, text: str, answers: str) -> Self:
        """Read the dictionary that is named."""
        return cls(id=name, text=text, dictionary=Dictionary.read(Path(answers.strip())))

    def first_lines(self) -> list[tuple[str, str]]:
        """Name the file as it was typed, and say what becomes of other answers."""
        source = self.dictionary.name if self.dictionary.source is None else self.dictionary.source
        found = {**self.entries(), "dictionary": source, "family_error": self.family_error}
        lines = [
            (f"{name} = {toml_value(value)}", self.COMMENTS.get(name, ""))
            for name, value in found.items()
            if name not in {"dictionary_sha256", "dictionary_count"}
        ]
        more = 'others = "other"   counts what is not in the file; without it such an answer is refused'
        return lines if self.others is not None else [*lines, ("", more)]


def dictionary_of(given: Dictionary | str | Path | Iterable[str]) -> Dictionary:
    """Return a dictionary of texts, or that of a file."""
    if isinstance(given, Dictionary):
        return given
    return Dictionary.read(given) if isinstance(given, str | Path) else Dictionary.of(given)
