"""opendp's discrete Gaussian on zeros, as many at once as it is given, in opendp's own environment: CPU seconds."""

from __future__ import annotations

import json
import sys
import time

import opendp.prelude as dp


def main() -> None:
    dp.enable_features("contrib")
    count = int(sys.argv[1])
    for scale in map(float, sys.argv[2:]):
        noise = dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float), scale)
        noise([0] * (count // 10))  # warm
        zeros = [0] * count
        start = time.process_time()
        drawn = noise(zeros)
        seconds = time.process_time() - start
        print(json.dumps({"scale": scale, "seconds": seconds, "square": sum(z * z for z in drawn) / count}), flush=True)


if __name__ == "__main__":
    main()
