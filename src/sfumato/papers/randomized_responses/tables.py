"""[C, Table I]: Warner's coin, the unrelated question and the optimum, as printed and recomputed.

The print compares the schemes under ½‖p_0 - p_1‖_1 ≤ δ, which is a guess error of at least (1-δ)/2 at weight ½. A row
for two outputs, which the print draws in its Figure 3, is added.
"""

from __future__ import annotations

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
    """A scheme at δ = ¼ and weight ½: the pair in print, and the best pair of the scheme that keeps the limit."""

    scheme: str
    formula: str
    printed: Channel
    recomputed: Channel
    limits: design.Limits

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
        """J_θ at θ = 1/10."""
        return measures.fisher_information(channel, THETA)


def scheme_rows(delta: Fraction = DELTA) -> tuple[SchemeRow, ...]:
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
            "unrelated question, η = 1/2",
            "[δ+(1-δ)(1-η), (1-δ)η]\n[(1-δ)(1-η), δ+(1-δ)η]",
            printed.printed_unrelated_question(delta, ETA),
            design.unrelated_question(delta=delta, eta=ETA),
        ),
        (
            "two outputs (Theorem 1, θ ≤ θ0)",
            "[2a, 1-2a]\n[1, 0]",
            printed.printed_two_outputs(limits, THETA),
            design.survey(delta=delta, outputs=2, theta=THETA),
        ),
        (
            "three outputs",
            "[1-δ, δ, 0]\n[1-δ, 0, δ]",
            printed.printed_three_outputs(limits),
            design.survey(delta=delta),
        ),
    )
    return tuple(
        SchemeRow(scheme=scheme, formula=formula, printed=pair, recomputed=best.channel, limits=limits)
        for scheme, formula, pair, best in rows
    )


def table_1() -> Table:
    """Print beside recomputed."""
    rows = scheme_rows()
    return Table(
        title="Table I at δ = 1/4, weight 1/2: guess error (3/8 or more is asked) and Fisher information J at θ = 1/10",
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
        f"Warner's printed pair has ½‖p0 - p1‖ = |1 - 2δ| = {distance}, over the limit δ = {warner.limits.delta}. It "
        f"breaks the limit for every δ < 1/3 and wastes part of it for every δ > 1/3."
    )
    price = (
        f"At the same guess error, three outputs need {ratio:.1f} times fewer respondents than Warner's coin; the "
        f"price is ε = ∞, and a chance of {exposed} that a report proves its answer."
    )
    return row, price


def _pair(channel: Channel) -> str:
    return "\n".join(f"[{', '.join(str(p) for p in row)}]" for row in channel.rows)


TABLES = {"table-1": table_1}
