"""Reading a prior: a file, or a few numbers typed on the command line.

Inline: ``0.2,0.8`` or ``1/3,2/3`` or ``yes=0.2,no=0.8``. CSV: two columns (label, probability) with or without a
header, or one row or column of numbers. JSON: a list of numbers, an object from label to probability, or
``{"schema": "sfumato/prior/1", "labels": […], "probabilities": […]}``. Parquet: columns `probability` and, if the
outcomes have names, `input`.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from sfumato.errors import InvalidLaw, Place, UnreadableFile
from sfumato.files.csv_tables import read_records
from sfumato.files.disk import DEFAULT_LIMIT_BYTES, read_bytes
from sfumato.files.formats import Format, format_for_reading, has_known_suffix
from sfumato.files.json_documents import as_fraction, as_list, check_keys, check_schema, read_json, too_deep
from sfumato.files.numbers import looks_like_number, parse_number
from sfumato.files.parquet_tables import arrow_errors, check_entries, is_text, open_parquet
from sfumato.files.texts import check_text
from sfumato.io.labels import as_label
from sfumato.io.laws import make_distribution
from sfumato.io.parquet_channels import INPUT, read_labels, read_numbers
from sfumato.prob import Distribution
from sfumato.prob.alphabet import Label

_PROBABILITY = "probability"
_MOST_INLINE = 100_000


def read_prior(text_or_path: str | Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> Distribution:
    r"""Read the file of that name if there is one, and otherwise take the text itself as the prior.

    Raises:
        UnreadableFile: the file is damaged, of another kind, or not there.
        InvalidLaw: the numbers are no law.

    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> _ = Path("prior.csv").write_text("label,probability\nyes,0.2\nno,0.8\n")
    >>> sf.io.read_prior("prior.csv")["yes"], sf.io.read_prior("1/3,2/3").probabilities
    (Fraction(1, 5), (Fraction(1, 3), Fraction(2, 3)))
    """
    if isinstance(text_or_path, str) and not has_known_suffix(text_or_path) and not _is_file(text_or_path):
        return parse_prior(text_or_path)
    kind = format_for_reading(text_or_path)
    data = read_bytes(text_or_path, limit_bytes=limit_bytes)
    try:
        if kind is Format.CSV:
            return prior_from_csv(data, text_or_path)
        return prior_from_json(data, text_or_path) if kind is Format.JSON else prior_from_parquet(data, text_or_path)
    except RecursionError:
        raise too_deep(text_or_path) from None


def parse_prior(text: str) -> Distribution:
    """Read "0.2,0.8", "1/3,2/3" or "yes=0.2,no=0.8".

    Raises:
        InvalidLaw: the numbers are no law, or some outcomes are named and others not.

    >>> import sfumato as sf
    >>> prior = sf.io.parse_prior("yes=1/5,no=4/5")
    >>> prior.labels, prior.probabilities
    (('yes', 'no'), (Fraction(1, 5), Fraction(4, 5)))
    """
    if len(text) > _MOST_INLINE:
        raise InvalidLaw(
            f"has {len(text)} characters, too many to type",
            parameter="prior",
            way_out="Write it to a file and name the file.",
        )
    parts = text.split(",")
    is_named = ["=" in part for part in parts]
    if any(is_named) and not all(is_named):
        raise InvalidLaw(
            "names some outcomes and not others", parameter="prior", way_out="Write yes=0.2,no=0.8 or 0.2,0.8."
        )
    labels: list[str] | None = None
    if all(is_named):
        labels, parts = map(list, zip(*(part.rsplit("=", 1) for part in parts), strict=True))
        labels = [check_text(label.strip(), "a label of `prior`") for label in labels]
    try:
        values = [parse_number(part, f"entry {i + 1} of `prior`") for i, part in enumerate(parts)]
    except UnreadableFile as error:
        # The likeliest slip is a mistyped file name, and the sentence about numbers alone would hide that.
        raise InvalidLaw(
            error.rule,
            way_out=f"{error.way_out} No file has that name either; a prior is a file, or text like 0.2,0.8.",
        ) from None
    return make_distribution(values, labels, name="`prior`")


def prior_from_csv(data: bytes, path: str | Path) -> Distribution:
    """Read a prior from the bytes of a table."""
    place = Place(file=str(path))
    records = read_records(data, path)
    width = len(records[0].cells)
    if width > 2 and len(records) > 1:
        raise UnreadableFile(
            f"the file has {width} columns and {len(records)} lines",
            way_out="Write two columns (label, probability), or one row of numbers.",
            place=place,
        )
    if len(records) == 1 and (width != 2 or records[0].is_numeric):
        line = Place(file=str(path), line=records[0].line)
        row = [parse_number(cell, f"column {y + 1}", line) for y, cell in enumerate(records[0].cells)]
        return make_distribution(row, None, place)
    body = records if looks_like_number(records[0].cells[-1]) else records[1:]
    if not body:
        raise UnreadableFile(
            "the file has a header and no numbers",
            way_out="Write label and probability, one a line.",
            place=place,
        )
    values = [
        parse_number(record.cells[-1], f"column {width}", Place(file=str(path), line=record.line)) for record in body
    ]
    labels = [record.cells[0] for record in body] if width == 2 else None
    return make_distribution(values, labels, place)


def prior_from_json(data: bytes, path: str | Path) -> Distribution:
    """Read a prior from the bytes of a document."""
    place = Place(file=str(path))
    document = read_json(data, path)
    if isinstance(document, list):
        return make_distribution(_values(document, place), None, place)
    if not isinstance(document, dict):
        raise UnreadableFile(
            "the file is neither a list nor an object", way_out="Write a list of numbers.", place=place
        )
    labels: list[Label] | None
    if "schema" in document:
        check_schema(document, path, kind="prior")
        check_keys(document, path, known=("schema", "labels", "probabilities"), needed=("probabilities",))
        values = _values(as_list(document["probabilities"], "probabilities", place), place)
        labels = None
        if "labels" in document:
            found = as_list(document["labels"], "labels", place)
            labels = [as_label(value, f"labels[{i}]", place) for i, value in enumerate(found)]
        return make_distribution(values, labels, place)
    labels = [check_text(key, "a label", place) for key in document]
    return make_distribution(_values(list(document.values()), place), labels, place)


def prior_from_parquet(data: bytes, path: str | Path) -> Distribution:
    """Read a prior from the bytes of a Parquet file."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    with arrow_errors(path):
        opened = open_parquet(pa.BufferReader(data), path)
        check_entries(opened, path)
        names = opened.schema_arrow.names
        if _PROBABILITY not in names or not set(names) <= {INPUT, _PROBABILITY}:
            raise UnreadableFile(
                f"the file must have the columns {INPUT} and {_PROBABILITY}",
                way_out="Rename or drop columns.",
                place=Place(file=str(path)),
            )
        kind = opened.schema_arrow.field(_PROBABILITY).type
        is_float = pa.types.is_float64(kind)
        if not (is_float or is_text(kind) or pa.types.is_decimal(kind)):
            raise UnreadableFile(
                f"column {_PROBABILITY} is of type {kind}",
                way_out="Convert it to float64 or text.",
                place=Place(file=str(path)),
            )
        labels = read_labels(opened, INPUT, {}, path) if INPUT in names else None
        values = list(read_numbers(opened, _PROBABILITY, path))
    return make_distribution(values, labels, Place(file=str(path)), float64=is_float)


def _values(entries: list[object], place: Place) -> list[Fraction]:
    return [as_fraction(value, f"entry {i + 1}", place) for i, value in enumerate(entries)]


def _is_file(text: str) -> bool:
    """Whether a file of that name exists; text that cannot be a name does not."""
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):
        return False
