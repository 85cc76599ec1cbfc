"""Apache Spark: tables, row numbers and jobs over whole blocks of rows.

Rows are read once. A task works on the blocks that lie whole in its partition. Rows of other blocks go through one
shuffle, which brings each block to one task together with the results made so far. A task may run several times. Its
result depends only on the names and cells of its rows, so each run gives the same, and only the result that Spark
reports is used. pyspark is imported on first use and comes with the extra `sfumato[spark]`.
"""

from __future__ import annotations

import bisect
import contextlib
import itertools
import os
import pickle
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import unquote, urlsplit

import numpy as np
import numpy.typing as npt

from sfumato import __version__
from sfumato.errors import InvalidParameter, Place, SfumatoError, UnreadableFile
from sfumato.files.formats import DataFile
from sfumato.files.row_files import file_rows
from sfumato.files.tables import number_column, numbers_of
from sfumato.files.texts import no_column

# --- Spark tables and errors
# Tables are recognised without importing pyspark. Errors of Spark become plain sentences.


# Larger batches cost less on their way to Python; the command shows its own progress.
_SETTINGS = {"spark.sql.execution.arrow.maxRecordsPerBatch": "65536", "spark.ui.showConsoleProgress": "false"}
_WAY_OUT = "Look at the log of the executors; nothing was published, and the same command can be run again."


Engine = str | Callable[[], Any]
"""`spark`, or what returns a session of Spark when one is needed."""


class SparkFrame(Protocol):
    """A table of Spark."""

    def mapInArrow(self, func: Any, schema: Any, *others: Any) -> Any:
        """What makes it one."""
        ...


def is_spark_frame(data: object) -> bool:
    """Whether something is a table of Spark, classic or over a connection."""
    return type(data).__module__.partition(".")[0] == "pyspark" and hasattr(data, "mapInArrow")


def session_here(master: str | None = None, *, quiet: bool = False) -> Any:
    """Return the session that there is, or a new one as Spark is configured here; by default on all cores here.

    If `quiet`, what Spark itself says goes nowhere: its errors become sentences anyway.
    """
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415  an extra
    except ImportError:
        raise InvalidParameter(
            "needs Spark, which is not installed here",
            parameter="engine",
            value="spark",
            way_out="Run `pip install 'sfumato[spark]'`; Spark needs Java 17.",
        ) from None
    held = SparkSession.getActiveSession()
    if held is not None:
        return held
    builder = SparkSession.builder.appName("sfumato")
    if master is not None:
        builder = builder.master(master)
    if (master or "local").startswith("local"):  # workers run this Python unless another is named
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    with spark_sentences(None), _silent() if quiet else contextlib.nullcontext():
        return builder.getOrCreate()


def session_of(engine: Engine) -> Any:
    """Return the session of an engine that was asked for."""
    if callable(engine):
        return engine()
    if engine != "spark":
        raise InvalidParameter("is not known", parameter="engine", value=engine, way_out="Say spark, or leave it out.")
    return session_here()


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Start programs without a place where they could write what is wrong with them."""
    sys.stderr.flush()
    kept = os.dup(2)
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def frame_of_files(path: str | Path | DataFile, session: Any) -> Any:
    """Read Parquet or CSV files as a table; the cells of a CSV are texts."""
    if isinstance(path, DataFile):
        raise InvalidParameter(
            "says how a file is written, and Spark reads plain files",
            parameter="data",
            way_out="Write the table as Parquet first, or publish without Spark.",
        )
    # Spark's own program may have been started elsewhere: a name without a scheme is meant from here.
    name = str(path) if urlsplit(str(path)).scheme else str(Path(path).absolute())
    with spark_sentences(None):
        if name.endswith((".csv", ".tsv")):
            return session.read.csv(name, header=True, sep="\t" if name.endswith(".tsv") else ",", mode="FAILFAST")
        return session.read.parquet(name)


def map_rows(
    frame: Any,
    change: Callable[[Iterator[Any]], Iterator[Any]],
    more: Mapping[str, str],
    keep: Sequence[str] | None = None,
) -> Any:
    """Return a table whose batches are changed: the columns in `keep`, or all, and then `more` of these types."""
    from pyspark.sql.types import StructType  # noqa: PLC0415  an extra

    schema = StructType([field for field in frame.schema.fields if keep is None or field.name in keep])
    for name, kind in more.items():
        schema = schema.add(name, kind)
    return frame.mapInArrow(change, schema)


_KINDS = {
    "tinyint": "int8",
    "smallint": "int16",
    "int": "int32",
    "bigint": "int64",
    "float": "float",
    "double": "double",
    "boolean": "bool",
}


def column_kinds(frame: Any) -> dict[str, str]:
    """Return what Arrow calls the types of a table's columns of numbers and of truth."""
    spelled = {name: re.sub(r"^decimal\((\d+),(\d+)\)$", r"decimal128(\1, \2)", kind) for name, kind in frame.dtypes}
    return {name: _KINDS.get(kind, kind if kind.startswith("decimal") else "") for name, kind in spelled.items()}


