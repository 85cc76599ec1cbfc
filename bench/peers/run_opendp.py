"""opendp's two randomised responses that can serve k answers, in opendp's own environment.

It has neither Hadamard response nor OUE. Each bit of a one-hot row is flipped with 1/(e^(ε/2)+1), as in RAPPOR, or one
of k categories is answered at random; for the latter opendp has no estimator, so the usual one is written out here.
The one-hot rows are made beforehand and are not counted.
"""

from __future__ import annotations

import math

import numpy as np
import opendp.prelude as dp
from meter import EPSILON, SIZE, measure


def main() -> None:
    dp.enable_features("contrib")
    share = 2 / (math.exp(EPSILON / 2) + 1)
    bits = dp.m.make_randomized_response_bitvec(
        dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=math.nextafter(share, 1)
    )
    rows = [np.packbits(np.arange(SIZE) == answer, bitorder="little").tobytes() for answer in range(SIZE)]
    measure(
        "bit flips (RAPPOR)",
        10_000,
        lambda answer: bits(rows[answer]),
        lambda reports: np.array(dp.m.debias_randomized_response_bitvec(reports, share)) / len(reports),
    )
    truth = math.exp(EPSILON) / (math.exp(EPSILON) + SIZE - 1)
    other = (1 - truth) / (SIZE - 1)
    categories = dp.m.make_randomized_response(list(range(SIZE)), prob=truth)
    measure(
        "k-ary response",
        50_000,
        categories,
        lambda reports: (np.bincount(reports, minlength=SIZE) / len(reports) - other) / (truth - other),
    )


if __name__ == "__main__":
    main()
