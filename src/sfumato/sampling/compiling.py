"""Numba, set up so that it loads without scipy's linear algebra.

Numba checks for a BLAS when it is first used, by importing one. Here it comes with scipy, which is always installed,
and no loop of this package calls it. So the check is answered without the import; code that compiles a product of
matrices is still checked, by the same function, when it is compiled.
"""

from __future__ import annotations

import sys
from contextlib import suppress

import numba


def _answer_for_scipy() -> None:
    if "numba.np.arraymath" in sys.modules:
        return
    from numba.np import linalg  # noqa: PLC0415  only once

    asked = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        from numba.np import arraymath  # noqa: PLC0415  it asks while it is imported
    finally:
        linalg.ensure_blas = asked
    # It has imported the function for its own use.
    arraymath.ensure_blas = asked  # type: ignore[attr-defined]


# If a later Numba has another layout, it makes the check itself.
with suppress(ImportError, AttributeError):
    _answer_for_scipy()

__all__ = ["numba"]
