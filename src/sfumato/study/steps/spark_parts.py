"""Drawing a part on Spark: the same release as on one machine, whose rows never come to this one."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

from sfumato.engines.spark import NUMBER, BlockSizes, NumberedFrame, column_kinds, run_blocks
from sfumato.errors import InvalidParameter
from sfumato.refine.keys import Draws
from sfumato.study.notes import ReportsNote
from sfumato.study.part_plans import PartPlan
from sfumato.study.part_sinks import Keys, MemorySink
from sfumato.study.part_tasks import DrawnBlocks, DrawTask, RoundTask, SentPlan
from sfumato.study.publishing import PartDrawing, PeopleNote
from sfumato.study.reports import Progress
from sfumato.study.steps.staged_parts import StagedPart
from sfumato.study.task_files import add_digests
from sfumato.values import Guarantee


def draw_on_spark(
    plan: PartPlan,
    numbered: NumberedFrame,
    staged: StagedPart,
    progress: Progress | None = None,
    people: PeopleNote | None = None,
) -> tuple[ReportsNote, Keys]:
    """Let executors draw a part into files, and take those that came back as results; the note is made here."""
    sizes = BlockSizes(rows=numbered.rows)
    plan = replace(plan, rounds=_rounds(plan, numbered, sizes), answers=column_kinds(numbered.frame))
    drawing = PartDrawing(plan, MemorySink())
    task = DrawTask(
        sent=SentPlan.of(drawing),
        folder=str(staged.attempts()),
        places=numbered.places,
        id_column=None if people is None else people.column,
    )
    made: list[DrawnBlocks] = [
        pickle.loads(one)  # noqa: S301  of our own tasks
        for one in run_blocks(numbered, sizes, task, progress=progress)
    ]
    files = [file for one in made for file in one.files]
    for file in files:
        staged.take(file)
    tree = drawing.tree()
    add_digests(tree, files)
    if people is not None:
        for first, words in sorted((held for one in made for held in one.people), key=lambda held: held[0]):
            people.add(words, range(first, first + len(words)))
    return drawing.finished(tree, numbered.rows)


def check_on_spark(guarantee: Guarantee, keys: Keys | None, *, is_shuffled: bool, is_folder: bool) -> None:
    """Refuse what executors cannot do, before anything is read."""
    if not is_folder:
        raise InvalidParameter(
            "must be a folder: a part that a cluster writes is many files",
            parameter="out",
            way_out="Give a name without an ending.",
        )
    if is_shuffled:
        raise InvalidParameter(
            "puts rows in an order of chance on one machine",
            parameter="shuffle",
            way_out="Name a column of chance as `id_column`, written to the table before.",
        )
    true_keys = [key for held in (keys or {}).values() for key in held.values() if isinstance(key.material, Draws)]
    if guarantee is not Guarantee.COMPUTATIONAL or true_keys:
        raise InvalidParameter(
            "must be computational: a task that runs again must draw the same again, which only a seed allows",
            parameter="guarantee",
            way_out="Say `guarantee` computational, and choose a folder for new keys; or publish on one machine.",
        )


def _rounds(plan: PartPlan, numbered: NumberedFrame, sizes: BlockSizes) -> dict[str, tuple[Any, ...]]:
    """Go through the rounds of questions that have some: a job for each, which counts the reports of that round."""
    found: dict[str, tuple[Any, ...]] = {}
    for way in plan.study.ways:
        if way.by_row:
            continue
        name = way.question.id
        asked = way.next_rounds(numbered.rows, None, None)
        alone = replace(numbered, frame=numbered.frame.select(NUMBER, f"`{name}`"))
        while asked is not None:
            found[name] = asked
            # Rounds before this one have been counted.
            only = {name: (*[()] * (len(asked) - 1), asked[-1])}
            drawing = PartDrawing(replace(plan, rounds=only), MemorySink(), only=name)
            task = RoundTask(sent=SentPlan.of(drawing), question=name, places=numbered.places)
            tallies = [pickle.loads(one) for one in run_blocks(alone, sizes, task)]  # noqa: S301  of our own tasks
            asked = way.next_rounds(numbered.rows, asked, sum(tallies[1:], tallies[0]))
    return found
