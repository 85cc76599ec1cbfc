"""Where the data of a model come from: reports that were published or opened, typed-in ones, tables of old devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.design.devices import Device
from sfumato.errors import InvalidParameter
from sfumato.files.frames import TableLike
from sfumato.files.layouts import DataFile
from sfumato.prob import AnyChannel
from sfumato.study.model_data import ModelData, data_of_reports, data_of_table, joined_data
from sfumato.study.report_files import Paths, has_note
from sfumato.study.reports import Reports
from sfumato.study.steps.reading import read_published, read_reports
from sfumato.study.steps.study_places import study_of
from sfumato.study.studies import Study

Channels = Mapping[str, AnyChannel | Device]
"""For a table that was collected with devices of old: the channel of each randomised column, by its name."""
Analysed = Reports | Paths | TableLike | Sequence[Reports]
"""Reports that were published or opened, several of them together, or a table with `study` or `channels`."""


def model_data(
    reports: Analysed,
    names: Sequence[str],
    *,
    study: Study | str | Path | None = None,
    channels: Channels | None = None,
) -> ModelData:
    """Read what is named, from wherever reports are."""
    given: Any = reports
    if channels is not None:
        if study is not None:
            raise InvalidParameter(
                "says what was asked, and so do `channels`", parameter="study", way_out="Give one of the two."
            )
        return data_of_table(given, {name: _channel(one) for name, one in channels.items()}, names)
    if isinstance(given, list | tuple) and given and all(isinstance(one, Reports) for one in given):
        return joined_data([data_of_reports(one, names) for one in given])
    if study is not None and not _is_published(given):
        asked = study_of(study)
        ways = {way.question.id: way for way in asked.ways if way.on_paper}
        return data_of_table(given, {name: way.channel(1) for name, way in ways.items()}, names, asked)
    if study is None and not isinstance(given, Reports | str | Path | Sequence):
        raise InvalidParameter(
            "are a table, which does not say how its reports were made",
            parameter="reports",
            way_out="Give the `study` that they are of, or their `channels`; or reports that were published.",
        )
    return data_of_reports(_on_one_machine(given, study), names)


def _channel(given: AnyChannel | Device) -> AnyChannel:
    return given.channel if isinstance(given, Device) else given


def _is_published(given: Any) -> bool:
    if isinstance(given, Reports):
        return True
    if isinstance(given, DataFile) or not isinstance(given, str | Path | Sequence):
        return False
    several = [given] if isinstance(given, str | Path) else list(given)
    return all(has_note(one) for one in several)


def _on_one_machine(reports: Any, study: Study | str | Path | None = None) -> Reports:
    found: Any = reports if isinstance(reports, Reports) and study is None else _read(reports, study)
    if not isinstance(found, Reports):
        raise InvalidParameter(
            "must be reports that were published or opened, on one machine: models need them person by person",
            parameter="reports",
            way_out="Name the files. Typed-in reports take their `study` as well; reports in Spark are sampled first.",
        )
    return found


def _read(reports: Any, study: Study | str | Path | None) -> Any:
    if isinstance(reports, Reports):
        return reports
    return read_reports(reports, study) if study is not None else read_published(reports)


def published_or_typed(reports: Paths, study: Path | None, note: str | Path | None = None) -> Any:
    """Read reports that were published; what was typed in stays a file, which is read with its study."""
    if study is not None and note is None and not _is_published(reports):
        if not isinstance(reports, str | Path):
            raise InvalidParameter(
                "takes one file of reports that were typed in",
                parameter="reports",
                way_out="Put them into one table; reports that were published are read without the study.",
            )
        return reports
    return read_reports(reports, study, note=note)
