"""Ways to make a law out of unbiased shares, some of which are negative.

The nearest law is :func:`sfumato.prob.simplex.nearest_law`, the `projected` of every estimate. Clipping is what the
experiments of [B] seem to have done, and it is much worse when there are many answers: it keeps all the noise above
zero.   Theory: docs/theory/binary_hadamard.md
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.prob import LawLike


def clip_normalise(raw: LawLike) -> npt.NDArray[np.float64]:
    """Set negative shares to zero and divide by the sum of the others.

    For comparison with [B] only: the nearest law, `projected` of every estimate, is much closer with many answers.

    >>> import sfumato as sf
    >>> sf.infer.clip_normalise([0.75, 0.5, -0.25]).tolist()
    [0.6, 0.4, 0.0]
    """
    clipped = np.maximum(np.asarray(raw, dtype=np.float64), 0.0)
    if clipped.ndim != 1 or not (total := float(clipped.sum())) > 0 or not np.isfinite(total):
        raise InvalidParameter(
            "must be one column of finite numbers, one of them positive", parameter="raw", way_out="Pass estimate.raw."
        )
    return clipped / total
