"""Mechanisms and ladders of every family under seeds: their laws, their reports, what keys open, estimates."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import sfumato as sf
from corpus_cases.record import case, claims, digest, plain
from sfumato.keys import Unprotected

ROWS = 200


def _answers(size: int) -> list[int]:
    return [(place * place + place // 5) % size for place in range(ROWS)]


def _reports(made: Any) -> dict[str, Any]:
    array = np.asarray(made)
    return {"shape": list(array.shape), "digest": digest(str(array.tolist())), "first": array[:8].tolist()}


def _rows(channel: Any) -> object:
    dense = channel.to_dense()
    return {"inputs": len(dense.inputs), "outputs": len(dense.outputs), "rows": digest(str(plain_rows(dense)))}


def plain_rows(channel: sf.Channel) -> list[list[str]]:
    return [[str(one) for one in row] for row in channel.rows]


def _mechanism(made: Any) -> object:
    reports = made.privatize(_answers(made.size), sf.sampling.InsecureSeeded(11))
    found = made.estimate(made.tally(reports))
    return {
        "name": made.name,
        "reports": _reports(reports),
        "raw": plain(found.raw),
        "standard errors": plain(found.standard_errors),
        "channel": _rows(made.channel()) if made.size <= 5 else "not written out",
        "certificate": claims(sf.certify(made)) if made.size <= 5 else "not certified",
        "variance": plain(made.variance(sf.Distribution.uniform(made.size), 1000)),
    }


SIZES = ((3, 0.5), (5, 1.0), (12, 2.0))


def _within(make: Any) -> object:
    return {f"size={size}, epsilon={epsilon}": _mechanism(make(size=size, epsilon=epsilon)) for size, epsilon in SIZES}


@case("mechanisms/drawn: randomized response")
def _randomized() -> object:
    return _within(sf.mechanisms.RandomizedResponse.within)


@case("mechanisms/drawn: arcs")
def _arcs() -> object:
    return _within(sf.mechanisms.ArcResponse.within)


@case("mechanisms/drawn: arcs that lie apart")
def _arcs_apart() -> object:
    return _mechanism(sf.mechanisms.ArcResponse(size=4, odds=Fraction(5, 2), length=3, apart=True))


@case("mechanisms/drawn: binary Hadamard")
def _binary_hadamard() -> object:
    return _within(sf.mechanisms.BinaryHadamard.within)


@case("mechanisms/drawn: binary Hadamard with silence")
def _binary_hadamard_silent() -> object:
    return _mechanism(sf.mechanisms.BinaryHadamard(size=3, odds=Fraction(4), silence=Fraction(1, 2)))


@case("mechanisms/drawn: cyclic")
def _cyclic() -> object:
    return _within(sf.mechanisms.CyclicResponse.within)


@case("mechanisms/drawn: flags")
def _flags() -> object:
    return _within(sf.mechanisms.FlagsResponse.within)


@case("mechanisms/drawn: Hadamard")
def _hadamard() -> object:
    return _within(sf.mechanisms.HadamardResponse.within)


@case("mechanisms/drawn: optimised unary")
def _optimised() -> object:
    return _within(sf.mechanisms.OptimisedUnary.within)


@case("mechanisms/drawn: permanent unary")
def _permanent() -> object:
    return _within(sf.mechanisms.PermanentUnary.within)


@case("mechanisms/drawn: sets")
def _sets() -> object:
    return _within(sf.mechanisms.SetsResponse.within)


@case("mechanisms/drawn: subset selection")
def _subsets() -> object:
    return _within(sf.mechanisms.SubsetSelection.within)


@case("mechanisms/drawn: symmetric unary")
def _symmetric() -> object:
    return _within(sf.mechanisms.SymmetricUnary.within)


@case("mechanisms/drawn: tabulated")
def _tabulated() -> object:
    third = Fraction(1, 3)
    return _mechanism(sf.mechanisms.Tabulated(sf.Channel([[2 * third, third, 0], [0, third, 2 * third]])))


def _ladder(made: sf.Ladder, size: int) -> object:
    drawn = made.publish(_answers(size), sf.sampling.InsecureSeeded(13))
    found: dict[str, Any] = {
        "declaration": digest(made.declaration),
        "odds": plain(made.odds),
        "epsilons": plain(made.epsilons),
        "random bits": plain(made.randomness_bits()),
        "separate bits": plain(made.separate_bits()),
        "reports": _reports(drawn.reports),
        "certificate": claims(sf.certify(made)),
        "public": _view(made, drawn, None),
    }
    for level, key in drawn.keys.items():
        header = sf.keys.read_header(sf.keys.seal_key(key, Unprotected()))
        found[f"key of level {level}"] = {
            "header": [header.level, header.rows, header.total, plain(header.epsilon), header.protection],
            "whole": key.is_whole,
            "digest": digest(json.dumps(plain(key.material))),
        }
        if level > 0:
            found[f"opened at level {level}"] = _view(made, drawn, key)
        else:
            found["recovered"] = _reports(made.recover(drawn.reports, key))
    return found


def _view(made: sf.Ladder, drawn: Any, key: Any) -> object:
    view = made.open(drawn.reports, key)
    found = view.mechanism.estimate(view.mechanism.tally(view.reports))
    return {"level": view.level, "reports": _reports(view.reports), "raw": plain(found.raw)}


LEVELS: Sequence[float] = (2.0, 1.0, 0.5)


@case("ladders/drawn: shifts")
def _ladder_shifts() -> object:
    return {str(size): _ladder(sf.Ladder.within(size=size, epsilons=LEVELS, recover=True), size) for size in (3, 12)}


@case("ladders/drawn: two levels without recovery")
def _ladder_unrecovered() -> object:
    return _ladder(sf.Ladder.within(size=5, epsilons=LEVELS[:2]), 5)


@case("ladders/drawn: sets")
def _ladder_sets() -> object:
    return {str(size): _ladder(sf.Ladder.of_sets(size=size, epsilons=LEVELS, recover=True), size) for size in (4, 9)}


@case("ladders/drawn: flags")
def _ladder_flags() -> object:
    return {str(size): _ladder(sf.Ladder.of_flags(size=size, epsilons=LEVELS, recover=True), size) for size in (4, 9)}


@case("ladders/drawn: flips")
def _ladder_flips() -> object:
    return _ladder(sf.Ladder.of_flips(size=2, epsilons=LEVELS, recover=True), 2)


@case("ladders/drawn: flips of many answers")
def _ladder_flips_of_many() -> object:
    return _ladder(sf.Ladder.of_flips(size=6, epsilons=LEVELS), 6)


@case("ladders/drawn: options")
def _ladder_options() -> object:
    return _ladder(sf.Ladder.of_options(options=3, epsilons=LEVELS, recover=True, asked=3), 8)


@case("ladders/drawn: options, some of them asked")
def _ladder_some_options() -> object:
    return _ladder(sf.Ladder.of_options(options=4, epsilons=LEVELS, asked=2), 16)


@case("ladders/drawn: arcs")
def _ladder_arcs() -> object:
    arc = sf.mechanisms.ArcResponse(size=5, odds=Fraction(2), length=3)
    return _ladder(sf.Ladder(arc, LEVELS, recover=True), 5)
