"""A small study of every kind of question, published and opened, for the tests of its page."""

from fractions import Fraction
from functools import cache

import pyarrow as pa

from drawn_parts import drawn_part
from sfumato.publications.opening import open_table
from sfumato.sampling import InsecureSeeded
from sfumato.study import Analyst, Card, Count, FreeText, OneOfMany, Study, YesNo
from sfumato.study.planning import plan_study

ROWS = 600
OCCUPATIONS = ("student", "farming", "white-collar", "teacher")
ANSWERS = pa.table(
    {
        "affair": ["yes" if i % 3 == 0 else "no" for i in range(ROWS)],
        "drugs": ["yes" if i % 10 == 0 else "no" for i in range(ROWS)],
        "occupation": [OCCUPATIONS[i % 7 % 4] for i in range(ROWS)],
        "children": [i % 5 for i in range(ROWS)],
        "town": ["A" if i % 2 else "B" for i in range(ROWS)],
        "region": ["north" if i % 4 else "south" for i in range(ROWS)],
    }
)
STUDY = Study(
    name="Marriage survey",
    questions=(
        YesNo(id="affair", text="Have you had an affair?"),
        Card(id="drugs", text="Have you taken drugs?", guess_error=Fraction(3, 8), faces=8),
        OneOfMany(id="occupation", text="What is your occupation?", answers=OCCUPATIONS),
        Count(id="children", text="How many children do you have?", highest=6, points=4),
        FreeText(id="town", text="Where do you live?", longest=1),
    ),
    population=ROWS,
    analysts=(Analyst(name="ministry", epsilon=Fraction(2)), Analyst(name="university", epsilon=Fraction(1))),
    public_epsilon=Fraction(1, 2),
    recover=True,
    ledger="people.ledger",
)


@cache
def sample_plan(study=STUDY):
    return plan_study(study)


@cache
def sample_files(*, is_secure=True, study=STUDY, epoch=0):
    """The public reports, and what university and ministry see, of the questions they have keys for."""
    bits = None if is_secure else InsecureSeeded(1)
    published = drawn_part(study, ANSWERS, bits=bits, keep=["region"], epoch=epoch)
    levels = {1: "ministry", 2: "university"}
    opened = {
        name: open_table(published.reports, [keys[level] for keys in published.keys.values() if level in keys])
        for level, name in levels.items()
    }
    return published.reports, opened["university"], opened["ministry"]
