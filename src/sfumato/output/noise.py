"""Designs of noise and of recoverable answers as terminal text and documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sfumato import measures
from sfumato.display.text import at_most, fraction_text, percent, percent_at_least, percent_at_most
from sfumato.errors import printable
from sfumato.ledger.dependence import condition, correlation_json
from sfumato.measures.dependence import ANYONE, NOBODY, Correlation
from sfumato.noise.channels import ExponentialDesign, FlipDesign
from sfumato.noise.gaussian_designs import GaussianDesign, PrivateMean
from sfumato.noise.shared_bits_designs import BelievedNoise
from sfumato.numbers.intervals import log2_bounds
from sfumato.recoverable.persistent import PROMISE
from sfumato.recoverable.query_files import QueryDesign

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


Lines = tuple[tuple[str, str], ...]
_MOST_ANSWERS_SHOWN = 8


def gaussian_lines(design: GaussianDesign) -> Lines:
    """What a person wants to know of Gaussian noise."""
    saved = design.paper_variance / design.variance
    return (
        ("range of the number", f"{float(design.low):g} to {float(design.high):g}"),
        ("noise", f"standard deviation {math.sqrt(design.variance):.5g}, variance {design.variance:.5g}"),
        ("tells at most", f"{at_most(design.capacity_bits)} bits about anyone (certified)"),
        ("gap of the proof", f"{design.capacity_bits.width:.1e} bits between the law that tells most and the bound"),
        ("bounded over", design.method),
        ("released on a grid of", f"{float(design.grid):.5g}"),
        ("½·log2(1 + T²/N) would ask for", f"variance {design.paper_variance:.5g}, {saved:.3f} times as much"),
    )


def mean_lines(mean: PrivateMean) -> Lines:
    """The same for a mean, with how far off it may be."""
    spread = math.sqrt(mean.variance)
    chances = tuple(
        (f"{far:.4g} or more off the expectation", f"at most {100 * mean.error_chance(far):.3g} % of the time")
        for far in (2 * spread, 3 * spread)
    )
    return (("records", f"{mean.count:,}"), *gaussian_lines(mean.design), *chances)


def flip_lines(design: FlipDesign) -> Lines:
    """What a person wants to know of a flip."""
    return (
        ("the answer is flipped", f"{100 * float(design.flip):.4f} % of the time"),
        ("tells at most", f"{at_most(design.capacity_bits)} bits about anyone (certified)"),
    )


def exponential_lines(design: ExponentialDesign) -> Lines:
    """What a person wants to know of an exponential channel."""
    right = float(max(design.channel.row(0)))
    values = "any number of values" if design.values is None else f"{design.values} values"
    return (
        ("answers", str(design.channel.shape[0])),
        ("λ, per rank of distortion", f"{design.rate:.6f}"),
        ("the true answer is told", f"{100 * right:.3g} % of the time"),
        ("tells at most", f"{at_most(design.capacity_bits)} bits about anyone whose record has {values} (certified)"),
        ("log2 k - H(Z) would say", f"{at_most(design.printed_bits)} bits"),
    )


def noise_table(title: str, lines: Lines) -> Table:
    """Two columns for rich to print."""
    from rich.table import Table  # noqa: PLC0415  rich is only needed to print

    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column("what", no_wrap=True)
    table.add_column("how much")
    for line in lines:
        table.add_row(*line)
    return table


def exponential_table(design: ExponentialDesign) -> Table | None:
    """The channel itself, where it fits a screen."""
    from rich.table import Table  # noqa: PLC0415  rich is only needed to print

    if design.channel.shape[0] > _MOST_ANSWERS_SHOWN:
        return None
    table = Table(title="Said for each true answer", title_justify="left")
    table.add_column("true")
    for label in design.channel.outputs:
        table.add_column(str(label), justify="right")
    for label, row in zip(design.channel.inputs, design.channel.array, strict=True):
        table.add_row(str(label), *(f"{100 * p:.2f} %" for p in row))
    return table


# --- Calibrated noise for a column, for the terminal and as documents
# The error, the assumption, and the error without the assumption.


# 95 % of a normal distribution lie within so many deviations; the noise is close to normal.
_TWO_SIDED_95 = 1.959964
_RARE = 0.05

Designs = Mapping[Correlation, Any]
"""What was asked for, and the same for nobody and for anyone."""


def number_lines(designs: Designs, who: Correlation, values: int | None) -> Lines:
    """What a person wants to know of noise on one number; a record holds one of so many `values`, if that is known."""
    return (
        *_deviation_lines(designs[who]),
        *assumption_lines(designs, who, values),
        *_beside(designs, who, _deviation_words),
    )


def number_document(designs: Designs, who: Correlation, values: int | None) -> dict[str, Any]:
    """The same for programs."""
    return {**_deviation_document(designs, who), **_assumption_document(designs, who, values)}


def histogram_lines(designs: Designs, who: Correlation, values: int | None) -> Lines:
    """What a person wants to know of noise on the counts of cells, each of which gets as much."""
    return (
        *_deviation_lines(designs[who], "each count"),
        *assumption_lines(designs, who, values),
        *_beside(designs, who, _deviation_words),
    )


def quantile_lines(designs: Designs, who: Correlation) -> Lines:
    """What a person wants to know of a quantile that is drawn by rank."""
    design = designs[who]
    return (
        ("told", f"one of {len(design.grid):,} values from {float(design.grid[0]):g} to {float(design.grid[-1]):g}"),
        ("which", f"{100 * float(design.share):g} % of the records lie below it, or nearly so"),
        ("rank", f"95 % of the time at most {_ranks_words(design)} farther off than the best value of the grid"),
        *assumption_lines(designs, who, None),
        *_beside(designs, who, _ranks_words),
    )


def quantile_document(designs: Designs, who: Correlation) -> dict[str, Any]:
    """The same for programs."""
    return {
        "values": len(designs[who].grid),
        "rate": str(designs[who].rate),
        "ranks_off_95": _ranks_off(designs[who]),
        "ranks_off_95_for_nobody": _ranks_off(designs[NOBODY]),
        "ranks_off_95_for_anyone": _ranks_off(designs[ANYONE]),
        **_assumption_document(designs, who, None),
    }


def assumption_lines(designs: Designs, who: Correlation, values: int | None) -> Lines:
    """What is disclosed, to whom, whom that leaves out, and the bits for these: at most those of a record."""
    design = designs[who]
    told = ("tells at most", f"{at_most(design.capacity_bits)} bits about one person, {condition(who)} (certified)")
    if who.is_anyone:
        return (told, ("assumes", "nothing: people may be alike in any way"))
    shared: Lines = ()
    if who.shared_bits is not None:
        said = f"at most {fraction_text(who.shared_bits)} bits over the whole data set (assumed, never measured)"
        shared, excluded = (("shared knowledge", said),), "who believes that all records move together"
    else:
        more = "on anybody else" if who.people == 1 else f"on {who.people} others or more"
        excluded = f"who depends {more}; a common cause that nobody knows makes everybody depend on everybody"
    return (
        told,
        *shared,
        ("leaves out", excluded),
        ("if that is false", _anyone_words(design, values)),
    )


def _anyone_words(design: Any, values: int | None) -> str:
    """What is disclosed to a reader who knows how all people are alike."""
    told, held = design.bits_for(ANYONE), _held_bits(values)
    if values is None or told < held:
        return f"at most {at_most(told)} bits, to a reader who knows how all are alike"
    what = (
        "at most 1 bit, which is all that a yes/no answer"
        if values == 2
        else f"at most {at_most(held)} bits, which is all that one of {values:,} values"
    )
    return f"{what} holds: the answer may be told"


def _held_bits(values: int | None) -> float:
    """log2 of how many values a record can hold, rounded up."""
    return math.inf if values is None else log2_bounds(Fraction(values))[1]


def _assumption_document(designs: Designs, who: Correlation, values: int | None) -> dict[str, Any]:
    design = designs[who]
    told = design.bits_for(ANYONE)
    return {
        "correlated": correlation_json(who),
        "budget_bits": design.budget_bits,
        "capacity_bits": design.capacity_bits.upper,
        "bits_for_anyone": min(told, _held_bits(values)),
        "channel_bits_for_anyone": told,
    }


def _beside(designs: Designs, who: Correlation, words: Callable[[Any], str]) -> Lines:
    """The noise of the neighbouring assumptions, for the same budget."""
    shown = (("for nobody it would be", NOBODY), ("for anyone it would be", ANYONE))
    return tuple((label, words(designs[one])) for label, one in shown if one != who)


def _deviation_lines(design: Any, what: str = "noise") -> Lines:
    deviation = _deviation(design)
    return (
        (what, f"standard deviation {deviation:.5g}"),
        ("", f"about 95 % of releases lie within ± {_TWO_SIDED_95 * deviation:.4g} of the truth"),
    )


def _deviation_words(design: Any) -> str:
    return f"standard deviation {_deviation(design):.5g}"


def _deviation_document(designs: Designs, who: Correlation) -> dict[str, Any]:
    return {
        "deviation": _deviation(designs[who]),
        "half_width_95": _TWO_SIDED_95 * _deviation(designs[who]),
        "deviation_for_nobody": _deviation(designs[NOBODY]),
        "deviation_for_anyone": _deviation(designs[ANYONE]),
    }


def _deviation(design: Any) -> float:
    return float(design.deviation) if isinstance(design, BelievedNoise) else math.sqrt(design.variance)


def _ranks_words(design: Any) -> str:
    ranks = _ranks_off(design)
    return f"{ranks:,} ranks ({100 * min(1.0, ranks / design.records):.3g} % of the records)"


def _ranks_off(design: Any) -> int:
    """P(d farther off than the best) ≤ k·e^(-λd) for k values, which is 5 % at ln(k/.05)/λ."""
    records: int = design.records
    return min(records, math.ceil(math.log(len(design.grid) / _RARE) / float(design.rate)))


# Designs of recoverable answers for the terminal.


_MOST_ROWS = 20


def query_tables(design: QueryDesign) -> list[RenderableType]:
    """Return what is promised in words, and how often to say what."""
    from rich.text import Text  # noqa: PLC0415  rich is only needed to print

    parts: list[RenderableType] = [Text(printable(line)) for line in query_words(design)]
    if design.partners is not None:
        rows = [[float(p) for p in row] for row in design.partners.rows]
        return [*parts, _matrix(design, rows, "The second value that a person may answer, drawn once and kept secret")]
    different = list(dict.fromkeys(design.channels))
    for channel in different:
        repeats = design.channels.count(channel)
        title = "" if len(design.channels) == 1 else f"{repeats} of the {len(design.channels)} answers"
        parts.append(_matrix(design, [[float(p) for p in row] for row in channel.rows], title))
    return parts


def query_words(design: QueryDesign) -> list[str]:
    """Say what a design promises."""
    query = design.query
    blind = 1 - max(query.masses)
    known = 1 - query.total
    lines = [
        f"{design.name}: each answer is right at least {percent(query.rho)} of the time.",
        f"The best guess of the data stays wrong at least {percent_at_least(design.privacy)} of the time.",
        f"Without any answer it is wrong {percent_at_least(blind)}, with the true value {percent_at_least(known)}.",
        f"Answers that are right up to {percent_at_least(query.critical_rho)} of the time would cost nothing.",
    ]
    if len(design.channels) == 1 and design.partners is None:
        place, error = measures.worst_report(design.channels[0], query.prior)
        worst = query.values[place]
        lines.append(
            f"Whatever the answer, it is wrong at least {percent_at_least(error)}; the worst answer is {worst}."
        )
    if design.search is not None:
        lines.append(f"The search for answers: {design.search}.")
    if design.partners is not None:
        lines.append(PROMISE)
    if design.converse > design.privacy:
        lines.append(f"No answers could keep it wrong more than {percent_at_most(design.converse)} of the time.")
    elif len(design.channels) > 1:
        lines.append("No answers could keep it wrong more often.")
    return lines


def _matrix(design: QueryDesign, rows: list[list[float]], title: str) -> RenderableType:
    from rich.table import Table  # noqa: PLC0415  rich is only needed to print

    table = Table(title=title or "How often to say what", title_justify="left", title_style="")
    table.add_column("if the data is")
    for value in design.query.values:
        table.add_column(printable(str(value)), justify="right")
    for label, row in list(zip(design.query.prior.labels, rows, strict=True))[:_MOST_ROWS]:
        table.add_row(printable(str(label)), *(f"{100 * p:.2f} %" for p in row))
    if len(rows) > _MOST_ROWS:
        table.caption = f"and {len(rows) - _MOST_ROWS} more values; --json has them all"
    return table
