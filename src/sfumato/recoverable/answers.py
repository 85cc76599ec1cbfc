"""The answer that is right with probability rho and leaks least about the data [A].

The best response keeps f(x) with probability max(ρ_c, ρ) and otherwise names another value, with more probability the
easier the data of that value are to guess. It depends on f(x) alone, so it is noise added to the function value. When
only a predicate h(X) is to be hidden, the noise depends on f(x) and h(x).
Theory: docs/theory/recoverable_answers.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato import measures
from sfumato.certificates.certificate import subject_of
from sfumato.certificates.channels import ChannelSubject, channel_subject
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.mechanisms.tabulated import CertifiedDesign
from sfumato.numbers.checks import Real
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution, Label
from sfumato.prob.operations import Joint
from sfumato.recoverable.queries import Function, Prior, Query, places_of

Rows = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoverableDesign(CertifiedDesign):
    """A response W(i|x) to a query. `noise` is its add-noise form V(i|j), None where it needs more than f(x).

    `privacy` is how often the best guesser of what is `hidden` stays wrong; `critical_rho` is up to where answers are
    free. All numbers are exact.

    >>> import sfumato as sf
    >>> best = sf.recoverable.recoverable([0.35, 0.25, 0.2, 0.12, 0.08], [0, 0, 1, 1, 2], 0.8)
    >>> float(best.privacy), round(float(best.critical_rho), 4), best.hidden, round(float(best.worst_answer), 4)
    (0.496, 0.5556, 'the data', 0.4192)
    >>> [str(p) for p in best.noise.rows[0]]
    ['4/5', '1/7', '2/35']
    >>> best.mechanism.privatize([0, 3]).shape
    (2,)
    """

    name: str
    query: Query
    channel: Channel
    noise: Channel | None
    privacy: Fraction
    critical_rho: Fraction
    hidden: str

    @property
    def worst_answer(self) -> Fraction:
        """How often the best guesser of the data is wrong at least, whatever the answer is; `privacy` is an average.

        Of the data, also where the response hides a predicate; `every_answer` has the best such promise.
        """
        return Fraction(measures.worst_guess_error(self.channel, self.query.prior))

    def noise_law(self, value: Label) -> Distribution:
        """Return the law of the noise N in F(x) = f(x) + N mod k, given f(x) [A, eq. (6)]."""
        if self.noise is None:
            raise InvalidLaw(
                "this response depends on more than f(x), so it is not noise added to it",
                way_out="Draw from `channel` instead.",
            )
        if value not in self.query.values:
            known = ", ".join(repr(label) for label in self.query.values[:5])
            raise InvalidParameter(
                "is none of the function's values", parameter="value", way_out=f"Give one of {known}."
            )
        j = self.query.values.index(value)
        size = len(self.query.values)
        return Distribution([self.noise.rows[j][(i + j) % size] for i in range(size)])


@subject_of.register
def _recoverable_subject(thing: RecoverableDesign) -> ChannelSubject:
    return channel_subject(thing.channel, thing.query.prior)


def recoverable(
    prior: Prior, f: Function, rho: Real, predicate: Function | None = None, *, values: Sequence[Label] | None = None
) -> RecoverableDesign:
    """Return the response that is right with probability ≥ rho and hides the data, or a predicate of it, best.

    Raises:
        InvalidLaw: the prior gives probability 0 to a value of the data.
        InvalidParameter: f takes a single value, or ρ is not in [0, 1].

    >>> import sfumato as sf
    >>> float(sf.recoverable.recoverable([0.35, 0.25, 0.2, 0.12, 0.08], [0, 0, 1, 1, 2], 0.8).privacy)
    0.496
    >>> party = sf.recoverable.recoverable([0.4, 0.3, 0.2, 0.1], [0, 1, 1, 0], 0.9, predicate=[0, 1, 0, 0])
    >>> party.hidden, float(party.privacy)
    ('the predicate', 0.28)
    """
    query = Query.of(prior, f, rho, values=values)
    return best_answer(query) if predicate is None else hide_predicate(query, predicate)


def best_answer(query: Query) -> RecoverableDesign:
    """W_o and V_o of [A, Thm 2]; privacy 1 - max(max P, ρS).

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.35, 0.25, 0.2, 0.12, 0.08], [0, 0, 1, 1, 2], 0.8)
    >>> best = sf.recoverable.best_answer(query)
    >>> float(best.privacy), [str(p) for p in best.channel.rows[0]]
    (0.496, ['4/5', '1/7', '2/35'])
    """
    noise = best_noise(query)
    return RecoverableDesign(
        name="best single answer",
        query=query,
        channel=spread_noise(query, noise),
        noise=Channel(noise, query.values, query.values),
        privacy=1 - max(query.critical_rho, query.rho) * query.total,
        critical_rho=query.critical_rho,
        hidden="the data",
    )


def best_noise(query: Query) -> Rows:
    """V_o: keep the value with probability r = max(ρ_c, ρ), else name i with weight m_i [A, eq. (18)].

    Returns:
        V_o(i|j), a row for each value j of the function.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> for row in sf.recoverable.best_noise(query):
    ...     print(*row)
    3/5 6/25 4/25
    2/7 3/5 4/35
    1/4 3/20 3/5
    """
    keep, maxima, total = max(query.critical_rho, query.rho), query.maxima, query.total
    return tuple(
        tuple(
            # Where nothing but this value can be, ρ_c is 1 and there is nothing to share out.
            keep if i == j else (1 - keep) * m / (total - maxima[j]) if total > maxima[j] else Fraction(0)
            for i, m in enumerate(maxima)
        )
        for j in range(len(maxima))
    )


def spread_noise(query: Query, noise: Rows) -> Channel:
    """W(i|x) = V(i|f(x)) [A, Lemma 1]."""
    return Channel([noise[place] for place in query.f], query.prior.labels, query.values)


def hide_predicate(query: Query, predicate: Function) -> RecoverableDesign:
    """W'_o of [A, Prop 3]: hides h(X) best; with h the identity it is W''_o, which hides the data as well as W_o.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 1, 0], 0.9)
    >>> hidden = sf.recoverable.hide_predicate(query, [0, 1, 0, 0])
    >>> float(hidden.privacy), float(hidden.critical_rho)
    (0.28, 0.875)
    """
    places, hidden = places_of("predicate", predicate, query.prior)
    joint = [[Fraction(0)] * len(hidden) for _ in query.values]
    for i, j, mass in zip(query.f, places, query.masses, strict=True):
        joint[i][j] += mass
    best = [max(row) for row in joint]
    masses = [sum(row[j] for row in joint) for j in range(len(hidden))]
    total = sum(best, Fraction(0))
    critical = max(masses) / total
    keep = max(critical, query.rho)
    rows = []
    for i, j in zip(query.f, places, strict=True):
        if critical == 1:
            rows.append([Fraction(int(place == i)) for place in range(len(query.values))])
            continue
        spare = (1 - keep) / (total - masses[j])
        rows.append(
            [keep * (place == i) + spare * (best[place] - joint[place][j]) for place in range(len(query.values))]
        )
    return RecoverableDesign(
        name="best answer that hides a predicate",
        query=query,
        channel=Channel(rows, query.prior.labels, query.values),
        noise=None,
        privacy=1 - keep * total,
        critical_rho=critical,
        hidden="the predicate",
    )


def hide_correlated(joint: Joint, f: Function, rho: Real) -> RecoverableDesign:
    """Disclose f(X) and hide Y, when (X, Y) have a joint law and the response may depend on both [A, Remark (iii)].

    Returns:
        A response to pairs (x, y), which are the inputs of its channel.

    Raises:
        InvalidLaw: the joint law has not exactly two coordinates.

    >>> import sfumato as sf
    >>> joint = sf.prob.Joint([0.3, 0.05, 0.1, 0.15, 0.05, 0.35], [[0, 1, 2], ["well", "ill"]])
    >>> hidden = sf.recoverable.hide_correlated(joint, [0, 1, 1], 0.75)
    >>> float(hidden.privacy), len(hidden.channel.inputs)
    (0.4, 6)
    """
    prior, firsts, seconds = _pairs(joint)
    places, images = places_of("f", f, Distribution.uniform(len(joint.alphabets[0]), joint.alphabets[0]))
    told = dict(zip(joint.alphabets[0], (images[place] for place in places), strict=True))
    return hide_predicate(Query.of(prior, [told[x] for x in firsts], rho), seconds)


def reveal_correlated(joint: Joint, rho: Real) -> RecoverableDesign:
    """Disclose Y and hide X, the second reading of [A, Remark (iii)].

    Returns:
        A response to pairs (x, y), which are the inputs of its channel.

    Raises:
        InvalidLaw: the joint law has not exactly two coordinates.

    >>> import sfumato as sf
    >>> joint = sf.prob.Joint([0.3, 0.05, 0.1, 0.15, 0.05, 0.35], [[0, 1, 2], ["well", "ill"]])
    >>> hidden = sf.recoverable.reveal_correlated(joint, 0.8)
    >>> float(hidden.privacy), hidden.channel.outputs
    (0.48, ('well', 'ill'))
    """
    prior, firsts, seconds = _pairs(joint)
    return hide_predicate(Query.of(prior, seconds, rho), firsts)


def _pairs(joint: Joint) -> tuple[Distribution, list[Label], list[Label]]:
    """Return the law of the pairs that can happen, and their two parts."""
    if len(joint.alphabets) != 2:
        raise InvalidLaw(
            f"has {len(joint.alphabets)} coordinates and must have two: the data, and what goes with it",
            parameter="joint",
            way_out="Merge the coordinates into two.",
        )
    pairs = [pair for pair in joint.law.labels if joint.law[pair] > 0 and isinstance(pair, tuple)]
    law = Distribution([joint.law[pair] for pair in pairs], pairs).to_exact()
    return law, [pair[0] for pair in pairs], [pair[1] for pair in pairs]
