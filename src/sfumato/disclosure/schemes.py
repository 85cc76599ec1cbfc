"""Schemes for long columns: windows and running sums, their checks, and the leak under another distribution.

Windows of k samples that share exactly one sample with the next keep every sample independent of all outputs together.
The outputs are independent of each other, and their information adds up. Windows that share more may leak although each
is private alone; they are refused with the measured leak.
Ref: [D, Lemma 7], which holds for k = 2 only; theory: docs/theory/disclosure_schemes.md
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.disclosure.data import DataLaw, corners
from sfumato.disclosure.optimal import two_binary_corners
from sfumato.errors import ClaimRefused, InvalidLaw, InvalidParameter, NotCertified, Refused
from sfumato.measures.shannon import mutual_information_interval
from sfumato.numbers.checks import Number, as_exact, check_at_least, check_between, check_integer
from sfumato.numbers.exact import common_numerators, solve_exactly
from sfumato.numbers.intervals import Interval, entropy_interval, expected_log2_interval, log2_bounds, log2_interval
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution, product_labels
from sfumato.sampling.mechanism import ReportArray, bits_or_default, check_symbols, smallest_dtype
from sfumato.sampling.samplers import RowDraws, UniformBelow
from sfumato.sampling.sources import MOST_WIDTH, BitSource

# --- Exact check that each sample is independent of everything published, by trying all datasets
# For a few samples every dataset x^n and every sequence of outputs is listed with its exact probability, and P(x_i, y)
# = P(x_i)P(y) is tested for every sample, value and output.
# Theory: docs/theory/disclosure_schemes.md


Symbols = tuple[int, ...]
OutputLaw = Callable[[Symbols], Mapping[Symbols, Fraction]]
"""P(y|x^n) for one dataset, without its zeros."""

# Pairs of a dataset and an output that can be listed in a second or two.
MOST_PAIRS = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class IndependenceCheck:
    """What was compared, every time with equality: P(x_i, y) and P(x_i)P(y).

    Every scheme makes one with `certify_small`, which refuses where a comparison fails.

    >>> import sfumato as sf
    >>> sf.disclosure.RunningSums(modulus=3).certify_small(3)
    IndependenceCheck(n=3, outputs=9, comparisons=81)
    """

    n: int
    outputs: int
    comparisons: int


@dataclass(frozen=True, slots=True)
class _Table:
    """P(x_G, y) for some samples G, with both marginals."""

    joint: Mapping[tuple[Symbols, Symbols], Fraction]
    values: Mapping[Symbols, Fraction]
    outputs: Mapping[Symbols, Fraction]

    def independent(self) -> bool:
        return all(
            self.joint.get((x, y), Fraction(0)) == p * q
            for x, p in self.values.items()
            for y, q in self.outputs.items()
        )

    def information(self) -> Interval:
        terms = []
        for (x, y), mass in self.joint.items():
            ratio = mass / (self.values[x] * self.outputs[y])
            if ratio != 1:
                terms.append((float(mass), float(ratio)))
        return expected_log2_interval(terms).at_least(0.0)


def certify_independence(law: Distribution, n: int, output_law: OutputLaw, *, together: int = 1) -> IndependenceCheck:
    """Check that any `together` samples in a row are independent of the outputs; refuse, with the leak, if not."""
    tables = _tables(law, n, output_law, together)
    for first, table in enumerate(tables):
        if not table.independent():
            rest = f" and the {together - 1} after it" if together > 1 else ""
            raise ClaimRefused(
                f"the outputs are not independent of sample {first + 1} of {n}{rest}: they leak "
                f"{table.information().midpoint:.4f} bits",
                way_out="Publish this with another mapping, or not at all.",
            )
    return IndependenceCheck(
        n=n,
        outputs=len(tables[0].outputs),
        comparisons=sum(len(table.values) * len(table.outputs) for table in tables),
    )


def leaks_interval(law: Distribution, n: int, output_law: OutputLaw) -> tuple[Interval, ...]:
    """Enclose I(X_i; Y) for each sample; exactly [0, 0] where it is independent."""
    return tuple(table.information() for table in _tables(law, n, output_law, 1))


def information_by_listing(law: Distribution, n: int, output_law: OutputLaw) -> Interval:
    """Enclose I(X^n; Y) by listing all datasets: slow, and independent of every formula."""
    return _tables(law, n, output_law, n)[0].information()


def _tables(law: Distribution, n: int, output_law: OutputLaw, together: int) -> list[_Table]:
    check_at_least("n", check_integer("n", n), together)
    shares = law.fractions
    _check_pairs(len(shares) ** n if n < 64 else MOST_PAIRS + 1)
    runs = range(n - together + 1)
    joint: list[dict[tuple[Symbols, Symbols], Fraction]] = [defaultdict(Fraction) for _ in runs]
    outputs: dict[Symbols, Fraction] = defaultdict(Fraction)
    pairs = 0
    for dataset in itertools.product(range(len(shares)), repeat=n):
        weight = math.prod((shares[x] for x in dataset), start=Fraction(1))
        reached = output_law(dataset)
        pairs += len(reached)
        _check_pairs(pairs)
        for y, chance in reached.items():
            mass = weight * chance
            outputs[y] += mass
            for first in runs:
                joint[first][dataset[first : first + together], y] += mass
    values = {
        x: math.prod((shares[part] for part in x), start=Fraction(1))
        for x in itertools.product(range(len(shares)), repeat=together)
    }
    return [_Table(table, values, outputs) for table in joint]


def _check_pairs(pairs: int) -> None:
    if pairs > MOST_PAIRS:
        raise InvalidParameter(
            f"asks for more than {MOST_PAIRS} pairs of a data set and an output",
            parameter="n",
            way_out="Check fewer samples; the proof for any number of them is on the theory page.",
        )


def check_sample_law(law: Distribution) -> Distribution:
    """Return the law of one sample as an exact one on two or more possible values."""
    exact = law.to_exact()
    if len(exact) < 2 or min(exact.fractions) == 0:
        raise InvalidLaw(
            "needs two or more outcomes, all of them possible",
            parameter="law",
            way_out="Drop the outcomes that never happen; a column that is always the same has nothing to disclose.",
        )
    return exact


def efficiency_interval(information: Interval, law: Distribution, n: int) -> Interval:
    """I(X^n; Y) / (n H(X)): the part of the data's information that is disclosed."""
    whole = entropy_interval((p, 1) for p in law.probabilities)
    return Interval(information.lower / (n * whole.upper), information.upper / (n * whole.lower)).widened(0.0)


