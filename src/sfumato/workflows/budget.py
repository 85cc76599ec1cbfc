"""Making and reading ledgers, entering releases made by other means, and voiding debits."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from sfumato.errors import InvalidParameter, SfumatoError
from sfumato.files.staging import locked
from sfumato.ledger.accounts import Entry, LedgerState, Receipt, voidable
from sfumato.ledger.amounts import NOTHING
from sfumato.ledger.documents import Per
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.releases import Published, Release, Role
from sfumato.measures.dependence import Correlation
from sfumato.numbers.checks import Real
from sfumato.publications.key_folder import KeyFolder
from sfumato.publications.place import Destination
from sfumato.publications.registry import Memory, Record, here, record_beside, study_of
from sfumato.study.file import fingerprint
from sfumato.study.planning import MANY, Forecast, forecast
from sfumato.study.study import Study


def new_ledger(
    path: str | Path,
    *,
    budget_bits: Real | None = None,
    epsilon: Real | None = None,
    leakage_bits: Real | None = None,
    per: Per | str | None = None,
    budget_bits_per_period: Real | None = None,
    epsilon_per_period: Real | None = None,
    leakage_bits_per_period: Real | None = None,
    correlated: Correlation | str | int | None = None,
) -> LedgerState:
    """Make a ledger with a limit in bits, in ε, in leakage, or in several; a file that exists is never overwritten.

    There may be limits in all, and for each calendar month, quarter or year as `per` says. Bits are counted for the
    most people who depend on each other in any release, and with `correlated` for so many at least.
    """
    return Ledger.create(
        path,
        budget_bits=budget_bits,
        epsilon=epsilon,
        leakage_bits=leakage_bits,
        per=per,
        budget_bits_per_period=budget_bits_per_period,
        epsilon_per_period=epsilon_per_period,
        leakage_bits_per_period=leakage_bits_per_period,
        correlated=correlated,
    ).read()


def read_ledger(path: str | Path) -> LedgerState:
    """Return the whole account at one moment."""
    return Ledger(path).read()


def forecasts(path: str | Path, state: LedgerState, study: str | Path | None = None) -> tuple[Forecast, ...]:
    """Say what comes next for a study, or for those that the ledger paid for whose files are where it remembers them.

    A study whose file is gone, or was changed since it was published, is left out unless it is named.
    """
    if study is not None:
        return (_forecast(study_of(study), state),)
    found: dict[str, Forecast] = {}
    for published in state.published:
        file = here(published, Path(path)).file
        if file is not None:
            with contextlib.suppress(SfumatoError, OSError):
                declared = study_of(file)
                if fingerprint(declared) == published.fingerprint:
                    found[file] = _forecast(declared, state)
    return tuple(found.values())


def _forecast(study: Study, book: LedgerState) -> Forecast:
    made = [one for one in book.published if one.fingerprint == fingerprint(study)]
    parts, bits = book.parts_paid(made[-1].publication) if made else ((), NOTHING.bits)
    people = sum(one.rows for one in parts if one.role is not Role.AMEND) or study.population or MANY
    # A collection does not know how many will answer, and pays for as many as it takes to tell everything.
    earlier = [replace(one, rows=one.rows or MANY) for one in parts]
    return forecast(study, people, earlier=earlier, paid_bits=bits)


def pay_for(
    path: str | Path, release: Release, *, release_id: str | None = None, released: bool = False
) -> tuple[Receipt, LedgerState]:
    """Debit a release that is made by other means; with `released`, note that it was made."""
    ledger = Ledger(path)
    receipt = ledger.spend(release, release_id=release_id)
    if released:
        ledger.settle(receipt)
    return receipt, ledger.read()


# --- Voiding a debit whose publication provably never left staging
# A publication is paid for before the first of its files is renamed into place, so after an interruption all of it may
# still be staged, and only its owner can have seen it. This is checked under the locks of publishing. The ledger is
# changed first, then the registry; the staged files are deleted last, because they are the proof. After a kill in
# between, the same command finishes, or the publishing command finishes the publication and pays for it anew.


NEVER_LEFT = "it never left staging"


def void_debit(
    ledger: str | Path,
    number: int,
    *,
    out: str | Path,
    keys: str | Path | None = None,
    study: Study | str | Path | None = None,
    registry: str | Path | None = None,
    reason: str = NEVER_LEFT,
) -> LedgerState:
    """Void the debit of this number: discard what is staged of its publication, and give back what was paid.

    `out` and `keys` are where it was to be published; `study` is its file, unless that is where the ledger remembers
    it. What was released stays paid for, and so does what may have been: a release that was made by other means, or a
    publication of which anything is in place, or missing.
    """
    payer = Ledger(ledger)
    entry = _entry(payer.read(), number)
    published = _publication(entry, Path(ledger))
    of = published.file if study is None else study
    if of is None or (not isinstance(of, Study) and not Path(of).is_file()):
        raise InvalidParameter(
            f"must say which study {published.study!r} is: its file is not where the ledger remembers it",
            parameter="study",
            way_out="Name the study's file.",
        )
    declared = study_of(of)
    if fingerprint(declared) != published.fingerprint:
        raise InvalidParameter(
            "is another study than the one that was published, or was changed since",
            parameter="study",
            way_out="Name the study as it was then.",
        )
    beside = None if isinstance(of, Study) else record_beside(of)
    kept = beside if registry is None else Path(registry)
    memory = Memory(registry=kept if kept is not None and kept.exists() else None, ledger=Path(ledger))
    files = KeyFolder.of(declared, None if keys is None else Path(keys), published.epoch)
    place = Destination(
        out=Path(out), keys=None if keys is None else Path(keys), files=files, unlock=lambda _: None
    ).for_part(published)
    with locked(place.lock), memory.held() as held:
        _void(payer, number, published, place, held, reason)
        place.tidy(one.published.part for one in memory.history(held) if not one.released)
    return payer.read()


def _void(
    payer: Ledger,
    number: int,
    published: Published,
    place: Destination,
    registry: Record | None,
    reason: str,
) -> None:
    book = payer.read()
    entry = _entry(book, number)
    _publication(entry, payer.path)
    if entry.voided is None:
        _check_intended(published, registry)
        if not place.never_left(published):
            raise InvalidParameter(
                f"does not hold all of the publication of {published.study!r} that this debit paid for, staged and "
                f"whole, with nothing of it in place: so nobody can prove that it was not seen",
                parameter="out",
                value=str(place.out),
                way_out="Give the same `out` and `keys` as then. What is in place in part is finished by the command "
                "that began it; else the debit stays.",
            )
        payer.void(entry.receipt, reason)
    elif book.entry_called(published.id) is not None:
        raise InvalidParameter(
            f"was voided on {entry.voided.time[:10]}, and the same publication was paid for anew since",
            parameter="number",
            value=number,
            way_out="Void the later debit.",
        )
    if registry is not None:
        registry.void(published)
    place.discard(published.part)


def _entry(book: LedgerState, number: int) -> Entry:
    entry = book.entry_at(number)
    if entry is None:
        raise InvalidParameter(
            "is not the number of a debit", parameter="number", value=number, way_out="`budget show` lists them."
        )
    return entry


def _publication(entry: Entry, ledger: Path) -> Published:
    """Return what a debit paid for; refuse what cannot be voided, wherever it may be."""
    return here(voidable(entry.receipt.number, entry.release, settled=entry.settled), ledger)


def _check_intended(published: Published, registry: Record | None) -> None:
    """Refuse what the registry says was released, or does not list although it lists everything first."""
    if registry is None:
        return
    noted = next((one for one in registry.releases if one.published.id == published.id), None)
    if noted is None or noted.released is not None:
        raise InvalidParameter(
            "does not know the publication" if noted is None else "says that the publication was released",
            parameter="registry",
            way_out="Name the registry of the study; what it does not know to be unfinished stays paid for.",
        )
