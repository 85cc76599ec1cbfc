"""Keys split, merged, rotated and made in pairs: all of them or none, and nothing written over."""

import sfumato as sf
from cli.twice.cases import Case, both
from cli.twice.publishing import ROWS, published, without_ledger
from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.keys.protection import Unprotected
from sfumato.workflows.key_files import make_key_pair, merge_key_files, rotate_key_file, split_key_file

OPEN_KEYS = {"protection": Unprotected()}
KEY = "keys/ministry.place.key"
SPLIT = f"keys split {KEY} --at 2 --out parts --unprotected"


def unpaid(folder):
    published(folder, without_ledger)


def seeded(folder):
    """A publication whose keys come from seeds, which can be rotated."""
    unpaid(folder)
    given = {"out": folder / "other.parquet", "keys": folder / "seeds", "protection": Unprotected(), "again": "seeds"}
    sf.publish(folder / "study.toml", folder / "answers.csv", guarantee="computational", **given)


def split(folder):
    unpaid(folder)
    split_key_file(folder / KEY, [2], folder / "parts", **OPEN_KEYS)


def split_of(at, out="parts"):
    return lambda: split_key_file(KEY, at, out, **OPEN_KEYS)


def merge_of(*names, out="all.key"):
    return lambda: merge_key_files([f"parts/{name}" for name in names], out, **OPEN_KEYS)


def rotate_of(key, out="next/ministry.place.key"):
    return lambda: rotate_key_file(key, out, **OPEN_KEYS)


def holding(path):
    def make(folder):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("held")

    return make


PARTS = ("ministry.place.0-1.key", f"ministry.place.2-{ROWS - 1}.key")
MERGE = f"keys merge parts/{PARTS[0]} parts/{PARTS[1]} -o all.key --unprotected"
ROTATE = "keys rotate seeds/ministry.place.key -o next/ministry.place.key --unprotected"
KEEPING = [
    Case(
        name="split",
        prepare=unpaid, command=SPLIT, call=split_of([2]), makes=("parts/", *(f"parts/{name}" for name in PARTS)),
    ),
    Case(
        name="split where a part lies already",
        prepare=both(unpaid, holding(f"parts/{PARTS[1]}")), command=SPLIT, call=split_of([2]),
        refusal=InvalidParameter, words="exists already",
    ),
    Case(
        name="split outside the rows",
        prepare=unpaid, command=SPLIT.replace("--at 2", "--at 4000"), call=split_of([4000]), refusal=InvalidParameter,
    ),
    Case(
        name="split into a file",
        prepare=both(unpaid, holding("parts")), command=SPLIT, call=split_of([2]), refusal=InvalidParameter,
    ),
    Case(name="merge", prepare=split, command=MERGE, call=merge_of(*PARTS), makes=("all.key",)),
    Case(
        name="merge the same part twice",
        prepare=split, command=MERGE.replace(PARTS[1], PARTS[0]), call=merge_of(PARTS[0], PARTS[0]),
        refusal=KeyRefused,
    ),
    Case(
        name="merge over a file",
        prepare=both(split, holding("all.key")), command=MERGE, call=merge_of(*PARTS), refusal=InvalidParameter,
        words="exists already",
    ),
    Case(
        name="merge into a folder that is not there",
        prepare=split, command=MERGE.replace("all.key", "no/all.key"), call=merge_of(*PARTS, out="no/all.key"),
        refusal=InvalidParameter, words="lies in a folder that does not exist",
    ),
    Case(
        name="rotate",
        prepare=seeded, command=ROTATE, call=rotate_of("seeds/ministry.place.key"),
        makes=("next/", "next/ministry.place.key"),
    ),
    Case(
        name="rotate true draws",
        prepare=unpaid, command=ROTATE.replace("seeds", "keys"), call=rotate_of(KEY), refusal=KeyRefused,
    ),
    Case(
        name="rotate over a key",
        prepare=both(seeded, holding("next/ministry.place.key")), command=ROTATE,
        call=rotate_of("seeds/ministry.place.key"), refusal=InvalidParameter, words="exists already",
    ),
    Case(
        name="a pair",
        prepare=unpaid, command="keys pair --out own.private", call=lambda: make_key_pair("own.private"),
        makes=("own.private", "own.private.pub"),
    ),
    Case(
        name="a pair over a key",
        prepare=both(unpaid, holding("own.private")), command="keys pair --out own.private",
        call=lambda: make_key_pair("own.private"), refusal=InvalidParameter, words="exists already",
    ),
    Case(
        name="a pair whose public half is there",
        prepare=both(unpaid, holding("own.private.pub")), command="keys pair --out own.private",
        call=lambda: make_key_pair("own.private"), refusal=InvalidParameter, words="exists already",
    ),
]  # fmt: skip
