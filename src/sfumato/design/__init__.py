"""What is best? One problem a file."""

from sfumato.design.advising import Advice, Prediction, advise
from sfumato.design.cards import SpinnerCard, playable, spinner_card
from sfumato.design.classics import unrelated_question, warner
from sfumato.design.limits import Limits
from sfumato.design.optimality import (
    OptimalFor,
    largest_chernoff_nats,
    largest_f_divergence,
    largest_fisher_information,
    largest_renyi_nats,
    optimal_weight,
    share_law,
)
from sfumato.design.surveys import SurveyDesign, best_design, meets, survey

__all__ = [
    "Advice",
    "Limits",
    "OptimalFor",
    "Prediction",
    "SpinnerCard",
    "SurveyDesign",
    "advise",
    "best_design",
    "largest_chernoff_nats",
    "largest_f_divergence",
    "largest_fisher_information",
    "largest_renyi_nats",
    "meets",
    "optimal_weight",
    "playable",
    "share_law",
    "spinner_card",
    "survey",
    "unrelated_question",
    "warner",
]
