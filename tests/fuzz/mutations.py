"""What is done to real files: bytes, numbers and structure changed, and seals made again where there are any.

Everything is chosen by a `random.Random` that the caller seeds, so a case can be had again.
"""

import contextlib
import copy
import hashlib
import json
import re
import sqlite3

import msgspec

DEEP = 900
NASTY = [
    b"nan",
    b"-",
    b"1e999999999",
    b"9" * 5000,
    b"/0",
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"\x1b[2J",
    b"[" * 3000,
    b"a." * 500,
    b"'''",
]
NUMBERS = [
    *(b"0", b"-0", b"-0.0", b"-1", b"1", b"2", b"0.5", b"1/3", b"1/0", b"-1/2", b"1e308", b"1e-308"),
    *(b"1e400", b"5e-324"),
    *(b"NaN", b"Infinity", b"65", b"1000", b"20000", b"1000003", b"123456789", b"2147483647", b"2147483648"),
    *(str(number).encode() for number in (2**31 + 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), 10**30)),
    b"9" * 400,
    b"0." + b"0" * 300 + b"1",
]  # fmt: skip
_NUMBER = re.compile(rb"-?[0-9]+(?:[./][0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SEAL = re.compile(rb'"digest": "sha256:([0-9a-f]{64})"')


def mutated(dice, originals):
    """Return a real file with a few bytes, numbers or lines changed."""
    data = bytearray(dice.choice(originals))
    for _ in range(dice.choice((1, 1, 1, 2, 2, 3, 4))):
        data = dice.choice(_STEPS)(dice, data, originals)
    return bytes(data)


def _flip_bit(dice, data, _):
    if data:
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return data


def _flip_byte(dice, data, _):
    if data:
        data[dice.randrange(len(data))] ^= dice.randint(1, 255)
    return data


def _insert(dice, data, _):
    place = dice.randint(0, len(data))
    data[place:place] = dice.randbytes(dice.randint(1, 3))
    return data


def _delete(dice, data, _):
    place = dice.randint(0, len(data))
    del data[place : place + dice.choice((1, 1, 2, 9, 60))]
    return data


def _repeat(dice, data, _):
    place = dice.randint(0, len(data))
    data[place:place] = data[place : place + dice.randint(1, 30)] * dice.choice((1, 1, 1, 2, 200))
    return data


def _nasty(dice, data, _):
    place = dice.randint(0, len(data))
    data[place:place] = dice.choice(NASTY)
    return data


def _truncate(dice, data, _):
    return data[: dice.randint(0, len(data))] if dice.random() < 0.7 else data[dice.randint(0, len(data)) :]


def _splice(dice, data, originals):
    other = dice.choice(originals)
    here, there = dice.randint(0, len(data)), dice.randint(0, len(other))
    return data[:here] + bytearray(other[there:])


def _number(dice, data, _):
    """Blow a number up, or put another in its place."""
    found = list(_NUMBER.finditer(data)) if len(data) < 100_000 else []
    if found:
        start, end = dice.choice(found).span()
        data[start:end] = dice.choice(NUMBERS)
    return data


def _line(dice, data, _):
    lines = data.split(b"\n")
    place = dice.randrange(len(lines))
    lines[place : place + 1] = dice.choice(([], [lines[place]] * 2, [b""], lines[place : place + 2][::-1]))
    return bytearray(b"\n".join(lines))


def _nest(dice, data, _):
    """Put what stands between two marks into many lists."""
    place = dice.randint(0, len(data))
    end = min(len(data), place + dice.randint(0, 12))
    opening, closing = dice.choice(((b"[", b"]"), (b'{"a":', b"}")))
    data[place:end] = opening * DEEP + data[place:end] + closing * DEEP
    return data


_STEPS = (
    _flip_bit, _flip_byte, _flip_byte, _insert, _delete, _repeat, _nasty, _truncate, _splice, _number, _number, _number,
    _line, _nest,
)  # fmt: skip


# Values that JSON can hold and a program may not expect; a text between marks is written as it is, without quotes.
_RAW = re.compile(rb'"<raw ([^>]*)>"')
VALUES = [
    None, True, False, [], {}, "", "x", "\x1b[2J", "ä€", "1/0", "-1/3", "inf", "nan", "1e999999999", "9" * 5000, [[]],
    [None], [0], ["x"], {"x": 1}, 0, -1, 1, 2, 3, 64, 1000, 65536, 10**7, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**30,
    0.5, -0.0, 1e308, 5e-324, "<raw nested>", "<raw 1e400>", "<raw 9999>", "<raw NaN>", "<raw long>",
]  # fmt: skip


def mutated_document(dice, document, others=()):
    """Return a document with one or two of its parts replaced, left out, doubled or exchanged."""
    document = copy.deepcopy(document)
    for _ in range(dice.choice((1, 1, 1, 2))):
        places = list(_places(document))
        if not places:
            return dice.choice(VALUES)
        holder, key = dice.choice(places)
        what = dice.choice(("value", "value", "number", "gone", "twice", "exchange", "key"))
        if what == "value":
            holder[key] = copy.deepcopy(dice.choice(VALUES))
        elif what == "number":
            holder[key] = _moved(dice, holder[key])
        elif what == "gone":
            del holder[key]
        elif what == "twice" and isinstance(holder, list):
            holder[key:key] = [copy.deepcopy(holder[key])] * dice.choice((1, 1, 70))
        elif what == "key" and isinstance(holder, dict):
            holder[dice.choice(("x", "schema", "size", key + "x"))] = holder.pop(key)
        else:
            other, there = dice.choice(list(_places(dice.choice(others) if others else document)) or [(holder, key)])
            holder[key] = copy.deepcopy(other[there])
    return document


def _moved(dice, value):
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int | float):
        return dice.choice((-value, value + 1, value - 1, value * 2, value * 1000003, float(value), str(value)))
    if isinstance(value, str):
        text = _NUMBER.sub(lambda _: dice.choice(NUMBERS), value.encode("utf-8", "replace"), count=1)
        return text.decode() if dice.random() < 0.7 else value * dice.choice((0, 2, 300))
    return value * dice.choice((0, 2, 40)) if isinstance(value, list) else [value]


