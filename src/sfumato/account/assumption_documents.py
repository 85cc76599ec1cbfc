"""What a release assumes as plain texts and numbers, in the one form that ledgers write and read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.account.assumptions import Assumption, correlation_from, correlation_json


def assumption_json(assumption: Assumption) -> dict[str, Any]:
    """Return it as plain texts and numbers."""
    from sfumato.design.recounts import recount_json

    return {
        "correlated": correlation_json(assumption.correlated),
        "recount": recount_json(assumption.recount),
    }


def assumption_from(document: Mapping[str, Any]) -> Assumption:
    """Read it back; ValueError, KeyError, TypeError or InvalidParameter for what is never written."""
    from sfumato.design.recounts import recount_from

    return Assumption(correlated=correlation_from(document["correlated"]), recount=recount_from(document["recount"]))