def spark_kind(kind: str) -> str:
    """Return what Spark calls a type of Arrow, of those that answers come back in."""
    names = {"int64": "long", "double": "double", "bool": "boolean", "string": "string"}
    return names.get(kind) or re.sub(r"^decimal128\((\d+), (\d+)\)$", r"decimal(\1,\2)", kind)


@contextlib.contextmanager
def spark_sentences(frame: Any) -> Iterator[None]:
    """Turn what Spark says, which is long and may quote a row, into a sentence that does not."""
    try:
        yield
    except (SfumatoError, KeyboardInterrupt):
        raise
    except Exception as error:
        # Whatever comes through its gateway is Spark's; all else is a bug here, and shown as one.
        if type(error).__module__.partition(".")[0] not in {"pyspark", "py4j"}:
            raise
        raise _sentence(str(error), frame) from None


def _sentence(said: str, frame: Any) -> SfumatoError:
    if "JAVA_GATEWAY_EXITED" in said:
        return InvalidParameter(
            "could not be started",
            parameter="engine",
            value="spark",
            way_out="Spark needs Java 17; see `java -version`.",
        )
    if "No module named 'sfumato" in said:
        return InvalidParameter(
            "runs on executors that do not have sfumato",
            parameter="engine",
            value="spark",
            way_out="Install sfumato[spark] on every machine of the cluster, in the version that is here, and in the "
            "Python that spark.pyspark.python names.",
        )
    if "No module named" in said:
        return InvalidParameter(
            "runs on executors that lack a package which sfumato needs",
            parameter="engine",
            value="spark",
            way_out="Install sfumato[spark] on every machine of the cluster, in the version that is here.",
        )
    damaged = next((name for name in files_of_frame(frame) if Path(name).name in said), None)
    if damaged is not None:
        return UnreadableFile(
            "Spark could not read the file: it is damaged, was changed meanwhile, or has other types than the others",
            way_out="Write it again, or move it elsewhere; nothing was published.",
            place=Place(file=damaged),
        )
    if "PATH_NOT_FOUND" in said:
        return UnreadableFile("there is no such file for Spark", way_out="Check the name and the folder.")
    return UnreadableFile("a job of Spark failed", way_out=_WAY_OUT)


def files_of_frame(frame: Any) -> list[str]:
    """Return the files that a table was read from, as people write them; none where Spark does not know."""
    found: list[str] = []
    if frame is not None:
        with contextlib.suppress(Exception):
            found = [plain_path(name) for name in frame.inputFiles()]
    return found


def plain_path(name: str) -> str:
    """Return the path of a local file as people write it; any other address as it is."""
    found = urlsplit(name)
    return unquote(found.path) if found.scheme in {"", "file"} else name


# --- Row numbers
# Numbers must not change when a task runs again, so Spark's own counters are not used. A row of a Parquet file is named
# by its file and its index there (`_metadata`); files are ordered by path. Any other table is sorted by a column of
# unique ids, and the first row is 0.


