"""Releases as values, and the published parts that they belong to.

A release describes itself; the ledger adds. Where no bound is known in a currency the charge is infinite, and a ledger
with a limit there refuses it: a limit is a promise about everything that is released together.

Nothing made from releases alone is a release: post-processing is free [E, Prop 1]. Charges to people who are declared
to be different are not added in ε and leakage, which are about a person's own answers. In bits they are, because with
correlations between people parallel composition fails [E, Sec 7.3].
Theory: docs/theory/composition.md
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256
from typing import Any

from sfumato.errors import InvalidParameter, KeyReused, ReleasedBefore
from sfumato.ledger.amounts import (
    ANSWERS,
    MOST_TITLE,
    PUBLIC,
    Amount,
    Charges,
    Payer,
    Seen,
    charge_of,
    check_line,
    checked_lines,
    people_key,
)
from sfumato.ledger.dependence import Assumption
from sfumato.numbers.checks import Real, as_exact, check_between

# --- Parts of a publication, as records and ledgers keep them: which draws made which reports, about whom
# Every record and ledger enforces two rules. **One drawing makes one column of reports of a question**: under the same
# draws, the difference of two columns is the difference of the answers. **People are released about once**, unless a
# further release is declared as one, or an amendment names the people again: ε of all releases about the same people
# adds up.
# Theory: docs/theory/composition.md


class Role(StrEnum):
    """What a part is to its publication.

    >>> import sfumato as sf
    >>> part = sf.ledger.Role.AMEND
    >>> part.value, [role.value for role in sf.ledger.Role]
    ('amend', ['first', 'append', 'amend'])
    """

    FIRST = "first"
    APPEND = "append"
    """Other people than those of every other part of the publication, as its verb declares."""
    AMEND = "amend"
    """Some of the people of a part again, whose answers were corrected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedColumn:
    """The reports of a question: their digest, and the drawing that made them.

    A part is refused whose drawing made other reports of the same question before.

    >>> import sfumato as sf
    >>> column = sf.ledger.PublishedColumn(question="smokes", drawing="a" * 64, digest="b" * 64)
    >>> column.question, column.drawing[:4]
    ('smokes', 'aaaa')
    """

    question: str
    drawing: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One part of a publication. `file` is the study's file, as seen from where this is noted.

    Without `people` they are those of the study; with a name, they are declared to be others than under another name.
    `again` names a further release. `of` is the first part of the publication that an appended part or an amendment
    belongs to, and `amends` the part whose people an amendment is about.

    Publishing makes one, which the record of releases and the ledger keep.

    >>> import sfumato as sf
    >>> column = sf.ledger.PublishedColumn(question="smokes", drawing="a" * 64, digest="b" * 64)
    >>> seen = (("public", "1.0"),)
    >>> part = sf.ledger.Published(
    ...     study="Health", fingerprint="c" * 64, epoch=0, rows=2, columns=(column,), seen=seen, part="d" * 32
    ... )
    >>> part.role.value, part.publication == part.part
    ('first', True)
    >>> try:
    ...     part.check_once([part])
    ... except sf.errors.ReleasedBefore as error:
    ...     print(error.rule.partition(",")[0])
    the study 'Health' was published before in epoch 0
    """

    study: str
    fingerprint: str
    epoch: int
    rows: int
    columns: tuple[PublishedColumn, ...]
    seen: Seen
    part: str
    people: str | None = None
    again: str | None = None
    role: Role = Role.FIRST
    of: str | None = None
    amends: str | None = None
    file: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_line("study", self.study, MOST_TITLE)
        for name in ("people", "again"):
            if getattr(self, name) is not None:
                check_line(name, getattr(self, name), MOST_TITLE)
        object.__setattr__(self, "columns", tuple(sorted(self.columns, key=lambda column: column.question)))
        object.__setattr__(self, "seen", tuple(sorted(self.seen)))
        object.__setattr__(self, "role", Role(self.role))
        said = (self.of is not None, self.amends is not None)
        if said != (self.role is not Role.FIRST, self.role is Role.AMEND) or self.part in {self.of, self.amends}:
            raise InvalidParameter(
                "does not go with `of` and `amends`",
                parameter="role",
                value=self.role.value,
                way_out="An appended part says what it is a part `of`, an amendment also what it `amends`; a first "
                "part says neither.",
            )

    @property
    def id(self) -> str:
        """Its name, which differs whenever its draws do, or the reports."""
        drawn = _digest(column.drawing for column in self.columns)
        made = _digest([str(self.rows), *(f"{column.question} {column.digest}" for column in self.columns)])
        return f"reports {self.fingerprint[:16]} epoch {self.epoch} drawing {drawn} digest {made}"

    @property
    def token(self) -> str:
        """A short name for files that are being written."""
        return sha256(self.id.encode()).hexdigest()[:16]

    @property
    def publication(self) -> str:
        """The publication that it is a part of, by its first part."""
        return self.of or self.part

    @property
    def payer(self) -> Payer:
        """Who pays for it: of the named people those in this part, or in the part that it amends."""
        return Payer(people=people_key(self.people), publication=self.publication, part=self.amends or self.part)

    def is_of_study(self, before: Published) -> bool:
        """Whether an earlier one is of the same study, by its name or by its file, in the same epoch."""
        same_study = self.study == before.study or (self.file is not None and self.file == before.file)
        return same_study and self.epoch == before.epoch

    def is_about(self, before: Published) -> bool:
        """Whether an earlier one is about the same people: one study, one epoch, and no people declared different.

        Within a publication, only an amendment is about people that came before.
        """
        if self.publication == before.publication:
            return self.payer == before.payer
        return self.is_of_study(before) and people_key(self.people) in {None, people_key(before.people)}

    def asks_again(self, before: Published) -> bool:
        """Whether an earlier one is of the same people and of one of the same questions."""
        return self.shares_questions(before) and self.is_about(before)

    def shares_questions(self, before: Published) -> bool:
        """Whether an earlier one is of one of the same questions."""
        return bool({column.question for column in self.columns} & {column.question for column in before.columns})

    @property
    def summary(self) -> EarlierRelease:
        """What a later release says about this one."""
        return EarlierRelease(release=self.token, name=self.again, seen=self.seen)

    def check_draws(self, others: Iterable[Published]) -> None:
        """Raise KeyReused if one of its drawings made other reports of the same question."""
        made = {(column.question, column.drawing): column.digest for column in self.columns}
        for other in others:
            if any(made.get((one.question, one.drawing), one.digest) != one.digest for one in other.columns):
                raise KeyReused(
                    "these draws have made other reports already, perhaps under a copy of the key files: under the "
                    "same draws, the difference of two reports is the difference of the answers, for everybody to see",
                    way_out="Draw new keys, or rotate to a new epoch.",
                )

    def check_once(self, others: Iterable[Published]) -> None:
        """Raise ReleasedBefore if the same people were asked the same before, and this is no further release.

        An appended part and an amendment say themselves whom they are about, and are paid for by those people.
        """
        if self.role is not Role.FIRST:
            return
        before = [other for other in others if self.asks_again(other)]
        if before and self.again is None:
            raise ReleasedBefore(
                f"the study {self.study!r} was published before in epoch {self.epoch}, and a second publication with "
                f"fresh draws tells more about the same people: enough of them tell everything",
                way_out="Use the reports that were made. `again` names a further release, which is paid for and added "
                "up; `people` declares that these are other people.",
            )
        if any(other.again == self.again for other in before):
            raise ReleasedBefore(
                "was made already, with other draws",
                parameter="again",
                value=self.again,
                way_out="Use the reports that were made, or give the new release a name of its own.",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierRelease:
    """What a release says about an earlier one on the same people: its name, and what it shows."""

    release: str
    name: str | None
    seen: Seen


def check_parts(publications: Iterable[Published]) -> None:
    """Raise InvalidParameter if parts do not go together: one id a part; one study, epoch and people a publication.

    They come in their order. What an account was never told of, such as a first part that another ledger paid for, is
    no contradiction.
    """
    parts: dict[str, Published] = {}
    begun: dict[str, Published] = {}
    for one in publications:
        before = begun.setdefault(one.publication, one)
        amended = None if one.amends is None else parts.get(one.amends)
        goes_with = one.is_of_study(before) and people_key(one.people) == people_key(before.people)
        is_part = amended is None or (amended.publication == one.publication and amended.role is not Role.AMEND)
        if one.part in parts or not goes_with or not is_part:
            raise InvalidParameter(
                f"does not go with the other parts of its publication of {one.study!r}",
                parameter="part",
                value=one.part,
                way_out="A part has an id of its own, the study, the epoch and the people of its publication, and "
                "amends one that was published or appended.",
            )
        parts[one.part] = one


def _digest(lines: Iterable[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()[:32]


def checked_name(parameter: str, name: str | None) -> str | None:
    """Return the name of a release or of people as it is kept: one line, no blanks around it."""
    if name is None:
        return None
    check_line(parameter, name, MOST_TITLE)
    return name.strip()


# 1/ln 2 rounded up; a test compares it with 50 digits.
_BITS_A_NAT = Fraction("1.4426950408889634074")


class Kind(StrEnum):
    """Which promise a release makes.

    >>> import sfumato as sf
    >>> sf.ledger.local("Health survey", 1).kind.value
    'local'
    >>> print(sf.ledger.Kind.RECOVERABLE.how_it_adds.partition(".")[0])
    How often the best guess is wrong does not add
    """

    INFORMATION = "information"
    LOCAL = "local"
    RECOVERABLE = "recoverable"
    PERFECT_SAMPLES = "perfect_samples"

    @property
    def how_it_adds(self) -> str:
        """What becomes of this promise when there are several releases."""
        return _HOW_IT_ADDS[self]


_HOW_IT_ADDS = {
    Kind.INFORMATION: (
        "Bits add. All are counted under one assumption about who depends on whom, the widest of any release; without "
        "one they bound what any adversary learns about one person. Releases about disjoint groups of people add too."
    ),
    Kind.LOCAL: (
        "ε adds for the same people, and bounds what a report says about the person's own answer. What correlated "
        "people say about each other is bounded only by the worst case in bits, which adds for disjoint groups too."
    ),
    Kind.RECOVERABLE: (
        "How often the best guess is wrong does not add. The maximal leakage of answers drawn independently of each "
        "other, given the data, adds, and it is charged instead."
    ),
    Kind.PERFECT_SAMPLES: (
        "Nothing about any single sample, under the declared law, once: two such releases of the same rows can leak "
        "together, so a second one is refused. The worst case in bits, against any correlations, adds."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One release: its title, its promise, and what that costs; `rows` names rows that may be released only once.

    `people` names the people whom it is about, who are declared to be others than people of another name; without a
    name it is about anybody. `published` says of reports which draws made which of them, about whom, so that no ledger
    takes one for another. `assumption` says for whom its bits hold, and what they are for others; without one they
    hold for anyone. Make one with `information`, `local`, `recoverable` or `perfect_samples`.

    >>> import sfumato as sf
    >>> release = sf.ledger.information("Mean income", 0.5)
    >>> release.kind.value, str(release.charges.bits), release.charges.epsilon
    ('information', '1/2', inf)
    """

    title: str
    kind: Kind
    charges: Charges
    rows: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    published: Published | None = None
    people: str | None = None
    assumption: Assumption | None = None

    def __post_init__(self) -> None:
        check_line("title", self.title, MOST_TITLE)
        if not isinstance(self.kind, Kind):
            raise InvalidParameter(
                f"must be a Kind, not {type(self.kind).__name__}",
                parameter="kind",
                way_out="Use Kind.INFORMATION, say.",
            )
        exact = {currency.value: charge_of(currency.value, amount) for currency, amount in self.charges}
        object.__setattr__(self, "charges", Charges(**exact))
        object.__setattr__(self, "rows", checked_lines("rows", self.rows))
        object.__setattr__(self, "notes", checked_lines("notes", self.notes))
        object.__setattr__(self, "people", checked_name("people", self.people))
        if self.published is not None and self.published.people != self.people:
            raise InvalidParameter(
                "is another than that of the reports", parameter="people", way_out="Name the people of the reports."
            )
        if tuple(sorted(set(self.rows))) != self.rows:
            raise InvalidParameter(
                "must be sorted, each once", parameter="rows", way_out="Let `perfect_samples` make the release."
            )
        if bool(self.rows) != (self.kind is Kind.PERFECT_SAMPLES):
            raise InvalidParameter(
                "go with releases of perfect samples, and with no others", parameter="rows", way_out="Name them there."
            )
        if self.assumption is not None and (self.kind is not Kind.INFORMATION or math.isinf(self.charges.bits)):
            raise InvalidParameter(
                "goes with a release of so many bits, and with no other",
                parameter="assumption",
                way_out="Let `information` make the release.",
            )
        if all(math.isinf(amount) for _, amount in self.charges):
            raise InvalidParameter(
                "are infinite in every currency, so nothing is promised", parameter="charges", way_out="Give one bound."
            )

    @property
    def payer(self) -> Payer:
        """Who pays for it."""
        return Payer(people=people_key(self.people)) if self.published is None else self.published.payer

    @property
    def is_local(self) -> bool:
        """Whether it is made of reports, each drawn from one person's answer alone."""
        return self.kind is Kind.LOCAL

    @property
    def how_it_adds(self) -> str:
        """What becomes of its promise when there are several releases."""
        return self.kind.how_it_adds


