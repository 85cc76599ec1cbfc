"""Plots as SVG files: estimates with their intervals, and what privacy costs. The same input gives the same bytes."""

from __future__ import annotations

import io
import math
import textwrap
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sfumato.errors import InvalidParameter
from sfumato.render.surveys import interval_name, interval_words, printable
from sfumato.values import Interval

if TYPE_CHECKING:  # matplotlib takes a second to import
    from matplotlib.figure import Figure

    from sfumato.infer import ShareEstimate
    from sfumato.study import CostLevel

# Okabe and Ito's colours, which most colour-blind readers tell apart; the dashes help where lines lie on each other.
LINE_STYLES = (("#0072b2", "-"), ("#009e73", "-"), ("#d55e00", "-"), ("#1d2733", (0, (2, 3))), ("#56b4e9", "--"))
_INK, SOFT_INK, _GRID = "#1d2733", "#5b6875", "#e3dfd5"
_MOST_GROUPS = 400
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


def estimate_svg(
    estimates: Mapping[str, ShareEstimate],
    *,
    question: str = "",
    answer: str = "yes",
    together: float | None = None,
    bands: Mapping[str, Interval] | None = None,
) -> str:
    """Draw a dot with its interval for each group, from 0 up; `bands` are drawn behind, pale and broad."""
    if not 0 < len(estimates) <= _MOST_GROUPS:
        raise InvalidParameter(
            f"estimates has {len(estimates)} groups and from 1 to {_MOST_GROUPS} can be drawn. Merge or drop some."
        )
    bands = bands or {}
    height = 1.7 + 0.42 * len(estimates) + 0.25 * len(_wrapped(question))
    kind = interval_name(next(iter(estimates.values())), together)

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        highest = max([found.interval.upper for found in estimates.values()] + [band.upper for band in bands.values()])
        right = 1.0 if highest > 0.6 else max(0.05, math.ceil(highest * 11) / 10)
        for place, (name, found) in enumerate(estimates.items()):
            if name in bands:
                axes.hlines(place, bands[name].lower, bands[name].upper, colors="#d8e6ee", linewidth=13, zorder=1)
            axes.hlines(place, found.interval.lower, found.interval.upper, colors="#0072b2", linewidth=2.4, zorder=2)
            axes.plot([found.share], [place], "o", color="#0072b2", markersize=7, zorder=3, clip_on=False)
            flag = " *" if found.notes else ""
            words = f"{100 * found.share:.1f} %  ({interval_words(found.interval)}, n = {found.total:,}){flag}"
            axes.annotate(
                words, (1.02, place), xycoords=("axes fraction", "data"), va="center", fontsize=10, color=SOFT_INK
            )
        axes.set_yticks(range(len(estimates)), [_short(name) for name in estimates])
        axes.set_ylim(len(estimates) - 0.5, -0.5)
        axes.set_xlim(0, right)
        axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.6g} %")
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.tick_params(left=False)
        axes.spines["left"].set_visible(False)
        note = "\npale: where the estimate could lie if some ignored the instructions" if bands else ""
        flagged = (
            "\n* see the notes: reports that no share explains well"
            if any(found.notes for found in estimates.values())
            else ""
        )
        axes.set_xlabel(f"share of “{_short(answer)}” with {kind}{note}{flagged}")
        figure_title(figure, question)

    return figure_svg(draw, (9.6, height))


def cost_svg(levels: Sequence[CostLevel], *, guess_error: float | None = None, goal: str = "", title: str = "") -> str:
    """Draw the respondents that each design needs (log axis) against the guess error; `guess_error` is marked."""
    if len(levels) < 2:
        raise InvalidParameter(f"levels has {len(levels)} entries and a curve needs at least 2. Give more levels.")
    names = [name for name, _ in levels[0].respondents]
    errors = [float(level.guess_error) for level in levels]

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        for i, name in enumerate(names):
            colour, dashes = LINE_STYLES[i % len(LINE_STYLES)]
            needs = [dict(level.respondents)[name] for level in levels]
            shown = [n if math.isfinite(n) and n > 0 else math.nan for n in needs]
            axes.plot(errors, shown, color=colour, linestyle=dashes, linewidth=2.2, label=name)
            if guess_error is not None and guess_error in errors:
                axes.plot([guess_error], [shown[errors.index(guess_error)]], "o", color=colour, markersize=6)
        if guess_error is not None:
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
        figure_title(figure, title, goal)

    return figure_svg(draw, (9.6, 6.0))


def figure_title(figure: Figure, title: str, subtitle: str = "") -> None:
    """Write a title and a line below it, wrapped."""
    lines = [*_wrapped(title), *_wrapped(subtitle)]
    if lines:
        figure.suptitle("\n".join(lines), x=0.02, ha="left", fontsize=12)


def figure_svg(draw: Callable[[Figure], None], size: tuple[float, float]) -> str:
    """Draw a figure in the house style; the same drawing gives the same bytes."""
    import matplotlib as mpl  # noqa: PLC0415  takes a second to import
    import matplotlib.style  # noqa: PLC0415
    from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.layout_engine import ConstrainedLayoutEngine  # noqa: PLC0415

    # A user's own settings must not change the bytes, and a letter that one font lacks is the viewer's to find.
    with mpl.style.context(["default", _RC]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.12))
        FigureCanvasSVG(figure)
        draw(figure)
        sink = io.StringIO()
        figure.savefig(sink, format="svg", metadata={"Date": None, "Creator": "sfumato"})
    return sink.getvalue()


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(printable(text), 84)[:6]


def _short(name: str) -> str:
    shown = printable(name)
    return shown if len(shown) <= 28 else shown[:27] + "…"