def _places(document):
    """Yield each part as its holder and key."""
    if isinstance(document, dict | list):
        for key, value in list(document.items() if isinstance(document, dict) else enumerate(document)):
            yield document, key
            yield from _places(value)


def spelled(document):
    """Write a document as JSON, raw parts and all."""
    nested = b"[" * DEEP + b"]" * DEEP
    return as_written(msgspec.json.encode(_keyed(document)), nested)


def as_written(data, nested=b"[" * DEEP + b"]" * DEEP):
    """Put raw parts into JSON that holds their marks."""
    known = {b"nested": nested, b"long": b"8" * 5000}
    return _RAW.sub(lambda found: known.get(found[1], found[1]), data)


def _keyed(value):
    """Numbers that the encoder cannot write are written raw."""
    if isinstance(value, dict):
        return {str(key): _keyed(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_keyed(part) for part in value]
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**64:
        return f"<raw {value}>"
    return value


def json_mutated(dice, originals):
    """Return a real JSON document with its structure changed, under no seal."""
    documents = [json.loads(data) for data in originals]
    return spelled(mutated_document(dice, dice.choice(documents), documents))


def resealed(data):
    """Put the digest that belongs there into a certificate; anybody can."""
    found = list(_SEAL.finditer(data))
    if len(found) != 1:
        return data
    start, end = found[0].span(1)
    digest = hashlib.sha256(data[:start] + b"0" * 64 + data[end:]).hexdigest().encode()
    return data[:start] + digest + data[end:]


def certificate_bytes(dice, originals):
    """A certificate with a few bytes changed, under a fresh seal."""
    return resealed(mutated(dice, originals))


def certificate_document(dice, originals):
    """A certificate whose parts were changed, spelled and sealed as the software does."""
    document = mutated_document(dice, msgspec.json.decode(dice.choice(originals)))
    if isinstance(document, dict):
        document["digest"] = "sha256:" + "0" * 64
    plain = msgspec.json.encode(_keyed(document), order="sorted")
    return resealed(as_written(msgspec.json.format(plain, indent=2)) + b"\n")


def record_document(dice, originals):
    """A record of releases whose parts were changed, spelled and sealed as the software does where that can be done."""
    document = json.loads(dice.choice(originals))
    document.pop("seal")
    document = json.loads(json.dumps(mutated_document(dice, document)))
    return sealed_record(document) if isinstance(document, dict) else spelled(document)


def sealed_record(document):
    """Spell and seal a record, or a manifest, as the software does."""
    document.pop("seal", None)
    plain = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    document["seal"] = hashlib.sha256(plain).hexdigest()
    return as_written(json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n")


def ledger_rows(dice, originals):
    """A ledger edited by SQL: a record, a cell, the head or the schema; the chain is mostly made again."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as book:
        book.deserialize(dice.choice(originals))
        book.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        with contextlib.suppress(sqlite3.Error, UnicodeError):
            dice.choice((_edit_record, _edit_record, _edit_record, _edit_cell, _edit_schema))(dice, book)
        return book.serialize()


def _edit_record(dice, book):
    rows = book.execute("SELECT number, text FROM records ORDER BY number").fetchall()
    texts = dict(rows)
    number = dice.choice(list(texts))
    if dice.random() < 0.8:
        document = mutated_document(dice, json.loads(texts[number]), [json.loads(text) for text in texts.values()])
        plain = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
        texts[number] = as_written(plain).decode("utf-8", "replace")
    else:
        texts[number] = mutated(dice, [text.encode() for text in texts.values()]).decode("utf-8", "replace")
    book.execute("UPDATE records SET text = ? WHERE number = ?", (texts[number], number))
    if dice.random() < 0.8:
        digest = "0" * 64
        for place, text in texts.items():
            digest = hashlib.sha256(f"{digest}\n{text}".encode()).hexdigest()
            book.execute("UPDATE records SET digest = ? WHERE number = ?", (digest, place))
        book.execute("UPDATE head SET digest = ?", (digest,))


def _edit_cell(dice, book):
    table, column = dice.choice(
        (("records", "text"), ("records", "digest"), ("records", "number"), ("head", "count"), ("head", "digest"))
    )
    value = dice.choice(
        ("''", "0", "-1", "9223372036854775807", "x'ff'", "CAST(x'7bff7d' AS TEXT)", "'x'", "1e308", "char(0)",
         "zeroblob(300000)", f"CAST(substr({column}, 1, 9) || x'ff' || substr({column}, 10) AS TEXT)")
    )  # fmt: skip
    where = "" if dice.random() < 0.3 else f" WHERE rowid = {dice.randrange(4)}"
    book.execute(f"UPDATE {table} SET {column} = {value}{where}")  # noqa: S608  a file of the test's own


def _edit_schema(dice, book):
    book.execute(
        dice.choice(
            (
                "ALTER TABLE records ADD COLUMN x", "DROP TABLE head", "CREATE TABLE x (y)", "DELETE FROM head",
                "CREATE INDEX i ON records (text)", "PRAGMA user_version = 7", "PRAGMA application_id = 7",
                "ALTER TABLE head RENAME TO hat", "CREATE VIEW v AS SELECT * FROM records", "DELETE FROM records",
                "INSERT INTO head VALUES (1, 1, '')", "UPDATE records SET number = number - 9",
                "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END",
            )
        )
    )  # fmt: skip
