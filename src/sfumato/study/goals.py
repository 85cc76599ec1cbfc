"""The goal that a question with two answers is planned for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

from sfumato.display.text import percent
from sfumato.errors import InvalidParameter
from sfumato.numbers.checks import check_between
from sfumato.study.fields import (
    FRACTION_PATTERN,
    MOST_DENOMINATOR,
    Entry,
    Key,
    as_numbers,
    exact_number,
    number_key,
    short_number,
)
from sfumato.study.question import ShareRange

DEFAULT_HALF_WIDTH = Fraction(1, 20)
DEFAULT_DIFFERENCE = Fraction(1, 20)
DEFAULT_ERROR = Fraction(1, 20)
DEFAULT_CONFIDENCE = Fraction(19, 20)

SHARE_RANGE = Key(
    name="share_range",
    words="The least and the largest share of the second answer for which the plan says what a report tells.",
    read=as_numbers,
    schema={
        "type": "array",
        "items": {
            "description": "A share, or a fraction in quotes.",
            "type": ["number", "string"],
            "pattern": FRACTION_PATTERN,
            "exclusiveMinimum": 0,
            "exclusiveMaximum": 1,
        },
        "minItems": 2,
        "maxItems": 2,
    },
)
INTERVAL_KEYS = (
    number_key("expected_share", "Share of the second answer that you expect.", 0, 1),
    SHARE_RANGE,
    number_key("difference", "Plan for seeing so large a difference of shares between two groups.", 0.0001, 0.5),
    number_key("half_width", "Goal: half of the interval's width.", 0.0001, 0.5),
    number_key("confidence", "Confidence of the intervals.", 0.5, 1),
)
TEST_KEYS = (
    number_key("theta_1", "Goal: one of two shares to tell apart.", 0, 1, open_ends=True),
    number_key("theta_2", "Goal: the other of two shares to tell apart.", 0, 1, open_ends=True),
    number_key("error", "How often that test may be wrong.", 0, 0.5),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """An interval of a given half-width, or a test that distinguishes two shares.

    All shares are of the second answer. Without a goal, an interval of ± 5 points is planned for. Posteriors are stated
    for the shares of `share_range`, and the respondents needed for a `difference` between two groups.

    Raises:
        InvalidParameter: a number is outside of its range, two goals are given, or one of two shares is missing.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> goal = sf.study.Goal(expected_share=Fraction(1, 10), half_width=Fraction(3, 100))
    >>> asked = sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1), goal=goal)
    >>> asked.goal.words("yes")
    'Respondents needed for a 95 % interval of ± 3 percentage points, if 10 % hold “yes”'
    >>> sf.study.Goal(theta_1=Fraction(1, 10), theta_2=Fraction(1, 5)).words("yes")
    'Respondents needed to tell a share of 10 % “yes” from 20 %, wrong at most 5 % of the time either way'
    """

    expected_share: Fraction | None = None
    share_range: tuple[Fraction, Fraction] | None = None
    difference: Fraction | None = None
    half_width: Fraction | None = None
    theta_1: Fraction | None = None
    theta_2: Fraction | None = None
    error: Fraction | None = None
    confidence: Fraction = DEFAULT_CONFIDENCE

    def __post_init__(self) -> None:
        for name in GOAL_NAMES:
            if name != SHARE_RANGE.name and getattr(self, name) is not None:
                object.__setattr__(self, name, checked_share(name, getattr(self, name)))
        if self.share_range is not None:
            object.__setattr__(self, SHARE_RANGE.name, _checked_range(self.share_range))
        check_between("confidence", self.confidence, Fraction(1, 2), 1 - Fraction(1, MOST_DENOMINATOR))
        if self.half_width is not None and self.is_test:
            raise InvalidParameter(
                "and `theta_1` with `theta_2` are two different goals",
                parameter="half_width",
                way_out="Give one of the two, and delete the other.",
            )
        for name, words in (("half_width", "It is half of the interval's width."), ("difference", "Write 0.05.")):
            value = getattr(self, name)
            if value is not None and not Fraction(1, 10_000) <= value <= Fraction(1, 2):
                raise InvalidParameter(
                    "must lie in [0.0001, 0.5]", parameter=name, value=short_number(value), way_out=words
                )
        if self.is_test:
            self._check_test()
        elif self.error is not None:
            raise InvalidParameter(
                "belongs to a test",
                parameter="error",
                way_out="Give `theta_1` and `theta_2` as well, or delete `error`.",
            )

    def _check_test(self) -> None:
        if self.theta_1 is None or self.theta_2 is None:
            raise InvalidParameter(
                "is one of two shares to tell apart",
                parameter="theta_1" if self.theta_2 is None else "theta_2",
                way_out="Give both `theta_1` and `theta_2`.",
            )
        for name, theta in (("theta_1", self.theta_1), ("theta_2", self.theta_2)):
            if not 0 < theta < 1:
                raise InvalidParameter(
                    "must lie strictly between 0 and 1",
                    parameter=name,
                    value=short_number(theta),
                    way_out="Move it inside.",
                )
        if self.theta_1 == self.theta_2:
            raise InvalidParameter(
                "is the same as `theta_1`; there is nothing to tell apart", parameter="theta_2", way_out="Move one."
            )
        if self.error is None:
            object.__setattr__(self, "error", DEFAULT_ERROR)
        elif not 0 < self.error <= Fraction(1, 2):
            raise InvalidParameter(
                "must lie in (0, 0.5]",
                parameter="error",
                value=short_number(self.error),
                way_out="Choose for instance 0.05.",
            )

    @property
    def is_test(self) -> bool:
        """Whether two shares are to be distinguished."""
        return self.theta_1 is not None or self.theta_2 is not None

    @property
    def share(self) -> Fraction:
        """The share at which designs are compared: the expected one, else the first of a test, else a half."""
        for value in (self.expected_share, self.theta_1):
            if value is not None:
                return value
        return Fraction(1, 2)

    @property
    def width(self) -> Fraction:
        """The half-width that is planned for."""
        return DEFAULT_HALF_WIDTH if self.half_width is None else self.half_width

    @property
    def told_shares(self) -> ShareRange:
        """The shares at which the plan states what a report discloses."""
        expected = self.theta_1 if self.expected_share is None else self.expected_share
        return ShareRange.stated(expected, self.share_range)

    @property
    def gap(self) -> Fraction:
        """The difference between two groups that is planned for."""
        return DEFAULT_DIFFERENCE if self.difference is None else self.difference

    def changed(self, wished: Mapping[str, Any]) -> Goal:
        """Put wishes in the place of what the goal says; wishing for an interval drops the test, and the reverse."""
        changes: dict[str, Any] = dict(wished)
        if "theta_2" in changes or "theta_1" in changes:
            if "half_width" in changes:
                raise InvalidParameter(
                    "and `theta_2` are two different goals", parameter="half_width", way_out="Choose one."
                )
            first = (changes.get("expected_share"), self.theta_1, self.expected_share)
            changes.setdefault("theta_1", next((share for share in first if share is not None), None))
            changes.setdefault("theta_2", self.theta_2)
            if changes["theta_1"] is None:
                raise InvalidParameter(
                    "needs the other of the two shares to tell apart",
                    parameter="theta_2",
                    way_out="Give `theta_1` or `expected_share` too.",
                )
            changes["half_width"] = None
        elif "half_width" in changes:
            changes |= {"theta_1": None, "theta_2": None, "error": None}
        return replace(self, **changes)

    def words(self, answer: str) -> str:
        """Say what the respondents are needed for."""
        if self.theta_1 is not None and self.theta_2 is not None and self.error is not None:
            return (
                f"Respondents needed to tell a share of {percent(self.theta_1)} “{answer}” from "
                f"{percent(self.theta_2)}, wrong at most {percent(self.error)} of the time either way"
            )
        return (
            f"Respondents needed for a {percent(self.confidence)} interval of ± {100 * float(self.width):.6g} "
            f"percentage points{' (no goal was given)' if self.half_width is None else ''}, if "
            f"{percent(self.share)} hold “{answer}”"
        )

    def entries(self) -> dict[str, Entry]:
        """Return what a file says of it."""
        found = {name: getattr(self, name) for name in GOAL_NAMES if getattr(self, name) is not None}
        if self.confidence == DEFAULT_CONFIDENCE:
            del found["confidence"]
        if self.share_range is not None:
            found["share_range"] = list(self.share_range)
        return found

    @staticmethod
    def taken_from(entries: dict[str, Any]) -> dict[str, Any]:
        """Put the entries that belong to a goal together under `goal`."""
        goal = Goal(**{name: entries.pop(name) for name in GOAL_NAMES if name in entries})
        return {**entries, "goal": goal}


GOAL_NAMES = tuple(field.name for field in fields(Goal))


def checked_share(name: str, value: Any) -> Fraction:
    """Read a share, exactly."""
    number = exact_number(name, value)
    if not 0 <= number <= 1:
        raise InvalidParameter(
            "must lie in [0, 1]",
            parameter=name,
            value=short_number(number),
            way_out="Write a share: 0.05, not 5 or 5%.",
        )
    return number


def _checked_range(ends: Any) -> tuple[Fraction, Fraction]:
    shares = [checked_share(SHARE_RANGE.name, end) for end in ends]
    if len(shares) != 2 or not 0 < shares[0] < shares[1] < 1:
        raise InvalidParameter(
            "must be two shares strictly between 0 and 1, the smaller one first",
            parameter=SHARE_RANGE.name,
            way_out="Write it like share_range = [0.05, 0.3].",
        )
    return shares[0], shares[1]
