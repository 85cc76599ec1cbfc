"""An attacker who holds everything that a server leaves behind, and wants to know which token sent which report.

They have the database with what it hides (`xmin`, the order on its pages), its write-ahead log to the last byte, and
all logs. Each strategy names a report for each token; how many are right is the game.
"""

import base64
import re
import sqlite3
from bisect import bisect_right
from collections import defaultdict
from contextlib import closing

import numpy as np
import psycopg


class Evidence:
    """What was found: spent tokens and reports as rows of bytes, when each was written, and texts."""

    def __init__(self, tokens, reports, write_ahead, logs):
        self.tokens, self.reports = tokens, reports
        self.write_ahead, self.logs = write_ahead, logs


def of_sqlite(path, logs):
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as found:
        tokens = [tuple(row) for row in found.execute("SELECT token, blinded, signature FROM tokens")]
        reports = [tuple(row) for row in found.execute("SELECT id, credential, row, shares FROM reports")]
    log = path.with_name(f"{path.name}-wal").read_bytes()
    return Evidence(_plain(tokens), _plain(reports), log, logs)


def of_postgres(url, folder, logs, since=""):
    """Of a cluster that others used before, `since` is the file of its log in which this database began."""
    with psycopg.connect(url) as found:
        tokens = found.execute("SELECT xmin::text::bigint, token, blinded, signature FROM tokens").fetchall()
        reports = found.execute("SELECT xmin::text::bigint, id, credential, row, shares FROM reports").fetchall()
        found.execute("SELECT pg_switch_wal()")
    files = sorted(path for path in (folder / "data" / "pg_wal").glob("0*") if path.name >= since)
    written = b"".join(_records(path.read_bytes()) for path in files)
    logs = logs + (folder / "log").read_text()
    return Evidence([(row[0], row[1:]) for row in tokens], [(row[0], row[1:]) for row in reports], written, logs)


def _records(segment):
    """A file of the log without the heads of its pages, which cut through records: 24 bytes each, of the first 40."""
    return b"".join(segment[start + (24 if start else 40) : start + 8192] for start in range(0, len(segment), 8192))


def _plain(rows):
    return [(None, row) for row in rows]


def strategies(evidence):
    """Every way that the attacker knows; each gives the id of a report for some tokens."""
    yield "the same transaction", _same_transaction(evidence)
    yield "the same order of transactions", _in_order(evidence, lambda one: one[0])
    places = _places(evidence)
    yield "the same order in the write-ahead log", _in_order(evidence, places.get_place)
    yield "next to each other in the write-ahead log", _neighbours(evidence, places)
    yield "the same place in the tables", _in_order(evidence, lambda _: 0)
    yield "the same bytes", _same_bytes(evidence)
    yield "the same line of a log", _same_line(evidence)


def _key(one):
    return one[1][0]


def _same_transaction(evidence):
    by_transaction = defaultdict(list)
    for one in evidence.reports:
        by_transaction[one[0]].append(_key(one))
    return {
        _key(one): by_transaction[one[0]][0] for one in evidence.tokens if one[0] is not None and by_transaction[one[0]]
    }


def _in_order(evidence, place):
    if any(place(one) is None for one in (*evidence.tokens, *evidence.reports)):
        return {}
    tokens, reports = (sorted(rows, key=place) for rows in (evidence.tokens, evidence.reports))
    return {_key(token): _key(report) for token, report in zip(tokens, reports, strict=False)}


class _places:  # noqa: N801  a table that is asked like a function
    """Where in the write-ahead log a row was first written: of a token, where it was spent."""

    def __init__(self, evidence):
        wanted = {one[1][1] for one in evidence.tokens} | {_key(one) for one in evidence.reports}
        self._found = {}
        data = evidence.write_ahead
        # All values are hashes of 32 bytes: find them by their first four, which hardly ever occur by chance.
        heads = {int.from_bytes(value[:4], "little"): value for value in wanted}
        known = np.array(sorted(heads), dtype=np.uint32)
        begins = np.zeros(1 << 16, dtype=bool)  # what two bytes do not rule out is looked at again: sorting takes long
        begins[known & 0xFFFF] = True
        offsets = []
        for shift in range(4):
            words = np.frombuffer(data, np.uint32, (len(data) - shift) // 4, shift)
            maybe = np.flatnonzero(begins[words & 0xFFFF])
            offsets += (4 * maybe[np.isin(words[maybe], known)] + shift).tolist()
        for place in sorted(offsets):
            value = heads[int.from_bytes(data[place : place + 4], "little")]
            if value not in self._found and data[place : place + 32] == value:
                self._found[value] = place
        self._tokens = {one[1][0]: one[1][1] for one in evidence.tokens}

    def get_place(self, one):
        return self._found.get(self._tokens.get(_key(one), _key(one)))


def _neighbours(evidence, places):
    reports = sorted((places.get_place(one) or 0, _key(one)) for one in evidence.reports)
    offsets = [offset for offset, _ in reports]
    found = {}
    for one in evidence.tokens:
        after = bisect_right(offsets, places.get_place(one) or 0)
        if after < len(reports):
            found[_key(one)] = reports[after][1]
    return found


def _same_bytes(evidence):
    """Eight bytes of a token's row that stand in a report's row as well."""
    pieces = {}
    for one in evidence.reports:
        for value in one[1]:
            for start in range(max(len(value) - 7, 0)):
                pieces.setdefault(value[start : start + 8], _key(one))
    found = {}
    for one in evidence.tokens:
        for value in one[1]:
            for start in range(len(value) - 7):
                report = pieces.get(value[start : start + 8])
                if report is not None:
                    found[_key(one)] = report
    return found


def _same_line(evidence):
    """Lines of logs that name a token and a report, as hex or base64."""
    if not evidence.logs:
        return {}

    def spelled(value):
        return value.hex(), base64.b64encode(value).decode()

    named = {text: _key(one) for one in evidence.reports for value in one[1][:2] for text in spelled(value)}
    tokens = {text: _key(one) for one in evidence.tokens for value in one[1][:2] for text in spelled(value)}
    found = {}
    for line in evidence.logs.splitlines():
        words = set(re.findall(r"[0-9A-Za-z+/=]{43,}", line))
        for token in words & set(tokens):
            for report in words & set(named):
                found[tokens[token]] = named[report]
    return found


def in_time(evidence):
    """All that was written, in the order of writing: tokens that were spent, and reports, by their names."""
    tokens, reports = evidence.tokens, evidence.reports
    place = (lambda one: one[0]) if tokens[0][0] is not None else _places(evidence).get_place
    found = [(place(one), "token", _key(one)) for one in tokens]
    found += [(place(one), "report", _key(one)) for one in reports]
    return [(what, name) for _, what, name in sorted(found)]


def last_before(events):
    """Name for each report the token that was spent last before it: nobody who goes by order or time does better."""
    last, found = None, {}
    for what, name in events:
        if what == "token":
            last = name
        else:
            found[name] = last
    return found


def won(evidence, truth):
    """How many tokens each strategy links to their report."""
    return {
        name: sum(truth.get(token) == report for token, report in guess.items()) for name, guess in strategies(evidence)
    }
