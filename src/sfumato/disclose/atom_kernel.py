"""The laws of few atoms that subsets of one mass determine, searched for in compiled loops.

Atoms are rows of m - 1 columns of 0 and 1, each column a subset of mass c, independent of each other and of the whole.
All but two columns are walked through as sorted lists of points, one list for each set of columns up to their order;
then a third-last column A leaves a segment of laws, and the last one B is every subset whose mass passes c on it.
Columns are taken by falling size. Import this module only when there is something to search: the compiler behind it
takes a second to load.   Theory: docs/theory/skewed_laws.md
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

# For c with a denominator up to 1000 and 8 atoms, what is not 0 is at least 1e-8; what is 0 is rounded by 1e-13.
_ZERO = 1e-10
_MOST_TWINS = 2


@numba.njit(cache=True, nogil=True)
def _column_sizes_fall(points: Whole, columns: int) -> int:
    """Return the size of the last column when no column is larger than the one before; 0 otherwise."""
    size, before = len(points) - 1, len(points) - 1
    for column in range(columns):
        size = 0
        for point in points:
            size += (point >> column) & 1
        if size == 0 or size > before:
            return 0
        before = size
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
                if _column_sizes_fall(other, columns) > 0:
                    return False
                break
    return True


@numba.njit(cache=True, nogil=True)
def _plane(points: Whole, columns: int, chance: float, plane: Floats) -> bool:
    """Write laws with these columns as plane[0] + z_1 plane[1] + z_2 plane[2]; False when columns are dependent."""
    atoms = len(points)
    table = np.empty((columns + 1, atoms + 1))
    for place in range(atoms):
        table[0, place] = 1.0
        for column in range(columns):
            table[column + 1, place] = (points[place] >> column) & 1
    table[0, atoms] = 1.0
    table[1:, atoms] = chance
    solved_by = np.full(atoms, -1)
    done = 0
    for place in range(atoms):
        if done == columns + 1:
            break
        pivot = done + np.argmax(np.abs(table[done:, place]))
        if abs(table[pivot, place]) < _ZERO:
            continue
        for entry in range(atoms + 1):
            table[pivot, entry], table[done, entry] = table[done, entry], table[pivot, entry]
        table[done] /= table[done, place]
        for row in range(columns + 1):
            if row != done and table[row, place] != 0.0:
                table[row] -= table[row, place] * table[done]
        solved_by[place] = done
        done += 1
    if done < columns + 1:
        return False
    free = np.flatnonzero(solved_by < 0)
    plane[:] = 0.0
    for place in range(atoms):
        if solved_by[place] >= 0:
            plane[0, place] = table[solved_by[place], atoms]
            plane[1, place] = -table[solved_by[place], free[0]]
            plane[2, place] = -table[solved_by[place], free[1]]
    plane[1, free[0]] = 1.0
    plane[2, free[1]] = 1.0
    return True


@numba.njit(cache=True, nogil=True)
def _subset_sums(values: Floats, sums: Floats) -> None:
    """Fill in the sum over each subset, subsets numbered by their bits."""
    for place in range(len(values)):
        size = 1 << place
        for subset in range(size):
            sums[size + subset] = sums[subset] + values[place]


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
        if abs(along) < _ZERO:
            if start < _ZERO:
                return False
        elif along > 0:
            low = max(low, -start / along)
        else:
            high = min(high, -start / along)
        if low > high - _ZERO:
            return False
    for place in range(plane.shape[1]):
        start, along = ends[0, place], ends[1, place]
        ends[0, place], ends[1, place] = start + low * along, start + high * along
    return True


@numba.njit(cache=True, nogil=True)
def _mark(law: Floats) -> np.int64:
    mark = np.int64(0)
    for value in law:
        mark = mark * np.int64(1_000_003) + np.int64(np.round(value * 1e8))
    return mark


@numba.njit(cache=True, nogil=True)
def _advance(points: Whole, largest: int) -> bool:
    """Step to the next sorted list with at most two repetitions; False after the last."""
    for place in range(len(points) - 1, -1, -1):
        twins = 0
        for k in range(1, place):
            twins += points[k] == points[k - 1]
        rest = len(points) - 1 - place
        if twins > _MOST_TWINS or points[place] + 1 + max(0, rest - (_MOST_TWINS - twins)) > largest:
            continue
        _fill(points, place, points[place] + 1, twins)
        return True
    return False


@numba.njit(cache=True, nogil=True)
def _fill(points: Whole, place: int, value: int, twins: int) -> None:
    """Put the least list that is allowed from this place on, beginning with the value."""
    points[place] = value
    for k in range(place + 1, len(points)):
        points[k] = points[k - 1] + (twins >= _MOST_TWINS)
        twins += 1


@numba.njit(cache=True, nogil=True)
def search_laws(atoms: int, chance: float, images: Whole, found: Floats) -> int:
    """Write the laws of so many atoms, sorted, into `found`; returns how many there are, which may be more than fit."""
    columns = atoms - 3
    largest = (1 << columns) - 1
    subsets = 1 << atoms
    points, other = np.zeros(atoms, np.int64), np.zeros(atoms, np.int64)
    plane, ends = np.empty((3, atoms)), np.empty((2, atoms))
    sums, masses = np.zeros((3, subsets)), np.zeros((2, subsets))
    sizes = np.zeros(subsets, np.int64)
    for subset in range(1, subsets):
        sizes[subset] = sizes[subset >> 1] + (subset & 1)
    law = np.empty(atoms)
    _fill(points, 0, 0, 0)
    seen = {np.int64(-1)}
    count = 0
    while True:
        most = _column_sizes_fall(points, columns)
        if most > 0 and _is_least(points, images, columns, other) and _plane(points, columns, chance, plane):
            for part in range(3):
                _subset_sums(plane[part], sums[part])
            for third in range(1, subsets - 1):
                if sizes[third] > most or not _segment(plane, sums, third, chance, ends):
                    continue
                _subset_sums(ends[0], masses[0])
                _subset_sums(ends[1], masses[1])
                for last in range(1, subsets - 1):
                    if sizes[last] > sizes[third]:
                        continue
                    start, end = masses[0, last] - chance, masses[1, last] - chance
                    if min(start, end) > -_ZERO or max(start, end) < _ZERO:
                        continue
                    share = end / (end - start)
                    law[:] = share * ends[0] + (1.0 - share) * ends[1]
                    law[:] = -np.sort(-law)
                    mark = _mark(law)
                    if mark not in seen:
                        seen.add(mark)
                        if count < len(found):
                            found[count] = law
                        count += 1
        if not _advance(points, largest):
            return count
