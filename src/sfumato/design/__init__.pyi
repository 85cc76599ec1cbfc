from sfumato.design.answer_limits import AnswerLimits
from sfumato.design.belief_releases import BelievedNoise
from sfumato.design.belief_subjects import BeliefSubject
from sfumato.design.believed_noise import (
    believed_count,
    believed_histogram,
    believed_mean,
    believed_sum,
)
from sfumato.design.cards import SpinnerCard, playable, spinner_card
from sfumato.design.classics import (
    crosswise,
    crosswise_channel,
    diluted_truth,
    forced_response,
    most_truth,
    unrelated_question,
    warner,
)
from sfumato.design.column_rays import report_columns
from sfumato.design.converses import responses_converse
from sfumato.design.device_settings import DeviceKind, device_at
from sfumato.design.devices import (
    Device,
    crosswise_device,
    forced_category_device,
    forced_response_device,
    kuk_device,
    mangat_device,
    triangular_device,
    unrelated_question_device,
    warner_device,
)
from sfumato.design.exponential_noise import ExponentialDesign, exponential, exponential_of
from sfumato.design.flipped_answers import FlipDesign, flip
from sfumato.design.gaussian_noise import GaussianDesign, gaussian
from sfumato.design.group_devices import (
    GroupDevice,
    anchored_crosswise,
    cheating_detection_groups,
    extended_crosswise_groups,
    lie_detector_groups,
    unrelated_question_groups,
)
from sfumato.design.lasting_coins import coin_privacy, partner_law, partner_privacy
from sfumato.design.limits import Limits
from sfumato.design.listed_cards import list_response, playable_list
from sfumato.design.listed_surveys import ListedSurvey, answer_or_silence, listed_survey
from sfumato.design.many_responses import alternating, design_responses, responses, robust_responses
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
from sfumato.design.partners import PartnerDesign, design_partners, partner_for_life
from sfumato.design.private_means import PrivateMean, private_mean
from sfumato.design.private_quantiles import PrivateQuantile, private_quantile
from sfumato.design.private_totals import PrivateSum, private_count, private_sum
from sfumato.design.published_schemes import (
    accuracy_floor,
    accuracy_of_noise,
    block_noise,
    block_privacy,
    blocks_win_at_last,
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
from sfumato.design.rank_certificates import RankSubject
from sfumato.design.recounts import Recount, bits_of
from sfumato.design.recoverable_answers import (
    RecoverableDesign,
    best_answer,
    best_noise,
    hide_correlated,
    hide_data_telling_correlated,
    hide_predicate,
    recoverable,
)
from sfumato.design.responses_found import ResponsesDesign
from sfumato.design.robust_answers import PriorPrice, RobustDesign, ball_corners, robust, robust_ball
from sfumato.design.surveys import SurveyDesign, best_design, meets, survey
from sfumato.design.type_programs import TypeBounds, type_bounds
from sfumato.design.variance_floors import total_variance, variance_floor
from sfumato.design.vector_certificates import VectorSubject
from sfumato.design.vector_noise import VectorDesign, private_histogram
from sfumato.design.worst_answers import EveryAnswerDesign, design_every_answer, every_answer

__all__ = [
    "AnswerLimits",
    "BeliefSubject",
    "BelievedNoise",
    "Device",
    "DeviceKind",
    "EveryAnswerDesign",
    "ExponentialDesign",
    "FlipDesign",
    "GaussianDesign",
    "GroupDevice",
    "Limits",
    "ListedSurvey",
    "NoiseSubject",
    "OptimalFor",
    "PartnerDesign",
    "PriorPrice",
    "PrivateMean",
    "PrivateQuantile",
    "PrivateSum",
    "Query",
    "RankSubject",
    "Recount",
    "RecoverableDesign",
    "ResponsesDesign",
    "RobustDesign",
    "SpinnerCard",
    "SurveyDesign",
    "TypeBounds",
    "VectorDesign",
    "VectorSubject",
    "accuracy_floor",
    "accuracy_of_noise",
    "alternating",
    "anchored_crosswise",
    "answer_or_silence",
    "ball_corners",
    "believed_count",
    "believed_histogram",
    "believed_mean",
    "believed_sum",
    "best_answer",
    "best_design",
    "best_noise",
    "bits_of",
    "block_noise",
    "block_privacy",
    "blocks_win_at_last",
    "cheating_detection_groups",
    "chernoff_radius_nats",
    "coin_privacy",
    "converse",
    "crosswise",
    "crosswise_channel",
    "crosswise_device",
    "decay_bounds",
    "decay_exponent_nats",
    "design_every_answer",
    "design_partners",
    "design_responses",
    "device_at",
    "diluted_truth",
    "every_answer",
    "exponential",
    "exponential_of",
    "extended_crosswise_groups",
    "flip",
    "forced_category_device",
    "forced_response",
    "forced_response_device",
    "gaussian",
    "hide_correlated",
    "hide_data_telling_correlated",
    "hide_predicate",
    "kuk_device",
    "largest_chernoff_nats",
    "largest_f_divergence",
    "largest_fisher_information",
    "largest_renyi_nats",
    "lie_detector_groups",
    "list_response",
    "listed_survey",
    "mangat_device",
    "meets",
    "minority_bounds",
    "minority_chance",
    "most_truth",
    "optimal_weight",
    "pair_bound",
    "pair_noise",
    "partner_for_life",
    "partner_law",
    "partner_privacy",
    "playable",
    "playable_list",
    "privacy_of_noise",
    "private_count",
    "private_histogram",
    "private_mean",
    "private_quantile",
    "private_sum",
    "published_noise",
    "recoverable",
    "report_columns",
    "responses",
    "responses_converse",
    "robust",
    "robust_ball",
    "robust_responses",
    "share_law",
    "spinner_card",
    "survey",
    "total_variance",
    "triangular_device",
    "type_bounds",
    "unrelated_question",
    "unrelated_question_device",
    "unrelated_question_groups",
    "variance_floor",
    "warner",
    "warner_device",
]
