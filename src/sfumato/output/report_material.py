"""What the report page of a study is made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.certificates.certificate import Certificate
from sfumato.errors import InvalidParameter
from sfumato.inference.results import QuestionEstimate, Truth
from sfumato.publications.estimating import Collected, estimate_collected
from sfumato.study.answers import held_answers
from sfumato.study.file import fingerprint
from sfumato.study.planning import StudyPlan
from sfumato.study.question_plans import QuestionPlan

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one file says about one question: over all people, and by group if that was requested and is possible."""

    reader: str
    whole: QuestionEstimate
    groups: tuple[QuestionEstimate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportMaterial:
    """Everything that a section may use; `seen` has the public view of a question first, sharper ones after."""

    plan: StudyPlan
    files: tuple[Collected, ...]
    seen: Mapping[str, tuple[Seen, ...]]
    group: str | None
    truths: Mapping[str, Truth]
    disclosed: Certificate | None = None

    @property
    def source(self) -> str:
        """The loudest source of chance among the files: a seed that anyone can repeat, if there is one."""
        return next((file.note.source for file in self.files if file.note.insecure), self.files[0].note.source)

    @property
    def insecure(self) -> bool:
        """Whether reports were made from a seed that anyone can repeat."""
        return any(file.note.insecure for file in self.files)


def gather_material(
    plan: StudyPlan,
    files: Sequence[Collected],
    *,
    confidence: float = 0.95,
    group: str | None = None,
    truth: pa.Table | None = None,
    disclosed: Certificate | None = None,
) -> ReportMaterial:
    """Estimate every question from every file that shows it differently; `truth` is an Arrow table of answers."""
    if not files:
        raise InvalidParameter("is empty", parameter="reports", way_out="Give at least the public reports.")
    _check_alike(plan, files)
    if disclosed is not None and getattr(disclosed.subject, "salt", None) is not None:
        raise InvalidParameter(
            "is a private certificate, which gives the records away, and a page is for everybody",
            parameter="disclosed",
            way_out="Give the public certificate that commits to it.",
        )
    return ReportMaterial(
        plan=plan,
        files=tuple(files),
        seen={planned.question.id: _views(planned, files, confidence, group) for planned in plan.questions},
        group=group,
        truths={} if truth is None else _truths(plan, truth),
        disclosed=disclosed,
    )


def _check_alike(plan: StudyPlan, files: Sequence[Collected]) -> None:
    """Refuse files that are not views of one publication: they would stand side by side as if they were."""
    wanted, first = fingerprint(plan.study), files[0].note
    for file in files:
        note = file.note
        if note.fingerprint != wanted:
            raise InvalidParameter(
                "are of different studies",
                parameter="reports",
                way_out="Give the public reports, and files opened from these reports.",
            )
        if note.epoch != first.epoch:
            raise InvalidParameter(
                f"are of epochs {first.epoch} and {note.epoch}",
                parameter="reports",
                way_out="Make a page for each epoch.",
            )
        if note.publication != first.publication:
            raise InvalidParameter(
                "are of different publications: other draws, or other people",
                parameter="reports",
                way_out="Give the public reports, and files opened from these very reports.",
            )


def _views(planned: QuestionPlan, files: Sequence[Collected], confidence: float, group: str | None) -> tuple[Seen, ...]:
    name = planned.question.id
    found: dict[object, tuple[int, Seen]] = {}
    for file in files:
        column = file.note.columns.get(name)
        # Questions that a key does not open stand in an opened file as they are in public; answers are no reports.
        mark = None if column is None else (column.level, *((part.id, part.start) for part in file.note.parts))
        if column is None or mark in found or column.level == 0:
            continue
        handler = file.note.handler(name)
        if not handler.by_row and any(part.start for part in file.note.parts):
            continue  # what is found from all reports together is not found from a part
        by = None if handler.by_position else group
        whole, *groups = estimate_collected(file, confidence=confidence, group=by, questions=[name])
        seen = Seen(reader=_reader(planned, file, column.level), whole=whole, groups=tuple(groups))
        found[mark] = (column.level, seen)
    return tuple(seen for _, seen in sorted(found.values(), key=lambda pair: -pair[0]))


def _reader(planned: QuestionPlan, file: Collected, level: int) -> str:
    who = "public" if level == len(planned.levels) else planned.readers_of(level)
    first, *others = file.note.parts
    if others or not first.start:
        return who
    return f"{who}, rows {first.start + 1} to {first.start + first.rows}"


def _truths(plan: StudyPlan, table: pa.Table) -> dict[str, Truth]:
    found = {}
    for handler in plan.study.handlers:
        name = handler.question.id
        # Without labels, they are what is looked for, and there is nothing to compare.
        true = handler.truth(
            held_answers(plan.study, handler.question, table) if handler.question.labels else Counter()
        )
        if true is not None:
            found[name] = true
    return found
