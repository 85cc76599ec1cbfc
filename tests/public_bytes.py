"""Everything that published files hold, as bytes that can be searched: Parquet pages decompressed, archives open."""

import io
import itertools
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.files.parquet import ParquetContent


def blobs(*places):
    """Return the contents of files, and of all files in folders, piece by piece; their names are contents as well.

    Of Parquet the pages are pieces, and each column as it is read, in the order of its rows.
    """
    found = []
    for place in map(Path, places):
        for path in sorted(place.rglob("*")) if place.is_dir() else [place, *_beside(place)]:
            found.append(path.name.encode())
            if path.is_file():
                found += _contents(path)
    return found


def blobs_of_table(table):
    """Return what a table in memory hands to whoever it is given to."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return [sink.getvalue()]


def holds(found, word):
    return any(word.encode() in blob for blob in found)


def most_in_order(found, words):
    """Return how many of the words are followed by the next one, in the piece where that is most often so."""
    return max(_followed(blob, words) for blob in found)


def _followed(blob, words):
    places = {word: at for word in words if (at := blob.find(word.encode())) >= 0}
    order = sorted(places, key=places.__getitem__)
    known = {word: number for number, word in enumerate(words)}
    return sum(known[second] == known[first] + 1 for first, second in itertools.pairwise(order))


def _beside(path):
    return sorted(path.parent.glob(f"{path.name}.*"))


def _contents(path):
    data = path.read_bytes()
    yield data
    if path.suffix == ".parquet":
        yield from (page.content for page in ParquetContent(path).pages())
        yield from (str(column.to_pylist()).encode() for column in pq.read_table(path).columns)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            yield from (archive.read(name) for name in archive.namelist())
