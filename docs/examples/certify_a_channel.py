"""Certify how a clinic reports a test result: every measure of what one report tells, in a file that can be checked."""

from fractions import Fraction
from pathlib import Path

import sfumato as sf


def main() -> None:
    """Declare the channel, certify it, write the certificate, and check it as its reader would."""
    # A row for each true result, a column for each report; Fractions stay exact.
    rows = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    channel = sf.Channel(rows, inputs=["healthy", "ill"], outputs=["healthy", "ill"])

    certificate = sf.certify(channel, [Fraction(9, 10), Fraction(1, 10)])
    for claim in certificate.claims:
        if claim.measure in {"epsilon", "guess_error", "mutual_information_bits"}:
            print(f"{claim.status}: {claim.sentence}")

    Path("certificate.json").write_text(certificate.to_json(), encoding="utf-8")
    Path("certificate.html").write_text(certificate.to_html(), encoding="utf-8")

    received = sf.Certificate.from_json(Path("certificate.json").read_bytes())
    sf.verify(received)  # returns, or raises and says which claim is false
    print(f"all {len(received.claims)} claims hold")


if __name__ == "__main__":
    main()