def information(
    title: str,
    budget_bits: Amount,
    *,
    epsilon: Amount = math.inf,
    leakage_bits: Amount = math.inf,
    notes: Iterable[str] = (),
    people: str | None = None,
    assumption: Assumption | None = None,
) -> Release:
    """Return a release of at most `budget_bits` = C_1 about one person, to any adversary with any correlations in mind.

    With an `assumption` they bound what is told if no more people depend on each other than it says. C_1 of several
    releases of one data set is at most the sum [E, Thm 5]. It bounds neither ε nor maximal leakage, so these are
    infinite unless they are known too.

    >>> import sfumato as sf
    >>> release = sf.ledger.information("Mean income", 0.5, epsilon=1)
    >>> str(release.charges.bits), str(release.charges.epsilon), release.charges.leakage_bits
    ('1/2', '1', inf)
    """
    charges = Charges(bits=charge_of("budget_bits", budget_bits), epsilon=epsilon, leakage_bits=leakage_bits)
    return Release(
        title=title,
        kind=Kind.INFORMATION,
        charges=charges,
        notes=tuple(notes),
        people=people,
        assumption=assumption,
    )


def local(
    title: str,
    epsilon: Amount,
    *,
    worst_case_bits: Amount = math.inf,
    leakage_bits: Amount | None = None,
    notes: Iterable[str] = (),
    people: str | None = None,
) -> Release:
    """Return a release that is ε-locally differentially private, ε in nats, about each person's own answer.

    Against correlations between people the only bound in bits is `worst_case_bits`, the lesser of log2 of the number
    of answers and the number of people times the capacity of one report: parallel composition fails [E, Sec 7.3].
    Maximal leakage is at most ε/ln 2 bits, since Σ_y max_x P(y|x) ≤ e^ε Σ_y P(y|x_0), and less if it is given.

    >>> import sfumato as sf
    >>> release = sf.ledger.local("Health survey", 1, worst_case_bits=1)
    >>> str(release.charges.bits), str(release.charges.epsilon), round(float(release.charges.leakage_bits), 4)
    ('1', '1', 1.4427)
    """
    amount = charge_of("epsilon", epsilon)
    bound = _BITS_A_NAT * amount if isinstance(amount, Fraction) else math.inf
    leakage = bound if leakage_bits is None else min(bound, charge_of("leakage_bits", leakage_bits))
    charges = Charges(bits=worst_case_bits, epsilon=amount, leakage_bits=leakage)
    return Release(title=title, kind=Kind.LOCAL, charges=charges, notes=tuple(notes), people=people)


