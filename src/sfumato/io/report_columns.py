"""Which columns of a file hold the reports, their groups and their counts: what is named, or what can only be meant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.parquet_tables import is_text

REPORT, COUNT = "report", "count"
"""Where reports stand, and what a column of counts is usually called."""


@dataclass(frozen=True, slots=True)
class WantedColumns:
    """What was asked for."""

    column: str | None
    prefer: str | None
    group: str | None
    count: str | None
    is_nobody: Callable[[str], bool] | None = None
    """Says of a text that it means no report; without it every row has one."""

    def lacks(self, report: str) -> bool:
        """Whether a cell holds no report, and may."""
        return self.is_nobody is not None and (not report or self.is_nobody(report))


@dataclass(frozen=True, slots=True)
class ReportColumns:
    """Where to look: the names of the columns, count and group only if there are any."""

    report: str
    group: str | None
    count: str | None
    unused_count: bool

    @property
    def names(self) -> list[str]:
        """All that are read."""
        return [name for name in (self.report, self.group, self.count) if name is not None]


def find_columns(names: Sequence[str], path: str | Path, wanted: WantedColumns) -> ReportColumns:
    """Decide which columns are meant; the names of columns may be repeated, they are nobody's answer."""
    here = Place(file=str(path))
    if len(set(names)) != len(names):
        raise UnreadableFile("has two columns of the same name", place=here, way_out="Rename one of the two.")
    asked = [("column", wanted.column), ("group", wanted.group), ("count", wanted.count)]
    for parameter, name in asked:
        if name is not None and name not in names:
            raise UnreadableFile(
                "is not a column of this file",
                parameter=parameter,
                value=name,
                place=here,
                way_out="Name one that is in its header.",
            )
    for i, (parameter, name) in enumerate(asked):
        for other, same in asked[i + 1 :]:
            if name is not None and name == same:
                raise InvalidParameter(
                    f"and `{other}` are both {name!r}", parameter=parameter, way_out="Name different columns."
                )
    others = [name for name in names if name not in (wanted.group, wanted.count)]
    alone = [name for name in others if name != COUNT]
    report = wanted.column
    for known in (wanted.prefer, REPORT):
        report = known if report is None and known in others else report
    if report is None:
        if len(alone) != 1:
            raise UnreadableFile(
                f"has no column {REPORT!r}",
                place=here,
                way_out="Rename the column that holds the reports, or name it with `column`.",
            )
        (report,) = alone
    unused = wanted.count is None and COUNT in names and COUNT not in (report, wanted.group)
    return ReportColumns(report, wanted.group, wanted.count, unused)


def check_types(schema: Any, columns: ReportColumns, path: str | Path) -> None:
    """Refuse columns that can hold neither text nor whole numbers."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    for name in columns.names:
        kind = schema.field(name).type
        if not (pa.types.is_integer(kind) or (is_text(kind) and name != columns.count)):
            raise UnreadableFile(
                f"column {name} is of type {kind}, and reports and groups are text or whole numbers, counts whole "
                f"numbers",
                place=Place(file=str(path)),
                way_out="Convert it.",
            )
