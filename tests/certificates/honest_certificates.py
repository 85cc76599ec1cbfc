"""Honest certificates of every kind, as many as are wanted: small ones, of all forms that claims take."""

from fractions import Fraction
from itertools import count, islice

import sfumato as sf

UNLIKE = 97


def _law(draw, size):
    weights = [draw.randint(1, UNLIKE) for _ in range(size)]
    return [Fraction(weight, sum(weights)) for weight in weights]


def dense(draw):
    inputs, outputs = draw.randint(2, 5), draw.randint(2, 5)
    channel = sf.Channel([_law(draw, outputs) for _ in range(inputs)])
    return sf.certify(channel, _law(draw, inputs) if draw.random() < 0.5 else None)


def with_zeros(draw):
    rows = [[Fraction(0), *_law(draw, 2)], [*_law(draw, 2), Fraction(0)], _law(draw, 3)]
    return sf.certify(sf.Channel(rows[: draw.randint(2, 3)]))


def floats(draw):
    rows = [[float(p) for p in _law(draw, 3)] for _ in range(draw.randint(2, 4))]
    return sf.certify(sf.Channel(rows), [float(p) for p in _law(draw, len(rows))])


def circulant(draw):
    size = draw.randint(65, 140)
    support = draw.sample(range(size), draw.randint(1, 9))
    inputs = size if draw.random() < 0.5 else draw.randint(size // 2, size)
    return sf.certify(
        sf.prob.Circulant.two_level(
            size=size, support=support, odds=Fraction(draw.randint(5, 40), 4), input_count=inputs
        )
    )


def records(draw):
    shape = draw.choice([(2, 2), (2, 3), (3, 2), (2, 2, 2)])
    rows = 1
    for size in shape:
        rows *= size
    return sf.certify(
        sf.Channel([_law(draw, draw.choice([2, 3])) if i < 0 else _law(draw, 3) for i in range(rows)]), shape=shape
    )


def mechanism(draw):
    families = [sf.mechanisms.RandomizedResponse, sf.mechanisms.CyclicResponse, sf.mechanisms.HadamardResponse]
    return sf.certify(draw.choice(families).within(size=draw.randint(2, 9), epsilon=draw.uniform(0.3, 3.0)))


def ladder(draw):
    epsilons = sorted({round(draw.uniform(0.3, 4.0), 2) for _ in range(draw.randint(1, 3))}, reverse=True)
    names = ["ministry", ["press", "radio_1"], ["Universität-2"]][: len(epsilons) - 1]
    given = {"readers": names} if draw.random() < 0.5 else {}
    if draw.random() < 0.3:
        return sf.certify(sf.Ladder.of_flips(size=2, epsilons=epsilons, recover=True), **given)
    made = sf.Ladder.within(size=draw.randint(2, 60), epsilons=epsilons, recover=draw.random() < 0.5)
    return sf.certify(made, **given)


def disclosure(draw):
    wide = draw.choice([2, 3])
    if draw.random() < 0.5:
        counts = [[draw.randint(0, 900) for _ in range(wide)] for _ in range(2)]
        counts[0][0] += 50
        made = sf.disclosure.optimum(sf.disclosure.counted_law(counts))
        return sf.certify(made, estimated_from=sum(map(sum, counts)))
    law = [[Fraction(draw.randint(1, UNLIKE)) for _ in range(wide)] for _ in range(2)]
    total = sum(map(sum, law))
    return sf.certify(sf.disclosure.optimum([[mass / total for mass in row] for row in law]))


def noise(draw):
    values = draw.choice([None, None, 2, 3])
    high, budget = draw.randint(1, 9), draw.uniform(0.3, 0.9)
    made = sf.noise.gaussian(low=0, high=high, budget_bits=budget, steps=draw.randint(4, 9), values=values)
    return sf.certify(made)


def belief(draw):
    return sf.certify(
        sf.noise.believed_mean(0, draw.randint(1, 9), draw.randint(200, 10**6), draw.uniform(0.1, 0.9), Fraction(3, 2))
    )


MAKERS = (dense, with_zeros, floats, circulant, records, mechanism, ladder, disclosure, noise, belief)


def honest(draw, number):
    """So many certificates, the kinds in turn."""
    return list(islice((MAKERS[turn % len(MAKERS)](draw) for turn in count()), number))