def recoverable(
    title: str,
    leakage_bits: Amount,
    *,
    worst_case_bits: Amount = math.inf,
    rho: Real | None = None,
    epsilon: Amount = math.inf,
    notes: Iterable[str] = (),
    people: str | None = None,
) -> Release:
    """Return a release of answers that are right with probability ρ, and whose best guesser is wrong often [A, Def 1].

    That error does not add up over releases: each may be within its limit and both together give the data away. The
    maximal leakage of answers that are drawn independently given the data is at most the sum, and is charged.

    >>> import sfumato as sf
    >>> release = sf.ledger.recoverable("Ward lists", 0.5, rho=0.9)
    >>> str(release.charges.leakage_bits), release.charges.bits, release.notes
    ('1/2', inf, ('right with probability 9/10',))
    """
    said = list(notes)
    if rho is not None:
        exact = as_exact("rho", rho)
        check_between("rho", exact, 0, 1)
        said.insert(0, f"right with probability {exact}")
    charges = Charges(bits=worst_case_bits, epsilon=epsilon, leakage_bits=leakage_bits)
    return Release(title=title, kind=Kind.RECOVERABLE, charges=charges, notes=tuple(said), people=people)


def perfect_samples(
    title: str,
    *,
    rows_id: str | Iterable[str],
    worst_case_bits: Amount,
    notes: Iterable[str] = (),
    people: str | None = None,
) -> Release:
    """Return a release that is independent of every single sample under the declared law [D, Def 1].

    `rows_id` names the rows, such as a digest of each column; a ledger takes each name once, because two releases of
    the same rows can leak together although each is private. Several that were designed jointly are one release. The
    promise rests on the law; against any correlations it is `worst_case_bits`, and there is no bound in ε.

    Raises:
        InvalidParameter: no rows are named.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> ledger = sf.ledger.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2)
    >>> parities = sf.ledger.perfect_samples("Parities", rows_id="column ab12", worst_case_bits=1)
    >>> receipt = ledger.spend(parities)
    >>> try:
    ...     ledger.spend(parities)
    ... except sf.errors.BudgetSpent as error:
    ...     print(error.rule.partition(",")[0])
    1 of the rows of 'Parities' were released before
    """
    named = (rows_id,) if isinstance(rows_id, str) else tuple(rows_id)
    rows = tuple(sorted(set(checked_lines("rows_id", named))))
    if not rows:
        raise InvalidParameter(
            "names no rows", parameter="rows_id", way_out="Give at least one name, such as a digest of the column."
        )
    charges = Charges(bits=worst_case_bits)
    return Release(
        title=title, kind=Kind.PERFECT_SAMPLES, charges=charges, rows=rows, notes=tuple(notes), people=people
    )


