"""The options by which a verb finds the ledger that it debits."""

from __future__ import annotations

from pathlib import Path

import typer

LEDGER = typer.Option(help="Debit this ledger first (see `sfumato budget`).")
STUDY_BUDGET = typer.Option("--study", help="Debit the ledger that this study names in [budget].")


def chosen_ledger(study: Path | None, ledger: Path | None) -> Path | None:
    """Return the ledger to debit: the one given, else the one that the study names, else none."""
    from sfumato.errors import InvalidParameter
    from sfumato.study import read_study
    from sfumato.study.budgets import ledger_path

    named = None if study is None else ledger_path(read_study(study), study)
    if ledger is not None and named is not None and ledger.resolve() != named.resolve():
        raise InvalidParameter(
            f"--ledger {ledger} is not the ledger of the study, {named}. Leave out --ledger, or change [budget] there."
        )
    return ledger or named
