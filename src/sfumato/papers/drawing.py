"""One style for every figure, and files that come out the same, byte for byte, each time they are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING

from sfumato.values.checks import Number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart by colour-blind readers too; line styles differ as well, for paper.
BLUE, VERMILION, GREEN, BLACK, GREY = "#0072B2", "#D55E00", "#009E73", "#1d2733", "#6b7680"
SURFACE = "cividis"

_STYLE = {
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelcolor": BLACK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that every machine has it
    "font.size": 10,
    "grid.color": "#e3e0d8",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "savefig.dpi": 160,
    "svg.fonttype": "path",
    "svg.hashsalt": "sfumato",
    "text.color": BLACK,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": BLACK,
    "ytick.labelcolor": BLACK,
}


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of so many inches."""
    from matplotlib.figure import Figure  # noqa: PLC0415  heavy, and only drawing needs it

    return Figure(figsize=(width, height))


def floats(values: Iterable[Number]) -> list[float]:
    """Return exact numbers as an axis wants them."""
    return [float(value) for value in values]


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in our style, whatever the user's own settings are, and leave those as they were."""
    import matplotlib as mpl  # noqa: PLC0415  half a second, and only drawing needs it

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)  # type: ignore[arg-type]
        yield


def svg_bytes(figure: Figure) -> bytes:
    """Return the figure as SVG: no date, no random names.

    >>> from matplotlib.figure import Figure
    >>> import sfumato as sf
    >>> figure = Figure(figsize=(1, 1))  # or one of paper.figures, called
    >>> drawn = sf.papers.svg_bytes(figure)
    >>> drawn[:13], drawn == sf.papers.svg_bytes(figure)
    (b'<?xml version', True)
    """
    return _saved(figure, "svg", {"Date": None, "Creator": "Sfumato"})


def png_bytes(figure: Figure) -> bytes:
    """Return the figure as PNG.

    >>> from matplotlib.figure import Figure
    >>> import sfumato as sf
    >>> sf.papers.png_bytes(Figure(figsize=(1, 1)))[1:4]
    b'PNG'
    """
    return _saved(figure, "png", {"Software": "Sfumato"})


def _saved(figure: Figure, kind: str, metadata: dict[str, str | None]) -> bytes:
    stream = BytesIO()
    with house_style():
        figure.savefig(stream, format=kind, metadata=metadata)
    return stream.getvalue()
