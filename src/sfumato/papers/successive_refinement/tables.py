"""[B, Table 1]: random bits per user, as printed, computed from the channel, and as really drawn.

Added: the gain of private recoverability and what levels cost, which [B, Sec. 4] states in sentences.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato import measures
from sfumato.bits import Economical, InsecureSeeded, Metered
from sfumato.errors import InsecureBitsWarning
from sfumato.mechanisms import BinaryHadamard, HadamardResponse, RandomizedResponse, SymmetricUnary
from sfumato.papers.records import Cell, Table
from sfumato.papers.successive_refinement import printed
from sfumato.prob import Distribution
from sfumato.refine.randomness import separate_bits, xor_ladder_bits
from sfumato.refine.recovery_keys import ShiftKey
from sfumato.values.checks import Number

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
        Economical.near(self._law).sample(source, RECYCLED)
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
            printed.printed_rappor_bits,
            SymmetricUnary.within(size=size, epsilon=epsilon),
        ),
        (
            "RR",
            "log(k-1+e^ε)\n- εe^ε/(k-1+e^ε)",
            "log2(k-1+e^ε)\n- εe^ε log2(e)/(k-1+e^ε)",
            printed.printed_rr_bits,
            RandomizedResponse.within(size=size, epsilon=epsilon),
        ),
        (
            "HR",
            "≤ log(2k(3e^ε-1)/e^ε)\n- εe^ε/(3e^ε-1)",
            "log2(t) - sεe^ε log2(e)/t,\nt = s(e^ε-1)+K, s = K/(2B)",
            printed.printed_hr_bits,
            printed.printed_hadamard_response(size, epsilon),
        ),
        (
            "BH",
            "H2(e^ε/(e^ε+1))",
            "the same",
            printed.printed_bh_bits,
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


TABLES: dict[str, Callable[..., Table]] = {
    "table-1": table_1,
    "table-1-risk": table_risk,
    "storage": table_storage,
    "ladder-randomness": table_ladder,
}
