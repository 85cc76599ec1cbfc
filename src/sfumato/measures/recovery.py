"""Whether X can be recovered from the report and a key that is independent of X. Ref: [B, Lemma 6]; Birkhoff's theorem.

max_y Σ_x Q(y|x) ≤ 1 is necessary and sufficient: such a channel can be padded to a doubly stochastic matrix, which is a
mixture of permutations; the key is the permutation that was drawn.
"""

from __future__ import annotations

from sfumato.prob import ChannelLike, as_channel
from sfumato.prob.exact import ROW_SUM_TOLERANCE
from sfumato.values.checks import Number


def heaviest_output(channel: ChannelLike) -> Number:
    """max_y Σ_x Q(y|x): at most 1 exactly where some key turns reports back into data [B, Lemma 6].

    >>> import sfumato as sf
    >>> sf.measures.heaviest_output(sf.Channel([[0.5, 0.5, 0], [0.5, 0, 0.5]]))
    1.0
    >>> sf.measures.heaviest_output(sf.Channel([[0.75, 0.25], [0.75, 0.25]]))
    1.5
    """
    return max(total for total, _ in as_channel(channel).column_sums())


def is_recoverable(channel: ChannelLike) -> bool:
    """Whether a key exists that turns reports back into data. Exact for exact channels.

    >>> import sfumato as sf
    >>> sf.measures.is_recoverable(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel())
    True
    >>> sf.measures.is_recoverable(sf.Channel([[0.75, 0.25], [0.75, 0.25]]))  # both answers give report 0 too often
    False
    """
    channel = as_channel(channel)
    return heaviest_output(channel) <= (1 if channel.exact else 1 + ROW_SUM_TOLERANCE)
