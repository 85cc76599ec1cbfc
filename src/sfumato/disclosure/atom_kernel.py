"""Compiled search for distributions of few atoms.

Atoms are rows of m - 1 columns of 0 and 1, each column a subset of mass c, independent of each other and of the whole.
All but two columns are enumerated as sorted lists of points, one list for each set of columns up to their order. Then a
third-last column leaves a segment of distributions, and the last one is every subset whose mass passes c on it. Columns
are taken by falling size. Import this module only when there is something to search: the compiler takes a second to
load. Plain loops compile in seconds where array expressions take ten.
Theory: docs/theory/skewed_laws.md
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.sampling.compiling import numba

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

# For c with a denominator up to 1000 and 8 atoms, what is not 0 is at least 1e-8; what is 0 is rounded by 1e-13.
_ZERO = 1e-10
MOST_TWINS = 2


@numba.njit(cache=True, nogil=True)
def _last_size(points: Whole, columns: int) -> int:
    """Return the size of the last column when no column is larger than the one before; 0 otherwise."""
    size = len(points) - 1
    for column in range(columns):
        before, size = size, 0
        for place in range(len(points)):
            size += (points[place] >> column) & 1
        if size == 0 or size > before:
            return 0
    return size


@numba.njit(cache=True, nogil=True)
def _is_least(points: Whole, images: Whole, columns: int, other: Whole) -> bool:
    """Whether no order of the columns that falls in size too gives a smaller sorted list of points."""
    for order in range(images.shape[0]):
        for place in range(len(points)):
            value = images[order, points[place]]
            spot = place
            while spot > 0 and other[spot - 1] > value:
                other[spot] = other[spot - 1]
                spot -= 1
            other[spot] = value
        for place in range(len(points)):
            if other[place] > points[place]:
                break
            if other[place] < points[place]:
                if _last_size(other, columns) > 0:
                    return False
                break
    return True


@numba.njit(cache=True, nogil=True)
def _plane(points: Whole, columns: int, chance: float, table: Floats, solver: Whole, plane: Floats) -> bool:
    """Write laws with these columns as plane[0] + z_1 plane[1] + z_2 plane[2]; False when columns are dependent."""
    atoms = len(points)
    for place in range(atoms):
        table[0, place] = 1.0
        for column in range(columns):
            table[column + 1, place] = (points[place] >> column) & 1
    table[0, atoms] = 1.0
    for column in range(columns):
        table[column + 1, atoms] = chance
    done, first, second = 0, -1, -1
    for place in range(atoms):
        pivot = done
        for row in range(done + 1, columns + 1):
            if abs(table[row, place]) > abs(table[pivot, place]):
                pivot = row
        if done <= columns and abs(table[pivot, place]) > _ZERO:
            _eliminate(table, done, pivot, place)
            solver[place] = done
            done += 1
        else:
            solver[place] = -1
            first, second = (place, second) if first < 0 else (first, place)
    if done <= columns:
        return False
    for place in range(atoms):
        row = solver[place]
        if row >= 0:
            plane[0, place], plane[1, place], plane[2, place] = (
                table[row, atoms],
                -table[row, first],
                -table[row, second],
            )
        else:
            plane[0, place], plane[1, place], plane[2, place] = 0.0, 1.0 * (place == first), 1.0 * (place == second)
    return True


@numba.njit(cache=True, nogil=True)
def _eliminate(table: Floats, done: int, pivot: int, place: int) -> None:
    """Bring the pivot's row up, and take the place out of all other rows."""
    width = table.shape[1]
    scale = table[pivot, place]
    for entry in range(width):
        value = table[pivot, entry] / scale
        table[pivot, entry] = table[done, entry]
        table[done, entry] = value
    for row in range(table.shape[0]):
        factor = table[row, place]
        if row != done and factor != 0.0:
            for entry in range(width):
                table[row, entry] -= factor * table[done, entry]


@numba.njit(cache=True, nogil=True)
def _subset_sums(values: Floats, sums: Floats, line: int) -> None:
    """Fill in the sum over each subset of a line of values, subsets numbered by their bits."""
    for place in range(values.shape[1]):
        size = 1 << place
        for subset in range(size):
            sums[line, size + subset] = sums[line, subset] + values[line, place]


