"""Hypothesis strategies for studies: every kind of question, with everything that may be declared about it."""

from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st

from label_strategies import label_texts
from sfumato.errors import InvalidParameter
from sfumato.study import (
    Analyst,
    AskIf,
    BoundedNumber,
    Card,
    Count,
    FreeText,
    Goal,
    LargeList,
    ListedCard,
    OneOfMany,
    Ordered,
    Recoverable,
    Several,
    Study,
    YesNo,
)

# What a study refuses beside what no label holds.
MARKS = "\ufffe\uffff"
lines = label_texts(min_size=1, max_size=30).filter(lambda text: text == text.strip() and not set(text) & set(MARKS))
epsilons = st.fractions(Fraction(1, 997), 20, max_denominator=997)
shares = st.fractions(Fraction(1, 997), Fraction(996, 997), max_denominator=997)
identifiers = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,49}", fullmatch=True).filter(
    lambda name: name.lower() not in {"row", "part"}
)
pairs = st.lists(lines.filter(lambda text: text != "either"), min_size=2, max_size=2, unique=True).map(tuple)


@st.composite
def goals(draw, *, tests=True):
    kind = draw(st.sampled_from(["none", "interval", "test"] if tests else ["none", "interval"]))
    expected = draw(st.none() | shares)
    confidence = draw(st.fractions(Fraction(1, 2), Fraction(996, 997), max_denominator=997))
    if kind == "interval":
        half_width = draw(st.fractions(Fraction(1, 997), Fraction(1, 2), max_denominator=997))
        return Goal(expected_share=expected, half_width=half_width, confidence=confidence)
    if kind == "test":
        one, two = draw(st.lists(shares, min_size=2, max_size=2, unique=True))
        return Goal(
            expected_share=expected, theta_1=one, theta_2=two, error=draw(st.none() | shares.map(lambda x: x / 2))
        )
    return Goal(expected_share=expected, confidence=confidence)


@st.composite
def cards(draw, name):
    weight = draw(st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=99))
    goal = draw(goals())
    has_share = goal.expected_share is not None or goal.is_test
    return Card(
        id=name,
        text=draw(lines),
        answers=draw(pairs),
        guess_error=min(weight, 1 - weight) * draw(shares),
        weight=weight,
        max_epsilon=draw(st.none() | epsilons),
        outputs=draw(st.sampled_from([2, 3])) if has_share else 3,
        faces=draw(st.none() | st.integers(2, 1000)),
        goal=goal,
    )


@st.composite
def listed_cards(draw, name):
    answers = tuple(draw(st.lists(lines, min_size=3, max_size=6, unique=True)))
    part = draw(st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50))
    return ListedCard(
        id=name,
        text=draw(lines),
        answers=answers,
        guess_error=(1 - Fraction(1, len(answers))) * part,
        faces=draw(st.none() | st.just(1000)),
    )


@st.composite
def recoverables(draw, name):
    answers = tuple(draw(st.lists(lines, min_size=2, max_size=5, unique=True)))
    values = draw(st.lists(lines, min_size=2, max_size=2, unique=True))
    # Both values are told of somebody.
    tell = (*values, *(draw(st.sampled_from(values)) for _ in answers[2:]))
    weights = draw(st.none() | st.lists(st.integers(1, 50), min_size=len(answers), max_size=len(answers)))
    return Recoverable(
        id=name,
        text=draw(lines),
        answers=answers,
        tell=tell,
        rho=draw(st.fractions(Fraction(1, 2), Fraction(98, 99), max_denominator=99)),
        probabilities=None if weights is None else tuple(Fraction(weight, sum(weights)) for weight in weights),
    )


def yes_no(name, text, draw, epsilon):
    return YesNo(id=name, text=text, answers=draw(pairs), epsilon=epsilon, goal=draw(goals(tests=False)))


def one_of_many(name, text, draw, epsilon):
    answers = tuple(draw(st.lists(lines, min_size=2, max_size=6, unique=True)))
    return OneOfMany(id=name, text=text, answers=answers, epsilon=epsilon, random_bits=draw(st.none() | epsilons))


def several(name, text, draw, epsilon):
    separator = draw(st.sampled_from([";", ",", "|", "::"]))
    plain = lines.filter(lambda line: separator not in line)
    options = tuple(draw(st.lists(plain, min_size=2, max_size=6, unique=True)))
    return Several(
        id=name,
        text=text,
        options=options,
        ask=draw(st.none() | st.integers(1, len(options))),
        separator=separator,
        none=draw(st.none() | plain.filter(lambda line: line not in options)),
        epsilon=epsilon,
        goal=draw(goals(tests=False)),
    )


def large_list(name, text, draw, epsilon):
    texts = draw(st.lists(lines, min_size=4, max_size=9, unique=True))
    return LargeList(
        id=name,
        text=text,
        dictionary=texts[1:],
        others=draw(st.sampled_from((None, texts[0]))),
        family_error=draw(st.fractions(Fraction(1, 1000), Fraction(1, 2), max_denominator=1000)),
        at_least=draw(st.none() | st.fractions(0, Fraction(1, 2), max_denominator=1000)),
        epsilon=epsilon,
    )


