"""The study: questions, readers, limits, and what each reader sees over all questions."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

from sfumato.display.notebooks import Shown, headline, html_table, paragraphs
from sfumato.display.text import epsilon_text
from sfumato.errors import InvalidParameter, Place
from sfumato.ledger.amounts import ANSWERS, PUBLIC
from sfumato.ledger.amounts import Seen as SeenByReader
from sfumato.numbers.checks import check_between, check_integer
from sfumato.numbers.intervals import float_above
from sfumato.study.cells import NO_ANSWER_KEYS, check_no_answer
from sfumato.study.collect_terms import CollectTerms
from sfumato.study.fields import check_line, checked_epsilon, sealed_name, short_number
from sfumato.study.handler import Handler
from sfumato.study.question import Question
from sfumato.study.readers import REGISTRAR, TOGETHER, Analyst, Audience

T = TypeVar("T")

MOST_QUESTIONS = 1000
MOST_ANALYSTS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosedColumns:
    """Columns of which each row is disclosed as a whole, without disclosing anything about one of them [D].

    With `about`, as much as possible is disclosed about that column.

    Raises:
        InvalidParameter: fewer than two columns are protected, one stands twice, or `about` is one of them.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> columns = sf.study.DisclosedColumns(protect=("age", "income"), about="region")
    >>> columns.columns
    ('age', 'income', 'region')
    >>> study = sf.Study(
    ...     name="Rest",
    ...     questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),),
    ...     disclosure=columns,
    ... )
    >>> study.disclosure.protect
    ('age', 'income')
    """

    protect: tuple[str, ...]
    about: str | None = None

    def __post_init__(self) -> None:
        for name in (*self.protect, *([] if self.about is None else [self.about])):
            check_line("name", name)
        if len(self.protect) < 2 or len(set(self.protect)) != len(self.protect):
            raise InvalidParameter(
                "must name at least two columns, each once: one column has no whole",
                parameter="protect",
                way_out="List the columns to protect.",
            )
        if self.about in self.protect:
            raise InvalidParameter(
                "must not be one of the protected columns",
                parameter="about",
                way_out="Drop it from one of the two.",
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the release is made from."""
        return self.protect if self.about is None else (*self.protect, self.about)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study(Shown):
    """Questions asked of the same people. `public_epsilon` is the public level of each question.

    A question's own epsilon is a ceiling: only the registrar sees it sharper. With `recover` the registrar's key gives
    the answers back. `ledger` names the file of the budget that every release is debited to. `collect` says how reports
    are collected over the web, and `registrar_key` is then the file of the registrar's public key.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(
    ...     name="Commuting",
    ...     questions=(sf.OneOfMany(id="way", text="How do you commute?", answers=("train", "car", "on foot")),),
    ...     analysts=(sf.Analyst(name="ministry", epsilon=Fraction(3)),),
    ...     public_epsilon=Fraction(1),
    ... )
    >>> study.question("way").labels
    ('train', 'car', 'on foot')
    """

    name: str
    questions: tuple[Question, ...]
    population: int | None = None
    analysts: tuple[Analyst, ...] = ()
    public_epsilon: Fraction | None = None
    recover: bool = False
    disclosure: DisclosedColumns | None = None
    ledger: str | None = None
    collect: CollectTerms | None = None
    registrar_key: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_line("name", self.name)
        if self.ledger is not None:
            _placed(Place(table="budget", key="ledger"), lambda: check_line("ledger", str(self.ledger)))
        if self.registrar_key is not None:
            _placed(
                Place(table="registrar", key="public_key"), lambda: check_line("public_key", str(self.registrar_key))
            )
        if self.collect is not None:
            terms = self.collect
            _placed(Place(table="collect", key="recover"), lambda: terms.check_registrar(recover=self.recover))
        check_between("questions", len(self.questions), 1, MOST_QUESTIONS, way_out="Ask at least one.")
        check_between("analysts", len(self.analysts), 0, MOST_ANALYSTS)
        _check_once("questions", "id", [question.id.lower() for question in self.questions])
        _check_once("analysts", "name", [analyst.name.lower() for analyst in self.analysts])
        if self.population is not None:
            check_between("population", check_integer("population", self.population), 1, 10**12)
        if self.public_epsilon is not None:
            given = self.public_epsilon
            checked = _placed(Place(table="public", key="epsilon"), lambda: checked_epsilon("public_epsilon", given))
            object.__setattr__(self, "public_epsilon", checked)
        self._check_levels()
        self._check_no_answers()
        self._check_columns()
        self._check_sealed()

    def _view(self) -> str:
        rows = [
            (question.id, question.kind, question.text, handler.describe())
            for question, handler in zip(self.questions, self.handlers, strict=True)
        ]
        readers = [] if self.public_epsilon is None else [("public", epsilon_text(float(self.public_epsilon)))]
        readers += [(analyst.name, epsilon_text(float(analyst.epsilon))) for analyst in self.analysts]
        readers += [("registrar", "the answers")] if self.recover else []
        seen = html_table(("reader", "ε of a question"), readers) if readers else ""
        said = [] if self.population is None else [f"{self.population:,} people will be asked."]
        said += [f"Releases are paid from {self.ledger}."] if self.ledger else []
        table = html_table(("question", "kind", "text", "answers"), rows)
        return f"{headline(self.name)}{table}{seen}{paragraphs(said)}"

    def _check_levels(self) -> None:
        if self.public_epsilon is None and self.analysts:
            raise InvalidParameter(
                "a study with analysts must say what everybody sees without a key",
                way_out="Give [public] epsilon, below the analysts'.",
                place=Place(table="analysts"),
            )
        for index, analyst in enumerate(self.analysts):
            if self.public_epsilon is not None and analyst.epsilon < self.public_epsilon:
                raise InvalidParameter(
                    f"analyst {analyst.name!r} would see less than the public, "
                    f"epsilon={short_number(analyst.epsilon)} against {short_number(self.public_epsilon)}",
                    way_out="Raise one, or lower [public] epsilon.",
                    place=Place(table="analysts", index=index, key="epsilon"),
                )
        for index, question in enumerate(self.questions):
            if not question.promises and self.public_epsilon is None:
                raise InvalidParameter(
                    f"question {question.id!r} promises nothing",
                    way_out="Give it epsilon, or guess_error for a card, or give the study [public] epsilon.",
                    place=Place(table="questions", index=index),
                )

    def _check_no_answers(self) -> None:
        names = {*self.sources, *(question.id for question in self.questions)}
        earlier: dict[str, Question] = {}
        for index, question in enumerate(self.questions):
            try:
                check_no_answer(question, earlier, names)
            except InvalidParameter as error:
                key = error.parameter if error.parameter in {key.name for key in NO_ANSWER_KEYS} else None
                raise error.at(Place(table="questions", index=index, key=key)) from None
            earlier[question.id] = question

    @property
    def sources(self) -> frozenset[str]:
        """The columns of a table that hold answers."""
        return frozenset(name for question in self.questions for name in question.sources)

    def _check_columns(self) -> None:
        seen: set[str] = set()
        for index, question in enumerate(self.questions):
            if twice := seen & set(question.sources):
                raise InvalidParameter(
                    f"question {question.id!r} is read from the column {min(twice)!r}, and so is one before it",
                    way_out="Read each column once: rename the question, or correct its `columns`.",
                    place=Place(table="questions", index=index, key="columns"),
                )
            seen |= set(question.sources)
        disclosed = self.disclosure
        if disclosed is not None:
            place = Place(table="disclosure", key="protect")
            _placed(place, lambda: self.check_not_asked(disclosed.columns))

    def _check_sealed(self) -> None:
        """Refuse names of sealed columns for anything else."""
        taken = {*self.sources, *(question.id for question in self.questions)}
        names = {name.lower() for name in taken}
        for index, question in enumerate(self.questions if self.recover else ()):
            if sealed_name(question.id).lower() in names:
                raise InvalidParameter(
                    f"of question {question.id!r} may be sealed in a column {sealed_name(question.id)} for the "
                    f"registrar, and that name is taken",
                    parameter="answers",
                    way_out="Rename one of the two.",
                    place=Place(table="questions", index=index, key="id"),
                )

    def check_not_asked(self, columns: Iterable[str]) -> None:
        """Refuse to disclose the answers to a question."""
        both = {*self.sources, *(question.id for question in self.questions)} & set(columns)
        if both:
            raise InvalidParameter(
                f"names {min(both)!r}, which is a question as well: private reports and a disclosure of the same "
                f"answers can leak together",
                parameter="protect",
                way_out="Take it out of one of the two.",
            )

    @property
    def audience(self) -> Audience:
        """Who may see how much."""
        return Audience(
            public_epsilon=self.public_epsilon,
            analysts=self.analysts,
            recover=self.recover,
            population=self.population,
            on_devices=self.collect is not None,
        )

    def question(self, name: str) -> Question:
        """Return the question with this id."""
        for question in self.questions:
            if question.id == name:
                return question
        known = ", ".join(question.id for question in self.questions)
        raise InvalidParameter(
            f"is not in the study, which has: {known}", parameter="question", value=name, way_out="Name one of these."
        )

    def handler(self, name: str, declaration: str | None = None) -> Handler:
        """Return how a question is asked; `declaration` is what the reports at hand were made by.

        The name of a sealed column is taken too.
        """
        return self._sealed_handler(name) or _handler(self.question(name), self.audience, declaration)

    def _sealed_handler(self, name: str) -> Handler | None:
        asked = next((one for one in self.questions if name == sealed_name(one.id)), None)
        return None if asked is None else _handler(asked, self.audience, None).sealed

    @property
    def handlers(self) -> tuple[Handler, ...]:
        """How each question is asked."""
        return tuple(_handler(question, self.audience, None) for question in self.questions)

    @property
    def column_ways(self) -> tuple[Handler, ...]:
        """What is drawn for a row: the reports of each question, and sealed answers after them."""
        return (*self.handlers, *(handler.sealed for handler in self.handlers if handler.sealed is not None))

    def with_sealed(self, questions: Iterable[str]) -> tuple[str, ...]:
        """Return the columns of some questions: their reports, and sealed answers after them."""
        asked = set(questions)
        sealed = (
            handler.sealed.question.id
            for handler in self.handlers
            if handler.sealed is not None and handler.question.id in asked
        )
        return (*(one.id for one in self.questions if one.id in asked), *sealed)

    @property
    def not_recovered(self) -> dict[str, str]:
        """Which questions the registrar does not get the answers back of, and why; none without a registrar."""
        reasons = {handler.question.id: handler.not_recovered for handler in self.handlers} if self.recover else {}
        return {name: why for name, why in reasons.items() if why is not None}