def scaled_interval(information: Interval, factor: int) -> Interval:
    """`factor` ≥ 0 times an interval, rounded outwards."""
    if factor == 0:
        return Interval(0.0, 0.0)
    return Interval(information.lower * factor, information.upper * factor).widened(0.0).at_least(0.0)


def check_count(n: int, least: int) -> int:
    """Refuse a dataset too short for one output."""
    check_at_least("n", check_integer("n", n), least)
    return n


def slices(length: int, size: int) -> Sequence[slice]:
    """Cut a column into pieces that fit the cache."""
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


# --- The mapping inside one window: k samples together, while each alone stays independent of the output
# Two binary samples have a closed form. For a few more cells the corners are listed, and a linear program chooses among
# them. Its solution is computed again in Fractions, so the mapping is exactly private; it is optimal up to the
# program's tolerance.
# Ref: [D, Thm 1; eqs. (25), (26)]; theory: docs/theory/disclosure_schemes.md


# 16 cells of four binary samples have 4368 bases and take a second or two.
MOST_LISTED_BASES = 20_000
# Smaller weights are taken as zero; the exact solution then confirms it.
_ZERO = 1e-10

Corner = tuple[tuple[Fraction, ...], Fraction]
"""A law of the window with the marginals of the samples, and the probability with which it is published."""


def window_law(law: Distribution, size: int) -> Distribution:
    """The law of `size` independent samples, the last one moving fastest."""
    products = [math.prod(cell, start=Fraction(1)) for cell in itertools.product(law.fractions, repeat=size)]
    return Distribution(products, product_labels(*[law.labels] * size))


