"""What a study's page is made from: the plan, the files that were given, and what each of them says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.certificates import Certificate
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.study.estimating import QuestionEstimate, estimate_table
from sfumato.study.planning import LadderPlan, QuestionPlan, StudyPlan
from sfumato.study.questions import Count, FreeText, OneOfMany, Question
from sfumato.study.reports import Reports
from sfumato.study.study_files import fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one file says about one question: over everybody, and by group if that was asked for and can be told."""

    reader: str
    whole: QuestionEstimate
    groups: tuple[QuestionEstimate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The true shares of a question's answers, or the true mean of a count; for simulations."""

    shares: tuple[float, ...] | None = None
    mean: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportMaterial:
    """Everything that a section may use; `seen` has the public view of a question first, sharper ones after."""

    plan: StudyPlan
    files: tuple[Reports, ...]
    seen: Mapping[str, tuple[Seen, ...]]
    group: str | None
    truths: Mapping[str, Truth]
    disclosed: Certificate | None = None

    @property
    def source(self) -> str:
        """The loudest source of chance among the files: a seed that anyone can repeat, if there is one."""
        return next((file.note.source for file in self.files if file.note.is_insecure), self.files[0].note.source)

    @property
    def is_insecure(self) -> bool:
        """Whether reports were made from a seed that anyone can repeat."""
        return any(file.note.is_insecure for file in self.files)


def gather_material(
    plan: StudyPlan,
    files: Sequence[Reports],
    *,
    confidence: float = 0.95,
    group: str | None = None,
    truth: Any = None,
    disclosed: Certificate | None = None,
) -> ReportMaterial:
    """Estimate every question from every file that shows it differently; `truth` is an Arrow table of answers."""
    if not files:
        raise InvalidParameter("reports is empty. Give at least the public reports.")
    wanted = fingerprint(plan.study)
    for file in files:
        if file.note.fingerprint != wanted:
            raise InvalidParameter(
                "reports are of different studies. Give the public reports, and files opened from these reports."
            )
        if file.note.epoch != files[0].note.epoch:
            raise InvalidParameter(
                f"reports are of epochs {files[0].note.epoch} and {file.note.epoch}. Make a page for each epoch."
            )
    return ReportMaterial(
        plan=plan,
        files=tuple(files),
        seen={planned.question.id: _views(planned, files, confidence, group) for planned in plan.questions},
        group=group,
        truths={} if truth is None else _truths(plan, truth),
        disclosed=disclosed,
    )


def _views(planned: QuestionPlan, files: Sequence[Reports], confidence: float, group: str | None) -> tuple[Seen, ...]:
    name = planned.question.id
    found: dict[str, tuple[int, Seen]] = {}
    for file in files:
        column = file.note.columns.get(name)
        # Questions that a key does not open stand in an opened file as they are in public; answers are no reports.
        if column is None or column.digest in found or (column.ladder is not None and column.level == 0):
            continue
        if isinstance(planned.question, FreeText) and file.note.offset:
            continue  # texts are found from all reports together
        by = None if _asks_by_position(planned.question) else group
        whole, *groups = estimate_table(file, confidence=confidence, group=by, questions=[name])
        seen = Seen(reader=_reader(planned, file, name), whole=whole, groups=tuple(groups))
        found[column.digest] = (column.level, seen)
    return tuple(seen for _, seen in sorted(found.values(), key=lambda pair: -pair[0]))


def _asks_by_position(question: Question) -> bool:
    return isinstance(question, FreeText) or (isinstance(question, OneOfMany) and question.random_bits is not None)


def _reader(planned: QuestionPlan, file: Reports, name: str) -> str:
    level = file.note.column(name).level
    who = "public"
    if isinstance(planned, LadderPlan) and level < len(planned.levels):
        who = ", ".join(planned.levels[level - 1].readers) or f"level {level}"
    if len(file) == file.note.rows:
        return who
    return f"{who}, rows {file.note.offset + 1} to {file.note.offset + len(file)}"


def _truths(plan: StudyPlan, table: Any) -> dict[str, Truth]:
    from sfumato.files.tables import words_of  # noqa: PLC0415  only simulations need it

    found = {}
    for planned in plan.questions:
        question = planned.question
        if isinstance(question, FreeText):
            continue
        if question.id not in table.column_names:
            raise InvalidParameter(f"truth has no column {question.id!r}. Give the table that was published.")
        words = words_of(table, question.id)
        found[question.id] = _truth(question, Counter(words.texts[code] for code in words.codes.tolist()))
    return found


def _truth(question: Question, held: Counter[str]) -> Truth:
    total = held.total()
    if isinstance(question, Count):
        # As many digits as any count has; more would only be a way to make a slow number.
        is_fit = all(re.fullmatch(r"[+-]?\d{1,15}", text) for text in held)
    else:
        is_fit = set(held) <= set(question.labels)
    if not total or not is_fit:
        raise UnreadableFile(
            f"truth: column {question.id} is empty, or holds what is no answer to its question. Give the table that "
            f"was published."
        )
    if isinstance(question, Count):
        return Truth(mean=sum(int(text) * count for text, count in held.items()) / total)
    return Truth(shares=tuple(held[label] / total for label in question.labels))
