"""Masks of flips: their law by enumeration, rows by their own words, and ladders over options with keys and claims."""

import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plain_integers as plain
import sfumato_check
from fresh_seals import reseal
from plain_integers import ByWidth, Reader, random_words
from sfumato import measures
from sfumato.certificates import Certificate, certify, verify
from sfumato.errors import InvalidParameter, KeyRefused, NotCertified, SfumatoError, UnreadableFile
from sfumato.keys.draw_coding import decode_draws, encode_draws, packed_length, padded_length
from sfumato.ladders import Ladder
from sfumato.ladders import groups as masks
from sfumato.ladders.drawing import shifts_at, shifts_of
from sfumato.ladders.evidence import coalition_odds, held_channel, joint_channel
from sfumato.ladders.groups import FlipMask, MaskLaw, Masks
from sfumato.ladders.key_operations import merge_keys, rotate_key, split_key
from sfumato.ladders.keys import BLOCK_ROWS
from sfumato.ladders.shift_levels import OptionsLevel
from sfumato.ladders.spec import level_over
from sfumato.mechanisms.options import best_asked, option_deviation
from sfumato.sampling import BulkBits, Guarantee, InsecureSeeded, RowWords, ScriptedBits
from sfumato.sampling.rows import AnyRows

SEEDED, TRUE = Guarantee.COMPUTATIONAL, Guarantee.INFORMATION_THEORETIC
ODD = FlipMask(length=5, chance=Fraction(2, 7))
STEPS = [ODD, FlipMask(length=2, chance=Fraction(1, 3)), FlipMask(length=1, chance=Fraction(3, 8))]
LADDER = Ladder.of_options(options=6, epsilons=(4.0, 2.0, 1.0), asked=3)
WHOLE = Ladder.of_options(options=3, epsilons=(3.0, 1.5), asked=3, recover=True)
# Small enough that all joint reports are written out.
SMALL = [
    Ladder.of_options(options=3, epsilons=(4.0, 2.0, 1.0), asked=1),
    Ladder.of_options(options=3, epsilons=(4.0, 2.0, 1.0), asked=2),
    Ladder.of_options(options=4, epsilons=(6.0, 0.5), asked=2),
    Ladder.of_options(options=3, epsilons=(6.0, 3.0), asked=3),
]
named = pytest.mark.parametrize("ladder", SMALL, ids=lambda ladder: f"{ladder.levels[0].options} {ladder.odds[0]}")


