"""Channels from what people hand in: the one place where nested lists and arrays become channels."""

from __future__ import annotations

from sfumato.prob.channel import Channel
from sfumato.prob.circulant import AnyChannel, Circulant
from sfumato.prob.exact import RowsLike

ChannelLike = AnyChannel | RowsLike
"""A channel, or its rows: nested lists, an array with two dimensions, or a data frame."""


def as_channel(value: ChannelLike, parameter: str = "channel") -> AnyChannel:
    """Return a channel as it is, and rows as a channel; errors name the parameter.

    Rows of integers and Fractions make an exact channel, one float makes it float64, as `Channel(rows)` does.

    Parameters:
        value: A channel, or its rows in nested lists, an array or a data frame.
        parameter: What an error calls the value.

    Raises:
        InvalidLaw: the rows are not those of a channel.

    >>> import sfumato as sf
    >>> sf.prob.as_channel([[0.75, 0.25], [0.25, 0.75]])
    <Channel 2×2, float64>
    """
    if isinstance(value, Channel | Circulant):
        return value
    return Channel._of_rows(value, parameter)  # noqa: SLF001  its own kind
