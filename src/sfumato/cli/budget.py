"""sfumato budget: a ledger of what releases cost together, and a limit that is kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import Json
from sfumato.cli.output import console, say, tell, tell_json

if TYPE_CHECKING:
    from fractions import Fraction

    from sfumato.account import Book, Charges, Entry, Release

budget_app = typer.Typer(
    name="budget",
    help="Keep the account of releases, and refuse when the budget is spent.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

LEDGER = typer.Argument(help="The ledger, a file.")


@budget_app.command("init")
def init_command(
    ledger: Annotated[Path, typer.Argument(help="Make the ledger here; a file that exists is never overwritten.")],
    budget_bits: Annotated[
        str | None, typer.Option(help="Most bits that anyone may learn about one person: 2, 0.5 or 1/3.")
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="Most ε (nats) of one person's own answers.")] = None,
    leakage_bits: Annotated[str | None, typer.Option(help="Most maximal leakage, in bits.")] = None,
    json: Json = False,
) -> None:
    """Make a ledger with a limit in bits, in ε, in leakage, or in several. Limits never change.

    Example:

        sfumato budget init people.ledger --budget-bits 2 --epsilon 3
    """
    from sfumato.study.steps import new_ledger

    limits = {"budget_bits": budget_bits, "epsilon": epsilon, "leakage_bits": leakage_bits}
    book = new_ledger(ledger, **{name: _number(name, text) for name, text in limits.items()})
    if json:
        tell_json({"schema": "sfumato/budget/1", **_sums(ledger, book)})
    else:
        say(f"wrote {ledger}")


@budget_app.command("spend")
def spend_command(
    ledger: Annotated[Path, LEDGER],
    title: Annotated[str, typer.Option(help="What is released, in a line. Everybody who has the ledger reads it.")],
    budget_bits: Annotated[
        str | None, typer.Option(help="Bits about one person against any adversary: C_1 of the channel.")
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="ε (nats) of a person's own answer.")] = None,
    leakage_bits: Annotated[str | None, typer.Option(help="Maximal leakage, in bits.")] = None,
    worst_case_bits: Annotated[
        str | None, typer.Option(help="With --epsilon, --leakage-bits or --rows: bits against any correlations.")
    ] = None,
    rho: Annotated[
        str | None, typer.Option(help="With --leakage-bits: how often an answer is right. Noted only.")
    ] = None,
    rows: Annotated[
        list[str] | None,
        typer.Option(help="Perfect sample privacy: a name of the rows, taken once. Repeatable, or by commas."),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--id", help="Name of this release: the same again is not debited again.")
    ] = None,
    released: Annotated[bool, typer.Option("--released", help="Note that it was released.")] = False,
    json: Json = False,
) -> None:
    """Pay for a release that is made by other means; release it when this has succeeded, and not before.

    --budget-bits makes it a release of so much information, --epsilon a local one, --leakage-bits alone one of answers
    that are right often enough, --rows one of perfect samples. Other amounts that are known can be given as well.

    Example:

        sfumato budget spend people.ledger --title "Mean income" --budget-bits 0.5 --epsilon 0.7 --id income-2026
    """
    from sfumato.study.steps import pay_for

    amounts = {
        "budget_bits": budget_bits,
        "epsilon": epsilon,
        "leakage_bits": leakage_bits,
        "worst_case_bits": worst_case_bits,
    }
    given = {key: number for key, text in amounts.items() if (number := _number(key, text)) is not None}
    release = _release(title, given, _number("rho", rho), rows)
    receipt, book = pay_for(ledger, release, release_id=name, released=released)
    entry = next(entry for entry in book.entries if entry.receipt == receipt)
    if json:
        said = {"schema": "sfumato/budget/1", "is_new": receipt.is_new, "entry": _entry(entry), **_sums(ledger, book)}
        tell_json(said)
    else:
        _tell(book, entry, is_new=receipt.is_new)


@budget_app.command("show")
def show_command(ledger: Annotated[Path, LEDGER], json: Json = False) -> None:
    """Show what is spent and what is left, every debit, and how releases add up.

    Example:

        sfumato budget show people.ledger
    """
    from sfumato.render.budgets import ledger_table
    from sfumato.study.steps import read_ledger

    book = read_ledger(ledger)
    if json:
        entries = [_entry(entry) for entry in book.entries]
        tell_json({"schema": "sfumato/budget/1", **_sums(ledger, book), "entries": entries})
    else:
        console().print(ledger_table(ledger, book))


def _release(title: str, given: dict[str, Fraction], rho: Fraction | None, rows: list[str] | None) -> Release:
    """Tell the kind of a release by the amounts that were given."""
    from math import inf

    from sfumato.account import information, local, perfect_samples, recoverable
    from sfumato.errors import InvalidParameter

    named = [part.strip() for text in rows or () for part in text.split(",") if part.strip()]
    if rows is not None:
        if set(given) != {"worst_case_bits"} or rho is not None:
            raise InvalidParameter(
                "goes with `worst_case_bits` and no other amount: it holds under a law only",
                parameter="rows",
                way_out="Leave out the others.",
            )
        return perfect_samples(title, rows_id=named, worst_case_bits=given["worst_case_bits"])
    worst = given.get("worst_case_bits", inf)
    if "budget_bits" in given:
        if "worst_case_bits" in given or rho is not None:
            raise InvalidParameter(
                "is the worst case already",
                parameter="budget_bits",
                way_out="Leave out `worst_case_bits` and `rho`.",
            )
        return information(
            title, given["budget_bits"], epsilon=given.get("epsilon", inf), leakage_bits=given.get("leakage_bits", inf)
        )
    if rho is not None and ("epsilon" in given or "leakage_bits" not in given):
        raise InvalidParameter("goes with `leakage_bits` alone", parameter="rho", way_out="Leave it out.")
    if "epsilon" in given:
        return local(title, given["epsilon"], worst_case_bits=worst, leakage_bits=given.get("leakage_bits"))
    if "leakage_bits" in given:
        return recoverable(title, given["leakage_bits"], worst_case_bits=worst, rho=rho)
    raise InvalidParameter(
        "nothing says what it costs", way_out="Give `budget_bits`, `epsilon`, `leakage_bits`, or `rows`."
    )


def _number(name: str, text: str | None) -> Fraction | None:
    from sfumato.errors import InvalidParameter, UnreadableFile
    from sfumato.files.numbers import parse_number

    if text is None:
        return None
    try:
        return parse_number(text, name)
    except UnreadableFile:
        raise InvalidParameter(
            "must be a finite number", parameter=name, way_out="Write it like 2, 0.5 or 1/3."
        ) from None


def _tell(book: Book, entry: Entry, *, is_new: bool) -> None:
    import shlex
    from math import isfinite

    from sfumato.account.amounts import decimal_above, decimal_below

    charges = entry.release.charges
    paid = [currency.words(decimal_above(amount)) for currency, amount in charges if isfinite(amount)]
    done = "debited" if is_new else "debited before, and not again:"
    tell(f"{entry.release.title}: {done} {', '.join(paid)}")
    left = book.spent.left_of(book.limits)
    tell(f"left: {', '.join(c.words(decimal_below(amount)) for c, amount in left if isfinite(amount))}")
    if entry.settled is None:
        name = shlex.quote(entry.receipt.release_id)
        say(f"release it now; then note that with the same command and --id {name} --released")


def _sums(path: Path, book: Book) -> dict[str, Any]:
    return {
        "ledger": str(path),
        "limits": _amounts(book.limits),
        "spent": _amounts(book.spent),
        "left": _amounts(book.spent.left_of(book.limits)),
        "unsettled": sum(entry.settled is None for entry in book.entries),
    }


def _entry(entry: Entry) -> dict[str, Any]:
    release, receipt = entry.release, entry.receipt
    return {
        "number": receipt.number,
        "id": receipt.release_id,
        "time": receipt.time,
        "title": release.title,
        "kind": release.kind.value,
        "charges": _amounts(release.charges),
        "rows": list(release.rows),
        "notes": list(release.notes),
        "settled": entry.settled,
        "digest": receipt.digest,
        "how_it_adds": release.how_it_adds,
    }


def _amounts(charges: Charges) -> dict[str, str]:
    from sfumato.account.amounts import amount_text

    return {currency.value: amount_text(amount) for currency, amount in charges}
