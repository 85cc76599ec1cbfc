"""Who may see how much of the answers: the public, analysts with keys, and a registrar who gets the answers back."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from sfumato.account.readers import PUBLIC
from sfumato.errors import InvalidParameter
from sfumato.study.wording import check_line, checked_epsilon

REGISTRAR = "registrar"
TOGETHER = "all analysts together"
# With the id of a question and an ending it must fit into the name of a file, in any script.
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyst:
    """Somebody with a key: of each question they see reports of this epsilon.

    `public_key` is the file of what devices seal draws for, from the study's folder; only what collects over the web
    reads it, and where it lies is no part of the study.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.Analyst(name="ministry", epsilon=Fraction(2)).name
    'ministry'
    """

    name: str
    epsilon: Fraction
    public_key: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_line("name", self.name)
        if self.public_key is not None:
            check_line("public_key", self.public_key)
        if not self.name.replace("-", "").replace("_", "").isalnum() or self.name.lower() in {REGISTRAR, PUBLIC}:
            raise InvalidParameter(
                "of an analyst must be letters, digits, - and _, and not 'registrar' or 'public'",
                parameter="name",
                way_out="It names the file of the key: choose another.",
            )
        if len(self.name.encode()) > _LONGEST_NAME:
            raise InvalidParameter(
                f"of an analyst may have {_LONGEST_NAME} bytes: it names a file",
                parameter="name",
                way_out="Shorten it.",
            )
        object.__setattr__(self, "epsilon", checked_epsilon("epsilon", self.epsilon))


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """What a study promises about every question: what the public and each analyst see, and whether answers come back.

    `population` is how many will be asked, if that is known; `on_devices` whether they draw their reports themselves.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> asked = sf.YesNo(id="tired", text="Tired?")
    >>> press = sf.Analyst(name="press", epsilon=Fraction(2))
    >>> study = sf.Study(name="Rest", questions=(asked,), public_epsilon=Fraction(1), analysts=(press,), recover=True)
    >>> study.audience == sf.study.Audience(public_epsilon=Fraction(1), analysts=(press,), recover=True)
    True
    >>> [round(epsilon, 4) for epsilon in asked.way(study.audience).epsilons]  # of the press, and of everybody
    [2.0, 1.0]
    """

    public_epsilon: Fraction | None = None
    analysts: tuple[Analyst, ...] = ()
    recover: bool = False
    population: int | None = None
    on_devices: bool = False
