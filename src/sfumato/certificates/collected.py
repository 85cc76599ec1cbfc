"""How reports were collected over the web, as a certificate says it: on its maker's word, where no file can show it.

It is part of the subject, so that a machine reads it there, and the notes say it to people. What the rest of the file
contradicts is refused: draws for levels that keys do not open, keys that did not travel sealed, answers that come back
where there is no key for it, and a guarantee that a cipher does not give.   Theory: docs/theory/collection.md
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec

from sfumato.certificates.certificate import Certificate
from sfumato.errors import ClaimRefused, InvalidParameter

MAKER_SAYS = "Its maker says, and this file alone cannot show, that"
COMPUTATIONAL = "computational"
_MODES = {
    "anonymous": "the mode is anonymous: whoever holds the server's files cannot tell by them who sent which report, "
    "but for the order in which they were written where few were waiting at the same time; times and network addresses "
    "seen on the way still link them.",
    "panel": "the mode is panel: each report is kept under a pseudonym that the office can link to the person, and all "
    "reports of one person can be linked to each other.",
}
_CIPHERS = ("mlkem768-x25519", "x25519")


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """That reports were collected over the web, and how.

    `mode` is anonymous or panel. Where keys open more than the public sees, `sealed_by` is the cipher under which
    devices sent what the keys are made of, and `guarantee` is computational. With `recover`, they sent the registrar
    what gives the answers back, as the study opts into.
    """

    mode: str
    sealed_by: str | None = None
    guarantee: str | None = None
    recover: bool = False


class CollectedRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """The same in a file."""

    mode: str
    sealed_by: str | None = None
    guarantee: str | None = None
    recover: bool = False


def write_collected(collected: Collected | None) -> CollectedRecord | None:
    """Return it for a file."""
    if collected is None:
        return None
    return CollectedRecord(
        mode=collected.mode,
        sealed_by=collected.sealed_by,
        guarantee=collected.guarantee,
        recover=collected.recover,
    )


def read_collected(record: CollectedRecord | None) -> Collected | None:
    """Return what a file says; whether it can be so is for `check_collected`."""
    if record is None:
        return None
    return Collected(mode=record.mode, sealed_by=record.sealed_by, guarantee=record.guarantee, recover=record.recover)


def check_collected(collected: Collected | None, *, keyed_levels: int = 0, recoverable: bool = False) -> None:
    """Raise ClaimRefused where it cannot be so: `keyed_levels` are opened by keys, answers come back if `recoverable`.

    The refusal names the entry that says it.
    """
    if collected is None:
        return
    if collected.mode not in _MODES:
        raise _refused("mode", f"must be one of {', '.join(_MODES)}")
    if collected.recover and not recoverable:
        raise _refused("recover", "says that the registrar gets the answers back, and no key gives them back here")
    if keyed_levels or collected.recover:
        if collected.sealed_by not in _CIPHERS:
            raise _refused("sealed_by", f"must be one of {', '.join(_CIPHERS)}: keys show more, and their draws travel")
        if collected.guarantee != COMPUTATIONAL:
            raise _refused("guarantee", f"must be {COMPUTATIONAL}: what keys show has travelled under a cipher")
    elif collected.sealed_by is not None:
        raise _refused("sealed_by", "names a cipher, and no key shows more than everybody sees")
    elif collected.guarantee is not None:
        raise _refused("guarantee", "says how far keys are protected, and there are none")


def collected_notes(collected: Collected | None, *, recoverable: bool = False) -> tuple[str, ...]:
    """Say it to people."""
    if collected is None:
        return ()
    notes = [
        (
            f"{MAKER_SAYS} the reports were collected over the web, each drawn on the device of its respondent, which "
            f"the answer did not leave."
        ),
        f"{MAKER_SAYS} {_MODES.get(collected.mode, '')}",
    ]
    if collected.sealed_by is not None:
        notes.append(
            f"Computational: what keys show beyond the public report is made of draws that devices sealed, by HPKE "
            f"with {collected.sealed_by}. Who has these and no key sees no more than the public, as long as that "
            f"cipher is not broken and the public keys are the readers' own; an advantage of 2^-64 against it adds "
            f"what is said of seeds above. The public report alone needs no such assumption."
        )
    if collected.recover:
        notes.append(
            f"{MAKER_SAYS} the study opts into recovery over the web: devices sealed for the registrar what gives the "
            f"answers back."
        )
    elif recoverable:
        notes.append(
            f"{MAKER_SAYS} the study does not opt into recovery over the web: no device sent what gives the answers "
            f"back, and nobody can recover them from these reports."
        )
    return tuple(notes)


def as_collected(certificate: Certificate, collected: Collected) -> Certificate:
    """Return a certificate of a way of asking that also says how its reports were collected; refuses what cannot be."""
    subject: Any = certificate.subject
    if not hasattr(subject, "collected"):
        raise InvalidParameter(
            "is about nothing that is collected over the web",
            parameter="certificate",
            way_out="Give the certificate of a channel or of a ladder.",
        )
    told = replace(subject, collected=collected)
    told.check_collected()
    return replace(certificate, subject=told, notes=certificate.kind.notes(told))


def _refused(entry: str, why: str) -> ClaimRefused:
    return ClaimRefused(f"collected.{entry} {why}", way_out="Ask for the original certificate.")