def best_mapping(law: Distribution, size: int) -> Channel:
    """Return the mapping of `size` samples that reveals most about all of them and nothing about any one.

    `WindowScheme.best` uses it; it is exact, and refuses windows with too many corners to list.

    Raises:
        InvalidParameter: the window has too many corners to list.
        NotCertified: no exact counterpart of the optimum was found.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> mapping = sf.disclosure.best_mapping(sf.Distribution([Fraction(1, 3), Fraction(2, 3)]), 2)
    >>> for window, row in zip(mapping.inputs, mapping.rows):
    ...     print(window, [str(chance) for chance in row])
    (0, 0) ['0', '1']
    (0, 1) ['1', '0']
    (1, 0) ['1', '0']
    (1, 1) ['1/2', '1/2']
    """
    exact = check_sample_law(law)
    check_at_least("size", check_integer("size", size), 2)
    whole = window_law(exact, size) if len(exact) ** size <= 64 else None
    if whole is None or math.comb(len(whole), size * (len(exact) - 1) + 1) > MOST_LISTED_BASES:
        raise InvalidParameter(
            f"samples of {len(exact)} values have too many corners to list",
            parameter="size",
            value=size,
            way_out="Take smaller windows, or give a mapping of your own.",
        )
    data = DataLaw.of(np.array(whole.fractions, dtype=object).reshape((len(exact),) * size))
    if data.shape == (2, 2):
        return mapping_of_corners(whole, two_binary_corners(data))
    listed = corners(data, tuple((i,) for i in range(size)))
    return mapping_of_corners(whole, _best_mixture(listed, whole.fractions))


def mapping_of_corners(whole: Distribution, mixture: Sequence[Corner]) -> Channel:
    """P(y|x) = u_y t_y(x)/p(x), where output y says that the window has the law t_y."""
    rows = [[weight * corner[cell] / mass for corner, weight in mixture] for cell, mass in enumerate(whole.fractions)]
    return Channel(rows, whole.labels)


def _best_mixture(listed: Sequence[tuple[Fraction, ...]], prior: Sequence[Fraction]) -> list[Corner]:
    """Mix corners into the prior so that their entropies are least on average."""
    from scipy.optimize import linprog  # noqa: PLC0415  scipy is slow to import

    table = np.array([[float(value) for value in corner] for corner in listed])
    cost = -(table * np.log2(np.where(table > 0, table, 1.0))).sum(axis=1)
    solved = linprog(cost, A_eq=table.T, b_eq=[float(p) for p in prior], method="highs-ds")
    if solved.status != 0:
        raise NotCertified("the program that mixes corners found no optimum", way_out="Give a mapping of your own.")
    used = [listed[i] for i in np.flatnonzero(solved.x > _ZERO).tolist()]
    weights = solve_exactly(list(zip(*used, strict=True)), list(prior))
    if weights is None or min(weights) < 0:
        raise NotCertified(
            "the program's mixture of corners has no exact counterpart", way_out="Give a mapping of your own."
        )
    return [(corner, weight) for corner, weight in zip(used, weights, strict=True) if weight]


# --- The leak when the samples do not follow the distribution that a scheme was made for
# A scheme that is private under p publishes outputs with P(y|x_i) = P(y). If the samples follow p' instead, then
# I(X_i;Y) ≤ (n-1) D(p'‖p) for every scheme. In total variation radius t, D(p'‖p) ≤ log2(1 + t²(1/a + 1/b)) with a and b
# the two smallest probabilities of p. The bound grows with n, and so may the leak: cut a long column into blocks when
# its distribution is an estimate. It is a case of I_p(X_G;Y) ≤ D(p‖p̂) - D(p_G‖p̂_G) - D(q‖q̂), which holds for any
# mapping.
# Theory: docs/theory/disclosure_schemes.md, docs/theory/unknown_laws.md


# Bounds on how far a joint distribution in doubles may be from a product, and on the rounding of logarithms.
_INDEPENDENT = 1e-9
_ROUNDING = 2.0**-36


def leak_within_bits(law: Distribution, n: int, radius: Number) -> float:
    """Bound I(X_i;Y) for n samples whose law lies within `radius` of `law` in total variation.

    >>> import sfumato as sf
    >>> law = sf.Distribution([0.5, 0.5])
    >>> [round(sf.disclosure.leak_within_bits(law, n, 0.01), 5) for n in (2, 10, 100)]
    [0.00058, 0.00519, 0.05712]
    """
    exact = check_sample_law(law)
    step = as_exact("radius", radius)
    check_between("radius", step, 0, 1)
    first, second = sorted(exact.fractions)[:2]
    return leak_from_chi_square_bits(n, step**2 * (1 / first + 1 / second), len(exact))


