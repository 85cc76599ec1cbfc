"""Tables of Spark: recognised without importing it, read from files, and its errors turned into sentences."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from sfumato.errors import InvalidParameter, Place, SfumatoError, UnreadableFile
from sfumato.files.layouts import DataFile

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
    if (master or "local").startswith("local"):  # where nobody names another Python, this one works
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
