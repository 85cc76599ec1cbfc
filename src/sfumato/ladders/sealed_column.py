"""Certificates of a sealed column, which leaks nothing without the registrar's key.

A sealed number is (r + U) mod R with U uniform, independent of the answer r, the report and every other row. So given
all of these, each of the R numbers has probability 1/R, and r = sealed number - U mod R.
Theory: docs/theory/recovery.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import msgspec

from sfumato.certificates.certificate import Kind, Stated, register, subject_of
from sfumato.certificates.claims import Claim, certified_claim, exact_claim, settle
from sfumato.display.text import at_least
from sfumato.errors import NotCertified
from sfumato.ladders.certificate import seed_gap
from sfumato.ladders.shift_levels import MOST_PADDED, PadLevel
from sfumato.ladders.spec import declare
from sfumato.numbers.checks import check_between, check_integer
from sfumato.numbers.intervals import Interval, log2_interval

SCHEMA = "sfumato/certificate/sealed/1"
MOST_SEALED = MOST_PADDED
"""Answers that a sealed column can tell apart."""
_NAMES = {"odds": "odds", "leakage_bits": "leakage", "recovered": "answers that come back", "key_bits": "key bits"}
_UNIFORM = "P((r + U) mod R = s) = P(U = s - r) = 1/R for every answer r, whatever else is known"


class _Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedAnswers:
    """A column of answers, each one of `size` numbers, that is sealed by a one-time pad for the registrar.

    >>> import sfumato as sf
    >>> certificate = sf.certify(sf.ladders.SealedAnswers(size=11))
    >>> certificate["leakage_bits"].value, certificate["recovered"].value
    (Fraction(0, 1), Fraction(1, 1))
    """

    size: int

    def __post_init__(self) -> None:
        check_between("size", check_integer("size", self.size), 2, MOST_PADDED)

    @property
    def declaration(self) -> str:
        """The pad, as key files declare it."""
        return declare(PadLevel(size=self.size), (Fraction(1),), recover=True)


@subject_of.register
def sealed_subject(thing: SealedAnswers) -> SealedAnswers:
    """Return the column itself."""
    return thing


def _state(subject: SealedAnswers) -> tuple[Claim, ...]:
    """Read the claims off the step that is drawn."""
    step = PadLevel(size=subject.size).shift_at(Fraction(1))
    if len(set(step.probabilities)) != 1 or step.modulus != subject.size:
        raise NotCertified("the pad is not uniform", way_out="Nothing is certified; report it.")
    return _claims(step.probabilities[0] / step.probabilities[1], settle(None, step.entropy_bits()))


def _restate(subject: SealedAnswers, stated: Stated) -> tuple[Claim, ...]:
    """Find them again from the size alone."""
    return _claims(Fraction(1), settle(stated.get("key_bits"), log2_interval(Fraction(subject.size))))


def _claims(odds: Fraction, bits: Interval) -> tuple[Claim, ...]:
    return (
        exact_claim(
            "odds",
            odds,
            "ratio",
            because=_UNIFORM,
            sentence="Without the registrar's key every sealed number is as probable under one answer as under "
            "another.",
        ),
        exact_claim(
            "leakage_bits",
            Fraction(0),
            "bits",
            because=_UNIFORM,
            sentence="Without the registrar's key the sealed column is independent of everything: of the answers, of "
            "the reports, of what other keys show, and of every other column.",
        ),
        exact_claim(
            "recovered",
            Fraction(1),
            "probability",
            because="(r + U) - U = r mod R for every answer r and every U [B, Lemma 6]",
            sentence="Whoever holds the registrar's key gets every answer back as it was, without exception.",
        ),
        certified_claim(
            "key_bits",
            bits,
            "bits",
            because="H of a uniform draw from R numbers is log2 R",
            sentence=f"The key takes at least {at_least(bits)} bits for each row.",
        ),
    )


def _title(subject: SealedAnswers) -> str:
    return f"Certificate of a sealed column: {subject.size} answers"


def _about(subject: SealedAnswers) -> str:
    return (
        f"About a column that holds the number of each answer, one of {subject.size}, plus a number drawn uniformly "
        f"for its row alone, mod {subject.size}. The registrar's key holds the drawn numbers."
    )


def _notes(subject: SealedAnswers) -> tuple[str, ...]:
    gaps = (
        "The claims are about the cells that are filled. Where a cell is empty, so is the report beside it, for "
        "everybody to see."
    )
    seeds = (
        f"The claims are about true draws. A key that is expanded from a seed protects as much against readers who "
        f"cannot break the cipher, and against no others: if nothing that a reader can compute tells its output from "
        f"true draws with an advantage above 2^-64, then what a reader can compute from the column tells at most "
        f"{seed_gap(subject.size)} bits about an answer."
    )
    return gaps, seeds


def _write(subject: SealedAnswers) -> _Record:
    return _Record(size=subject.size)


def _read(record: _Record) -> SealedAnswers:
    if not 2 <= record.size <= MOST_PADDED:
        raise ValueError("the number of answers cannot be")
    return SealedAnswers(size=record.size)


def _called(_: SealedAnswers, measure: str) -> str | None:
    return _NAMES.get(measure)


register(
    Kind(
        schema=SCHEMA,
        subject=SealedAnswers,
        record=_Record,
        write=_write,
        read=_read,
        title=_title,
        about=_about,
        notes=_notes,
        state=_state,
        restate=_restate,
        called=_called,
    )
)
