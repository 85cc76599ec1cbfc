"""A sample of every class of question, or several: how it is asked, what people answer, and what is no answer."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

import numpy as np
import pyarrow as pa

from drawn_parts import drawn_part
from sfumato.files.tables import words_of
from sfumato.sampling import InsecureSeeded
from sfumato.study import (
    Analyst,
    Audience,
    BoundedNumber,
    Card,
    Count,
    FreeText,
    Goal,
    LargeList,
    ListedCard,
    OneOfMany,
    Ordered,
    Question,
    Recoverable,
    Several,
    Study,
    YesNo,
)
from sfumato.study.kinds.number import ScaleQuestion

SECRET = "zebra42"  # noqa: S105  stands for what somebody typed
ROWS = 24_000
READERS = (Analyst(name="ministry", epsilon=Fraction(3)), Analyst(name="press", epsilon=Fraction(1)))
TENTH = Fraction(1, 10)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A question with what 24 000 people answer to it, in tenths; `told` is the label that an answer counts for."""

    name: str
    question: Question
    tenths: dict[str, int]
    analysts: tuple[Analyst, ...] = ()
    public_epsilon: Fraction | None = None
    recover: bool = False
    told: Callable[[str], str] = str

    @cached_property
    def study(self):
        return Study(
            name="Sample",
            questions=(self.question,),
            analysts=self.analysts,
            public_epsilon=self.public_epsilon,
            recover=self.recover,
        )

    @cached_property
    def audience(self) -> Audience:
        return self.study.audience

    @cached_property
    def handler(self):
        return self.study.handler(self.question.id)

    @property
    def asked(self):
        """The question as it is asked: to how many values a number is rounded may depend on who reads it."""
        return self.handler.question

    @cached_property
    def cells(self):
        """Answers in an order that has nothing to do with their places."""
        ten = [text for text, times in self.tenths.items() for _ in range(times)]
        assert len(ten) == 10
        return [ten[place] for place in np.random.default_rng(7).permutation(np.arange(ROWS) % 10)]

    @cached_property
    def table(self):
        return pa.table({self.question.id: self.cells})

    def words(self, cells=None):
        name = self.question.id
        return words_of(pa.table({name: self.cells if cells is None else cells}), name)

    @cached_property
    def shares(self):
        """The shares of what is estimated."""
        found = dict.fromkeys(self.asked.labels, Fraction(0))
        for text, times in self.tenths.items():
            for label, part in self.split(text).items():
                found[label] = found.get(label, 0) + part * times / 10
        return found

    def split(self, text):
        """What an answer counts for: a number between two values of the scale for both, several options for each."""
        asked = self.asked
        if isinstance(asked, Several):
            (chosen,) = self.handler.read(self.words([text])).tolist()
            return {label: Fraction(chosen >> i & 1) for i, label in enumerate(asked.labels)}
        if not isinstance(asked, ScaleQuestion) or asked.values is None:
            return {self.label_of(text): Fraction(1)}
        place, rest = divmod(Fraction(text) - asked.ends[0], asked.gap)
        up = Fraction(rest) / asked.gap
        found = {asked.labels[place]: 1 - up}
        return found | ({asked.labels[place + 1]: up} if up else {})

    def label_of(self, text):
        """What an answer is counted as: of bins, the one that it lies in."""
        return self.asked.bin_of(text) if getattr(self.asked, "in_bins", False) else self.told(text)

    @property
    def mean(self):
        """The true mean of numbers and of scores."""
        asked = self.asked
        worth = dict(zip(asked.choices, asked.values, strict=True))
        return float(sum(worth[label] * share for label, share in self.shares.items() if label in worth))


@dataclass(frozen=True, kw_only=True)
class Made:
    """The reports of a sample as numbers, and its keys by level."""

    reports: np.ndarray
    keys: dict
    part: str = ""


ASKED = {"id": "q", "text": "What do you say?"}
LEVELS = {"analysts": READERS, "public_epsilon": Fraction(1, 2)}
MONTHS = tuple(f"month {i}" for i in range(1, 13))

