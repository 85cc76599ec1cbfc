"""Made-up people with answers, and their reports through channels, from fixed seeds."""

import numpy as np

from sfumato.inference.regression import DesignMatrix, RandomisedColumn
from sfumato.prob import Channel

FOUR = np.array([[0.7, 0.1, 0.1, 0.1], [0.15, 0.6, 0.15, 0.1], [0.1, 0.2, 0.6, 0.1], [0.05, 0.05, 0.2, 0.7]])
CHANNELS = {
    2: Channel([[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]], inputs=["no", "yes"]),
    3: Channel([[0.8, 0.1, 0.1], [0.1, 0.7, 0.2], [0.1, 0.1, 0.8]], inputs=["never", "once", "often"]),
    4: Channel(FOUR.tolist(), inputs=["a", "b", "c", "d"]),
}


def covariates(rng, people):
    return DesignMatrix.of(
        {
            "age": rng.uniform(20, 60, people),
            "income": rng.normal(2000, 400, people),
            "female": rng.integers(0, 2, people),
        }
    )


def linear_predictors(design, slopes):
    values = design.values
    centred = np.stack([np.ones(len(values)), (values[:, 1] - 40) / 10, (values[:, 2] - 2000) / 400, values[:, 3]], 1)
    return centred @ np.asarray(slopes, dtype=float).T


def drawn(rng, laws):
    return (rng.random(len(laws))[:, None] > np.cumsum(laws, axis=1)[:, :-1]).sum(axis=1)


def logit_answers(rng, design, blocks):
    odds = np.exp(np.column_stack([np.zeros(len(design)), linear_predictors(design, blocks)]))
    return drawn(rng, odds / odds.sum(axis=1, keepdims=True))


def ordered_answers(rng, design, slopes, thresholds):
    noise = rng.logistic(size=len(design))
    return np.searchsorted(thresholds, linear_predictors(design, [0, *slopes]) + noise)


def reported(rng, channel, answers, name="answer", values=None):
    reports = drawn(rng, channel.array[answers])
    return RandomisedColumn.of(channel, reports, name=name, values=values)