class TestDraws:
    @pytest.mark.parametrize(("length", "width", "chance"), [(1, 4, 5), (2, 4, 3), (3, 3, 3), (4, 2, 1)])
    def test_every_word_at_a_small_width_makes_the_product_law(self, length, width, chance):
        step = FlipMask(length=length, chance=Fraction(chance, 1 << width), width=width)
        hits = [0] * step.modulus
        for words in itertools.product(range(1 << width), repeat=length):
            hits[int(step.draw_rows(AnyRows(ScriptedBits(words)), 1)[0])] += 1
        product = tuple(
            math.prod(step.chance if mask >> j & 1 else 1 - step.chance for j in range(length))
            for mask in range(step.modulus)
        )
        assert tuple(Fraction(hit, (1 << width) ** length) for hit in hits) == product == step.law()

    @pytest.mark.parametrize("chance", [Fraction(1, 3), Fraction(5, 7)])
    def test_a_coin_that_is_left_open_goes_on_with_the_next_word(self, chance):
        """Width 2: all sequences of up to 6 words, the open ones weighed by what their rest would be."""
        step, total = FlipMask(length=2, chance=chance, width=2), [Fraction(0)] * 4
        for words in itertools.product(range(4), repeat=6):
            reader = Reader(words)
            try:
                expected = sum(plain.coin(reader, chance, 1, 2)[0] << j for j in range(2))
            except (IndexError, StopIteration, AssertionError, ValueError):
                continue
            source = ScriptedBits(words)
            assert step.draw_rows(AnyRows(source), 1).tolist() == [expected]
            total[expected] += Fraction(1, 4**6)
        for mask, law in enumerate(step.law()):
            assert abs(total[mask] - law) < Fraction(1, 100)

    @pytest.mark.parametrize("step", STEPS, ids=str)
    def test_true_draws_word_by_word(self, step):
        """A source gives each bit of all rows its thrifty coins; of one bit, those of plain integers."""
        narrow, wide = random_words(21, 60_000, 16), random_words(22, 4000)
        again = ByWidth(bits_16=narrow, bits_64=wide)
        expected = [0] * 500
        for place in range(step.length):
            flips = FlipMask(length=1, chance=step.chance).draw(again, 500).tolist()
            expected = [mask | flip << place for mask, flip in zip(expected, flips, strict=True)]
        assert step.draw(ByWidth(bits_16=narrow, bits_64=wide), 500).tolist() == expected
        first = plain.thrifty_coin(Reader(narrow), Reader(wide), step.chance, 500)
        assert [mask & 1 for mask in expected] == first

    @pytest.mark.parametrize("step", STEPS, ids=str)
    def test_rows_under_a_key_against_plain_integers(self, step, monkeypatch):
        """Words at the border, beside it, and rows whose coins go on for several words, as any of the bits."""
        words = 1 << 32
        border = int(step.chance * words)
        special = [border, border - 1, border + 1, 0, words - 1, border, border]
        filler = random_words(31, 4000, 32)
        table = []
        for place, word in itertools.product(range(step.length), special):
            row = filler[len(table) : len(table) + 40]
            row[place] = word
            table.append(row)
        table += [[border] * depth + filler[depth : depth + 40] for depth in range(1, 6)]
        expected = []
        for row in table:
            reader = Reader(row)
            expected.append(sum(plain.coin(reader, step.chance, 1, 32)[0] << j for j in range(step.length)))
        monkeypatch.setattr(masks, "RowWords", lambda key, numbers: _Scripted([table[n] for n in numbers.tolist()]))
        before = np.arange(len(table)) % step.modulus
        sums = before.astype(np.min_scalar_type(step.modulus - 1))
        starts = _Scripted(table)
        step.add_numbered(b"", starts, sums)
        assert (sums ^ before).tolist() == expected
        assert starts.attempt == 0, "the next step finds the rows where they were"

    @settings(max_examples=20)
    @given(step=st.sampled_from(STEPS), numbers=st.lists(st.integers(0, 1 << 40), min_size=1, max_size=40))
    def test_the_fast_pass_says_what_the_plain_one_says(self, step, numbers):
        rows, key = np.array(numbers), bytes(range(32))
        assert (step.draw_numbered(key, rows) == step.draw_rows(RowWords(key, rows), rows.size)).all()

    def test_sure_flips_take_no_word(self):
        for chance, mask in ((Fraction(0), 0), (Fraction(1), 7)):
            step = FlipMask(length=3, chance=chance)
            assert step.draw_numbered(bytes(32), np.arange(4)).tolist() == [mask] * 4
            assert step.draw(ScriptedBits([]), 4).tolist() == [mask] * 4

    def test_draws_follow_the_law_and_a_wrong_one_is_rejected(self):
        hits = np.bincount(ODD.draw(BulkBits(), 200_000), minlength=32)
        law = np.array(ODD.law(), dtype=float)
        wrong = np.array(FlipMask(length=5, chance=Fraction(2, 7) * Fraction(21, 20)).law(), dtype=float)
        misfits = [((hits - 200_000 * one) ** 2 / (200_000 * one)).sum() for one in (law, wrong)]
        assert misfits[0] < 110 < misfits[1]  # 31 degrees of freedom: 1e-10


class _Scripted:
    """Stands for the words of rows under a key."""

    def __init__(self, table):
        self.table, self.taken, self.attempt = table, [0] * len(table), 0

    def go_on(self, attempt):
        self.attempt = attempt

    def numbers_at(self, places):
        return places

    def under(self, key):
        a = 2 * self.attempt
        return np.array([row[a] << 32 | row[a + 1] for row in self.table], dtype=np.uint64)

    def words(self, rows, width=64):
        assert width == 32
        found = []
        for row in rows.tolist():
            found.append(self.table[row][self.taken[row]])
            self.taken[row] += 1
        return np.array(found, dtype=np.uint64)


