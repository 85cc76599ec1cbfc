"""The rows of a Parquet file, batch by batch: only the columns that are asked for leave the disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sfumato.errors import UnreadableFile
from sfumato.files.parquet_tables import arrow_errors, batches, open_parquet
from sfumato.files.steady_files import SteadyFile


class ParquetRows:
    """A Parquet file as a source of rows; how many there are stands in its footer."""

    def __init__(self, file: SteadyFile) -> None:
        self._file = file
        with file.opened() as stream, arrow_errors(file.path):
            opened = self._open(stream)
            self.rows: int | None = int(opened.metadata.num_rows)
            self._kinds = {field.name: field.type for field in opened.schema_arrow}
        self.names = tuple(self._kinds)
        self.place = file.place

    def kind(self, name: str) -> Any:
        """Return the type of a column."""
        return self._kinds[name]

    def batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """Yield the rows of some columns, checked from end to end; text comes as dictionaries."""
        seen = 0
        with self._file.opened() as stream, arrow_errors(self._file.path):
            for batch in batches(self._open(stream), list(columns), size):
                seen += batch.num_rows
                yield batch
            if seen != self.rows:
                raise UnreadableFile(
                    f"the file says that it has {self.rows} rows, and {seen} were found",
                    way_out="Write it again with the program that made it, or check that it was copied whole.",
                    place=self.place,
                )

    def _open(self, stream: Any) -> Any:
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        source = stream if self._file.held is None else pa.BufferReader(self._file.held)
        return open_parquet(source, self._file.path)