NUMBER = "sfumato_row_number"
"""The column of row numbers while rows are moved; it is never written."""
_BUCKET, _FILE, _INDEX, _BASE = (f"sfumato_{name}" for name in ("bucket", "file", "index", "base"))
# A literal map is searched from its beginning for every row.
_FEW_FILES = 12
_BUCKET_ROWS = 1 << 18
_MOST_BUCKETS = 1 << 12
_SAMPLES_A_BUCKET = 40


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowPlaces:
    """Where a row stands: in which file and as which row of it, or where in the order of a column."""

    files: tuple[str, ...] = field(default=(), repr=False)
    starts: tuple[int, ...] = field(default=(), repr=False)
    column: str | None = None

    def of(self, number: int) -> tuple[Place | None, int]:
        """Return the file of a row, and how many rows come before it there."""
        if not self.files:
            return None, number
        index = int(np.searchsorted(np.array(self.starts), number, side="right")) - 1
        return Place(file=self.files[index]), number - self.starts[index]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NumberedFrame:
    """A table with a column of row numbers, from 0 to one less than there are rows.

    `is_in_order` where rows lie nearly in the order of their numbers.
    """

    frame: Any
    rows: int
    places: RowPlaces
    is_in_order: bool

    def count(self) -> int:
        """Return how many rows there are."""
        return self.rows


def number_rows(frame: Any, columns: Sequence[str], *, by: str | None = None) -> NumberedFrame:
    """Number the rows of a table, and keep the columns that are needed; `by` names a column of ids."""
    for name in (*columns, *([] if by is None else [by])):
        if frame.columns.count(name) > 1:
            raise InvalidParameter(
                f"has two columns called {name!r}", parameter="data", way_out="Rename or drop one of them."
            )
        if name not in frame.columns:
            raise no_column(name, frame.columns)
    with spark_sentences(frame):
        return _by_files(frame, [_named(name) for name in columns]) if by is None else _by_column(frame, columns, by)


def _by_files(frame: Any, chosen: Sequence[Any]) -> NumberedFrame:
    from pyspark.errors import AnalysisException  # noqa: PLC0415  an extra
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra

    try:
        placed = frame.select(f.col("_metadata.file_path").alias(_FILE), f.col("_metadata.row_index").alias(_INDEX))
    except AnalysisException:
        raise InvalidParameter(
            "has no rows that can be numbered: Spark knows the place of a row only in Parquet files, before any join",
            parameter="data",
            way_out="Name a column of ids by `id_column`, or write the table to Parquet and read it from there.",
        ) from None
    counts = _rows_by_file(frame, placed)
    files = sorted(counts, key=lambda name: Path(unquote(urlsplit(name).path)).parts)
    sizes = [counts[name] for name in files]
    starts = [0, *np.cumsum(sizes[:-1], dtype=np.int64).tolist()] if sizes else []
    if not sum(sizes):
        raise UnreadableFile("the table has no rows", way_out="Give at least one respondent.")
    path, index = f.col("_metadata.file_path"), f.col("_metadata.row_index")
    pairs = [(spelled, start) for name, start in zip(files, starts, strict=True) for spelled in _spellings(name)]
    if len(files) <= _FEW_FILES:
        bases = f.create_map(*[f.lit(part) for pair in pairs for part in pair])
        numbered = frame.select((f.element_at(bases, path) + index).alias(NUMBER), *chosen)
    else:
        bases = frame.sparkSession.createDataFrame(pairs, f"{_FILE} string, {_BASE} bigint")
        # A row of a file that is not known would be lost; it is found out when its block does not become whole.
        numbered = (
            frame.select(path.alias(_FILE), index.alias(_INDEX), *chosen)
            .join(f.broadcast(bases), _FILE)
            .withColumn(NUMBER, f.col(_BASE) + f.col(_INDEX))
            .drop(_FILE, _INDEX, _BASE)
        )
    named = tuple(plain_path(name) for name in files)
    places = RowPlaces(files=named, starts=tuple(starts))
    return NumberedFrame(frame=numbered, rows=sum(sizes), places=places, is_in_order=True)


