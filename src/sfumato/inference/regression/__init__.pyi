from sfumato.inference.regression.columns import DesignMatrix, RandomisedColumn
from sfumato.inference.regression.fitting import fit_outcome, fit_predictor
from sfumato.inference.regression.formula import model_frame
from sfumato.inference.regression.result import Fit, TestResult, likelihood_ratio_test, predicted, wald_test

__all__ = [
    "DesignMatrix",
    "Fit",
    "RandomisedColumn",
    "TestResult",
    "fit_outcome",
    "fit_predictor",
    "likelihood_ratio_test",
    "model_frame",
    "predicted",
    "wald_test",
]
