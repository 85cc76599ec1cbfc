"""Of questions with several options: who was asked about which, and how many chose two of them together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.files.tables import number_column, text_column
from sfumato.study.estimating import Collected
from sfumato.study.report_rows import PART, ROW
from sfumato.study.reports import Reports
from sfumato.study.steps.reading import read_reports
from sfumato.study.ways import Quantity, Reading
from sfumato.values.checks import check_between


def option_pairs(
    reports: Collected | str | Path, question: str, *, confidence: float = 0.95, group: str | None = None
) -> Mapping[str | None, tuple[Quantity, ...]]:
    """Return the share of those who chose both, for every pair of options; by group, everybody under None.

    Only a question that asks each respondent about two options or more can tell.

    Returns:
        The joint shares of two options.

    Raises:
        InvalidParameter: the question is not one of several options, or nobody was asked about both.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> ways = sf.Several(id="ways", text="How?", options=("bus", "car", "bicycle"), ask=2, epsilon=Fraction(4))
    >>> study = sf.Study(name="Traffic", questions=(ways,))
    >>> made = sf.publish(study, {"ways": ["bus;car", "bicycle"] * 50}, insecure_seed=7)
    >>> [pair.name for pair in sf.option_pairs(made.reports, "ways")[None]]
    ['bus and car', 'bus and bicycle', 'car and bicycle']
    """
    check_between("confidence", confidence, 0.5, 1 - 1e-9)
    found: Any = read_reports(reports) if isinstance(reports, str | Path) else reports
    way, level = found.note.way(question), found.note.column(question).level
    reading = Reading(level=level, confidence=confidence)
    return {label: way.pairs(tally, reading.among(label)) for label, tally in found.tallies(question, group)}


def asked_options(reports: Reports | str | Path, question: str) -> Any:
    """Return an Arrow table of which options each respondent was asked about; all of it is public.

    `asked_1` is what the least bit of the report is about.

    Returns:
        A row for each person, a column for each option.

    Raises:
        InvalidParameter: the question is not one of several options.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> ways = sf.Several(id="ways", text="How?", options=("bus", "car", "bicycle"), ask=2, epsilon=Fraction(4))
    >>> study = sf.Study(name="Traffic", questions=(ways,))
    >>> made = sf.publish(study, {"ways": ["bus;car", "bicycle"] * 50}, insecure_seed=7)
    >>> sf.asked_options(made.reports, "ways").column_names
    ['part', 'row', 'asked_1', 'asked_2']
    """
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    found: Any = read_reports(reports) if isinstance(reports, str | Path) else reports
    way, pieces = found.note.way(question), []
    for chunk in found.chunks([question]):
        asked, labels = way.asked(chunk.numbers, chunk.part.base)
        columns = {
            PART: text_column(np.zeros(chunk.numbers.size, dtype=np.int64), [chunk.part.id]),
            ROW: number_column(chunk.numbers),
        }
        columns |= {f"asked_{place + 1}": text_column(asked[:, place], labels) for place in range(asked.shape[1])}
        pieces.append(pa.table(columns))
    return pa.concat_tables(pieces)
