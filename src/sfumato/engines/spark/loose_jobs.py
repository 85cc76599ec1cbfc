"""Jobs over rows as they lie, in any order and company: each task makes one thing of its rows, which comes back."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from sfumato.engines.spark.frames import spark_sentences
from sfumato.errors import SfumatoError

T = TypeVar("T")
_RESULT = "sfumato_result"


def gather_batches(frame: Any, work: Callable[[Iterator[Any]], T]) -> list[T]:
    """Return what the tasks made of their batches."""
    with spark_sentences(frame):
        rows = frame.mapInArrow(lambda batches: _in_task(batches, work), f"{_RESULT} binary").collect()
    made: list[tuple[T, SfumatoError | None]] = [pickle.loads(row[0]) for row in rows]  # noqa: S301  of our own tasks
    for _, error in made:
        if error is not None:
            raise error
    return [one for one, _ in made]


def _in_task(batches: Iterator[Any], work: Callable[[Iterator[Any]], T]) -> Iterator[Any]:
    """Run one task; what is wrong with the rows is a result like any other, or Spark would try again and log it."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    outcome: tuple[T | None, SfumatoError | None]
    try:
        outcome = (work(batches), None)
    except SfumatoError as error:
        outcome = (None, error)
        for _ in batches:  # Spark waits until all of its rows were taken
            pass
    yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(outcome)], pa.binary())], names=[_RESULT])