@lru_cache(maxsize=1024)
def _handler(question: Question, audience: Audience, declaration: str | None) -> Handler:
    return question.handler(audience, declaration)


def _placed(place: Place, check: Callable[[], T]) -> T:
    try:
        return check()
    except InvalidParameter as error:
        raise error.at(place) from None


def _check_once(table: str, key: str, names: list[str]) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            raise InvalidParameter(
                f"two {table} have the same {key}",
                way_out="Rename one.",
                place=Place(table=table, index=index, key=key),
            )


# --- What a respondent spends over all questions, by reader
# The ε of reports add up.


ShowEpsilon = Callable[[float, str, int], str]
"""Writes an ε: of a question at a level, or of all where these are empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a reader sees of one question: its ε at a level, or the answers themselves."""

    question: str
    level: int
    epsilon: float

    @property
    def is_answer(self) -> bool:
        """Whether the answers themselves are seen."""
        return self.level == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """The ε that one reader, or several together, sees of a respondent over all questions; never less than true."""

    holder: str
    by_question: tuple[Seen, ...]

    @property
    def sees_answers(self) -> bool:
        """Whether the answers to some question are seen."""
        return any(seen.is_answer for seen in self.by_question)

    @property
    def epsilon(self) -> float:
        """The sum over the questions, rounded up."""
        return _sum_up(seen.epsilon for seen in self.by_question)

    @property
    def as_json(self) -> float | str:
        """A number, or a word where there is none."""
        return "answers" if self.sees_answers else "inf" if math.isinf(self.epsilon) else self.epsilon


