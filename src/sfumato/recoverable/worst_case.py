"""The answer that is right with probability rho for every value of the data.

π(ρ) is an average over answers: a single answer may reveal more about the data than the others. Here the guess after
*each* answer is wrong with at least the promised probability. Minimise τ with P(x)W(i|x) ≤ τ·P(answer i) by
Dinkelbach's steps, each a linear program. The response is made exact and judged by its worst answer. The prices of the
last program are a guesser, whose root, computed in fractions, bounds every response.
Theory: docs/theory/recoverable_answers.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato import measures
from sfumato.certificates.certificate import subject_of
from sfumato.certificates.channels import ChannelSubject, channel_subject
from sfumato.mechanisms.tabulated import CertifiedDesign
from sfumato.numbers.checks import Real
from sfumato.numbers.intervals import Interval, float_above, float_below
from sfumato.numbers.linear_programs import solve
from sfumato.prob.channel import Channel
from sfumato.recoverable.answers import best_answer
from sfumato.recoverable.queries import Function, Prior, Query
from sfumato.recoverable.response_search import grid_law, made_exact

FloatArray = npt.NDArray[np.float64]

_STEPS = 60
_PROGRESS = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True)
class EveryAnswerDesign(CertifiedDesign):
    """A response W(i|x) after whose every answer the best guess is wrong with probability at least `privacy.lower`.

    `privacy` encloses the best such promise; `promise` is what this response has, exactly, and `average` its privacy on
    average, beside `best_average`, which is [A, Thm 2]'s. The worst answer is one of the claims of its certificate.

    >>> import sfumato as sf
    >>> each = sf.recoverable.every_answer([0.7, 0.2, 0.1], [0, 1, 2], 0.55)
    >>> [round(float(one), 4) for one in (each.promise, each.average, each.best_average)]
    [0.2596, 0.3, 0.3]
    >>> round(float(each.certificate["guess_error"].value), 4)
    0.3
    """

    query: Query
    channel: Channel
    privacy: Interval
    promise: Fraction
    average: Fraction
    best_average: Fraction


@subject_of.register
def _every_answer_subject(thing: EveryAnswerDesign) -> ChannelSubject:
    return channel_subject(thing.channel, thing.query.prior)


def every_answer(prior: Prior, f: Function, rho: Real) -> EveryAnswerDesign:
    """Return the response that is right with probability ≥ rho and hides the data best after its worst answer.

    The response that is best on average can give much more away after its worst answer.

    >>> import sfumato as sf
    >>> each = sf.recoverable.every_answer([0.7, 0.2, 0.1], [0, 1, 2], 0.55)
    >>> round(each.privacy.lower, 10), round(each.privacy.upper, 10)
    (0.2596153846, 0.2596153846)
    >>> round(float(sf.recoverable.recoverable([0.7, 0.2, 0.1], [0, 1, 2], 0.55).worst_answer), 4)
    0.134
    """
    return design_every_answer(Query.of(prior, f, rho))


def design_every_answer(query: Query) -> EveryAnswerDesign:
    """Return the response with the best promise for every answer.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 1], 0.8)
    >>> each = sf.recoverable.design_every_answer(query)
    >>> round(float(each.promise), 4), float(each.best_average)
    (0.2, 0.36)
    """
    average = best_answer(query)
    # Where the best answer on average promises as much after every answer there is nothing to solve.
    channel, upper = average.channel, average.privacy
    if query.rho == 0:
        channel = Channel([[1, *[0] * (len(query.values) - 1)]] * len(query.f), query.prior.labels, query.values)
    elif measures.worst_guess_error(channel, query.prior) < upper:
        rows, prices = _dinkelbach(query, 1 - float(upper))
        solved = Channel(made_exact(rows, query.f, query.rho), query.prior.labels, query.values)
        channel = max((channel, solved), key=lambda one: Fraction(measures.worst_guess_error(one, query.prior)))
        upper = min(upper, 1 - least_certainty(query, prices))
    promise = Fraction(measures.worst_guess_error(channel, query.prior))
    return EveryAnswerDesign(
        query=query,
        channel=channel,
        privacy=Interval(float_below(promise), float_above(upper)),
        promise=promise,
        average=Fraction(measures.guess_error(channel, query.prior)),
        best_average=average.privacy,
    )


def least_certainty(query: Query, prices: FloatArray) -> Fraction:
    """Return a τ that no response stays below, proved by prices y(x, i) ≥ 0, whatever they are.

    Σ y(x,i)(J(x,i) - τ c_i) ≥ D(τ), the least over all responses, row by row. D is concave and falls; where it is not
    negative, some answer has J(x,i) ≥ τ c_i. Newton's steps from the right end at its root after finitely many pieces.
    """
    law = grid_law(prices.ravel())
    size = len(query.values)
    rows = [law[x * size : (x + 1) * size] for x in range(len(query.f))]
    sums = [sum(column, Fraction(0)) for column in zip(*rows, strict=True)]
    tau = Fraction(1)
    while True:
        won = lost = Fraction(0)
        for mass, row, own in zip(query.masses, rows, query.f, strict=True):
            least = min(range(size), key=lambda i: row[i] - tau * sums[i])
            won += mass * (query.rho * row[own] + (1 - query.rho) * row[least])
            lost += mass * (query.rho * sums[own] + (1 - query.rho) * sums[least])
        if won - tau * lost >= 0:
            return tau
        tau = won / lost


def _dinkelbach(query: Query, tau: float) -> tuple[FloatArray, FloatArray]:
    """Return rows W and prices at the least τ; each program finds by how much τ can be lowered."""
    rows, prices, value = _program(query, tau)
    if value <= _PROGRESS:
        return rows, prices
    tau = 1.0
    for _ in range(_STEPS):
        rows, prices, value = _program(query, tau)
        joint = rows * np.array([float(p) for p in query.masses])[:, None]
        sums = joint.sum(axis=0)
        used = sums > 0
        reached = float((joint.max(axis=0)[used] / sums[used]).max())
        if value >= -_PROGRESS or reached >= tau - _PROGRESS:
            break
        tau = reached
    return rows, prices


def _program(query: Query, tau: float) -> tuple[FloatArray, FloatArray, float]:
    """Minimise v with J(x,i) - τ Σ_x' J(x',i) ≤ v over J(x,i) = P(x)W(i|x): rows W, prices and v."""
    people, size = len(query.f), len(query.values)
    masses = np.array([float(p) for p in query.masses])
    count = people * size
    above = np.zeros((count, count + 1))
    for x in range(people):
        for i in range(size):
            line = x * size + i
            above[line, np.arange(people) * size + i] = -tau
            above[line, line] += 1.0
            above[line, count] = -1.0
    equal = np.zeros((people, count + 1))
    equal[np.arange(count) // size, np.arange(count)] = 1.0
    bounds = np.zeros((count + 1, 2))
    bounds[:count, 1] = np.repeat(masses, size)
    bounds[np.arange(people) * size + np.asarray(query.f), 0] = float(query.rho) * masses
    bounds[count] = -np.inf, np.inf
    costs = np.zeros(count + 1)
    costs[count] = 1.0
    found = solve(costs, above, np.zeros(count), equal, masses, bounds)
    rows = found.values[:count].reshape(people, size) / masses[:, None]
    return rows, found.prices.reshape(people, size), found.value