@numba.njit(cache=True, nogil=True)
def _segment(plane: Floats, sums: Floats, subset: int, chance: float, ends: Floats) -> bool:
    """Write both ends of the laws in the plane in which the subset has mass c, too; False when there is no length."""
    first, second = sums[1, subset], sums[2, subset]
    size = first * first + second * second
    if size < _ZERO:
        return False
    shift = (chance - sums[0, subset]) / size
    low, high = -np.inf, np.inf
    for place in range(plane.shape[1]):
        along = first * plane[2, place] - second * plane[1, place]
        start = plane[0, place] + shift * (first * plane[1, place] + second * plane[2, place])
        ends[0, place], ends[1, place] = start, along
        if along > _ZERO:
            low = max(low, -start / along)
        elif along < -_ZERO:
            high = min(high, -start / along)
        elif start < _ZERO:
            return False
        if low > high - _ZERO:
            return False
    for place in range(plane.shape[1]):
        start, along = ends[0, place], ends[1, place]
        ends[0, place], ends[1, place] = start + low * along, start + high * along
    return True


@numba.njit(cache=True, nogil=True)
def fill(points: Whole, place: int, value: int, twins: int) -> None:
    """Put the least list that is allowed from this place on, beginning with the value."""
    points[place] = value
    for k in range(place + 1, len(points)):
        points[k] = points[k - 1] + (1 if twins >= MOST_TWINS else 0)
        twins += 1


@numba.njit(cache=True, nogil=True)
def _advance(points: Whole, largest: int) -> bool:
    """Step to the next sorted list with at most two repetitions; False after the last."""
    for place in range(len(points) - 1, -1, -1):
        twins = 0
        for k in range(1, place):
            twins += 1 if points[k] == points[k - 1] else 0
        rest = len(points) - 1 - place
        if points[place] + 1 + max(0, rest - (MOST_TWINS - twins)) <= largest:
            fill(points, place, points[place] + 1, twins)
            return True
    return False


@numba.njit(cache=True, nogil=True)
def _write_sorted(ends: Floats, share: float, found: Floats, count: int) -> None:
    """Write a law between the ends, the largest atom first."""
    for place in range(ends.shape[1]):
        value = share * ends[0, place] + (1.0 - share) * ends[1, place]
        spot = place
        while spot > 0 and found[count, spot - 1] < value:
            found[count, spot] = found[count, spot - 1]
            spot -= 1
        found[count, spot] = value


@numba.njit(cache=True, nogil=True)
def search_laws(points: Whole, chance: float, images: Whole, most_lists: int, found: Floats) -> tuple[int, bool]:
    """Go on from a list; returns how many laws were written, repeated ones too, and whether the lists are through.

    Ends early where `found` has no room for what one more list could bring.
    """
    atoms = len(points)
    columns = atoms - 3
    largest, subsets = (1 << columns) - 1, 1 << atoms
    other, solver = np.zeros(atoms, np.int64), np.zeros(atoms, np.int64)
    table = np.zeros((columns + 1, atoms + 1))
    plane, ends = np.zeros((3, atoms)), np.zeros((2, atoms))
    sums, masses = np.zeros((3, subsets)), np.zeros((2, subsets))
    sizes = np.zeros(subsets, np.int64)
    for subset in range(1, subsets):
        sizes[subset] = sizes[subset >> 1] + (subset & 1)
    count = 0
    for _ in range(most_lists):
        most = _last_size(points, columns)
        if most > 0 and _is_least(points, images, columns, other):
            if count + subsets * subsets > len(found):
                return count, False
            if _plane(points, columns, chance, table, solver, plane):
                for line in range(3):
                    _subset_sums(plane, sums, line)
                for third in range(1, subsets - 1):
                    if sizes[third] > most or not _segment(plane, sums, third, chance, ends):
                        continue
                    _subset_sums(ends, masses, 0)
                    _subset_sums(ends, masses, 1)
                    for last in range(1, subsets - 1):
                        if sizes[last] > sizes[third]:
                            continue
                        start, end = masses[0, last] - chance, masses[1, last] - chance
                        if min(start, end) < -_ZERO and max(start, end) > _ZERO:
                            _write_sorted(ends, end / (end - start), found, count)
                            count += 1
        if not _advance(points, largest):
            return count, True
    return count, False
