"""A hunt for frequent keys whose rounds are ladders: a key file shows the reports of a round sharper.

Every person is asked in one round, about prefixes that the *public* reports of earlier rounds suggest. Given those, a
round is a list like any other, so that its report can be made by a ladder: the public sees ε_d of each person, and
whoever holds the key of level j in that round ε_j, whatever the other rounds and their keys say, since they are about
other people. So a key shows sharper shares of the prefixes of its round, and in the last round it finds texts that the
public does not.

What no key can show: a prefix that the public view dropped. Later groups were not asked about it, and what nobody
was asked no key opens. Going by a sharper view would tell the public what that view saw, by the choice of prefixes.
Theory: docs/theory/heavy_hitters.md
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from sfumato.bits.mechanism import Mechanism
from sfumato.bits.source import BitSource
from sfumato.errors import InvalidParameter
from sfumato.infer.heavy_hitters import Found, PrefixHunt
from sfumato.infer.prefix_trees import Keys, key_rows
from sfumato.refine.keys import Key
from sfumato.refine.ladder import Ladder
from sfumato.refine.publications import Publication
from sfumato.values import Estimate, Guarantee


@dataclass(frozen=True, slots=True, kw_only=True)
class HuntRound:
    """One round: the prefixes that were asked about, and the reports of its group with their keys.

    `LadderedHunt.publish` holds them.

    >>> import sfumato as sf
    >>> hunt = sf.refine.LadderedHunt(key_bits=4, step_bits=2, keep=2, epsilons=(4, 2))
    >>> first = hunt.publish([3] * 1000 + [12] * 1000)[0]
    >>> first.number, first.candidates, first.published
    (0, (0,), <Publication of 1000 reports, keys of levels 1>)
    """

    number: int
    candidates: tuple[int, ...]
    published: Publication


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderedHunt:
    """Look for frequent keys by rounds of which each has the levels `epsilons`, sharpest first; the last is public.

    The rest is as for `PrefixHunt`, which the public level is.

    >>> import sfumato as sf
    >>> bits = sf.bits.KeyedBits(bytes(32))  # a key that everybody knows: for this page only
    >>> hunt = sf.refine.LadderedHunt(key_bits=4, step_bits=2, keep=2, epsilons=(4, 2))
    >>> rounds = hunt.publish([3] * 1000 + [12] * 1000, bits)
    >>> sorted(hunt.found(rounds).keys)
    [3, 12]
    >>> sharper = hunt.estimate(rounds[-1], rounds[-1].published.keys[1])
    >>> max(sharper.standard_errors) < max(hunt.estimate(rounds[-1]).standard_errors)
    True
    """

    key_bits: int
    step_bits: int
    keep: int
    epsilons: tuple[float, ...]
    confidence: float = 0.95

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilons", tuple(self.epsilons))
        if len(self.epsilons) < 2:
            raise InvalidParameter(
                "needs at least two levels, or there is nothing to open",
                parameter="epsilons",
                way_out="Use PrefixHunt for one level.",
            )
        _ = self.hunt

    @property
    def hunt(self) -> PrefixHunt:
        """The hunt as everybody sees it."""
        return PrefixHunt(
            key_bits=self.key_bits,
            step_bits=self.step_bits,
            keep=self.keep,
            mechanism_for=partial(_public_rung, self.epsilons),
            confidence=self.confidence,
        )

    def ladder(self, candidates: Sequence[int], number: int) -> Ladder:
        """Return the ladder of a round that asks about candidates."""
        return _ladder(self.epsilons, self.hunt.mechanism(candidates, number).size)

    def publish_round(
        self,
        keys: Keys,
        candidates: Sequence[int],
        number: int,
        bits: BitSource | None = None,
        *,
        guarantee: Guarantee = Guarantee.INFORMATION_THEORETIC,
    ) -> HuntRound:
        """Ask the group of a round."""
        values = self.hunt.level_values(keys, candidates, number)
        made = self.ladder(candidates, number).publish(values, bits, guarantee=guarantee)
        return HuntRound(number=number, candidates=tuple(candidates), published=made)

    def publish(
        self,
        keys: Keys,
        bits: BitSource | None = None,
        *,
        guarantee: Guarantee = Guarantee.INFORMATION_THEORETIC,
    ) -> tuple[HuntRound, ...]:
        """Run all rounds in one process; fewer than there are levels where no prefix was surely above zero."""
        hunt, rows = self.hunt, key_rows(keys, self.key_bits)
        listed = list(keys)
        rounds: list[HuntRound] = []
        candidates: tuple[int, ...] = (0,)
        for number in range(hunt.levels):
            mine = listed[hunt.group(len(rows), number)]
            rounds.append(self.publish_round(mine, candidates, number, bits, guarantee=guarantee))
            candidates = self.survivors(rounds[-1])
            if not candidates:
                break
        return tuple(rounds)

    def estimate(self, one: HuntRound, key: Key | None = None, *, confidence: float = 0.95) -> Estimate:
        """Return the shares of the extensions that a round asked about, "other" last, as a key shows them."""
        view = self.ladder(one.candidates, one.number).open(one.published.reports, key)
        return view.mechanism.estimate(view.mechanism.tally(view.reports), confidence=confidence)

    def survivors(self, one: HuntRound, key: Key | None = None) -> tuple[int, ...]:
        """Return the extensions that pass the threshold of a view; without a key, what the next round asks about."""
        return self.hunt.survivors(self.estimate(one, key), one.candidates, one.number)

    def found(self, rounds: Sequence[HuntRound], keys: Mapping[int, Key] | None = None) -> Found:
        """Return the keys found, by the public reports or with the keys of some rounds, by their number.

        Only that of the last round finds more: prefixes were chosen by what everybody sees.
        """
        opened = keys or {}
        if not rounds or any(one.number != number for number, one in enumerate(rounds)):
            raise InvalidParameter(
                "must be all rounds that were held, from the first on", parameter="rounds", way_out="Hand over all."
            )
        for before, after in itertools.pairwise(rounds):
            if self.survivors(before) != after.candidates:
                raise InvalidParameter(
                    f"asked in round {after.number + 1} about others than the public reports before it suggest",
                    parameter="rounds",
                    way_out="Ask for the reports again.",
                )
        last = rounds[-1]
        history = tuple(one.candidates for one in rounds[1:])
        found = self.survivors(last, opened.get(last.number))
        if len(rounds) < self.hunt.levels or not found:
            return Found(keys=(), raw=(), standard_errors=(), candidates=(*history, ()))
        estimate = self.estimate(last, opened.get(last.number))
        step = self.hunt.depth(last.number) - last.number * self.step_bits
        offered = [(prefix << step) | rest for prefix in last.candidates for rest in range(1 << step)]
        places = {key: place for place, key in enumerate(offered)}
        return Found(
            keys=found,
            raw=tuple(estimate.raw[places[key]] for key in found),
            standard_errors=tuple(estimate.standard_errors[places[key]] for key in found),
            candidates=(*history, found),
        )


@lru_cache(maxsize=64)
def _ladder(epsilons: tuple[float, ...], size: int) -> Ladder:
    return Ladder.within(size=size, epsilons=epsilons)


def _public_rung(epsilons: tuple[float, ...], size: int) -> Mechanism:
    return _ladder(epsilons, size).levels[-1]
