"""The child process that reads files of SPSS, Stata and SAS.

The library is written in C, and a damaged file can crash its process. Cells are converted to text here, so that only
text is sent back.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
import io
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from sfumato.errors import Place, SfumatoError, UnreadableFile
from sfumato.files.columns import number_spelled, single_spelled
from sfumato.files.formats import needed_module
from sfumato.files.reader_processes import bound_resources, write_frame

_DATES = dt.date | dt.time | dt.timedelta
_PIECE_BYTES = 2**27
_CELL_BYTES = 128
_MOST_ROWS = 2**18


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """A file that is being read: the function that does it, and what the file says of itself."""

    read: Callable[..., tuple[Any, Any]]
    stream: BinaryIO
    about: Any

    def pieces(self, columns: Sequence[str]) -> Iterator[tuple[int, Any]]:
        """Yield columns of cells, each piece with the number of rows before it."""
        widths: Mapping[str, Any] = self.about.variable_storage_width
        row_bytes = sum(_CELL_BYTES + int(widths.get(name) or 0) for name in columns)
        most = min(_MOST_ROWS, max(1, _PIECE_BYTES // row_bytes))
        known, done = _row_count(self.about), 0
        while known is None or done < known:
            held, _ = self.again(usecols=list(columns), row_offset=done, row_limit=most)
            count = len(held[columns[0]])
            if not count:
                break
            yield done, held
            done += count
        if known is not None and done != known:
            raise UnreadableFile(
                f"the file says that it has {known:,} rows, and {done:,} were found",
                way_out="Save it again with the program that made it, or check that it was copied whole.",
            )

    def again(self, **options: Any) -> tuple[Any, Any]:
        """Read, from the beginning."""
        self.stream.seek(0)
        return self.read(self.stream, output_format="dict", **options)


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer the first question with what the file says of itself, and each further one with rows."""
    opened: _Opened | None = None
    for line in iter(questions.readline, b""):
        asked = json.loads(line)
        try:
            with _foreign_errors():
                if opened is None:
                    held = questions.read(asked["held"]) if asked["held"] is not None else None
                    read = getattr(needed_module("pyreadstat", Place()), asked["reader"])
                    bound_resources(asked["seconds"], asked["memory"])
                    opened = _opened(read, asked["path"], held)
                    write_frame(answers, b"A", json.dumps(_described(opened.about)).encode())
                else:
                    bound_resources(asked["seconds"])
                    _answer_rows(opened, asked, answers)
        except UnreadableFile as refused:
            write_frame(answers, b"R", json.dumps({"rule": refused.rule, "way_out": refused.way_out}).encode())


def _opened(read: Callable[..., tuple[Any, Any]], path: str, held: bytes | None) -> _Opened:
    stream: BinaryIO = io.BytesIO(held) if held is not None else Path(path).open("rb")  # noqa: SIM115  until the end
    _, about = read(stream, output_format="dict", metadataonly=True)
    return _Opened(read=read, stream=stream, about=about)


def _described(about: Any) -> dict[str, Any]:
    return {
        "names": ["" if name is None else str(name) for name in about.column_names],
        "rows": _row_count(about),
        "labels": _labels(about),
    }


def _labels(about: Any) -> dict[str, dict[str, str]]:
    return {
        name: {_code(code): str(label).strip() for code, label in labels.items()}
        for name, labels in about.variable_value_labels.items()
    }


def _row_count(about: Any) -> int | None:
    known = about.number_rows
    return known if isinstance(known, int) and known >= 0 else None


def _code(code: object) -> str:
    return number_spelled(code) if isinstance(code, int | float) else str(code).strip()


def _answer_rows(opened: _Opened, asked: dict[str, Any], answers: BinaryIO) -> None:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    columns: list[str] = asked["columns"]
    labels, types = _labels(opened.about), opened.about.readstat_variable_types
    spellings = {
        name: _Spelling(
            name=name,
            labels={} if name in asked["codes"] else labels.get(name, {}),
            is_single=types.get(name) == "float",
        )
        for name in columns
    }
    for done, held in opened.pieces(columns):
        texts = [pa.array(spellings[name].texts(held[name], done), pa.string()) for name in columns]
        batch = pa.record_batch(texts, names=columns)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        write_frame(answers, b"B", sink.getvalue().to_pybytes())
    write_frame(answers, b"E", b"")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spelling:
    """How the cells of a column become texts."""

    name: str
    labels: Mapping[str, str]
    is_single: bool

    def texts(self, cells: Sequence[Any], done: int) -> list[str | None]:
        """Return texts; what is missing is None. So many rows came before."""
        labels = self.labels
        spell = functools.lru_cache(maxsize=2**16)(single_spelled if self.is_single else number_spelled)

        def text(number: int, cell: Any) -> str | None:
            if cell is None:
                return None
            if isinstance(cell, str):
                return labels.get(cell.strip(), cell) if cell.strip() else None
            if isinstance(cell, int | float):
                code = spell(float(cell))
                return None if code == "nan" else labels.get(code, code)
            raise UnreadableFile(
                f"column {self.name}, row {done + number + 1} holds "
                f"{'a date or a time' if isinstance(cell, _DATES) else 'something'}, and answers are text or numbers",
                way_out="Compute what is asked for, such as the year or the age, and save it as a number.",
            )

        return [text(number, cell) for number, cell in enumerate(cells)]


@contextlib.contextmanager
def _foreign_errors() -> Iterator[None]:
    """Turn what the library says of a damaged file into a sentence that quotes nothing of it."""
    try:
        yield
    except (SfumatoError, BrokenPipeError):
        raise
    except MemoryError:
        raise UnreadableFile(
            "reading the file would take more memory than a file of its kind should",
            way_out="If it is damaged, save it again with the program that made it; else write CSV.",
        ) from None
    except Exception:  # noqa: BLE001  whatever it stumbles over, the file is not as it should be
        raise UnreadableFile(
            "the file is damaged, or is not what its name says",
            way_out="Save it again with the program that made it, or write CSV.",
        ) from None


def main() -> None:
    """Answer requests until there are no more."""
    # An interrupt goes to the parent, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What the library prints would stand among the answers.
    with os.fdopen(os.dup(1), "wb") as answers, contextlib.suppress(BrokenPipeError):
        os.dup2(2, 1)
        serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
