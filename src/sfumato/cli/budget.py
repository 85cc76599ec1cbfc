"""sfumato budget and sfumato releases: a ledger of releases, its limit, and what was released."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import Json
from sfumato.cli.output import console, say, tell, tell_json

if TYPE_CHECKING:
    from fractions import Fraction

    from sfumato.ledger.accounts import Entry, LedgerState
    from sfumato.ledger.releases import Release


budget_app = typer.Typer(
    name="budget",
    help="Keep the account of releases, and refuse when the budget is spent.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

LEDGER = typer.Argument(help="The ledger, a file.")
_PERIODS = "Periods"


@budget_app.command("init")
def init_command(
    ledger: Annotated[Path, typer.Argument(help="Make the ledger here; a file that exists is never overwritten.")],
    budget_bits: Annotated[
        str | None, typer.Option(help="Most bits that anyone may learn about one person: 2, 0.5 or 1/3.")
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="Most ε (nats) of one person's own answers.")] = None,
    leakage_bits: Annotated[str | None, typer.Option(help="Most maximal leakage, in bits.")] = None,
    per: Annotated[
        str | None,
        typer.Option(help="Limits for each calendar month, quarter or year (UTC) too.", rich_help_panel=_PERIODS),
    ] = None,
    budget_bits_per_period: Annotated[
        str | None, typer.Option(help="With --per: most bits in each period.", rich_help_panel=_PERIODS)
    ] = None,
    epsilon_per_period: Annotated[
        str | None, typer.Option(help="With --per: most ε in each period.", rich_help_panel=_PERIODS)
    ] = None,
    leakage_bits_per_period: Annotated[
        str | None, typer.Option(help="With --per: most leakage in each period.", rich_help_panel=_PERIODS)
    ] = None,
    correlated: Annotated[
        str | None,
        typer.Option(help="Count bits for so many people who depend on each other at least: anyone, nobody, or 5."),
    ] = None,
    json: Json = False,
) -> None:
    """Make a ledger with a limit in bits, in ε, in leakage, or in several. Limits never change.

    With --per there are limits for each month, quarter or year beside those in all, or instead; a debit must keep both.
    The periods are those of the calendar, and a clock that is wound back begins none anew.

    Bits are counted under one assumption about who depends on whom: the widest that any release was made for. With
    --correlated anyone the limit holds for anyone from the start, and later releases cannot take that back.

    Example:

        sfumato budget init people.ledger --budget-bits 2 --epsilon 3 --per year --epsilon-per-period 1
    """
    from sfumato.output.accounts import budget_document
    from sfumato.workflows.budget import new_ledger

    limits = {
        "budget_bits": budget_bits,
        "epsilon": epsilon,
        "leakage_bits": leakage_bits,
        "budget_bits_per_period": budget_bits_per_period,
        "epsilon_per_period": epsilon_per_period,
        "leakage_bits_per_period": leakage_bits_per_period,
    }
    book = new_ledger(
        ledger, per=per, correlated=correlated, **{name: _number(name, text) for name, text in limits.items()}
    )
    if json:
        tell_json(budget_document(ledger, book))
    else:
        say(f"wrote {ledger}")


@budget_app.command("spend")
def spend_command(
    ledger: Annotated[Path, LEDGER],
    title: Annotated[str, typer.Option(help="What is released, in a line. All who have the ledger can read it.")],
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
    people: Annotated[
        str | None,
        typer.Option(help="Whom it is about: declared to be others than under other names. It is not checked."),
    ] = None,
    released: Annotated[bool, typer.Option("--released", help="Note that it was released.")] = False,
    json: Json = False,
) -> None:
    """Pay for a release that is made by other means; release it when this has succeeded, and not before.

    --budget-bits makes it a release of so much information, --epsilon a local one, --leakage-bits alone one of answers
    that are right often enough, --rows one of perfect samples. Other amounts that are known can be given as well.

    Without --people the release counts for all people. If you give different names, you declare that these are
    different people, and no ledger can check it: their ε and leakage are then not added to each other. Bits are added
    in any case, because people who are alike disclose something about each other.

    Example:

        sfumato budget spend people.ledger --title "Mean income" --budget-bits 0.5 --epsilon 0.7 --id income-2026
    """
    from sfumato.output.accounts import budget_document, entry_document
    from sfumato.workflows.budget import pay_for

    amounts = {
        "budget_bits": budget_bits,
        "epsilon": epsilon,
        "leakage_bits": leakage_bits,
        "worst_case_bits": worst_case_bits,
    }
    given = {key: number for key, text in amounts.items() if (number := _number(key, text)) is not None}
    release = _release(title, given, _number("rho", rho), rows, people)
    receipt, book = pay_for(ledger, release, release_id=name, released=released)
    entry = next(entry for entry in book.entries if entry.receipt == receipt)
    if json:
        tell_json({"is_new": receipt.is_new, "entry": entry_document(entry), **budget_document(ledger, book)})
    else:
        _tell(book, entry, is_new=receipt.is_new)


@budget_app.command("show")
def show_command(
    ledger: Annotated[Path, LEDGER],
    study: Annotated[
        Path | None, typer.Option(help="The study to look ahead for. Default: those that the ledger paid for.")
    ] = None,
    json: Json = False,
) -> None:
    """Show what is spent and what is left, every debit, how releases add up, and what the next ones will cost.

    Example:

        sfumato budget show people.ledger
    """
    from sfumato.output.accounts import budget_document, entry_document, forecast_document, ledger_table
    from sfumato.workflows.budget import forecasts, read_ledger

    book = read_ledger(ledger)
    ahead = forecasts(ledger, book, study)
    if json:
        lists = {"entries": [*map(entry_document, book.entries)], "forecasts": [*map(forecast_document, ahead)]}
        tell_json({**budget_document(ledger, book), **lists})
    else:
        console().print(ledger_table(ledger, book, ahead))


@budget_app.command("void")
def void_command(
    ledger: Annotated[Path, LEDGER],
    number: Annotated[int, typer.Argument(help="Which debit, as `budget show` counts them.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the reports were to be published.")],
    keys: Annotated[Path | None, typer.Option(help="The folder of its key files, if it was to have any.")] = None,
    study: Annotated[Path | None, typer.Option(help="The study file. Default: where the ledger remembers it.")] = None,
    registry: Annotated[
        Path | None, typer.Option(help="The registry of releases. Default: releases.json beside the study.")
    ] = None,
    reason: Annotated[
        str, typer.Option(help="Why, in a line. All who have the ledger can read it.")
    ] = "it never left staging",
    json: Json = False,
) -> None:
    """Give back a debit whose publication was interrupted before any of it was in place, and discard what is staged.

    This must be provable: the registry says that the publication is unfinished, all of it is still staged beside OUT
    and in the folder of keys, and none of it is in place. What was released is never given back. A release made by
    other means is not given back either, because there is no proof that it was not seen. The ledger keeps the debit and
    notes that it was voided.

    Example:

        sfumato budget void people.ledger 3 --out reports.parquet --keys keys
    """
    from sfumato.output.accounts import budget_document, entry_document
    from sfumato.workflows.budget import void_debit

    book = void_debit(ledger, number, out=out, keys=keys, study=study, registry=registry, reason=reason)
    entry = next(entry for entry in book.entries if entry.receipt.number == number)
    if json:
        tell_json({"entry": entry_document(entry), **budget_document(ledger, book)})
    else:
        tell(f"{entry.release.title}: voided, and what was staged is discarded")
        _tell_left(book)


def _release(
    title: str, given: dict[str, Fraction], rho: Fraction | None, rows: list[str] | None, people: str | None
) -> Release:
    """Tell the kind of a release by the amounts that were given."""
    from math import inf

    from sfumato.errors import InvalidParameter
    from sfumato.ledger.releases import information, local, perfect_samples, recoverable

    named = [part.strip() for text in rows or () for part in text.split(",") if part.strip()]
    if rows is not None:
        if set(given) != {"worst_case_bits"} or rho is not None:
            raise InvalidParameter(
                "goes with `worst_case_bits` and no other amount: it holds under a law only",
                parameter="rows",
                way_out="Leave out the others.",
            )
        return perfect_samples(title, rows_id=named, worst_case_bits=given["worst_case_bits"], people=people)
    worst = given.get("worst_case_bits", inf)
    if "budget_bits" in given:
        if "worst_case_bits" in given or rho is not None:
            raise InvalidParameter(
                "is the worst case already",
                parameter="budget_bits",
                way_out="Leave out `worst_case_bits` and `rho`.",
            )
        return information(
            title,
            given["budget_bits"],
            epsilon=given.get("epsilon", inf),
            leakage_bits=given.get("leakage_bits", inf),
            people=people,
        )
    if rho is not None and ("epsilon" in given or "leakage_bits" not in given):
        raise InvalidParameter("goes with `leakage_bits` alone", parameter="rho", way_out="Leave it out.")
    if "epsilon" in given:
        leakage = given.get("leakage_bits")
        return local(title, given["epsilon"], worst_case_bits=worst, leakage_bits=leakage, people=people)
    if "leakage_bits" in given:
        return recoverable(title, given["leakage_bits"], worst_case_bits=worst, rho=rho, people=people)
    raise InvalidParameter(
        "nothing says what it costs", way_out="Give `budget_bits`, `epsilon`, `leakage_bits`, or `rows`."
    )


def _number(name: str, text: str | None) -> Fraction | None:
    from sfumato.errors import InvalidParameter, UnreadableFile
    from sfumato.numbers.exact import parse_number

    if text is None:
        return None
    try:
        return parse_number(text, name)
    except UnreadableFile:
        raise InvalidParameter(
            "must be a finite number", parameter=name, way_out="Write it like 2, 0.5 or 1/3."
        ) from None


def _tell(book: LedgerState, entry: Entry, *, is_new: bool) -> None:
    import shlex
    from math import isfinite

    from sfumato.ledger.amounts import decimal_above

    charges = entry.charges
    paid = [currency.words(decimal_above(amount)) for currency, amount in charges if isfinite(amount)]
    done = "debited" if is_new else "debited before, and not again:"
    by = "" if entry.release.people is None else f" to the people called {entry.release.people!r}"
    tell(f"{entry.release.title}: {done} {', '.join(paid)}{by}")
    _tell_left(book)
    if entry.settled is None:
        name = shlex.quote(entry.receipt.release_id)
        say(f"release it now; then note that with the same command and --id {name} --released")


def _tell_left(book: LedgerState) -> None:
    from math import isfinite

    from sfumato.ledger.amounts import decimal_below

    for standing, words in ((book.standing, "left"), (book.standing_in_period(), "left in")):
        if standing is not None:
            left = [c.words(decimal_below(amount)) for c, amount in standing.left if isfinite(amount)]
            when = words if standing.period is None else f"{words} {standing.period.name}"
            if left:
                tell(f"{when}: {', '.join(left)}")


# sfumato releases: what was released of a study so far, and what it adds up to.


def releases_command(
    study: Annotated[Path, typer.Argument(help="The study file (TOML).")],
    registry: Annotated[
        Path | None, typer.Option(help="Read this registry. Default: releases.json beside the study.")
    ] = None,
    ledger: Annotated[Path | None, typer.Option(help="Read this ledger too. Default: the one in [budget].")] = None,
    json: Json = False,
) -> None:
    """Show every release of a study: when, about whom, what readers see of it, and of all of them together.

    `sfumato publish` writes the registry. Anyone who may write to its folder can delete it; a ledger that is kept
    elsewhere still lists the releases.

    Example:

        sfumato releases study.toml
    """
    from sfumato.output.accounts import releases_document, releases_table
    from sfumato.publications.registry import read_registry

    found = read_registry(study, registry=registry, ledger=ledger)
    if json:
        tell_json(releases_document(found))
    else:
        console().print(releases_table(found))
