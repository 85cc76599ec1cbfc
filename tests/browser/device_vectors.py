"""Vectors that hold for every client that draws on a device: made by the samplers that draw every part.

`python -m browser.device_vectors`, from `tests/`, writes them anew; a test says whether they are those of the code.
"""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import numpy as np

from plain_integers import WORDS, Reader, coin, uniform_below
from sfumato.errors import SourceFailed
from sfumato.ladders.groups import FlipMask
from sfumato.ladders.steps import TwoLevelShift, set_document
from sfumato.sampling import Categorical, Coin, ScriptedBits, UniformBelow
from sfumato.sampling.rows import AnyRows
from sfumato.study.collection import form_document

FOLDER = Path(__file__).parents[1] / "vectors" / "device"
MADE_BY = "Python's samplers, by tests/browser/device_vectors.py"

# What is drawn from every script of so many words at a small width: sampler, parameters, width, words.
SMALL = [
    *({"kind": "coin", "chance": chance, "width": 4, "words": 1} for chance in ("0", "1", "3/8", "1/3", "15/16")),
    *({"kind": "coin", "chance": chance, "width": 3, "words": 3} for chance in ("1/3", "5/7", "99/100", "1/1000")),
    *({"kind": "below", "bound": bound, "width": 4, "words": 1} for bound in (1, 2, 3, 5, 7, 11, 16)),
    *({"kind": "below", "bound": bound, "width": 3, "words": 2} for bound in (3, 5, 6)),
    *({"kind": "categorical", "counts": c, "width": 4, "words": 1} for c in ((1, 2, 3), (0, 5, 1, 0, 10), (1, 1, 11))),
    {"kind": "shift", "modulus": 7, "members": (1, 2, 4), "inside": "3/4", "width": 3, "words": 3},
    {"kind": "shift", "modulus": 7, "members": (0, 1, 3), "inside": "5/9", "width": 3, "words": 3},
    {"kind": "shift", "modulus": 3, "members": (0,), "inside": "2/3", "width": 3, "words": 3},
    {"kind": "shift", "modulus": 5, "members": (0, 1), "inside": "7/8", "width": 3, "words": 2},
    {"kind": "shift", "modulus": 2, "members": (0,), "inside": "5/7", "width": 4, "words": 2},
    {"kind": "mask", "length": 1, "chance": "3/8", "width": 3, "words": 1},
    {"kind": "mask", "length": 2, "chance": "1/3", "width": 2, "words": 4},
    {"kind": "mask", "length": 3, "chance": "1/4", "width": 2, "words": 3},
]
# The same at 64 bits, where not every word can be tried: borders of outcomes and of rejection, and both ends.
CHANCES = (
    "1/3",
    "31735754293/40325688885",
    "494355678215405188031/654540333212729226175",
    f"1/{WORDS}",
    f"5/{3 * WORDS}",
)
BOUNDS = (2, 3, 7, 57, 87_381, (1 << 63) + 1, WORDS - 1, WORDS)
COUNTS = ((34, 56, 10), (1, 0, WORDS - 7))
SHIFTS = ((57, (0, 1, 3, 13, 32, 36, 43, 52), "86266724207/112573398895"), (7, (0, 1, 2), "258800172621/275980041805"))


def sampler_of(case):
    """The sampler of production that a case is about, as a function of a source."""
    rows, one = np.arange(1), case
    if one["kind"] == "coin":
        return lambda bits: Coin(chance=Fraction(one["chance"]), width=one["width"]).sample_rows(AnyRows(bits), rows)
    if one["kind"] == "below":
        return lambda bits: UniformBelow(bound=one["bound"], width=one["width"]).draw(bits, 1)
    if one["kind"] == "categorical":
        return lambda bits: Categorical(counts=tuple(one["counts"]), width=one["width"]).sample(bits, 1)
    if one["kind"] == "mask":
        made = FlipMask(length=one["length"], chance=Fraction(one["chance"]), width=one["width"])
    else:
        made = TwoLevelShift(
            modulus=one["modulus"],
            favoured=np.array(one["members"]),
            inside=Fraction(one["inside"]),
            width=one["width"],
        )
    return lambda bits: made.draw_rows(AnyRows(bits), 1)


def scripts_of(case):
    """All scripts of a small case, in order."""
    return [list(script) for script in itertools.product(range(1 << case["width"]), repeat=case["words"])]