def checked_id(release_id: object) -> str:
    """Return the name of a release, one line of text."""
    check_line("release_id", release_id, MOST_TITLE)
    return str(release_id)


# --- Parts of a publication as plain texts and numbers, in the one form that records and ledgers write and read


_DRAWING = re.compile(r"[0-9a-f]{32}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SPELLING = re.compile(r"[0-9]{1,20}(\.[0-9]{1,30})?(e[-+][0-9]{1,3})?")
_LINES = ("people", "again", "file")
_PARTS = ("of", "amends")
_KEYS = {"study", "fingerprint", "epoch", "rows", "columns", "seen", "part", "role", *_LINES, *_PARTS}


def published_json(published: Published) -> dict[str, Any]:
    """Return it as plain texts and numbers; what is not said is left out."""
    document: dict[str, Any] = {
        "study": published.study,
        "fingerprint": published.fingerprint,
        "epoch": published.epoch,
        "rows": published.rows,
        "columns": {one.question: {"digest": one.digest, "drawing": one.drawing} for one in published.columns},
        "seen": dict(published.seen),
        "part": published.part,
        "role": published.role.value,
    }
    optional = {name: getattr(published, name) for name in (*_LINES, *_PARTS)}
    return document | {name: text for name, text in optional.items() if text is not None}


def published_from(document: Mapping[str, Any]) -> Published:
    """Read it back; whatever `published_json` never says ends in some error, which the reader of the file knows."""
    columns = tuple(
        PublishedColumn(
            question=_line(question), drawing=_like(_DRAWING, one["drawing"]), digest=_like(_DIGEST, one["digest"])
        )
        for question, one in document["columns"].items()
    )
    if not columns or set(document) - _KEYS:
        raise ValueError("other entries than a publication has")
    optional = {name: _line(document[name]) for name in _LINES if name in document}
    optional |= {name: _like(_DRAWING, document[name]) for name in _PARTS if name in document}
    return Published(
        study=_line(document["study"]),
        fingerprint=_like(_DIGEST, document["fingerprint"]),
        epoch=_whole(document["epoch"]),
        rows=_whole(document["rows"]),
        columns=columns,
        seen=seen_from(document["seen"]),
        part=_like(_DRAWING, document["part"]),
        role=Role(document["role"]),
        **optional,
    )


def seen_from(document: Mapping[str, Any]) -> Seen:
    """Read what readers see; raises ValueError, AttributeError or InvalidParameter on anything else."""
    seen = tuple(sorted((_line(reader), _epsilon_text(text)) for reader, text in document.items()))
    if dict(seen).get(PUBLIC, ANSWERS) == ANSWERS:
        raise ValueError("what everybody sees is missing, or is the answers")
    return seen


def _epsilon_text(text: object) -> str:
    if not isinstance(text, str) or not (text in {ANSWERS, "inf"} or _SPELLING.fullmatch(text)):
        raise ValueError("no ε")
    return text


def _line(text: object) -> str:
    check_line("text", text, 1000)
    return str(text)


def _like(pattern: re.Pattern[str], text: object) -> str:
    if not isinstance(text, str) or pattern.fullmatch(text) is None:
        raise ValueError("no digest")
    return text


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("not a whole number")
    return value
