"""Numba, set up so that it loads without scipy's linear algebra.

Numba asks whether there is a BLAS when it is first used, by importing one. Ours come with scipy, which is always
installed, and no loop of ours calls one. So that question is answered here; who compiles a product of matrices is
still asked, by the same function, when it is compiled.
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


# If Numba is laid out otherwise one day, it looks for itself.
with suppress(ImportError, AttributeError):
    _answer_for_scipy()

__all__ = ["numba"]
