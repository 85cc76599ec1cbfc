"""Looking at what was released of a study so far."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from sfumato.study.reader_sums import ReaderSum, worst_sums
from sfumato.study.steps.remembering import Memory, Remembered
from sfumato.study.steps.study_places import ledger_of, record_beside, study_of
from sfumato.study.studies import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRecord:
    """The releases of a study in their order, and the files that remember them."""

    study: Study
    record: Path | None
    ledger: Path | None
    releases: tuple[Remembered, ...]

    def sums_at(self, number: int) -> tuple[ReaderSum, ...]:
        """What readers see of the same people up to a release: it, and those before it about the same people."""
        one = self.releases[number].published
        before = [other.published for other in self.releases[:number] if one.is_about(other.published)]
        return worst_sums((other.payer, other.seen) for other in (*before, one))

    @property
    def sums(self) -> tuple[ReaderSum, ...]:
        """What readers see of the person of whom most is seen, whatever the epoch.

        Nobody is in two parts of a publication; an amendment adds to the part that it amends. Nobody is counted under
        two names of people, and everybody with those who have none.
        """
        return worst_sums((one.published.payer, one.published.seen) for one in self.releases)


def read_record(
    study: Study | str | Path, *, record: str | Path | None = None, ledger: str | Path | None = None
) -> StudyRecord:
    """Return what was released of a study, from the record beside it or the one given, and from its ledger if any.

    Returns:
        The releases, oldest first.

    Raises:
        UnreadableFile: a file is damaged, of another kind, or not there.

    >>> import pathlib, tempfile
    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "study.toml"
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> sf.write_study(study, path)
    >>> made = sf.publish(path, {"tired": ["no", "yes"] * 50}, out=path.with_name("reports.csv"))
    >>> len(sf.read_record(path).releases)
    1
    """
    declared, payer = study_of(study), ledger_of(study, ledger)
    beside = None if isinstance(study, Study) else record_beside(study)
    file = None if isinstance(study, Study) else os.path.realpath(study)
    memory = Memory(record=beside if record is None else Path(record), ledger=payer, file=file)
    mine = tuple(
        one
        for one in memory.history()
        if one.published.study == declared.name or (file is not None and one.published.file == file)
    )
    return StudyRecord(study=declared, record=memory.record, ledger=payer, releases=mine)
