"""Channels as pictures."""

from __future__ import annotations

import numpy as np

from sfumato.display.heatmaps import channel_heatmap, shifts_heatmap
from sfumato.prob.channel import Channel
from sfumato.prob.structured import AnyChannel


def heatmap_svg(channel: AnyChannel) -> str:
    """Draw P(y|x), inputs downwards and outputs to the right; a large structured channel shows its shift law.

    Returns:
        The picture, as text of an SVG file.

    >>> import re
    >>> import sfumato as sf
    >>> picture = sf.output.heatmap_svg(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    >>> re.findall("<title>(.*?)</title>", picture)
    ['P(report | answer): 2 answers downwards, 2 reports to the right', '0.75', '0.25', '0.25', '0.75']
    """
    if isinstance(channel, Channel):
        return channel_heatmap(channel.array, channel.inputs, channel.outputs)
    return shifts_heatmap(np.array([float(value) for value in channel.law]))
