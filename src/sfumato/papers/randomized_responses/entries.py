"""What [C] says in its table, figures and text, number by number, beside what the software finds."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

from sfumato import design, measures
from sfumato.papers.randomized_responses import printed
from sfumato.papers.records import Entry
from sfumato.values.checks import Number

QUARTER, TENTH, TWO_FIFTHS, HALF = Fraction(1, 4), Fraction(1, 10), Fraction(2, 5), Fraction(1, 2)
_WARNER, _TWO = "Table I, Warner's row", "Theorem 1, two outputs"


def _limits(delta: Fraction, weight: Fraction = HALF) -> design.Limits:
    return design.Limits.of(delta=delta, weight=weight)


def _laws(delta: Fraction) -> tuple[tuple[Number, ...], tuple[Number, ...]]:
    channel = design.best_design(_limits(delta, TWO_FIFTHS)).channel
    return tuple(design.share_law(channel, TENTH)), tuple(design.share_law(channel, 1 - TENTH))


def _summed(s: float) -> float:
    """[C, proof of Cor. 1] with its sum over the three reports."""
    p, q = _laws(QUARTER)
    divergence = measures.f_divergence(p, q, lambda ratio: ratio ** (1 + s), slope_at_infinity=math.inf)
    return math.log(3 * divergence) / s


def _covered(alpha: float) -> float:
    normal = NormalDist()
    low, high = (normal.inv_cdf(level) for level in printed.printed_normal_quantiles(alpha))
    return normal.cdf(high) - normal.cdf(low)


def _divergence(delta: Fraction) -> float:
    """D between two shares under the pair of [C, Thm 1], case (iii)."""
    channel = printed.printed_three_outputs(_limits(delta, TWO_FIFTHS))
    return measures.kullback_leibler_nats(design.share_law(channel, TENTH), design.share_law(channel, 1 - TENTH))


def _information(channel: design.SurveyDesign) -> Number:
    return channel.fisher_information(TENTH)


ENTRIES = (
    Entry(
        place="table-1",
        what="Warner: J at θ = 1/10",
        parameter="δ",
        value=QUARTER,
        ours=lambda delta: _information(design.warner(delta=delta)),
        says="p0 = [δ, 1-δ], p1 = [1-δ, δ]",
        printed=lambda delta: measures.fisher_information(printed.printed_warner(delta), TENTH),
        erratum=_WARNER,
    ),
    Entry(
        place="table-1",
        what="Warner: guess error",
        parameter="δ",
        value=QUARTER,
        ours=lambda delta: measures.weighted_guess_error(design.warner(delta=delta).channel, HALF),
        says="p0 = [δ, 1-δ], p1 = [1-δ, δ]",
        printed=lambda delta: measures.weighted_guess_error(printed.printed_warner(delta), HALF),
        erratum=_WARNER,
    ),
    Entry(
        place="table-1",
        what="unrelated question, η = 1/2: J at θ = 1/10",
        parameter="δ",
        value=QUARTER,
        ours=lambda delta: _information(design.unrelated_question(delta=delta, eta=HALF)),
        says="p0 = [δ+(1-δ)(1-η), (1-δ)η], p1 = [(1-δ)(1-η), δ+(1-δ)η]",
        printed=lambda delta: measures.fisher_information(printed.printed_unrelated_question(delta, HALF), TENTH),
    ),
    Entry(
        place="table-1",
        what="two outputs: J at θ = 1/10",
        parameter="δ",
        value=QUARTER,
        ours=lambda delta: _information(design.survey(delta=delta, outputs=2, theta=TENTH)),
        says="Theorem 1: p0 = [2a, 1-2a], p1 = [1, 0] where θ ≤ θ0",
        printed=lambda delta: measures.fisher_information(printed.printed_two_outputs(_limits(delta), TENTH), TENTH),
        erratum=_TWO,
    ),
    Entry(
        place="table-1",
        what="three outputs: J at θ = 1/10",
        parameter="δ",
        value=QUARTER,
        ours=lambda delta: _information(design.survey(delta=delta)),
        says="p0 = [1-δ, δ, 0], p1 = [1-δ, 0, δ]",
        printed=lambda delta: measures.fisher_information(printed.printed_three_outputs(_limits(delta)), TENTH),
    ),
    Entry(
        place="figure-2",
        what="3 or more reports, w = 2/5: J at θ = 1/2",
        parameter="δ",
        value=QUARTER,
        ours=lambda delta: design.survey(delta=delta, weight=TWO_FIFTHS).fisher_information(HALF),
        says="eq. (2)",
        printed=lambda delta: printed.printed_largest_information(_limits(delta, TWO_FIFTHS), HALF, 3),
    ),
    Entry(
        place="figure-2",
        what="2 reports, w = 2/5: J at θ = 1/2",
        parameter="δ",
        value=QUARTER,
        ours=lambda delta: design.survey(delta=delta, weight=TWO_FIFTHS, outputs=2, theta=HALF).fisher_information(
            HALF
        ),
        says="eq. (2)",
        printed=lambda delta: printed.printed_largest_information(_limits(delta, TWO_FIFTHS), HALF, 2),
    ),
    Entry(
        place="figure-3",
        what="2 reports, w = 1/2: J at θ = 1/10",
        parameter="δ",
        value=QUARTER,
        ours=lambda delta: _information(design.survey(delta=delta, outputs=2, theta=TENTH)),
        says="eq. (2)",
        printed=lambda delta: printed.printed_largest_information(_limits(delta), TENTH, 2),
    ),
    Entry(
        place="figure-3",
        what="Warner's curve: J at θ = 1/10",
        parameter="δ",
        value=QUARTER,
        ours=lambda delta: _information(design.warner(delta=delta)),
        says="the same as the unrelated question's with η = 1/2",
        printed=lambda delta: measures.fisher_information(printed.printed_unrelated_question(delta, HALF), TENTH),
    ),
    Entry(
        place="figure-4",
        what="largest D between θ1 = 1/10 and θ2 = 9/10, w = 2/5, nats",
        parameter="δ",
        value=QUARTER,
        ours=lambda delta: design.largest_renyi_nats(_limits(delta, TWO_FIFTHS), TENTH, 1 - TENTH, 1),
        says="D of the pair of Theorem 1, case (iii)",
        printed=_divergence,
    ),
    Entry(
        place="both-limits",
        what="guess error ≥ 3/8 and ε limited: largest J at θ = 1/10",
        parameter="ε",
        value=1.0,
        ours=lambda epsilon: _information(design.survey(guess_error=Fraction(3, 8), max_epsilon=epsilon)),
        says="not in print",
    ),
    Entry(
        place="Section V",
        what="D_{1+s}(p‖q) between θ1 = 1/10 and θ2 = 9/10, δ = 1/4, w = 2/5, nats",
        parameter="s",
        value=0.5,
        ours=lambda s: measures.renyi_nats(*_laws(QUARTER), 1 + s),
        says="(1/s) ln Σ p^(-s) q^(1+s)",
        printed=lambda s: printed.printed_renyi_nats(*_laws(QUARTER), s),
        erratum="Section V, the arguments of D_{1+s}",
    ),
    Entry(
        place="Section V",
        what="largest D_{1+s} between θ1 = 1/10 and θ2 = 9/10, δ = 1/4, w = 2/5, nats",
        parameter="s",
        value=1.0,
        ours=lambda s: design.largest_renyi_nats(_limits(QUARTER, TWO_FIFTHS), TENTH, 1 - TENTH, 1 + s),
        says="(1/s) ln max Σ_y D_f",
        printed=_summed,
        erratum="Section V, proof of Corollary 1",
    ),
    Entry(
        place="Section II",
        what="how probably the interval from Φ⁻¹(α/2) to Φ⁻¹(1-α/2) covers",
        parameter="α",
        value=0.95,
        ours=_covered,
        says="α",
        printed=lambda alpha: alpha,
        erratum="Section II, the confidence level",
    ),
    Entry(
        place="Section II",
        what="the Fisher information sought at θ = 1/10, w = 2/5",
        parameter="δ",
        value=QUARTER,
        ours=lambda delta: design.largest_fisher_information(_limits(delta, TWO_FIFTHS), TENTH, outputs=3),
        says="the least, which is 0",
        printed=lambda _: Fraction(0),
        erratum="Section II, after eq. (1)",
    ),
)
