"""Calls with mistakes that a checker of types has to find: each line with the comment `error`, and no other.

Nothing here is run.
"""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import sfumato as sf


def a_name_that_is_not_there(channel: sf.Channel) -> None:
    sf.certfy(channel)  # error
    sf.design.survay(guess_error=0.375)  # error
    sf.mechanisms.CyclicRespons  # error


def certificates(channel: sf.Channel) -> None:
    sf.certify(3)  # error
    sf.certify(channel, prior="uniform")  # error
    sf.certify(channel, prior=0.5)  # error
    sf.certify(channel, shape=2.5)  # error
    certificate = sf.certify(channel, [0.5, 0.5])
    print(certificate.clams)  # error
    print(certificate.claims[0].measures)  # error
    print(certificate.claims.sentence)  # error
    sf.verify("certificate.json")  # error
    text: bytes = certificate.to_json()  # error
    print(text)


def channels() -> None:
    sf.Channel(5)  # error
    sf.Channel([0.5, 0.5])  # error
    sf.Channel([["half", "half"]])  # error
    sf.Channel([[Fraction(1, 2), Fraction(1, 2)]], output=["a", "b"])  # error
    sf.Channel.read(5)  # error


def designs(channel: sf.Channel) -> None:
    sf.surveys.survey(guess_error="a")  # error
    sf.surveys.survey(guess_error=0.375, outputs="three")  # error
    sf.surveys.survey(0.375)  # error
    sf.noise.gaussian(bound=50)  # error
    sf.noise.gaussian(bound="wide", budget_bits=1)  # error
    sf.noise.gaussian(bound=50, budget_bits="one")  # error
    sf.surveys.spinner_card("yes")  # error
    variance: str = sf.noise.gaussian(bound=50, budget_bits=1).variance  # error
    print(variance, sf.recoverable.recoverable([0.5, 0.5], ["a", "b"], rho="often"))  # error
    sf.measures.capacity_bits(channel) + 1  # error


def ladders(mechanism: sf.mechanisms.CyclicResponse, answers: Sequence[int]) -> None:
    sf.Ladder(mechanism, epsilons="x")  # error
    sf.Ladder("cyclic", epsilons=[1.0])  # error
    sf.Ladder.within(size="six", epsilons=[1.0])  # error
    ladder = sf.Ladder(mechanism, epsilons=(2.0, 1.0))
    published = ladder.publish(answers)
    ladder.open(published.reports, 1)  # error
    ladder.open(published.reports, published.keys["ministry"])  # error
    view = ladder.open(published.reports, published.keys[1])
    estimate = view.mechanism.estimate(view.mechanism.tally(view.reports))
    print(estimate.values)  # error
    print(estimate.raw["no"])  # error
    print(estimate.intervals[0].low)  # error
    view.mechanism.estimate(view.reports)  # error


def studies(study: sf.Study, reports: sf.Reports) -> None:
    sf.read_study(5)  # error
    sf.plan(5)  # error
    print(sf.plan(study).question)  # error
    sf.publish(study, 5)  # error
    sf.publish(5, "answers.csv")  # error
    sf.publish(study, "answers.csv", epoch="first")  # error
    sf.open_reports(reports, 5)  # error
    sf.open_reports(5, "ministry.key")  # error
    sf.estimate_reports(reports, confidence="0.95")  # error
    sf.estimate_reports(reports, grup="region")  # error
    for found in sf.estimate_reports(reports):
        print(found.labels, found.share)  # error


def accounts(path: Path) -> None:
    sf.ledger.Ledger(5)  # error
    ledger = sf.ledger.Ledger.create(path, budget_bits="two")  # error
    ledger.spend("Mean income")  # error
    ledger.spend(sf.ledger.information(0.5, "Mean income"))  # error
    ledger.settle(0.5)  # error
    bits: str = ledger.left.bits  # error
    print(bits)


def disclosures() -> None:
    sf.disclosure.optimum(5)  # error
    sf.disclosure.optimum([[0.5, 0.0], [0.0, 0.5]], seconds="many")  # error
    told = sf.disclosure.optimum([[0.5, 0.0], [0.0, 0.5]])
    told.release(3)  # error
    print(told.lower_bit)  # error