SAMPLES = [
    Sample(name="yes-no", question=YesNo(**ASKED), tenths={"no": 7, "yes": 3}, recover=True, **LEVELS),
    Sample(
        name="yes-no, its own epsilon",
        question=YesNo(
            **ASKED, answers=("nein", "ja"), epsilon=Fraction(7, 10), goal=Goal(expected_share=TENTH, half_width=TENTH)
        ),
        tenths={"nein": 9, "ja": 1},
    ),
    Sample(
        name="one of a few",
        question=OneOfMany(**ASKED, answers=("hill", "coast", "city, old"), epsilon=Fraction(2)),
        tenths={"hill": 5, "coast": 3, "city, old": 2},
        recover=True,
        **LEVELS,
    ),
    Sample(
        name="one of many, by symbols",
        question=OneOfMany(**ASKED, answers=MONTHS),
        tenths={"month 1": 4, "month 6": 3, "month 12": 3},
        recover=True,
        **LEVELS,
    ),
    Sample(
        name="large list",
        question=LargeList(**ASKED, dictionary=("oak", "elm, field", "ash", "fir"), epsilon=Fraction(2)),
        tenths={"oak": 3, "elm, field": 3, "ash": 2, "fir": 2},
        recover=True,
        **LEVELS,
    ),
    Sample(
        name="one of many, few random bits",
        question=OneOfMany(**ASKED, answers=("x", "y", "z"), random_bits=Fraction(3)),
        tenths={"x": 6, "y": 3, "z": 1},
        **LEVELS,
    ),
    Sample(
        name="several, one at a time",
        question=Several(**ASKED, options=("bus", "train", "car", "bike"), none="nothing"),
        tenths={"bus": 2, "bus;train": 3, "car": 3, "bike; car;bus": 1, "nothing": 1},
        **LEVELS,
    ),
    Sample(
        name="several, two at a time",
        question=Several(
            **ASKED,
            options=("bus", "train", "car"),
            ask=2,
            separator=",",
            none="-",
            goal=Goal(expected_share=2 * TENTH),
        ),
        tenths={"bus": 2, "bus, train,": 3, "car": 2, "train,car,bus": 2, "-": 1},
        **LEVELS,
    ),
    Sample(
        name="several, all at once",
        question=Several(**ASKED, options=("bus", "train", "car"), ask=3, none="-", epsilon=Fraction(5, 2)),
        tenths={"bus": 2, "bus;train": 3, "train;car": 3, "-": 2},
        recover=True,
        **LEVELS,
    ),
    Sample(
        name="count, for its mean",
        question=Count(**ASKED, lowest=-2, highest=8),
        tenths={"-2": 2, "0": 4, "7": 3, "8": 1},
        recover=True,
        **LEVELS,
    ),
    Sample(
        name="count, by degrees",
        question=Count(**ASKED, highest=6, points=4),
        tenths={"0": 3, "1": 2, "2": 3, "5": 2},
        recover=True,
        **LEVELS,
    ),
    Sample(
        name="number, for its mean",
        question=BoundedNumber(**ASKED, lowest=Fraction(-1, 2), highest=Fraction(2), step=Fraction(1, 40)),
        tenths={"-0.5": 2, "0.325": 4, "1.9": 3, "2": 1},
        recover=True,
        **LEVELS,
    ),
    Sample(
        name="number, of two points",
        question=BoundedNumber(**ASKED, highest=Fraction(9), step=Fraction(1, 2), points=2),
        tenths={"0": 2, "2.5": 4, "7": 3, "9": 1},
        recover=True,
        **LEVELS,
    ),
    Sample(
        name="number, for its distribution",
        question=BoundedNumber(
            **ASKED, lowest=Fraction(-1), highest=Fraction(1), step=Fraction(1, 2), goal="distribution"
        ),
        tenths={"-1": 2, "-0.5": 1, "0": 4, "0.5": 1, "1": 2},
        recover=True,
        **LEVELS,
    ),
    Sample(
        name="number, in bins",
        question=BoundedNumber(**ASKED, highest=Fraction(40), step=Fraction(1, 10), goal="distribution", points=4),
        tenths={"0": 2, "9.9": 1, "12.5": 4, "30": 1, "40": 2},
        **LEVELS,
    ),
    Sample(
        name="ordered",
        question=Ordered(**ASKED, answers=("never", "rarely", "often", "always")),
        tenths={"never": 2, "rarely": 4, "often": 3, "always": 1},
        recover=True,
        **LEVELS,
    ),
    Sample(
        name="ordered, with scores",
        question=Ordered(
            **ASKED, answers=("no", "maybe", "yes"), scores=(Fraction(0), Fraction(1, 2), Fraction(2)), epsilon=2
        ),
        tenths={"no": 5, "maybe": 3, "yes": 2},
    ),
    Sample(
        name="card", question=Card(**ASKED, guess_error=Fraction(3, 8)), tenths={"no": 8, "yes": 2}, **LEVELS
    ),
    Sample(
        name="card with limits",
        question=Card(
            **ASKED,
            answers=("nein", "ja"),
            guess_error=Fraction(3, 10),
            weight=Fraction(9, 20),
            max_epsilon=Fraction(3, 2),
            faces=100,
            goal=Goal(theta_1=TENTH, theta_2=2 * TENTH),
        ),
        tenths={"nein": 6, "ja": 4},
    ),
    Sample(
        name="card of two reports",
        question=Card(**ASKED, guess_error=Fraction(1, 4), outputs=2, goal=Goal(expected_share=TENTH)),
        tenths={"no": 9, "yes": 1},
    ),
    Sample(
        name="card for a list",
        question=ListedCard(**ASKED, answers=("hill", "coast", "city, old"), guess_error=Fraction(1, 2)),
        tenths={"hill": 5, "coast": 3, "city, old": 2},
    ),
    Sample(
        name="text",
        question=FreeText(**ASKED, longest=2, keep=3, epsilon=Fraction(3)),
        tenths={"ab": 6, "c": 4},
    ),
    Sample(
        name="recoverable",
        question=Recoverable(
            **ASKED,
            answers=("O+", "A+", "O-", "A-", "B+"),
            tell=("O", "A", "O", "A", "B"),
            rho=Fraction(4, 5),
            probabilities=(Fraction(3, 10), Fraction(3, 10), TENTH, TENTH, 2 * TENTH),
        ),
        tenths={"O+": 4, "A+": 2, "O-": 1, "A-": 1, "B+": 2},
        told=lambda text: text[0],
    ),
]  # fmt: skip


