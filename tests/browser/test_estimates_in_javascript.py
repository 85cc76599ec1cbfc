"""Estimates that a browser works out are those of the command: same counts, same shares, same ends."""

import math
from dataclasses import replace

import numpy as np
import pytest

from browser.node import run_module
from kind_samples import SAMPLES
from sfumato.errors import InvalidParameter
from sfumato.inference.results import Reading
from sfumato.output.estimates import estimate_document
from sfumato.study.cells import Missing

SCRIPT = """
const { estimateQuestion } = await import("SOURCES/estimates/questions.js");
const result = given.map(({ reading, counts, confidence }) => estimateQuestion(reading, counts, confidence));
"""
TOTALS = (1, 40, 400, 20_000)
SHARES, ENDS = 1e-9, 1e-6
# Asked one by one, found among very many, or of three kinds of reports: the page names the command for these.
IN_PYTHON_ALONE = {
    "large list", "one of many, few random bits", "several, one at a time", "several, two at a time", "card",
    "card with limits", "card of two reports", "card for a list", "text", "recoverable",
}  # fmt: skip


def ways():
    """Every sample, and those that can hide who did not answer."""
    for sample in SAMPLES:
        yield sample.name, sample.handler
        try:
            hiding = replace(sample, question=replace(sample.question, missing=Missing.HIDDEN))
            yield f"{sample.name}, hidden", hiding.handler
        except (InvalidParameter, TypeError):
            continue


def cases():
    """Counts as chance makes them, from answers of several laws, some with next to nobody at some answers."""
    drawn, met = np.random.default_rng(20), 0
    for name, way in ways():
        for level in range(1, len(way.epsilons) + 1):
            reading = way.reckoning(level)
            if reading is None:
                continue
            # One total a level, in turn, so that all of them are met.
            for place, total in list(enumerate(TOTALS))[(level + met) % 4 :: 4]:
                met += 1
                channel = way.channel(level).array
                answers = drawn.dirichlet(np.full(len(channel), 0.2 if place % 2 else 2.0))
                law = answers @ channel
                counts = drawn.multinomial(total, law / law.sum())
                yield name, way, reading | {"id": way.question.id}, counts, 0.95 if total > 40 else 0.8


@pytest.fixture(scope="module")
def compared():
    """What Python says and what JavaScript says, case by case."""
    known = list(cases())
    given = [
        {"reading": reading, "counts": counts.tolist(), "confidence": confidence}
        for _, _, reading, counts, confidence in known
    ]
    found = run_module(SCRIPT, given)
    return [(*one, seen) for one, seen in zip(known, found, strict=True)]


def tallied(way, level, counts):
    return way.tally(np.arange(way.report_count), level, counts=counts)


def test_every_number_is_the_command_s(compared):
    worst = {"shares": 0.0, "ends": 0.0}
    for name, way, reading, counts, confidence, seen in compared:
        level = reading["level"]
        estimate = way.estimate(tallied(way, level, counts), Reading(level=level, confidence=confidence))
        wanted = estimate_document(estimate)
        assert set(seen) == set(wanted), name
        for key in ("question", "group", "level", "total", "confidence", "method", "picture", "shares_of", "notes"):
            assert seen[key] == wanted[key], (name, key)
        assert seen["epsilon"] == pytest.approx(wanted["epsilon"], rel=1e-12)
        for part, named in (("answers", "answer"), ("quantities", "quantity")):
            assert [one[named] for one in seen[part]] == [one[named] for one in wanted[part]], name
            for mine, theirs in zip(seen[part], wanted[part], strict=True):
                _compare(name, mine, theirs, worst, _span(way, theirs))
    assert len(compared) > 60
    assert worst["shares"] > 0  # two programs that round differently, not one that was asked twice


def _span(way, one):
    """The unit of differences: the range of the numbers, or 1."""
    values = way.question.values if hasattr(way.question, "values") else None
    if one.get("unit") != "number" or values is None:
        return 1.0
    return float(max(values) - min(values))


def _compare(name, mine, theirs, worst, span):
    assert set(mine) == set(theirs), name
    for key, value in theirs.items():
        if not isinstance(value, float):
            assert mine[key] == value, (name, key)
            continue
        bound = ENDS if key in {"lower", "upper"} else SHARES
        scale = max(1.0, abs(value)) if key in {"raw", "standard_error"} else 1.0
        gap = abs(mine[key] - value) / (span * scale)
        assert gap <= bound, (name, key, mine[key], value)
        kind = "ends" if key in {"lower", "upper"} else "shares"
        worst[kind] = max(worst[kind], gap)


def test_the_page_names_the_command_for_the_others():
    unread = {name for name, way in ways() if way.reckoning(len(way.epsilons)) is None}
    assert {name.removesuffix(", hidden") for name in unread} == IN_PYTHON_ALONE


def test_a_reckoning_is_of_the_study_alone():
    """It is the same whatever was reported, and no longer than a page can wait for."""
    for name, way in ways():
        for level in range(1, len(way.epsilons) + 1):
            found = way.reckoning(level)
            if found is not None:
                assert found == way.reckoning(level), name
                assert found["read"]["type"] in {"two", "channel", "options"}


SPECIAL = """
const special = await import("SOURCES/estimates/special.js");
const result = given.map(([name, ...numbers]) => special[name](...numbers));
"""


def test_tails_are_those_of_scipy():
    from scipy import special

    drawn = np.random.default_rng(21)
    asked = [("normalBelow", float(z)) for z in np.linspace(-30, 8, 300)]
    asked += [
        ("normalQuantile", float(p))
        for p in np.concatenate([drawn.uniform(0, 1, 200), 10.0 ** -drawn.uniform(1, 200, 100)])
    ]
    for _ in range(2000):
        total = int(10 ** drawn.uniform(0, 4.4))
        count = int(drawn.integers(1, total + 1))
        chance = float(np.clip(count / total + drawn.normal() * 3 / math.sqrt(total), 1e-9, 1 - 1e-9))
        asked.append(("incompleteBeta", count, total - count + 1, chance))
    meant = {"normalBelow": special.ndtr, "normalQuantile": special.ndtri, "incompleteBeta": special.betainc}
    for (name, *numbers), seen in zip(asked, run_module(SPECIAL, asked), strict=True):
        wanted = float(meant[name](*numbers))
        assert seen == pytest.approx(wanted, rel=2e-11, abs=1e-290), (name, numbers)
