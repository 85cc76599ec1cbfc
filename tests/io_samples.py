"""Channels, priors and samples in every format, how they are read, and what must be so of what was read."""

import io
import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.certificates import SampleCounts, read_samples
from sfumato.prob import Channel, Circulant, Distribution, read_any_channel, read_prior


def parquet(columns, **options):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, **options)
    return sink.getvalue()


VALID = {
    ("channel", "csv"): [
        b"x,a,b\nyes,1/3,2/3\nno,1,0\n",
        b"0.1,0.9\n1e-3,0.999\n",
        b'float64;"a;b";"c ""d"""\n0;0.5;0.5\n',
        "\ufeffx\tä\t€\nß\t.5\t5e-1\n".encode(),
    ],
    ("channel", "json"): [
        b'{"schema":"sfumato/channel/1", "inputs":["y", 3], "outputs": [["a", 1], "b"], "rows": [[0.5, "1/2"], [1,0]]}',
        b'{"schema":"sfumato/channel/1","kind":"circulant","size":7,"support":[1,2,4],"odds":"3/1","input_count":5}',
        b'{"schema":"sfumato/channel/1","kind":"circulant","numbers":"float64","law":[0.25,0.75]}',
        b"[[0.1, 0.9], [1e-3, 999e-3]]",
    ],
    ("channel", "parquet"): [
        parquet({"input": ["yes", "no"], "a": ["1/3", "1/2"], "b": ["2/3", "1/2"]}, compression="none"),
        parquet({"input": [1, 2, 3], "a": [0.25, 0.5, 1.0], "b": [0.75, 0.5, 0.0]}),
        parquet({"a": pa.array(["0.25"] * 9).cast(pa.decimal128(5, 3)), "b": ["3/4"] * 9}, compression="zstd"),
        parquet({"a": [0.5, 1.0], "b": [0.5, 0.0]}, write_page_checksum=True, use_dictionary=False),
    ],
    ("prior", "csv"): [b"yes,0.2\nno,0.8\n", b"0.2;0.8", b"p\n1/3\n2/3\n"],
    ("prior", "json"): [
        b'{"yes": 0.2, "no": "4/5"}',
        b'["1/3", "2/3"]',
        b'{"schema": "sfumato/prior/1", "labels": ["a", 2], "probabilities": [0.5, 0.5]}',
    ],
    ("prior", "parquet"): [
        parquet({"input": ["yes", "no"], "probability": [0.25, 0.75]}),
        parquet({"probability": ["1/3", "2/3"]}, compression="none"),
    ],
    ("samples", "csv"): [b"input,output\nyes,a\nno,b\n", b'count;input;output\n3;"y\n";a\n0;n;b\n'],
    ("samples", "json"): [
        b'[{"input": "yes", "output": 3, "count": 1}, {"input": "no", "output": ["a"], "count": 7}]',
        b'{"schema": "sfumato/samples/1", "input": ["a", "b"], "output": [1, 2], "count": [3, 4]}',
    ],
    ("samples", "parquet"): [
        parquet({"input": ["yes", "no"] * 20, "output": [1, 2] * 20}),
        parquet({"input": ["yes", "no"], "output": ["a", "b"], "count": [3, 4]}, compression="none"),
    ],
}


def read_counted(path):
    return read_samples(path, count="count" if b"count" in path.read_bytes() else None)


READERS = {"channel": read_any_channel, "prior": read_prior, "samples": read_counted}


def assert_law(law):
    assert all(value >= 0 for value in law)
    total = math.fsum(law)
    assert abs(total - 1) <= 1e-9
    assert not isinstance(law[0], Fraction) or sum(law) == 1


def assert_valid(found):
    if isinstance(found, Channel):
        assert found.shape == (len(set(found.inputs)), len(set(found.outputs)))
        for row in found.rows:
            assert_law(row)
    elif isinstance(found, Circulant):  # of which a line can declare millions of entries
        counts = np.bincount(found.codes).tolist()
        assert min(found.levels) >= 0
        assert abs(sum(level * count for level, count in zip(found.levels, counts, strict=True)) - 1) <= 1e-9
    elif isinstance(found, Distribution):
        assert len(set(found.labels)) == len(found)
        assert_law(found.probabilities)
    else:
        assert isinstance(found, SampleCounts)
        assert found.total > 0