def leak_from_chi_square_bits(n: int, chi_square: Number, size: int) -> float:
    """The same from a bound on Σ (p'-p)²/p; never more than all there is to say about a sample of `size` values."""
    check_at_least("n", check_integer("n", n), 1)
    each = log2_bounds(1 + as_exact("chi_square", chi_square))[1]
    return min(math.nextafter((n - 1) * each, math.inf) if each else 0.0, log2_bounds(Fraction(size))[1])


def leak_between_laws_bits(
    truth: npt.ArrayLike, law: npt.ArrayLike, rows: npt.ArrayLike, group: Sequence[int]
) -> float:
    """Bound I(X_G;Y) under `truth` for a mapping whose output does not depend on the axes `group` under `law`.

    Laws are arrays over the product alphabet, `rows` has P(y|x) for its cells in order. Infinite where `truth` puts
    mass on a cell that `law` excludes.

    Raises:
        InvalidLaw: the shapes differ.
        NotCertified: the output depends on the group under `law`.

    >>> import sfumato as sf
    >>> even = [[0.25, 0.25], [0.25, 0.25]]
    >>> parity = [[1, 0], [0, 1], [0, 1], [1, 0]]
    >>> round(sf.disclosure.leak_between_laws_bits([[0.3, 0.2], [0.2, 0.3]], even, parity, [0]), 4)
    0.0
    >>> round(sf.disclosure.leak_between_laws_bits([[0.4, 0.3], [0.2, 0.1]], even, parity, [0]), 4)
    0.0349
    """
    true, assumed, mapping = (np.asarray(given, dtype=np.float64) for given in (truth, law, rows))
    if true.shape != assumed.shape or mapping.shape[:-1] != (true.size,):
        raise InvalidLaw(
            "must have the shape of `law`, and `rows` a row for each of its cells",
            parameter="truth",
            way_out="Declare both over the same alphabet.",
        )
    rest = tuple(axis for axis in range(true.ndim) if axis not in set(group))
    outputs, assumed_outputs = true.ravel() @ mapping, assumed.ravel() @ mapping
    values, assumed_values = true.sum(axis=rest).ravel(), assumed.sum(axis=rest).ravel()
    joint = (assumed[..., None] * mapping.reshape(*assumed.shape, -1)).sum(axis=rest)
    product = np.multiply.outer(assumed_values, assumed_outputs).reshape(joint.shape)
    if np.abs(joint - product).max() > _INDEPENDENT:
        raise NotCertified(
            "the output depends on the group under the law that the mapping was made for",
            way_out="Make the mapping for this `law`, and for this `group`.",
        )
    drift = _divergence_bits(true.ravel(), assumed.ravel())
    spared = _divergence_bits(values, assumed_values) + _divergence_bits(outputs, assumed_outputs)
    return drift if math.isinf(drift) else max(0.0, drift - spared) + _ROUNDING * (1 + drift)


