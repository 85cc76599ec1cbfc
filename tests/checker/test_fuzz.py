"""Any part of a certificate replaced by anything, under a fresh seal: an answer, soon, and that of the product."""

import json
import time

import numpy as np
import pytest

import sfumato_check
from checker_samples import honest, is_refused_by_the_product
from fresh_seals import reseal

ODD = [None, True, False, 0, -1, 1, 2**70, 1.5, -0.0, 1e308, "", "x", "1/2", "-1/3", "0/5", "inf", "1 1", [], [[]], {},
       {"kind": "dense"}, {"lower": 1.0, "upper": 0.5}, {"lower": 0.0, "upper": 1.0}, ["a", "a"], [1, 2, 3], [0.5, 0.5],
       "\u0000", "ε" * 50, "9" * 4400, "1/" + "7" * 4000]  # fmt: skip


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for number in range(len(value)):
            yield from places(value[number], (*path, number))


def odd_files(count, seed):
    """Certificates with one part replaced, doubled or gone, sealed anew, and which part that is."""
    generator = np.random.default_rng(seed)
    documents = [json.loads(certificate.to_json()) for certificate in honest(14, seed=seed)]
    for number in range(count):
        document = json.loads(json.dumps(documents[number % len(documents)]))
        found = [path for path in places(document) if path]
        # Every other time within the subject, which is what gets computed with.
        inside = [path for path in found if path[0] == "subject"] if number % 2 else found
        path = inside[int(generator.integers(len(inside)))]
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        what = int(generator.integers(4))
        if what == 0:
            del holder[path[-1]]
        elif what == 1 and isinstance(holder, list):
            holder.append(holder[path[-1]])
        else:
            holder[path[-1]] = ODD[int(generator.integers(len(ODD)))]
        if isinstance(document.get("digest"), str):
            yield path, reseal(document)


def fuzz(count, seed):
    slowest = 0.0
    for path, raw in odd_files(count, seed):
        start = time.perf_counter()
        answer = sfumato_check.answer(raw)
        slowest = max(slowest, time.perf_counter() - start)
        assert "did not expect" not in answer["because"], (path, answer["because"])
        # Labels may change, and all is still true; whatever one of the two accepts, the other does.
        if answer["answer"] != sfumato_check.TOO_LARGE:
            refused = answer["exit_code"] in {1, 2}
            assert refused == is_refused_by_the_product(raw), (path, answer["because"])
    return slowest


def test_three_hundred_odd_files_get_an_answer():
    assert fuzz(300, seed=21) < 5


@pytest.mark.slow
def test_twenty_thousand_odd_files_get_an_answer():
    assert fuzz(20_000, seed=22) < 5
