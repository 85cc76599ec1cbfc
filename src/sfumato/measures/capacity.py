"""Shannon capacity with a witness that bounds it from both sides.

For every input law p, with output law q = pW, the capacity lies between Σ p(x)D(W_x‖q) and max_x D(W_x‖q); the two meet
at the optimum. A primal-dual interior-point method finds p (tens of Cholesky factorisations where Blahut-Arimoto needs
thousands of rounds), and the interval is then computed from p alone, with its rounding error bounded, so that no trust
in the method is needed.   Refs: [Sha48], [Bla72], [Ari72]; theory: docs/theory/capacity.md
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from sfumato.errors import NotCertified
from sfumato.measures.shannon import mutual_information_interval
from sfumato.numbers.checks import as_number, check_positive
from sfumato.numbers.exact import FloatArray, entries_of
from sfumato.numbers.intervals import LOG2_E, UNIT_ROUNDOFF, Interval, check_witness, entropy_interval, log2_interval
from sfumato.prob.distribution import Distribution, DistributionLike
from sfumato.prob.structured import AnyChannel, ChannelLike, Circulant, as_channel

DEFAULT_GAP_BITS = 1e-9
_MOST_STEPS = 200
# Up to this many entries a structured channel without full symmetry is written out.
_DENSE_ENTRIES = 1_000_000


def capacity_bits(channel: ChannelLike, *, gap_bits: float = DEFAULT_GAP_BITS) -> Interval:
    """Enclose the capacity in an interval no wider than `gap_bits`, or raise NotCertified.

    A large structured channel that does not use all its symbols as inputs gets the wider interval between its
    uniform-input information and the capacity of the full symmetric channel.

    >>> import sfumato as sf
    >>> z_channel = sf.Channel([[1, 0], [0.5, 0.5]])
    >>> round(sf.measures.capacity_bits(z_channel).upper, 6)  # log2(5/4)
    0.321928
    >>> sf.measures.capacity_bits(z_channel).width <= 1e-9
    True
    """
    channel = as_channel(channel)
    return capacity_in_closed_form(channel) or capacity_with_witness(channel, gap_bits=gap_bits)[0]


def capacity_with_witness(
    channel: ChannelLike, *, gap_bits: float = DEFAULT_GAP_BITS
) -> tuple[Interval, tuple[float, ...]]:
    """Return the interval and the input law that proves it.

    >>> import sfumato as sf
    >>> bits, witness = sf.measures.capacity_with_witness(sf.Channel([[1, 0], [0.5, 0.5]]))
    >>> round(bits.upper, 6), [round(weight, 4) for weight in witness]
    (0.321928, [0.6, 0.4])
    """
    check_positive("gap_bits", gap_bits)
    rows = _normalised(as_channel(channel))
    distinct, places = np.unique(rows, axis=0, return_inverse=True)
    best = Interval(0.0, math.inf)
    for law, gap in interior_laws(distinct[:, distinct.max(axis=0) > 0]):
        if gap > gap_bits:
            continue  # not yet worth the careful evaluation
        best = min(best, _bounds(distinct, law), key=lambda bounds: bounds.width)
        if best.width <= gap_bits:
            # Equal rows are one input as far as the capacity goes: its first occurrence carries the weight.
            _, first = np.unique(places.ravel(), return_index=True)
            witness = np.zeros(len(rows))
            witness[first] = law
            return best, tuple((witness / witness.sum()).tolist())
    raise NotCertified(
        f"could not be reached: the capacity could only be bounded to {best.width:.1e} bits",
        parameter="gap_bits",
        value=gap_bits,
        way_out="Allow a larger `gap_bits`, or merge inputs that are almost alike.",
    )


def capacity_interval_from(channel: ChannelLike, witness: DistributionLike) -> Interval:
    """Enclose the capacity by evaluating one input law: how a witness is checked, without any search.

    Raises:
        NotCertified: the witness is no law of the inputs.

    >>> import sfumato as sf
    >>> z_channel = sf.Channel([[1, 0], [0.5, 0.5]])
    >>> found = sf.measures.capacity_interval_from(z_channel, (0.5, 0.5))  # no optimum, so the bounds are apart
    >>> round(found.lower, 4), round(found.upper, 4)
    (0.3113, 0.415)
    >>> sf.measures.capacity_interval_from(z_channel, (0.6, 0.4)).width < 1e-9
    True
    """
    channel = as_channel(channel)
    given = witness.probabilities if isinstance(witness, Distribution) else witness
    entries = entries_of("witness", given, rule="must be a list of weights", way_out="Give one for each input.")
    if len(entries) != channel.shape[0]:
        raise NotCertified("must be one weight for each input", parameter="witness")
    numbers = [w if isinstance(w, float) else float(as_number(f"witness[{x}]", w)) for x, w in enumerate(entries)]
    check_witness(numbers)
    weights = np.array(numbers, dtype=np.float64)
    return _bounds(_normalised(channel), weights / weights.sum())


def capacity_in_closed_form(channel: ChannelLike) -> Interval | None:
    """Enclose the capacity of a structured channel by its symmetry; None where an input law has to be searched for.

    >>> import sfumato as sf
    >>> symmetric = sf.mechanisms.RandomizedResponse(size=2, odds=3).channel()
    >>> round(sf.measures.capacity_in_closed_form(symmetric).upper, 6)  # 1 - H2(1/4)
    0.188722
    >>> print(sf.measures.capacity_in_closed_form(symmetric.to_dense()))
    None
    """
    channel = as_channel(channel)
    if not isinstance(channel, Circulant):
        return None
    if not channel.is_full and channel.shape[0] * channel.shape[1] <= _DENSE_ENTRIES:
        return None
    symmetric = full_symmetric_capacity_bits(channel)
    if channel.is_full:
        return symmetric
    return Interval(min(mutual_information_interval(channel).lower, symmetric.upper), symmetric.upper)


def full_symmetric_capacity_bits(channel: Circulant) -> Interval:
    """Enclose the capacity that a circulant channel has if all its symbols are inputs: no less than its own."""
    noise = entropy_interval(next(iter(channel.row_profiles()))[0])
    alphabet = log2_interval(float(channel.shape[1]))
    return Interval(alphabet.lower - noise.upper, alphabet.upper - noise.lower).widened(0.0).at_least(0.0)


def _normalised(channel: AnyChannel) -> FloatArray:
    array = channel.to_dense().array
    rows: FloatArray = array / array.sum(axis=1, keepdims=True)
    return rows


def _divergences(rows: FloatArray, outputs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """D(W_x‖q) in bits for every x, and a bound on its rounding error.

    q is a sum of m products, so it is right to (m+4)u; a row is a sum of n terms.
    """
    inputs, width = rows.shape
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(rows > 0, np.log2(rows) - np.log2(outputs), 0.0)
    exact_enough = (width + 16) * np.abs(logs) + (inputs + width + 16) * LOG2_E
    # log2 W and log2 q are each rounded before they are subtracted, hence their own sizes count too.
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = np.where(rows > 0, np.abs(np.log2(rows)) + np.abs(np.log2(outputs)), 0.0)
    slack = UNIT_ROUNDOFF * (rows * (exact_enough + 8 * sizes)).sum(axis=1) * 1.01 + 1e-290
    return (rows * logs).sum(axis=1), slack


def _bounds(rows: FloatArray, law: FloatArray) -> Interval:
    outputs = law @ rows
    if (outputs[rows.max(axis=0) > 0] <= 0).any():
        return Interval(0.0, math.inf)
    divergences, slack = _divergences(rows, outputs)
    # The last dot product adds as many terms as there are inputs, each rounded once more.
    last = UNIT_ROUNDOFF * (len(law) + 8) * float(law @ np.abs(divergences))
    lower = float(law @ divergences) - float(slack.max()) * 1.01 - last
    upper = float((divergences + slack).max())
    return Interval(max(0.0, min(lower, upper)), max(0.0, upper))


def interior_laws(rows: FloatArray, own: FloatArray | None = None) -> Iterator[tuple[FloatArray, float]]:
    """Yield input laws that approach the optimum, each with its gap in bits before rounding is accounted for.

    Newton's method on the perturbed optimality conditions: with s the dual slack, W diag(1/q) Wᵀ + diag(s/p) is the
    matrix of the step, and the perturbation μ shrinks by ten each time. `own` is Σ W ln W of each input, where a row
    stands for a mixture of several and does not show it.
    """
    from scipy.linalg import LinAlgError, cho_factor, cho_solve  # noqa: PLC0415  scipy is slow to import

    inputs = len(rows)
    law = np.full(inputs, 1 / inputs)
    if inputs == 1:
        yield law, 0.0
        return
    if own is None:
        own = (rows * np.log(np.where(rows > 0, rows, 1.0))).sum(axis=1)
    slack = np.empty(0)
    multiplier = 0.0
    for step in range(_MOST_STEPS):
        outputs = np.maximum(law @ rows, 1e-300)
        divergences = own - rows @ np.log(outputs)
        yield law / law.sum(), float(divergences.max() - law @ divergences / law.sum()) * LOG2_E
        if step == 0:
            multiplier = float(divergences.max()) + 0.1
            slack = multiplier - divergences
        centring = 0.3 if step == 0 else 0.1
        target = centring * float(law @ slack) / inputs
        matrix = (rows / outputs) @ rows.T + np.diag(slack / law)
        try:
            factor = cho_factor(matrix)
        except (LinAlgError, ValueError):
            return
        complementarity = law * slack - target
        residual = -(multiplier - divergences - slack) - complementarity / law
        first = cho_solve(factor, residual)
        second = cho_solve(factor, np.ones(inputs))
        multiplier_step = float((first.sum() + law.sum() - 1) / second.sum())
        law_step = first - multiplier_step * second
        slack_step = (-complementarity - slack * law_step) / law
        length = min(_longest(law, law_step), _longest(slack, slack_step))
        law = np.maximum(law + length * law_step, 1e-300)
        slack = np.maximum(slack + length * slack_step, 1e-300)
        multiplier += length * multiplier_step


def _longest(point: FloatArray, direction: FloatArray) -> float:
    """How far one may go along `direction` and stay positive, at most one full step."""
    falling = direction < 0
    if not falling.any():
        return 1.0
    return min(1.0, 0.995 * float((-point[falling] / direction[falling]).min()))