class TestLaws:
    @given(length=st.integers(1, 4), chances=st.lists(st.fractions(0, 1, max_denominator=9), min_size=1, max_size=3))
    def test_sums_are_those_of_every_pair_of_masks(self, length, chances):
        steps = [FlipMask(length=length, chance=chance) for chance in chances]
        law, plainly = MaskLaw.nothing(length), [Fraction(int(mask == 0)) for mask in range(1 << length)]
        for step in steps:
            law, one = law.plus(step), step.law()
            plainly = [
                sum(plainly[other] * one[other ^ mask] for other in range(1 << length)) for mask in range(1 << length)
            ]
        assert law.law() == tuple(plainly)
        assert sum(value * count for value, count in law.counted()) == 1

    @given(length=st.integers(1, 16), pairs=st.lists(st.tuples(st.integers(0, 65535), st.integers(0, 65535))))
    def test_moving_is_flipping(self, length, pairs):
        group, most = Masks(length), 1 << length
        symbols, shifts = (np.array([pair[i] % most for pair in pairs], dtype=np.int64) for i in range(2))
        there = group.moved(symbols, shifts)
        assert there.dtype == np.min_scalar_type(most - 1)
        assert there.tolist() == [x ^ u for x, u in zip(symbols.tolist(), shifts.tolist(), strict=True)]
        assert (group.moved_back(there, shifts) == symbols).all()


class TestLevels:
    @named
    def test_epsilon_of_the_whole_report_at_each_level_by_enumeration(self, ladder):
        """Assigned options and report together, from every set of options; all coalitions, by two ways."""
        rung = ladder.levels[0]
        for level, (odds, epsilon) in enumerate(zip(ladder.odds, ladder.epsilons, strict=True), start=1):
            assert ladder.levels[level - 1].flip_odds ** rung.asked == odds
            assert measures.odds(ladder.levels[level - 1].channel()) == odds
            assert epsilon - 1e-8 < measures.epsilon_interval(ladder.levels[level - 1].channel()).upper <= epsilon
        for size in range(1, len(ladder.levels) + 1):
            for group in itertools.combinations(range(1, len(ladder.levels) + 1), size):
                best = ladder.odds[min(group) - 1]
                assert coalition_odds(ladder, group) == best
                assert measures.odds(joint_channel(ladder, group, each_once=True)) == best
                assert measures.odds(held_channel(ladder, group, each_once=True)) == best

    @named
    def test_steps_add_up_to_the_levels(self, ladder):
        law = ladder.group.nothing()
        for rung, step in zip(ladder.levels, ladder.steps, strict=True):
            law = law.plus(step)
            assert law == rung.shift_law()
            assert law.law() == rung.law(0)
        for level in range(len(ladder.levels)):
            below = ladder.group.nothing()
            for step in ladder.steps[level:]:
                below = below.plus(step)
            assert ladder.key_law(level).law() == below.law()

    @pytest.mark.parametrize("guarantee", [SEEDED, TRUE])
    def test_a_key_shows_its_level_and_no_other(self, guarantee):
        values = np.random.default_rng(3).integers(0, 64, 40_000)
        made = LADDER.publish(values, InsecureSeeded(71), guarantee=guarantee)
        truths = LADDER.levels[0].truths(values)
        for level in (1, 2, 3):
            seen = LADDER.open(made.reports, made.keys.get(level)).reports
            flips = np.array([(seen ^ truths) >> j & 1 for j in range(3)]).mean(axis=1)
            chance = float(LADDER.levels[level - 1].probabilities[1])
            assert (abs(flips - chance) < 5 * math.sqrt(chance * (1 - chance) / 40_000)).all()
            others = [float(rung.probabilities[1]) for rung in LADDER.levels if rung.odds != LADDER.odds[level - 1]]
            assert min(abs(flips[0] - other) for other in others) > 0.05

    def test_recovery_needs_all_options(self):
        values = np.arange(4000) % 8
        for guarantee in (SEEDED, TRUE):
            made = WHOLE.publish(values, InsecureSeeded(72), guarantee=guarantee)
            assert (WHOLE.recover(made.reports, made.keys[0]) == values).all()
        with pytest.raises(InvalidParameter, match="recover=True is impossible over AssignedOptions"):
            Ladder.of_options(options=4, epsilons=(1.0,), asked=3, recover=True)
        with pytest.raises(InvalidParameter, match="answers to the others cannot be told apart"):
            LADDER.levels[0].answers(np.zeros(1, dtype=np.int64))

    def test_the_best_number_of_options(self):
        """By a direct search of the worst variance over m; both ends are among the choices."""
        for options, epsilon in itertools.product((2, 8, 20), (0.5, 1, 2, 4, 6, 12)):
            variances = {m: options / m / (4 * math.tanh(epsilon / m / 2) ** 2) for m in range(1, min(options, 16) + 1)}
            assert best_asked(options, [epsilon]) == min(variances, key=variances.get)
            for m, variance in variances.items():
                assert option_deviation(options, m, epsilon) ** 2 == pytest.approx(variance)
        assert [best_asked(8, [epsilon]) for epsilon in (1, 2, 4, 6, 8)] == [1, 1, 2, 3, 4]
        assert best_asked(8, [6.0, 1.0]) in {1, 2, 3}, "one number serves all levels"


