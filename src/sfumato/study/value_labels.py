"""Codes and value labels of SPSS, Stata and SAS: which of the two the answers of a study are.

Labels are read where the study's answers are labels, codes where they are codes or numbers. A study that mixes the two,
or has neither, is refused with both lists, which stand in the file's dictionary and are no respondent's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.files.frames import TableLike, as_arrow
from sfumato.files.layouts import DataFile, as_file
from sfumato.files.row_files import file_rows
from sfumato.files.row_streams import RowSource
from sfumato.files.tables import TABLE_LIMIT_BYTES
from sfumato.study.ways import Question


def in_words_of(questions: Sequence[Question], source: Any) -> RowSource:
    """Return a source whose columns say what the questions' answers are: labels or codes."""
    known: Mapping[str, Mapping[str, str]] = getattr(source, "value_labels", {})
    codes = [name for question in questions for name in question.codes_meant(known)] if known else []
    chosen: RowSource = source.with_codes(codes) if codes else source
    return chosen


def answers_table(data: TableLike, questions: Sequence[Question], *, limit_bytes: int = TABLE_LIMIT_BYTES) -> Any:
    """Return a whole table whose columns say what the questions' answers are."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if not isinstance(data, str | Path | DataFile) or Path(as_file(data).path).is_dir():
        return as_arrow(data, limit_bytes=limit_bytes)
    source: Any = None
    if Path(as_file(data).path).suffix.lower() in {".sav", ".zsav", ".dta"}:
        source = file_rows(data, limit_bytes=limit_bytes)
    if not getattr(source, "value_labels", {}):
        return as_arrow(data, limit_bytes=limit_bytes)
    chosen = in_words_of(questions, source)
    batches = list(chosen.batches(chosen.names, 2**16))
    tables = [pa.Table.from_batches([one]) if isinstance(one, pa.RecordBatch) else one for one in batches]
    return pa.concat_tables(tables) if tables else as_arrow(data, limit_bytes=limit_bytes)
