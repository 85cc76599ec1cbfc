"""A survey of one yes/no question asked with a card: its answers, the limits that protect, and the goal."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from fractions import Fraction

from sfumato.design import Limits, SurveyDesign, playable, survey
from sfumato.design.cards import MOST_FACES
from sfumato.design.surveys import check_answers
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.numbers import parse_number
from sfumato.values.checks import as_exact, check_between, check_integer
from sfumato.values.rounding import float_below

# Finer numbers mean nothing in a survey, and would make its draws too fine for a machine word.
MOST_DENOMINATOR = 10**9
DEFAULT_HALF_WIDTH = Fraction(1, 20)
DEFAULT_ERROR = Fraction(1, 20)
_LONGEST = {"name": 100, "question": 2000, "answers": 40, "ledger": 1000}
# What would move the cursor, turn the direction of writing, or be refused inside XML.
_CONTROLS = frozenset({"Cc", "Cs", "Zl", "Zp"})
_MARKS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufffe\uffff")


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyLimits:
    """What is promised: a guesser errs at least so often, and no report says more than ε allows.

    `weight` is that of missing the second answer, as in `design.Limits`; without `max_epsilon` ε is not limited.
    """

    guess_error: Fraction
    weight: Fraction = Fraction(1, 2)
    max_epsilon: Fraction | None = None

    def __post_init__(self) -> None:
        for name in ("guess_error", "weight"):
            _set_share(self, name)
        if self.max_epsilon is not None:
            epsilon = exact_number("max_epsilon", self.max_epsilon)
            if not 0 < epsilon <= 1000:
                raise InvalidParameter(
                    f"max_epsilon={_shown(epsilon)} must be a positive number of nats. Choose for instance 1.0, or "
                    f"leave max_epsilon out."
                )
            object.__setattr__(self, "max_epsilon", epsilon)
        self.checked()

    def checked(self) -> Limits:
        """Return the limits as the designer takes them; refuses those that no survey can keep."""
        epsilon = None if self.max_epsilon is None else float_below(self.max_epsilon)
        return Limits.of(guess_error=self.guess_error, weight=self.weight, max_epsilon=epsilon)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the survey is for: an interval of a given half-width, or a test that tells two shares apart.

    All shares are of the second answer. Without a goal, an interval of ± 5 points is planned for.
    """

    expected_share: Fraction | None = None
    half_width: Fraction | None = None
    theta_1: Fraction | None = None
    theta_2: Fraction | None = None
    error: Fraction | None = None
    confidence: Fraction = Fraction(19, 20)

    def __post_init__(self) -> None:
        for name in ("expected_share", "half_width", "theta_1", "theta_2", "error", "confidence"):
            if getattr(self, name) is not None:
                _set_share(self, name)
        check_between("confidence", self.confidence, Fraction(1, 2), 1 - Fraction(1, MOST_DENOMINATOR))
        if self.half_width is not None and self.is_test:
            raise InvalidParameter("give half_width or theta_1 and theta_2, one of the two. Delete the others.")
        if self.half_width is not None and not Fraction(1, 10_000) <= self.half_width <= Fraction(1, 2):
            raise InvalidParameter(
                f"half_width={_shown(self.half_width)} must lie in [0.0001, 0.5]. It is half of the interval's width."
            )
        if self.is_test:
            self._check_test()
        elif self.error is not None:
            raise InvalidParameter("error belongs to a test. Give theta_1 and theta_2 as well, or delete error.")

    def _check_test(self) -> None:
        if self.theta_1 is None or self.theta_2 is None:
            raise InvalidParameter("a test needs both theta_1 and theta_2, the two shares to tell apart. Give both.")
        for name, theta in (("theta_1", self.theta_1), ("theta_2", self.theta_2)):
            if not 0 < theta < 1:
                raise InvalidParameter(f"{name}={_shown(theta)} must lie strictly between 0 and 1. Move it inside.")
        if self.theta_1 == self.theta_2:
            raise InvalidParameter("theta_1 and theta_2 are the same; there is nothing to tell apart. Move one.")
        if self.error is None:
            object.__setattr__(self, "error", DEFAULT_ERROR)
        elif not 0 < self.error <= Fraction(1, 2):
            raise InvalidParameter(f"error={_shown(self.error)} must lie in (0, 0.5]. Choose for instance 0.05.")

    @property
    def is_test(self) -> bool:
        """Whether two shares are to be told apart."""
        return self.theta_1 is not None or self.theta_2 is not None

    @property
    def share(self) -> Fraction:
        """The share at which designs are compared: the expected one, else the first of a test, else a half."""
        for value in (self.expected_share, self.theta_1):
            if value is not None:
                return value
        return Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A yes/no survey as it is declared. `answers` has "no" first; `faces` makes it playable with dice or a phone."""

    name: str
    question: str
    answers: tuple[str, str] = ("no", "yes")
    limits: StudyLimits
    outputs: int = 3
    faces: int | None = None
    plan: Plan = field(default_factory=Plan)

    def __post_init__(self) -> None:
        for name in ("name", "question"):
            check_line(name, getattr(self, name))
        for answer in self.answers:
            check_line("answers", answer)
        object.__setattr__(self, "answers", check_answers(self.answers))
        check_between("outputs", check_integer("outputs", self.outputs), 2, 3, way_out="More than three never help.")
        if self.faces is not None:
            check_between("faces", check_integer("faces", self.faces), 2, MOST_FACES)
        if self.outputs == 2 and self.plan.expected_share is None and not self.plan.is_test:
            raise InvalidParameter(
                "outputs=2 needs expected_share, the share of the second answer that you expect: the best of the two "
                "possible designs depends on it. Give expected_share, or use outputs=3."
            )

    def design(self) -> SurveyDesign:
        """Return the best survey within the limits, in whole faces when the study names their number."""
        limits = self.limits.checked()
        made = survey(
            guess_error=limits.guess_error,
            weight=limits.weight,
            max_epsilon=None if self.limits.max_epsilon is None else float_below(self.limits.max_epsilon),
            outputs=self.outputs,
            theta=self.plan.share,
            answers=self.answers,
        )
        return made if self.faces is None else playable(made, faces=self.faces, theta=self.plan.share)


def exact_number(name: str, value: object) -> Fraction:
    """Read a number, or text such as 0.375 and 3/8, exactly."""
    if isinstance(value, str):
        try:
            number = parse_number(value, name)
        except UnreadableFile as error:
            raise InvalidParameter(str(error)) from None
    else:
        number = as_exact(name, value)
    if number.denominator > MOST_DENOMINATOR or abs(number) > MOST_DENOMINATOR:
        raise InvalidParameter(f"{name} has more digits than a survey can use. Round it to at most nine.")
    return number


def _set_share(owner: object, name: str) -> None:
    number = exact_number(name, getattr(owner, name))
    if not 0 <= number <= 1:
        raise InvalidParameter(f"{name}={_shown(number)} must lie in [0, 1]. Write a share: 0.05, not 5 or 5%.")
    object.__setattr__(owner, name, number)


def check_line(name: str, text: object) -> None:
    """Refuse text that is empty, too long, or would move the cursor."""
    if not isinstance(text, str):
        raise InvalidParameter(f"{name} must be text, not {type(text).__name__}. Put it in quotes.")
    if not text or text != text.strip():
        raise InvalidParameter(f"{name} must not be empty or begin or end with a blank. Write it in plain text.")
    if len(text) > _LONGEST[name]:
        raise InvalidParameter(f"{name} has {len(text)} characters and may have {_LONGEST[name]}. Shorten it.")
    if any(unicodedata.category(letter) in _CONTROLS or letter in _MARKS for letter in text):
        raise InvalidParameter(
            f"{name} holds a line break or a control character. Write it on one line, in plain text."
        )


def _shown(value: Fraction) -> str:
    return f"{float(value):.6g}"
