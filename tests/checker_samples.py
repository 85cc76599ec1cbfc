"""Certificates for the independent checker: honest ones of every kind, and lies about them under fresh seals."""

import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np

import sfumato as sf
from certificates.test_every_kind import KINDS
from fresh_seals import reseal
from sfumato.certificates.certifying import certify_subject
from sfumato.errors import NotChecked, SfumatoError
from sfumato.noise.certificates import RankSubject, VectorSubject, certify_range, squared_radius

ROOT = Path(__file__).parents[1]
FILE = ROOT / "src" / "sfumato_check.py"


def is_refused_by_the_product(data):
    """Whether verify refuses a file; that something is stated and not checked is no refusal."""
    try:
        sf.verify(sf.Certificate.from_json(data))
    except NotChecked:
        return False
    except SfumatoError:
        return True
    return False


def _fractions(weights):
    return [Fraction(int(weight), int(weights.sum())) for weight in weights]


def random_channel(generator):
    """A certificate of some small channel: exact or float, with zeros, equal rows, records, or none of it."""
    inputs, outputs = (int(generator.integers(1, 7)) for _ in range(2))
    weights = generator.integers(1, 10 ** int(generator.integers(1, 6)), (inputs, outputs))
    if generator.random() < 0.3:
        weights = weights * (generator.random((inputs, outputs)) < 0.6)
        weights[:, 0] += 1
    if generator.random() < 0.1:
        weights[:] = weights[0]
    prior = generator.integers(1, 1000, inputs)
    if generator.random() < 0.4:
        channel = sf.Channel(weights / weights.sum(axis=1, keepdims=True))
        return sf.certify(channel, prior / prior.sum())
    channel = sf.Channel([_fractions(row) for row in weights])
    if inputs in {4, 6} and generator.random() < 0.3:
        return sf.certify(channel, shape=(2, inputs // 2))
    return sf.certify(channel, _fractions(prior) if generator.random() < 0.7 else None)


def random_structured(generator):
    """A certificate of a structured channel, all or some of whose residues are inputs."""
    size = int(generator.integers(65, 90))
    inputs = size if generator.random() < 0.5 else int(generator.integers(2, size))
    weights = generator.integers(1, int(generator.choice([3, 5, 10**6])), size)
    prior = generator.integers(1, 50, inputs)
    channel = sf.prob.Circulant(_fractions(weights), inputs)
    return sf.certify(channel, _fractions(prior) if generator.random() < 0.3 else None)


def random_mechanism(generator):
    """A certificate of a mechanism's sampled law."""
    name = str(
        generator.choice(["RandomizedResponse", "CyclicResponse", "SubsetSelection", "HadamardResponse", "ArcResponse"])
    )
    epsilon = float(generator.uniform(0.2, 4))
    return sf.certify(getattr(sf.mechanisms, name).within(size=int(generator.integers(3, 9)), epsilon=epsilon))


def random_ladder(generator):
    """A certificate of a ladder of any family, of up to eight levels."""
    depth = int(generator.integers(1, 9))
    epsilons = sorted((float(e) for e in generator.uniform(0.2, 6, depth)), reverse=True)
    if generator.random() < 0.3:
        size = int(generator.integers(2, 9))
        return sf.certify(sf.Ladder.of_flips(size=size, epsilons=epsilons, recover=size == 2))
    if generator.random() < 0.3:
        options = int(generator.integers(2, 30))
        asked = int(generator.integers(1, min(options, 16) + 1))
        recover = asked == options and bool(generator.integers(2))
        return sf.certify(sf.Ladder.of_options(options=options, epsilons=epsilons, asked=asked, recover=recover))
    size = int(generator.integers(2, 60))
    if generator.random() < 0.3:
        return sf.certify(sf.Ladder.of_flags(size=size, epsilons=epsilons, recover=bool(generator.integers(2))))
    if generator.random() < 0.3:
        return sf.certify(sf.Ladder.of_sets(size=size, epsilons=epsilons, recover=bool(generator.integers(2))))
    if generator.random() < 0.4:
        apart, length = size > 2 and generator.random() < 0.5, int(generator.integers(1, size + 1))
        arc = sf.mechanisms.ArcResponse(size=size, odds=Fraction(2), length=length, apart=apart)
        return sf.certify(sf.Ladder(arc, epsilons, recover=bool(generator.integers(2))))
    return sf.certify(sf.Ladder.within(size=size, epsilons=epsilons, recover=bool(generator.integers(2))))


def random_noise(generator):
    """A certificate of noise on a short scale, for records of any number or of a few values."""
    low = Fraction(int(generator.integers(-9, 9)), 7)
    return certify_range(
        low=low,
        high=low + Fraction(int(generator.integers(1, 99)), 13),
        steps=int(generator.integers(1, 9)),
        variance=Fraction(int(generator.integers(3, 300)), 7),
        values=[None, None, 2, 3, 7][int(generator.integers(5))],
    )


def random_assumed(generator):
    """A certificate of noise for people who depend on few others: a number, several, a histogram or a quantile."""
    people = int(10 ** generator.uniform(0, 3))
    records = int(10 ** generator.uniform(0, 7))
    kind = int(generator.integers(4))
    if kind == 0:
        low, change = Fraction(int(generator.integers(-9, 9)), 7), Fraction(int(generator.integers(1, 99)), 130)
        return certify_range(
            low=low,
            high=low + records * change,
            steps=int(generator.integers(1, 9)),
            variance=Fraction(int(generator.integers(3, 300)), 7),
            values=[None, None, 2][int(generator.integers(3))],
            change=change,
            people=people,
        )
    who = None if generator.random() < 0.3 else people
    if kind == 1:
        rate = Fraction(int(generator.integers(1, 10**6)), int(10 ** generator.uniform(4, 9)))
        share = Fraction(int(generator.integers(0, 8)), 7)
        return certify_subject(
            RankSubject(
                low=-share, high=share + 1, candidates=people + 1, share=share, records=records, people=who, rate=rate
            )
        )
    dimension = int(10 ** generator.uniform(0.4, 3))
    # Noise of some bits for those who depend on each other, as designs have it.
    radius = squared_radius(dimension, records if who is None else min(who, records))
    variance = radius * Fraction(int(generator.integers(1, 1000)), 1000)
    return certify_subject(
        VectorSubject(
            dimension=dimension,
            records=records,
            people=who,
            variance=variance,
            spread=variance * Fraction(int(generator.integers(10, 12)), 10),
        )
    )


def random_belief(generator):
    """A certificate of noise for beliefs that share few bits or many, over few records or many."""
    records = int(10 ** generator.uniform(1, 7))
    shared = [0, Fraction(1, 3), 1.5, 7][int(generator.integers(4))]
    budget = float(generator.uniform(0.05, 0.9))
    people = int(generator.integers(1, 6))
    if generator.random() < 0.3:
        return sf.certify(sf.noise.believed_count(max(records, 500), budget, shared, people=people))
    if generator.random() < 0.4:
        cells = int(generator.integers(2, 9))
        return sf.certify(sf.noise.believed_histogram(cells, max(records, 500), budget, shared, people=people))
    make = [sf.noise.believed_mean, sf.noise.believed_sum][int(generator.integers(2))]
    low = Fraction(int(generator.integers(-9, 9)), 7)
    return sf.certify(make(low, low + int(generator.integers(1, 9)), max(records, 500), budget, shared))


def random_disclosure(generator):
    """A certificate of a disclosure: exact or rounded, its law declared or counted, private or public."""
    shape = [(2, 2), (2, 3), (2, 2, 2), (3, 3)][int(generator.integers(4))]
    if generator.random() < 0.5:
        weights = generator.integers(1, 30, shape)
        exact = np.array(_fractions(weights.ravel()), dtype=object).reshape(shape).tolist()
        # The law of the list above is float64 and its mapping rounded; here laws are exact.
        return sf.certify(sf.disclosure.optimum(exact))
    # Few sizes, since the terms of a bound are searched for once for each.
    size = int(generator.choice([60, 500, 3000]))
    counts = generator.multinomial(size, generator.dirichlet(np.ones(int(np.prod(shape))))).reshape(shape)
    private = sf.certify(sf.disclosure.optimum(sf.disclosure.counted_law(counts)), estimated_from=size)
    return private if generator.random() < 0.5 else sf.disclosure.public_certificate(private)


MAKERS = (
    random_channel,
    random_channel,
    random_structured,
    random_mechanism,
    random_ladder,
    random_noise,
    random_assumed,
    random_belief,
    random_disclosure,
)


def honest(count, seed):
    """Every kind of the list that all certificates are tested with, and then so many at random."""
    for make in KINDS.values():
        yield make()
    generator = np.random.default_rng(seed)
    for number in range(count):
        yield MAKERS[number % len(MAKERS)](generator)


def lies(document, generator, count):
    """So many changes to what a document claims, each of at least 1e-11, or of a word."""
    for _ in range(count):
        changed = json.loads(json.dumps(document))
        what = _change(changed, generator)
        if changed != document:
            yield what, reseal(changed)


def _change(document, generator):
    claims = document["claims"]
    place = int(generator.integers(len(claims)))
    claim = claims[place]
    kind = str(generator.choice(["number", "number", "word", "word", "word", "note", "source", "claims", "witness"]))
    if kind == "number":
        _move_number(claim, generator)
    elif kind == "word":
        name = str(generator.choice(["relation", "unit", "status", "because", "sentence", "sentence", "measure"]))
        claim[name] = _other_words(claim[name], generator)
        kind = name
    elif kind == "note" and document["notes"]:
        note = int(generator.integers(len(document["notes"])))
        document["notes"][note] = _other_words(document["notes"][note], generator)
    elif kind == "note":
        document["notes"].append("Approved.")
    elif kind == "source" and document["sources"]:
        key = sorted(document["sources"])[int(generator.integers(len(document["sources"])))]
        field = str(generator.choice(["authors", "title", "venue"]))
        document["sources"][key][field] = _other_words(document["sources"][key][field], generator)
    elif kind == "witness" and any("witness" in one for one in claims):
        claim = next(one for one in claims if "witness" in one)
        weight = int(generator.integers(len(claim["witness"])))
        claim["witness"][weight] += float(10 ** generator.uniform(-10.9, -1) * generator.choice([-1, 1]))
    else:
        what = int(generator.integers(3))
        if what == 0:
            claims.pop(place)
        elif what == 1:
            claims.append(claim)
        else:
            claims.insert(0, claims.pop())
    return f"{kind} of {claim['measure'][:60]}"


def _move_number(claim, generator):
    far = float(10 ** generator.uniform(-10.99, 0) * generator.choice([-1, 1]))
    if isinstance(claim["value"], dict):
        ends = [["lower"], ["upper"], ["lower", "upper"]][int(generator.integers(3))]
        for end in ends:
            claim["value"][end] += far
    elif claim["value"] == "inf":
        claim["value"] = str(Fraction(1 + abs(far)))
    else:
        claim["value"] = str(Fraction(claim["value"]) + Fraction(far))


def _other_words(text, generator):
    words = re.split(r"(\s+)", text)
    place = 2 * int(generator.integers((len(words) + 1) // 2))
    digits = [i for i, letter in enumerate(words[place]) if letter.isdecimal()]
    what = int(generator.integers(4))
    if digits and what < 2:
        at = digits[int(generator.integers(len(digits)))]
        digit = str((int(words[place][at]) + int(generator.integers(1, 10))) % 10)
        words[place] = words[place][:at] + digit + words[place][at + 1 :]
    elif what == 2:
        words[place] = "not"
    elif what == 3:
        words.insert(place, "safely ")
    else:
        words[place] = words[place][::-1] + "\u200b"
    return "".join(words)
