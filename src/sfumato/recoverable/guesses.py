"""The best guesses from responses, of the value of the function and of the data.

Both are maximum a posteriori: the value with the most weight P(x)·Π_t W_t(i_t|x), summed over the x that share it. Ties
go to the first. Columns of a million people are processed in one call.
Ref: [A, eqs. (9), (33), (34)]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.numbers.exact import LawLike
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution, Label
from sfumato.prob.operations import as_prior

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Responses = Sequence[int] | Sequence[Sequence[int]] | npt.NDArray[np.integer[Any]]
"""A row a person; a plain column where there is one response each."""

# As many different sequences as this are guessed once and looked up.
_MOST_LOOKED_UP = 1 << 18
_PART = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Guesser:
    """Guesses a function of the data, `labels[group[x]]`, from one response of each channel.

    >>> import sfumato as sf
    >>> response = sf.Channel([[0.8, 0.2], [0.8, 0.2], [0.2, 0.8]])  # of three values of the data, about the last
    >>> attacker = sf.recoverable.Guesser.of_data([0.5, 0.3, 0.2], [response, response])
    >>> querier = sf.recoverable.Guesser.of_function([0.5, 0.3, 0.2], [response, response], ["low", "low", "high"])
    >>> people = [[0, 0], [0, 1], [1, 1]]  # two responses each
    >>> attacker.guess(people).tolist(), [querier.labels[place] for place in querier.guess(people)]
    ([0, 0, 2], ['low', 'low', 'high'])
    """

    prior: Distribution
    channels: tuple[Channel, ...]
    labels: tuple[Label, ...]
    group: tuple[int, ...]

    @classmethod
    def of_data(cls, prior: Distribution | LawLike, channels: Sequence[Channel]) -> Guesser:
        """Return the attacker, who guesses the data."""
        law = _checked(prior, channels)
        return cls(prior=law, channels=tuple(channels), labels=law.labels, group=tuple(range(len(law))))

    @classmethod
    def of_function(cls, prior: Distribution | LawLike, channels: Sequence[Channel], f: Sequence[Label]) -> Guesser:
        """Return the querier, who guesses f(X); `f` has one value for each value of the data."""
        law = _checked(prior, channels)
        if len(f) != len(law):
            raise InvalidParameter(
                f"has {len(f)} values for {len(law)} values of the data", parameter="f", way_out="Give one each."
            )
        labels = tuple(dict.fromkeys(f))
        return cls(prior=law, channels=tuple(channels), labels=labels, group=tuple(labels.index(v) for v in f))

    def guess(self, responses: Responses) -> IntArray:
        """Return the place in `labels` of the best guess for each row of responses (places of the outputs)."""
        table = self._rows(responses)
        size = len(self.channels[0].outputs)
        if not len(table):
            return np.zeros(0, dtype=np.int64)
        if size ** len(self.channels) <= _MOST_LOOKED_UP:
            codes = np.zeros(len(table), dtype=np.int64)
            for column in table.T:
                codes = codes * size + column
            known, places = np.unique(codes, return_inverse=True)
            digits = np.stack([known // size**power % size for power in range(len(self.channels) - 1, -1, -1)], axis=1)
            found: IntArray = self._best(digits)[places]
            return found
        return np.concatenate([self._best(table[start : start + _PART]) for start in range(0, len(table), _PART)])

    def _best(self, table: IntArray) -> IntArray:
        with np.errstate(divide="ignore"):
            weights = np.log(self.prior.array)[None] + np.zeros((len(table), 1))
            for channel, column in zip(self.channels, table.T, strict=True):
                weights += np.log(channel.array.T)[column]
        top = weights.max(axis=1, keepdims=True)
        scaled = np.exp(weights - np.where(np.isfinite(top), top, 0.0))
        if len(self.labels) == len(self.group):
            return np.asarray(scaled.argmax(axis=1), dtype=np.int64)
        sums = np.zeros((len(table), len(self.labels)))
        for x, place in enumerate(self.group):
            sums[:, place] += scaled[:, x]
        return np.asarray(sums.argmax(axis=1), dtype=np.int64)

    def _rows(self, responses: Responses) -> IntArray:
        table = np.asarray(responses)
        table = table[:, None] if table.ndim == 1 else table
        if table.ndim != 2 or table.shape[1] != len(self.channels) or table.dtype.kind not in "iu":
            raise InvalidParameter(
                f"must be whole numbers, a row a person and {len(self.channels)} columns, one a response",
                parameter="responses",
                way_out="Put each response of a person in a column of its own.",
            )
        if table.size and (table.min() < 0 or table.max() >= len(self.channels[0].outputs)):
            raise InvalidParameter(
                f"must lie in 0..{len(self.channels[0].outputs) - 1}, the places of the channel's outputs",
                parameter="responses",
                way_out="Map labels to their positions first.",
            )
        return table.astype(np.int64, copy=False)


def _checked(prior: Distribution | LawLike, channels: Sequence[Channel]) -> Distribution:
    if not channels:
        raise InvalidParameter("is empty", parameter="channels", way_out="Give the channel of each response.")
    if any(channel.inputs != channels[0].inputs or channel.outputs != channels[0].outputs for channel in channels):
        raise InvalidParameter(
            "must have the same inputs and outputs",
            parameter="channels",
            way_out="Responses are about the same data: give them the same labels.",
        )
    return as_prior(prior, channels[0])
