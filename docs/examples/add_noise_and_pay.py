"""Publish a noisy mean income, and pay for it: the least noise for a budget in bits, debited before it is released."""

from pathlib import Path

import sfumato as sf

INCOMES = (31_000, 48_500, 27_200, 95_000, 39_900)


def main() -> None:
    """Calibrate, pay, release, settle; the next release does not fit into the budget any more."""
    ledger = sf.ledger.Ledger.create(Path("people.ledger"), budget_bits=1)

    # A mean lies where the incomes lie; the range must not come from looking at them.
    noise = sf.noise.gaussian(low=0, high=200_000, budget_bits=0.6)
    print(f"standard deviation of the noise: {noise.variance**0.5:,.0f}")

    release = sf.ledger.information("Mean income", noise.capacity_bits.upper)
    receipt = ledger.spend(release, release_id="income-2026")  # raises when the budget does not suffice
    mean = noise.release(sum(INCOMES) / len(INCOMES))
    ledger.settle(receipt)
    print(f"noisy mean: {float(mean):,.0f}; left: {float(ledger.left.bits):.2f} bits")

    try:
        ledger.spend(sf.ledger.information("Mean rent", noise.capacity_bits.upper))
    except sf.errors.BudgetSpent as refusal:
        print(f"refused: {refusal}")


if __name__ == "__main__":
    main()
