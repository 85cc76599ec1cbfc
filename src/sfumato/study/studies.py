"""A study: its questions, who may see how much of the answers, and how the promises add up over all questions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.study.answer_columns import checked_epsilon
from sfumato.study.questions import FreeText, Question, Recoverable, YesNo
from sfumato.study.surveys import Survey, check_line
from sfumato.values.checks import check_between, check_integer

MOST_QUESTIONS = 1000
MOST_ANALYSTS = 30
# With the id of a question and an ending it must fit into the name of a file, in any script.
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyst:
    """Somebody with a key: of each question they see reports of this epsilon."""

    name: str
    epsilon: Fraction

    def __post_init__(self) -> None:
        check_line("name", self.name)
        if not self.name.replace("-", "").replace("_", "").isalnum() or self.name.lower() in {"registrar", "public"}:
            raise InvalidParameter(
                "name of an analyst must be letters, digits, - and _, and not 'registrar' or 'public': it names the "
                "file of the key."
            )
        if len(self.name.encode()) > _LONGEST_NAME:
            raise InvalidParameter(f"name of an analyst may have {_LONGEST_NAME} bytes: it names a file. Shorten it.")
        object.__setattr__(self, "epsilon", checked_epsilon("epsilon", self.epsilon))


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosedColumns:
    """Columns of which only what each row says as a whole is told, and nothing about any of them [D].

    With `about`, most is told about that column.
    """

    protect: tuple[str, ...]
    about: str | None = None

    def __post_init__(self) -> None:
        for name in (*self.protect, *([] if self.about is None else [self.about])):
            check_line("name", name)
        if len(self.protect) < 2 or len(set(self.protect)) != len(self.protect):
            raise InvalidParameter("protect must name at least two columns, each once: one column has no whole.")
        if self.about in self.protect:
            raise InvalidParameter("about must not be one of the protected columns. Drop it from one of the two.")

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the release is made from."""
        return self.protect if self.about is None else (*self.protect, self.about)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Questions asked of the same people. `public_epsilon` is what everybody sees of each question without a key.

    A question's own epsilon is a ceiling: nobody but the registrar sees it sharper. With `recover` the registrar's key
    gives the answers back. `ledger` names the file of the budget that every release is debited to.
    """

    name: str
    questions: tuple[Question, ...]
    population: int | None = None
    analysts: tuple[Analyst, ...] = ()
    public_epsilon: Fraction | None = None
    recover: bool = False
    disclosure: DisclosedColumns | None = None
    ledger: str | None = None

    def __post_init__(self) -> None:
        check_line("name", self.name)
        if self.ledger is not None:
            check_line("ledger", self.ledger)
        check_between("questions", len(self.questions), 1, MOST_QUESTIONS, way_out="Ask at least one.")
        check_between("analysts", len(self.analysts), 0, MOST_ANALYSTS)
        _check_once("question", "id", [question.id.lower() for question in self.questions])
        _check_once("analyst", "name", [analyst.name.lower() for analyst in self.analysts])
        if self.population is not None:
            check_between("population", check_integer("population", self.population), 1, 10**12)
        if self.public_epsilon is not None:
            object.__setattr__(self, "public_epsilon", checked_epsilon("public epsilon", self.public_epsilon))
        self._check_levels()
        if self.disclosure is not None:
            both = {question.id for question in self.questions} & set(self.disclosure.columns)
            if both:
                raise InvalidParameter(
                    f"protect names {min(both)!r}, which is a question as well. Private reports and a disclosure of "
                    f"the same answers can leak together: take it out of one of the two."
                )
        for question in self.questions:
            own = has_card(question) or isinstance(question, Recoverable) or question.epsilon is not None
            if not own and self.public_epsilon is None:
                raise InvalidParameter(
                    f"question {question.id!r} promises nothing. Give it epsilon, or guess_error for a card, or give "
                    f"the study [public] epsilon."
                )

    def _check_levels(self) -> None:
        if self.public_epsilon is None:
            if self.analysts:
                raise InvalidParameter(
                    "a study with analysts must say what everybody sees without a key. Give [public] epsilon, below "
                    "the analysts'."
                )
            return
        for analyst in self.analysts:
            if analyst.epsilon < self.public_epsilon:
                raise InvalidParameter(
                    f"analyst {analyst.name!r} would see less than the public, epsilon={float(analyst.epsilon):g} "
                    f"against {float(self.public_epsilon):g}. Raise one, or lower [public] epsilon."
                )

    @classmethod
    def of_survey(cls, survey: Survey, *, column: str = "answer") -> Study:
        """Return a survey of one yes/no question as a study."""
        only = YesNo(
            id=column,
            text=survey.question,
            answers=survey.answers,
            limits=survey.limits,
            outputs=survey.outputs,
            faces=survey.faces,
            plan=survey.plan,
        )
        return cls(name=survey.name, questions=(only,))

    def question(self, name: str) -> Question:
        """Return the question with this id."""
        for question in self.questions:
            if question.id == name:
                return question
        known = ", ".join(question.id for question in self.questions)
        raise InvalidParameter(f"question {name!r} is not in the study, which has: {known}.")

    def levels(self, question: Question) -> tuple[Fraction, ...]:
        """Return the epsilons of a question from the sharpest key to the public report; none for a card."""
        if has_card(question) or isinstance(question, Recoverable):
            return ()
        wanted = [] if isinstance(question, FreeText) else [analyst.epsilon for analyst in self.analysts]
        if self.public_epsilon is not None:
            wanted.append(self.public_epsilon)
        elif question.epsilon is not None:
            wanted.append(question.epsilon)
        ceiling = question.epsilon
        return tuple(sorted({value if ceiling is None else min(value, ceiling) for value in wanted}, reverse=True))

    def level_of(self, analyst: Analyst, question: Question) -> int:
        """Return the level, 1 the sharpest, at which an analyst sees a question; the last needs no key."""
        if not has_levels(question):
            return 1
        ceiling = analyst.epsilon if question.epsilon is None else min(analyst.epsilon, question.epsilon)
        return self.levels(question).index(ceiling) + 1


def has_card(question: Question) -> bool:
    """Whether a question is answered with a card, by guess error, and so has no levels."""
    return isinstance(question, YesNo) and question.limits is not None


def has_levels(question: Question) -> bool:
    """Whether keys can show more of a question than its public reports."""
    return not (has_card(question) or isinstance(question, FreeText | Recoverable))


def _check_once(what: str, key: str, names: list[str]) -> None:
    if len(set(names)) != len(names):
        raise InvalidParameter(f"two {what}s have the same {key}. Rename one.")
