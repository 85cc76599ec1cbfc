"""All families of cases, in the order in which they run."""

from __future__ import annotations

import os
import time
import warnings
from typing import Any

import corpus_cases.accounts
import corpus_cases.certified
import corpus_cases.certifying
import corpus_cases.commands
import corpus_cases.designs
import corpus_cases.disclosures
import corpus_cases.drawn_reports
import corpus_cases.estimators
import corpus_cases.ladders
import corpus_cases.laws
import corpus_cases.measures
import corpus_cases.mechanisms
import corpus_cases.noises
import corpus_cases.publications
import corpus_cases.questions
import corpus_cases.randomness
import corpus_cases.values  # noqa: F401  each import adds its cases to the table
from corpus_cases.record import CASES, plain


def families() -> list[str]:
    """Return the names of all families."""
    return list(dict.fromkeys(path.partition("/")[0] for path in CASES))


def computed(family: str, failed: dict[str, str]) -> dict[str, Any]:
    """Return the values of the cases of a family; what raised an error is left out, and said in `failed`."""
    found: dict[str, Any] = {}
    for path, make in CASES.items():
        if not path.startswith(f"{family}/"):
            continue
        started = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found[path.partition("/")[2]] = plain(make())
        except Exception as error:  # noqa: BLE001  whatever it is, the other cases are still compared
            failed[path] = f"{type(error).__name__}: {error}"[:300]
        if os.environ.get("CORPUS_SECONDS"):
            print(f"{time.process_time() - started:7.2f} {path}")
    return found
