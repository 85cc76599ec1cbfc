"""The rows of a file, of a folder or of a pattern of files, in chunks.

Files are read in the order of their paths, folder by folder. A folder named `region=north` is a column `region` with
`north` in all its rows, as Hive and Spark write them. Names that begin with a point or an underscore are left out.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.csv_rows import CsvRows
from sfumato.files.disk import SteadyFile
from sfumato.files.excel import ExcelRows
from sfumato.files.formats import DataFile, Format, as_file, table_format
from sfumato.files.parquet import ParquetRows, common_kind, is_text
from sfumato.files.statistics_rows import StatisticsRows
from sfumato.files.texts import check_names

_FORMATS = {".csv": Format.CSV, ".tsv": Format.CSV, ".parquet": Format.PARQUET}
"""What is looked for in a folder; a text file there may be anything."""
OneFile = CsvRows | ParquetRows | ExcelRows | StatisticsRows
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def file_rows(
    data: str | Path | DataFile, *, limit_bytes: int | None = None, needed: Collection[str] | None = None
) -> OneFile | FolderRows:
    """Return the rows of a file, a folder or a pattern; `needed` columns decide which separator a text file has."""
    layout = as_file(data)
    path, here = layout.path, Path(layout.path)

    def one(path: Path) -> OneFile:
        return _one(replace(layout, path=path), limit_bytes, needed)

    if here.is_dir():
        return FolderRows(_files_under(here, here), path, one)
    if glob.has_magic(str(path)) and not os.path.lexists(here):
        return FolderRows(_files_like(str(path)), path, one)
    return one(here)


def _one(layout: DataFile, limit_bytes: int | None, needed: Collection[str] | None) -> OneFile:
    kind = table_format(layout.path)
    _check_layout(layout, kind)
    file = SteadyFile.at(layout.path, limit_bytes=limit_bytes)
    if kind is Format.EXCEL:
        return ExcelRows(file, layout)
    if kind is Format.STATISTICS:
        return StatisticsRows(file)
    return CsvRows(file, layout, needed) if kind is Format.CSV else ParquetRows(file)


def _check_layout(layout: DataFile, kind: Format) -> None:
    """Refuse options that a file of this kind decides itself, because they would be ignored."""
    said = {"encoding": layout.encoding, "separator": layout.separator, "decimal": layout.decimal.replace(".", "")}
    if kind is not Format.CSV:
        for name, value in said.items():
            if value:
                raise InvalidParameter(
                    f"is for CSV, and {Path(layout.path).name} is none",
                    parameter=name,
                    value=value,
                    way_out="Leave it out: the file says that itself.",
                )
    if layout.sheet is not None and kind is not Format.EXCEL:
        raise InvalidParameter(
            f"is for workbooks, and {Path(layout.path).name} is none",
            parameter="sheet",
            value=layout.sheet,
            way_out="Leave it out.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A file, and what the folders around it say of all its rows."""

    path: Path
    says: Mapping[str, str | None]


class FolderRows:
    """The rows of several files that have the same columns, one file after another."""

    def __init__(self, files: Sequence[_Found], path: str | Path, one: Callable[[Path], OneFile]) -> None:
        self.place = Place(file=str(path))
        if not files:
            raise UnreadableFile(
                "there is no CSV or Parquet file here", way_out="Check the name and the folder.", place=self.place
            )
        if len({_FORMATS.get(found.path.suffix.lower()) for found in files}) > 1:
            raise UnreadableFile(
                "there are both CSV and Parquet files here",
                way_out="Name those of one kind, for instance by a pattern that ends in *.parquet.",
                place=self.place,
            )
        self._says = [found.says for found in files]
        self._files = [one(found.path) for found in files]
        self.names = (*self._files[0].names, *self._says[0])
        check_names(self.names, self._files[0].place)
        for file, says in zip(self._files, self._says, strict=True):
            _check_same(self.names, (*file.names, *says), file.place, self._files[0].place)
        known = [file.rows for file in self._files]
        self.rows = None if None in known else sum(rows or 0 for rows in known)

    def _kind(self, name: str) -> Any:
        """Return the type of a column that all files can be read as."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        found = _stored(self._files[0].kind(name))
        for file in self._files[1:]:
            other = _stored(file.kind(name))
            try:
                found = common_kind(found, other)
            except pa.ArrowException:
                raise UnreadableFile(
                    f"column {name} holds {_word(other)} here, and {_word(found)} in files before it",
                    way_out="Write all files with the same types.",
                    place=file.place,
                ) from None
        return found

    def batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """Yield the rows of some columns."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        kinds = {name: self._kind(name) for name in columns if name not in self._says[0]}
        for file, says in zip(self._files, self._says, strict=True):
            # Where only folders are asked for, some column still says how many rows there are.
            inside = [name for name in columns if name not in says] or list(file.names[:1])
            for batch in file.batches(inside, size):
                arrays = [
                    _said(says[name], batch.num_rows) if name in says else _cast(batch, name, kinds[name], file.place)
                    for name in columns
                ]
                yield pa.record_batch(arrays, names=list(columns))