def count(name, text, draw, epsilon):
    points, step = draw(st.integers(2, 9)), draw(st.integers(1, 1000))
    lowest = draw(st.integers(-(10**6), 10**6))
    return Count(
        id=name, text=text, lowest=lowest, highest=lowest + step * (points - 1), points=points, epsilon=epsilon
    )


def free_text(name, text, draw, epsilon):
    return FreeText(
        id=name, text=text, longest=draw(st.integers(1, 32)), keep=draw(st.integers(1, 1000)), epsilon=epsilon
    )


OWN_PROMISE = {Card: cards, ListedCard: listed_cards, Recoverable: recoverables}


def number(name, text, draw, epsilon):
    """Decimals of up to three digits, with or without points; bins are as the range allows."""
    step = Fraction(draw(st.integers(1, 250)), 10 ** draw(st.integers(0, 3)))
    lowest, steps = Fraction(draw(st.integers(-(10**6), 10**6)), 1000), draw(st.integers(1, 600))
    goal = draw(st.sampled_from(["mean", "distribution"]))
    points = draw(st.none() | st.integers(2, min(steps + 1, 40)))
    if goal == "distribution":
        points = draw(st.sampled_from([steps + 1, *(count for count in range(2, 41) if steps % count == 0)]))
    return BoundedNumber(
        id=name,
        text=text,
        lowest=lowest,
        highest=lowest + steps * step,
        step=step,
        goal=goal,
        points=points,
        epsilon=epsilon,
    )


def ordered(name, text, draw, epsilon):
    answers = tuple(draw(st.lists(lines, min_size=2, max_size=6, unique=True)))
    scores = draw(st.none() | st.lists(st.integers(-9, 9), min_size=len(answers), max_size=len(answers), unique=True))
    worth = None if scores is None else tuple(map(Fraction, scores))
    return Ordered(id=name, text=text, answers=answers, scores=worth, epsilon=epsilon)


BY_EPSILON = {
    YesNo: yes_no,
    OneOfMany: one_of_many,
    Several: several,
    Ordered: ordered,
    BoundedNumber: number,
    Count: count,
    LargeList: large_list,
    FreeText: free_text,
}


@st.composite
def questions(draw, name, promises, kinds=(*OWN_PROMISE, *BY_EPSILON)):
    """`promises` says whether the question must promise something itself; `kinds` are the classes to draw from."""
    kind = draw(st.sampled_from(list(kinds)))
    if kind in OWN_PROMISE:
        return draw(OWN_PROMISE[kind](name))
    epsilon = draw(epsilons if promises else st.none() | epsilons)
    return BY_EPSILON[kind](name, draw(lines), draw, epsilon)


@st.composite
def with_no_answers(draw, asked):
    """The same questions, some of which say what an empty cell means, or whom they are asked."""
    found, names = [], {question.id for question in asked}
    for question in asked:
        ways = [None, "public", *([] if question.NOT_HIDDEN else ["hidden"])]
        missing = draw(st.sampled_from(ways))
        codes = lines.filter(lambda text, known=question.listed: text not in known)
        rule = None
        earlier = [other for other in found if other.listed]
        if missing == "hidden" and earlier and draw(st.booleans()):
            other = draw(st.sampled_from(earlier))
            rule = AskIf(question=other.id, answers=(draw(st.sampled_from(other.listed)),))
        elif draw(st.booleans()):
            column = draw(lines.filter(lambda text: text not in names))
            rule = AskIf(column=column, answers=tuple(draw(st.lists(lines, min_size=1, max_size=3, unique=True))))
        listed = tuple(draw(st.lists(codes, max_size=3, unique=True))) if missing else ()
        found.append(replace(question, missing=missing, missing_codes=listed, ask_if=rule))
    return tuple(found)


@st.composite
def studies(draw):
    public = draw(st.none() | epsilons.filter(lambda value: value < 15))
    names = draw(st.lists(identifiers, min_size=1, max_size=4, unique_by=str.lower))
    readers = []
    if public is not None:
        holders = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,20}", fullmatch=True)
        holders = holders.filter(lambda name: name.lower() not in {"registrar", "public"})
        more = st.fractions(0, 5, max_denominator=997)
        names_of_readers = draw(st.lists(holders, max_size=3, unique_by=str.lower))
        readers = [Analyst(name=name, epsilon=public + draw(more)) for name in names_of_readers]
    try:
        return Study(
            name=draw(lines),
            questions=draw(with_no_answers([draw(questions(name, public is None)) for name in names])),
            population=draw(st.none() | st.integers(1, 10**12)),
            analysts=tuple(readers),
            public_epsilon=public,
            recover=draw(st.booleans()),
        )
    except InvalidParameter:  # limits that no card can keep
        from hypothesis import reject

        reject()
