"""Small worked examples of certifying, with every number in full."""

from fractions import Fraction

import sfumato as sf
from corpus_cases.record import case


@case("certifying/audit (kind)")
def _audit_kind() -> object:
    noted: list[object] = []
    found = sf.audit(sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3)), 10000)
    noted.append(found.claim.status.value)
    return noted


@case("certifying/certificate (kind)")
def _certificate_kind() -> object:
    noted: list[object] = []
    certificate = sf.certify(sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3)))
    noted.append(certificate["odds"].value)
    noted.append(sf.Certificate.from_json(certificate.to_json()) == certificate)
    return noted


@case("certifying/channel subject (kind)")
def _channel_subject_kind() -> object:
    noted: list[object] = []
    subject = sf.certify(sf.Channel([[0.7, 0.3], [0.2, 0.8]])).subject
    noted.append((subject.channel.exact, subject.prior.probabilities))
    noted.append(0 < subject.channel_moved < 1e-15)
    return noted


@case("certifying/source (kind)")
def _source_kind() -> object:
    noted: list[object] = []
    made = sf.certify(sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3)))
    noted.append([source.key for source in made.sources])
    noted.append(str(made.sources[-2]))
    return noted


@case("certifying/audit")
def _audit() -> object:
    noted: list[object] = []
    coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    noted.append(sf.audit(coin, 100000).claim.value > 1)
    return noted


@case("certifying/audit counts")
def _audit_counts() -> object:
    noted: list[object] = []
    found = sf.certificates.audit_counts([[820, 180], [190, 810]], claimed_epsilon=1.0, answers=("no", "yes"))
    noted.append((found.contradicts_claim, found.pair))
    noted.append(found.sentence)
    return noted


@case("certifying/certify")
def _certify() -> object:
    noted: list[object] = []
    certificate = sf.certify(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    noted.append(certificate["guess_error"].sentence)
    ladder = sf.certify(sf.Ladder.within(size=6, epsilons=[2, 1]), readers=["ministry"])
    noted.append(ladder["epsilon_level_1"].sentence)
    return noted


@case("certifying/verify")
def _verify() -> object:
    noted: list[object] = []
    certificate = sf.certify(sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3)))
    noted.append(sf.verify(certificate))
    return noted
