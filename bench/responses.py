"""Answers and guesses: exact privacy by types against every sequence, a million guesses, and searches, in one run.

The promises are 5 seconds for k = 4, n = 100 and 5 seconds for a million guesses; ratios are what to compare between
machines. `responses` at k = 3 takes 10 CPU seconds at most, whatever n is: here for some n, in the slow tests for each
from 2 to 200.
"""

from __future__ import annotations

import itertools
import math
import os
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from sfumato import recoverable
from sfumato.recoverable import Guesser
from sfumato.recoverable.answers import Rows
from sfumato.recoverable.schemes import as_channels

PATIENCE_SECONDS = 5.0
PEOPLE = 1_000_000
ENUMERATED = 9
SEARCHED = (2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 22, 23, 50, 63, 64, 100, 200)
SEARCH_CPU_SECONDS = 10.0


def timed(what: Callable[[], object]) -> tuple[float, object]:
    start = time.perf_counter()
    found = what()
    return time.perf_counter() - start, found


def cpu_seconds() -> float:
    """Of this process and of those that it started and that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def question(size: int, rho: Fraction) -> recoverable.Query:
    weights = [Fraction(2 * (size - i), size * (size + 1)) for i in range(size)]
    return recoverable.Query.of(weights, range(size), rho)


def by_sequences(query: recoverable.Query, noise: Rows, n: int) -> float:
    """Every sequence, one after the other."""
    rows = [[float(p) for p in row] for row in noise]
    weights = [float(m) for m in query.maxima]
    right = 0.0
    for sequence in itertools.product(range(len(rows)), repeat=n):
        right += max(w * math.prod(row[i] for i in sequence) for w, row in zip(weights, rows, strict=True))
    return 1 - right


def binomial_sum(query: recoverable.Query, n: int) -> Fraction:
    """Two values in fractions, the obvious exact way."""
    rho, (first, second) = query.rho, query.maxima
    missed = (
        math.comb(n, hits)
        * min(first * rho**hits * (1 - rho) ** (n - hits), second * rho ** (n - hits) * (1 - rho) ** hits)
        for hits in range(n + 1)
    )
    return 1 - query.total + sum(missed, Fraction(0))


def check(seconds: float, what: str) -> None:
    if seconds > PATIENCE_SECONDS:
        raise SystemExit(f"{what} took {seconds:.1f} s, more than {PATIENCE_SECONDS} s")


def privacy() -> None:
    print(f"{'privacy of n responses':>34} {'types: s':>10} {'plain: s':>10} {'ratio':>8}")
    four = question(4, Fraction(3, 5))
    noise = recoverable.best_noise(four)
    recoverable.privacy_of_noise(four, noise, 70)  # warm: the first call imports scipy
    ours, found = timed(lambda: recoverable.privacy_of_noise(four, noise, ENUMERATED))
    plain, expected = timed(lambda: by_sequences(four, noise, ENUMERATED))
    if not math.isclose(found.midpoint, expected, abs_tol=1e-9):
        raise SystemExit("types and sequences do not agree: one of the methods is wrong")
    print(f"{f'k = 4, n = {ENUMERATED}, sequences':>34} {ours:10.4f} {plain:10.4f} {plain / ours:8.1f}")
    seconds, _ = timed(lambda: recoverable.privacy_of_noise(four, noise, 100))
    check(seconds, "k = 4, n = 100")
    print(f"{'k = 4, n = 100 (4^100 sequences)':>34} {seconds:10.4f} {'':>10} {'':>8}")
    two = question(2, Fraction(9, 10))
    ours, found = timed(lambda: recoverable.privacy_of_noise(two, recoverable.pair_noise(two), 1000))
    plain, exact = timed(lambda: binomial_sum(two, 1000))
    check(ours, "k = 2, n = 1000")
    if exact not in found:
        raise SystemExit("the exact sum is not in the interval")
    print(f"{'k = 2, n = 1000, fractions':>34} {ours:10.4f} {plain:10.4f} {plain / ours:8.1f}")


def guesses() -> None:
    print(f"{'a million guesses':>34} {'ours: s':>10} {'loop: s':>10} {'ratio':>8}")
    query = question(4, Fraction(3, 5))
    generator = np.random.default_rng(0)
    for n in (1, 3, 12):
        channels = as_channels(query, recoverable.best_noise(query), n)
        responses = generator.integers(0, 4, size=(PEOPLE, n))
        guesser = Guesser.of_data(query.prior, channels)
        seconds, found = timed(lambda guesser=guesser, responses=responses: guesser.guess(responses))
        check(seconds, f"a million guesses from {n} responses")
        part = PEOPLE // 200
        logs = np.log(channels[0].array)
        prior = np.log(query.prior.array)
        plain, expected = timed(
            lambda logs=logs, prior=prior, responses=responses, part=part: [
                int(np.argmax(prior + logs[:, row].sum(axis=1))) for row in responses[:part]
            ]
        )
        weights = prior[None] + sum(logs.T[responses[:part, t]] for t in range(n))
        rows = np.arange(part)
        if not np.allclose(weights[rows, found[:part]], weights[rows, expected]):
            raise SystemExit("the loop guesses something likelier: one of the methods is wrong")
        print(f"{f'n = {n}':>34} {seconds:10.4f} {200 * plain:10.4f} {200 * plain / seconds:8.1f}")


def searches() -> None:
    """The best n responses with both bounds; for ρ > 1/2 the upper one is the closed form."""
    print(f"{'best of n responses, k = 3':>34} {'CPU s':>10} {'found':>10} {'bound':>10}")
    worst = 0.0
    for rho in (Fraction(2, 5), Fraction(3, 5)):
        for n in SEARCHED:
            begun = cpu_seconds()
            found = recoverable.responses([Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)], range(3), rho, n)
            spent = cpu_seconds() - begun
            worst = max(worst, spent)
            print(
                f"{f'ρ = {float(rho)}, n = {n}':>34} {spent:10.2f} {found.privacy.lower:10.6f} "
                f"{float(found.converse):10.6f}  {found.search}",
                flush=True,
            )
    if worst > SEARCH_CPU_SECONDS:
        raise SystemExit(f"a search took {worst:.1f} CPU seconds, more than {SEARCH_CPU_SECONDS}")


def main() -> None:
    privacy()
    guesses()
    searches()


if __name__ == "__main__":
    main()
