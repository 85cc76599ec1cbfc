"""What a release assumes as plain texts and numbers, in the one form that ledgers write and read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.account.assumptions import Assumption
from sfumato.account.lines import check_line
from sfumato.design.recounts import Recount
from sfumato.files.numbers import read_fraction
from sfumato.values.correlation import ANYONE, Correlation

_MOST_PARAMETERS = 20
_MOST_TEXT = 1000


def assumption_json(assumption: Assumption) -> dict[str, Any]:
    """Return it as plain texts and numbers."""
    recount = assumption.recount
    return {
        "correlated": correlation_json(assumption.correlated),
        "recount": {"kind": recount.kind, "parameters": dict(recount.parameters)},
    }


def assumption_from(document: Mapping[str, Any]) -> Assumption:
    """Read it back; whatever `assumption_json` never says ends in some error, which the reader of the file knows.

    What a recount says is not computed here: that takes a while, and is done when it is counted anew.
    """
    recount = document["recount"]
    parameters = recount["parameters"]
    check_line("kind", recount["kind"], _MOST_TEXT)
    if not isinstance(parameters, dict) or len(parameters) > _MOST_PARAMETERS:
        raise ValueError("no parameters of noise")
    for name, value in parameters.items():
        check_line("name", name, _MOST_TEXT)
        if type(value) is not int:
            check_line("value", value, _MOST_TEXT)
    return Assumption(
        correlated=correlation_from(document["correlated"]),
        recount=Recount(kind=recount["kind"], parameters=parameters),
    )


def correlation_json(correlated: Correlation) -> str | dict[str, int | str]:
    """Write who may depend on whom."""
    if correlated.shared_bits is not None:
        shared: dict[str, int | str] = {"shared_bits": str(correlated.shared_bits)}
        return shared if correlated.people is None else shared | {"people": correlated.people}
    return "anyone" if correlated.people is None else {"people": correlated.people}


def correlation_from(document: object) -> Correlation:
    """Read who may depend on whom; ValueError for anything that is never written."""
    if document == "anyone":
        return ANYONE
    if isinstance(document, dict) and document and document.keys() <= {"people", "shared_bits"}:
        people, shared = document.get("people"), document.get("shared_bits")
        if shared is None and type(people) is int:
            return Correlation(people=people)
        if isinstance(shared, str) and ("people" not in document or (type(people) is int and people > 1)):
            return Correlation(people=people, shared_bits=read_fraction(shared, most_digits=_MOST_TEXT))
    raise ValueError("no assumption")