def _divergence_bits(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> float:
    seen = first > 0
    if (second[seen] <= 0).any():
        return math.inf
    return max(0.0, float((first[seen] * np.log2(first[seen] / second[seen])).sum()))


CHUNK = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowScheme:
    """Windows of `size` independent samples of law `law`, a new one every `stride` samples; `size`-1 by default.

    `mapping` is an exact channel from the |X|^size windows, the last sample moving fastest, to outputs.

    `best` finds the mapping for a law.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> scheme = sf.disclosure.WindowScheme.best(sf.Distribution([Fraction(1, 3), Fraction(2, 3)]))
    >>> scheme.window_count(100), round(scheme.information_bits(100).lower, 2)
    (99, 46.91)
    >>> scheme.certify_small(4).comparisons
    64
    """

    law: Distribution
    mapping: Channel
    size: int = 2
    stride: int | None = None
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        object.__setattr__(self, "law", check_sample_law(self.law))
        check_at_least("size", check_integer("size", self.size), 2)
        if self.stride is None:
            object.__setattr__(self, "stride", self.size - 1)
        check_between("stride", check_integer("stride", self.stride), 1, self.size)
        if self.mapping.shape[0] != len(self.law) ** self.size:
            raise InvalidLaw(
                f"has {self.mapping.shape[0]} inputs, and {self.size} samples of {len(self.law)} values make "
                f"{len(self.law) ** self.size} windows",
                parameter="mapping",
                way_out="Give one row for each, the last sample moving fastest.",
            )
        if not self.mapping.exact:
            raise InvalidParameter(
                "must be exact: a rounded one is no longer independent of each sample",
                parameter="mapping",
                way_out="Give it in Fractions.",
            )
        _check_window(self._window_law, self.mapping, len(self.law), self.size)
        if self._step < self.size - 1:
            raise self._overlap()

    @classmethod
    def best(cls, law: Distribution, size: int = 2) -> WindowScheme:
        """Return the private mapping of a window that reveals most, in closed form for two binary samples."""
        return cls(law=law, mapping=best_mapping(law, size), size=size)

    def release(self, samples: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """One output for each whole window of a column of symbols 0..|X|-1. Publish one release of a dataset only."""
        column = check_symbols("samples", samples, len(self.law))
        check_count(column.size, self.size)
        pieces = (column[part] for part in slices(column.size, CHUNK))
        return np.concatenate(list(self.stream(pieces, bits)))

    def stream(self, chunks: Iterable[npt.ArrayLike], bits: BitSource | None = None) -> Iterator[ReportArray]:
        """Do the same for a column that comes in pieces; what a piece leaves over waits for the next."""
        source = bits_or_default(bits)
        rows = RowDraws(self.mapping, self.width)
        dtype = smallest_dtype(self.mapping.shape[1])
        base = len(self.law)
        waiting = np.empty(0, dtype=np.int64)
        for chunk in chunks:
            column = np.concatenate([waiting, check_symbols("samples", chunk, base)])
            whole = self.window_count(column.size)
            windows = np.zeros(whole, dtype=np.int64)
            for place in range(self.size):
                windows = windows * base + column[place :: self._step][:whole]
            waiting = column[whole * self._step :]
            yield rows.draw(source, windows).astype(dtype)

    def window_count(self, n: int) -> int:
        """How many whole windows n samples make; the samples after the last one stay out of the release."""
        return max(0, (n - self.size) // self._step + 1)

    @property
    def window_bits(self) -> Interval:
        """I of a window and its output."""
        return mutual_information_interval(self.mapping, self._window_law)

    def information_bits(self, n: int) -> Interval:
        """I(X^n; Y) for n samples: windows that share one sample add up exactly."""
        return scaled_interval(self.window_bits, self.window_count(check_count(n, self.size)))

    def efficiency(self, n: int) -> Interval:
        """I(X^n; Y) / H(X^n)."""
        return efficiency_interval(self.information_bits(n), self.law, n)

    @property
    def asymptotic_efficiency(self) -> Interval:
        """What the efficiency tends to for long columns."""
        return efficiency_interval(self.window_bits, self.law, self._step)

    def certify_small(self, n: int) -> IndependenceCheck:
        """List all datasets of n samples and compare P(x_i, y) with P(x_i)P(y), in fractions."""
        check_count(n, self.size)
        return certify_independence(self.law, n, self.output_law)

    def output_law(self, dataset: Symbols) -> dict[Symbols, Fraction]:
        """P(y|x^n) for one dataset, by listing; for few windows."""
        return _outputs(self.law, self.mapping, dataset, self.size, self._step)

    def leak_within(self, n: int, radius: Number) -> float:
        """Bound the leak about a sample, in bits, when the true law is within `radius` of `law` in total variation."""
        return leak_within_bits(self.law, n, radius)

    @property
    def _step(self) -> int:
        return self.size - 1 if self.stride is None else self.stride

    @property
    def _window_law(self) -> Distribution:
        return Distribution(window_law(self.law, self.size).fractions, self.mapping.inputs)

    def _overlap(self) -> Refused:
        """Return the refusal of windows that share more than one sample, with what two of them leak."""
        n = self.size + self._step
        try:
            leaks = overlap_leaks(self.law, self.mapping, size=self.size, stride=self._step, n=n)
            measured = "two such windows leak " + ", ".join(f"{leak.midpoint:.4f}" for leak in leaks)
            measured += f" bits about their {n} samples"
            if not any(leak.upper for leak in leaks):
                measured = "two such windows leak nothing, and nothing proves it for more of them"
        except InvalidParameter:
            measured = "what they leak is too much to list here"
        return Refused(
            f"makes windows of `size`={self.size} share {self.size - self._step} samples, and each being private does "
            f"not make them private together: {measured}",
            parameter="stride",
            value=self.stride,
            way_out=f"Use `stride`={self.size - 1}, where neighbours share one sample.",
        )


def _check_window(whole: Distribution, mapping: Channel, values: int, size: int) -> None:
    """P(x_i, y) = P(x_i)P(y) for each sample of a window, in whole numbers over one denominator."""
    numerators, _ = mapping.integers()
    weights = common_numerators([whole.fractions])[0][0]
    masses = weights[:, None] * numerators
    outputs, total = masses.sum(axis=0), weights.sum()
    for place in range(size):
        shape = (values**place, values, values ** (size - place - 1))
        joint = masses.reshape((*shape, -1)).sum(axis=(0, 2))
        shares = weights.reshape(shape).sum(axis=(0, 2))
        if (joint * total != shares[:, None] * outputs).any():
            rows = [
                [Fraction(int(v), int(share * mapping.integers()[1])) for v in row]
                for row, share in zip(joint, shares, strict=True)
            ]
            leak = mutual_information_interval(
                Channel(rows), Distribution([Fraction(int(v), int(total)) for v in shares])
            )
            raise ClaimRefused(
                f"is not independent of sample {place + 1} of its window: it leaks {leak.midpoint:.4f} bits",
                parameter="mapping",
                way_out="Use `best_mapping`, or one made for this law.",
            )


def overlap_leaks(law: Distribution, mapping: Channel, *, size: int, stride: int, n: int) -> tuple[Interval, ...]:
    """Enclose I(X_i; Y) for each of n samples under windows with any overlap: what a refusal is based on.

    Returns:
        An enclosure for each sample, in bits; [0, 0] where it is independent of the outputs.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> law = sf.Distribution([Fraction(1, 3), Fraction(2, 3)])
    >>> mapping = sf.disclosure.best_mapping(law, 3)
    >>> for stride in (2, 1):
    ...     leaks = sf.disclosure.overlap_leaks(law, mapping, size=3, stride=stride, n=5)
    ...     print(stride, [round(leak.upper, 4) for leak in leaks])
    2 [0.0, 0.0, 0.0, 0.0, 0.0]
    1 [0.2641, 0.2913, 0.2985, 0.2913, 0.2641]
    """
    return leaks_interval(law, n, lambda dataset: _outputs(law, mapping, dataset, size, stride))


def _outputs(law: Distribution, mapping: Channel, dataset: Symbols, size: int, stride: int) -> dict[Symbols, Fraction]:
    starts = range(0, len(dataset) - size + 1, stride)
    return _window_outputs(law, mapping, [dataset[start : start + size] for start in starts])


def _window_outputs(law: Distribution, mapping: Channel, windows: Iterable[Symbols]) -> dict[Symbols, Fraction]:
    """Given the samples, windows draw on their own."""
    rows = []
    for window in windows:
        index = 0
        for symbol in window:
            index = index * len(law) + symbol
        rows.append([(y, Fraction(chance)) for y, chance in enumerate(mapping.row(index)) if chance])
    found = {}
    for choice in itertools.product(*rows):
        chance = Fraction(1)
        for _, part in choice:
            chance *= part
        found[tuple(y for y, _ in choice)] = chance
    return found


# --- Uniform samples: running sums of k neighbours mod M, optionally with a secret start
# Sums of k neighbours are independent of any k-1 samples in a row. A secret uniform Q added to all of them protects one
# more and costs log M bits once. Anyone who learns as many samples as the window has beyond that learns all the others.
# Ref: [D, Example 3], whose eq. (61) prints M for log M; theory: docs/theory/disclosure_schemes.md


# A chunk and its window add up to less than 2^63.
MOST_MODULUS = 1 << 40
MOST_WINDOW = 1 << 20
MOST_LISTED = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningSums:
    """L_i = Q + X_i + … + X_{i+window-1} mod `modulus` for uniform samples; Q is 0 unless `masked`.

    The sums tell nothing about any `protects` samples in a row, and all but so many times log2 M bits of the column.

    >>> import sfumato as sf
    >>> scheme = sf.disclosure.RunningSums(modulus=10)
    >>> scheme.release([3, 9, 4, 4]).tolist()
    [2, 3, 8]
    >>> scheme.protects, str(scheme.efficiency(4))
    (1, '3/4')
    >>> sf.disclosure.RunningSums(modulus=10, masked=True).protects
    2
    """

    modulus: int
    window: int = 2
    masked: bool = False
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_between("modulus", check_integer("modulus", self.modulus), 2, MOST_MODULUS)
        check_between("window", check_integer("window", self.window), 1, MOST_WINDOW)
        if self.protects < 1:
            raise InvalidParameter(
                "publishes every sample when it is not `masked`",
                parameter="window",
                value=1,
                way_out="Use 2, or say `masked` for a secret start.",
            )

    @property
    def protects(self) -> int:
        """How many samples in a row the outputs are independent of."""
        return self.window - 1 + int(self.masked)

    @property
    def law(self) -> Distribution:
        """The law that samples must have."""
        check_between("modulus", self.modulus, 2, MOST_LISTED, way_out="A longer law is not written out.")
        return Distribution.uniform(self.modulus)

    def release(self, samples: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """The sums of a column of symbols 0..modulus-1. Publish one release of a dataset only."""
        column = check_symbols("samples", samples, self.modulus)
        check_count(column.size, self.window)
        pieces = (column[part] for part in slices(column.size, CHUNK))
        return np.concatenate(list(self.stream(pieces, bits)))

    def stream(self, chunks: Iterable[npt.ArrayLike], bits: BitSource | None = None) -> Iterator[ReportArray]:
        """Do the same for a column that comes in pieces; the last window-1 samples wait for the next piece."""
        start = np.int64(0)
        if self.masked:
            start = UniformBelow(bound=self.modulus, width=self.width).sample(bits_or_default(bits), 1)[0]
        dtype = smallest_dtype(self.modulus)
        waiting = np.empty(0, dtype=np.int64)
        for chunk in chunks:
            column = np.concatenate([waiting, check_symbols("samples", chunk, self.modulus)])
            totals = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(column)])
            sums = totals[self.window :] - totals[: -self.window]
            waiting = column[max(0, column.size - self.window + 1) :]
            yield ((sums + start) % self.modulus).astype(dtype)

    def information_bits(self, n: int) -> Interval:
        """I(X^n; Y) = (n - protects) log2 M: the outputs are uniform, and the mask is all that is random in them."""
        check_count(n, self.window)
        return scaled_interval(log2_interval(Fraction(self.modulus)), n - self.protects)

    def efficiency(self, n: int) -> Fraction:
        """I(X^n; Y) / H(X^n) = (n - protects)/n, exactly; with protects = 1 no scheme has more [D, Lemma 6]."""
        check_count(n, self.window)
        return Fraction(n - self.protects, n)

    @property
    def asymptotic_efficiency(self) -> Fraction:
        """What the efficiency tends to for long columns."""
        return Fraction(1)

    def certify_small(self, n: int) -> IndependenceCheck:
        """List all datasets of n samples and compare the law of any `protects` in a row with and without y."""
        check_count(n, max(self.window, self.protects))
        return certify_independence(self.law, n, self.output_law, together=self.protects)

    def output_law(self, dataset: Symbols) -> dict[Symbols, Fraction]:
        """P(y|x^n) for one dataset."""
        check_at_least("samples", len(dataset), self.window)
        starts = range(self.modulus if self.masked else 1)
        sums = [sum(dataset[i : i + self.window]) for i in range(len(dataset) - self.window + 1)]
        return {tuple((s + start) % self.modulus for s in sums): Fraction(1, len(starts)) for start in starts}

    def leak_within(self, n: int, radius: Number) -> float:
        """Bound the leak about a sample, in bits, when the true law is within `radius` of uniform."""
        step = as_exact("radius", radius)
        check_between("radius", step, 0, 1)
        return leak_from_chi_square_bits(n, 2 * self.modulus * step**2, self.modulus)
