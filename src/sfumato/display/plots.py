"""Line plots as SVG files; the same input gives the same bytes."""

from __future__ import annotations

import io
import math
import textwrap
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sfumato.errors import InvalidParameter, printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sfumato.study.question_plans import CostCurve, QuestionPlan


# Okabe and Ito's colours, which most colour-blind readers can distinguish; the dashes help where lines overlap.
LINE_STYLES = (("#0072b2", "-"), ("#009e73", "-"), ("#d55e00", "-"), ("#1d2733", (0, (2, 3))), ("#56b4e9", "--"))
_REACH = 1.959964
_INK, SOFT_INK, _GRID = "#1d2733", "#5b6875", "#e3dfd5"
_RC: dict[str, Any] = {
    "svg.hashsalt": "sfumato",
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and translated
    "text.parse_math": False,  # a label may hold a dollar sign
    "font.family": "sans-serif",
    "font.size": 11,
    "axes.edgecolor": SOFT_INK,
    "axes.labelcolor": _INK,
    "text.color": _INK,
    "xtick.color": SOFT_INK,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": _GRID,
}


def plan_svg(plans: Sequence[QuestionPlan], *, population: int | None, title: str) -> str:
    """Draw what a plan has to show: accuracy against ε where questions have levels, else respondents by guess error.

    Returns:
        The picture, as text of an SVG file.

    Raises:
        InvalidParameter: no question has anything to draw.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> from sfumato.display.plots import plan_svg
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> picture = plan_svg(sf.plan(study).questions, population=1000, title="Rest")
    >>> picture[:13], "What each reader's key costs in accuracy" in picture
    ('<?xml version', True)
    """
    curves = [planned for planned in plans if planned.curve is not None]
    if curves:
        return accuracy_svg(curves, population=population, title=title)
    costs = [planned for planned in plans if planned.costs is not None]
    if not costs:
        raise InvalidParameter(
            "has nothing to draw: no question of the study has a curve",
            parameter="plot",
            way_out="Leave out `plot`.",
        )
    first = costs[0]
    if first.costs is None:
        return ""
    return cost_svg(first.costs(), title=first.question.text)


def accuracy_svg(plans: Sequence[QuestionPlan], *, population: int | None, title: str) -> str:
    """Draw the half-width of an interval against ε for every question; the study's levels are marked.

    Returns:
        The picture, as text of an SVG file.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> from sfumato.display.plots import accuracy_svg
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> picture = accuracy_svg(sf.plan(study).questions, population=1000, title="Rest")
    >>> "95 % interval of a share, 1,000 respondents" in picture
    True
    """
    people = population or 1000
    scale = _REACH / math.sqrt(people)

    def draw(figure: Figure) -> None:
        from matplotlib.ticker import LogLocator  # noqa: PLC0415  takes a second to import

        axes = figure.add_subplot()
        for i, planned in enumerate(plans):
            curve = planned.curve
            if curve is None:
                continue
            colour, dashes = LINE_STYLES[i % len(LINE_STYLES)]
            axes.plot(
                [epsilon for epsilon, _ in curve.points],
                [scale * deviation for _, deviation in curve.points],
                color=colour,
                linestyle=dashes,
                linewidth=2.2,
                label=planned.question.id,
            )
            for epsilon, deviation, readers in curve.marks:
                axes.plot([epsilon], [scale * deviation], "o", color=colour, markersize=6)
                if i == 0:
                    axes.axvline(epsilon, color=SOFT_INK, linewidth=1, linestyle=":")
                    axes.annotate(
                        ", ".join(readers),
                        (epsilon, 1.01),
                        xycoords=("data", "axes fraction"),
                        ha="center",
                        fontsize=9,
                    )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks([0.1, 0.2, 0.5, 1, 2, 5], ["0.1", "0.2", "0.5", "1", "2", "5"])
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_minor_formatter(lambda _value, _: "")
        axes.yaxis.set_major_formatter(lambda value, _: f"± {100 * value:g} points")
        axes.yaxis.set_minor_formatter(lambda _value, _: "")
        axes.grid(which="major")
        axes.set_axisbelow(True)
        axes.set_xlabel("ε, nats (less is more private)")
        axes.set_ylabel(f"95 % interval of a share, {people:,} respondents")
        axes.legend(frameon=False, loc="lower left")
        figure_title(figure, title, "What each reader's key costs in accuracy")

    return figure_svg(draw, (9.6, 6.0))


