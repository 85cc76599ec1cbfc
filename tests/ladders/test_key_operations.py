"""Split, merged and rotated keys open exactly what they should."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.keys.key_documents import open_key, seal_key
from sfumato.keys.protection import Unprotected
from sfumato.ladders import Binding, Ladder
from sfumato.ladders.drawing import shifts_of
from sfumato.ladders.key_operations import merge_keys, rotate_key, split_key
from sfumato.ladders.keys import BLOCK_ROWS, BlockSeeds, Draws, Seed
from sfumato.mechanisms import BinaryHadamard
from sfumato.sampling import Guarantee, InsecureSeeded

CYCLIC = Ladder.within(size=5, epsilons=(2.0, 1.0), recover=True)
HADAMARD = Ladder(BinaryHadamard(size=6, odds=Fraction(3)), (2.0, 1.0, 0.5))
TRUE, SEEDED = Guarantee.INFORMATION_THEORETIC, Guarantee.COMPUTATIONAL
ROWS = 3 * BLOCK_ROWS + 100


def keys_of(ladder, guarantee, rows=ROWS, seed=1):
    """Without a seed the keys are true ones, for tests that publish: this process remembers every drawing it used."""
    return ladder.draw_keys(
        rows,
        None if seed is None else InsecureSeeded(seed),
        guarantee=guarantee,
        binding=Binding(study="s", column="c"),
    )


@given(st.data())
def test_parts_open_their_rows_and_make_the_whole_again(data):
    ladder = data.draw(st.sampled_from([CYCLIC, HADAMARD]))
    guarantee = data.draw(st.sampled_from([TRUE, SEEDED]))
    level = data.draw(st.integers(0, len(ladder.levels) - 1))
    key = keys_of(ladder, guarantee, seed=data.draw(st.integers(0, 99)))[level]
    allowed = (
        st.integers(1, ROWS - 1) if guarantee is TRUE else st.sampled_from([BLOCK_ROWS, 2 * BLOCK_ROWS, 3 * BLOCK_ROWS])
    )
    at = sorted(data.draw(st.sets(allowed, min_size=1, max_size=3)))
    parts = split_key(key, ladder, at)
    assert [(part.start, part.stop) for part in parts] == list(itertools.pairwise([0, *at, ROWS]))
    shifts = shifts_of(key, ladder.steps)
    for part in parts:
        kept = open_key(seal_key(part, Unprotected()), Unprotected())
        np.testing.assert_array_equal(shifts_of(kept, ladder.steps), shifts[part.start : part.stop])
        assert (kept.total, kept.drawing, kept.level) == (ROWS, key.drawing, level)
    whole = merge_keys(data.draw(st.permutations(parts)))
    assert whole.is_whole
    assert isinstance(whole.material, Draws if guarantee is TRUE else BlockSeeds)
    np.testing.assert_array_equal(shifts_of(whole, ladder.steps), shifts)
    # A part is split again, and neighbours make a larger part.
    if len(parts) > 2:
        pair = merge_keys(parts[1:3])
        again = split_key(pair, ladder, [parts[1].stop])
        np.testing.assert_array_equal(shifts_of(again[1], ladder.steps), shifts[parts[2].start : parts[2].stop])


def test_a_part_opens_the_published_reports():
    values = np.arange(ROWS) % 5
    for guarantee in (TRUE, SEEDED):
        made = CYCLIC.publish(values, guarantee=guarantee)
        whole = CYCLIC.open(made.reports, made.keys[1]).reports
        first, second = split_key(made.keys[1], CYCLIC, [BLOCK_ROWS])
        np.testing.assert_array_equal(CYCLIC.open(made.reports, second).reports, whole[BLOCK_ROWS:])
        np.testing.assert_array_equal(CYCLIC.open(made.reports[:BLOCK_ROWS], first).reports, whole[:BLOCK_ROWS])
        part = split_key(made.keys[0], CYCLIC, [BLOCK_ROWS])[1]
        np.testing.assert_array_equal(CYCLIC.recover(made.reports, part), values[BLOCK_ROWS:])


def test_a_part_of_a_seed_holds_no_seed_of_other_rows():
    key = keys_of(HADAMARD, SEEDED)[1]
    first, second = split_key(key, HADAMARD, [BLOCK_ROWS])
    one, two = ({secret for row in part.material.table for secret in row} for part in (first, second))
    assert not one & two
    assert key.material.secret not in one | two


@pytest.mark.parametrize(
    ("row", "nearest"), [(1, 4096), (4095, 4096), (4097, 4096), (6500, 8192), (12287, 12288), (ROWS - 1, 12288)]
)
def test_seeds_are_cut_between_blocks(row, nearest):
    with pytest.raises(
        InvalidParameter,
        match=rf"at={row} lies inside a block: a seed is cut between blocks of 4096 rows only. Cut at {nearest},",
    ):
        split_key(keys_of(CYCLIC, SEEDED)[1], CYCLIC, [row])


def test_what_cannot_be_split():
    with pytest.raises(InvalidParameter, match="this key has a single one"):
        split_key(keys_of(CYCLIC, SEEDED, rows=4096)[1], CYCLIC, [17])
    key = keys_of(CYCLIC, TRUE)[1]
    for at in ([0], [ROWS], [5, 5], [9, 3], [-1]):
        with pytest.raises(InvalidParameter, match="at must rise"):
            split_key(key, CYCLIC, at)
    with pytest.raises(InvalidParameter, match="at least one row"):
        split_key(key, CYCLIC, [])
    with pytest.raises(KeyRefused, match="another ladder"):
        split_key(key, HADAMARD, [5])


def test_what_cannot_be_merged():
    a, b, c = split_key(keys_of(CYCLIC, TRUE)[1], CYCLIC, [10, 20])
    assert merge_keys([a]) is a
    with pytest.raises(KeyRefused, match=r"no key opens rows 10\.\.19, between"):
        merge_keys([a, c])
    with pytest.raises(KeyRefused, match=r"two keys open rows 10\.\.19\."):
        merge_keys([a, b, b, c])
    with pytest.raises(KeyRefused, match=r"two keys open rows 10\.\.19\."):
        merge_keys([merge_keys([a, b]), merge_keys([b, c])])
    first, row, rest = split_key(keys_of(CYCLIC, TRUE)[1], CYCLIC, [10, 11])
    with pytest.raises(KeyRefused, match=r"no key opens rows 10\.\.10, between"):
        merge_keys([first, rest])
    with pytest.raises(KeyRefused, match=r"two keys open rows 10\.\.10\."):
        merge_keys([merge_keys([first, row]), merge_keys([row, rest])])
    with pytest.raises(InvalidParameter, match="at least one key"):
        merge_keys([])
    other = split_key(keys_of(CYCLIC, TRUE, seed=2)[1], CYCLIC, [10])
    for wrong, word in (
        (other[1], "drawing"),
        (replace(b, level=0), "level"),
        (replace(b, binding=Binding(study="t")), "study, question, column or epoch"),
        (replace(b, total=ROWS + 1), "number of rows"),
        (replace(b, ladder=HADAMARD.declaration), "ladder"),
        (b.having_produced("ab" * 32), "record of the reports"),
        (replace(b, guarantee=SEEDED), "guarantee"),
    ):
        with pytest.raises(KeyRefused, match=f"the keys differ in their {word}"):
            merge_keys([a, wrong])
    seeds = split_key(keys_of(CYCLIC, SEEDED)[1], CYCLIC, [4096])
    mixed = replace(
        keys_of(CYCLIC, TRUE)[1], start=0, stop=4096, drawing=seeds[1].drawing, guarantee=seeds[1].guarantee
    )
    with pytest.raises(KeyRefused, match="some of the keys hold draws and others seeds"):
        merge_keys([mixed, seeds[1]])


@pytest.mark.parametrize("ladder", [CYCLIC, HADAMARD])
def test_every_holder_rotates_alone(ladder):
    held = keys_of(ladder, SEEDED, seed=None)
    values = np.arange(ROWS) % 5
    drawings, columns = {held[0].drawing}, []
    for epoch in (1, 2, 3):
        held = {level: rotate_key(key) for level, key in held.items()}
        assert {key.drawing for key in held.values()} == {held[0].drawing}
        assert held[0].binding == Binding(study="s", column="c", epoch=epoch)
        assert held[0].drawing not in drawings
        drawings.add(held[0].drawing)
        made = ladder.publish(values, keys={0: held[0]})
        columns.append(made.reports)
        analyst = held[1].having_produced(None)
        seen = ladder.open(made.reports, analyst).reports
        together = ladder.publish(values, keys=held)
        np.testing.assert_array_equal(seen, ladder.open(together.reports, together.keys[1]).reports)
        # It is the sharper view, not the public one again.
        assert (seen != made.reports).any()
    assert (columns[0] != columns[1]).mean() > 0.2
    assert isinstance(held[1].material, Seed)


def test_the_rotated_view_is_the_steps_above_it():
    """What the analyst of level 1 sees is the answers plus the first step alone, drawn from the registrar's seed."""
    from sfumato.ladders.drawing import block_secrets

    held = {level: rotate_key(key) for level, key in keys_of(CYCLIC, SEEDED, seed=None).items()}
    values = np.zeros(ROWS, dtype=np.int64)
    reports = CYCLIC.publish(values, keys={0: held[0]}).reports
    top, low = block_secrets(held[0], 2), block_secrets(held[1], 2)
    assert top[1:] == low
    seen = CYCLIC.open(reports, held[1]).reports
    all_steps, lower_steps = (shifts_of(held[level], CYCLIC.steps).astype(int) for level in (0, 1))
    first_step = (all_steps - lower_steps) % CYCLIC.modulus
    np.testing.assert_array_equal(seen, first_step)


def test_a_key_that_was_not_rotated_does_not_fit():
    held = keys_of(CYCLIC, SEEDED, seed=None)
    reports = CYCLIC.publish(np.zeros(ROWS, dtype=int), keys={0: rotate_key(held[0])}).reports
    old, new = (CYCLIC.open(reports, key).reports for key in (held[1], rotate_key(held[1])))
    # Under odds of e^2 the answer's own set is far more frequent in the right view.
    favoured = CYCLIC.steps[0].favoured
    assert np.isin(new, favoured).mean() > np.isin(old, favoured).mean() + 0.05


def test_only_seeds_rotate():
    for key in (keys_of(CYCLIC, TRUE)[1], split_key(keys_of(CYCLIC, SEEDED)[1], CYCLIC, [4096])[0]):
        with pytest.raises(KeyRefused, match="Publish the next epoch with fresh draws"):
            rotate_key(key)


def test_a_rotated_key_forgets_what_the_old_one_made():
    key = keys_of(CYCLIC, SEEDED)[1].having_produced("ab" * 32)
    assert rotate_key(key).produced is None
    with pytest.raises(InvalidParameter, match="epoch"):
        rotate_key(replace(key, binding=Binding(epoch=1 << 31)))