def totals_of(study: Study, questions: Collection[str] | None = None) -> tuple[Total, ...]:
    """Return the totals of the public, of each analyst, of all analysts together, and of the registrar.

    They are over all questions, or over some.
    """
    found = _totals(study)
    if questions is None:
        return found
    kept = [tuple(seen for seen in one.by_question if seen.question in questions) for one in found]
    return tuple(replace(one, by_question=some) for one, some in zip(found, kept, strict=True))


def totals_rows(study: Study, show: ShowEpsilon | None = None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return header and rows of what each reader sees; `show` writes an ε, of a question at a level or of all."""
    write = show or (lambda epsilon, _question, _level: epsilon_text(epsilon))
    header = ("reader", *(question.id for question in study.questions), "all questions")
    rows = []
    for total in totals_of(study):
        cells = [
            "answer" if seen.is_answer else write(seen.epsilon, seen.question, seen.level) for seen in total.by_question
        ]
        rows.append((total.holder, *cells, "answers" if total.sees_answers else write(total.epsilon, "", 0)))
    return header, rows


def _totals(study: Study) -> tuple[Total, ...]:
    handlers = study.handlers
    found = [_total(study, PUBLIC, [len(handler.epsilons) for handler in handlers])]
    found += [
        _total(study, analyst.name, [handler.level_of(analyst) for handler in handlers]) for analyst in study.analysts
    ]
    if len(study.analysts) > 1:
        # Keys are nested, so together they see of each question what the best of them sees.
        found.append(_total(study, TOGETHER, [1 for _ in handlers]))
    if study.recover:
        found.append(
            _total(study, REGISTRAR, [0 if 0 in handler.key_levels else len(handler.epsilons) for handler in handlers])
        )
    return tuple(found)


def seen_by_readers(study: Study, questions: Collection[str] | None = None) -> SeenByReader:
    """Return what each reader of a study sees over all questions, or some of them, as a record keeps it."""
    totals = totals_of(study, questions)
    return tuple((one.holder, ANSWERS if one.sees_answers else repr(one.epsilon)) for one in totals)


def _total(study: Study, holder: str, levels: list[int]) -> Total:
    return Total(
        holder=holder,
        by_question=tuple(
            Seen(
                question=handler.question.id,
                level=level,
                epsilon=math.inf if level == 0 else handler.epsilons[level - 1],
            )
            for handler, level in zip(study.handlers, levels, strict=True)
        ),
    )


def _sum_up(values: Iterable[float]) -> float:
    terms = tuple(values)
    return math.inf if math.inf in terms else float_above(sum(map(Fraction, terms), Fraction(0)))