def cost_svg(curve: CostCurve, *, title: str = "") -> str:
    """Draw the respondents that each design needs (log axis) against the guess error; that of the study is marked.

    Returns:
        The picture, as text of an SVG file.

    Raises:
        InvalidParameter: the curve has fewer than two levels.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> from sfumato.display.plots import cost_svg
    >>> asked = sf.Card(id="tired", text="Tired?", guess_error=Fraction(3, 8))
    >>> planned, = sf.plan(sf.Study(name="Rest", questions=(asked,))).questions
    >>> curve = planned.costs()
    >>> [name for name, _ in curve.levels[0].respondents]
    ['three outputs', 'two outputs', 'Warner', 'unrelated question']
    >>> "respondents needed, about" in cost_svg(curve, title="Rest")
    True
    """
    levels, guess_error = curve.levels, float(curve.guess_error)
    if len(levels) < 2:
        raise InvalidParameter(
            f"has {len(levels)} levels, and a curve needs at least 2", parameter="curve", way_out="Give more levels."
        )
    names = [name for name, _ in levels[0].respondents]
    errors = [float(level.guess_error) for level in levels]

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        for i, name in enumerate(names):
            colour, dashes = LINE_STYLES[i % len(LINE_STYLES)]
            needs = [dict(level.respondents)[name] for level in levels]
            shown = [n if math.isfinite(n) and n > 0 else math.nan for n in needs]
            axes.plot(errors, shown, color=colour, linestyle=dashes, linewidth=2.2, label=name)
            if guess_error in errors:
                axes.plot([guess_error], [shown[errors.index(guess_error)]], "o", color=colour, markersize=6)
        axes.axvline(guess_error, color=SOFT_INK, linewidth=1, linestyle=":")
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.6g} %")
        axes.set_xlim(0, 0.5)
        axes.grid(which="major")
        axes.set_axisbelow(True)
        axes.set_xlabel(
            "guess error: how often the best guess of a respondent's answer is wrong (more is more private)"
        )
        axes.set_ylabel("respondents needed, about")
        axes.legend(frameon=False, loc="upper left")
        figure_title(figure, title, curve.goal)

    return figure_svg(draw, (9.6, 6.0))


def figure_title(figure: Figure, title: str, subtitle: str = "") -> None:
    """Write a title and a line below it, wrapped."""
    lines = [*wrapped(title), *wrapped(subtitle)]
    if lines:
        figure.suptitle("\n".join(lines), x=0.02, ha="left", fontsize=12)


def figure_svg(draw: Callable[[Figure], None], size: tuple[float, float]) -> str:
    """Draw a figure in Sfumato's style; the same drawing gives the same bytes."""
    import matplotlib as mpl  # noqa: PLC0415  takes a second to import
    import matplotlib.style  # noqa: PLC0415
    from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.layout_engine import ConstrainedLayoutEngine  # noqa: PLC0415

    # A user's own settings must not change the bytes, and the viewer finds a letter that one font lacks.
    with mpl.style.context(["default", _RC]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.12))
        FigureCanvasSVG(figure)
        draw(figure)
        sink = io.StringIO()
        figure.savefig(sink, format="svg", metadata={"Date": None, "Creator": "sfumato"})
    return sink.getvalue()


def wrapped(text: str) -> list[str]:
    """Cut a text into lines that fit above a picture, and drop the rest of a very long one."""
    return textwrap.wrap(printable(text), 84)[:6]


def short_name(name: str) -> str:
    """Cut a label to what fits beside an axis."""
    shown = printable(name)
    return shown if len(shown) <= 28 else shown[:27] + "…"
