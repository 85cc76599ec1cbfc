"""[C, Table I]: Warner's coin, the unrelated question and the optimum, as printed and recomputed.

The print compares the schemes under ½‖p_0 - p_1‖_1 ≤ δ, which is a guess error of at least (1-δ)/2 at weight ½. A row
for two outputs, which the print draws in its Figure 3, is added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from sfumato import design, measures
from sfumato.papers.randomized_responses import printed
from sfumato.papers.records import Cell, Table
from sfumato.prob import Channel
from sfumato.values.checks import Number

DELTA, THETA, ETA = Fraction(1, 4), Fraction(1, 10), Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeRow:
    """A scheme at weight ½: the pair in print, and the best pair of the scheme that keeps the limit, at a share θ."""

    scheme: str
    formula: str
    printed: Channel
    recomputed: Channel
    limits: design.Limits
    theta: Fraction = THETA

    @property
    def verdict(self) -> str:
        """What is to be said of the printed pair."""
        error = measures.weighted_guess_error(self.printed, self.limits.weight)
        if error < self.limits.guess_error:
            return "breaks the limit"
        if self.information(self.printed) < self.information(self.recomputed):
            return "is not the best"
        return "agrees"

    def guess_error(self, channel: Channel) -> Number:
        """The guesser's error at weight ½."""
        return measures.weighted_guess_error(channel, self.limits.weight)

    def information(self, channel: Channel) -> Number:
        """J_θ."""
        return measures.fisher_information(channel, self.theta)


def scheme_rows(delta: Fraction = DELTA, theta: Fraction = THETA, eta: Fraction = ETA) -> tuple[SchemeRow, ...]:
    """The schemes of Table I and the two-output optimum, worst first."""
    limits = design.Limits.of(delta=delta)
    rows = (
        (
            "Warner",
            "[δ, 1-δ]\n[1-δ, δ]",
            printed.printed_warner(delta),
            design.warner(delta=delta),
        ),
        (
            f"unrelated question, η = {eta}",
            "[δ+(1-δ)(1-η), (1-δ)η]\n[(1-δ)(1-η), δ+(1-δ)η]",
            printed.printed_unrelated_question(delta, eta),
            design.unrelated_question(delta=delta, eta=eta),
        ),
        (
            *_two_outputs(limits, theta),
            printed.printed_two_outputs(limits, theta),
            design.survey(delta=delta, outputs=2, theta=theta),
        ),
        (
            "three outputs",
            "[1-δ, δ, 0]\n[1-δ, 0, δ]",
            printed.printed_three_outputs(limits),
            design.survey(delta=delta),
        ),
    )
    return tuple(
        SchemeRow(scheme=scheme, formula=formula, printed=pair, recomputed=best.channel, limits=limits, theta=theta)
        for scheme, formula, pair, best in rows
    )


def table_1(*, delta: Fraction = DELTA, theta: Fraction = THETA, eta: Fraction = ETA) -> Table:
    """Print beside recomputed."""
    rows = scheme_rows(delta, theta, eta)
    asked = rows[0].limits.guess_error
    return Table(
        title=f"Table I at δ = {delta}, weight 1/2: guess error ({asked} or more is asked) and Fisher information J at "
        f"θ = {theta}",
        columns=(
            "scheme",
            "printed p0, p1",
            "guess error, printed",
            "J, printed",
            "correct p0, p1",
            "guess error, correct",
            "J, correct",
            "the print",
        ),
        rows=tuple(_cells(row) for row in rows),
        notes=_notes(rows),
    )


def _cells(row: SchemeRow) -> tuple[Cell, ...]:
    return (
        row.scheme,
        f"{row.formula}\nthat is\n{_pair(row.printed)}",
        row.guess_error(row.printed),
        float(row.information(row.printed)),
        _pair(row.recomputed),
        row.guess_error(row.recomputed),
        float(row.information(row.recomputed)),
        row.verdict,
    )


def _notes(rows: tuple[SchemeRow, ...]) -> tuple[str, ...]:
    warner, best = rows[0], rows[-1]
    ratio = float(best.information(best.recomputed)) / float(warner.information(warner.recomputed))
    exposed = measures.exposure(best.recomputed)
    distance = measures.total_variation(*warner.printed.rows)
    row = (
        f"Warner's printed pair has ½‖p0 - p1‖ = |1 - 2δ| = {distance}; the limit is δ = {warner.limits.delta}. It "
        f"breaks the limit for every δ < 1/3 and wastes part of it for every δ > 1/3."
    )
    price = (
        f"At the same guess error, three outputs need {ratio:.1f} times fewer respondents than Warner's coin; the "
        f"price is ε = ∞, and a chance of {exposed} that a report proves its answer."
    )
    return row, price


def _two_outputs(limits: design.Limits, theta: Fraction) -> tuple[str, str]:
    """Which case of Theorem 1 a share belongs to, and its printed pair."""
    if theta <= (limits.weight - limits.guess_error) / limits.delta:
        return "two outputs (Theorem 1, θ ≤ θ0)", "[2a, 1-2a]\n[1, 0]"
    return "two outputs (Theorem 1, θ > θ0)", "[1, 0]\n[2a, 1-2a]"


def _pair(channel: Channel) -> str:
    return "\n".join(f"[{', '.join(str(p) for p in row)}]" for row in channel.rows)


TABLES: dict[str, Callable[..., Table]] = {"table-1": table_1}
