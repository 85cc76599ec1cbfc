"""What kind of adversary a guarantee holds against."""

from __future__ import annotations

from enum import StrEnum


class Guarantee(StrEnum):
    """Where the randomness behind a report comes from decides against whom it protects.

    >>> import sfumato as sf
    >>> sf.bits.SystemBits().guarantee is sf.values.Guarantee.INFORMATION_THEORETIC
    True
    >>> [guarantee.value for guarantee in sf.values.Guarantee]
    ['information_theoretic', 'computational', 'none']
    """

    INFORMATION_THEORETIC = "information_theoretic"
    """Fresh true randomness: holds against unlimited computing power."""
    COMPUTATIONAL = "computational"
    """Randomness expanded from a secret key: holds while the cipher does."""
    NONE = "none"
    """A seed that anyone can repeat: a simulation."""
