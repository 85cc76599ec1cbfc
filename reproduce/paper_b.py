"""Girgis and others: private reports on few random bits. Theory: docs/theory/binary_hadamard.md, recovery.md."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce.helper import (
    BLACK,
    BLUE,
    GREEN,
    VERMILION,
    Cell,
    Entry,
    Erratum,
    Paper,
    Table,
    house_style,
    must_show,
    new_figure,
)
from sfumato import inference, measures, mechanisms
from sfumato.errors import InsecureBitsWarning
from sfumato.inference.limits import scarce_yes
from sfumato.ladders.recovery import ShiftKey, separate_bits, xor_ladder_bits
from sfumato.mechanisms import BinaryHadamard, HadamardResponse, RandomizedResponse, SymmetricUnary
from sfumato.mechanisms.binary_hadamard import inverse_binary_entropy, rarer_yes
from sfumato.numbers.checks import Number, check_at_least, check_integer, check_positive
from sfumato.prob import Channel, Distribution
from sfumato.prob.structured import AnyChannel
from sfumato.sampling import Categorical, EntropyRecycling, InsecureSeeded, Metered

# --- The formulas of [B] as they stand in print, right or wrong; nothing else may compute with them.

Logarithm = Callable[[float], float]


def printed_rappor_keep(epsilon: float) -> float:
    """[B, Table 1], RAPPOR: how probably a coordinate is kept."""
    return math.exp(epsilon) / (math.exp(epsilon) + 1)


def printed_rappor_bits(size: int, epsilon: float) -> float:
    """[B, Table 1], RAPPOR."""
    return size * inference.critical_random_bits(epsilon)


def printed_rr_bits(size: int, epsilon: float) -> float:
    """[B, Table 1], RR, in bits as its row says."""
    total = size - 1 + math.exp(epsilon)
    return math.log2(total) - epsilon * math.exp(epsilon) / total


def printed_hr_bits(size: int, epsilon: float) -> float:
    """[B, Table 1], HR; an upper bound."""
    odds = math.exp(epsilon)
    return math.log2(2 * size * (3 * odds - 1) / odds) - epsilon * odds / (3 * odds - 1)


def printed_bh_bits(_: int, epsilon: float) -> float:
    """[B, Table 1], BH, which no size enters."""
    return inference.critical_random_bits(epsilon)


def printed_hadamard_response(size: int, epsilon: float) -> mechanisms.HadamardResponse:
    """[B, Sec. 7.2]: Hadamard response with as many blocks as the print takes from [ASZ19]."""
    blocks = 1 << max(0, math.ceil(math.log2(min(math.exp(epsilon), 2 * size))) - 1)
    return mechanisms.HadamardResponse.within(size=size, epsilon=epsilon, blocks=blocks)


def printed_key_objective(size: int, favoured: int, epsilon: float, logarithm: Logarithm) -> float:
    """[B, eq. (48)], what is minimised over the number of favoured keys."""
    odds = math.exp(epsilon)
    total = favoured * (odds - 1) + size
    return logarithm(total) - favoured * odds / total


def printed_key_optimum(size: int, epsilon: float) -> float:
    """[B, eq. (49)], before it is rounded; right."""
    odds, gap = math.exp(epsilon), math.expm1(epsilon)
    # Near 0 the quotient is 0/0 and loses all digits; the print needs no such care.
    return size * (odds * (epsilon - 1) + 1) / gap**2 if epsilon > 1e-5 else size * (1 / 2 - epsilon / 6)


def printed_favoured_keys(size: int, epsilon: float) -> int:
    """[B, Sec. 7.1], after eq. (49): the whole number nearest to it."""
    return round(printed_key_optimum(size, epsilon))


def printed_best_contrast(epsilon: float, scarce: float) -> float:
    """[B, eq. (26)], second case: the largest Σ(q-q')²/(q+q') below R_c."""
    return 2 * (scarce * math.expm1(epsilon)) ** 2 / math.exp(2 * epsilon)


def printed_parting(_: float) -> float:
    """[B, Sec. 4], Figure 4b: the ε below which the smaller budget costs accuracy."""
    return 0.8


def printed_contrast(first: Sequence[float], second: Sequence[float]) -> float:
    """[B, eq. (23)]: the objective of P1; right."""
    return math.fsum((p - q) ** 2 / (p + q) for p, q in zip(first, second, strict=True))


def printed_two_report_contrast(epsilon: float, random_bits: float) -> float:
    """[B, Lemma 3 with eq. (25)], below R_c: the most with two reports, said to be the most with any number."""
    scarce = inverse_binary_entropy(random_bits)
    rarer = scarce / math.exp(epsilon)
    return printed_contrast((scarce, 1 - scarce), (rarer, 1 - rarer))


def printed_largest_contrast(epsilon: float) -> float:
    """[B, eq. (25)], first case: Σ(q-q')²/(q+q') of the pair that is best from R_c on."""
    keep = printed_rappor_keep(epsilon)
    return printed_contrast((keep, 1 - keep), (1 - keep, keep))


def printed_ladder_bits(epsilons: Sequence[float]) -> float:
    """[B, Thm 3]: ΣH2(q_j), where flips of q_1 to q_j together are a flip of z_j."""
    total, before = 0.0, 0.0
    for epsilon in epsilons:
        flip = 1 / (math.exp(epsilon) + 1)
        step = (flip - before) / (1 - 2 * before)
        total += _binary_entropy(step)
        before = flip
    return total


def printed_separate_bits(epsilons: Sequence[float]) -> float:
    """[B, Sec. 4]: ΣH2(z_j)."""
    return math.fsum(_binary_entropy(1 / (math.exp(epsilon) + 1)) for epsilon in epsilons)


def printed_key_bits(size: int, epsilon: float) -> float:
    """[B, Thm 4]: the entropy of the key, the better of the two whole numbers next to eq. (49)."""
    point = printed_key_optimum(size, epsilon)
    odds = math.exp(epsilon)

    def bits(favoured: int) -> float:
        total = favoured * (odds - 1) + size
        return math.log2(total) - epsilon * favoured * odds * math.log2(math.e) / total

    return min(bits(max(1, math.floor(point))), bits(max(1, math.ceil(point))))


def _binary_entropy(p: float) -> float:
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p) if 0 < p < 1 else 0.0


# --- Bounds on estimating shares as [B, Thm 1], [B, Thm 2] and [B, Cor 1] print them, to be compared with.
#
# The lower bounds are false below R_c and at small n; what holds for every n is in :mod:`sfumato.inference`
# (`risk_floor`, `l1_floor`, `users_floor`).
# Proofs: docs/theory/floors.md; counter-examples: docs/theory/binary_hadamard.md


def eq8_lower_bound(size: int, n: int, epsilon: float, random_bits: float | None = None) -> float:
    """τ of [B, eq. (8)], as printed. False below R_c and for n below the order of size²; see `risk_floor`."""
    _check_counts(size, n)
    odds, gap = math.exp(epsilon), math.expm1(epsilon)
    scarce = scarce_yes(epsilon, random_bits)
    if scarce is None:
        return size * (odds + 1) ** 2 / (16 * n * odds * gap**2)
    return size * odds / (16 * n * scarce**2 * gap**2)


def eq8_l1_lower_bound(size: int, n: int, epsilon: float, random_bits: float | None = None) -> float:
    """√(kτ/8) with τ of [B, eq. (8)], as printed; see `l1_floor`."""
    return math.sqrt(size * eq8_lower_bound(size, n, epsilon, random_bits) / 8)


def eq9_lower_bound(size: int, n: int, epsilon: float) -> float:
    """The earlier bound without a budget that [B, eq. (9)] quotes from [YB18], for n large enough."""
    _check_counts(size, n)
    check_positive("epsilon", epsilon)
    odds, gap = math.exp(epsilon), math.expm1(epsilon)
    return size * (odds + 1) ** 2 / (512 * n * gap**2) if odds < 3 else size / (64 * n * gap)


def eq11_order(size: int, n: int, epsilon: float, random_bits: float | None = None) -> float:
    """What stands inside Θ in [B, eq. (11)], for small ε. Below R_c the power of p_R is wrong."""
    _check_counts(size, n)
    return size / (n * epsilon**2 * (scarce_yes(epsilon, random_bits) or 1.0) ** 2)


def eq12_users_order(size: int, risk: float, epsilon: float, random_bits: float | None = None) -> float:
    """What stands inside Θ in [B, eq. (12)]: users for a risk, for small ε. Below R_c the power of p_R is wrong."""
    check_positive("risk", risk)
    return eq11_order(size, 1, epsilon, random_bits) / risk


def _check_counts(size: int, n: int) -> None:
    check_at_least("size", check_integer("size", size), 2)
    check_at_least("n", check_integer("n", n), 1)


# --- [B, Lemma 3]: that two reports are enough, which is true from R_c on and false below.
#
# Every term (q-q')²/(q+q') of the sum is convex and homogeneous, so merging two reports never raises it: data
# processing. Appendix C has the inequality the other way round. From R_c on two reports are best all the same, since
# every term is at most tanh²(ε/2)·(q+q') and binary randomised response has that in each. Below R_c the limit on
# entropy rules it out, and being silent most of the time and answering by it otherwise can be worth more than two.

Pair = tuple[tuple[float, ...], tuple[float, ...]]


def silent_or_answer(epsilon: float, told: float) -> Pair:
    """Three reports: with probability `told` binary randomised response, and silence otherwise."""
    keep = printed_rappor_keep(epsilon)
    return (told * keep, told * (1 - keep), 1 - told), (told * (1 - keep), told * keep, 1 - told)


def silent_contrast(epsilon: float, random_bits: float) -> float:
    """Σ(q-q')²/(q+q') of the most talkative of them that keeps the budget."""
    low, high = 0.0, 0.5
    for _ in range(80):
        middle = (low + high) / 2
        fits = entropy_bits(silent_or_answer(epsilon, middle)[0]) <= random_bits
        low, high = (middle, high) if fits else (low, middle)
    return printed_contrast(*silent_or_answer(epsilon, low))


def entropy_bits(law: tuple[float, ...]) -> float:
    """H of a law."""
    return -math.fsum(p * math.log2(p) for p in law if p)


def check_two_reports(printed: Callable[[float, float], float] = printed_two_report_contrast) -> None:
    """At ε = 3, R = 0.25 silence in 96 of 100 cases and randomised response in the others has more than two reports."""
    epsilon, budget = 3.0, 0.25
    first, second = silent_or_answer(epsilon, 0.039)
    must_show("R lies below R_c", holds=budget < inference.critical_random_bits(epsilon))
    for law in (first, second):
        must_show("it keeps the budget", holds=entropy_bits(law) < budget)
    worst = max(max(p / q, q / p) for p, q in zip(first, second, strict=True))
    must_show("it is 3-private", holds=worst < math.exp(epsilon) * (1 + 1e-12))
    found = printed_contrast(first, second)
    must_show("three reports have 0.0639", holds=math.isclose(found, 0.0639, abs_tol=5e-5))
    must_show("two have less", holds=found > 1.7 * printed(epsilon, budget))


LEMMA_3 = Erratum("Lemma 3", "error", check_two_reports)


# --- [B, Table 1]: random bits per user, as printed, computed from the channel, and as really drawn.
#
# Added: the gain of private recoverability and what levels cost, which [B, Sec. 4] states in sentences.

SIZE, EPSILON = 1000, 1.0

# Users of the metered runs: one word a bit, as `privatize` draws, and recycled, one user's law after the other.
USERS, RECYCLED = 64, 1 << 16
_SEED = 1
GAIN_SIZES, GAIN_EPSILON = (2, 4, 10), 5.0
_PRINTED_GAINS = ("94.2 %", "91.4 %", "85 %")
LEVEL_EPSILON, LEVEL_SECONDS = 1.0, (0.1, 0.5, 0.9, 0.99, 0.999)

Scheme = SymmetricUnary | RandomizedResponse | HadamardResponse | BinaryHadamard


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeRow:
    """A scheme of Table 1: the formula in print and the right one, beside the mechanism that keeps ε."""

    scheme: str
    formula: str
    correct: str
    printed: float
    mechanism: Scheme

    @property
    def computed(self) -> float:
        """max_x H(Y|X=x) of the channel; a unary report has as many independent bits as answers, all alike."""
        return self._repeats * measures.entropy_bits(Distribution(self._law))

    @property
    def verdict(self) -> str:
        """What is to be said of the printed number."""
        if abs(self.printed - self.computed) < 1e-6:
            return "agrees"
        if self.formula.startswith("≤"):
            return "is a bound" if self.printed > self.computed else "is too low"
        return "is too low" if self.printed < self.computed else "is too high"

    def drawn(self) -> float:
        """What `privatize` takes from its source for a user: whole words, for speed."""
        source = _metered()
        self.mechanism.privatize([x % self.mechanism.size for x in range(USERS)], source)
        return source.drawn_bits / USERS

    def drawn_recycled(self) -> float:
        """What the economical sampler takes for a user; a unary report is drawn bit by bit."""
        source = _metered()
        EntropyRecycling.near(self._law).sample(source, RECYCLED)
        return self._repeats * source.drawn_bits / RECYCLED

    def risk(self) -> float:
        """n·E‖raw - p‖² at uniform shares."""
        mechanism, size = self.mechanism, self.mechanism.size
        uniform = [Fraction(1, size)] * size
        if isinstance(mechanism, BinaryHadamard):
            return mechanism.groups * mechanism.risk(uniform, mechanism.groups)
        if isinstance(mechanism, RandomizedResponse):
            own, other = (mechanism.odds / (mechanism.odds + size - 1), 1 / (mechanism.odds + size - 1))
            return float(size * Fraction(1, size) * (1 - Fraction(1, size)) / (own - other) ** 2)
        return float(sum(mechanism.variance(uniform, 1), Fraction(0)))

    @property
    def _law(self) -> Sequence[Number]:
        if isinstance(self.mechanism, SymmetricUnary):
            own, _ = self.mechanism.probabilities
            return own, 1 - own
        return self.mechanism.law(0)

    @property
    def _repeats(self) -> int:
        return self.mechanism.size if isinstance(self.mechanism, SymmetricUnary) else 1


def scheme_rows(size: int = SIZE, epsilon: float = EPSILON) -> tuple[SchemeRow, ...]:
    """RAPPOR, RR, HR and BH, in the order of print."""
    rows: tuple[tuple[str, str, str, Callable[[int, float], float], Scheme], ...] = (
        (
            "RAPPOR",
            "k H2(e^ε/(e^ε+1))",
            "k H2(e^(ε/2)/(e^(ε/2)+1))",
            printed_rappor_bits,
            SymmetricUnary.within(size=size, epsilon=epsilon),
        ),
        (
            "RR",
            "log(k-1+e^ε)\n- εe^ε/(k-1+e^ε)",
            "log2(k-1+e^ε)\n- εe^ε log2(e)/(k-1+e^ε)",
            printed_rr_bits,
            RandomizedResponse.within(size=size, epsilon=epsilon),
        ),
        (
            "HR",
            "≤ log(2k(3e^ε-1)/e^ε)\n- εe^ε/(3e^ε-1)",
            "log2(t) - sεe^ε log2(e)/t,\nt = s(e^ε-1)+K, s = K/(2B)",
            printed_hr_bits,
            printed_hadamard_response(size, epsilon),
        ),
        (
            "BH",
            "H2(e^ε/(e^ε+1))",
            "the same",
            printed_bh_bits,
            BinaryHadamard.within(size=size, epsilon=epsilon),
        ),
    )
    return tuple(
        SchemeRow(scheme=scheme, formula=formula, correct=correct, printed=says(size, epsilon), mechanism=mechanism)
        for scheme, formula, correct, says, mechanism in rows
    )


def table_1(*, size: int = SIZE, epsilon: float = EPSILON) -> Table:
    """Print beside channel beside meter."""
    rows = scheme_rows(size, epsilon)
    return Table(
        title=f"Table 1 at k = {size}, ε = {epsilon:g}: random bits per user",
        columns=(
            "scheme",
            "printed formula",
            "printed",
            "correct formula",
            "channel",
            "drawn",
            "the print",
        ),
        rows=tuple(_cells(row) for row in rows),
        notes=_notes(rows, size, epsilon),
    )


def table_risk(*, size: int = SIZE, epsilon: float = EPSILON) -> Table:
    """The second row of Table 1, an order for small ε, beside exact risks at uniform shares."""
    return Table(
        title=f"Table 1, risk: n·E‖raw - p‖² at uniform shares, k = {size}, ε = {epsilon:g}",
        columns=("scheme", "printed order, times n", "its value", "exact"),
        rows=tuple(
            (row.scheme, f"k{power}/ε²", f"{size**exponent / epsilon**2:.0f}", f"{row.risk():.1f}")
            for row, (power, exponent) in zip(
                scheme_rows(size, epsilon), (("", 1), ("²", 2), ("", 1), ("", 1)), strict=True
            )
        ),
        notes=("An order leaves a constant open; these are the constants.",),
    )


def table_storage(*, sizes: tuple[int, ...] = GAIN_SIZES, epsilon: float = GAIN_EPSILON) -> Table:
    """The gain in storage that [B, Sec. 4] states at ε = 5."""
    said = dict(zip(GAIN_SIZES, _PRINTED_GAINS, strict=True)) if epsilon == GAIN_EPSILON else {}
    return Table(
        title=f"Storage saved by a key of private recoverability, ε = {epsilon:g}",
        columns=("k", "favoured keys s*", "H(U), bits", "log2 k, bits", "saved", "printed"),
        rows=tuple(_gain(ShiftKey.within(size=size, epsilon=epsilon), said.get(size, "")) for size in sizes),
    )


def table_ladder(*, epsilon: float = LEVEL_EPSILON, seconds: tuple[float, ...] = LEVEL_SECONDS) -> Table:
    """What two levels of a yes/no report cost: on one report, and drawn apart."""
    return Table(
        title=f"Random bits of two levels, ε₁ = {epsilon:g}",
        columns=("ε₂", "one report", "two reports", "times"),
        rows=tuple(
            (f"{second:g}", f"{ladder:.5f}", f"{apart:.5f}", f"{apart / ladder:.3f}")
            for second in seconds
            for ladder, apart in [(xor_ladder_bits(pair), separate_bits(pair)) for pair in [(epsilon, second)]]
        ),
        notes=(
            "One report is the ladder of Theorem 3, ΣH2(q_j); two are drawn apart, ΣH2(z_j).",
            "Section 4 says about twice when ε₁ - ε₂ is small. Twice is the limit, and it is reached slowly.",
        ),
    )


def _gain(key: ShiftKey, printed_gain: str) -> tuple[Cell, ...]:
    return (
        Fraction(key.size),
        Fraction(key.favoured),
        key.entropy_bits().midpoint,
        math.log2(key.size),
        f"{100 * key.saved().midpoint:.2f} %",
        printed_gain,
    )


def _cells(row: SchemeRow) -> tuple[Cell, ...]:
    return (
        row.scheme,
        row.formula,
        _bits(row.printed),
        row.correct,
        _bits(row.computed),
        _bits(row.drawn_recycled()),
        row.verdict,
    )


def _notes(rows: tuple[SchemeRow, ...], size: int, epsilon: float) -> tuple[str, ...]:
    rappor, hadamard = rows[0], rows[2]
    response = hadamard.mechanism
    blocks = response.blocks if isinstance(response, HadamardResponse) else 1
    wrong = (
        f"RAPPOR's printed number belongs to a 2ε-private channel: {rappor.printed / size:.3f} bits a coordinate; "
        f"{epsilon:g}-privacy takes {rappor.computed / size:.3f}."
    )
    drawn = (
        f"Drawn is what the economical sampler took for {RECYCLED} users, give or take chance; a unary report is drawn "
        f"coordinate by coordinate. privatize, made for speed, takes a 64-bit word a decision: "
        f"{', '.join(f'{row.scheme} {row.drawn():.0f}' for row in rows)} bits a user. All are metered."
    )
    return (
        wrong,
        "The terms with ε in them are nats; in bits they need a factor log2 e. HR's bound is one with either.",
        f"HR has the {blocks} blocks that the print takes from [ASZ19]; s keys of K are favoured.",
        drawn,
    )


def _bits(value: float) -> str:
    return f"{value:.4f}" if value < 100 else f"{value:.2f}"


def _metered() -> Metered:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InsecureBitsWarning)  # a count of bits, and nothing is released
        return Metered(InsecureSeeded(_SEED))


TABLES = {
    "table-1": table_1,
    "table-1-risk": table_risk,
    "storage": table_storage,
    "ladder-randomness": table_ladder,
}


# --- [B, Figs. 4a and 4b]: errors of the shares, simulated. Data first, drawing after.
#
# The print does not say how negative shares were treated. Its numbers are those of clipping and dividing by the sum, so
# that estimate, the nearest law and the raw shares stand side by side; the print averages 20 runs, we average fewer.

FloatArray = npt.NDArray[np.float64]

SIZE, RATIO = 1000, 0.8

# Figure 4a: ℓ1 error against the number of users, ε = 1.
EPSILON, BUDGETS = 1.0, (1.0, 0.7)
FIGURE_USERS = (100_000, 150_000, 250_000, 400_000, 600_000, 850_000, 1_000_000)

# Figure 4b: ℓ1 error against ε. The print speaks of R = 0.6 and of R = 0.9.
MANY, SCARCE_BUDGETS = 500_000, (1.0, 0.9, 0.6)
EPSILONS = (0.3, 0.5, 0.7, 0.85, 1.0, 1.25, 1.5, 1.7, 1.85, 2.0)
REPETITIONS = 3

_PANELS = ("negatives clipped, divided by the sum", "nearest law (projected)", "raw shares, expected")


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """Mean ℓ1 errors of one setting."""

    clipped: float
    projected: float
    raw: float
    raw_expected: float


def geometric_shares(size: int = SIZE, ratio: float = RATIO) -> FloatArray:
    """Geo(0.8) or another, cut off after `size` answers."""
    weights = ratio ** np.arange(size, dtype=np.float64)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def mechanism_of_theorem_2(epsilon: float, random_bits: float, size: int = SIZE) -> BinaryHadamard:
    """The mechanism of [B, Thm 2], even where silent-or-answer, which `BinaryHadamard.within` knows, is better."""
    plain = BinaryHadamard.within(size=size, epsilon=epsilon)
    if plain.randomness_bits().upper <= random_bits:
        return plain
    odds, yes = rarer_yes(epsilon, random_bits, plain.width)
    return BinaryHadamard(size=size, odds=odds, yes=yes)


def expected_raw_error(mechanism: BinaryHadamard, n: int, ratio: float = RATIO) -> float:
    """E‖raw - p‖₁ when each share errs normally, with its exact variance."""
    risk = mechanism.risk(geometric_shares(mechanism.size, ratio).tolist(), n)
    return math.sqrt(mechanism.size * 2 * risk / math.pi)


def l1_errors(
    epsilon: float,
    random_bits: float,
    n: int,
    repetitions: int = REPETITIONS,
    *,
    size: int = SIZE,
    ratio: float = RATIO,
) -> Errors:
    """Simulate: the same seeds, and so the same errors, each time."""
    mechanism = mechanism_of_theorem_2(epsilon, random_bits, size)
    shares = geometric_shares(size, ratio)
    found = []
    for seed in range(repetitions):
        bits = _simulation(seed)
        answers = Categorical.near(shares.tolist()).sample(bits, n)
        estimate = mechanism.estimate(mechanism.tally(mechanism.privatize(answers, bits)))
        laws = (inference.clip_normalise(estimate.raw), np.array(estimate.projected), np.array(estimate.raw))
        found.append([float(np.abs(law - shares).sum()) for law in laws])
    clipped, projected, raw = (math.fsum(column) / repetitions for column in zip(*found, strict=True))
    return Errors(clipped=clipped, projected=projected, raw=raw, raw_expected=expected_raw_error(mechanism, n, ratio))


def figure_4a(
    *,
    size: int = SIZE,
    ratio: float = RATIO,
    epsilon: float = EPSILON,
    budgets: tuple[float, ...] = BUDGETS,
    users: tuple[int, ...] = FIGURE_USERS,
    repetitions: int = REPETITIONS,
) -> Figure:
    """ℓ1 error against n at one ε, three ways to read the same reports."""
    with house_style():
        figure = new_figure(10.2, 3.7)
        panels = figure.subplots(1, 3)
        for place, budget in enumerate(budgets):
            errors = [l1_errors(epsilon, budget, n, repetitions, size=size, ratio=ratio) for n in users]
            _three(panels, [n / 1000 for n in users], errors, budget, _style(place, len(budgets)))
        for axes in panels:
            axes.set(xlabel="users n, thousands", xlim=(0, 1.04 * max(users) / 1000), ylim=(0, None))
        if (size, ratio, epsilon) == (SIZE, RATIO, EPSILON):
            panels[0].plot([150, 850], [1.4, 1.4], "x", color=BLACK, markersize=8, label="said in the print: 1.4")
        panels[0].legend(loc="lower left")
        panels[0].set_ylabel("ℓ1 error of the estimated law")
        figure.suptitle(
            f"k = {size}, Geo({ratio}), ε = {epsilon:g}; means of {repetitions} runs (left, middle)", fontsize=10
        )
        return figure


def figure_4b(
    *,
    size: int = SIZE,
    ratio: float = RATIO,
    n: int = MANY,
    budgets: tuple[float, ...] = SCARCE_BUDGETS,
    epsilons: tuple[float, ...] = EPSILONS,
    repetitions: int = REPETITIONS,
) -> Figure:
    """ℓ1 error against ε for so many users."""
    with house_style():
        figure = new_figure(10.2, 3.7)
        panels = figure.subplots(1, 3)
        for place, budget in enumerate(budgets):
            errors = [l1_errors(epsilon, budget, n, repetitions, size=size, ratio=ratio) for epsilon in epsilons]
            _three(panels, epsilons, errors, budget, _style(place, len(budgets)))
        least = min(budgets)
        silent = [BinaryHadamard.within(size=size, epsilon=epsilon, random_bits=least) for epsilon in epsilons]
        best = [expected_raw_error(mechanism, n, ratio) for mechanism in silent]
        panels[2].plot(epsilons, best, color=BLACK, linestyle=":", label=f"R = {least:g}, silence allowed")
        for axes in panels:
            axes.set(xlabel="ε, nats", xlim=(min(epsilons) - 0.1, max(epsilons) + 0.1), ylim=(0, None))
        panels[2].set(yscale="log", ylim=(1, 40) if size == SIZE else None)
        panels[2].set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
        panels[0].legend(loc="lower left")
        panels[2].legend(loc="upper right")
        panels[0].set_ylabel("ℓ1 error of the estimated law")
        figure.suptitle(
            f"k = {size}, Geo({ratio}), n = {n}; means of {repetitions} runs (left, middle). The print has R = 1 "
            f"and 0.6, and speaks of 0.9",
            fontsize=10,
        )
        return figure


def _simulation(seed: int) -> InsecureSeeded:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InsecureBitsWarning)  # a figure of made-up answers, and nothing is released
        return InsecureSeeded(seed)


def _style(place: int, count: int) -> tuple[str, str, str]:
    """Blue first and vermilion last, as in the print; others between."""
    if place == count - 1 and count > 1:
        return VERMILION, "--", "s"
    return cycled((BLUE, GREEN), place + 1)[-1], cycled(("-", "-."), place + 1)[-1], cycled(("o", "^"), place + 1)[-1]


def cycled(styles: Sequence[str], count: int) -> list[str]:
    """So many styles, beginning again after the last."""
    return [styles[place % len(styles)] for place in range(count)]


def _three(
    panels: Sequence[Axes],
    places: Sequence[float],
    errors: Sequence[Errors],
    budget: float,
    style: tuple[str, str, str],
) -> None:
    colour, line, mark = style
    columns = (
        [error.clipped for error in errors],
        [error.projected for error in errors],
        [error.raw_expected for error in errors],
    )
    for axes, title, column in zip(panels, _PANELS, columns, strict=True):
        axes.plot(places, column, color=colour, linestyle=line, marker=mark, markersize=4, label=f"R = {budget:g}")
        axes.set_title(title)


# --- [B, Figs. 5a, 5b, 6 and 7]: random bits, storage, and the best yes/no reports. Data first, drawing after.

# Figure 5: random bits of several levels. Near ε₁ one report gets cheap quickly, hence the finer steps there.
TOP = 1.0
SECONDS = (*(k / 100 for k in range(1, 90)), *(0.9 + k / 500 for k in range(49)), 0.999, 0.9999)
MANY_TOP, MOST_LEVELS = 2.0, 10

# Figure 6: storage.
STORAGE_SIZES, STORAGE_EPSILONS = (10, 100, 1000), tuple(k / 10 for k in range(1, 81))

# Figure 7: the two budgets at ε = 1.
REGION_BUDGETS = (0.5, 0.85)

_INKS, _LINES = (BLUE, VERMILION, GREEN), ("-", "--", "-.")


def printed_levels(count: int, top: float = MANY_TOP) -> tuple[float, ...]:
    """ε_j = 2 - 0.1j for j ≥ 2, as printed: the first step down is 0.2, the others are 0.1."""
    return (top, *(top - j / 10 for j in range(2, count + 1)))


def even_levels(count: int, top: float = MANY_TOP) -> tuple[float, ...]:
    """ε_j = 2 - 0.1(j-1): every step down is 0.1."""
    return tuple(top - (j - 1) / 10 for j in range(1, count + 1))


def figure_5a(*, epsilon: float = TOP) -> Figure:
    """Random bits of two levels: one report for both, and a report for each."""
    check_positive("epsilon", epsilon)
    with house_style():
        figure = new_figure(6.2, 3.9)
        axes = figure.subplots()
        seconds = [epsilon * part for part in SECONDS]
        pairs = [(epsilon, second) for second in seconds]
        apart, ladder = [separate_bits(pair) for pair in pairs], [xor_ladder_bits(pair) for pair in pairs]
        axes.plot(seconds, apart, color=VERMILION, linestyle="--", label="a report for each level")
        axes.plot(seconds, ladder, color=BLUE, label="one report, Theorem 3")
        axes.axhline(separate_bits([epsilon]), color=BLACK, linewidth=1)
        axes.text(0.02 * epsilon, separate_bits([epsilon]) + 0.03, "level 1 alone", va="bottom", fontsize=9)
        axes.set(xlabel="ε₂, nats", ylabel="random bits a user", xlim=(0, epsilon), ylim=(0, 2.05))
        axes.set_title(f"Two levels, ε₁ = {epsilon:g}")
        axes.legend(loc="lower left")
        return figure


def figure_5b(*, epsilon: float = MANY_TOP, most: int = MOST_LEVELS) -> Figure:
    """Random bits of d levels, for both readings of which epsilons the print means."""
    with house_style():
        figure = new_figure(6.2, 3.9)
        axes = figure.subplots()
        counts = range(1, most + 1)
        schemes = ((separate_bits, VERMILION, "a report for each level"), (xor_ladder_bits, BLUE, "one report"))
        readings = (
            (printed_levels, "-", "o", "full", f"ε$_j$ = {epsilon:g} - 0.1j as printed"),
            (even_levels, "--", "s", "none", f"ε$_j$ = {epsilon:g} - 0.1(j-1)"),
        )
        for bits, colour, scheme in schemes:
            for levels, line, mark, fill, reading in readings:
                axes.plot(
                    counts,
                    [bits(levels(count, epsilon)) for count in counts],
                    color=colour,
                    linestyle=line,
                    marker=mark,
                    fillstyle=fill,
                    markersize=5,
                    label=f"{scheme}, {reading}",
                )
        axes.set(
            xlabel="levels d", ylabel="random bits a user", xlim=(0.7, most + 0.3), ylim=(0, None), xticks=list(counts)
        )
        axes.set_title(f"d levels from ε₁ = {epsilon:g} down")
        axes.legend(loc="upper left")
        return figure


def _storage_bits(size: int, epsilon: float) -> float:
    return ShiftKey.within(size=size, epsilon=epsilon).entropy_bits().midpoint


def figure_6(*, sizes: tuple[int, ...] = STORAGE_SIZES, epsilons: tuple[float, ...] = STORAGE_EPSILONS) -> Figure:
    """Bits to store a key of private recoverability, against ε."""
    with house_style():
        figure = new_figure(6.2, 3.9)
        axes = figure.subplots()
        for size, colour, line in zip(sizes, cycled(_INKS, len(sizes)), cycled(_LINES, len(sizes)), strict=True):
            axes.axhline(math.log2(size), color=BLACK, linewidth=1)
            axes.text(0.825 * max(epsilons), math.log2(size) + 0.1, f"log2 {size}", ha="right", va="bottom", fontsize=9)
            bits = [_storage_bits(size, epsilon) for epsilon in epsilons]
            axes.plot(epsilons, bits, color=colour, linestyle=line, label=f"key, k = {size}")
        axes.set(
            xlabel="ε, nats", ylabel="bits to store", xlim=(0, max(epsilons)), ylim=(0, 1.54 + math.log2(max(sizes)))
        )
        axes.set_title("Storing the cheapest key instead of the answer")
        axes.legend(loc="lower left")
        return figure


def region(random_bits: float, epsilon: float, steps: int = 400) -> npt.NDArray[np.bool_]:
    """Which pairs (P(1|x), P(1|x')) of a yes/no report keep ε and R; a row for each P(1|x')."""
    first, second = np.meshgrid(*[(np.arange(steps) + 0.5) / steps] * 2)
    odds, scarce = math.exp(epsilon), inverse_binary_entropy(random_bits)
    private = np.ones_like(first, dtype=np.bool_)
    for p, q in ((first, second), (1 - first, 1 - second)):
        private &= (p <= odds * q) & (q <= odds * p)
    frugal = (np.minimum(first, 1 - first) <= scarce) & (np.minimum(second, 1 - second) <= scarce)
    return np.asarray(private & frugal)


def corners(random_bits: float, epsilon: float) -> list[tuple[float, float]]:
    """The best points of [B, eq. (25)], from the mechanism: all four below R_c, where both reports can be scarce."""
    inside, outside = (
        float(law[1]) for law in (mechanism_of_theorem_2(epsilon, random_bits, 2).law(x) for x in (0, 1))
    )
    return sorted({(inside, outside), (outside, inside), (1 - inside, 1 - outside), (1 - outside, 1 - inside)})


def figure_7(*, epsilon: float = EPSILON, budgets: tuple[float, ...] = REGION_BUDGETS) -> Figure:
    """The yes/no reports that keep ε and a budget, and the best of them."""
    with house_style():
        import matplotlib as mpl

        figure = new_figure(3.7 * len(budgets), 3.9)
        panels = figure.subplots(1, len(budgets), squeeze=False)[0]
        for axes, budget in zip(panels, budgets, strict=True):
            axes.imshow(
                region(budget, epsilon),
                origin="lower",
                extent=(0, 1, 0, 1),
                cmap=mpl.colors.ListedColormap(["white", BLUE]),
                vmin=0,
                vmax=1,
                alpha=0.45,
                interpolation="nearest",
            )
            axes.plot(*zip(*corners(budget, epsilon), strict=True), "o", color=BLACK, markersize=9, fillstyle="none")
            critical = inference.critical_random_bits(epsilon)
            axes.set_title(f"R = {budget} {'<' if budget < critical else '≥'} {critical:.3f} = R_c")
            axes.set(xlabel="P(report 1 | x)", ylabel="P(report 1 | x')", xlim=(0, 1), ylim=(0, 1), aspect="equal")
        return figure


FIGURES = {
    "figure-4a": figure_4a,
    "figure-4b": figure_4b,
    "figure-5a": figure_5a,
    "figure-5b": figure_5b,
    "figure-6": figure_6,
    "figure-7": figure_7,
}


# --- Where we depart from [B], each entry with its kind and an example that runs.

Bound = Callable[[int, int, float, float | None], float]

_SCARCE = 0.02
_WIDTH = 64


def check_lower_bound(printed: Bound = eq8_lower_bound) -> None:
    """The mechanism of [B, Thm 2] keeps ε = 1 and R = 0.02, and its largest risk is a third of the bound."""
    size = 1 << 16
    users = 1000 * (size - 1)
    odds, yes = rarer_yes(1.0, _SCARCE, _WIDTH)
    own = BinaryHadamard(size=size, odds=odds, yes=yes)
    must_show("the mechanism is 1-private", holds=Fraction(math.e) > own.odds)
    must_show("it keeps the budget", holds=own.randomness_bits().upper <= _SCARCE)
    ratio = own.largest_risk(users) / printed(size, users, 1.0, _SCARCE)
    must_show("its risk is 0.332 of the bound", holds=math.isclose(ratio, 0.332, abs_tol=5e-4))


def check_every_n(printed: Bound = eq8_lower_bound) -> None:
    """At k = 1000, ε = 0.1, n = 1772 the bound passes what guessing uniform shares risks without any report."""
    size, users = 1000, 1772
    guess = 1 - 1 / size  # sup over p of ‖1/k - p‖², at a law of one answer
    must_show("guessing beats the bound", holds=printed(size, users, 0.1, None) > 12 * guess)


def check_l1_constant(printed: Bound = eq8_l1_lower_bound) -> None:
    """Assouad's method, step by step over δ, gives half of the printed bound for a million users."""
    size, users, epsilon = 100, 10**6, 1.0
    root = math.sqrt(8 * users * inference.information_per_user(epsilon))
    steps = (i / (1000 * size) for i in range(1, 1001))
    best = max(step * size / 2 * (1 - root * step) for step in steps)
    must_show(
        "the software states what the method gives", holds=best <= inference.l1_floor(size, users, epsilon) * 1.0001
    )
    ratio = printed(size, users, epsilon, None) / best
    must_show("the print is twice that", holds=math.isclose(ratio, 2, abs_tol=1e-3))


def check_best_contrast(printed: Callable[[float, float], float] = printed_best_contrast) -> None:
    """The pair of [B, eq. (25)] itself has more than the largest value that is printed below it."""
    scarce = inverse_binary_entropy(_SCARCE)
    rarer = scarce / math.e
    found = printed_contrast((scarce, 1 - scarce), (rarer, 1 - rarer))
    must_show("the print is no upper bound", holds=found > 100 * printed(1.0, scarce))


def check_rappor_row(printed: Callable[[float], float] = printed_rappor_keep) -> None:
    """Keeping each coordinate with the printed probability makes ε twice as large."""
    for epsilon in (0.5, 1.0, 2.0):
        channel = _unary(3, Fraction(printed(epsilon)))
        must_show("the channel is 2ε-private", holds=math.isclose(measures.epsilon(channel), 2 * epsilon, rel_tol=1e-9))
        per_coordinate = measures.largest_randomness_interval(channel).upper / 3
        needed = inference.critical_random_bits(epsilon / 2)
        must_show("ε-privacy takes more bits", holds=needed > per_coordinate + 0.01)


def check_rr_bits(printed: Callable[[int, float], float] = printed_rr_bits) -> None:
    """The excess over the entropy of the channel is (log2 e - 1)·εe^ε/(k-1+e^ε)."""
    for size, epsilon in ((4, 2.0), (10, 1.0), (2, 3.0)):
        channel = RandomizedResponse.within(size=size, epsilon=epsilon).channel()
        excess = printed(size, epsilon) - measures.largest_randomness_interval(channel).upper
        odds = math.exp(epsilon)
        expected = (math.log2(math.e) - 1) * epsilon * odds / (size - 1 + odds)
        must_show("a factor log2 e is missing", holds=math.isclose(excess, expected, rel_tol=1e-6))


def check_recoverable(printed: Callable[[int, float], AnyChannel] | None = None) -> None:
    """A report that several answers favour weighs more than 1, so no key can give the answers back."""
    make = printed or (lambda size, epsilon: printed_hadamard_response(size, epsilon).channel())
    for size, epsilon, weight in ((7, 0.5, 1.0893), (10, 2.0, 1.0135)):
        channel = make(size, epsilon)
        found = float(measures.heaviest_output(channel))
        must_show(f"a column sums to {weight}", holds=math.isclose(found, weight, abs_tol=5e-5))
        must_show("no key recovers the answers", holds=not measures.is_recoverable(channel))


def check_key_objective(
    printed: Callable[[int, int, float, Logarithm], float] = printed_key_objective,
) -> None:
    """At k = 100, ε = 2 what is printed is least at s = 2 or, with log2, at 1; the entropy is least at 21."""
    size, epsilon = 100, 2.0
    best = ShiftKey.within(size=size, epsilon=epsilon)
    least = min(range(1, size), key=lambda s: _key_bits(size, s, epsilon))
    must_show("21 favoured keys are best", holds=least == best.favoured == 21)
    logarithms: tuple[tuple[Logarithm, int], ...] = ((math.log, 2), (math.log2, 1))
    for logarithm, expected in logarithms:
        found = min(range(1, size), key=lambda s, log=logarithm: printed(size, s, epsilon, log))  # type: ignore[misc]
        must_show(f"the print is least at {expected}", holds=found == expected)
        must_show("that key costs more", holds=_key_bits(size, found, epsilon) > best.entropy_bits().upper)


def check_nearest_integer(printed: Callable[[int, float], int] = printed_favoured_keys) -> None:
    """At ε = 5 the nearest whole number is 0: a uniform key, which saves nothing."""
    for size, saved in ((2, 0.9420), (4, 0.9141), (10, 0.8503)):
        found = printed(size, 5.0)
        must_show("the nearest whole number is 0", holds=found == 0)
        must_show("a uniform key costs log2 k", holds=_key_bits(size, found, 5.0) == math.log2(size))
        best = ShiftKey.within(size=size, epsilon=5.0).saved().midpoint
        must_show("one favoured key saves most of it", holds=math.isclose(best, saved, abs_tol=5e-5))


def check_parting(printed: Callable[[float], float] = printed_parting) -> None:
    """R = 0.6 is less than R_c up to ε = 1.766; the 0.8 of the print fits R = 0.9, of which it speaks next."""
    parting = printed(0.6)
    must_show("0.6 bits are too few even at its double", holds=inference.critical_random_bits(2 * parting) > 0.6)
    must_show("0.9 bits are enough at it", holds=inference.critical_random_bits(parting) < 0.9)


def _key_bits(size: int, favoured: int, epsilon: float) -> float:
    """H(U) with any number of favoured keys; with none of them it is uniform."""
    if favoured == 0:
        return math.log2(size)
    return replace(ShiftKey.within(size=size, epsilon=epsilon), favoured=favoured).entropy_bits().midpoint


def _unary(size: int, keep: Fraction) -> Channel:
    """Every bit of a row with a single one is kept with this probability."""
    return Channel(
        [
            [
                math.prod(keep if bit == (i == x) else 1 - keep for i, bit in enumerate(bits))
                for bits in itertools.product((0, 1), repeat=size)
            ]
            for x in range(size)
        ]
    )


ERRATA = (
    Erratum("Theorem 1, eq. (8), below R_c", "error", check_lower_bound),
    Erratum("Theorem 1, for every n", "error", check_every_n),
    Erratum("Theorem 1, the ℓ1 bound", "gap in a proof", check_l1_constant),
    Erratum("Lemma 2, eq. (26), below R_c", "error", check_best_contrast),
    LEMMA_3,
    Erratum("Table 1, RAPPOR", "error", check_rappor_row),
    Erratum("Table 1, RR and HR", "unit or notation", check_rr_bits),
    Erratum("Theorem 5", "error", check_recoverable),
    Erratum("Section 7.1, eq. (48)", "error", check_key_objective),
    Erratum("Section 7.1, after eq. (49)", "error", check_nearest_integer),
    Erratum("Section 4, Figure 4b", "error", check_parting),
)


# --- What [B] says in its tables, figures and text, number by number, beside what the software finds.

_BITS = 1e-6
_USERS_PER_GROUP = 1000


def _row(place: int) -> Callable[[int], SchemeRow]:
    return lambda size: scheme_rows(size, EPSILON)[place]


def _parting(random_bits: float) -> float:
    """The ε from which on so many random bits are enough; the need falls as ε grows."""
    low, high = 0.0, 50.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if inference.critical_random_bits(middle) > random_bits else (low, middle)
    return high


def _contrast(random_bits: float, epsilon: float) -> float:
    """Of the best points of Figure 7, which the mechanism of Theorem 2 has."""
    first, second = corners(random_bits, epsilon)[0]
    return printed_contrast((first, 1 - first), (second, 1 - second))


def _risk(random_bits: float) -> float:
    size = 1 << 16
    odds, yes = rarer_yes(1.0, random_bits, 64)
    return BinaryHadamard(size=size, odds=odds, yes=yes).largest_risk(_USERS_PER_GROUP * (size - 1))


def _least_objective(epsilon: float) -> int:
    return min(range(1, 100), key=lambda s: printed_key_objective(100, s, epsilon, math.log))


def _heaviest(epsilon: float) -> Number:
    return measures.heaviest_output(printed_hadamard_response(7, epsilon).channel())


def _bits_entry(place: int, what: str, says: str, by_print: Callable[[int, float], float], **more: object) -> Entry:
    row = _row(place)
    return Entry(
        ("table-1", f"{what}: random bits a user, ε = {EPSILON:g}", "k", SIZE),
        ours=lambda size: row(size).computed,
        says=says,
        printed=lambda size: by_print(size, EPSILON),
        tolerance=_BITS,
        **more,  # type: ignore[arg-type]
    )


def _risk_entry(place: int, what: str, says: str) -> Entry:
    row = _row(place)
    return Entry(
        ("table-1-risk", f"{what}: n·E‖raw - p‖² at uniform shares, ε = {EPSILON:g}", "k", SIZE),
        ours=lambda size: row(size).risk(),
        says=f"of order {says}, which leaves a constant open",
    )


def _storage_entry(size: int, says: str, saved: float, tolerance: float) -> Entry:
    return Entry(
        ("storage", f"share of storage saved, k = {size}", "ε", GAIN_EPSILON),
        ours=lambda epsilon: ShiftKey.within(size=size, epsilon=epsilon).saved().midpoint,
        says=says,
        printed=lambda _: saved,
        tolerance=tolerance,
    )


def _error_entry(random_bits: float, users: int) -> Entry:
    return Entry(
        ("figure-4a", f"ℓ1 error, ε = 1, R = {random_bits:g}, negatives clipped", "n", users),
        ours=lambda n: l1_errors(1.0, random_bits, n).clipped,
        says="1.4",
        printed=lambda _: 1.4,
        tolerance=0.05,
    )


ENTRIES = (
    _bits_entry(0, "RAPPOR", "k H2(e^ε/(e^ε+1))", printed_rappor_bits, erratum="Table 1, RAPPOR"),
    _bits_entry(1, "RR", "log(k-1+e^ε) - εe^ε/(k-1+e^ε)", printed_rr_bits, erratum="Table 1, RR and HR"),
    _bits_entry(2, "HR", "≤ log(2k(3e^ε-1)/e^ε) - εe^ε/(3e^ε-1)", printed_hr_bits, relation="≤"),
    _bits_entry(3, "BH", "H2(e^ε/(e^ε+1))", printed_bh_bits),
    _risk_entry(0, "RAPPOR", "k/ε²"),
    _risk_entry(1, "RR", "k²/ε²"),
    _risk_entry(2, "HR", "k/ε²"),
    _risk_entry(3, "BH", "k/ε²"),
    _storage_entry(2, "94.2 %", 0.942, 5e-4),
    _storage_entry(4, "91.4 %", 0.914, 5e-4),
    _storage_entry(10, "85 %", 0.85, 5e-3),
    Entry(
        ("ladder-randomness", "two levels on one report, ε₁ = 1: random bits", "ε₂", 0.9),
        ours=lambda second: xor_ladder_bits((1.0, second)),
        says="Theorem 3: ΣH2(q_j)",
        printed=lambda second: printed_ladder_bits((1.0, second)),
    ),
    Entry(
        ("ladder-randomness", "two levels on two reports, ε₁ = 1: random bits", "ε₂", 0.9),
        ours=lambda second: separate_bits((1.0, second)),
        says="ΣH2(z_j)",
        printed=lambda second: printed_separate_bits((1.0, second)),
    ),
    _error_entry(1.0, 150_000),
    _error_entry(0.7, 850_000),
    Entry(
        ("figure-4b", "the ε below which the budget costs accuracy", "R", 0.6),
        ours=_parting,
        says="0.8",
        printed=printed_parting,
        tolerance=0.05,
        erratum="Section 4, Figure 4b",
    ),
    Entry(
        ("figure-5a", "two reports cost so many times what one does, ε₁ = 1", "ε₂", 0.999),
        ours=lambda second: separate_bits((1.0, second)) / xor_ladder_bits((1.0, second)),
        says="about 2 when ε₁ - ε₂ is small",
        printed=lambda _: 2.0,
        tolerance=0.05,
    ),
    Entry(
        ("figure-5b", "d levels on one report, ε_j = 2 - 0.1j: random bits", "d", 10),
        ours=lambda count: xor_ladder_bits(printed_levels(count)),
        says="Theorem 3: ΣH2(q_j)",
        printed=lambda count: printed_ladder_bits(printed_levels(count)),
    ),
    Entry(
        ("figure-6", "bits to store a key, k = 100", "ε", 2.0),
        ours=lambda epsilon: ShiftKey.within(size=100, epsilon=epsilon).entropy_bits().midpoint,
        says="Theorem 4",
        printed=lambda epsilon: printed_key_bits(100, epsilon),
        tolerance=_BITS,
    ),
    Entry(
        ("figure-7", "largest Σ(q-q')²/(q+q') from R_c on, R = 1", "ε", 1.0),
        ours=lambda epsilon: _contrast(1.0, epsilon),
        says="that of eq. (25), q = e^ε/(e^ε+1)",
        printed=printed_largest_contrast,
        tolerance=_BITS,
    ),
    Entry(
        ("figure-7", "largest Σ(q-q')²/(q+q') below R_c, ε = 1", "R", 0.5),
        ours=lambda budget: _contrast(budget, 1.0),
        says="eq. (26): 2 p_R² (e^ε-1)²/e^(2ε)",
        printed=lambda budget: printed_best_contrast(1.0, inverse_binary_entropy(budget)),
        tolerance=_BITS,
        erratum="Lemma 2, eq. (26), below R_c",
    ),
    Entry(
        ("Lemma 3", "Σ(q-q')²/(q+q') of being silent or answering by randomised response, ε = 3", "R", 0.25),
        ours=lambda budget: silent_contrast(3.0, budget),
        says="at most that of the best two reports",
        printed=lambda budget: printed_two_report_contrast(3.0, budget),
        relation="≤",
        erratum="Lemma 3",
    ),
    Entry(
        ("Theorem 1", "largest risk of the mechanism of Theorem 2, ε = 1, k = 65536, n = 1000(k-1)", "R", 0.02),
        ours=_risk,
        says="≥ eq. (8)",
        printed=lambda budget: eq8_lower_bound(1 << 16, _USERS_PER_GROUP * ((1 << 16) - 1), 1.0, budget),
        relation="≥",
        erratum="Theorem 1, eq. (8), below R_c",
    ),
    Entry(
        ("Theorem 1", "largest risk of guessing uniform shares without any report, n = 1772, ε = 0.1", "k", 1000),
        ours=lambda size: 1 - 1 / size,
        says="≥ eq. (8), for every k and n",
        printed=lambda size: eq8_lower_bound(size, 1772, 0.1, None),
        relation="≥",
        erratum="Theorem 1, for every n",
    ),
    Entry(
        ("Theorem 5", "heaviest report of Hadamard response, k = 7", "ε", 0.5),
        ours=_heaviest,
        says="≤ 1: recoverable from its key",
        printed=lambda _: 1.0,
        relation="≤",
        erratum="Theorem 5",
    ),
    Entry(
        ("Section 7.1", "favoured keys of the cheapest key, k = 100", "ε", 2.0),
        ours=lambda epsilon: float(ShiftKey.within(size=100, epsilon=epsilon).favoured),
        says="least of eq. (48), log taken as ln",
        printed=_least_objective,
        erratum="Section 7.1, eq. (48)",
    ),
    Entry(
        ("Section 7.1", "favoured keys of the cheapest key, ε = 5", "k", 2),
        ours=lambda size: float(ShiftKey.within(size=size, epsilon=5.0).favoured),
        says="the whole number nearest to eq. (49)",
        printed=lambda size: printed_favoured_keys(size, 5.0),
        erratum="Section 7.1, after eq. (49)",
    ),
)


PAPER = Paper(
    key="B",
    title="Successive Refinement of Privacy",
    page="successive_refinement_errata",
    figures=FIGURES,
    tables=TABLES,
    errata=ERRATA,
    entries=ENTRIES,
)
