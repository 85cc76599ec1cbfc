"""The balance function as an SVG picture: what an adversary's ignorance is worth, with the band that is proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sfumato.errors import InvalidParameter
from sfumato.printing import printable
from sfumato.render.plots import LINE_STYLES, SOFT_INK, figure_svg, figure_title

if TYPE_CHECKING:  # matplotlib takes a second to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sfumato.measures.balances.functions import Balance

_MOST_CURVES = len(LINE_STYLES)


def balance_svg(
    curves: Mapping[str, Sequence[Balance]], *, plateaus: Mapping[str, float] | None = None, title: str = ""
) -> str:
    """Draw g(b) for each named curve, and where its plateau ends.

    At a point the two bounds are those computed there. Between two points g is known by its monotonicity alone
    [E, Lemma 1]: no less than the lower bound on the left, no more than the upper bound on the right. The pale band is
    what follows from that, so it holds everywhere, and the line through the middles is only there to guide the eye.

    Returns:
        The picture, as text of an SVG file.

    >>> import sfumato as sf
    >>> total = sf.Channel([[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]])  # how many of two people said yes
    >>> curve = sf.measures.balance_curve(total, (2, 2), [0.0, 1.0, 2.0])
    >>> [round(found.bits.upper, 3) for found in curve]
    [0.0, 0.0, 0.5]
    >>> "bits less about one record" in sf.render.balance_svg({"the total": curve})
    True
    """
    ordered = {name: sorted(curve, key=lambda found: found.b) for name, curve in curves.items()}
    ends = dict(plateaus or {})
    _check(ordered, ends)

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        for place, (name, curve) in enumerate(ordered.items()):
            _curve(axes, place, _label(name, ends.get(name)), curve, ends.get(name))
        whole = [curve[0].unconstrained.upper for curve in ordered.values()]
        highest = max(whole)
        subject = "all that the report" if highest - min(whole) < 1e-3 else "the most that one of these reports"
        rightmost = max(curve[-1].b for curve in ordered.values())
        axes.axhline(highest, color=SOFT_INK, linewidth=1, linestyle=":")
        axes.annotate(
            f"{subject} can say about one record: {highest:.3f} bits",
            (0.0, highest),
            xytext=(4, 4),
            textcoords="offset points",
            fontsize=10,
            color=SOFT_INK,
        )
        axes.set_xlim(0, 1.01 * rightmost)
        axes.set_ylim(0, 1.12 * highest if highest > 0 else 1.0)
        axes.grid(which="major")
        axes.set_axisbelow(True)
        axes.set_xlabel("how little every adversary knows: entropy of the data beforehand, at least this many bits")
        axes.set_ylabel("bits less about one record")
        axes.legend(frameon=False, loc="center left")
        figure_title(figure, title)

    return figure_svg(draw, (9.6, 5.6))


def _curve(axes: Axes, place: int, label: str, curve: Sequence[Balance], end: float | None) -> None:
    colour, dashes = LINE_STYLES[place]
    points = [found.b for found in curve]
    lower, upper = [found.bits.lower for found in curve], [found.bits.upper for found in curve]
    for left in range(len(curve) - 1):
        axes.fill_between(
            points[left : left + 2], lower[left], upper[left + 1], color=colour, alpha=0.22, linewidth=0, zorder=1
        )
    middles = [found.bits.midpoint for found in curve]
    axes.plot(points, middles, color=colour, linestyle=dashes, linewidth=2.0, label=label, zorder=2)
    if end is not None:
        # Plateaus often end together: a smaller dot on a larger one shows both.
        axes.plot([end], [0.0], "o", color=colour, markersize=14 - 2.8 * place, clip_on=False, zorder=3)


def _label(name: str, end: float | None) -> str:
    shown = printable(name)[:40]
    return shown if end is None else f"{shown}: nothing gained up to {end:.4g} bits (dot)"


def _check(curves: Mapping[str, Sequence[Balance]], ends: Mapping[str, float]) -> None:
    if not 0 < len(curves) <= _MOST_CURVES:
        raise InvalidParameter(
            f"has {len(curves)} entries, and from 1 to {_MOST_CURVES} can be told apart",
            parameter="curves",
            way_out="Draw fewer at once.",
        )
    for name, curve in curves.items():
        if len(curve) < 2:
            raise InvalidParameter(
                f"the curve {printable(name)[:40]!r} has {len(curve)} points, and a curve needs at least 2",
                way_out="Give more points to balance_curve().",
            )
    unknown = sorted(set(ends) - set(curves))
    if unknown:
        raise InvalidParameter(
            f"names {printable(unknown[0])[:40]!r}, which is none of the curves",
            parameter="plateaus",
            way_out="Use the same names in both.",
        )
