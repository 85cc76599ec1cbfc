"""A data set as a random variable, and the polytope of distributions with its protected marginals.

Only cells with positive probability are kept. `groups` lists the samples that must stay independent of the release
together: each sample alone by default, windows of neighbours, or all records of a person.
Ref: [D, Sec. II]; theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.numbers.checks import Number, Real, check_at_least, check_between, check_integer
from sfumato.numbers.exact import LawLike, RealArray, check_law, solve_exactly
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.prob.operations import Joint

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Groups = tuple[tuple[int, ...], ...]
Nested: TypeAlias = Sequence["Real | Nested"]
"""Numbers in lists within lists, an axis for each depth."""
FeatureLike = Channel | RealArray | Nested
"""What is to be told: P(w|x), with an axis for each sample and a last one for w."""

MOST_CELLS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DataLaw:
    """The law of n samples: `cells[c]` are the samples' values in cell c, `masses[c]` its probability.

    `of` reads a table of probabilities, `independent` multiplies one law.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> law = sf.disclosure.DataLaw.of([[Fraction(1, 2), Fraction(1, 4)], [Fraction(1, 4), 0]])
    >>> law.cells.tolist(), [str(mass) for mass in law.masses]
    ([[0, 0], [0, 1], [1, 0]], ['1/2', '1/4', '1/4'])
    >>> three = sf.disclosure.DataLaw.independent([Fraction(1, 3), Fraction(2, 3)], 3)
    >>> three.size, three.singles(), three.windows(2)
    (8, ((0,), (1,), (2,)), ((0, 1), (1, 2)))
    """

    shape: tuple[int, ...]
    cells: IntArray
    masses: tuple[Number, ...]

    @classmethod
    def of(cls, law: DataLawLike) -> DataLaw:
        """Read an array over the product alphabet (nested lists, numpy, or a Joint); Fractions keep it exact."""
        if isinstance(law, DataLaw):
            return law
        if isinstance(law, Joint):
            shape = tuple(len(alphabet) for alphabet in law.alphabets)
            return cls._from_flat(law.law.probabilities, shape)
        if isinstance(law, np.ndarray):
            _check_cells(law.size)
        table = np.array(law, dtype=object)
        if table.ndim == 0 or table.size == 0:
            raise InvalidLaw(
                "must be an array with one axis for each sample", parameter="law", way_out="Give its probabilities."
            )
        return cls._from_flat(table.ravel().tolist(), table.shape)

    @classmethod
    def independent(cls, law: Distribution | LawLike, n: int) -> DataLaw:
        """Return n independent samples of one law."""
        check_at_least("n", check_integer("n", n), 1)
        one = law if isinstance(law, Distribution) else Distribution(law)
        size = len(one)
        # For a long column 2^n is too long a number even to be compared.
        if size > 1 and (n > 64 or size**n > MOST_CELLS):
            raise InvalidParameter(
                f"samples on {size} values have {size}^{n} cells; at most {MOST_CELLS} are written out",
                parameter="n",
                value=n,
                way_out="Use a scheme for independent samples: windows that share one sample, or the uniformiser.",
            )
        products = [math.prod(combination) for combination in itertools.product(one.probabilities, repeat=n)]
        return cls._from_flat(products, (size,) * n)

    @classmethod
    def _from_flat(cls, numbers: LawLike, shape: tuple[int, ...]) -> DataLaw:
        _check_cells(math.prod(shape))
        masses = check_law("law", numbers)
        kept = [c for c, mass in enumerate(masses) if mass > 0]
        cells = np.stack(np.unravel_index(np.array(kept), shape), axis=1).astype(np.int64)
        cells.setflags(write=False)
        return cls(shape=shape, cells=cells, masses=tuple(masses[c] for c in kept))

    @property
    def size(self) -> int:
        """How many cells can happen."""
        return len(self.masses)

    @property
    def n(self) -> int:
        """How many samples there are."""
        return len(self.shape)

    @property
    def exact(self) -> bool:
        """Whether the masses are Fractions."""
        return isinstance(self.masses[0], Fraction)

    @property
    def array(self) -> FloatArray:
        """The masses as floats."""
        return np.array([float(mass) for mass in self.masses])

    def singles(self) -> Groups:
        """Every sample on its own."""
        return tuple((i,) for i in range(self.n))

    def windows(self, k: int) -> Groups:
        """Every k neighbouring samples together [D, Cor. 4.1]."""
        check_between("k", check_integer("k", k), 1, self.n)
        return tuple(tuple(range(i, i + k)) for i in range(self.n - k + 1))

    def checked_groups(self, groups: Sequence[Sequence[int]] | None) -> Groups:
        """Return protected groups, each sample in at least one."""
        if groups is None:
            return self.singles()
        return check_groups(groups, self.n)

    def group_codes(self, group: tuple[int, ...]) -> IntArray:
        """Return a number for the joint value of a group in each cell."""
        values = self.cells[:, list(group)]
        _, codes = np.unique(values, axis=0, return_inverse=True)
        return codes.reshape(-1).astype(np.int64)


DataLawLike = DataLaw | Joint | RealArray | Nested
"""The law of a data set, with an axis for each sample."""


def feature_of(law: DataLaw, about: FeatureLike | None) -> FloatArray | None:
    """Return P(w|cell), a row for each w; None when the data set itself is to be disclosed."""
    if about is None:
        return None
    table = about.array if isinstance(about, Channel) else np.array(about, dtype=np.float64)
    total = math.prod(law.shape)
    if table.ndim < 2 or table.size % total or table.shape[-1] * total != table.size:
        raise InvalidLaw(
            f"must give a law of the feature for each of the {total} data sets, and has the shape {table.shape}",
            parameter="about",
            way_out="Give an array with the law's axes and one more.",
        )
    rows = table.reshape(total, -1)
    flat = np.ravel_multi_index(tuple(law.cells.T), law.shape)
    chosen = rows[flat]
    # Written so that nan, which compares with nothing, is refused too.
    if not (np.all(chosen >= 0) and np.all(np.abs(chosen.sum(axis=1) - 1) <= 1e-9)):
        raise InvalidLaw(
            "must hold probabilities that sum to 1 for each data set", parameter="about", way_out="Check its last axis."
        )
    feature: FloatArray = (chosen / chosen.sum(axis=1, keepdims=True)).T
    possible: FloatArray = feature[feature.max(axis=1) > 0]
    return possible


def check_groups(groups: Sequence[Sequence[int]], n: int) -> Groups:
    """Return groups of n samples in their order, each sample in at least one."""
    found = tuple(tuple(sorted({check_integer("groups", i) for i in group})) for group in groups)
    if any(not group or group[0] < 0 or group[-1] >= n for group in found):
        raise InvalidParameter(
            f"must list samples from 0 to {n - 1}, at least one in each",
            parameter="groups",
            way_out="Number the samples from 0, and drop empty groups.",
        )
    missing = set(range(n)) - {i for group in found for i in group}
    if missing:
        raise InvalidParameter(
            f"leaves sample {min(missing)} without protection", parameter="groups", way_out="Add it to a group."
        )
    return found


def _check_cells(count: int) -> None:
    if count > MOST_CELLS:
        raise InvalidParameter(
            f"has {count} cells; at most {MOST_CELLS} are written out",
            parameter="law",
            way_out="Merge values, or use a scheme for independent samples.",
        )


# --- The polytope S of distributions with the same protected marginals
# A release is private when every posterior distribution of the data, given the release, has the marginals of the prior
# on every protected group: P t = P p [D, Lemma 1]. P has a row of 0 and 1 for each value of each group.
# Theory: docs/theory/disclosure.md


# Up to this many bases are tried one by one when corners are enumerated.
MOST_BASES = 400_000


def marginal_matrix(law: DataLaw, groups: Groups) -> FloatArray:
    """Return P: one row for each value of each group that can happen."""
    blocks = []
    for group in groups:
        codes = law.group_codes(group)
        blocks.append((codes[None] == np.arange(codes.max() + 1)[:, None]).astype(np.float64))
    return np.concatenate(blocks)


def independent_rows(matrix: FloatArray) -> FloatArray:
    """Return as many rows as the rank, spanning the same space."""
    from scipy.linalg import qr  # noqa: PLC0415  scipy is slow to import

    _, triangle, order = qr(matrix.T, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int((diagonal > 1e-9 * max(1.0, diagonal[0])).sum())
    chosen: FloatArray = matrix[np.sort(order[:rank])]
    return chosen


def nullity(law: DataLaw, groups: Groups) -> int:
    """Return how many directions the law can move in without moving a protected marginal.

    Where it is 0, nothing can be told [D, Prop 1].

    >>> import sfumato as sf
    >>> law = sf.disclosure.DataLaw.independent([0.5, 0.5], 3)
    >>> sf.disclosure.nullity(law, law.singles()), sf.disclosure.nullity(law, law.windows(2))
    (4, 2)
    """
    return law.size - len(independent_rows(marginal_matrix(law, groups)))


def can_tell(matrix: FloatArray, feature: FloatArray | None) -> bool:
    """Whether anything can be disclosed: some direction that no marginal sees moves the feature [D, Prop 1]."""
    rank = len(independent_rows(matrix))
    if feature is None:
        return bool(rank < matrix.shape[1])
    return len(independent_rows(np.concatenate([matrix, feature]))) > rank


def entropy_bits(table: FloatArray) -> FloatArray:
    """H of each column, in bits."""
    safe = np.where(table > 0, table, 1.0)
    result: FloatArray = -(table * np.log2(safe)).sum(axis=0)
    return result


def corners(law: DataLaw, groups: Groups) -> list[tuple[Fraction, ...]]:
    """Return every corner of S, exactly; for small supports."""
    exact = [Fraction(mass) for mass in law.masses]
    rows = [[int(v) for v in row] for row in independent_rows(marginal_matrix(law, groups))]
    goal = [sum((p for v, p in zip(row, exact, strict=True) if v), Fraction(0)) for row in rows]
    if math.comb(law.size, len(rows)) > MOST_BASES:
        raise InvalidParameter(
            f"{law.size} cells and {len(rows)} protected marginals have too many corners to list",
            way_out="Use the programs.",
        )
    found = set()
    for basis in itertools.combinations(range(law.size), len(rows)):
        solution = solve_exactly([[row[c] for c in basis] for row in rows], goal)
        if solution is not None and min(solution) >= 0:
            corner = [Fraction(0)] * law.size
            for c, value in zip(basis, solution, strict=True):
                corner[c] = value
            found.add(tuple(corner))
    return sorted(found)


# --- The scale of a cell: how much any distribution in S can put on it
# A solver with tolerances of 1e-10 that drops entries below 1e-9 solves a program with numbers from 1 to 1e-14 wrongly.
# Measured by the rarest protected marginal through it, every cell lies in [0, 1].


# Ratios of smaller masses would underflow.
LEAST_MASS = 1e-290


def floored(prior: FloatArray) -> tuple[FloatArray, bool]:
    """Return the prior with no mass below 1e-290, and whether that changed it: then its bounds are for another law."""
    raised: FloatArray = np.maximum(prior, LEAST_MASS)
    return raised, bool((raised > prior).any())


def scarce_rows(matrix: FloatArray, prior: FloatArray) -> FloatArray:
    """Return as many rows as the rank, the rarest first: a row left out is then implied by rarer ones.

    Left out the other way round, a marginal of 1e-14 would be the difference of numbers about 1.
    """
    level = matrix @ prior
    chosen: list[int] = []
    frame = np.zeros((0, matrix.shape[1]))
    for row in np.argsort(level, kind="stable"):
        rest = matrix[row]
        size = float(np.linalg.norm(rest))
        # Twice, since once leaves what rounding brought back.
        for _ in range(2):
            rest = rest - frame.T @ (frame @ rest)
        length = float(np.linalg.norm(rest))
        if length > 1e-9 * size:
            chosen.append(int(row))
            frame = np.vstack([frame, rest / length])
    picked: FloatArray = matrix[chosen]
    return picked


def most_by_cell(rows: FloatArray, level: FloatArray) -> FloatArray:
    """Return for each cell the least level / entry of a row through it, which no law in S passes; at most 1."""
    ratio = np.divide(level[:, None], rows, out=np.full(rows.shape, np.inf), where=rows > 0)
    most: FloatArray = np.clip(ratio.min(axis=0), LEAST_MASS, 1.0)
    return most
