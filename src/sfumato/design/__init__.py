"""What is best? One problem a file."""

from sfumato.design.advising import Advice, Prediction, advise
from sfumato.design.cards import SpinnerCard, playable, spinner_card
from sfumato.design.classics import unrelated_question, warner
from sfumato.design.exponential_noise import ExponentialDesign, exponential, exponential_of
from sfumato.design.flipped_answers import FlipDesign, flip
from sfumato.design.gaussian_noise import GaussianBox, GaussianDesign, gaussian, gaussian_box
from sfumato.design.limits import Limits
from sfumato.design.many_responses import ResponsesDesign, alternating, design_responses, responses
from sfumato.design.noise_certificates import NoiseSubject
from sfumato.design.optimality import (
    OptimalFor,
    largest_chernoff_nats,
    largest_f_divergence,
    largest_fisher_information,
    largest_renyi_nats,
    optimal_weight,
    share_law,
)
from sfumato.design.private_means import PrivateMean, private_mean
from sfumato.design.published_schemes import (
    accuracy_floor,
    accuracy_of_noise,
    block_noise,
    block_privacy,
    chernoff_radius_nats,
    converse,
    decay_bounds,
    decay_exponent_nats,
    minority_bounds,
    minority_chance,
    pair_bound,
    pair_noise,
    privacy_of_noise,
    published_noise,
)
from sfumato.design.queries import Query
from sfumato.design.recoverable_answers import (
    RecoverableDesign,
    best_answer,
    best_noise,
    hide_correlated,
    hide_data_telling_correlated,
    hide_predicate,
    recoverable,
)
from sfumato.design.robust_answers import PriorPrice, RobustDesign, ball_corners, robust, robust_ball
from sfumato.design.surveys import SurveyDesign, best_design, meets, survey

__all__ = [
    "Advice",
    "ExponentialDesign",
    "FlipDesign",
    "GaussianBox",
    "GaussianDesign",
    "Limits",
    "NoiseSubject",
    "OptimalFor",
    "Prediction",
    "PriorPrice",
    "PrivateMean",
    "Query",
    "RecoverableDesign",
    "ResponsesDesign",
    "RobustDesign",
    "SpinnerCard",
    "SurveyDesign",
    "accuracy_floor",
    "accuracy_of_noise",
    "advise",
    "alternating",
    "ball_corners",
    "best_answer",
    "best_design",
    "best_noise",
    "block_noise",
    "block_privacy",
    "chernoff_radius_nats",
    "converse",
    "decay_bounds",
    "decay_exponent_nats",
    "design_responses",
    "exponential",
    "exponential_of",
    "flip",
    "gaussian",
    "gaussian_box",
    "hide_correlated",
    "hide_data_telling_correlated",
    "hide_predicate",
    "largest_chernoff_nats",
    "largest_f_divergence",
    "largest_fisher_information",
    "largest_renyi_nats",
    "meets",
    "minority_bounds",
    "minority_chance",
    "optimal_weight",
    "pair_bound",
    "pair_noise",
    "playable",
    "privacy_of_noise",
    "private_mean",
    "published_noise",
    "recoverable",
    "responses",
    "robust",
    "robust_ball",
    "share_law",
    "spinner_card",
    "survey",
    "unrelated_question",
    "warner",
]