def _rows_by_file(frame: Any, placed: Any) -> dict[str, int]:
    """Return how many rows each file has: from its footer, where this machine can read it; else they are counted."""
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra

    names = frame.inputFiles()
    found: dict[str, int] = {}
    for name in names:
        here = Path(plain_path(name))
        if urlsplit(name).scheme not in {"", "file"} or not here.is_file():
            break
        found[name] = file_rows(here).rows or 0
    if names and len(found) == len(names) and frame.count() == sum(found.values()):
        return found
    grouped = placed.groupBy(_FILE).agg(f.count("*").alias("rows"), f.max(_INDEX).alias("last")).collect()
    counted = {row[_FILE]: row["rows"] for row in grouped}
    if any(row[_FILE] is None or row["rows"] != row["last"] + 1 for row in grouped):
        raise InvalidParameter(
            "has not all the rows of its files, so that their places are no numbers from first to last",
            parameter="data",
            way_out="Name a column of ids by `id_column`, or write the table to Parquet and read it from there.",
        )
    return counted


def _by_column(frame: Any, columns: Sequence[str], by: str) -> NumberedFrame:
    from pyspark.sql import Window  # noqa: PLC0415  an extra
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra
    from pyspark.sql.types import IntegralType, StringType  # noqa: PLC0415  an extra

    kind = frame.schema[by].dataType
    if not isinstance(kind, IntegralType | StringType):
        raise InvalidParameter(
            "must be a column of texts or whole numbers", parameter="id_column", value=by, way_out="Convert it."
        )
    column = _named(by)
    rows, named = frame.select(f.count("*"), f.count(column)).first()
    if not rows:
        raise UnreadableFile("the table has no rows", way_out="Give at least one respondent.")
    if named < rows:
        raise UnreadableFile(
            f"column {by} is empty in {rows - named:,} of {rows:,} rows",
            way_out="Give everybody an id, or drop the row.",
        )
    wanted = [*dict.fromkeys((by, *columns))]
    tagged = map_rows(
        frame.select(*[_named(name) for name in wanted]),
        _tagging(by, _edges(frame, column, rows)),
        {_BUCKET: "integer"},
    )
    counted = tagged.groupBy(_BUCKET).agg(f.count("*").alias("rows"), f.count_distinct(column).alias("ids")).collect()
    twice = sum(row["rows"] - row["ids"] for row in counted)
    if twice:
        raise UnreadableFile(
            f"column {by} names somebody in two rows, {twice:,} times",
            way_out="Leave one of the two rows out; corrected answers are for `sfumato amend`.",
        )
    sizes = {row[_BUCKET]: row["rows"] for row in counted}
    starts = [0, *np.cumsum([sizes.get(bucket, 0) for bucket in range(max(sizes))]).tolist()]
    base = f.element_at(f.array(*[f.lit(start).cast("bigint") for start in starts]), f.col(_BUCKET) + 1)
    number = base + f.row_number().over(Window.partitionBy(_BUCKET).orderBy(column)) - 1
    numbered = tagged.select(number.alias(NUMBER), *[_named(name) for name in columns])
    return NumberedFrame(frame=numbered, rows=rows, places=RowPlaces(column=by), is_in_order=False)


