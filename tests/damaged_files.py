"""Writing files for the tests of readers, and damaging them."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from fuzz.mutations import mutated


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


def mutations(originals):
    """Real files with a few bytes, numbers or lines changed, as Hypothesis draws them."""
    return st.builds(mutated, st.randoms(use_true_random=False), st.just(originals))
