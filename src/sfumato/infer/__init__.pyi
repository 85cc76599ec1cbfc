from sfumato.infer.compliance import (
    AnsweringTest,
    ComplianceAnswer,
    allow_for_noncompliance,
    anchor_test,
    mirror_test,
)
from sfumato.infer.covariances import raw_covariance
from sfumato.infer.family_cuts import FamilyCut, FoundAnswers, discovered_answers, found_answers, reports_to_find
from sfumato.infer.floor_bounds import largest_information, odds_above
from sfumato.infer.frequency_bounds import (
    critical_random_bits,
    information_per_user,
    l1_ceiling,
    l1_floor,
    risk_ceiling,
    users_enough,
)
from sfumato.infer.group_fits import Divisor, GroupEstimate, UnknownEstimate, fit_groups
from sfumato.infer.group_models import GroupLaw, GroupModel, Unknown, polynomial
from sfumato.infer.heavy_hitters import Found, PrefixHunt, TopAnswers, top_answers
from sfumato.infer.intervals import Method, share_interval
from sfumato.infer.largest_error_floors import interactive_largest_error_floor, largest_error_floor
from sfumato.infer.likeliest_shares import MOST_LIKELIEST
from sfumato.infer.planning import Respondents, respondents_for_half_width, respondents_for_test
from sfumato.infer.prefix_trees import Forecast, hashed_keys, key_text, string_keys
from sfumato.infer.reported import LinearEstimate, ManyReports, ReportedShares
from sfumato.infer.response_guesses import Guesser
from sfumato.infer.risk_floors import RiskFloor, interactive_risk_floor, proved_floor, risk_floor, users_floor
from sfumato.infer.share_model import ShareModel
from sfumato.infer.shares import ShareEstimate, estimate_groups, estimate_share, sensitivity_band, share_weights
from sfumato.infer.simplex_estimates import clip_normalise
from sfumato.infer.testing import TestErrors, supports_first, test_errors

__all__ = [
    "MOST_LIKELIEST",
    "AnsweringTest",
    "ComplianceAnswer",
    "Divisor",
    "FamilyCut",
    "Forecast",
    "Found",
    "FoundAnswers",
    "GroupEstimate",
    "GroupLaw",
    "GroupModel",
    "Guesser",
    "LinearEstimate",
    "ManyReports",
    "Method",
    "PrefixHunt",
    "ReportedShares",
    "Respondents",
    "RiskFloor",
    "ShareEstimate",
    "ShareModel",
    "TestErrors",
    "TopAnswers",
    "Unknown",
    "UnknownEstimate",
    "allow_for_noncompliance",
    "anchor_test",
    "clip_normalise",
    "critical_random_bits",
    "discovered_answers",
    "estimate_groups",
    "estimate_share",
    "fit_groups",
    "found_answers",
    "hashed_keys",
    "information_per_user",
    "interactive_largest_error_floor",
    "interactive_risk_floor",
    "key_text",
    "l1_ceiling",
    "l1_floor",
    "largest_error_floor",
    "largest_information",
    "mirror_test",
    "odds_above",
    "polynomial",
    "proved_floor",
    "raw_covariance",
    "reports_to_find",
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
