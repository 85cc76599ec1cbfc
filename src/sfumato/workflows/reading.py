"""Opening, recovering and estimating reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

import numpy as np

from sfumato.engines.spark import Engine, SparkFrame, is_spark_frame
from sfumato.errors import InvalidParameter
from sfumato.files.formats import check_table_place
from sfumato.files.public_tables import TableWriter
from sfumato.files.tables import TABLE_LIMIT_BYTES, number_column, text_column
from sfumato.inference.exact import Method
from sfumato.inference.quantities import Quantity
from sfumato.inference.results import Reading
from sfumato.ladders.keys import Key
from sfumato.numbers.checks import check_between
from sfumato.publications.estimating import Collected, Estimates, estimate_collected
from sfumato.publications.opening import Recovery, open_table, recover_table, recovered_chunks, recovering
from sfumato.publications.registry import study_of
from sfumato.publications.reports import PART, ROW, Paths, Progress, Reports, check_reports_place, has_note
from sfumato.publications.spark_reading import (
    SparkReports,
    check_new_folder,
    reports_of_frame,
    reports_on_spark,
    write_spark_reports,
)
from sfumato.publications.typed_reports import TypedReports
from sfumato.study.file import fingerprint
from sfumato.study.study import Study
from sfumato.workflows.key_files import Keys, Unlocking, keys_for, opening_keys, questions_wanted


def read_reports(
    path: Paths | SparkFrame,
    study: Study | str | Path | None = None,
    *,
    note: str | Path | None = None,
    engine: Engine | None = None,
    questions: Sequence[str] | None = None,
    column: str | None = None,
    group: str | None = None,
    count: str | None = None,
    limit_bytes: int = TABLE_LIMIT_BYTES,
    progress: Callable[[int], None] | None = None,
) -> Reports | SparkReports | TypedReports:
    """Read reports that were published or opened; with a `study`, also reports of a card that were typed in.

    A table of Spark is read where it is, and with `engine` spark so are files.

    Published reports carry their note, and a study given with them must be theirs. `column`, `group` and `count` name
    columns of typed-in reports; a column of counts is used only when it is named.

    Returns:
        The reports, with their note.

    Raises:
        UnreadableFile: a file is damaged, of another kind, or not there.

    >>> import pathlib, tempfile
    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "reports.csv"
    >>> made = sf.publish(study, {"tired": ["no", "yes"] * 50}, out=path, insecure_seed=7)
    >>> len(sf.read_reports(path))
    100
    """
    if study is None:
        _refuse(column=column, count=count)
        return read_published(path, note=note, engine=engine)
    declared = study_of(study)
    if engine is not None or not isinstance(path, str | Path | Sequence):
        _refuse(column=column, count=count)
        held = read_published(path, note=note, engine=engine)
        _check_study(declared, held, "these reports")
        return held
    several = [path] if isinstance(path, str | Path) else list(path)
    typed = note is None and not all(has_note(one) for one in several)
    if typed and len(several) > 1:
        raise InvalidParameter(
            f"takes one file of reports that were typed in, not {len(several)}",
            parameter="reports",
            way_out="Put them into one table; reports that were published are read without the study.",
        )
    if not typed:
        _refuse(column=column, count=count)
        found = Reports.read(path, note=note)
        _check_study(declared, found, f"the reports in {path}")
        return found
    return TypedReports.read(
        declared,
        several[0],
        questions=None if questions is None else tuple(questions),
        column=column,
        group=group,
        count=count,
        limit_bytes=limit_bytes,
        progress=progress,
    )


@overload
def open_reports(
    reports: Reports | Paths, keys: Keys, *, unlock: Unlocking = None, note: str | Path | None = None
) -> Reports: ...
@overload
def open_reports(
    reports: SparkReports | SparkFrame, keys: Keys, *, unlock: Unlocking = None, note: str | Path | None = None
) -> SparkReports: ...
@overload
def open_reports(
    reports: Reports | SparkReports | Paths | SparkFrame,
    keys: Keys,
    *,
    unlock: Unlocking = None,
    note: str | Path | None = None,
    engine: Engine | None = None,
) -> Reports | SparkReports: ...
def open_reports(
    reports: Reports | SparkReports | Paths | SparkFrame,
    keys: Keys,
    *,
    unlock: Unlocking = None,
    note: str | Path | None = None,
    engine: Engine | None = None,
) -> Reports | SparkReports:
    """Return reports as sharp as the keys allow: each row is opened when it is read.

    Reports are a file, a folder, a glob or several of them, or a table of Spark, whose rows are opened there; with
    `engine` spark so are those of files. Keys are key files, or folders of them; of a folder the keys of these reports
    are used that open a level and that `unlock` opens, and the `remarks` of what is returned list the others.

    Returns:
        The reports as the keys' holder sees them.

    Raises:
        KeyRefused: a key is of another publication, does not open, or recovers answers.
        UnreadableFile: a file is damaged, of another kind, or not there.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(
    ...     name="Rest",
    ...     questions=(sf.YesNo(id="tired", text="Tired?"),),
    ...     analysts=(sf.Analyst(name="ministry", epsilon=Fraction(2)),),
    ...     public_epsilon=Fraction(1),
    ... )
    >>> made = sf.publish(study, {"tired": ["no", "yes"] * 50}, insecure_seed=7)
    >>> sf.open_reports(made.reports, made.keys["tired"][1])
    <Reports on 'Rest': 100 rows; tired at the level of ministry>
    """
    found = read_published(reports, note=note, engine=engine)
    held = opening_keys(found.note, keys, unlock)
    opened = found.opened(held.keys) if isinstance(found, SparkReports) else open_table(found, held.keys)
    return replace(opened, remarks=(*opened.remarks, *held.remarks)) if held.remarks else opened


def recover_answers(
    reports: Reports | SparkReports | Paths | SparkFrame,
    keys: Keys,
    *,
    unlock: Unlocking = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
    note: str | Path | None = None,
    engine: Engine | None = None,
    rounded: bool = False,
) -> Any:
    """Return the answers as an Arrow table, with the registrar's keys; of reports in Spark as a table of Spark.

    Each answer is as it was, in the type that the table had: numbers as numbers, labels as text, no answer as an empty
    cell. What was read from text comes back as whole numbers, as floats where the question's `step` has decimals, and
    as labels. Where an answer does not come back that is refused, unless `rounded` values are wanted in its place.

    With `out` they are written there, chunk by chunk, so that only their owner may read them, by Spark as a folder of
    files; then it is their number that is returned. A CSV file holds canonical text.

    Returns:
        A table with a column for each question, in the order of the reports.

    Raises:
        InvalidParameter: keys for a question are missing.
        KeyRefused: a key is no registrar's, or of another publication.
        UnreadableFile: a file is damaged, of another kind, or not there.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> question = sf.YesNo(id="tired", text="Tired?")
    >>> study = sf.Study(name="Rest", questions=(question,), public_epsilon=Fraction(1), recover=True)
    >>> made = sf.publish(study, {"tired": ["no", "yes", "yes"]}, insecure_seed=7)
    >>> sf.recover_answers(made.reports, made.keys["tired"][0]).column("tired").to_pylist()
    ['no', 'yes', 'yes']
    """
    found = read_published(reports, note=note, engine=engine)
    held = keys_for(found.note, keys, unlock, recover=True)
    wanted = questions_wanted(found.note, keys)
    if isinstance(found, SparkReports):
        answers = found.recovered(held, rounded=rounded, wanted=wanted)
        return answers.frame if out is None else write_spark_reports(answers, out, progress)
    if out is None:
        return recover_table(found, held, rounded=rounded, wanted=wanted)
    check_table_place("out", out)
    recovery = recovering(found.note, held, rounded=rounded, wanted=wanted)
    as_text = Path(out).suffix.lower() != ".parquet"
    with TableWriter(out, private=True) as writer:
        for table in recovered_chunks(found, recovery, as_text=as_text):
            writer.write(table)
            if progress is not None:
                progress(table.num_rows, found.note.rows)
        writer.finish()
    return writer.rows


def recovery_for(
    reports: Reports | SparkReports, keys: Sequence[Key], *, rounded: bool = False, wanted: Sequence[str] | None = None
) -> Recovery:
    """Return what keys give back of reports; refuses where answers to one of the questions do not come back."""
    return recovering(reports.note, keys, rounded=rounded, wanted=wanted)


def estimate_reports(
    reports: Collected | Paths | SparkFrame,
    study: Study | str | Path | None = None,
    *,
    note: str | Path | None = None,
    confidence: float = 0.95,
    group: str | None = None,
    questions: Sequence[str] | None = None,
    method: Method | str = Method.EXACT,
    ignoring: float | None = None,
    simultaneous: bool = False,
    column: str | None = None,
    count: str | None = None,
    engine: Engine | None = None,
) -> Estimates:
    """Return what reports say about each question; typed-in reports of a card need the `study`.

    Reports are a file, a folder, a glob or several of them, or a table of Spark; `note` is that of rows which another
    tool selected. With `engine` spark, Spark counts what is in files.

    Returns:
        An estimate for each question.

    Raises:
        InvalidParameter: there is no such column, or reports need the `study`.
        UnreadableFile: a file is damaged, of another kind, or not there.
        KeyRefused: reports and keys are of different publications.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> made = sf.publish(study, {"tired": ["no", "yes"] * 5000}, insecure_seed=7)
    >>> (found,) = sf.estimate_reports(made.reports)
    >>> found.labels, 0.45 < found.shares[1] < 0.55
    (('no', 'yes'), True)
    """
    found: Collected
    if is_spark_frame(reports) or isinstance(reports, str | Path | Sequence):
        read: Any = reports
        found = read_reports(
            read, study, note=note, engine=engine, questions=questions, column=column, group=group, count=count
        )
    else:
        _refuse(column=column, count=count, note=None if note is None else str(note))
        collected: Any = reports
        found = collected
        if study is not None:
            _check_study(study_of(study), found, "these reports")
    return estimate_collected(
        found,
        confidence=confidence,
        group=group,
        questions=questions,
        method=method,
        ignoring=ignoring,
        simultaneous=simultaneous,
    )


def write_reports(reports: Reports | SparkReports, out: str | Path, *, progress: Progress | None = None) -> None:
    """Write reports as they are seen, with note and codebook: as one table, or by Spark as a folder of files.

    >>> import pathlib, tempfile
    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> made = sf.publish(study, {"tired": ["no", "yes"] * 50}, insecure_seed=7)
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> sf.write_reports(made.reports, folder / "reports.csv")
    >>> sorted(path.suffix for path in folder.iterdir())
    ['.csv', '.json', '.md']
    """
    if isinstance(reports, SparkReports):
        write_spark_reports(reports, out, progress)
    else:
        reports.write(out, progress=progress)


def check_opened_place(out: str | Path, engine: Engine | None = None) -> None:
    """Refuse a place where opened reports cannot be written."""
    check_reports_place(out) if engine is None else check_new_folder(out)


def check_answers_place(out: str | Path, engine: Engine | None = None) -> None:
    """Refuse a place where answers cannot be written."""
    check_table_place("out", out) if engine is None else check_new_folder(out)


def _check_study(study: Study, reports: Collected, which: str) -> None:
    if fingerprint(study) != reports.note.fingerprint:
        raise InvalidParameter(
            f"is not the study of {which}, or was changed since",
            parameter="study",
            way_out="Name the study that they were published with, or the reports alone.",
        )


def read_published(
    reports: Any, *, note: str | Path | None = None, engine: Engine | None = None
) -> Reports | SparkReports:
    """Read reports that were published or opened: files, a table of Spark, or what was read before."""
    if is_spark_frame(reports):
        return reports_of_frame(reports, note)
    if engine is not None and not isinstance(reports, SparkReports):
        return reports_on_spark(reports, engine, note)
    return reports if isinstance(reports, Reports | SparkReports) else Reports.read(reports, note=note)


def _refuse(**given: str | None) -> None:
    for parameter, value in given.items():
        if value is not None:
            raise InvalidParameter(
                "is for reports that were typed in; these say themselves where everything stands",
                parameter=parameter,
                value=value,
                way_out=f"Leave out `{parameter}`.",
            )


# --- Questions with several options
# Which respondents were asked about which options, and how many chose two of them together.


def option_pairs(
    reports: Collected | str | Path, question: str, *, confidence: float = 0.95, group: str | None = None
) -> Mapping[str | None, tuple[Quantity, ...]]:
    """Return the share of those who chose both, for every pair of options; by group, all people under None.

    This needs a question that asks each respondent about two options or more.

    Returns:
        The joint shares of two options.

    Raises:
        InvalidParameter: the question is not one of several options, or nobody was asked about both.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> ways = sf.Several(id="ways", text="How?", options=("bus", "car", "bicycle"), ask=2, epsilon=Fraction(4))
    >>> study = sf.Study(name="Traffic", questions=(ways,))
    >>> made = sf.publish(study, {"ways": ["bus;car", "bicycle"] * 50}, insecure_seed=7)
    >>> [pair.name for pair in sf.workflows.option_pairs(made.reports, "ways")[None]]
    ['bus and car', 'bus and bicycle', 'car and bicycle']
    """
    check_between("confidence", confidence, 0.5, 1 - 1e-9)
    found: Any = read_reports(reports) if isinstance(reports, str | Path) else reports
    handler, level = found.note.handler(question), found.note.column(question).level
    reading = Reading(level=level, confidence=confidence)
    return {label: handler.pairs(tally, reading.among(label)) for label, tally in found.tallies(question, group)}


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
    >>> sf.workflows.asked_options(made.reports, "ways").column_names
    ['part', 'row', 'asked_1', 'asked_2']
    """
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    found: Any = read_reports(reports) if isinstance(reports, str | Path) else reports
    handler, pieces = found.note.handler(question), []
    for chunk in found.chunks([question]):
        asked, labels = handler.asked(chunk.numbers, chunk.part.base)
        columns = {
            PART: text_column(np.zeros(chunk.numbers.size, dtype=np.int64), [chunk.part.id]),
            ROW: number_column(chunk.numbers),
        }
        columns |= {f"asked_{place + 1}": text_column(asked[:, place], labels) for place in range(asked.shape[1])}
        pieces.append(pa.table(columns))
    return pa.concat_tables(pieces)
