"""False certificates under fresh seals: a number moved, a word changed, a claim gone. The subject stays as it is."""

import copy
import re
from fractions import Fraction

import msgspec

from fresh_seals import reseal

LEAST_MOVE = 1e-11
TEXTS = ("measure", "relation", "unit", "status", "because", "sentence")


def mutated(draw, certificate):
    """Return the bytes of a false certificate, and what was done to it in a few words."""
    document = msgspec.json.decode(certificate.to_json())
    before = copy.deepcopy(document)
    while document == before:
        said = draw.choice(MUTATIONS)(draw, document)
    return reseal(document), said


def moved(draw, number):
    """A number moved by at least a hundredth of a billionth, rounding included."""
    far = draw.choice([-1, 1]) * LEAST_MOVE * 10 ** draw.uniform(0.01, 9)
    return number + far if abs(number + far - number) >= LEAST_MOVE else number


def move_value(draw, document):
    claim = draw.choice(document["claims"])
    value = claim["value"]
    if isinstance(value, dict):
        end = draw.choice(["lower", "upper"])
        value[end] = moved(draw, value[end])
    elif value == "inf":
        claim["value"] = str(draw.randint(1, 10**6))
    elif draw.random() < 0.1:
        claim["value"] = "inf"
    else:
        near = draw.choice([Fraction(1, 10**11), Fraction(1, 1000), Fraction(1)]) * draw.choice([-1, 1])
        claim["value"] = str(Fraction(value) + near)
    return f"value of {claim['measure']}"


def move_both_ends(draw, document):
    claim = draw.choice(document["claims"])
    if isinstance(claim["value"], dict):
        far = draw.choice([-1, 1]) * LEAST_MOVE * 10 ** draw.uniform(0.01, 9)
        claim["value"] = {end: number + far for end, number in claim["value"].items()}
    return f"both ends of {claim['measure']}"


def move_witness(draw, document):
    claim = draw.choice(document["claims"])
    witness = claim.get("witness")
    if witness:
        place = draw.randrange(len(witness))
        witness[place] = moved(draw, witness[place])
    return f"witness of {claim['measure']}"


def change_word(draw, document):
    claim = draw.choice(document["claims"])
    where = draw.choice(TEXTS)
    claim[where] = changed_word(draw, claim[where])
    return f"{where} of {claim['measure'][:40]}"


def change_note(draw, document):
    notes = document["notes"]
    if notes and draw.random() < 0.8:
        place = draw.randrange(len(notes))
        notes[place] = changed_word(draw, notes[place])
    elif notes and draw.random() < 0.5:
        notes.pop()
    else:
        notes.append("This tells nothing at all.")
    return "the notes"


def change_source(draw, document):
    sources = document["sources"]
    if sources:
        key = draw.choice(sorted(sources))
        field = draw.choice(["authors", "title", "venue"])
        sources[key][field] = changed_word(draw, sources[key][field])
    return "the sources"


def change_claims(draw, document):
    claims = document["claims"]
    place = draw.randrange(len(claims))
    what = draw.choice(["gone", "twice", "swapped", "confident", "witnessed"])
    if what == "gone":
        claims.pop(place)
    elif what == "twice":
        claims.insert(place, copy.deepcopy(claims[place]))
    elif what == "swapped":
        claims[place], claims[place - 1] = claims[place - 1], claims[place]
    elif what == "confident":
        claims[place]["confidence"] = 0.99
    elif "witness" not in claims[place]:
        claims[place]["witness"] = [0.5, 0.5]
    return f"a claim {what}"


def changed_word(draw, text):
    """One word, number or mark of a text replaced, left out or doubled."""
    words = re.findall(r"[\w.]+|[^\w\s]", text)
    word = draw.choice(words)
    others = ["", f"{word} {word}", "no", "0", "at least", word.upper() if word.upper() != word else "not"]
    start = draw.choice([found.start() for found in re.finditer(re.escape(word), text)])
    return text[:start] + draw.choice(others) + text[start + len(word) :]


MUTATIONS = (
    move_value, move_value, move_value, move_both_ends, move_witness, change_word, change_word, change_word,
    change_note, change_source, change_claims,
)  # fmt: skip
