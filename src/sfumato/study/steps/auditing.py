"""Auditing draws that somebody else's mechanism made: counted where they lie, in a file or in Spark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from sfumato.certificates import Audit, audit_counts
from sfumato.engines.spark import Engine, frame_of_files, gather_batches, is_spark_frame, session_of
from sfumato.errors import Place
from sfumato.io.sample_streams import INPUT, OUTPUT, PairCounts, check_columns, check_pairs, check_types, count_batch
from sfumato.io.samples import as_table, read_samples

_TABLE = "the table of Spark"


def audit_samples(
    samples: Any,
    *,
    count: str | None = None,
    epsilon: float | None = None,
    failure: float = 1e-6,
    engine: Engine | None = None,
) -> Audit:
    r"""Let draws contradict a claimed ε: columns `input` and `output`, and `count` if pairs were counted.

    `samples` is a file, or a table of Spark; with `engine` spark, Spark reads the file. Only counts of pairs come back.

    Returns:
        The largest ε that the samples prove, and what it is held against.

    Raises:
        UnreadableFile: columns are missing, or a count is none.

    >>> import pathlib, tempfile
    >>> import sfumato as sf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "draws.csv"
    >>> _ = path.write_text("input,output,count\nno,no,750\nno,yes,250\nyes,no,250\nyes,yes,750\n")
    >>> sf.audit_samples(path, count="count").claim.value < 1.0987  # it bounds ln 3 from below
    True
    """
    if engine is not None:
        samples = frame_of_files(samples, session_of(engine))
    found = _counted_in_spark(samples, count) if is_spark_frame(samples) else read_samples(samples, count=count)
    return audit_counts(
        found.counts,
        claimed_epsilon=epsilon,
        failure=failure,
        bits="made elsewhere, not known",
        answers=found.inputs,
        reports=found.outputs,
    )


def _counted_in_spark(frame: Any, count: str | None) -> Any:
    check_columns(frame.columns, count, Place(file=_TABLE))
    names = [name for name in (INPUT, OUTPUT, count) if name is not None]
    pairs: PairCounts = Counter()
    for counted in gather_batches(frame.select(*[f"`{name}`" for name in names]), partial(_count, count)):
        pairs.update(counted)
        check_pairs(pairs, _TABLE)
    return as_table(pairs, _TABLE)


def _count(count: str | None, batches: Iterator[Any]) -> PairCounts:
    pairs: PairCounts = Counter()
    for batch in batches:
        check_types(batch.schema, _TABLE, count)
        pairs.update(count_batch(batch, _TABLE, count))
        check_pairs(pairs, _TABLE)
    return pairs
