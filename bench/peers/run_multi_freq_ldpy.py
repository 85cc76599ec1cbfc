"""multi-freq-ldpy's optimised unary encoding and subset selection, in its own environment.

Its estimators set negative shares to nothing and scale the rest to one, and offer no other way.
"""

from __future__ import annotations

from meter import EPSILON, SIZE, measure
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client


def main() -> None:
    UE_Client(0, SIZE, EPSILON, True)  # warm: the first call compiles
    SS_Client(0, SIZE, EPSILON)
    measure(
        "OUE",
        20_000,
        lambda answer: UE_Client(answer, SIZE, EPSILON, True),
        lambda reports: UE_Aggregator_MI(reports, EPSILON, True),
        clipped=True,
    )
    measure(
        "subset selection",
        20_000,
        lambda answer: SS_Client(answer, SIZE, EPSILON),
        lambda reports: SS_Aggregator_MI(reports, SIZE, EPSILON),
        clipped=True,
    )


if __name__ == "__main__":
    main()
