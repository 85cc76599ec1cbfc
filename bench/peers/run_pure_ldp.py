"""pure-ldp's Hadamard response and optimised unary encoding, in pure-ldp's own environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from meter import EPSILON, SIZE, measure
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer


def itself(answer: int) -> int:
    """Answers count from 0; pure-ldp's count from 1 unless told."""
    return answer


def collect(server: Any, reports: list[Any]) -> np.ndarray:
    for report in reports:
        server.aggregate(report)
    return np.array(server.estimate_all(range(SIZE), suppress_warnings=True)) / len(reports)


def main() -> None:
    hadamard = HadamardResponseServer(EPSILON, SIZE, index_mapper=itself)
    client = HadamardResponseClient(EPSILON, SIZE, hadamard.get_hash_funcs(), index_mapper=itself)
    measure("Hadamard response", 1_000_000, client.privatise, lambda reports: collect(hadamard, reports))
    unary = UEServer(EPSILON, SIZE, use_oue=True, index_mapper=itself)
    encoder = UEClient(EPSILON, SIZE, use_oue=True, index_mapper=itself)
    measure("OUE", 20_000, encoder.privatise, lambda reports: collect(unary, reports))


if __name__ == "__main__":
    main()
