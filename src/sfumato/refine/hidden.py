"""What is never shown, compared, pickled or copied: the secrets that everything else in this room guards."""

from __future__ import annotations

from typing import NoReturn


class Hidden:
    """A secret. It is no dataclass, or `dataclasses.asdict` of whatever holds it would spell it out."""

    __slots__ = ()

    _STAND_IN = "ask for it where it is used"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is immutable; make a new one instead of setting {name}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, not shown>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} is a secret, and secrets are not pickled or copied; {self._STAND_IN}")