def drawn(case, script):
    """The outcome and how many words it took; None where the script ends first."""
    bits = ScriptedBits(script)
    try:
        (outcome,) = sampler_of(case)(bits).tolist()
    except SourceFailed:
        return None
    return [str(outcome), len(script) - bits.left]


def plain_draw(case, script):
    """The same from plain integers, at 64 bits."""
    reader = Reader(script)
    kind = case["kind"]
    if kind == "coin":
        (outcome,) = coin(reader, Fraction(case["chance"]), 1)
    elif kind == "below":
        (outcome,) = uniform_below(reader, case["bound"], 1)
    elif kind == "categorical":
        (number,) = uniform_below(reader, sum(case["counts"]), 1)
        outcome = next(i for i, end in enumerate(itertools.accumulate(case["counts"])) if number < end)
    else:
        inside, others = case["members"], [r for r in range(case["modulus"]) if r not in case["members"]]
        (outside,) = coin(reader, 1 - Fraction(case["inside"]), 1)
        side = others if outside else inside
        outcome = side[uniform_below(reader, len(side), 1)[0]] if len(side) > 1 else side[0]
    return [str(outcome), reader.used]


def around(*numbers):
    return sorted({n + i for n in numbers for i in (-1, 0, 1) if 0 <= n + i < WORDS} | {0, WORDS - 1})


def wide_cases():
    """Cases at 64 bits with the scripts that are tried."""
    calm = [5, 7, 11, 13]
    for chance in CHANCES:
        border, rest = divmod(Fraction(chance) * WORDS, 1)
        second = int(rest * WORDS)
        scripts = [[word, *calm] for word in around(int(border))]
        scripts += [[int(border), word, *calm] for word in around(second)] if rest else []
        yield {"kind": "coin", "chance": chance, "width": 64}, scripts
    for bound in BOUNDS:
        last = WORDS - WORDS % bound - 1
        yield {"kind": "below", "bound": bound, "width": 64}, [[word, *calm] for word in around(last, bound)]
    for counts in COUNTS:
        total = sum(counts)
        words = around(*itertools.accumulate(counts), WORDS - WORDS % total - 1)
        yield {"kind": "categorical", "counts": counts, "width": 64}, [[word, *calm] for word in words]
    for modulus, members, inside in SHIFTS:
        border = int((1 - Fraction(inside)) * WORDS)
        sizes = (len(members), modulus - len(members))
        places = around(*(WORDS - WORDS % size - 1 for size in sizes))
        scripts = [[word, place, *calm] for word in around(border) for place in places]
        yield {"kind": "shift", "modulus": modulus, "members": members, "inside": inside, "width": 64}, scripts


def spelled(case):
    """A case as a client reads it: sets as forms have them, and large numbers as text."""
    found = {name: value for name, value in case.items() if name != "members"}
    if "members" in case:
        found["favoured"] = set_document(np.array(case["members"]), case["modulus"])
    for name in ("bound", "counts"):
        if name in found:
            found[name] = str(found[name]) if name == "bound" else [str(count) for count in found[name]]
    return found


def sampler_vectors():
    small = [{**spelled(one), "drawn": [drawn(one, script) for script in scripts_of(one)]} for one in SMALL]
    wide = [
        {
            **spelled(one),
            "scripts": [list(map(str, script)) for script in scripts],
            "drawn": [plain_draw(one, script) for script in scripts],
        }
        for one, scripts in wide_cases()
    ]
    return {"made_by": MADE_BY, "small": small, "wide": wide}


def form_vectors():
    """The form of every kind that can be collected, with an answer to it."""
    from study.test_forms import COLLECTED, collected

    kinds = [
        {"name": one.name, "answers": list(one.tenths), "form": form_document(collected(one.study))}
        for one in COLLECTED
    ]
    return {"made_by": MADE_BY, "kinds": kinds}


FILES = {"samplers.json": sampler_vectors, "forms.json": form_vectors}


def text_of(vectors):
    """Vectors as they stand in a file: a line for each part."""
    parts = [f" {json.dumps(name)}: {_lines(value)}" for name, value in vectors.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(value):
    return (
        "[\n" + ",\n".join(f"  {json.dumps(one)}" for one in value) + "\n ]"
        if isinstance(value, list)
        else json.dumps(value)
    )


if __name__ == "__main__":
    for name, make in FILES.items():
        (FOLDER / name).write_text(text_of(make()))
