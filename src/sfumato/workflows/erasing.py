"""Erasing people from a publication, its keys and its indexes.

The manifest is replaced first, which removes the rows. Then their draws are replaced by fresh ones and the index is
written without them. The same call repeats these steps after an interruption. Until they are done, a copy of the old
index stays beside the index, so that the same ids still find the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import InvalidParameter, KeyRefused, Place
from sfumato.files.staging import locked, remove_stale, staged_like, staging_beside, staging_inside
from sfumato.keys.draw_coding import Material
from sfumato.keys.key_documents import ladder_of
from sfumato.keys.key_files import overwrite_draws, read_key, read_key_header
from sfumato.keys.protection import Unprotected
from sfumato.numbers.checks import check_integer
from sfumato.publications.key_folder import (
    SHORT,
    Unlocker,
    find_person,
    forget_indexes,
    index_path,
    keep_indexes,
    read_indexes,
    read_kept_indexes,
    rewrite_index,
    tidy_indexes,
)
from sfumato.publications.manifest import NAME
from sfumato.publications.note import PartNote
from sfumato.publications.place import numbers_of_source, rewrite_without, settle_rewriting
from sfumato.publications.reports import Progress, Reports, read_report_files
from sfumato.sampling.sources import SystemBits
from sfumato.study.readers import REGISTRAR
from sfumato.workflows.key_files import Unlocking, unlocker_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Erased:
    """What was erased: how many people, in how many parts with amendments; whose keys could not be opened."""

    people: int
    parts: int
    keys: tuple[Path, ...]
    closed: tuple[Path, ...]
    """Key files that hold true draws of these people and could not be opened, such as those sealed to analysts."""
    has_seeds: bool
    """Whether keys are seeds, which give the draws of every row for ever."""


def erase(
    reports: str | Path,
    *,
    rows: Sequence[tuple[str | None, int]] = (),
    ids: Sequence[str] = (),
    keys: str | Path | None = None,
    unlock: Unlocking = None,
    progress: Progress | None = None,
) -> Erased:
    """Take people out of a publication, given by part and row or, where there is an index in `keys`, by id.

    Their rows leave the reports and all amendments, true draws of theirs are overwritten by fresh ones in every key
    file of `keys` that `unlock` opens, and they are removed from the index. Files that were handed out before are as
    they were. `progress` is called with how many rows were written anew since the last call, and how many there are.

    Returns:
        How many rows were taken out.

    Raises:
        InvalidParameter: a person is not in the publication.
        KeyRefused: the index of people does not open.
        UnreadableFile: a file is damaged, of another kind, or not there.

    >>> import pathlib, tempfile
    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> made = sf.publish(study, {"tired": ["no"] * 50}, out=folder / "reports", insecure_seed=7)
    >>> sf.erase(folder / "reports", rows=[(None, 3)]).people
    1
    >>> len(sf.read_reports(folder / "reports"))
    49
    """
    out, opener = Path(reports), unlocker_of(unlock)
    folder = None if keys is None else Path(keys)
    if not out.is_dir() and not out.is_file():
        raise InvalidParameter(
            "must be a file, or the folder of a publication", parameter="reports", value=str(out), way_out="Name it."
        )
    with locked(out / NAME if out.is_dir() else out):
        settle_rewriting(out)
        _check_nothing_pending(out)
        if folder is not None:
            tidy_indexes(folder)
        found = read_report_files(out)
        whole = [name for name in found.note.columns if not found.note.handler(name).by_row]
        if whole:
            raise InvalidParameter(
                f"cannot lose single rows: question {whole[0]!r} is read from all reports together, in rounds",
                parameter="reports",
                value=str(out),
                way_out="Withdraw the whole publication, or publish that question on its own.",
            )
        if found.is_opened or not all(source.is_whole and len(source.parts) == 1 for source in found.sources):
            raise InvalidParameter(
                "are opened, or a selection, or several parts in one table",
                parameter="reports",
                value=str(out),
                way_out="Name the public reports as they were published.",
            )
        wanted = _wanted(found, rows, ids, folder, opener)
        _check_opens(found, wanted, folder, opener)
        if ids and folder is not None:
            keep_indexes(folder, wanted)
        rewrite_without(out, found, wanted, progress)
        found = read_report_files(out)
        changed, closed, seeds = _forget_draws(found, wanted, folder, opener)
        if folder is not None:
            _forget_people(found, folder, opener)
            forget_indexes(folder)
    return Erased(
        people=sum(len(numbers) for numbers in wanted.values()),
        parts=sum(part.id in wanted or part.amends in wanted for part in found.note.parts),
        keys=changed,
        closed=closed,
        has_seeds=seeds,
    )


def _check_nothing_pending(out: Path) -> None:
    """Refuse while an unfinished operation is here: it could bring back a person who is erased now."""
    example = staging_inside(out, "0" * 16) if out.is_dir() else staging_beside(out, "0" * 16)
    if staged_like(example):
        raise InvalidParameter(
            "has a part beside it that was interrupted on its way, and would bring rows back when it is finished",
            parameter="reports",
            value=str(out),
            way_out="Type the command again that was interrupted, or void it (`sfumato budget void`); then erase.",
        )


def _wanted(
    reports: Reports, rows: Sequence[tuple[str | None, int]], ids: Sequence[str], folder: Path | None, unlock: Unlocker
) -> dict[str, set[int]]:
    """Return the rows to erase by part; those that are gone already are taken again, to finish what was begun."""
    bases = {part.id: part for part in reports.note.parts if part.amends is None}
    found: dict[str, set[int]] = {}
    for name, number in rows:
        mine = [part for part in bases if name is None or (len(name) >= SHORT and part.startswith(name))]
        if len(mine) != 1:
            raise InvalidParameter(
                "must say which part it is of, by eight digits of its id or more"
                if name is None
                else "names a part that this publication does not have",
                parameter="rows",
                value=number if name is None else name[:32],
                way_out="Write PART:ROW, as they stand in the reports.",
            )
        check_integer("rows", number)
        found.setdefault(mine[0], set()).add(number)
    if ids:
        study = reports.note.fingerprint
        indexes = read_indexes(folder, study, bases, unlock) | read_kept_indexes(folder, study, bases, unlock)
        if not indexes:
            raise InvalidParameter(
                "needs the index of people, and there is none in `keys`", parameter="ids", way_out="Give rows instead."
            )
        for person in ids:
            part_id, number = find_person(indexes, person)
            found.setdefault(part_id, set()).add(number)
    if not found:
        raise InvalidParameter("names nobody", parameter="rows", way_out="Say whom to erase, by row or by id.")
    for name, numbers in found.items():
        _check_there(bases[name], numbers)
    return found


def _check_opens(reports: Reports, wanted: dict[str, set[int]], folder: Path | None, unlock: Unlocker) -> None:
    """Refuse, while nothing is changed, indexes and keys of the registrar that could not be rewritten."""
    read_indexes(folder, reports.note.fingerprint, wanted, unlock)
    parts = {part.id for part in reports.note.parts}
    for path in sorted(folder.glob(f"{REGISTRAR}.*.key")) if folder is not None else []:
        header = read_key_header(path)
        if header.material is not Material.DRAWS or header.drawing not in parts:
            continue
        secret = unlock(path)
        if secret is None and header.protection == "none":
            raise KeyRefused(
                "the key is not protected, and nothing was said about that: anyone could have written it",
                way_out="Look for the one that is sealed, or say by `unlock` that unprotected ones are meant.",
                place=Place(file=str(path)),
            )
        read_key(path, Unprotected() if secret is None else secret)


def _check_there(part: PartNote, numbers: Iterable[int]) -> None:
    """Refuse rows that a part never had: an index that is not protected may say anything."""
    for number in sorted(numbers):
        if not part.start <= number < part.start + part.rows:
            raise InvalidParameter(
                f"is none of the rows {part.start} to {part.start + part.rows - 1} of part {part.id[:SHORT]}",
                parameter="rows",
                value=number,
                way_out="Take the number from the column `row` of the reports.",
            )


def _forget_draws(
    reports: Reports, wanted: dict[str, set[int]], folder: Path | None, unlock: Unlocker
) -> tuple[tuple[Path, ...], tuple[Path, ...], bool]:
    """Overwrite true draws of these people by fresh ones, in every key file that can be opened."""
    changed, closed, seeds = [], [], False
    files = sorted(folder.glob("*.key")) if folder is not None else []
    remove_stale(*files)
    for path in files:
        header = read_key_header(path)
        part = next((one for one in reports.note.parts if one.id == header.drawing), None)
        if header.material is not Material.DRAWS:
            seeds = seeds or any(header.drawing in {one.id, one.seeds} for one in reports.note.parts)
            continue
        if part is None or header.binding.study != reports.note.fingerprint:
            continue
        gone = wanted.get(part.id if part.amends is None else part.amends, set())
        places = _places(reports, part, gone)
        mine = [place for place in places if header.start <= place < header.stop]
        if not mine:
            continue
        law = ladder_of(header.ladder).key_law(header.level)
        fresh = law.draw(SystemBits(), len(mine)).tolist()
        try:
            overwrite_draws(path, unlock(path) or Unprotected(), mine, fresh)
            changed.append(path)
        except KeyRefused:
            if path.name.startswith(f"{REGISTRAR}."):
                raise
            closed.append(path)
    return tuple(changed), tuple(closed), seeds


def _places(reports: Reports, part: PartNote, gone: Iterable[int]) -> list[int]:
    """Return where the draws of rows stand in the key files of a part."""
    if part.is_dense:
        return sorted(gone)
    source = next(one for one in reports.sources if part in one.parts)
    made = sorted({*numbers_of_source(reports, source), *part.erased})
    return [place for place, number in enumerate(made) if number in set(gone)]


def _forget_people(reports: Reports, folder: Path, unlock: Unlocker) -> None:
    """Write the indexes without the people who were erased, now or before."""
    gone = {part.id: set(part.erased) for part in reports.note.parts if part.amends is None and part.erased}
    for name, index in read_indexes(folder, reports.note.fingerprint, gone, unlock).items():
        rest = index.without(gone[name])
        if len(rest.people.rows) < len(index.people.rows):
            rewrite_index(rest, index_path(folder, name), unlock)
