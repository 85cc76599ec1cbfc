"""What readers of several levels see when they put their keys together.

Each level is made from the level above it by adding a shift that is drawn on its own. So the answer, the best level in
a coalition, and whatever its other members see form a chain: given the best level, the rest is noise that knows nothing
of the answer, and the coalition's odds are those of its best member alone [B, Thm 3]. `coalition_odds` says so after
checking the premise exactly; `joint_channel` and `held_channel` write everything out, for ladders small enough.
Theory: docs/theory/ladders.md
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import cast

import numpy as np

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.prob import Channel
from sfumato.refine.ladder import Ladder
from sfumato.refine.rungs.shifting import ShiftRung
from sfumato.values.checks import check_between, check_integer

# Joint reports that are written out, over all answers.
MOST_ENTRIES = 200_000


def check_nesting(ladder: Ladder) -> None:
    """Raise unless each step takes the law of its level, exactly, to the law of the next."""
    above = ladder.group.nothing()
    for number, (rung, step) in enumerate(zip(ladder.levels, ladder.steps, strict=True), start=1):
        here = cast("ShiftRung", rung).shift_law()
        if above.plus(step) != here:
            raise NotCertified(
                f"step {number} of the ladder does not lead from level {number - 1} to level {number}: the law of the "
                f"two together is another one",
                way_out="Nothing is certified; make the ladder anew.",
            )
        above = here


def coalition_odds(ladder: Ladder, levels: Iterable[int]) -> Fraction:
    """Return the odds of everything that readers of these levels see together: those of the best of them.

    Levels below are made from the best by steps that are drawn apart from the answer, so they add nothing.

    Raises:
        InvalidParameter: a level is none of the ladder's, or 0, which holds the answers.
        NotCertified: the ladder's steps do not lead from level to level.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1, 0.5])
    >>> sf.refine.coalition_odds(ladder, [2, 3]) == ladder.odds[1]
    True
    """
    best = min(_checked(ladder, levels))
    check_nesting(ladder)
    return ladder.odds[best - 1]


def joint_channel(ladder: Ladder, levels: Iterable[int], *, each_once: bool = False) -> Channel:
    """Write out X → (reports of these levels, public report): the chain of levels, those in between summed over.

    With `each_once`, answers that make the same reports have one row together.

    Raises:
        InvalidParameter: the ladder is too large to be written out.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.of_flips(size=2, epsilons=[2, 1])
    >>> both = sf.refine.joint_channel(ladder, [1])
    >>> both.outputs, sf.measures.odds(both) == ladder.odds[0]
    (((0, 0), (0, 1), (1, 0), (1, 1)), True)
    """
    depth = len(ladder.levels)
    seen = sorted({*_checked(ladder, levels), depth})
    _check_entries(ladder, len(seen))
    laws = []
    for above, below in itertools.pairwise([0, *seen]):
        law = ladder.group.nothing()
        for step in ladder.steps[above:below]:
            law = law.plus(step)
        laws.append(law.law())
    numbers = range(ladder.modulus)
    moves = [[ladder.group.between(x, y) for y in numbers] for x in numbers]
    wholes, weights = _counted(laws)
    chains = [np.array([[law[move] for move in row] for row in moves], dtype=object) for law in weights]
    symbols = _symbols(ladder, each_once=each_once)
    # Whatever came before, the next report depends on the last one alone: products grow by one axis a level.
    table = chains[0][symbols]
    for chain in chains[1:]:
        table = table[..., np.newaxis] * chain
    numerators = table.reshape(len(symbols), -1)
    outputs = tuple(itertools.product(numbers, repeat=len(seen)))
    return Channel.from_integers(numerators, math.prod(wholes), tuple(range(len(symbols))), outputs)


def held_channel(ladder: Ladder, levels: Iterable[int], *, each_once: bool = False) -> Channel:
    """Write out X → (what the keys of these levels say, public report), from every draw of every step.

    It tells the same as `joint_channel` by another way: nothing is convolved, all draws are tried.
    """
    depth, modulus, total = len(ladder.levels), ladder.modulus, ladder.group.total
    opened = sorted({*_checked(ladder, levels)} - {depth})
    _check_entries(ladder, depth)
    wholes, weights = _counted([step.law() for step in ladder.steps])
    symbols = _symbols(ladder, each_once=each_once)
    outputs = list(itertools.product(range(modulus), repeat=len(opened) + 1))
    place = {output: number for number, output in enumerate(outputs)}
    table = [[0] * len(outputs) for _ in symbols]
    for draws in itertools.product(range(modulus), repeat=depth):
        weight = math.prod(column[draw] for column, draw in zip(weights, draws, strict=True))
        keys = tuple(total(draws[level:]) for level in opened)
        for row, symbol in zip(table, symbols, strict=True):
            row[place[(*keys, total((symbol, *draws)))]] += weight
    numerators = np.array(table, dtype=object)
    return Channel.from_integers(numerators, math.prod(wholes), tuple(range(len(symbols))), tuple(outputs))


def _counted(laws: Sequence[Sequence[Fraction]]) -> tuple[list[int], list[list[int]]]:
    """Write each law as whole numbers: what they sum to, and the numbers."""
    wholes = [math.lcm(*(p.denominator for p in law)) for law in laws]
    pairs = zip(laws, wholes, strict=True)
    return wholes, [[p.numerator * (whole // p.denominator) for p in law] for law, whole in pairs]


def entries(ladder: Ladder, seen: int) -> int:
    """How many joint reports of so many levels there are, over all answers."""
    return int(ladder.size * ladder.modulus**seen)


def _symbols(ladder: Ladder, *, each_once: bool) -> list[int]:
    """The true symbol of each answer at the first position; at any other the kinds of answers are divided alike."""
    answers = np.arange(ladder.size)
    found: list[int] = ladder.levels[0].truths(answers, np.zeros_like(answers)).tolist()
    return sorted(set(found)) if each_once else found


def _checked(ladder: Ladder, levels: Iterable[int]) -> set[int]:
    wanted = {check_integer("levels", level) for level in levels}
    if not wanted:
        raise InvalidParameter("is empty", parameter="levels", way_out="Name at least one level of the coalition.")
    if 0 in wanted:
        raise InvalidParameter(
            "must not have level 0, which holds the answers themselves: no odds bound it",
            parameter="levels",
            way_out="Name levels from 1 on.",
        )
    for level in wanted:
        check_between("levels", level, 1, len(ladder.levels))
    return wanted


def _check_entries(ladder: Ladder, seen: int) -> None:
    if entries(ladder, seen) > MOST_ENTRIES:
        raise InvalidParameter(
            f"{seen} levels of {ladder.modulus} reports, for {ladder.size} answers, make {ladder.size}·"
            f"{ladder.modulus}^{seen} joint reports, more than {MOST_ENTRIES} to write out",
            way_out="Use coalition_odds, which needs none of them.",
        )
