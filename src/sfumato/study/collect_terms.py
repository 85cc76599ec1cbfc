"""How a study is collected over the web, as its file says under [collect]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from sfumato.errors import InvalidParameter
from sfumato.keys.shares import Kem
from sfumato.study.fields import LONGEST, as_flag, as_text, check_line

E = TypeVar("E", bound=StrEnum)

TOLD_KEYS = ("asked_by", "about", "contact")
"""What respondents are told on the first page, in the study's own words."""
COLLECT_KEYS = ("mode", "recover", "kem", "paper", *TOLD_KEYS)
KEY_FILE = "public_key"
"""The file of a public key: where it lies is no part of the study."""


class Mode(StrEnum):
    """Whether a report can be linked to whom it was asked of."""

    ANONYMOUS = "anonymous"
    """It cannot: a token is spent for a blind signature, and the report comes with that signature."""
    PANEL = "panel"
    """It can: reports are kept under a pseudonym, so that waves can be joined."""

    @property
    def words(self) -> str:
        """Say it to a reader of the reports."""
        return _WORDS[self]


class Paper(StrEnum):
    """Who types in what was drawn by hand, where the study allows it."""

    OFFICE = "office"
    """Sheets without names are returned, and an office types each in with a one-time code of its own."""
    TYPED = "typed"
    """Respondents type the outcome in themselves, with their token: the server sees both at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectTerms:
    """How reports are collected over the web.

    With `recover` devices seal a share for the registrar too, which gives the answers back; the study's registrar must
    be allowed to. `paper` says who types in what was drawn by hand, if anybody may. `asked_by`, `about` and `contact`
    are what the first page says of the study.

    >>> import sfumato as sf
    >>> sf.study.CollectTerms(mode="panel").mode.value
    'panel'
    """

    mode: Mode | str = Mode.ANONYMOUS
    recover: bool = False
    kem: Kem | str = Kem.X25519
    paper: Paper | str | None = None
    asked_by: str | None = None
    about: str | None = None
    contact: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "mode", _one_of("mode", Mode, self.mode))
        object.__setattr__(self, "kem", _one_of("kem", Kem, self.kem))
        if self.paper is not None:
            object.__setattr__(self, "paper", _one_of("paper", Paper, self.paper))
        for name in TOLD_KEYS:
            said = getattr(self, name)
            if said is not None:
                check_line(name, said, most=LONGEST["text"])
        if self.paper == Paper.OFFICE and self.contact is None:
            raise InvalidParameter(
                "is missing, and sheets are to be returned to an office",
                parameter="contact",
                way_out="Say in `contact` where sheets are returned to, or leave out `paper`.",
            )

    def entries(self) -> dict[str, Any]:
        """Return what a file says of it."""
        said: dict[str, Any] = {"mode": str(self.mode), "kem": str(self.kem)}
        told = {name: getattr(self, name) for name in ("paper", *TOLD_KEYS)}
        return (
            said
            | ({"recover": True} if self.recover else {})
            | {name: str(text) for name, text in told.items() if text is not None}
        )

    def check_registrar(self, *, recover: bool) -> None:
        """Refuse to send the registrar what the study gives no registrar."""
        if self.recover and not recover:
            raise InvalidParameter(
                "sends the registrar what gives the answers back, and the study has no such registrar",
                parameter="recover",
                way_out="Write recover = true under [registrar] too, or take it out under [collect].",
            )


def kem_of(kem: Kem | str) -> Kem:
    """Return how bodies are sealed, by its name."""
    return _one_of("kem", Kem, kem)


def read_terms(table: Mapping[str, object]) -> CollectTerms:
    """Read [collect]."""
    given = {key: as_text(table[key], key) for key in ("mode", "kem", "paper", *TOLD_KEYS) if key in table}
    return CollectTerms(**given, recover=as_flag(table.get("recover", False), "recover"))


def key_file(table: Mapping[str, object]) -> str | None:
    """Read the name of a public key's file."""
    return as_text(table[KEY_FILE], KEY_FILE) if KEY_FILE in table else None


def key_entry(file: str | None, *, shown: bool) -> dict[str, Any]:
    """Return the entry of a key's file: in a study file, not in what the study is known by."""
    return {} if file is None or not shown else {KEY_FILE: file}


def _one_of(parameter: str, known: type[E], value: str) -> E:
    try:
        return known(value)
    except ValueError:
        raise InvalidParameter(
            f"must be one of {', '.join(known)}", parameter=parameter, way_out="Choose one of these."
        ) from None


_WORDS = {
    Mode.ANONYMOUS: "anonymous: whoever holds the server's files cannot tell who sent which report; times and network "
    "addresses seen on the way still can",
    Mode.PANEL: "panel: each report is kept under a pseudonym that the office can link to the person, so that waves "
    "can be joined and rows withdrawn",
}
