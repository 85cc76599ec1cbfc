"""The note that goes with a table of reports: which study it is of, and at which level each column stands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidInput, InvalidParameter, UnreadableFile
from sfumato.files.json_documents import check_keys, check_schema
from sfumato.refine import Ladder
from sfumato.study.studies import Study
from sfumato.study.study_files import as_document, fingerprint, study_from

SCHEMA = "sfumato/reports/1"
_KEYS = ("schema", "study", "epoch", "rows", "offset", "source", "columns")
_COLUMN_KEYS = ("ladder", "level", "digest")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNote:
    """A question's column: at `level` of a ladder (0: the answers themselves), or made with a card (no ladder)."""

    ladder: str | None
    level: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportsNote:
    """What a table of reports is; `offset` is the row of its first report in the publication."""

    study: Study
    epoch: int
    rows: int
    source: str
    columns: Mapping[str, ColumnNote]
    offset: int = 0

    @property
    def fingerprint(self) -> str:
        """Of the study."""
        return fingerprint(self.study)

    def ladder(self, question: str) -> Ladder:
        """Return the ladder behind a column."""
        declared = self.column(question).ladder
        if declared is None:
            raise InvalidParameter(f"question {question!r} was asked with a card; it has no levels and no keys.")
        return Ladder.declared(declared)

    def column(self, question: str) -> ColumnNote:
        """Return the note on a question's column."""
        if question not in self.columns:
            raise InvalidParameter(
                f"question {question!r} is not among these reports, which have: {', '.join(self.columns)}."
            )
        return self.columns[question]

    @property
    def is_insecure(self) -> bool:
        """Whether the reports were made from a seed that anyone can repeat."""
        return self.source.startswith("INSECURE")

    def to_text(self) -> str:
        """Return the note as JSON."""
        document = {
            "schema": SCHEMA,
            "study": as_document(self.study),
            "epoch": self.epoch,
            "rows": self.rows,
            "offset": self.offset,
            "source": self.source,
            "columns": {
                name: {"ladder": column.ladder, "level": column.level, "digest": column.digest}
                for name, column in self.columns.items()
            },
        }
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def from_text(cls, text: str | None, path: str | Path) -> ReportsNote:
        """Read the note of a table; refuses one that is missing, damaged or newer."""
        if text is None:
            raise UnreadableFile(
                f"file {path} does not say which study its reports are of. Use the file that `sfumato publish` wrote; "
                f"a CSV needs the file {Path(path).name}.about.json beside it."
            )
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise UnreadableFile(f"the note of {path} is damaged. Ask for the reports again.") from None
        if not isinstance(document, dict):
            raise UnreadableFile(f"the note of {path} is damaged. Ask for the reports again.")
        check_schema(document, path, kind="reports")
        try:
            return _from_document(document, path)
        except (InvalidInput, KeyError, TypeError, ValueError, RecursionError):
            raise UnreadableFile(f"the note of {path} is damaged. Ask for the reports again.") from None


def _from_document(document: dict[str, Any], path: str | Path) -> ReportsNote:
    check_keys(document, path, known=_KEYS, needed=_KEYS)
    study = study_from({key: value for key, value in document["study"].items() if key != "schema"})
    columns = {}
    for name, column in document["columns"].items():
        check_keys(column, path, known=_COLUMN_KEYS, needed=_COLUMN_KEYS)
        study.question(name)
        if column["ladder"] is not None:
            Ladder.declared(column["ladder"])
        columns[name] = ColumnNote(ladder=column["ladder"], level=_whole(column["level"]), digest=str(column["digest"]))
    return ReportsNote(
        study=study,
        epoch=_whole(document["epoch"]),
        rows=_whole(document["rows"]),
        offset=_whole(document["offset"]),
        source=str(document["source"]),
        columns=columns,
    )


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError
    return value