class TestKeys:
    @pytest.mark.parametrize("ladder", [LADDER, WHOLE], ids=["some", "all"])
    def test_a_row_is_the_same_alone_and_in_any_company(self, ladder):
        keys = ladder.draw_keys(BLOCK_ROWS + 500, InsecureSeeded(73), guarantee=SEEDED)
        for level in ladder.key_levels:
            whole = shifts_of(keys[level], ladder.steps)
            rows = np.array([4097, 3, 4096, 4095, 77, 3])
            assert (shifts_at(keys[level], ladder.steps, rows) == whole[rows]).all()

    @pytest.mark.parametrize("guarantee", [SEEDED, TRUE])
    def test_keys_are_split_merged_and_rotated(self, guarantee):
        total = 2 * BLOCK_ROWS + 100
        keys = LADDER.draw_keys(total, InsecureSeeded(74), guarantee=guarantee)
        parts = split_key(keys[1], LADDER, [BLOCK_ROWS])
        whole = shifts_of(keys[1], LADDER.steps)
        assert np.array_equal(np.concatenate([shifts_of(part, LADDER.steps) for part in parts]), whole)
        assert np.array_equal(shifts_of(merge_keys(parts[::-1]), LADDER.steps), whole)
        if guarantee is SEEDED:
            later = rotate_key(keys[1])
            assert (shifts_of(later, LADDER.steps) != whole).any()
        else:
            with pytest.raises(KeyRefused):
                rotate_key(keys[1])

    @pytest.mark.parametrize("law", [LADDER.key_law(1), WHOLE.key_law(0), FlipMask(length=16, chance=Fraction(1, 50))])
    def test_draws_come_back_from_their_code(self, law):
        for rows in (1, 1000, 30_000):
            drawn = law.draw(InsecureSeeded(75), rows)
            body = encode_draws(drawn, law)
            assert len(body) == padded_length(rows, law)
            again = decode_draws(body, law, rows)
            assert again.dtype == drawn.dtype
            assert (again == drawn).all()
            with pytest.raises(KeyRefused):
                decode_draws(body[:-1], law, rows)
        # Close to the entropy, however many bits a mask has.
        assert len(body) < 1.1 * law.entropy_bits().upper * rows / 8 + 700

    def test_improbable_draws_are_packed(self):
        law = FlipMask(length=4, chance=Fraction(1, 1000))
        drawn = np.full(3000, 15, dtype=np.uint8)
        body = encode_draws(drawn, law)
        assert len(body) == packed_length(3000, law)
        assert (decode_draws(body, law, 3000) == drawn).all()


