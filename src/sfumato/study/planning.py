"""A study worked out: how each question is asked and why, what each reader sees of it, and what that costs.

Errors are standard deviations by the exact variance of each level; half-widths and numbers of respondents use the
normal approximation, except for cards, whose numbers are searched for exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from sfumato import measures
from sfumato.certificates import Certificate, certify
from sfumato.certificates.words import percent_at_least
from sfumato.design import RecoverableDesign
from sfumato.mechanisms import BinaryHadamard, CyclicResponse, RandomizedResponse
from sfumato.refine import Ladder, separate_bits
from sfumato.refine.rungs import Rung
from sfumato.study.collecting import card_for, hunt_for, ladder_for
from sfumato.study.costs import SurveyPlan, plan_survey
from sfumato.study.questions import Count, FreeText, OneOfMany, Question, Recoverable, YesNo
from sfumato.study.studies import Study, has_card
from sfumato.study.surveys import DEFAULT_HALF_WIDTH
from sfumato.study.totals import Total, totals_of
from sfumato.values.rounding import float_below

DEFAULT_CONFIDENCE = Fraction(19, 20)
# From here on the bound that noise is compared with means something; few answers can do better.
_MANY = 50
# Where privacy is drawn against accuracy.
CURVE_EPSILONS = (0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelPlan:
    """One level of a question: who sees it, and how well shares can be read from it.

    `deviation` is √n times the standard deviation of a share; `half_width` is that of the interval for the study's
    population, None without one.
    """

    level: int
    epsilon: float
    readers: tuple[str, ...]
    deviation: float
    respondents: int
    half_width: float | None
    key_bits: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderPlan:
    """A question asked by a ladder. `because` says in words why this mechanism."""

    question: Question
    ladder: Ladder
    because: str
    share: float
    half_width: float
    levels: tuple[LevelPlan, ...]
    random_bits: float
    separate_bits: float
    report_bytes: int
    certificate: Certificate


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPlan:
    """A question asked with a card."""

    question: YesNo
    survey: SurveyPlan
    certificate: Certificate


@dataclass(frozen=True, slots=True, kw_only=True)
class HuntPlan:
    """A question for free text; `least_share` is about the least share that is found, None without a population."""

    question: FreeText
    because: str
    epsilon: float
    least_share: float | None
    certificate: Certificate

    @property
    def words(self) -> str:
        """Say how frequent a text must be to be found."""
        if self.least_share is None:
            return "Give the study a population to learn how frequent a text must be to be found."
        if self.least_share >= 1:
            return "With so few respondents nothing is found. Ask more, raise epsilon, or shorten the texts."
        return f"A text is nearly always found if about {100 * self.least_share:.2g} % of the respondents give it."


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldPlan:
    """A question of whose answers only a part is told, right often enough."""

    question: Recoverable
    because: str
    epsilon: float
    design: RecoverableDesign
    certificate: Certificate

    @property
    def words(self) -> str:
        """Say how well the answer stays hidden."""
        free = percent_at_least(self.design.critical_rho)
        return (
            f"The best guess of the answer stays wrong at least {percent_at_least(self.design.privacy)} of the time. "
            f"Being right up to {free} of the time would cost nothing."
        )


QuestionPlan = LadderPlan | CardPlan | HuntPlan | ToldPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan:
    """All questions, and what readers see of a respondent over all of them."""

    study: Study
    questions: tuple[QuestionPlan, ...]
    totals: tuple[Total, ...]


def plan_study(study: Study) -> StudyPlan:
    """Work a study out."""
    return StudyPlan(
        study=study,
        questions=tuple(_plan_question(study, question) for question in study.questions),
        totals=totals_of(study),
    )


def _plan_question(study: Study, question: Question) -> QuestionPlan:
    if isinstance(question, FreeText):
        return _plan_hunt(study, question)
    if isinstance(question, Recoverable):
        return _plan_told(question)
    if isinstance(question, YesNo) and has_card(question):
        survey = plan_survey(question.survey(study.name))
        return CardPlan(question=question, survey=survey, certificate=card_for(study, question).certificate)
    ladder = ladder_for(study, question)
    share, half_width = _goal(question)
    return LadderPlan(
        question=question,
        ladder=ladder,
        because=reason_for(question, ladder),
        share=share,
        half_width=half_width,
        levels=tuple(_plan_level(study, question, ladder, i, share, half_width) for i in range(len(ladder.levels))),
        random_bits=ladder.randomness_bits().upper,
        separate_bits=_separate_bits(ladder),
        report_bytes=1 if ladder.modulus <= 256 else 2 if ladder.modulus <= 65536 else 4,
        certificate=certify(ladder),
    )


def _plan_level(
    study: Study, question: Question, ladder: Ladder, place: int, share: float, half_width: float
) -> LevelPlan:
    last = len(ladder.levels) - 1
    readers = [a.name for a in study.analysts if study.level_of(a, question) == place + 1]
    deviation = share_deviation(ladder.levels[place], share)
    reach = NormalDist().inv_cdf(float(1 + DEFAULT_CONFIDENCE) / 2)
    return LevelPlan(
        level=place + 1,
        epsilon=math.log(ladder.odds[place]),
        readers=(*readers, "public") if place == last else tuple(readers),
        deviation=deviation,
        respondents=math.ceil((reach * deviation / half_width) ** 2),
        half_width=None if study.population is None else reach * deviation / math.sqrt(study.population),
        key_bits=None if place == last else ladder.key_law(place + 1).entropy_bits().upper,
    )


def _plan_hunt(study: Study, question: FreeText) -> HuntPlan:
    level = study.levels(question)[-1]
    hunt = hunt_for(study, question)
    # The last level is the hardest: as many candidates as are kept, each with all its next bytes.
    rung = CyclicResponse.within(size=(question.keep << hunt.step_bits) + 1, epsilon=float_below(level))
    least = None
    if study.population is not None and study.population >= hunt.levels:
        reach = NormalDist().inv_cdf(1 - (1 - hunt.confidence) / (rung.size - 1))
        # Found half of the time by the threshold alone; so much more makes it nearly always.
        least = (reach + 2) * share_deviation(rung, 0.0) / math.sqrt(study.population / hunt.levels)
    return HuntPlan(
        question=question,
        because=(
            f"Any text of up to {question.longest} bytes: the frequent ones are found byte by byte. The respondents "
            f"are divided into {hunt.levels} groups, each is asked about one more byte, everybody once."
        ),
        epsilon=float(level),
        least_share=None if least is None else min(1.0, least),
        certificate=certify(rung),
    )


def _plan_told(question: Recoverable) -> ToldPlan:
    design = question.design()
    return ToldPlan(
        question=question,
        because=(
            f"Of {len(question.answers)} answers only {len(question.labels)} values are told, each right at least "
            f"{percent_at_least(question.recover_probability)} of the time; the noise depends on the value alone."
        ),
        epsilon=measures.epsilon(design.channel),
        design=design,
        certificate=design.certificate,
    )


def share_deviation(rung: Rung | RandomizedResponse, share: float) -> float:
    """√n times the standard deviation of the unbiased share of an answer that so many hold."""
    if isinstance(rung, BinaryHadamard) and rung.size > 2:
        rounds = 1000 * rung.groups
        return math.sqrt(rounds * rung.variance([Fraction(1, rung.size)] * rung.size, rounds))
    if isinstance(rung, CyclicResponse):
        own, other = (float(p) for p in rung.probabilities)
    else:
        odds = float(rung.odds)
        own, other = odds / (odds + 1), 1 / (odds + 1)
    hit = other + (own - other) * share
    return math.sqrt(hit * (1 - hit)) / (own - other)


def reason_for(question: Question, ladder: Ladder) -> str:
    """Say why the question is asked this way."""
    levels = len(ladder.levels)
    by_degrees = f"{levels} levels of one report" if levels > 1 else "one level"
    if ladder.modulus == 2 and ladder.size == 2:
        return f"Two answers: each report is the answer or its opposite, {by_degrees}, by flips."
    if ladder.modulus == 2:
        return (
            f"Few random bits are allowed: each respondent answers one public yes/no question about the answer, "
            f"{by_degrees}, by flips."
        )
    kind = "rounded counts" if isinstance(question, Count) else "answers"
    words = f"{ladder.size} {kind}: the cyclic response on {ladder.modulus} possible reports, {by_degrees}."
    if levels > 1 and ladder.size >= _MANY:
        ratios = ", ".join(f"{ratio:.2f}" for ratio in ladder.ratios)
        words += (
            f" One set of favoured shifts serves all levels; the noise over the least possible is {ratios}, sharpest "
            f"level first."
        )
    return words


def accuracy_curve(question: Question, share: float) -> tuple[tuple[float, float], ...]:
    """√n times the standard deviation of a share against ε, each at the best set for that ε."""
    size = len(question.labels)
    points = []
    for epsilon in CURVE_EPSILONS:
        if size == 2:
            rung: Rung = BinaryHadamard.within(size=2, epsilon=epsilon)
        elif isinstance(question, OneOfMany) and question.random_bits is not None:
            rung = BinaryHadamard.within(size=size, epsilon=epsilon)
        else:
            rung = CyclicResponse.within(size=size, epsilon=epsilon)
        points.append((epsilon, share_deviation(rung, share)))
    return tuple(points)


def _goal(question: Question) -> tuple[float, float]:
    if isinstance(question, YesNo):
        return float(question.plan.share), float(question.plan.half_width or DEFAULT_HALF_WIDTH)
    return 1 / len(question.labels), float(DEFAULT_HALF_WIDTH)


def _separate_bits(ladder: Ladder) -> float:
    """What a report of its own for each level would take."""
    if ladder.modulus == 2:
        return separate_bits([math.log(o) for o in ladder.odds])
    return sum(_alone(ladder, place) for place in range(len(ladder.levels)))


def _alone(ladder: Ladder, place: int) -> float:
    law = Ladder.of_odds(ladder.levels[place], [ladder.odds[place]]).steps[0]
    return law.entropy_bits().upper
