"""Tables of probabilities as pictures: darker is likelier."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from sfumato.numbers.exact import FloatArray

_MOST_CELLS = 96
_MOST_NUMBERED = 10
_CELL = 56
_MARGIN_LEFT = 96
_MARGIN_TOP = 44
_PIXELS = 560
_LABEL_LENGTH = 12


def channel_heatmap(matrix: FloatArray, inputs: Sequence[object], outputs: Sequence[object]) -> str:
    """Draw P(y|x), inputs downwards and outputs to the right; a small one with its labels."""
    rows, columns = matrix.shape
    title = f"P(report | answer): {rows} answers downwards, {columns} reports to the right"
    whole = max(matrix.shape) <= 2 * _MOST_NUMBERED
    across = [str(label) for label in outputs] if whole else []
    down = [str(label) for label in inputs] if whole else []
    return _svg(_shrink(matrix), title, down, across, height=None)


def shifts_heatmap(law: FloatArray) -> str:
    """Draw the law of the shift U of Y = X + U mod K in one line."""
    title = f"Law of the shift U in Y = X + U mod {len(law)}"
    return _svg(_shrink(law[None]), title, ["U"], [], height=72)


def _svg(matrix: FloatArray, title: str, inputs: list[str], outputs: list[str], *, height: int | None) -> str:
    rows, columns = matrix.shape
    cell = min(float(_CELL), _PIXELS / columns)
    tall = cell if height is None else float(height)
    width = _MARGIN_LEFT + cell * columns + 8
    full = _MARGIN_TOP + tall * rows + 8
    top = float(matrix.max()) or 1.0
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="heatmap" role="img" viewBox="0 0 {width:.0f} {full:.0f}" '
        f'width="{width:.0f}" height="{full:.0f}"><title>{escape(title)}</title>'
    )
    parts = [head]
    for y, label in enumerate(outputs):
        centre = _MARGIN_LEFT + cell * (y + 0.5)
        parts.append(
            f'<text class="label" x="{centre:.1f}" y="{_MARGIN_TOP - 10}" text-anchor="middle">{_cut(label)}</text>'
        )
    for x in range(rows):
        middle = _MARGIN_TOP + tall * (x + 0.5)
        if x < len(inputs):
            parts.append(
                f'<text class="label" x="{_MARGIN_LEFT - 10}" y="{middle + 4:.1f}" text-anchor="end">'
                f"{_cut(inputs[x])}</text>"
            )
        for y in range(columns):
            share = float(matrix[x, y])
            left = _MARGIN_LEFT + cell * y
            shade = share / top
            parts.append(
                f'<rect class="cell" x="{left:.2f}" y="{_MARGIN_TOP + tall * x:.2f}" width="{cell + 0.3:.2f}" '
                f'height="{tall + 0.3:.2f}" fill="{_colour(shade)}"><title>{share:.6g}</title></rect>'
            )
            if max(rows, columns) <= _MOST_NUMBERED and height is None:
                ink = "#fff" if shade > 0.55 else "#1d2733"
                parts.append(
                    f'<text x="{left + cell / 2:.1f}" y="{middle + 4:.1f}" text-anchor="middle" fill="{ink}">'
                    f"{_number(share)}</text>"
                )
    parts.append("</svg>")
    return "".join(parts)


def _shrink(matrix: FloatArray) -> FloatArray:
    """Large tables are drawn by the largest entry of each block, so that nothing sharp is averaged away."""
    for axis in (0, 1):
        size = matrix.shape[axis]
        if size > _MOST_CELLS:
            starts = np.unique(np.linspace(0, size, _MOST_CELLS, endpoint=False).astype(int))
            matrix = np.maximum.reduceat(matrix, starts, axis=axis)
    return matrix


def _colour(shade: float) -> str:
    """From paper to deep blue-green, evenly in lightness."""
    low, high = (244, 241, 234), (17, 74, 92)
    red, green, blue = (round(a + (b - a) * shade) for a, b in zip(low, high, strict=True))
    return f"rgb({red},{green},{blue})"


def _number(share: float) -> str:
    if share in (0.0, 1.0):
        return f"{share:.0f}"
    return f"{share:.3f}".lstrip("0") if share >= 0.0005 else f"{share:.0e}"


def _cut(label: str) -> str:
    return escape(label if len(label) <= _LABEL_LENGTH else label[: _LABEL_LENGTH - 1] + "…")