def _stored(kind: Any) -> Any:
    """Return what a column is read as: all text is one type, a dictionary."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.dictionary(pa.int32(), pa.string()) if is_text(plain) else plain


def _word(kind: Any) -> str:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return "text" if pa.types.is_dictionary(kind) else f"values of type {kind}"


def _cast(batch: Any, name: str, kind: Any, place: Place | None) -> Any:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    column = batch.column(name)
    if column.type == kind:
        return column
    try:
        if not pa.types.is_dictionary(kind):
            return column.cast(kind)
        if not pa.types.is_dictionary(column.type):
            return column.cast(pa.string()).dictionary_encode()
        return pa.DictionaryArray.from_arrays(
            column.indices.cast(pa.int32()), column.dictionary.cast(pa.string()), safe=False
        )
    except pa.ArrowException:
        raise UnreadableFile(
            f"column {name} cannot be read as {_word(kind)}, which it holds in other files",
            way_out="Write all files with the same types.",
            place=place,
        ) from None


def _said(value: str | None, rows: int) -> Any:
    import numpy as np  # noqa: PLC0415  beside the library it serves
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if value is None:
        return pa.nulls(rows, pa.dictionary(pa.int32(), pa.string()))
    places = np.zeros(rows, dtype=np.int32)
    indices = pa.Array.from_buffers(pa.int32(), rows, [None, pa.py_buffer(places)])
    return pa.DictionaryArray.from_arrays(indices, pa.array([value], pa.string()))


def _check_same(names: Sequence[str], others: Sequence[str], place: Place | None, first: Place | None) -> None:
    if set(names) == set(others) and len(others) == len(names):
        return
    lacks, extra = [n for n in names if n not in others], [n for n in others if n not in names]
    what = f"lacks the column {lacks[0]!r} of" if lacks else f"has a column {(extra or others)[0]!r} that is not in"
    raise UnreadableFile(
        f"the file {what} {first and first.file}",
        way_out="Give all files the same columns, and let all folders say the same of them.",
        place=place,
    )


def _files_under(folder: Path, root: Path) -> list[_Found]:
    """Return the files below a folder, in the order of their paths."""
    found = []
    try:
        inside = sorted(folder.iterdir())
    except OSError as error:
        raise UnreadableFile(
            f"the folder cannot be read: {error.strerror}",
            way_out="Change its permissions, or name the files in it that may be read.",
            place=Place(file=str(folder)),
        ) from None
    for path in inside:
        if path.name.startswith((".", "_")) and "=" not in path.name:
            continue
        if path.is_dir():
            if path.is_symlink():
                raise UnreadableFile(
                    "this folder is a link, which may lead round in a circle",
                    way_out="Name the folder that it leads to, or delete the link.",
                    place=Place(file=str(path)),
                )
            found += _files_under(path, root)
        elif path.suffix.lower() in _FORMATS:
            found.append(_Found(path=path, says=_said_by(path.relative_to(root).parts[:-1])))
    return found


def _files_like(pattern: str) -> list[_Found]:
    """Return the files that a pattern matches, and those below the folders that it matches."""
    parts = Path(pattern).parts
    fixed = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    found: list[_Found] = []
    for name in sorted(glob.glob(pattern, recursive=True), key=lambda name: Path(name).parts):  # noqa: PTH207  any root
        path = Path(name)
        around = _said_by(path.parts[fixed:] if path.is_dir() else path.parts[fixed:-1])
        inside = _files_under(path, path) if path.is_dir() else [_Found(path=path, says={})]
        found += [replace(one, says={**around, **one.says}) for one in inside]
    # `**` matches a folder and what is in it.
    return list({one.path: one for one in found}.values())


def _said_by(folders: Sequence[str]) -> dict[str, str | None]:
    """Read what folders say: `region=north`, spelled as in an address."""
    pairs = [folder.split("=", 1) for folder in folders if "=" in folder]
    return {unquote(name): None if value == _NO_VALUE else unquote(value) for name, value in pairs}
