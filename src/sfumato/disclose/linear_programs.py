"""HiGHS with the settings that rare cells need: small entries are kept, and one failure is not the end."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.disclose.data_laws import FloatArray

_TOLERANCE = 1e-10
# HiGHS drops entries of the matrix up to 1e-9 by itself: a cell would lose its place, and its row its solution.
_SMALLEST_ENTRY = 1e-12
_SECOND_TRIES: tuple[tuple[str, str | int], ...] = (
    ("threads", 1),
    ("simplex_scale_strategy", 4),
    ("simplex_strategy", 4),
    ("presolve", "on"),
)


def new_model(*, scaled: bool) -> Any:
    """Return an empty model; one that is `scaled` by what is known about it is left alone by presolve and scaling."""
    import highspy  # noqa: PLC0415  slow to import

    model = highspy.Highs()  # type: ignore[no-untyped-call]
    options: list[tuple[str, str | int | float | bool]] = [
        ("output_flag", False),
        ("threads", 1),
        ("primal_feasibility_tolerance", _TOLERANCE),
        ("dual_feasibility_tolerance", _TOLERANCE),
        ("small_matrix_value", _SMALLEST_ENTRY),
    ]
    if scaled:
        options += [("simplex_scale_strategy", 0), ("presolve", "off")]
    for name, value in options:
        model.setOptionValue(name, value)
    return model


def pass_program(
    model: Any, costs: FloatArray, matrix: Any, levels: tuple[FloatArray, FloatArray], highest: FloatArray
) -> None:
    """Give the model a whole program: least costs·x with levels on matrix·x and 0 ≤ x ≤ highest."""
    import highspy  # noqa: PLC0415  slow to import
    from scipy.sparse import csc_matrix  # noqa: PLC0415  scipy is slow to import

    program = highspy.HighsLp()
    columns = csc_matrix(matrix)
    program.num_col_, program.num_row_ = matrix.shape[1], matrix.shape[0]
    program.col_cost_ = costs
    program.col_lower_, program.col_upper_ = np.zeros(matrix.shape[1]), highest
    program.row_lower_, program.row_upper_ = levels
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_, program.a_matrix_.index_ = columns.indptr, columns.indices
    program.a_matrix_.value_ = columns.data
    model.passModel(program)


def run_model(model: Any) -> bool:
    """Run warm; a solver that gives up is started cold, then scaled by itself, by the other simplex, presolved."""
    model.run()
    for name, value in _SECOND_TRIES:
        if is_optimal(model):
            return True
        _, before = model.getOptionValue(name)
        model.clearSolver()
        model.setOptionValue(name, value)
        model.run()
        model.setOptionValue(name, before)
    return is_optimal(model)


def is_optimal(model: Any) -> bool:
    """Whether the last run ended with an optimum."""
    import highspy  # noqa: PLC0415  slow to import

    return bool(model.getModelStatus() == highspy.HighsModelStatus.kOptimal)
