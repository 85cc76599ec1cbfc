"""How long the independent checker takes at the sizes that it promises: each within 20 seconds.

Run: python bench/checker.py
"""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np

import sfumato as sf
import sfumato_check
from sfumato.noise.certificates import certify_range

LIMIT_SECONDS = 20


def dense() -> sf.Certificate:
    generator = np.random.default_rng(15)
    rows = generator.random((200, 200)) ** 3
    prior = generator.random(200)
    return sf.certify(sf.Channel(rows / rows.sum(axis=1, keepdims=True)), prior / prior.sum())


def ladder() -> sf.Certificate:
    return sf.certify(sf.Ladder.within(size=1000, epsilons=[4.0, 3.0, 2.0, 1.5, 1.0, 0.5], recover=True))


def noise() -> sf.Certificate:
    # A deviation of 1/8 of the range: about 1.3 bits.
    return certify_range(low=Fraction(0), high=Fraction(1), steps=200, variance=Fraction(2500))


def disclosure() -> sf.Certificate:
    return sf.certify(sf.disclosure.optimum(sf.disclosure.DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], 6)))


def main() -> None:
    print("making and checking                        file      made    checked")
    for title, make in [
        ("dense channel, 200 × 200", dense),
        ("ladder, 1,000 answers × 6 levels", ladder),
        ("noise on 200 steps", noise),
        ("disclosure of 64 cells", disclosure),
    ]:
        start = time.perf_counter()
        raw = make().to_json().encode()
        made = time.perf_counter() - start
        start = time.perf_counter()
        found = sfumato_check.answer(raw)
        seconds = time.perf_counter() - start
        print(f"{title:<38} {len(raw) / 1e6:>6.2f} MB {made:>7.2f} s {seconds:>7.2f} s   {found['answer']}")
        if found["answer"] != "checked" or seconds > LIMIT_SECONDS:
            raise SystemExit(f"{title}: {found['because']}")


if __name__ == "__main__":
    main()
