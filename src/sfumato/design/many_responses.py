"""n independent responses, each right with probability ≥ ρ, that together tell as little as possible about the data.

The published schemes repeat one response. With all others fixed, the best response is a linear program; going round
and round from several starts gives responses that differ from each other and hide more than any repetition known. The
best of all is returned, with the bound that no scheme passes beside it.   Theory: docs/theory/many_responses.md
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from sfumato.bits import KeyedBits
from sfumato.design.published_schemes import as_channels, converse, privacy_of_noise, published_noise
from sfumato.design.queries import Function, Prior, Query
from sfumato.design.recoverable_answers import Rows, best_noise
from sfumato.design.response_programs import best_response, made_exact
from sfumato.errors import InvalidParameter
from sfumato.prob import Channel
from sfumato.prob.alphabet import Label
from sfumato.values import Interval
from sfumato.values.checks import check_at_least, check_integer
from sfumato.values.shown import Shown
from sfumato.values.types import Real

FloatArray = npt.NDArray[np.float64]

# Beyond so many sequences × rows the programs grow out of hand.
MOST_CELLS = 60_000
_STARTS = 8
_ROUNDS = 40
_PROGRESS = 1e-9
# How much of the best responses is replaced before they are improved again.
_SHAKES = (0.03, 0.1, 0.3)

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsesDesign(Shown):
    """Channels, one a response, with the privacy of all of them together and the bound that none passes.

    `candidates` are the privacies of every scheme that was tried, best first; `gap` is what may still be missing.
    """

    name: str
    query: Query
    channels: tuple[Channel, ...]
    privacy: Interval
    converse: Fraction
    candidates: tuple[tuple[str, Interval], ...]

    @property
    def gap(self) -> float:
        """How far the privacy may be from the best possible."""
        return max(0.0, float(self.converse) - self.privacy.lower)

    @property
    def n(self) -> int:
        """How many responses there are."""
        return len(self.channels)


def responses(
    prior: Prior,
    f: Function,
    rho: Real,
    n: int,
    *,
    values: tuple[Label, ...] | None = None,
    starts: int = _STARTS,
    add_noise_only: bool | None = None,
    progress: Progress | None = None,
) -> ResponsesDesign:
    """Return the best of the published schemes and of alternating programs for n responses.

    With `add_noise_only` responses depend on f(x) alone, which keeps the programs at k×k however many values the data
    has; left out, it is chosen by size.
    """
    return design_responses(
        Query.of(prior, f, rho, values=values), n, starts=starts, add_noise_only=add_noise_only, progress=progress
    )


def design_responses(
    query: Query,
    n: int,
    *,
    starts: int = _STARTS,
    add_noise_only: bool | None = None,
    progress: Progress | None = None,
) -> ResponsesDesign:
    """Return the best scheme found for a query."""
    check_at_least("n", check_integer("n", n), 1)
    check_at_least("starts", check_integer("starts", starts), 0)
    found: list[tuple[str, Interval, tuple[Channel, ...]]] = []
    for name, noise in (("V_o repeated", best_noise(query)), (_published_name(query), published_noise(query))):
        found.append((name, privacy_of_noise(query, noise, n), as_channels(query, noise, n)))
    if starts and _cells(query, n, by_value=True) <= MOST_CELLS:
        found.append(alternating(query, n, starts=starts, add_noise_only=add_noise_only, progress=progress))
    found.sort(key=lambda candidate: -candidate[1].lower)
    name, privacy, channels = found[0]
    return ResponsesDesign(
        name=name,
        query=query,
        channels=channels,
        privacy=privacy,
        # With n even the bound for one response fewer is tighter, and more responses never hide more.
        converse=min(converse(query, m) for m in (n - 1, n) if m),
        candidates=tuple((candidate, value) for candidate, value, _ in found),
    )


def alternating(
    query: Query, n: int, *, starts: int = _STARTS, add_noise_only: bool | None = None, progress: Progress | None = None
) -> tuple[str, Interval, tuple[Channel, ...]]:
    """Improve one response after the other by a linear program, from several starts; return the best end.

    Every end is made exact, and its privacy is computed from the exact responses, not taken from the solver.
    """
    by_value = _cells(query, n, by_value=False) > MOST_CELLS if add_noise_only is None else add_noise_only
    if _cells(query, n, by_value=by_value) > MOST_CELLS:
        raise InvalidParameter(
            f"responses over {len(query.values)} values are too many for alternating programs",
            parameter="n",
            value=n,
            way_out="Lower `n`, or use the published schemes (`starts`=0).",
        )
    check_at_least("starts", check_integer("starts", starts), 1)
    weights, keep = _problem(query, by_value=by_value)
    found = _search(np.array([float(w) for w in weights]), query, keep, n, starts, progress or (lambda _: None))
    exact = tuple(made_exact(matrix, keep, query.rho) for matrix in found)
    right = exact_right_guess(weights, exact)
    name = "alternating programs, noise on the value" if by_value else "alternating programs"
    channels = tuple(
        Channel([rows[place] for place in query.f] if by_value else rows, query.prior.labels, query.values)
        for rows in exact
    )
    privacy = 1 - right
    return name, Interval(math.nextafter(float(privacy), 0), math.nextafter(float(privacy), 1)), channels


def _search(
    weights: FloatArray, query: Query, keep: tuple[int, ...], n: int, starts: int, progress: Progress
) -> list[FloatArray]:
    """Improve from several starts, then shake the best, gently and less gently, and improve again."""
    best: list[FloatArray] = []
    least = math.inf
    for trial in range(4 * starts):
        if trial < starts:
            rows = _start(query, keep, n, trial)
        else:
            shaken = _start(query, keep, n, trial + len(_SHAKES))
            part = _SHAKES[trial % len(_SHAKES)]
            rows = [(1 - part) * row + part * other for row, other in zip(best, shaken, strict=True)]
        rows = _improve(weights, rows, keep, float(query.rho))
        right = _right_guess(weights, rows)
        if right < least - _PROGRESS:
            best, least = rows, right
        progress((trial + 1) / (4 * starts))
    return best


def exact_right_guess(weights: tuple[Fraction, ...], responses: tuple[Rows, ...]) -> Fraction:
    """Σ over all sequences of responses of max_j w_j Π_t W_t(i_t|j), by whole numbers over one denominator."""
    size = len(responses[0][0])
    joint = [[weight] for weight in weights]
    for rows in responses:
        joint = [[p * row[i] for p in entries for i in range(size)] for entries, row in zip(joint, rows, strict=True)]
    return sum((max(column) for column in zip(*joint, strict=True)), Fraction(0))


def _improve(weights: FloatArray, rows: list[FloatArray], keep: tuple[int, ...], rho: float) -> list[FloatArray]:
    value = math.inf
    for _ in range(_ROUNDS):
        for t in range(len(rows)):
            others = _sequences([matrix for u, matrix in enumerate(rows) if u != t], len(weights))
            rows[t] = best_response(weights, others, keep, rows[0].shape[1], rho)
        right = _right_guess(weights, rows)
        if value - right < _PROGRESS:
            break
        value = right
    return rows


def _right_guess(weights: FloatArray, rows: list[FloatArray]) -> float:
    return float((_sequences(rows, len(weights)) * weights).max(axis=1).sum())


def _sequences(matrices: list[FloatArray], rows: int) -> FloatArray:
    """Return how likely each sequence of responses is given each row; one empty sequence when there are none."""
    table = np.ones((1, rows))
    for matrix in matrices:
        table = (table[:, None, :] * matrix.T[None]).reshape(-1, rows)
    return table


def _start(query: Query, keep: tuple[int, ...], n: int, start: int) -> list[FloatArray]:
    """The published responses first, then random ones: where a search begins is nobody's secret."""
    size = len(query.values)
    rho = float(query.rho)
    base = {0: best_noise(query), 1: published_noise(query)}.get(start)
    found = []
    for t in range(n):
        if base is not None:
            noise = np.array([[float(p) for p in row] for row in base])
            matrix = noise[list(keep)] if len(keep) != size or keep != tuple(range(size)) else noise
        else:
            matrix = np.full((len(keep), size), 0.0)
        jitter = _spread_numbers(len(keep) * size, start * 1000 + t).reshape(len(keep), size)
        jitter /= jitter.sum(axis=1, keepdims=True)
        blend = 0.02 if base is not None else 1.0
        rest = (1 - blend) * matrix + blend * jitter
        own = np.zeros_like(rest)
        own[np.arange(len(keep)), list(keep)] = 1.0
        scale = 1.0 if base is not None else 1 - rho
        mixed = scale * rest + (1 - scale) * own
        short = np.maximum(0.0, rho - mixed[np.arange(len(keep)), list(keep)])
        mixed = mixed * (1 - short[:, None]) + own * short[:, None]
        found.append(mixed / mixed.sum(axis=1, keepdims=True))
    return found


def _spread_numbers(count: int, seed: int) -> FloatArray:
    """Exponential numbers, the same for the same seed: where a search begins has to be repeatable, not secret."""
    words = KeyedBits(sha256(b"sfumato alternating start %d" % seed).digest()).words(count, 32)
    spread: FloatArray = -np.log((words.astype(np.float64) + 0.5) / 2.0**32)
    return spread


def _problem(query: Query, *, by_value: bool) -> tuple[tuple[Fraction, ...], tuple[int, ...]]:
    if by_value:
        return query.maxima, tuple(range(len(query.values)))
    return query.masses, query.f


def _cells(query: Query, n: int, *, by_value: bool) -> int:
    rows = len(query.values) if by_value else len(query.f)
    sequences: int = len(query.values) ** n
    return sequences * rows


def _published_name(query: Query) -> str:
    return "V_1 repeated" if query.rho > Fraction(1, 2) else "V_2 repeated"
