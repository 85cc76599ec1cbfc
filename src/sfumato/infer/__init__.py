"""What do the reports say? Estimates with intervals, tests with exact errors, and how many respondents they need."""

from sfumato.infer.intervals import Method, share_interval
from sfumato.infer.planning import Respondents, respondents_for_half_width, respondents_for_test
from sfumato.infer.share_model import ShareModel
from sfumato.infer.shares import ShareEstimate, estimate_groups, estimate_share, sensitivity_band
from sfumato.infer.testing import TestErrors, supports_first, test_errors

__all__ = [
    "Method",
    "Respondents",
    "ShareEstimate",
    "ShareModel",
    "TestErrors",
    "estimate_groups",
    "estimate_share",
    "respondents_for_half_width",
    "respondents_for_test",
    "sensitivity_band",
    "share_interval",
    "supports_first",
    "test_errors",
]
