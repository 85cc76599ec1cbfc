"""Ask a sensitive yes/no question: the design that needs the fewest respondents, the card to play it with, and what the
reports say.
"""

from pathlib import Path

import sfumato as sf

SHARE = 0.2
RESPONDENTS = 2000


def main() -> None:
    """Design the survey, print its card, simulate it, and estimate the share of yes."""
    # The best guess of anybody's answer must be wrong in three cases of eight.
    design = sf.surveys.survey(guess_error=0.375)
    coin = sf.surveys.warner(guess_error=0.375)
    gain = float(design.fisher_information(SHARE)) / float(coin.fisher_information(SHARE))
    print(f"{gain:.1f} times fewer respondents than with a coin")

    card = sf.surveys.spinner_card(design.channel)
    for line in card.lines():
        print(line)
    Path("card.svg").write_text(sf.output.spinner_svg(card, title="Did you work unpaid overtime?"), encoding="utf-8")

    yes = round(SHARE * RESPONDENTS)
    mechanism = design.mechanism
    reports = mechanism.privatize([0] * (RESPONDENTS - yes) + [1] * yes)
    estimate = mechanism.estimate(mechanism.tally(reports))
    interval = estimate.intervals[1]
    print(f"yes: {estimate.raw[1]:.1%}, between {interval.lower:.1%} and {interval.upper:.1%}")


if __name__ == "__main__":
    main()
