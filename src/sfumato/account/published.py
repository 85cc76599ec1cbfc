"""A part of a publication, as a record and a ledger remember it: which draws made which reports, about whom.

Two rules follow from it, and every record and ledger keeps both. **One drawing makes one column of reports of a
question**: under the same draws, the difference of two columns is the difference of the answers. **People are released
about once**, unless a further release is named as one, or an amendment says whom it is about again: ε of all releases
about the same people adds up.   Theory: docs/theory/composition.md
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256

from sfumato.account.lines import MOST_TITLE, check_line
from sfumato.account.payers import Payer, people_key
from sfumato.account.readers import Seen
from sfumato.errors import InvalidParameter, KeyReused, ReleasedBefore


class Role(StrEnum):
    """What a part is to its publication.

    >>> import sfumato as sf
    >>> part = sf.account.Role.AMEND
    >>> part.value, [role.value for role in sf.account.Role]
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
    >>> column = sf.account.PublishedColumn(question="smokes", drawing="a" * 64, digest="b" * 64)
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
    >>> column = sf.account.PublishedColumn(question="smokes", drawing="a" * 64, digest="b" * 64)
    >>> seen = (("public", "1.0"),)
    >>> part = sf.account.Published(
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
        """A short name for files that are on their way."""
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
        """Whether an earlier one is about the same people: one study, one epoch, and nobody declared others.

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
        """What readers of a later release are told of this one."""
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
    """What readers of a release are told of one before it, about the same people: its name, and what it shows."""

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
