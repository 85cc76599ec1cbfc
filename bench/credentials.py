"""Credentials a second on one core: signing a blinded number, by us and by Python's own integers, in one run.

The device's part (blinding, unblinding with its check) and the server's check of a credential stand beside it. What to
compare between machines is the ratio of signing to `pow`, which is what plain Python offers; each signature is checked
against the public key before it is counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric import rsa

from sfumato.server.blind_rsa import EXPONENT, Signer, blind, check_signature, unblinded

SECONDS = 2.0
MESSAGE = b"sfumato/credential/1 bench"
LEAST_RATIO = 2.0


def a_second(work: Callable[[], object]) -> float:
    """Return how often something is done in a second."""
    start, done = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS:
        work()
        done += 1
    return done / (time.perf_counter() - start)


def plain_power(numbers: rsa.RSAPrivateNumbers, blinded: bytes) -> int:
    """The private power by the two primes in Python's integers, in no constant time and unchecked."""
    number = int.from_bytes(blinded, "big")
    by_p, by_q = pow(number, numbers.dmp1, numbers.p), pow(number, numbers.dmq1, numbers.q)
    return by_q + numbers.q * ((by_p - by_q) * numbers.iqmp % numbers.p)


def main() -> None:
    print(f"{'bits':>5} {'sign/s':>9} {'plain/s':>9} {'ratio':>7} {'blind/s':>9} {'unblind/s':>10} {'check/s':>9}")
    for bits in (2048, 3072):
        measure(bits)


def measure(bits: int) -> None:
    private = rsa.generate_private_key(EXPONENT, bits)
    public, signer, numbers = private.public_key(), Signer(private), private.private_numbers()
    asked = blind(public, MESSAGE)
    signed = signer.sign(asked.blinded)
    if int.from_bytes(signed, "big") != plain_power(numbers, asked.blinded):
        raise SystemExit("the two ways of signing disagree")
    signature = unblinded(public, asked, signed)
    signing = a_second(lambda: signer.sign(asked.blinded))
    plain = a_second(lambda: plain_power(numbers, asked.blinded))
    blinding = a_second(lambda: blind(public, MESSAGE))
    undoing = a_second(lambda: unblinded(public, asked, signed))
    checking = a_second(lambda: check_signature(public, MESSAGE, asked.nonce, signature))
    print(
        f"{bits:>5} {signing:>9.0f} {plain:>9.0f} {signing / plain:>7.1f} {blinding:>9.0f} {undoing:>10.0f} "
        f"{checking:>9.0f}"
    )
    if signing < LEAST_RATIO * plain:
        raise SystemExit(f"signing is less than {LEAST_RATIO} times as fast as plain integers")


if __name__ == "__main__":
    main()
