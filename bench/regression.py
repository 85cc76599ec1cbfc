"""Logistic regression of a million randomised reports on ten predictors, beside statsmodels' Logit on the true answers.

Ratios within one run, best of 3, warm; each side is timed from its matrices to standard errors.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from statsmodels.discrete.discrete_model import Logit

import sfumato as sf
from sfumato.inference.regression import DesignMatrix, Fit, RandomisedColumn, fit_outcome

PEOPLE = 1_000_000
PREDICTORS = 10
MOST = 3.0


def best_of(action: Callable[[], object], times: int = 3) -> float:
    """The quickest of a few runs, in seconds."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    rng = np.random.default_rng(21)
    values = np.column_stack([np.ones(PEOPLE), rng.normal(size=(PEOPLE, PREDICTORS))])
    truth = np.append(-0.5, np.linspace(-0.5, 0.5, PREDICTORS))
    answers = (values @ truth + rng.logistic(size=PEOPLE) > 0).astype(np.int64)
    channel = sf.surveys.survey(guess_error=0.375, max_epsilon=2).channel
    cuts = np.cumsum(channel.array, axis=1)[:, :-1]
    reports = (rng.random(PEOPLE)[:, None] > cuts[answers]).sum(axis=1)
    names = ("Intercept", *(f"x{place}" for place in range(PREDICTORS)))

    def ours(errors: str = "observed") -> Fit:
        column = RandomisedColumn.of(channel, reports, name="answer")
        return fit_outcome("logistic", column, DesignMatrix(names=names, values=values), errors=errors)

    def theirs() -> object:
        return Logit(answers, values).fit(disp=0).bse

    fit = ours()
    wide = max(abs(one.estimate - true) / one.standard_error for one, true in zip(fit.coefficients, truth, strict=True))
    known = best_of(theirs)
    print(f"statsmodels, true answers        {known:7.2f} s   1.00")
    ratios = {}
    for errors in ("observed", "sandwich"):
        seconds = best_of(lambda errors=errors: ours(errors))
        ratios[errors] = seconds / known
        promised = f"(at most {MOST:g} is promised)" if errors == "observed" else ""
        print(f"reports, {errors:9} errors       {seconds:7.2f} s {ratios[errors]:6.2f}  {promised}")
    print(f"{fit.iterations} iterations; furthest coefficient {wide:.2f} standard errors from the truth")
    if ratios["observed"] > MOST:
        raise SystemExit("slower than promised")


if __name__ == "__main__":
    main()
