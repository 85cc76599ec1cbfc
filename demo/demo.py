"""What `make demo` runs: certify a channel, poll a thousand people, and repeat a real survey in private."""

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
    """Run the three parts."""
    console = Console(width=120, highlight=False, file=sys.stdout)
    certify_a_coin(console)
    poll_a_thousand(console)
    repeat_a_survey(console)


def certify_a_coin(console: Console) -> None:
    """State, seal and verify everything about one channel."""
    console.print("1. A channel and its certificate")
    console.print("   Answer truthfully with probability 3/4, otherwise say the opposite.\n")
    certificate = sf.certify(sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3)))
    console.print(certificate_table(certificate))
    sealed = certificate.to_json()
    sf.verify(sf.Certificate.from_json(sealed))
    console.print(f"   Sealed in {len(sealed)} bytes, opened again, all {len(certificate.claims)} claims recomputed.\n")


def poll_a_thousand(console: Console) -> None:
    """Estimate a share from reports that hide every answer."""
    console.print(f"2. A poll of {PEOPLE} people, {TRUE_YES} of whom would truthfully say yes")
    mechanism = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    answers = np.repeat([0, 1], [PEOPLE - TRUE_YES, TRUE_YES])
    tally = mechanism.tally(mechanism.privatize(answers))
    estimate = mechanism.estimate(tally)
    console.print(f"   Reports received:  {tally.counts[1]} yes, {tally.counts[0]} no; nobody's answer is known.")
    show(console, estimate.projected[1], estimate.intervals[1], TRUE_YES / PEOPLE)


def repeat_a_survey(console: Console) -> None:
    """Ask the 6 366 women of Fair's 1978 survey again, so that a guesser stays wrong in at least 3 of 8 cases."""
    from statsmodels.datasets import fair  # noqa: PLC0415  slow to import, and only this part needs it

    answers = (fair.load_pandas().data["affairs"] > 0).to_numpy().astype(int)
    truth = float(answers.mean())
    console.print(f"\n3. Fair's 1978 survey on extramarital affairs, {len(answers)} answers, privatised one by one")
    for design in (sf.design.survey(guess_error=0.375), sf.design.warner(guess_error=0.375)):
        mechanism = design.mechanism
        tally = mechanism.tally(mechanism.privatize(answers))
        estimate = sf.infer.estimate_share(design.channel, tally.counts)
        console.print(
            f"   {design.name}: a guesser stays wrong at least {float(design.limits.guess_error):.1%} of the time"
        )
        show(console, estimate.share, estimate.interval, truth)
    hard = sf.design.survey(guess_error=0.375).certificate
    console.print("   What the three-output design costs, from its certificate:")
    for measure in ("exposure", "epsilon"):
        console.print(f"   - {hard[measure].sentence}")


def show(console: Console, point: float, interval: sf.values.Interval, truth: float) -> None:
    """Print an estimate, its interval as a bar, and whether chance was kind."""
    console.print(f"   Estimated share:   {point:.1%} yes, 95 % interval {interval.lower:.1%} to {interval.upper:.1%}")
    cells = ["·"] * WIDTH
    for i in range(int(interval.lower * (WIDTH - 1)), int(interval.upper * (WIDTH - 1)) + 1):
        cells[i] = "─"
    cells[round(point * (WIDTH - 1))] = "●"
    console.print(f"   0 % {''.join(cells)} 100 %")
    if interval.lower <= truth <= interval.upper:
        console.print(f"   The interval holds the truth, {truth:.2%}.")
    else:
        console.print(f"   The interval misses the truth, {truth:.2%}: chance does so in at most one poll of twenty.")


if __name__ == "__main__":
    main()
