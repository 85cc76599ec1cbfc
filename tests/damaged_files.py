"""Writing files for the tests of readers, and damaging them."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

NASTY = [
    b"nan",
    b"-",
    b"1e999999999",
    b"9" * 5000,
    b"/0",
    b"\0",
    b"[" * 3000,
    b"a." * 500,
    b"'''",
]


def write_table(folder, extension, content, *, stem="table"):
    """Write bytes, text, something for JSON, or columns for Parquet, by extension."""
    path = folder / f"{stem}.{extension}"
    if extension == "parquet":
        pq.write_table(pa.table(content), path)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


@st.composite
def mutations(draw, originals):
    """A valid file with a few bytes flipped, put in, taken out or repeated."""
    data = bytearray(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(len(data) - 1, 0)))
        kind = draw(st.sampled_from(["flip", "insert", "delete", "repeat", "nasty"]))
        if kind == "flip" and data:
            data[place] ^= draw(st.integers(1, 255))
        elif kind == "insert":
            data[place:place] = draw(st.binary(min_size=1, max_size=3))
        elif kind == "delete":
            del data[place : place + draw(st.integers(1, 9))]
        elif kind == "repeat":
            data[place:place] = data[place : place + draw(st.integers(1, 30))]
        else:
            data[place:place] = draw(st.sampled_from(NASTY))
    return bytes(data)
