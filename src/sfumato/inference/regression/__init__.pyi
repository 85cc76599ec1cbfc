from sfumato.inference.regression.columns import DesignMatrix, RandomisedColumn
from sfumato.inference.regression.fitting import MODELS, MOST_ANSWERS, fit_outcome, fit_predictor
from sfumato.inference.regression.formula import ModelFrame, model_frame
from sfumato.inference.regression.result import (
    Coefficient,
    Fit,
    SamplingPlan,
    TestResult,
    likelihood_ratio_test,
    predicted,
    wald_test,
)

__all__ = [
    "MODELS",
    "MOST_ANSWERS",
    "Coefficient",
    "DesignMatrix",
    "Fit",
    "ModelFrame",
    "RandomisedColumn",
    "SamplingPlan",
    "TestResult",
    "fit_outcome",
    "fit_predictor",
    "likelihood_ratio_test",
    "model_frame",
    "predicted",
    "wald_test",
]
