"""What do the reports say? Estimates with intervals, tests with exact errors, and how many respondents they need."""

from sfumato.infer.covariances import raw_covariance
from sfumato.infer.frequency_bounds import (
    critical_random_bits,
    information_per_user,
    l1_ceiling,
    l1_floor,
    risk_ceiling,
    risk_floor,
    users_enough,
    users_floor,
)
from sfumato.infer.heavy_hitters import Found, PrefixHunt, TopAnswers, top_answers
from sfumato.infer.intervals import Method, share_interval
from sfumato.infer.planning import Respondents, respondents_for_half_width, respondents_for_test
from sfumato.infer.prefix_trees import Forecast, hashed_keys, key_text, string_keys
from sfumato.infer.response_guesses import Guesser
from sfumato.infer.share_model import ShareModel
from sfumato.infer.shares import ShareEstimate, estimate_groups, estimate_share, sensitivity_band, share_weights
from sfumato.infer.simplex_estimates import clip_normalise
from sfumato.infer.testing import TestErrors, supports_first, test_errors

__all__ = [
    "Forecast",
    "Found",
    "Guesser",
    "Method",
    "PrefixHunt",
    "Respondents",
    "ShareEstimate",
    "ShareModel",
    "TestErrors",
    "TopAnswers",
    "clip_normalise",
    "critical_random_bits",
    "estimate_groups",
    "estimate_share",
    "hashed_keys",
    "information_per_user",
    "key_text",
    "l1_ceiling",
    "l1_floor",
    "raw_covariance",
    "respondents_for_half_width",
    "respondents_for_test",
    "risk_ceiling",
    "risk_floor",
    "sensitivity_band",
    "share_interval",
    "share_weights",
    "string_keys",
    "supports_first",
    "test_errors",
    "top_answers",
    "users_enough",
    "users_floor",
]