def _edges(frame: Any, column: Any, rows: int) -> list[Any]:
    """Return ids that divide the rows into buckets of about the same size; they stay out of Spark's plans."""
    buckets = min(_MOST_BUCKETS, rows // _BUCKET_ROWS + 1)
    if buckets == 1:
        return []
    share = min(1.0, _SAMPLES_A_BUCKET * buckets / rows)
    sampled = sorted(row[0] for row in frame.select(column).sample(share, seed=1).collect())
    return sorted({sampled[place * len(sampled) // buckets] for place in range(1, buckets)}) if sampled else []


def _tagging(by: str, edges: list[Any]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return a function that gives for each row the bucket of its id."""

    def tagged(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        for batch in batches:
            ids = batch.column(batch.schema.get_field_index(by)).to_pylist()
            buckets = pa.array([bisect.bisect_right(edges, person) for person in ids], pa.int32())
            yield pa.RecordBatch.from_arrays([*batch.columns, buckets], names=[*batch.schema.names, _BUCKET])

    return tagged


def _named(name: str) -> Any:
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra

    return f.col("`" + name.replace("`", "``") + "`")


def _spellings(name: str) -> set[str]:
    """Return how Spark may spell a file: of a local one it says file:/path in a row, and elsewhere file:///path."""
    local = name.removeprefix("file:").lstrip("/")
    return {f"file:/{local}", f"file:///{local}"} if name.startswith("file:") else {name}


# --- Whole blocks inside a task
# Rows arrive in batches in any order and leave as whole blocks, so that each block has a digest. A table of files
# arrives nearly in order: only blocks that lie across two tasks are left over.


Numbers = npt.NDArray[np.int64]
WholeBlock = tuple[int, Numbers, Any]
"""A block, the numbers of its rows, and the rows."""
BLOCK_ROWS = 4096
# The number of blocks handed on at a time: as many rows as are in a chunk of a file.
RUN_BLOCKS = 64
# The most rows of incomplete blocks that are held; further ones are left for another task.
_MOST_HELD = 1 << 20
# A batch with more stretches of rising numbers than this is sorted.
_MOST_RUNS = 16


def not_all_rows() -> UnreadableFile:
    """Return the refusal of a table whose rows are not numbered from first to last."""
    return UnreadableFile(
        "the rows of the table are not numbered from first to last, each number once: rows are missing or come twice",
        way_out="Write the table to Parquet and read it from there, without filters or joins, or name a column of ids "
        "by `id_column`.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSizes:
    """Which rows each block has: all numbers from `start` on, `rows` of them, but for those that are `missing`.

    `refusal` is what is said of a table that has others.
    """

    rows: int
    start: int = 0
    missing: tuple[int, ...] = field(default=(), repr=False)
    refusal: SfumatoError = field(default_factory=not_all_rows, repr=False)

    @property
    def blocks(self) -> range:
        """The blocks that there are."""
        return range(self.start // BLOCK_ROWS, -(-(self.start + self.rows) // BLOCK_ROWS))

    def numbers(self, block: int) -> Numbers:
        """Return the numbers of the rows in a block."""
        first = max(self.start, block * BLOCK_ROWS)
        found = np.arange(first, min(self.start + self.rows, (block + 1) * BLOCK_ROWS), dtype=np.int64)
        if not self.missing:
            return found
        gone = np.array(self.missing, dtype=np.int64)
        low, high = np.searchsorted(gone, [block * BLOCK_ROWS, (block + 1) * BLOCK_ROWS]).tolist()
        return np.setdiff1d(found, gone[low:high], assume_unique=True)

    def count(self, block: int) -> int:
        """Return how many rows a block has."""
        if not self.missing:
            first = max(self.start, block * BLOCK_ROWS)
            return min(self.start + self.rows, (block + 1) * BLOCK_ROWS) - first
        return int(self.numbers(block).size)


@dataclass(slots=True)
class _Held:
    """The rows of a block so far."""

    pieces: list[tuple[Numbers, Any]] = field(default_factory=list)
    count: int = 0


class BlockGatherer:
    """Gathers the rows of one task. What does not become whole there is left, and can be taken out row by row."""

    def __init__(self, sizes: BlockSizes, number: str) -> None:
        self._sizes, self._number = sizes, number
        self._held: dict[int, _Held] = {}
        self._waiting = 0
        self._run: list[WholeBlock] = []
        self._given_up: set[int] = set()
        self._left: list[Any] = []

    def take(self, batch: Any) -> Iterator[list[WholeBlock]]:
        """Take rows; yield runs of whole blocks that follow one another, each block with its rows in their order."""
        for block in self._gather(batch):
            yield from self._lengthened(block)
        if self._waiting > _MOST_HELD:
            self._give_up()

    def finish(self) -> Iterator[list[WholeBlock]]:
        """Yield the last runs; whatever is not whole by now is left."""
        if self._run:
            yield self._run
        self._run = []
        self._give_up()

    def left(self) -> list[Any]:
        """Return the rows that are left so far, each once, in one batch: many small ones are slow to hand on."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        found, self._left = self._left, []
        return [pa.concat_batches(found)] if found else []

    def _lengthened(self, block: int) -> Iterator[list[WholeBlock]]:
        if self._run and (block != self._run[-1][0] + 1 or len(self._run) == RUN_BLOCKS):
            yield self._run
            self._run = []
        self._run.append((block, *self._whole(block)))

    def _gather(self, batch: Any) -> list[int]:
        """Put rows to their blocks; return the blocks that have become whole."""
        column = batch.column(batch.schema.get_field_index(self._number))
        if column.null_count:
            raise self._sizes.refusal
        numbers = numbers_of(batch, self._number)
        if not numbers.size:
            return []
        blocks = numbers // BLOCK_ROWS
        # Where a batch has the end of one file and the beginning of another, both stay as they are.
        if np.count_nonzero(blocks[1:] < blocks[:-1]) > _MOST_RUNS:
            order = np.argsort(blocks, kind="stable")
            numbers, blocks, batch = numbers[order], blocks[order], batch.take(number_column(order))
        edges = [0, *(np.flatnonzero(np.diff(blocks)) + 1).tolist(), numbers.size]
        done = []
        for start, stop in itertools.pairwise(edges):
            block = int(blocks[start])
            if block not in self._sizes.blocks:
                raise self._sizes.refusal
            rows = batch.slice(start, stop - start)
            if block in self._given_up:
                self._left.append(rows)
                continue
            held = self._held.setdefault(block, _Held())
            held.pieces.append((numbers[start:stop], rows))
            held.count += stop - start
            self._waiting += stop - start
            if held.count == self._sizes.count(block):
                done.append(block)
        return done

    def _whole(self, block: int) -> tuple[Numbers, Any]:
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        held = self._held.pop(block)
        self._waiting -= held.count
        table = pa.Table.from_batches([piece for _, piece in held.pieces])
        numbers = np.concatenate([numbers for numbers, _ in held.pieces])
        if np.any(numbers[1:] < numbers[:-1]):
            order = np.argsort(numbers, kind="stable")
            numbers, table = numbers[order], table.take(number_column(order))
        if not np.array_equal(numbers, self._sizes.numbers(block)):
            raise self._sizes.refusal
        return numbers, table

    def _give_up(self) -> None:
        self._given_up |= set(self._held)
        self._left += [rows for held in self._held.values() for _, rows in held.pieces]
        self._held.clear()
        self._waiting = 0


# The number of blocks that stay together in a shuffle, and so in a file.
_GROUP_BLOCKS = 128
_RESULT = "sfumato_result"
_POLL_SECONDS = 0.5

Progress = Callable[[int, int | None], None]


class BlockWork(Protocol):
    """What one task does."""

    def take(self, numbers: Numbers, table: Any) -> None:
        """Take whole blocks of rows, which follow one another."""
        ...

    def finish(self) -> bytes:
        """Return what was made."""
        ...

    def close(self) -> None:
        """Let go of what was not finished."""
        ...


class BlockTask(Protocol):
    """What is sent to every task; it can be pickled."""

    @property
    def version(self) -> str:
        """Of whoever sends it."""
        ...

    def begin(self) -> BlockWork:
        """Begin one task."""
        ...


def run_blocks(
    numbered: NumberedFrame, sizes: BlockSizes, task: BlockTask, *, progress: Progress | None = None
) -> list[bytes]:
    """Let tasks take every block once; return what each of them made."""
    frame = numbered.frame

    def last(batches: Iterator[Any]) -> Iterator[Any]:
        return _where_rows_met(batches, sizes, task)

    with spark_sentences(frame), _watched(frame.sparkSession, sizes.rows - len(sizes.missing), progress):
        left = _after_first_tasks(frame, sizes, task) if numbered.is_in_order else frame
        rows = _together(left).mapInArrow(last, f"{_RESULT} binary").collect()
    outcomes: list[_Outcome] = [pickle.loads(row[0]) for row in rows]  # noqa: S301  of our own tasks
    # Where rows were refused, others miss their neighbours: that is not the error to tell.
    for outcome in sorted(outcomes, key=lambda outcome: (outcome.is_last, outcome.first)):
        if outcome.error is not None:
            raise outcome.error
    _check_once([stretch for outcome in outcomes for stretch in outcome.done], sizes)
    return [outcome.made for outcome in outcomes if outcome.made is not None]


def _check_once(done: list[tuple[int, int]], sizes: BlockSizes) -> None:
    """Refuse a table of which a block came whole to two tasks, or to none though it has rows."""
    expected = sizes.blocks.start
    for start, stop in [*sorted(done), (sizes.blocks.stop, sizes.blocks.stop)]:
        if start < expected or any(sizes.count(block) for block in range(expected, start)):
            raise sizes.refusal
        expected = stop


@dataclass(slots=True)
class _Outcome:
    """What became of a task: what it made, of which stretches of blocks, or what was wrong with its rows."""

    is_last: bool
    first: int = 0
    done: list[tuple[int, int]] = field(default_factory=list)
    made: bytes | None = None
    error: SfumatoError | None = None


def _where_rows_lie(batches: Iterator[Any], sizes: BlockSizes, task: BlockTask) -> Iterator[Any]:
    """Run one of the first tasks: yield the rows that are left, and at last what became of it, as one row more.

    What is wrong with the rows is an outcome like any other, or Spark would try again and log it.
    """
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    batches = (batch for batch in batches if batch.num_rows)
    head = next(batches, None)
    if head is None:
        return
    names = [*head.schema.names, _RESULT]
    outcome = _Outcome(is_last=False, first=head.column(names.index(NUMBER))[0].as_py() or 0)
    try:
        for rows in _worked(itertools.chain([head], batches), sizes, task, outcome):
            yield pa.RecordBatch.from_arrays([*rows.columns, pa.nulls(rows.num_rows, pa.binary())], names=names)
    except SfumatoError as error:
        outcome.error = error
        for _ in batches:  # Spark waits until all of its rows were taken
            pass
    told = {NUMBER: number_column(np.array([outcome.first])), _RESULT: _binaries([pickle.dumps(outcome)])}
    empty = {item.name: pa.nulls(1, item.type) for item in head.schema}
    yield pa.RecordBatch.from_arrays(list((empty | told).values()), names=names)


def _where_rows_met(batches: Iterator[Any], sizes: BlockSizes, task: BlockTask) -> Iterator[Any]:
    """Run one of the last tasks: yield what became of it, and of the first tasks whose outcomes came here."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    outcome, told = _Outcome(is_last=True), list[Any]()
    rows = _without_outcomes(batches, told)
    try:
        if any(left.num_rows for left in _worked(rows, sizes, task, outcome)):
            raise sizes.refusal
    except SfumatoError as error:
        outcome.error = error
        for _ in rows:
            pass
    yield pa.RecordBatch.from_arrays([_binaries([*told, pickle.dumps(outcome)])], names=[_RESULT])


def _without_outcomes(batches: Iterator[Any], told: list[Any]) -> Iterator[Any]:
    """Yield rows; the outcomes of other tasks that came with them are put into a list."""
    for batch in batches:
        place = batch.schema.get_field_index(_RESULT)
        if place < 0:
            yield batch
            continue
        results = batch.column(place)
        told += results.drop_null().to_pylist()
        yield batch.filter(results.is_null()).select([name for name in batch.schema.names if name != _RESULT])


def _binaries(values: list[bytes]) -> Any:
    """Return a column of bytes; pyarrow's own function imports pandas first, which takes a worker long."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    ends = np.cumsum([0, *map(len, values)], dtype=np.int32)
    return pa.Array.from_buffers(pa.binary(), len(values), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(values))])


def _worked(batches: Iterator[Any], sizes: BlockSizes, task: BlockTask, outcome: _Outcome) -> Iterator[Any]:
    """Work on whole blocks; yield the rows that are left."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if task.version != __version__:
        raise InvalidParameter(
            f"runs on executors that have sfumato {__version__}, and here is {task.version}",
            parameter="engine",
            value="spark",
            way_out="Install the same version everywhere.",
        )
    gatherer = BlockGatherer(sizes, NUMBER)
    work = None
    try:
        for batch in itertools.chain(batches, [None]):
            for run in gatherer.finish() if batch is None else gatherer.take(batch):
                work = task.begin() if work is None else work
                numbers = np.concatenate([held for _, held, _ in run])
                work.take(numbers, pa.concat_tables([table for _, _, table in run]))
                outcome.done.append((run[0][0], run[-1][0] + 1))
            yield from gatherer.left()
        outcome.made = None if work is None else work.finish()
    finally:
        if work is not None:
            work.close()


def _after_first_tasks(frame: Any, sizes: BlockSizes, task: BlockTask) -> Any:
    """Let the first tasks run; return the rows that they left, and their outcomes."""
    from pyspark.sql.types import StructField, StructType  # noqa: PLC0415  an extra

    def first(batches: Iterator[Any]) -> Iterator[Any]:
        return _where_rows_lie(batches, sizes, task)

    # An outcome has no cells.
    fields = [StructField(item.name, item.dataType, nullable=True) for item in frame.schema.fields]
    return frame.mapInArrow(first, StructType(fields).add(_RESULT, "binary"))


def _together(frame: Any) -> Any:
    """Return rows by their numbers, all of a block in one partition and its neighbours with it."""
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra

    return frame.repartition(f.expr(f"{NUMBER} div {BLOCK_ROWS * _GROUP_BLOCKS}")).sortWithinPartitions(NUMBER)


class _watched:  # noqa: N801  used like a function
    """Report progress while jobs run; a remote connection does not provide it."""

    def __init__(self, session: Any, rows: int, progress: Progress | None) -> None:
        context = getattr(session, "sparkContext", None) if progress is not None else None
        self._tracker = None if context is None else context.statusTracker()
        self._rows, self._progress, self._told = rows, progress, 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> None:
        if self._tracker is not None:
            self._thread.start()

    def __exit__(self, kind: object, *_: object) -> None:
        self._stop.set()
        if self._tracker is not None:
            self._thread.join()
        if kind is None and self._progress is not None:
            self._progress(self._rows - self._told, self._rows)

    def _watch(self) -> None:
        while not self._stop.wait(_POLL_SECONDS):
            stages = [self._tracker.getStageInfo(stage) for stage in self._tracker.getActiveStageIds()]  # type: ignore[union-attr]
            shares = [stage.numCompletedTasks / stage.numTasks for stage in stages if stage and stage.numTasks]
            done = int(self._rows * min(shares, default=0))
            if done > self._told and self._progress is not None:
                self._progress(done - self._told, self._rows)
                self._told = done


# --- Jobs over rows in any order
# Each task makes one value of its rows, which is sent back.


T = TypeVar("T")


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


# --- Public names


__all__ = [
    "NUMBER",
    "BlockSizes",
    "BlockTask",
    "BlockWork",
    "Engine",
    "NumberedFrame",
    "RowPlaces",
    "SparkFrame",
    "column_kinds",
    "files_of_frame",
    "frame_of_files",
    "gather_batches",
    "is_spark_frame",
    "map_rows",
    "number_rows",
    "run_blocks",
    "session_here",
    "session_of",
    "spark_kind",
    "spark_sentences",
]
