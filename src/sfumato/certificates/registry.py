"""Kinds of certificates: what each is about, how its claims are stated, and how they are found again.

A room that has something to certify registers its kind when it is imported. The table of schemas is closed, and knows
the room of each by name only: nothing above this room is imported until a file or a subject asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import singledispatch
from importlib import import_module
from typing import Any, Generic, TypeVar

import msgspec

from sfumato.errors import InvalidParameter
from sfumato.prob import AnyChannel
from sfumato.values import Claim

HOMES: Mapping[str, str] = {
    "sfumato/certificate/belief-noise/1": "sfumato.design.belief_certificates",
    "sfumato/certificate/channel/1": "sfumato.certificates.channel_certificates",
    "sfumato/certificate/disclosure/1": "sfumato.disclose.disclosure_certificates",
    "sfumato/certificate/disclosure-public/1": "sfumato.disclose.public_certificates",
    "sfumato/certificate/ladder/1": "sfumato.refine.ladder_certificates",
    "sfumato/certificate/noise/1": "sfumato.design.noise_certificates",
    "sfumato/certificate/rank-noise/1": "sfumato.design.rank_certificates",
    "sfumato/certificate/sealed/1": "sfumato.refine.sealed_certificates",
    "sfumato/certificate/vector-noise/1": "sfumato.design.vector_certificates",
}

Subject = TypeVar("Subject")
Stated = Mapping[str, Claim]


def _no_picture(_: object) -> None:
    return None


def _no_name(_: object, __: str) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[Subject]):
    """Everything that a kind of certificate needs; `subject` is the type of what it is about.

    `state` makes the claims. `restate` finds them again for a checker, by another way where there is one, and takes a
    stated interval over where it is true and not vague. `notes` follow from the subject, so no text can be slipped in.
    `record` is the subject in a file; `write` and `read` turn one into the other. `about` tells what the subject is in
    a sentence or two, `picture` gives the channel to draw, and `called` a name for a measure that only the subject
    knows. Where the proof is in another, private certificate, `opened` checks that it is the one that the subject
    commits to, and returns the claims that it proves.
    """

    schema: str
    subject: type[Subject]
    record: type[msgspec.Struct]
    write: Callable[[Subject], msgspec.Struct]
    read: Callable[[Any], Subject]
    title: Callable[[Subject], str]
    about: Callable[[Subject], str]
    notes: Callable[[Subject], tuple[str, ...]]
    state: Callable[[Subject], tuple[Claim, ...]]
    restate: Callable[[Subject, Stated], tuple[Claim, ...]]
    picture: Callable[[Subject], AnyChannel | None] = _no_picture
    called: Callable[[Subject, str], str | None] = _no_name
    opened: Callable[[Subject, Any], tuple[Claim, ...]] | None = None


_KINDS: dict[str, Kind[Any]] = {}


def register(kind: Kind[Any]) -> None:
    """Make a kind known; its schema must stand in the closed table."""
    if kind.schema not in HOMES:
        raise InvalidParameter(
            "is not in the table of certificates",
            parameter="schema",
            value=kind.schema,
            way_out="Add it to HOMES, with the module that registers it.",
        )
    _KINDS[kind.schema] = kind


def kind_of_schema(schema: str) -> Kind[Any]:
    """Return the kind of a schema, entering its room if nobody has yet."""
    if schema not in HOMES:
        raise InvalidParameter(
            "is no kind of certificate",
            parameter="schema",
            value=schema[:60],
            way_out=f"There are {', '.join(HOMES)}.",
        )
    if schema not in _KINDS:
        import_module(HOMES[schema])
    return _KINDS[schema]


def kind_of_subject(subject: object) -> Kind[Any]:
    """Return the kind that is about such a subject, entering its room if nobody has yet."""
    kind = _known_kind(subject) or (enter_room_of(type(subject)) and _known_kind(subject))
    if kind:
        return kind
    raise InvalidParameter(
        f"must be the subject of a certificate, not {type(subject).__name__}",
        parameter="subject",
        way_out="Make it with sf.certify.",
    )


def _known_kind(subject: object) -> Kind[Any] | None:
    return next((kind for kind in _KINDS.values() if kind.subject is type(subject)), None)


def enter_room_of(thing: type) -> bool:
    """Import the kinds of certificates of the room that a type lives in; say whether there are any."""
    room = ".".join(thing.__module__.split(".")[:2])
    homes = [home for home in HOMES.values() if home.startswith(f"{room}.")]
    for home in homes:
        import_module(home)
    return bool(homes)


def subject_maker(thing: type) -> Callable[..., Any]:
    """Return what makes the subject of a thing of such a type; rooms register it when they are entered."""
    make = subject_of.dispatch(thing)
    if make is subject_of.dispatch(object) and enter_room_of(thing):
        return subject_of.dispatch(thing)
    return make


@singledispatch
def subject_of(thing: Any) -> Any:
    """Return what a certificate about a thing is about. Rooms register the types that they can certify."""
    # channel_subjects has the last word on whatever no room knows, and takes this one's place when it is imported.
    raise InvalidParameter(
        f"must be something to certify, not {type(thing).__name__}", parameter="thing", way_out="Use sf.certify."
    )