class TestClaims:
    @pytest.mark.parametrize("ladder", [LADDER, WHOLE, *SMALL[1:3]], ids=["some", "all", "small", "smaller"])
    def test_certificates_verify_and_lies_do_not(self, ladder):
        certificate = certify(ladder)
        verify(certificate)
        assert Certificate.from_json(certificate.to_json()).claims == certificate.claims
        asked = ladder.levels[0].asked
        for level, rung in enumerate(ladder.levels, start=1):
            assert certificate[f"odds_level_{level}"].value == rung.flip_odds**asked
        about = certificate.notes[-1]
        assert "no key gives them back" in about or asked == ladder.levels[0].options

    @pytest.mark.parametrize(
        "lie",
        [
            ('"asked":3', '"asked":2'),
            ('"options":6', '"options":5'),
            ('"recover":false', '"recover":true'),
            ("is about 3 of them", "is about 2 of them"),
            ("no key gives them back", "a key gives them back"),
        ],
        ids=str,
    )
    def test_a_forged_file_is_refused_by_both(self, lie):
        """About other options or numbers, or another note, under a fresh seal: the product and the checker refuse."""
        document = json.loads(certify(LADDER).to_json())
        assert sfumato_check.answer(reseal(document))["exit_code"] == 0
        told = json.dumps(document, ensure_ascii=False)
        old, new = lie
        old, new = (old.replace('"', '\\"'), new.replace('"', '\\"')) if old.startswith('"') else (old, new)
        assert old in told
        forged = reseal(json.loads(told.replace(old, new)))
        assert sfumato_check.answer(forged)["exit_code"] != 0
        with pytest.raises(SfumatoError):
            verify(Certificate.from_json(forged))

    @pytest.mark.parametrize("changes", [{"odds": ["30"]}, {"asked": 7}, {"asked": 17}], ids=str)
    def test_the_checker_reads_no_ladder_that_cannot_be(self, changes):
        document = json.loads(LADDER.declaration)
        assert sfumato_check.read_ladder(json.dumps(document, separators=(",", ":"))).asked == 3
        with pytest.raises((sfumato_check.Refused, sfumato_check.Unreadable)):
            sfumato_check.read_ladder(json.dumps({**document, **changes}, separators=(",", ":")))

    @pytest.mark.parametrize("place", range(4))
    def test_a_number_that_is_off_is_refused_by_both(self, place):
        document = json.loads(certify(LADDER).to_json())
        claim = document["claims"][place]
        claim["value"] = (
            str(Fraction(claim["value"]) * Fraction(99, 100))
            if isinstance(claim["value"], str)
            else [end * 0.99 for end in claim["value"]]
            if isinstance(claim["value"], list)
            else {name: end * 0.99 for name, end in claim["value"].items()}
        )
        forged = reseal(document)
        assert sfumato_check.answer(forged)["exit_code"] != 0
        with pytest.raises(SfumatoError):
            verify(Certificate.from_json(forged))

    def test_a_wrong_step_is_never_certified(self):
        first, second, third = LADDER.steps
        off = replace(second, chance=second.chance + Fraction(1, 100))
        for steps in [(first, off, third), (first, third, second), (second, second, third)]:
            built = Ladder.declared(LADDER.declaration)
            object.__setattr__(built, "steps", steps)
            with pytest.raises(NotCertified):
                certify(built)

    def test_a_declaration_is_read_back_and_no_other(self):
        assert Ladder.declared(LADDER.declaration).steps == LADDER.steps
        assert level_over(LADDER.levels[1]) == LADDER.levels[1]
        document = json.loads(LADDER.declaration)
        for changes in (
            {"asked": 7},
            {"asked": 0},
            {"asked": 2},
            {"options": 61},
            {"options": 2},
            {"odds": [*document["odds"][:2], "3"]},
        ):
            text = json.dumps({**document, **changes}, separators=(",", ":"))
            with pytest.raises((UnreadableFile, InvalidParameter)):
                Ladder.declared(text)

    def test_what_a_rung_says(self):
        assert isinstance(LADDER.levels[0], OptionsLevel)
        assert "each respondent is asked about 3 of them, which are assigned in public" in LADDER.because("options")
        assert "is asked about all of them" in WHOLE.because("options")
        assert LADDER.levels[0].noise_ratio() >= 1
