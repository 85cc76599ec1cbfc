"""Publishing a study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sfumato.account.published import checked_name
from sfumato.bits import BitSource
from sfumato.engines.spark import Engine, SparkFrame
from sfumato.errors import InvalidParameter
from sfumato.files.frames import TableLike
from sfumato.files.staging import new_folders
from sfumato.study.publishing import StudyPublication
from sfumato.study.reports import Progress
from sfumato.study.steps.appending import append_part
from sfumato.study.steps.keys import Unlocking, opener_of_found, unlocker_of
from sfumato.study.steps.paying import source_of
from sfumato.study.steps.publishing import (
    Protections,
    check_secure,
    destination,
    protections_of,
    publish_in_memory,
    publish_to,
    write_made,
)
from sfumato.study.steps.remembering import memory_of
from sfumato.study.steps.requests import PublishRequest
from sfumato.study.steps.study_places import ledger_of, study_of
from sfumato.study.studies import Study
from sfumato.values import Guarantee


def publish(
    study: Study | str | Path,
    data: TableLike | SparkFrame,
    *,
    out: str | Path | None = None,
    keys: str | Path | None = None,
    protection: Protections | None = None,
    unlock: Unlocking = None,
    keep: Sequence[str] = (),
    epoch: int = 0,
    guarantee: Guarantee | str = Guarantee.INFORMATION_THEORETIC,
    ledger: str | Path | None = None,
    bits: BitSource | None = None,
    insecure_seed: int | None = None,
    progress: Progress | None = None,
    record: str | Path | None = None,
    again: str | None = None,
    people: str | None = None,
    id_column: str | None = None,
    shuffle: bool = False,
    append: bool = False,
    engine: Engine | None = None,
) -> StudyPublication:
    """Make public reports and keys from a table with a column of answers for each question.

    With `out` the reports are written there, to a file or as a part of a folder, and the key files into the folder
    `keys`, protected by `protection`; the ledger of the study, or `ledger`, is debited before anything is seen. Rows
    are read, drawn and written chunk by chunk. A folder that holds the registrar's keys of this study makes the same
    reports again, and refuses changed answers; they are opened by `unlock`, or by what `protection` says, and only a
    passphrase, a private key or the word that they are unprotected will do. Without `out` everything stays in memory,
    which a study with a ledger does not allow: what is not written is not paid for.

    Every release is remembered in a record, `releases.json` beside the study's file unless `record` names another, and
    in the ledger; a study that is no file needs one of the two. The same study or file in the same epoch is about the
    same people, unless `people` declares that they are others. They are released about once: a further release is
    named by `again`, paid for, and added up in what readers see. A publication that was interrupted is finished as it
    was drawn then. Simulations, with `insecure_seed`, are no releases.

    With `append` the table holds new people, who become a further part of the publication in the folder `out`. With
    `id_column` the registrar gets a sealed index from person to row, beside the keys; nobody may be in twice. `shuffle`
    puts the rows in an order of chance.

    The rows of a table of Spark stay on its executors, which write the part into the folder `out`; with `engine` spark,
    Spark reads the files of answers as well.

    Returns:
        The reports and the keys by question and level.

    Raises:
        InvalidParameter: an answer is none of the question, or a parameter does not fit.
        UnreadableFile: a file is damaged, of another kind, or not there.
        BudgetSpent: the ledger has not enough left.
        ReleasedBefore: the same people were released about already.
        KeyReused: the folder of keys belongs to other answers.
        KeyRefused: the registrar's keys do not open.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> made = sf.publish(study, {"tired": ["no", "yes"] * 50}, insecure_seed=7)  # to try it; else without
    >>> made.reports
    <Reports on 'Rest': 100 rows; tired at its only level>
    """
    declared, payer = study_of(study), ledger_of(study, ledger)
    asked = PublishRequest(
        study=declared,
        data=data,
        bits=source_of(bits, insecure_seed, payer),
        guarantee=guarantee_of(guarantee),
        epoch=epoch,
        keep=tuple(keep),
        people=checked_name("people", people),
        again=checked_name("again", again),
        id_column=id_column,
        shuffle=shuffle,
        progress=progress,
        engine=engine,
    )
    memory = memory_of(study, record, payer)
    if out is None:
        if payer is not None:
            raise InvalidParameter(
                "must say where the reports are written: this study pays a ledger, and a release is paid for when it "
                "is written",
                parameter="out",
                way_out="Give `out`, or publish a study without a ledger.",
            )
        for name, given in (("keys", keys is not None), ("append", append), ("id_column", id_column is not None)):
            if given:
                raise InvalidParameter(
                    "is for files, which are written with the reports", parameter=name, way_out="Give `out` too."
                )
        if asked.is_on_spark:
            raise InvalidParameter(
                "must say in which folder the executors write the part: its rows are not held here",
                parameter="out",
                way_out="Give `out`, a folder that all machines of the cluster see.",
            )
        return publish_in_memory(asked, memory)
    opener = opener_of_found(unlock, protection)
    place = destination(declared, out, keys, epoch, opener, is_indexed=id_column is not None)
    with new_folders(place.out, place.keys):
        return (append_part if append else publish_to)(asked, place, memory, protection)


def write_publication(
    publication: StudyPublication,
    out: str | Path,
    keys: str | Path | None = None,
    protection: Protections | None = None,
    *,
    record: str | Path | None = None,
) -> tuple[Path, ...]:
    """Write a publication that was made in memory: the reports to `out`, the key files into the folder `keys`.

    Returns the key files. `protection` has no default, because key files without one open for anyone. The record that
    remembers the publication is the one that knew it first, unless `record` names another.

    Returns:
        The files that were written.

    Raises:
        InvalidParameter: a folder for keys is missing, or their protection.

    >>> import pathlib, tempfile
    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> made = sf.publish(study, {"tired": ["no", "yes"] * 50}, insecure_seed=7)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "reports.parquet"
    >>> sf.write_publication(made, path)  # no keys, for everybody sees the same
    ()
    >>> len(sf.Reports.read(path))
    100
    """
    note = publication.reports.note
    place = destination(note.study, out, keys, note.epoch, unlocker_of(None))
    if place.files.present:
        raise InvalidParameter(
            "holds key files of this study already, and keys that are lost cannot be had again",
            parameter="keys",
            value=str(keys),
            way_out="Choose another folder.",
        )
    payer, protections = ledger_of(note.study), protections_of(place.files, protection)
    memory = memory_of(note.study, publication.record if record is None else record, payer)
    if not publication.simulated:
        check_secure(note, payer)
        memory.check_there()
    with new_folders(place.out, place.keys):
        write_made(publication, place, memory, protections)
    return tuple(place.files.files)


def guarantee_of(text: Guarantee | str) -> Guarantee:
    """Read a guarantee by its name: information-theoretic for true draws, computational for a seed."""
    offered = {
        "information-theoretic": Guarantee.INFORMATION_THEORETIC,
        "computational": Guarantee.COMPUTATIONAL,
    }
    if isinstance(text, Guarantee) and text in offered.values():
        return text
    found = offered.get(str(text).replace("_", "-"))
    if found is None:
        raise InvalidParameter(
            "is not offered", parameter="guarantee", value=str(text), way_out=f"Choose one of {', '.join(offered)}."
        )
    return found
