"""Channels on tables of records, and the slow way to measure them."""

from __future__ import annotations

import itertools
import math

import numpy as np

from sfumato import measures
from sfumato.measures.records import selected_channels
from sfumato.prob import Channel


def h2(p):
    """Binary entropy in bits."""
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p) if 0 < p < 1 else 0.0


def datasets(shape):
    """All data sets, in the order of a channel's rows."""
    return list(itertools.product(*map(range, shape)))


def flipped(truth, flip):
    """A yes/no function, told through a binary symmetric channel; `truth` lists its values."""
    return Channel([[1 - flip, flip] if value == 0 else [flip, 1 - flip] for value in truth])


def random_channel(rng, shape, outputs, concentration=1.0):
    """A Dirichlet row for each data set."""
    return Channel(rng.dirichlet(np.full(outputs, concentration), size=math.prod(shape)))


def looped_individual_capacity(channel, shape):
    """C_1 by the full loop of [E, Thm 2]: one interior-point capacity for each selection of each record."""
    return max(
        measures.capacity_bits(selected).midpoint
        for record in range(len(shape))
        for selected in selected_channels(channel, shape, record)
    )


def information_about(channel, shape, members, law):
    """I(X_members;Y) in bits for a joint law of all records, by summing the joint table."""
    table = (np.asarray(law)[:, None] * channel.array).reshape(*shape, channel.shape[1])
    others = tuple(axis for axis in range(len(shape)) if axis not in members)
    joint = table.sum(axis=others).reshape(-1, channel.shape[1])
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log2(joint[seen] / independent[seen])).sum())
