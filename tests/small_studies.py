"""One study with every kind of question, and answers to it."""

from fractions import Fraction

import pyarrow as pa

from sfumato.study import Analyst, Card, Count, OneOfMany, Study, YesNo

PLACES = ("north", "south", "east", "west", "prefer not to answer")

LADDERS = ("moved", "place", "rooms")


def small_study(**changes):
    values = {
        "name": "Homes",
        "population": 600,
        "questions": (
            YesNo(id="moved", text="Did you move?"),
            OneOfMany(id="place", text="Where do you live?", answers=PLACES),
            Count(id="rooms", text="How many rooms?", highest=6, points=4),
            Card(id="debt", text="Are you in debt?", guess_error=Fraction(3, 8)),
        ),
        "analysts": (
            Analyst(name="ministry", epsilon=Fraction(3)),
            Analyst(name="press", epsilon=Fraction(1)),
        ),
        "public_epsilon": Fraction(1, 2),
        "recover": True,
    }
    return Study(**{**values, **changes})


def answers(rows=600):
    return pa.table(
        {
            "moved": ["yes" if i % 3 == 0 else "no" for i in range(rows)],
            "place": [PLACES[(i * i) % 5] for i in range(rows)],
            "rooms": [i % 7 for i in range(rows)],
            "debt": ["yes" if i % 10 == 0 else "no" for i in range(rows)],
            "region": ["hill" if i < rows // 2 else "coast" for i in range(rows)],
        }
    )


def keys_at(publication, level, questions=LADDERS):
    """The keys of a level; with the registrar's those of sealed answers."""
    sealed = [name for name in publication.keys if level == 0 and name.removesuffix("_sealed") in questions]
    return [publication.keys[name][level] for name in dict.fromkeys([*questions, *sealed])]
