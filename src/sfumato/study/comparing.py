"""Comparisons of a question: between groups, waves or answers, each with intervals, and all of them with one test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.infer.homogeneity import homogeneity_test
from sfumato.infer.joint_tables import AssociationTest
from sfumato.prob import AnyChannel
from sfumato.study.contrasts import Between, Contrast, group_contrasts
from sfumato.study.estimating import Collected, Estimates, estimate_collected
from sfumato.values import Tally
from sfumato.values.shown import Shown

MOST_TESTED = 256
"""Answers up to which groups are tested together."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison(Shown):
    """Estimates of what is compared, their differences with intervals, and whether they differ at all.

    `test` asks whether all groups have the same shares; None between answers, and where it is not worked out.
    """

    question: str
    estimates: Estimates
    contrasts: tuple[Contrast, ...]
    test: AssociationTest | None = None
    notes: tuple[str, ...] = ()


def compared_groups(reports: Collected, question: str, by: str, *, confidence: float, simultaneous: bool) -> Comparison:
    """Compare the groups of a public column."""
    found = estimate_collected(
        reports, confidence=confidence, group=by, questions=[question], simultaneous=simultaneous
    )
    channel = _channel(reports, question)
    groups = {label: (channel, tally) for label, tally in reports.tallies(question, by) if label is not None}
    return Comparison(question=question, estimates=found, contrasts=found.contrasts(), test=_test(groups))


def compared_waves(waves: Mapping[str, Any], question: str, *, confidence: float, simultaneous: bool) -> Comparison:
    """Compare reports of different people: waves, or studies that asked the same."""
    if len(waves) < 2:
        raise InvalidParameter("must be two or more", parameter="reports", way_out="Give each wave under its name.")
    labels = {name: one.note.way(question).question.labels for name, one in waves.items()}
    if len(set(labels.values())) != 1:
        raise InvalidParameter(
            f"have different answers to {question!r}", parameter="reports", way_out="Compare waves that asked the same."
        )
    made = {
        name: estimate_collected(one, confidence=confidence, questions=[question])[0] for name, one in waves.items()
    }
    if simultaneous:
        claims = sum(one.claims for one in made.values())
        share = 1 - (1 - confidence) / max(1, claims)
        made = {
            name: replace(estimate_collected(one, confidence=share, questions=[question])[0], together=confidence)
            for name, one in waves.items()
        }
    # Reports of a level look sharper or softer from wave to wave; what is estimated is the same.
    found = Estimates(tuple(replace(one, group=name) for name, one in made.items()))
    level = found[0].level
    pairs = group_contrasts([replace(one, level=level) for one in found])
    groups = {name: (_channel(one, question), next(_everybody(one, question))) for name, one in waves.items()}
    note = "Waves are taken as different people; of the same people, differences are surer than these intervals say."
    return Comparison(question=question, estimates=found, contrasts=pairs, test=_test(groups), notes=(note,))


def compared_answers(reports: Collected, question: str, *, confidence: float, simultaneous: bool) -> Comparison:
    """Compare the answers of the same people."""
    found = estimate_collected(reports, confidence=confidence, questions=[question], simultaneous=simultaneous)
    return Comparison(question=question, estimates=found, contrasts=found.contrasts(Between.ANSWERS))


def _everybody(reports: Any, question: str) -> Iterator[Any]:
    return (tally for label, tally in reports.tallies(question) if label is None)


def _channel(reports: Any, question: str) -> AnyChannel | None:
    """Return the channel of a question whose reports are counted by it; None where they are not."""
    note = reports.note
    way = note.way(question)
    if way.by_position or way.by_number or not way.by_row:
        return None
    try:
        found: AnyChannel = way.channel(note.column(question).level)
    except InvalidParameter:
        return None
    return found if found.shape[0] <= MOST_TESTED else None


def _test(groups: Mapping[str, tuple[AnyChannel | None, Any]]) -> AssociationTest | None:
    counted = [
        (channel, np.array(tally.counts))
        for channel, tally in groups.values()
        if channel is not None and isinstance(tally, Tally) and len(tally.counts) == channel.shape[1]
    ]
    if len(counted) != len(groups) or len(groups) < 2:
        return None
    return homogeneity_test([channel for channel, _ in counted], [counts for _, counts in counted])
