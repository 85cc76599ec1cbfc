from sfumato.infer.regression.columns import RandomisedColumn
from sfumato.infer.regression.designs import DesignMatrix
from sfumato.infer.regression.fits import Coefficient, Fit
from sfumato.infer.regression.formulas import ModelFrame, model_frame
from sfumato.infer.regression.judging import TestResult, likelihood_ratio_test, predicted, wald_test
from sfumato.infer.regression.outcomes import MODELS, MOST_ANSWERS, fit_outcome
from sfumato.infer.regression.predictors import fit_predictor
from sfumato.infer.regression.standard_errors import SamplingPlan

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
