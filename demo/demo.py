"""What `make demo` runs: certify a channel, then poll a thousand people who need not trust the pollster."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
from rich.console import Console

import sfumato as sf
from sfumato.render import certificate_table

PEOPLE = 1000
TRUE_YES = 300
WIDTH = 50


def main() -> None:
    """Run both parts."""
    console = Console(width=110, highlight=False, file=sys.stdout)
    mechanism = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))

    console.print("1. A channel and its certificate")
    console.print("   Answer truthfully with probability 3/4, otherwise say the opposite.\n")
    certificate = sf.certify(mechanism)
    console.print(certificate_table(certificate))
    sealed = certificate.to_json()
    sf.verify(sf.Certificate.from_json(sealed))
    console.print(f"   Sealed in {len(sealed)} bytes, opened again, all {len(certificate.claims)} claims recomputed.\n")

    console.print(f"2. A poll of {PEOPLE} people, {TRUE_YES} of whom would truthfully say yes")
    answers = np.repeat([0, 1], [PEOPLE - TRUE_YES, TRUE_YES])
    reports = mechanism.privatize(answers)
    tally = mechanism.tally(reports)
    estimate = mechanism.estimate(tally)
    interval = estimate.intervals[1]
    console.print(f"   Reports received:  {tally.counts[1]} yes, {tally.counts[0]} no; nobody's answer is known.")
    console.print(f"   Estimated share:   {estimate.raw[1]:.1%} yes, standard error {estimate.standard_errors[1]:.1%}")
    console.print(f"   95 % interval:     {interval.lower:.1%} to {interval.upper:.1%}")
    console.print(f"   0 % {_bar(interval.lower, interval.upper, estimate.projected[1])} 100 %")
    if interval.lower <= TRUE_YES / PEOPLE <= interval.upper:
        console.print(f"   The interval holds the truth, {TRUE_YES / PEOPLE:.0%}.")
    else:
        console.print(
            f"   The interval misses the truth, {TRUE_YES / PEOPLE:.0%}: chance does so once in twenty polls."
        )


def _bar(low: float, high: float, point: float) -> str:
    cells = ["·"] * WIDTH
    for i in range(int(low * (WIDTH - 1)), int(high * (WIDTH - 1)) + 1):
        cells[i] = "─"
    cells[round(point * (WIDTH - 1))] = "●"
    return "".join(cells)


if __name__ == "__main__":
    main()
