"""Channels on tables of records, and the slow way to measure them."""

from __future__ import annotations

import itertools
import math

import numpy as np

from sfumato import measures
from sfumato.measures.individual import selected_channels
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


def selections(shape):
    """How many channels the full loop of [E, Thm 2] looks at."""
    return sum((math.prod(shape) // size) ** size for size in shape)


def shapes_below(most):
    """Every shape of two or more records with two or more values, in rising order, with fewer selections than that."""
    found, waiting = [], [(2,)]
    while waiting:
        shape = waiting.pop()
        if len(shape) == 1 or selections(shape) < most:
            if len(shape) > 1:
                found.append(shape)
            waiting.append((*shape, shape[-1]))
        # One more value in the last record; a shape that is too large stays so.
        if (len(shape) == 1 and shape[0] ** shape[0] < most) or (len(shape) > 1 and selections(shape) < most):
            waiting.append((*shape[:-1], shape[-1] + 1))
    return sorted(set(found), key=selections)


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
