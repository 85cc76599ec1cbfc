"""The law of a two-level shift by feeding the compiled loop of such mechanisms every pair of words."""

from fractions import Fraction

import numpy as np

from sfumato.mechanisms import ArcResponse, FlagsResponse, SetsResponse
from sfumato.mechanisms.kernels import DRAWN_INSIDE, DRAWN_OUTSIDE, UNDRAWN, shift_again, shift_by_two_levels


def shifts_of(mechanism):
    """The favoured shifts, the modulus, and the residue of each answer."""
    if isinstance(mechanism, ArcResponse):
        return list(range(mechanism.length)), mechanism.modulus, mechanism.residues.tolist()
    if isinstance(mechanism, FlagsResponse | SetsResponse):  # one mask, or one set, for all rows
        law = mechanism.law(0)
        members = [u for u, p in enumerate(law) if p == max(law)][: mechanism.favoured_count]
        return members, mechanism.modulus, list(range(mechanism.size))
    return mechanism.difference_set.members.tolist(), mechanism.modulus, list(range(mechanism.size))


def cyclic_law(mechanism, x):
    """Every pair of words once, through the compiled loop.

    The level has the law of the first word given that it is kept, and the place in it that of the second word given
    the level and that it is kept: each is counted, and the law is their product.
    """
    words = np.arange(1 << mechanism.width, dtype=np.uint64)
    pairs = np.stack(np.meshgrid(words, words, indexing="ij"), axis=-1).reshape(-1)
    count = pairs.size // 2
    members, modulus, residues = shifts_of(mechanism)
    shifts = np.concatenate([members, np.setdiff1d(np.arange(modulus), members)])
    x = residues[x]
    pending, reports = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    law = (
        np.uint64(mechanism.width),
        np.uint64(mechanism._total),
        np.uint64(mechanism.odds.numerator * len(members)),
        np.uint64(len(members)),
        shifts,
    )
    answers = np.full(count, x)
    left = shift_by_two_levels(answers, pairs, *law, reports, pending)
    assert set(pending[:left].tolist()) == set(np.flatnonzero(reports < 0).tolist())
    inside = np.isin((reports - x) % modulus, members)
    drawn = [
        int(((reports >= 0) & inside).sum() + (reports == DRAWN_INSIDE).sum()),
        int(((reports >= 0) & ~inside).sum() + (reports == DRAWN_OUTSIDE).sum()),
    ]
    probabilities = []
    for report in range(modulus):
        level = 0 if (report - x) % modulus in members else 1
        kept = int(((reports >= 0) & (inside == (level == 0))).sum())
        probabilities.append(Fraction(drawn[level], sum(drawn)) * Fraction(int((reports == report).sum()), kept))
    # Drawn again with the same words: what was refused is refused again, with its level kept.
    known = reports[pending[:left]].copy()
    refused = pairs.reshape(-1, 2)[pending[:left]].reshape(-1)
    assert shift_again(answers, refused, *law, reports, pending, left) == left
    assert (reports[pending[:left]] == known).all()
    # And with every other pair in turn it follows the law of its level, or the whole law when nothing was drawn.
    for state in (UNDRAWN, DRAWN_INSIDE, DRAWN_OUTSIDE):
        again = np.full(count, state)
        everyone = np.arange(count)
        rest = shift_again(answers, pairs, *law, again, everyone, count)
        agrees = again[again >= 0]
        same = reports[again >= 0] if state == UNDRAWN else agrees
        assert (agrees == same).all()
        assert rest == int((again < 0).sum())
        if state != UNDRAWN:
            assert (np.isin((agrees - x) % modulus, members) == (state == DRAWN_INSIDE)).all()
            assert len(set(np.bincount(agrees, minlength=modulus)[np.unique(agrees)])) == 1
    return tuple(probabilities)