@cache
def drawn(name):
    """The reports and keys of a sample."""
    return draw(by_name(name), 1)


def draw(sample, seed, cells=None):
    table = sample.table if cells is None else pa.table({sample.question.id: cells})
    made = drawn_part(sample.study, table, bits=seeded(sample, seed))
    return Made(
        reports=made.reports.column(sample.question.id),
        keys=made.keys.get(sample.question.id, {}),
        part=made.reports.note.parts[0].id,
    )


def seeded(sample, seed):
    """A seed that no other sample has: the same draws under other answers are refused, even in a simulation."""
    return InsecureSeeded(1000 * (1 + SAMPLES.index(sample)) + seed)


def by_name(name):
    (found,) = [sample for sample in SAMPLES if sample.name == name]
    return found


def seen_at(sample, made, level):
    """The reports as the holder of a level's key sees them; the last level needs none."""
    way = sample.handler
    if level == len(way.epsilons):
        return made.reports
    return opened(way, made, level)


def counted(way, made, seen, level, rows=slice(None)):
    """The tally of some of the rows."""
    numbers = np.arange(len(made.reports))[rows]
    return way.tally(seen[rows], level, positions=way.placed(numbers, made.part))


def opened(way, made, level):
    """The reports as a key shows them, of all rows from the first."""
    rows = np.arange(len(made.reports))
    return way.opened(made.reports, made.keys[level], rows, rows)
