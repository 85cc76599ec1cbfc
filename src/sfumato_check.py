"""sfumato-check: check a certificate of Sfumato with nothing but this file and Python.

    python sfumato_check.py certificate.json
    python sfumato_check.py report.html

For a page it checks the certificates in the page, computes every text that the page shows from its data, and refuses a
text that is not marked. This shows that the page agrees with its data, not that the data are true.

It shares no code with Sfumato. It was written from the description of the files (docs/reference/files.md of the
project), reads the sealed JSON itself, and computes every number again with its own arithmetic: whole numbers and
fractions, and logarithms and exponentials summed in integers, each with a proved error bound. It needs Python 3.11 or
newer and the standard library.

For each claim it gives one answer:

    checked            the number is true and not vague, and every word of the claim is what belongs to it
    not checked by me  the words fit and so does the number as far as I can see, but its proof needs a search that is
                       beyond this file
    too large for me   likewise, because the computation would take me too long
    stated             nothing can be checked: what would prove it is private

and for the whole file one exit code:

    0   every claim is checked
    1   refused: something in the file is false, vague, missing or out of its place
    2   unreadable: this is no certificate that I know
    3   nothing is wrong, but not every claim is checked

An answer of 0 means that the claims follow from what the file declares. It does not show that the declared channel,
ladder, noise or mapping is the one in use; its user has to show that.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import math
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

CHECKED, NOT_MINE, TOO_LARGE, STATED = "checked", "not checked by me", "too large for me", "stated"
EXIT_CHECKED, EXIT_REFUSED, EXIT_UNREADABLE, EXIT_OPEN = 0, 1, 2, 3

# Sizes. Each is refused before anything is computed; together they keep a check within seconds and 500 MB.
MOST_BYTES = 8 << 20
MOST_DENOMINATOR_BITS = 1 << 14  # of the one denominator that all probabilities of a file are brought to
MOST_ENTRIES = 250_000  # of a dense channel, at small denominators
MOST_PAIR_STEPS = 50_000_000  # of comparing every pair of its rows
MOST_REPORTS = 1 << 19  # of a structured channel
MOST_STRUCTURED_STEPS = 2_000_000  # of going through its entries after all
MOST_NOISE_STEPS = 40_000_000  # inputs times outputs of noise
MOST_MAPPING_STEPS = 10_000_000  # cells times symbols times groups of a disclosure
MOST_SUM_BITS = 1 << 17  # of a sum of fractions that need not have a common denominator


class Unreadable(Exception):
    """This is no certificate that I know."""


class Refused(Exception):
    """Something in the certificate is not what it has to be."""


class TooLarge(Exception):
    """I could check this, and it would take too long."""


# ---------------------------------------------------------------------------------------------------------------------
# Reading: bytes, seal, one spelling.
# ---------------------------------------------------------------------------------------------------------------------

_SEAL = re.compile(rb'"digest": "sha256:([0-9a-f]{64})"')
_SCHEMA = re.compile(r"sfumato/certificate/([a-z-]{1,40})/([0-9]{1,9})")


def read_certificate(raw: bytes) -> dict[str, Any]:
    """Return the document of a sealed file: its seal intact, its spelling the only one, its entries complete."""
    if len(raw) > MOST_BYTES:
        raise TooLarge(f"the file has more than {MOST_BYTES >> 20} MiB")
    seals = list(_SEAL.finditer(raw))
    if len(seals) != 1:
        raise Unreadable("this is no Sfumato certificate: it carries no digest")
    start, end = seals[0].span(1)
    if hashlib.sha256(raw[:start] + b"0" * 64 + raw[end:]).hexdigest().encode() != raw[start:end]:
        raise Refused("the digest does not match: at least one byte was changed after the file was sealed")
    document = _parse(raw)
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, str) or not _SCHEMA.fullmatch(schema):
        raise Unreadable("this is no Sfumato certificate: it has no schema of one")
    if schema not in KINDS:
        raise Unreadable(f"I do not know certificates of the schema {shown(schema)}")
    if not is_spelled(document, raw) or str(document.get("digest")).encode() != b"sha256:" + raw[start:end]:
        raise Refused("the file is not in the one spelling of certificates")
    return _checked_entries(document)


def _parse(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode(), parse_float=_finite, parse_constant=_no_number, object_pairs_hook=_each_once)
    except (ValueError, RecursionError, MemoryError):
        raise Unreadable("this is no Sfumato certificate: it is not JSON that I can read") from None


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(text)
    return number


def _no_number(text: str) -> float:
    raise ValueError(text)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def is_spelled(document: Any, raw: bytes) -> bool:
    """Whether the bytes are the one spelling of a document: keys sorted, two blanks of indent, a line feed at the end.

    They are compared piece by piece, so that a short file cannot make a long spelling.
    """
    place = 0
    try:
        for piece in itertools.chain(_pieces(document, "\n"), "\n"):
            text = piece.encode()
            if raw[place : place + len(text)] != text:
                return False
            place += len(text)
    except (RecursionError, UnicodeEncodeError):
        raise Unreadable("this is no Sfumato certificate: it holds text or lists that none has") from None
    return place == len(raw)


def _pieces(value: Any, margin: str) -> Iterator[str]:
    inner = margin + "  "
    if isinstance(value, dict) and value:
        for number, key in enumerate(sorted(value)):
            yield ("," if number else "{") + inner + json.dumps(key, ensure_ascii=False) + ": "
            yield from _pieces(value[key], inner)
        yield margin + "}"
    elif isinstance(value, list) and value:
        for number, entry in enumerate(value):
            yield ("," if number else "[") + inner
            yield from _pieces(entry, inner)
        yield margin + "]"
    else:
        yield spell_float(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def spell_float(number: float) -> str:
    """The shortest digits that are this double: written out from 1e-5 to below 1e16, else as 1.5e-7 or 1e16."""
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, rest = mantissa.partition(".")
    digits = (whole + rest).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + rest) - len(digits))
    digits = digits.rstrip("0") or "0"
    if number == 0:
        text = "0.0"
    elif 0 < point <= 16:
        text = digits[:point].ljust(point, "0") + "." + (digits[point:] or "0")
    elif -5 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        text = digits[0] + ("." + digits[1:] if digits[1:] else "") + f"e{point - 1}"
    return ("-" if math.copysign(1.0, number) < 0 else "") + text


_ENTRIES = {"schema", "digest", "subject", "claims", "notes", "sources"}
_CLAIM_TEXTS = ("measure", "relation", "unit", "status", "because", "sentence")


def _checked_entries(document: dict[str, Any]) -> dict[str, Any]:
    damaged = Unreadable("the certificate is damaged: its entries are not those of one")
    if set(document) != _ENTRIES:
        raise damaged
    claims, notes = document["claims"], document["notes"]
    if not isinstance(claims, list) or not isinstance(notes, list) or not isinstance(document["sources"], dict):
        raise damaged
    for claim in claims:
        if not isinstance(claim, dict) or not all(isinstance(claim.get(name), str) for name in _CLAIM_TEXTS):
            raise Unreadable("the certificate is damaged: a claim lacks one of its texts")
    return document


def take(record: Any, needed: Iterable[str], allowed: Iterable[str] = ()) -> None:
    """Raise unless a record of the subject has the entries that it needs, and no others."""
    needed = set(needed)
    if not isinstance(record, dict) or not needed <= set(record) <= needed | set(allowed):
        raise Unreadable("the certificate is damaged: the entries of its subject are not those of its kind")


def whole_number(value: Any, least: int, most: int) -> int:
    """Return a whole number of the subject, within its limits."""
    if type(value) is not int or not least <= value <= most:
        raise Unreadable("the certificate is damaged: a number of its subject cannot be")
    return value


_FRACTION = re.compile(r"-?[0-9]{1,4300}(/[0-9]{1,4300})?")


def fraction_of(text: Any) -> Fraction:
    """Read an exact number in its one spelling: lowest terms, no denominator 1, no leading zero."""
    if isinstance(text, str) and _FRACTION.fullmatch(text):
        try:
            number = Fraction(text)
            if str(number) == text:
                return number
        except (ValueError, ZeroDivisionError):
            pass
    raise Unreadable("the certificate is damaged: an exact number is not written as one")


def law_of(texts: Any) -> list[Fraction]:
    """Read a law: exact numbers, none of them negative, with the sum 1."""
    texts = texts.split(" ") if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not texts:
        raise Unreadable("the certificate is damaged: a law is missing")
    if not all(isinstance(text, str) for text in texts):
        raise Unreadable("the certificate is damaged: an exact number is not written as one")
    read = {text: fraction_of(text) for text in dict.fromkeys(texts)}  # what is written alike is one number
    law = [read[text] for text in texts]
    if min(read.values()) < 0:
        raise Unreadable("the certificate is damaged: a probability is negative")
    numerators, denominator = over_one_denominator(law)
    if sum(numerators) != denominator:
        raise Unreadable("the certificate is damaged: the probabilities of a law do not sum to 1")
    return law


def over_one_denominator(law: Sequence[Fraction]) -> tuple[list[int], int]:
    """Write fractions as whole numbers over one denominator; refuse a denominator that would be too long."""
    whole, numbers = 1, different(law)
    for part in {number.denominator for number in numbers}:
        whole = math.lcm(whole, part)
        if whole.bit_length() > MOST_DENOMINATOR_BITS:
            raise TooLarge(f"the probabilities have no common denominator of at most {MOST_DENOMINATOR_BITS} bits")
    numerators = {id(number): number.numerator * (whole // number.denominator) for number in numbers}
    return [numerators[id(number)] for number in law], whole


def different(law: Iterable[Fraction]) -> list[Fraction]:
    """Return the numbers of a law, those that are one object once."""
    return list({id(number): number for number in law}.values())


# ---------------------------------------------------------------------------------------------------------------------
# Logarithms and exponentials, in whole numbers.
#
# A real number v is enclosed by two integers: low ≤ v·2^192 ≤ high. One unit, 2^-192, is called a tick.
# ---------------------------------------------------------------------------------------------------------------------

BITS = 192
ONE = 1 << BITS


@dataclass(frozen=True, slots=True)
class Near:
    """A real number between low/2^192 and high/2^192."""

    low: int
    high: int

    def __add__(self, other: Near) -> Near:
        return Near(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Near) -> Near:
        return Near(self.low - other.high, self.high - other.low)

    def times(self, factor: int) -> Near:
        """The product with a whole number ≥ 0."""
        return Near(self.low * factor, self.high * factor)

    def over(self, divisor: int) -> Near:
        """The quotient by a whole number > 0."""
        return Near(self.low // divisor, -(-self.high // divisor))

    def scaled(self, factor: Near) -> Near:
        """The product with a number ≥ 0."""
        low = self.low * (factor.low if self.low >= 0 else factor.high)
        high = self.high * (factor.high if self.high >= 0 else factor.low)
        return Near(low >> BITS, -(-high >> BITS))

    def divided(self, divisor: Near) -> Near:
        """The quotient by a number > 0."""
        low = (self.low << BITS) // (divisor.high if self.low >= 0 else divisor.low)
        high = -((-self.high << BITS) // (divisor.low if self.high >= 0 else divisor.high))
        return Near(low, high)

    def bits(self) -> Near:
        """A number of nats in bits."""
        return self if self.low == self.high == 0 else self.divided(LN2)

    def at_least_zero(self) -> Near:
        """The same number, known not to be negative."""
        return Near(max(0, self.low), max(0, self.high))


ZERO = Near(0, 0)


def exactly(number: Fraction | int) -> Near:
    """The narrowest enclosure of a fraction."""
    return Near((number.numerator << BITS) // number.denominator, -((-number.numerator << BITS) // number.denominator))


def largest(numbers: Iterable[Near]) -> Near:
    """Enclose the largest of several numbers."""
    found = list(numbers)
    return Near(max(number.low for number in found), max(number.high for number in found))


def total(numbers: Iterable[Near]) -> Near:
    """Enclose a sum."""
    low = high = 0
    for number in numbers:
        low += number.low
        high += number.high
    return Near(low, high)


# The sum below has at most 64 terms, each at most 3 ticks short, and what is left out is less than 3 ticks.
_ATANH_SHORT = 200


def _atanh_below(t: int) -> int:
    """A number of ticks at most `_ATANH_SHORT` below atanh(t'), for 0 ≤ t' ≤ 1/3 and t ticks ≤ t' < t+1 ticks.

    atanh t' = Σ t'^(2k+1)/(2k+1), all terms positive. The power p_k is kept rounded down. If p_k is e_k ticks short of
    t'^(2k+1), then e_0 ≤ 1. The square s of t' is short of t'² by less than 2t'+1 ≤ 5/3 ticks (t is 1 tick short, and
    the shift loses 1), so the next power is short by at most e_k·t'² + (5/3)·t'^(2k+1) + 1 ≤ e_k/9 + 5/9 + 1 < 2 ticks.
    A division by 2k+1 loses 1 more: 3 ticks a term. The loop ends when a power is 0 ticks, so below 2 ticks, and from
    there on the true terms sum to less than 2/(1-1/9) < 3 ticks. Every step takes at least a factor 9 off, so a power
    of 192 bits is gone after 192/log2(9) + 1 < 63 steps. In all 63·3 + 3 < 200 ticks.
    """
    square = (t * t) >> BITS
    power, found, odd = t, 0, 1
    while power:
        found += power // odd
        power = (power * square) >> BITS
        odd += 2
    return found


def _ln_of_ratio(above: int, below: int) -> Near:
    """ln(above/below) for below ≤ above ≤ 2·below: twice the atanh of (above-below)/(above+below) ≤ 1/3."""
    found = 2 * _atanh_below(((above - below) << BITS) // (above + below))
    return Near(found, found + 2 * _ATANH_SHORT)


LN2 = _ln_of_ratio(2, 1)
_STEPS = 7  # the table below has 2^7 entries
_LN_TABLE = [_ln_of_ratio((1 << _STEPS) + j, 1 << _STEPS) for j in range(1 << _STEPS)]


def ln_of_integer(number: int) -> Near:
    """ln of a whole number ≥ 1: number = 2^k·m with 1 ≤ m < 2, and m = c·(m/c) with c = 1 + j/128 ≤ m from the table.

    m is cut to 192 binary places, which makes it less than 1 tick smaller, and its logarithm too, since ln has a slope
    of at most 1 from 1 on. (m-c)/(m+c) is then below 2^-8, and `_atanh_below` applies.
    """
    k = number.bit_length() - 1
    cut = number << (BITS - k) if k <= BITS else number >> (k - BITS)
    j = (cut >> (BITS - _STEPS)) - (1 << _STEPS)
    step = ONE + (j << (BITS - _STEPS))
    found = 2 * _atanh_below(((cut - step) << BITS) // (cut + step)) if cut > step else 0
    low = k * LN2.low + _LN_TABLE[j].low + found if j else k * LN2.low + found
    high = k * LN2.high + (_LN_TABLE[j].high if j else 0) + found
    if cut > step:
        high += 2 * _ATANH_SHORT
    return Near(low, high + (1 if k > BITS else 0))


def ln(number: Fraction) -> Near:
    """ln of a positive fraction; exactly 0 for 1."""
    return ln_of_integer(number.numerator) - ln_of_integer(number.denominator)


def log2(number: Fraction) -> Near:
    """log2 of a positive fraction; exact for powers of two."""
    above, below = number.numerator, number.denominator
    if not above & (above - 1) and not below & (below - 1):
        return exactly(above.bit_length() - below.bit_length())
    return ln(number).bits()


def ln_near(number: Near) -> Near:
    """ln of a positive number that is itself only enclosed."""
    return Near(ln_of_integer(number.low).low, ln_of_integer(number.high).high) - ln_of_integer(ONE)


# Squaring eight times doubles an error of at most 2·24 ticks eight times, and adds 1 tick each time.
_HALVINGS = 8
_EXP_OFF = (1 << _HALVINGS) * (2 * 24 + 2)


def exp_of_minus(number: Near) -> Near:
    """e^-v for v ≥ 0.

    With k = ⌊v/ln 2⌋ and r = v - k·ln 2, e^-v = 2^-k·(e^-u)^256 for u = r/256, which is below 2^-8. e^-u is the
    alternating sum Σ (-u)^n/n!; its terms fall, so breaking it off is off by less than the first term left out. Terms
    are rounded down, each from the one before, and are less than 2 ticks short; 24 of them leave less than 2^-192
    behind, since (2^-8)^24/24! < 2^-192. So the sum is off by at most 2·24 ticks, and cutting u takes 1 more. A square
    of a number v ≤ 1 known to E ticks is known to 2E ticks and the 1 that the shift loses (E²·2^-192 is nothing): after
    eight squares 2^8·(2·24 + 1) + 2^8 at most, `_EXP_OFF`. u is enclosed, e^-u falls with u, and the shift by k
    rounds outwards. (v has to be known to better than 0.1, which leaves u below 2^-8; every v here is known to 2^-100.)
    """
    k = max(0, number.low // LN2.high)
    rest = number - LN2.times(k)
    return Near(max(0, _exp_of_rest(rest.high) - _EXP_OFF) >> k, -(-(_exp_of_rest(max(0, rest.low)) + _EXP_OFF) >> k))


def _exp_of_rest(rest: int) -> int:
    u = rest >> _HALVINGS
    term, found = ONE, ONE
    for n in range(1, 25):
        term = (term * u >> BITS) // n
        found += -term if n & 1 else term
    for _ in range(_HALVINGS):
        found = found * found >> BITS
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Numbers in words: four significant digits, a guarantee rounded against itself.
# ---------------------------------------------------------------------------------------------------------------------

UP, DOWN, NEAREST = "up", "down", "nearest"


def short(number: Fraction, rounding: str) -> str:
    """Four significant digits of a number ≥ 0, zeros at the end left out; 1.5e-7 and 2e9 outside [0.0001, 10^6)."""
    number = Fraction(number)  # infinity has no digits, and raises OverflowError
    if number == 0:
        return "0"
    power = _decimal_exponent(number) - 3
    scaled = number / Fraction(10) ** power
    digits = math.floor(scaled)
    rest = scaled - digits
    if rest and (rounding == UP or (rounding == NEAREST and (rest > Fraction(1, 2) or (rest * 2 == 1 and digits & 1)))):
        digits += 1
    if digits == 10_000:
        digits, power = 1_000, power + 1
    point = power + 4  # the number is 0.dddd · 10^point
    text = str(digits)
    if -3 <= point <= 6:
        padded = text.ljust(point, "0") if point > 0 else "0" * (1 - point) + text
        place = max(point, 1)
        return f"{padded[:place]}.{padded[place:]}".rstrip("0").rstrip(".")
    mantissa = f"{text[0]}.{text[1:]}".rstrip("0").rstrip(".")
    return f"{mantissa}e{point - 1}"


def _decimal_exponent(number: Fraction) -> int:
    """The e with 10^e ≤ number < 10^(e+1)."""
    exponent = (number.numerator.bit_length() - number.denominator.bit_length()) * 30103 // 100_000
    while Fraction(10) ** exponent > number:
        exponent -= 1
    while Fraction(10) ** (exponent + 1) <= number:
        exponent += 1
    return exponent


def at_most(value: Value) -> str:
    """A number, or the upper end of an interval, rounded up."""
    return short(value.upper if isinstance(value, Interval) else Fraction(value), UP)


def at_least(value: Value) -> str:
    """A number, or the lower end of an interval, rounded down."""
    return short(value.lower if isinstance(value, Interval) else Fraction(value), DOWN)


def percent(value: Fraction, rounding: str = NEAREST) -> str:
    """37.5 %."""
    return f"{short(value * 100, rounding)} %"


def times(value: Fraction) -> str:
    """A factor, rounded up."""
    return f"{short(value, UP)} times"


def fraction_words(value: Fraction) -> str:
    """An exact number; one of more than 24 characters by its ends and twelve digits."""
    text = str(value)
    return text if len(text) <= 24 else f"{text[:10]}…{text[-10:]} ≈ {float(value):.12g}"


def words_for(number: Near, phrase: Callable[[str], str]) -> tuple[str, ...]:
    """The sentences that an upper end a few ulps or grid steps above a number may lead to; almost always one."""
    ends = (Fraction(number.low, ONE), Fraction(number.high, ONE) + ROOM)
    return tuple(dict.fromkeys(phrase(short(end, UP)) for end in ends))


# ---------------------------------------------------------------------------------------------------------------------
# Claims: what must be claimed, in which order, and how one claim is compared.
# ---------------------------------------------------------------------------------------------------------------------

ROOM = Fraction(3, 10**12)  # how far an end of a claimed interval may lie outside the recomputed one
INFINITE = math.inf


@dataclass(frozen=True, slots=True)
class Interval:
    """A claimed interval; its ends are the doubles of the file, exactly."""

    lower: Fraction
    upper: Fraction


Value = Fraction | Interval | float  # the float is infinity


@dataclass(frozen=True, slots=True)
class Ends:
    """A recomputed interval: its two ends, each enclosed, and how far outside them a claim may reach.

    `open` says what of the claim remains to be shown, if anything does.
    """

    lower: Near
    upper: Near
    room: Fraction = ROOM
    open: str = ""

    @classmethod
    def around(cls, number: Near, room: Fraction = ROOM) -> Ends:
        """Of one number ≥ 0, known as closely as it is enclosed."""
        return cls(number.at_least_zero(), number.at_least_zero(), room)

    @classmethod
    def above(cls, number: Near, gap: Fraction, rounding: Fraction, why: str) -> Ends:
        """From a number that a witness reaches to `gap` above it, either end up to rounding; `why` it stays open."""
        upper = exactly(Fraction(number.low, ONE) + gap - rounding)
        return cls(number, upper, ROOM + 2 * rounding, why)


Found = Fraction | float | Ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One claim that a certificate must make. `sentence` gives the texts that fit a claimed number."""

    measure: str
    unit: str
    because: str | tuple[str, ...]
    sentence: Callable[[Any], str | tuple[str, ...]]
    find: Callable[[Claim], Found]
    exact: bool = False  # the number is a fraction (or infinity), else an interval (or infinity)
    relation: str = ""  # = for exact numbers and "in" for intervals, unless it says otherwise
    witnessed: bool = False  # the claim carries the input law that proves it
    stated: bool = False  # what would prove it is private


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the file, its number read."""

    record: dict[str, Any]
    measure: str
    value: Value
    witness: list[float] | None


@dataclass(slots=True)
class Verdict:
    """What I have to say about a file."""

    kind: str
    answers: list[tuple[str, str, str]] = field(default_factory=list)  # measure, answer, reason

    @property
    def exit_code(self) -> int:
        """0 when every claim is checked, 3 when not every one is."""
        return EXIT_CHECKED if all(answer == CHECKED for _, answer, _ in self.answers) else EXIT_OPEN


def check_claims(records: list[dict[str, Any]], rules: Sequence[Rule]) -> list[tuple[str, str, str]]:
    """Compare the claims of a file with the rules, one for one and in their order."""
    claims = [read_claim(record) for record in records]
    names = [claim.measure for claim in claims]
    wanted = list(rules)
    if missing := [rule.measure for rule in wanted if rule.measure not in names]:
        raise Refused(f"{missing[0]} is missing, which applies here")
    if unknown := [name for name in names if name not in {rule.measure for rule in wanted}]:
        raise Refused(f"{shown(unknown[0])} is no measure that belongs here")
    if len(names) != len(wanted):
        raise Refused("a measure is claimed twice")
    for name, rule in zip(names, wanted, strict=True):
        if name != rule.measure:
            raise Refused(f"{name} stands where {rule.measure} belongs")
    return [check_claim(claim, rule) for claim, rule in zip(claims, wanted, strict=True)]


def read_claim(record: dict[str, Any]) -> Claim:
    """Read the number of a claim, and its witness if it has one."""
    name = record["measure"]
    if not set(record) <= {*_CLAIM_TEXTS, "value", "witness"}:
        raise Refused(f"{shown(name)}: the claim has entries that none has")
    witness = record.get("witness")
    if "witness" in record and not (isinstance(witness, list) and all(_is_plain(weight) for weight in witness)):
        raise Refused(f"{shown(name)}: its witness is no list of weights")
    return Claim(record, name, _read_value(record.get("value"), name), witness)


def _read_value(value: Any, name: str) -> Value:
    if value == "inf":
        return INFINITE
    if isinstance(value, str) and (exact := fraction_of(value)) >= 0:
        return exact
    if isinstance(value, dict) and set(value) == {"lower", "upper"} and all(map(_is_plain, value.values())):
        found = Interval(Fraction(value["lower"]), Fraction(value["upper"]))
        if 0 <= found.lower <= found.upper:
            return found
    raise Refused(f"{shown(name)}: its number is none that a claim has")


def _is_plain(number: Any) -> bool:
    """A double in a file, zero only without a sign."""
    return type(number) is float and (number != 0 or math.copysign(1.0, number) > 0)


def check_claim(claim: Claim, rule: Rule) -> tuple[str, str, str]:
    """Compare one claim whole: its number with what is found, its words with what belongs to that number."""
    answer, reason = CHECKED, ""
    if rule.witnessed != (claim.witness is not None):
        raise Refused(f"{claim.measure}: it must {'' if rule.witnessed else 'not '}carry a witness")
    _check_words(claim, rule)
    try:
        found = rule.find(claim)
        _check_number(claim, found)
        if isinstance(found, Ends) and found.open:
            answer, reason = NOT_MINE, found.open
    except TooLarge as error:
        answer, reason = TOO_LARGE, str(error)
    if rule.stated and answer == CHECKED:
        answer, reason = STATED, "what would prove it is private"
    return claim.measure, answer, reason


def _check_number(claim: Claim, found: Found) -> None:
    value = claim.value
    if not isinstance(found, Ends):
        if value != found:
            raise Refused(f"{claim.measure}: its number is not the one that I find")
        return
    if not isinstance(value, Interval):
        raise Refused(f"{claim.measure}: its number is no interval, and I find one")
    if value.lower * ONE > found.lower.low or value.upper * ONE < found.upper.high:
        raise Refused(f"{claim.measure}: its interval does not hold what I find, {_near_words(found)}")
    room = found.room * ONE
    if value.lower * ONE < found.lower.low - room or value.upper * ONE > found.upper.high + room:
        raise Refused(f"{claim.measure}: its interval is vaguer than what I find, {_near_words(found)}")


def _near_words(found: Ends) -> str:
    return f"{found.lower.low / ONE:.13g} to {found.upper.high / ONE:.13g}"


def _check_words(claim: Claim, rule: Rule) -> None:
    certified = isinstance(claim.value, Interval)
    if certified == rule.exact and claim.value != INFINITE:
        raise Refused(f"{claim.measure}: its number has to be {'a fraction' if rule.exact else 'an interval'}")
    try:
        sentence = rule.sentence(claim.value)
    except OverflowError:
        raise Refused(f"{claim.measure}: its number cannot be infinite") from None
    texts = {
        "relation": rule.relation or ("in" if certified else "="),
        "unit": rule.unit,
        "status": "stated" if rule.stated else "certified" if certified else "exact",
        "because": rule.because,
        "sentence": sentence,
    }
    for name, text in texts.items():
        if claim.record[name] not in ((text,) if isinstance(text, str) else text):
            raise Refused(f"{claim.measure}: its {name} is not what belongs to it")


def input_law(weights: Sequence[float], measure: str) -> list[int]:
    """Read a witness as whole numbers in proportion: weights from 0 to 1 whose sum is 1 up to 1e-12."""
    if not weights or not all(_is_plain(weight) and 0 <= weight <= 1 for weight in weights):
        raise Refused(f"{measure}: the weights of its witness do not lie between 0 and 1")
    # A double is a multiple of 2^-1074, so one power of two serves them all.
    numerators = [int(Fraction(weight) * (1 << 1074)) for weight in weights]
    if abs(sum(numerators) - (1 << 1074)) * 10**12 > 1 << 1074:
        raise Refused(f"{measure}: the weights of its witness do not sum to 1")
    shift = min((n & -n).bit_length() - 1 for n in numerators if n)
    return [n >> shift for n in numerators]


# ---------------------------------------------------------------------------------------------------------------------
# Channels.
# ---------------------------------------------------------------------------------------------------------------------


class Dense:
    """P(y|x) as whole numbers over one denominator, row by row."""

    def __init__(self, rows: list[list[Fraction]]) -> None:
        self.inputs, self.outputs = len(rows), len(rows[0])
        entries = self.inputs * self.outputs
        if entries > MOST_ENTRIES:
            raise TooLarge(f"the channel has {entries} entries, more than {MOST_ENTRIES}")
        flat, self.whole = over_one_denominator([entry for row in rows for entry in row])
        self.weight = 1 + self.whole.bit_length() // 512  # how much slower long numbers are
        if entries * self.weight > 8 * MOST_ENTRIES:
            raise TooLarge("the channel has many entries with a long common denominator")
        self.table = [flat[x * self.outputs : (x + 1) * self.outputs] for x in range(self.inputs)]

    def row(self, x: int) -> list[int]:
        """The x-th row."""
        return self.table[x]

    def extremes(self) -> Iterator[tuple[int, int, int]]:
        """For each output its largest and smallest entry, and for how many outputs that stands."""
        return ((max(column), min(column), 1) for column in zip(*self.table, strict=True))

    def column_sums(self) -> list[int]:
        """Σ_x of each output."""
        return self.mixed([1] * self.inputs)

    def mixed(self, weights: Sequence[int]) -> list[int]:
        """Σ_x weight·entry of each output."""
        found = [0] * self.outputs
        for weight, row in zip(weights, self.table, strict=True):
            if weight:
                found = [old + weight * entry for old, entry in zip(found, row, strict=True)]
        return found

    def best_guesses(self, weights: Sequence[int]) -> int:
        """Σ_y max_x weight·entry."""
        best = [0] * self.outputs
        for weight, row in zip(weights, self.table, strict=True):
            best = [max(old, weight * entry) for old, entry in zip(best, row, strict=True)]
        return sum(best)

    @cached_property
    def row_logs(self) -> list[Near]:
        """Σ_y n·ln n of the entries n of each row."""
        return [_n_ln_n(row) for row in self.table]


class Structured:
    """Y = X + U mod K, X among the first `inputs` residues: kept as the law of U, whole numbers over one."""

    def __init__(self, law: list[Fraction], inputs: int) -> None:
        if len(law) > MOST_REPORTS:
            raise TooLarge(f"the channel has {len(law)} reports, more than {MOST_REPORTS}")
        self.inputs, self.outputs = inputs, len(law)
        self.law, self.whole = over_one_denominator(law)
        if len(law) * (1 + self.whole.bit_length() // 512) > 4 * MOST_REPORTS:
            raise TooLarge("the channel has many reports with a long common denominator")
        self.is_full = inputs == len(law)
        self.entries = inputs * len(law)

    def row(self, x: int) -> list[int]:
        """The law of U, turned by x."""
        return self.law[self.outputs - x :] + self.law[: self.outputs - x]

    def extremes(self) -> Iterator[tuple[int, int, int]]:
        """For each pair of a largest and a smallest entry, how many outputs have it."""
        return ((high, low, count) for (high, low), count in self.pairs.items())

    @cached_property
    def pairs(self) -> Counter[tuple[int, int]]:
        """Output y is reached by the shifts y, y-1, …, y-inputs+1: extremes of a sliding window."""
        lowest = _window_extremes(self.law, self.inputs, min)
        return Counter(zip(self.highest, lowest, strict=True))

    @cached_property
    def highest(self) -> list[int]:
        """The largest entry of each output."""
        return _window_extremes(self.law, self.inputs, max)

    @cached_property
    def sums(self) -> list[int]:
        """Sums of the same windows."""
        running = [0, *itertools.accumulate(self.law + self.law)]
        last = self.outputs + 1
        return [running[y + last] - running[y + last - self.inputs] for y in range(self.outputs)]

    def column_sums(self) -> list[int]:
        """Σ_x of each output."""
        return self.sums

    def mixed(self, weights: Sequence[int]) -> list[int]:
        """Σ_x weight·entry of each output."""
        if len(set(weights)) == 1:
            return [weights[0] * found for found in self.column_sums()]
        found = [0] * self.outputs
        for weight, row in self._rows(weights):
            if weight:
                found = [old + weight * entry for old, entry in zip(found, row, strict=True)]
        return found

    def best_guesses(self, weights: Sequence[int]) -> int:
        """Σ_y max_x weight·entry."""
        if len(set(weights)) == 1:
            return weights[0] * sum(high * count for high, _, count in self.extremes())
        best = [0] * self.outputs
        for weight, row in self._rows(weights):
            best = [max(old, weight * entry) for old, entry in zip(best, row, strict=True)]
        return sum(best)

    def _rows(self, weights: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
        if self.entries > MOST_STRUCTURED_STEPS:
            raise TooLarge(f"the channel would be written out in {self.entries} entries")
        return ((weight, self.row(x)) for x, weight in enumerate(weights))

    @cached_property
    def row_logs(self) -> list[Near]:
        """Every row holds the same entries."""
        return [_n_ln_n(self.law)] * self.inputs


AnyChannel = Dense | Structured


def _window_extremes(law: list[int], length: int, best: Callable[..., int]) -> list[int]:
    """The largest or smallest entry among law[y], law[y-1], …, law[y-length+1], indices mod K, for each y.

    A window lies in two blocks of its own length at most: the end of one and the beginning of the next.
    """
    line = law[len(law) - length + 1 :] + law
    forwards: list[int] = []
    backwards: list[int] = []
    for start in range(0, len(line), length):
        block = line[start : start + length]
        forwards += itertools.accumulate(block, best)
        backwards += [*itertools.accumulate(reversed(block), best)][::-1]
    return list(map(best, backwards, forwards[length - 1 :]))


@lru_cache(maxsize=1 << 16)
def _cached_ln(number: int) -> Near:
    return ln_of_integer(number)


def _n_ln_n(numbers: Iterable[int]) -> Near:
    low = high = 0
    for number, times in Counter(numbers).items():
        if number > 1:
            logarithm = _cached_ln(number)
            low += times * number * logarithm.low
            high += times * number * logarithm.high
    return Near(low, high)


@dataclass(frozen=True)
class ChannelFacts:
    """A channel under a prior, and everything that claims about it need."""

    channel: AnyChannel
    prior: list[Fraction]

    @cached_property
    def weights(self) -> tuple[list[int], int]:
        """The prior as whole numbers over one."""
        return over_one_denominator(self.prior)

    @property
    def prior_words(self) -> str:
        """How sentences speak of the prior."""
        alike = len(set(different(self.prior))) == 1
        return "with every answer equally likely" if alike else "under the stated prior"

    @cached_property
    def right_guesses(self) -> Fraction:
        """Σ_y max_x P(x)P(y|x)."""
        weights, whole = self.weights
        return Fraction(self.channel.best_guesses(weights), whole * self.channel.whole)

    @cached_property
    def worst_report(self) -> tuple[int, Fraction]:
        """The first report after which a guess is safest, and how often it is wrong then: 1 - max_x P(x|y)."""
        safest, place = Fraction(0), 0
        for y, (column, mass) in enumerate(zip(zip(*self._table(), strict=True), self.outputs, strict=True)):
            peak = max(entry * weight for entry, weight in zip(column, self.weights[0], strict=True))
            if peak * safest.denominator > mass * safest.numerator:
                safest, place = Fraction(peak, mass), y
        return place, 1 - safest

    @cached_property
    def outputs(self) -> list[int]:
        """P(y), over the product of both denominators."""
        return self.channel.mixed(self.weights[0])

    @cached_property
    def odds(self) -> Fraction | float:
        """max P(y|x)/P(y|x')."""
        worst = Fraction(1)
        for high, low, _ in self.channel.extremes():
            if high > 0 == low:
                return INFINITE
            if high * worst.denominator > low * worst.numerator:
                worst = Fraction(high, low)
        return worst

    def epsilon(self) -> Found:
        """ln of the odds."""
        return INFINITE if isinstance(self.odds, float) else Ends.around(ln(self.odds))

    def exposure(self) -> Fraction:
        """The largest chance, over the inputs, of a report that only this input allows."""
        alone = [sum(1 for entry in column if entry) == 1 for column in zip(*self._table(), strict=True)]
        return max(
            Fraction(sum(n for n, mine in zip(row, alone, strict=True) if mine), self.channel.whole)
            for row in self._table()
        )

    def total_variation(self) -> Fraction:
        """The largest ½Σ|P(y|x) - P(y|x')|."""
        rows = self._table()
        if isinstance(self.channel, Dense):
            steps = len(rows) * len(rows) * len(rows[0]) // 2 * (1 + self.channel.whole.bit_length() // 4096)
            if steps > MOST_PAIR_STEPS:
                raise TooLarge(f"comparing every pair of rows would take {steps} steps")
        worst = 0
        for one, other in itertools.combinations(rows, 2):
            worst = max(worst, sum(abs(a - b) for a, b in zip(one, other, strict=True)))
        return Fraction(worst, 2 * self.channel.whole)

    def min_entropy_leakage(self) -> Found:
        """log2 of how much likelier a right guess becomes."""
        return Ends.around(log2(self.right_guesses / max(different(self.prior))))

    def maximal_leakage(self) -> Found:
        """log2 Σ_y max_x P(y|x)."""
        found = sum(high * count for high, _, count in self.channel.extremes())
        return Ends.around(log2(Fraction(found, self.channel.whole)))

    def mutual_information(self) -> Found:
        """I(X;Y) = (Σ_x a_x Σ_y n ln n - Σ_y T ln T)/(A·D) + ln A, for P(x) = a/A, P(y|x) = n/D, P(y) = T/(A·D)."""
        weights, whole = self.weights
        if self.says_nothing:
            return Ends.around(ZERO)
        pairs = Counter(zip(self.channel.row_logs, weights, strict=True))
        inside = total(near.times(weight * count) for (near, weight), count in pairs.items())
        spread = (inside - _n_ln_n(self.outputs)).over(whole * self.channel.whole)
        return Ends.around((spread + ln_of_integer(whole)).bits(), ROOM + self._rounding_of_mixing())

    @cached_property
    def says_nothing(self) -> bool:
        """Whether all rows are equal."""
        if isinstance(self.channel, Structured):
            return len(set(self.channel.law)) == 1
        return all(row == self.channel.table[0] for row in self.channel.table)

    def _rounding_of_mixing(self) -> Fraction:
        """How vague doubles make the entropy of the reports of a structured channel: `inputs` of them in each sum."""
        if isinstance(self.channel, Dense):
            return Fraction(0)
        entropy = math.log2(self.channel.outputs)
        return Fraction(self.channel.inputs + 16) * Fraction(entropy + 2) / (1 << 52)

    def max_information(self) -> Found:
        """The largest log2 P(y|x)/P(y)."""
        whole, worst = self.weights[1], Fraction(1)
        columns = self._largest_entries()
        for high, mass in set(zip(columns, self.outputs, strict=True)):
            if high and high * whole * worst.denominator > mass * worst.numerator:
                worst = Fraction(high * whole, mass)
        return Ends.around(log2(worst))

    def _largest_entries(self) -> list[int]:
        if isinstance(self.channel, Dense):
            return [max(column) for column in zip(*self.channel.table, strict=True)]
        return self.channel.highest

    def randomness(self) -> Found:
        """The largest H(Y|X=x) = ln D - (Σ n ln n)/D."""
        whole = self.channel.whole
        shared = ln_of_integer(whole)
        return Ends.around(largest((shared - near.over(whole)) for near in set(self.channel.row_logs)).bits())

    def heaviest_output(self) -> Fraction:
        """max_y Σ_x P(y|x)."""
        return Fraction(max(self.channel.column_sums()), self.channel.whole)

    def fisher(self) -> Fraction:
        """Σ (p_1-p_0)²/p_θ over the reports that can be, at θ = the prior of the second answer."""
        whole, terms = self.weights[1], []
        for zero, one, mass in zip(*self._table(), self.outputs, strict=True):
            if zero != one:
                terms.append(Fraction((one - zero) ** 2 * whole, mass * self.channel.whole))
        return sum_of_fractions(terms)

    def _table(self) -> list[list[int]]:
        if isinstance(self.channel, Structured):
            raise Refused("a structured channel makes no claim that looks at single entries")
        return self.channel.table

    # Capacity -------------------------------------------------------------------------------------------------------

    def capacity(self, claim: Claim) -> Found:
        """Enclose the capacity by symmetry where that is enough, and by the witness elsewhere."""
        if not self.needs_witness:
            return self._capacity_by_symmetry()
        if claim.witness is None or len(claim.witness) != self.channel.inputs:
            raise Refused(f"{claim.measure}: its witness must have one weight for each input")
        return self._capacity_by_witness(input_law(claim.witness, claim.measure))

    @property
    def needs_witness(self) -> bool:
        """Structured channels have a closed form if every residue is an input, or if they are very large."""
        channel = self.channel
        return isinstance(channel, Dense) or (not channel.is_full and channel.entries <= 1_000_000)

    def _capacity_by_symmetry(self) -> Ends:
        """log2 K - H(U) if every residue is an input; that is an upper bound if some are not, and I(X;Y) a lower."""
        noise = self.randomness()
        full = log2(Fraction(self.channel.outputs)) - noise.lower if isinstance(noise, Ends) else ZERO
        if isinstance(self.channel, Structured) and self.channel.is_full:
            return Ends.around(full)
        uniform = ChannelFacts(self.channel, [Fraction(1, self.channel.inputs)] * self.channel.inputs)
        below = uniform.mutual_information()
        if not isinstance(below, Ends):
            raise Refused("the capacity cannot be enclosed")
        return Ends(below.lower, full.at_least_zero(), below.room)

    def _capacity_by_witness(self, law: list[int]) -> Ends:
        """Σ p(x)·D_x ≤ C ≤ max D_x, where D_x = D(P(.|x) ‖ q) and q is the law of reports under the witness p.

        With p = b/B, P(y|x) = n/D and q(y) = T/(B·D): D_x = (Σ_y n ln n - Σ_y n ln T)/D + ln B.
        """
        channel, whole, mass = self.channel, self.channel.whole, sum(law)
        mixed = channel.mixed(law)
        logs = [_cached_ln(found) if found else None for found in mixed]
        lows, highs = [near.low if near else 0 for near in logs], [near.high if near else 0 for near in logs]
        unseen = [y for y, near in enumerate(logs) if near is None]
        shared, divergences, sizes = ln_of_integer(mass), [], []
        for x in range(channel.inputs):
            row = channel.row(x)
            if any(row[y] for y in unseen):
                raise Refused("capacity_bits: its witness leaves out reports that are possible, so it proves nothing")
            crossed = Near(sum(map(int.__mul__, row, lows)), sum(map(int.__mul__, row, highs))).over(whole)
            own = channel.row_logs[x].over(whole)
            divergences.append(own - crossed + shared)
            # Σ P(y|x)(|ln P(y|x)| + |ln q(y)|), which doubles are rounded in proportion to.
            sizes.append(ln_of_integer(whole) - own + ln_of_integer(mass * whole) - crossed)
        lower = total(near.times(weight) for near, weight in zip(divergences, law, strict=True)).over(mass)
        size = Fraction(largest(sizes).bits().high, ONE)
        room = ROOM + (channel.inputs + channel.outputs + 32) * (size + 2) / (1 << 52)
        return Ends(lower.bits().at_least_zero(), largest(divergences).bits().at_least_zero(), room)

    # Chernoff information -------------------------------------------------------------------------------------------

    def chernoff(self) -> Found:
        """-min over λ in [0, 1] of f(λ) = ln Σ p^λ q^(1-λ), over the reports that both answers allow.

        f is convex. At any λ, f(λ) is at least its minimum, and the tangent there shows that the minimum is not more
        than max(f'·λ, -f'·(1-λ), 0) below. λ is searched for in doubles and corrected by Newton's method with the
        enclosures themselves; whatever it is, what is returned is proven at that λ.
        """
        first, second = self._table()
        if first == second:
            return Ends.around(ZERO)
        shared = [(p, q) for p, q in zip(first, second, strict=True) if p and q]
        if not shared:
            return INFINITE
        if len(shared) > 20_000:
            raise TooLarge(f"{len(shared)} reports are too many to tilt")
        whole = ln_of_integer(self.channel.whole)
        terms = [(_cached_ln(q) - whole, _cached_ln(p) - _cached_ln(q)) for p, q in shared]
        place = int(_flattest(terms) * (1 << 64)) << (BITS - 64)
        for _ in range(3):
            value, slope, bend = _tilted(terms, place)
            middle = (slope.low + slope.high) // 2
            if middle and bend > 0:
                place = min(ONE, max(0, place - int(Fraction(middle) / Fraction(bend))))
        value, slope, _ = _tilted(terms, place)
        left, right = slope.scaled(Near(place, place)), slope.scaled(Near(ONE - place, ONE - place))
        drop = max(left.high, -right.low, 0)
        size = max(2 + abs(_as_float(q)) + abs(_as_float(rate)) for q, rate in terms)
        room = ROOM + Fraction(size) ** 2 / (1 << 47)
        found = ZERO - value
        return Ends(found.at_least_zero(), (found + Near(0, drop)).at_least_zero(), room)


def _as_float(near: Near) -> float:
    return near.low / ONE


def _flattest(terms: list[tuple[Near, Near]]) -> float:
    """Where the slope of f changes sign, in doubles."""
    plain = [(_as_float(q), _as_float(rate)) for q, rate in terms]
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        top = max(q + middle * rate for q, rate in plain)
        slope = math.fsum(math.exp(q + middle * rate - top) * rate for q, rate in plain)
        low, high = (middle, high) if slope < 0 else (low, middle)
    return low


def _tilted(terms: list[tuple[Near, Near]], place: int) -> tuple[Near, Near, float]:
    """f at λ = place/2^192, its slope Σ w·rate/Σ w with w = p^λ q^(1-λ), and its bend, roughly."""
    at = Near(place, place)
    exponents = [q + rate.scaled(at) for q, rate in terms]
    top = max(exponent.high for exponent in exponents)
    weights = [exp_of_minus(Near(top - exponent.high, top - exponent.low)) for exponent in exponents]
    mass = total(weights)
    slope = total(rate.scaled(weight) for weight, (_, rate) in zip(weights, terms, strict=True)).divided(mass)
    mean = _as_float(slope)
    bend = math.fsum(_as_float(w) * (_as_float(rate) - mean) ** 2 for w, (_, rate) in zip(weights, terms, strict=True))
    return ln_near(mass) + Near(top, top), slope, bend / _as_float(mass)


def sum_of_fractions(terms: list[Fraction]) -> Fraction:
    """Add in pairs, so that long denominators meet late; refuse a sum whose denominator would be too long."""
    while len(terms) > 1:
        terms = [sum(terms[place : place + 2], Fraction(0)) for place in range(0, len(terms), 2)]
        if sum(term.denominator.bit_length() for term in terms) > MOST_SUM_BITS:
            raise TooLarge("a sum of fractions has too long a denominator")
    return terms[0] if terms else Fraction(0)


def channel_rules(facts: ChannelFacts) -> list[Rule]:
    """What a certificate of a channel claims, apart from claims about records."""
    channel, prior = facts.channel, facts.prior
    dense = isinstance(channel, Dense)
    before = percent(1 - max(prior), DOWN)
    worst = Rule(
        measure="worst_guess_error",
        unit="probability",
        because="1 - max_y max_x P(x|y) [A, eq. (8)]",
        sentence=lambda value: (
            f"Whatever the report, that guesser is wrong at least {percent(value, DOWN)} of the time, "
            f"{facts.prior_words}; the worst is report {facts.worst_report[0] + 1} of {channel.outputs}."
        ),
        find=lambda _: facts.worst_report[1],
        exact=True,
    )
    rules = [
        Rule(
            measure="guess_error",
            unit="probability",
            because="1 - Σ_y max_x P(x)P(y|x) [A, eq. (8)]",
            sentence=lambda value: (
                f"A guesser who knows the prior is wrong at least {percent(value, DOWN)} of the time, "
                f"{facts.prior_words}; before seeing the report it was {before}."
            ),
            find=lambda _: 1 - facts.right_guesses,
            exact=True,
        ),
        *([worst] if dense else []),
        Rule(
            measure="odds",
            unit="ratio",
            because="max P(y|x)/P(y|x') [B, eq. (1)]",
            sentence=lambda value: (
                "Some report is possible under one answer and impossible under another, so no finite odds bound it."
                if value == INFINITE
                else f"No report favours one answer over another by more than {times(value)}."
            ),
            find=lambda _: facts.odds,
            exact=True,
        ),
        Rule(
            measure="epsilon",
            unit="nats",
            because="ln of the odds [B, eq. (1)]",
            sentence=lambda value: (
                "ε is infinite: local differential privacy gives no protection for some reports."
                if value == INFINITE
                else f"The channel is ε-locally differentially private with ε = {at_most(value)} (nats, rounded up)."
            ),
            find=lambda _: facts.epsilon(),
        ),
    ]
    if dense:
        rules.append(
            Rule(
                measure="exposure",
                unit="probability",
                because="max_x Σ_y P(y|x) over reports possible under x alone",
                sentence=lambda value: _exposure_words(value, channel.inputs),
                find=lambda _: facts.exposure(),
                exact=True,
            )
        )
    if dense and channel.inputs**2 * channel.outputs <= 20_000_000:
        rules.append(
            Rule(
                measure="total_variation",
                unit="probability",
                because="max ½‖P(.|x) - P(.|x')‖_1 over pairs of answers",
                sentence=lambda value: (
                    f"Changing one answer changes the chance of any event by at most {percent(value, UP)}."
                ),
                find=lambda _: facts.total_variation(),
                exact=True,
            )
        )
    rules += [
        Rule(
            measure="min_entropy_leakage_bits",
            unit="bits",
            because="log2 of the factor by which the chance of a right guess grows [Smith09]",
            sentence=lambda value: (
                f"Seeing the report improves the best single guess by at most {at_most(value)} bits."
            ),
            find=lambda _: facts.min_entropy_leakage(),
        ),
        Rule(
            measure="maximal_leakage_bits",
            unit="bits",
            because="log2 Σ_y max_x P(y|x) [IWK20]",
            sentence=lambda value: (
                f"Whatever is to be guessed about the data, and whatever the prior, the report improves the guess by "
                f"at most {at_most(value)} bits."
            ),
            find=lambda _: facts.maximal_leakage(),
        ),
        Rule(
            measure="mutual_information_bits",
            unit="bits",
            because="I(X;Y) [Sha48]",
            sentence=lambda value: (
                f"On average a report tells at most {at_most(value)} bits about the answer, {facts.prior_words}."
            ),
            find=lambda _: facts.mutual_information(),
        ),
        Rule(
            measure="max_information_bits",
            unit="bits",
            because="max log2 P(y|x)/P(y) [E, Def. 7]",
            sentence=lambda value: (
                f"No single report tells more than {at_most(value)} bits about the answer, {facts.prior_words}."
            ),
            find=lambda _: facts.max_information(),
        ),
        Rule(
            measure="capacity_bits",
            unit="bits",
            because="Σ p D(P_x‖q) ≤ C ≤ max_x D(P_x‖q) at the witness p [Sha48]",
            sentence=lambda value: f"Under no prior does a report tell more than {at_most(value)} bits on average.",
            find=facts.capacity,
            witnessed=facts.needs_witness,
        ),
        Rule(
            measure="randomness_bits",
            unit="bits",
            because="max_x H(Y|X=x) [B, eq. (2)]",
            sentence=lambda value: (
                f"A report needs at least {at_least(value)} random bits on average, for the answer that needs most."
            ),
            find=lambda _: facts.randomness(),
        ),
        Rule(
            measure="heaviest_output",
            unit="sum",
            because="max_y Σ_x P(y|x) ≤ 1 iff the data can be recovered with a key [B, Lemma 6; Bir46]",
            sentence=lambda value: (
                "A key exists, independent of the data, that turns reports back into answers."
                if value <= 1
                else "No key that is independent of the data can turn all reports back into answers."
            ),
            find=lambda _: facts.heaviest_output(),
            exact=True,
        ),
    ]
    return rules + (_two_answer_rules(facts) if dense and channel.inputs == 2 else [])


def _exposure_words(value: Fraction, inputs: int) -> str:
    if inputs == 1:
        return "There is only one possible answer, so every report is consistent with it alone."
    if value == 0:
        return "No report proves the answer behind it."
    return (
        f"With probability up to {percent(value, UP)} a respondent's answer is published: the report is possible under "
        f"that answer alone."
    )


def _two_answer_rules(facts: ChannelFacts) -> list[Rule]:
    share = percent(facts.prior[1])
    return [
        Rule(
            measure="chernoff_information",
            unit="nats",
            because="-min ln Σ p^λ q^(1-λ) over the common support [Che52]",
            sentence=lambda value: (
                "One report always tells the two answers apart."
                if value == INFINITE
                else f"If one person reported n times afresh, the guess error would fall like e^(-n·{at_most(value)})."
            ),
            find=lambda _: facts.chernoff(),
        ),
        Rule(
            measure="fisher_information",
            unit="per report",
            because="Σ (p_1-p_0)²/p_θ at θ = the prior of the second answer [C, Sec. II]",
            sentence=lambda value: (
                f"For use: each report is worth {at_least(value)} units of Fisher information about the share of the "
                f"second answer, when that share is {share}."
            ),
            find=lambda _: facts.fisher(),
            exact=True,
        ),
    ]


# Claims about one record, where inputs are tables of records ---------------------------------------------------------

INDIVIDUAL_GAP = Fraction(15, 10**7)
MOST_SEARCHED, SEARCH_ROUNDS = 3_000_000, 40  # a short search for somebody who learns more than is claimed
MOST_SELECTIONS = 500_000


@dataclass(frozen=True)
class RecordFacts:
    """A dense channel whose inputs are tables, ordered with the last record running fastest."""

    channel: Dense
    shape: list[int]

    def tables_by_value(self, record: int) -> list[list[int]]:
        """For each value of a record, the tables in which it has that value."""
        step = math.prod(self.shape[record + 1 :])
        found: list[list[int]] = [[] for _ in range(self.shape[record])]
        for table in range(self.channel.inputs):
            found[table // step % self.shape[record]].append(table)
        return found

    def neighbour_odds(self) -> Fraction | float:
        """max P(y|x)/P(y|x') over tables that differ in one record."""
        worst: Fraction | float = Fraction(1)
        for record in range(len(self.shape)):
            for tables in zip(*self.tables_by_value(record), strict=True):
                rows = [self.channel.table[table] for table in tables]
                worst = max(worst, *(_ratio(max(column), min(column)) for column in zip(*rows, strict=True)))
        return worst

    def selections(self) -> int:
        """How many selections of rows an adversary can make one record meet, over records that differ in that."""
        contests = {}
        for record in range(len(self.shape)):
            met = [{tuple(self.channel.table[t]) for t in tables} for tables in self.tables_by_value(record)]
            contests[tuple(sorted(hash(frozenset(rows)) for rows in met))] = math.prod(map(len, met))
        return sum(contests.values())

    def individual_capacity(self, claim: Claim) -> Found:
        """What the witness, an adversary's law of all records, tells about one of them, and the gap above it."""
        if claim.witness is None or len(claim.witness) != self.channel.inputs:
            raise Refused(f"{claim.measure}: its witness must have one weight for each table of records")
        reached = self.told(input_law(claim.witness, claim.measure))
        self._refute(claim)
        why = "the witness tells as much as is claimed, and I found none that tells more; that takes a longer search"
        return Ends.above(reached, INDIVIDUAL_GAP, ROOM / 3, why)

    def told(self, law: list[int]) -> Near:
        """The largest I(X_i;Y) over the records, in bits, if all of them have this joint law."""
        mass = sum(law)
        told = []
        for record in range(len(self.shape)):
            # Rows of P(value, y), in units of 1/(mass·D).
            joint, masses = [], []
            for tables in self.tables_by_value(record):
                rows = [[law[t] * entry for entry in self.channel.table[t]] for t in tables if law[t]]
                joint.append([sum(column) for column in zip(*rows, strict=True)])
                masses.append(sum(law[t] for t in tables) * self.channel.whole)
            reports = [sum(column) for column in zip(*(row for row in joint if row), strict=True)]
            inside = total(_n_ln_n(row) for row in joint if row)
            spread = inside - _n_ln_n(reports) - _n_ln_n(masses)
            told.append((spread.over(mass * self.channel.whole) + ln_of_integer(mass * self.channel.whole)).bits())
        return largest(told).at_least_zero()

    def _refute(self, claim: Claim) -> None:
        """Look for an adversary who learns more than is claimed: whoever is found is proof, whoever is not is none."""
        if not isinstance(claim.value, Interval):
            return
        plain = [[entry / self.channel.whole for entry in row] for row in self.channel.table]
        for record in range(len(self.shape)):
            first = [{tuple(self.channel.table[t]): t for t in reversed(ts)} for ts in self.tables_by_value(record)]
            choices = itertools.product(*(list(rows.values()) for rows in first))
            most = MOST_SEARCHED // (SEARCH_ROUNDS * len(first) * self.channel.outputs)
            for chosen in itertools.islice(choices, most):
                weights, bits = telling_weights([plain[table] for table in chosen])
                if bits <= claim.value.upper:
                    continue
                law = [0] * self.channel.inputs
                for table, weight in zip(chosen, weights, strict=True):
                    law[table] = weight
                if self.told(law).low > claim.value.upper * ONE:
                    raise Refused(f"{claim.measure}: I found an adversary who learns more than is claimed")


def telling_weights(rows: list[list[float]]) -> tuple[list[int], float]:
    """Weights of few inputs that tell much, by Blahut's and Arimoto's iteration in doubles, and how many bits, roughly.

    The weights are whole numbers in proportion. Nothing rests on them: what they tell is evaluated before it counts.
    """
    weights, told = [1 / len(rows)] * len(rows), 0.0
    own = [math.fsum(p * math.log(p) for p in row if p > 0) for row in rows]
    for _ in range(SEARCH_ROUNDS):
        outputs = [math.fsum(map(float.__mul__, weights, column)) for column in zip(*rows, strict=True)]
        logs = [math.log(output) if output > 0 else 0.0 for output in outputs]
        found = [base - math.fsum(map(float.__mul__, row, logs)) for base, row in zip(own, rows, strict=True)]
        told = math.fsum(map(float.__mul__, weights, found)) / math.log(2)
        weights = [weight * math.exp(nats - max(found)) for weight, nats in zip(weights, found, strict=True)]
        weights = [weight / math.fsum(weights) for weight in weights]
    return [max(1, int(weight * (1 << 53))) for weight in weights], told


def _ratio(high: int, low: int) -> Fraction | float:
    return Fraction(1) if high == low else INFINITE if low == 0 else Fraction(high, low)


def record_rules(channel: Dense, shape: list[int], measures: set[str]) -> list[Rule]:
    """What is claimed about one record; the individual capacity only where its selections are few enough."""
    facts = RecordFacts(channel, shape)
    everything = ChannelFacts(channel, [Fraction(1, channel.inputs)] * channel.inputs)
    rules = [
        Rule(
            measure="neighbour_odds",
            unit="ratio",
            because="e^ε [E, Def. 10]",
            sentence=lambda value: (
                "Changing one record can make a report possible that was impossible: no finite odds bound it."
                if value == INFINITE
                else f"Changing one record favours no report by more than {times(value)}: differential privacy, which "
                f"covers records that are independent of each other."
            ),
            find=lambda _: facts.neighbour_odds(),
            exact=True,
        ),
        Rule(
            measure="correlated_odds",
            unit="ratio",
            because="log of it is C_{1,∞} [E, Def. 8]",
            sentence=lambda value: (
                "Where records may be alike in any way, some report rules some value of a record out."
                if value == INFINITE
                else f"Where records may be alike in any way, a report can favour one value of a record over another "
                f"by up to {times(value)}."
            ),
            find=lambda _: everything.odds,
            exact=True,
        ),
    ]
    # Sfumato counts rows that are equal as doubles once, so it may claim the capacity where I count too many.
    if "individual_capacity_bits" in measures or facts.selections() <= MOST_SELECTIONS:
        rules.append(
            Rule(
                measure="individual_capacity_bits",
                unit="bits",
                because="C_1: the largest capacity over all rules that the other records can follow [E, Thm 2]",
                sentence=lambda value: (
                    f"Whoever looks at the report, with whatever correlations between the records in mind, learns at "
                    f"most {at_most(value)} bits about any one of them."
                ),
                find=facts.individual_capacity,
                witnessed=True,
            )
        )
    return rules


# The subject of a channel's certificate -------------------------------------------------------------------------------

MAKER_SAYS = "Its maker says, and this file alone cannot show, that"
CODE_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
# Control characters, and what Unicode calls ignorable: labels that differ by one look the same.
HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
MOST_MOVED = 1e-8
FAMILIES = {
    "arc_response",
    "binary_hadamard",
    "cyclic_response",
    "flags",
    "hadamard_response",
    "mechanism",
    "optimised_unary",
    "permanent_unary",
    "randomized_response",
    "sets",
    "subset_selection",
    "symmetric_unary",
    "tabulated",
}


def check_channel(subject: dict[str, Any], measures: set[str]) -> tuple[list[Rule], list[str]]:
    """Return the rules and notes of a certificate of a channel."""
    take(subject, ("channel", "prior"), ("shape", "mechanism", "made_exact", "collected"))
    channel = read_channel(subject["channel"])
    prior = law_of(subject["prior"])
    if len(prior) != channel.inputs or min(different(prior)) == 0:
        raise Refused("the prior does not give every input of the channel a positive probability")
    rules = channel_rules(ChannelFacts(channel, prior))
    if "shape" in subject:
        shape = subject["shape"]
        if not isinstance(shape, list) or not all(type(size) is int and size > 0 for size in shape):
            raise Unreadable("the certificate is damaged: the records have no sizes")
        if len(shape) > 64 or not shape or math.prod(shape) != channel.inputs:
            raise Refused("the records do not fit the channel")
        if isinstance(channel, Dense):
            rules += record_rules(channel, shape, measures)
    return rules, channel_notes(subject) + collected_notes(subject, keyed=0, back=False)


def read_channel(record: Any) -> AnyChannel:
    """Read a channel in any of its three spellings."""
    kind = record.get("kind") if isinstance(record, dict) else None
    if kind == "dense":
        take(record, ("kind", "inputs", "outputs", "rows"))
        if not isinstance(record["rows"], list) or not record["rows"]:
            raise Unreadable("the certificate is damaged: the channel has no rows")
        if sum(str(row).count(" ") + 1 for row in record["rows"]) > MOST_ENTRIES:
            raise TooLarge(f"the channel has more than {MOST_ENTRIES} entries")
        rows = [law_of(row) for row in record["rows"]]
        _check_labels(record["inputs"], len(rows))
        _check_labels(record["outputs"], len(rows[0]))
        if len({len(row) for row in rows}) != 1:
            raise Unreadable("the certificate is damaged: the rows of the channel differ in length")
        return Dense(rows)
    if kind == "circulant":
        take(record, ("kind", "input_count", "levels", "codes"))
        levels, codes = record["levels"], record["codes"]
        if not isinstance(levels, str) or not isinstance(codes, str) or not codes or not set(codes) <= set(CODE_DIGITS):
            raise Unreadable("the certificate is damaged: the channel has no codes")
        values = [fraction_of(text) for text in levels.split(" ")]
        used = sorted(CODE_DIGITS.index(digit) for digit in set(codes))
        if used != list(range(len(values))) or values != sorted(set(values)):
            raise Refused("the file is not in the one spelling of certificates")
        counts = [codes.count(digit) for digit in CODE_DIGITS[: len(values)]]
        if values[0] < 0 or sum(count * value for count, value in zip(counts, values, strict=True)) != 1:
            raise Unreadable("the certificate is damaged: the probabilities of a law do not sum to 1")
        of = dict(zip(CODE_DIGITS, values, strict=False))
        return Structured([of[digit] for digit in codes], whole_number(record["input_count"], 1, len(codes)))
    if kind == "circulant-law":
        take(record, ("kind", "input_count", "law"))
        law = law_of(record["law"])
        if len(set(law)) <= len(CODE_DIGITS):
            raise Refused("the file is not in the one spelling of certificates")
        return Structured(law, whole_number(record["input_count"], 1, len(law)))
    raise Unreadable("the certificate is damaged: its channel is of no kind that I know")


def _check_labels(labels: Any, count: int) -> None:
    def read(label: Any) -> Any:
        if isinstance(label, list):
            return tuple(read(part) for part in label)
        if type(label) is int:
            return label
        if not isinstance(label, str):
            raise Unreadable("the certificate is damaged: a label is neither text nor number")
        if not unicodedata.is_normalized("NFC", label) or HIDDEN.search(label):
            raise Unreadable("a label is not in Unicode NFC, or holds a control or zero-width character")
        return label

    if not isinstance(labels, list) or len(labels) != count or len({read(label) for label in labels}) != count:
        raise Unreadable("the certificate is damaged: labels are missing, or stand twice")


def channel_notes(subject: dict[str, Any]) -> list[str]:
    """How the channel and the prior came to be exact."""
    notes = []
    if "mechanism" in subject:
        family = subject["mechanism"]
        if not isinstance(family, str) or family not in FAMILIES:
            raise Refused("the mechanism is of no family that is known")
        name = "a mechanism" if family == "mechanism" else family
        notes.append(f"{MAKER_SAYS} this is the law that {name} samples, read from its integer thresholds.")
    if "made_exact" in subject:
        moved = subject["made_exact"]
        take(moved, (), ("channel", "prior"))
        if not moved or not all(_is_plain(far) and 0 <= far <= MOST_MOVED for far in moved.values()):
            raise Refused("an entry cannot have moved so far when it was made exact")
        notes += [
            f"{MAKER_SAYS} this is a {what} in float64 that was made exact by rounding each entry to a grid and "
            f"putting what was missing on the largest entry of its row; no entry moved by more than {moved[what]:.2g}."
            for what in ("channel", "prior")
            if what in moved
        ]
    return notes


# How reports came in, in certificates of channels and of ladders -----------------------------------------------------

MODES = {
    "anonymous": "whoever holds the server's files cannot tell by them who sent which report, but for the order in "
    "which they were written where few were waiting at the same time; times and network addresses seen on the way "
    "still link them.",
    "panel": "each report is kept under a pseudonym that the office can link to the person, and all reports of one "
    "person can be linked to each other.",
}


def collected_notes(subject: dict[str, Any], *, keyed: int, back: bool) -> list[str]:
    """What is said of the collection, if it can be so: `keyed` levels are opened by keys, `back` if answers are too."""
    if "collected" not in subject:
        return []
    told = subject["collected"]
    take(told, ("mode",), ("sealed_by", "guarantee", "recover"))
    if told["mode"] not in list(MODES):
        raise Refused("collected.mode is neither anonymous nor panel")
    if "recover" in told and told["recover"] is not True:
        raise Unreadable("the certificate is damaged: collected.recover is true, or is not there")
    if "recover" in told and not back:
        raise Refused("collected.recover says that answers come back, and the ladder has no key for that")
    sealed = keyed > 0 or "recover" in told
    if sealed != ("sealed_by" in told) or (sealed and told["sealed_by"] not in ["x25519", "mlkem768-x25519"]):
        raise Refused("collected.sealed_by names no cipher where keys show more, or one where there are no keys")
    if sealed != ("guarantee" in told) or (sealed and told["guarantee"] != "computational"):
        raise Refused("collected.guarantee is not computational where draws travel sealed, or is there without any")
    notes = [
        (
            f"{MAKER_SAYS} the reports were collected over the web, each drawn on the device of its respondent, which "
            f"the answer did not leave."
        ),
        f"{MAKER_SAYS} the mode is {told['mode']}: {MODES[told['mode']]}",
    ]
    if sealed:
        notes.append(
            f"Computational: what keys show beyond the public report is made of draws that devices sealed, by HPKE "
            f"with {told['sealed_by']}. Who has these and no key sees no more than the public, as long as that cipher "
            f"is not broken and the public keys are the readers' own; an advantage of 2^-64 against it adds what is "
            f"said of seeds above. The public report alone needs no such assumption."
        )
    if "recover" in told:
        notes.append(
            f"{MAKER_SAYS} the study opts into recovery over the web: devices sealed for the registrar what gives the "
            f"answers back."
        )
    elif back:
        notes.append(
            f"{MAKER_SAYS} the study does not opt into recovery over the web: no device sent what gives the answers "
            f"back, and nobody can recover them from these reports."
        )
    return notes


# ---------------------------------------------------------------------------------------------------------------------
# Ladders.
# ---------------------------------------------------------------------------------------------------------------------

MOST_LEVELS, MOST_LISTED, MOST_DECLARATION = 32, 6, 20_000
MOST_MODULUS, MOST_ORDER, MOST_PRIME, MOST_ARC_RESIDUES = 1 << 22, 256, 2048, 1 << 11
SMALL_ENTRIES = 20_000
MOST_OPTIONS, MOST_ASKED = 60, 16
MOST_MASK_BITS, MOST_SPACE_BITS, MOST_SET_RESIDUES = 22, 62, 64
_ODDS = re.compile(r"[0-9]{1,300}(/[0-9]{1,300})?")


@dataclass(frozen=True)
class Ladder:
    """Levels of odds o_1 > … > o_d over K reports, F of them favoured at each answer.

    At odds o, a report is the true residue plus a shift: each of the F favoured shifts has probability h, each other
    one l, with h = o·l and F·h + (K-F)·l = 1. So the law of the shift is uniform but for a part c(o) = h - l =
    (o-1)/(F·o + K - F), which grows with o. Adding an independent shift that is 0 with probability c'/c and uniform
    else takes the part from c to c' and leaves the set alone; so every level is made from the one above by such an
    erasure, for c(o_j) falls with j.

    *Odds.* No report favours an answer by more than h/l = o_j. Some report does by as much: D, the favoured set, is not
    mapped to itself by adding 1, or it would be all residues, and it is not; so some y lies in 0 + D and not in 1 + D,
    and 0 and 1 are among the answers. (With two reports the residues are those of a yes and a no, and D = {0}.)

    *Coalitions.* The levels below the best one of a coalition are that one plus shifts drawn apart from the answer. So
    whatever a coalition sees is a function of its best level and of noise that does not depend on the answer, and its
    odds are those of its best member: no more because of that, no less because it sees that level.
    """

    size: int
    modulus: int
    favoured: int
    odds: list[Fraction]
    recover: bool

    @property
    def tells_all(self) -> bool:
        """Whether a report and its key tell all answers apart."""
        return True

    @property
    def back(self) -> str:
        """Why a key gives answers back."""
        return "(x + u) - u = x mod K for every answer x and every key u"

    @property
    def level_reason(self) -> str:
        """Why whoever sees a level learns nothing from those below it."""
        if self.size * self.modulus**self.depth <= SMALL_ENTRIES:
            return "max P/P' over every joint report, written out [B, eq. (1)]"
        return "each level is the level above plus a shift drawn apart, checked exactly [B, Thm 3]"

    @property
    def key_reason(self) -> str:
        """What the bits of a key are the entropy of."""
        return "H of the sum of the steps below the level [B, Thm 4]"

    @property
    def remarks(self) -> list[str]:
        """What a reader of the claims has to know besides."""
        return []

    @property
    def depth(self) -> int:
        """How many levels there are."""
        return len(self.odds)

    def part(self, level: int) -> Fraction:
        """c(o) of a level."""
        return (self.odds[level - 1] - 1) / self._weight(level)

    def _weight(self, level: int) -> Fraction:
        return self.favoured * self.odds[level - 1] + self.modulus - self.favoured

    def level_entropy(self, level: int) -> Near:
        """H of the shift of a level, in bits."""
        low = 1 / self._weight(level)
        high = self.odds[level - 1] * low
        return entropy([(high, self.favoured), (low, self.modulus - self.favoured)])

    def erasure_entropy(self, above: int, below: int) -> Near:
        """H of what takes one level to another, in bits."""
        erased = (1 - self.part(below) / self.part(above)) / self.modulus
        return entropy([(1 - (self.modulus - 1) * erased, 1), (erased, self.modulus - 1)])


@dataclass(frozen=True)
class FlippedOptions(Ladder):
    """Levels over m of k options, each reported by a bit that is flipped apart from the others.

    An answer is a set of options; m of them are assigned in public, and the report is the m bits that say which of
    these were chosen, xor a mask of flips. At odds o of the report a flip has odds e = o^(1/m) and chance f = 1/(e+1),
    so a report with j bits off the truth has probability f^j·(1-f)^(m-j).

    *Odds.* The probabilities of a report under two answers are at most ((1-f)/f)^m = o apart, and two answers that
    differ in all m options have just that. Which options are assigned does not depend on the answer, so knowing it
    adds nothing.

    *Steps.* A bit that is flipped with chance f keeps a part c(e) = 1-2f = (e-1)/(e+1) of what it says; another flip
    of chance g multiplies that by 1-2g. So flips of chance (1 - c'/c)/2 take a level to the next, for c falls with o,
    and coalitions are as above.
    """

    options: int = 0
    asked: int = 0

    @property
    def tells_all(self) -> bool:
        """Unless some options are not asked."""
        return self.asked == self.options

    @property
    def back(self) -> str:
        """A mask is its own opposite."""
        return "(x xor u) xor u = x for every answer x and every key u"

    @property
    def remarks(self) -> list[str]:
        """What a report is about."""
        if self.asked == self.options:
            return [f"An answer is a set of the {self.options} options; a report is about all of them."]
        said = (
            f"An answer is a set of the {self.options} options. A report is about {self.asked} of them, which the "
            f"number of its row decides in public and not the answer; of the others it says nothing, and no key gives "
            f"them back from it."
        )
        return [said]

    def flip_odds(self, level: int) -> Fraction:
        """The odds of one flip at a level."""
        odds = self.odds[level - 1]
        return Fraction(whole_root(odds.numerator, self.asked), whole_root(odds.denominator, self.asked))

    def part(self, level: int) -> Fraction:
        """c(e) of a level."""
        return (self.flip_odds(level) - 1) / (self.flip_odds(level) + 1)

    def level_entropy(self, level: int) -> Near:
        """H of all flips of a level, in bits."""
        return self._flips((1 - self.part(level)) / 2)

    def erasure_entropy(self, above: int, below: int) -> Near:
        """H of the flips that take one level to another, in bits."""
        return self._flips((1 - self.part(below) / self.part(above)) / 2)

    def _flips(self, chance: Fraction) -> Near:
        return entropy([(chance, 1), (1 - chance, 1)]).times(self.asked)


@dataclass(frozen=True)
class Nested(Ladder):
    """Levels whose favoured sets lie inside one another, the sharpest level having the smallest.

    The set of level d is public; going up, the set of a level is a uniform one inside that of the level below, or with
    chance λ any; and an element u is drawn, each that the set of level 1 favours o_1 times as probable as another. None
    of this looks at the answer x; x less u is published, which moves sets one to one, so what favours u favours x where
    it was moved.

    *Levels.* Given the set of a level, u is one of the F that it favours with weight o each, or another with weight 1.
    Given only the set below it, which favours F', each of these is favoured by the set above in a share s = F/F' of
    cases, and no other is; so they have weight 1 + (o-1)s =: o'. With chance λ the set above is any, and u uniform; so
    the odds of the level below are (1-λ)·o'/W' + λ/K over (1-λ)/W' + λ/K, with W' = F'·o' + K - F' the weight of all K.
    That is o where λ/(1-λ) = K(o'-o)/(W'(o-1)), which is a chance where o' ≥ o. So given report and key of level j, an
    answer is o_j times as probable as another, or as probable; and two answers are told apart by some report.

    *Coalitions.* The sets below the best one of a coalition are drawn with it and apart from x; given its own set, what
    a coalition holds besides has a law that does not depend on u. So its odds are those of its best member.

    *Bits.* Of the N sets of a level n lie inside one of a level below, so a set that is kept with chance κ has a law of
    two levels, κ/n + (1-κ)/N and (1-κ)/N; several steps are one, with the product of their κ.
    """

    parts: tuple[int, ...] = ()

    @property
    def key_reason(self) -> str:
        """The element, or the space."""
        return "H of what a level has more than the public [B, Thm 4]"

    def even(self, level: int) -> int:
        """How many elements the sets of a level favour."""
        raise NotImplementedError

    def counts(self, above: int, below: int) -> tuple[int, int]:
        """How many sets of a level lie inside one of a level below, and how many there are."""
        raise NotImplementedError

    def left(self, level: int) -> Fraction:
        """The odds that are left of a level's where only the set of the next is known."""
        return 1 + (self.odds[level - 1] - 1) * Fraction(self.even(level), self.even(level + 1))

    def kept(self, above: int) -> Fraction:
        """With which chance the set of the level below has to do with that of a level."""
        left, wanted = self.left(above), self.odds[above]
        weight = self.even(above + 1) * (left - 1) + self.modulus
        return 1 / (1 + self.modulus * (left - wanted) / (weight * (wanted - 1)))

    def level_entropy(self, level: int) -> Near:
        """H of an element drawn for a level, in bits."""
        even, odds = self.even(level), self.odds[level - 1]
        low = 1 / (even * odds + self.modulus - even)
        return entropy([(odds * low, even), (low, self.modulus - even)])

    def erasure_entropy(self, above: int, below: int) -> Near:
        """H of the set of a level given one below it, in bits."""
        kept = Fraction(1)
        for level in range(above, below):
            kept *= self.kept(level)
        inside, every = self.counts(above, below)
        rare = (1 - kept) / every
        return entropy([(kept / inside + rare, inside), (rare, every - inside)])

    def check_levels(self) -> None:
        """Refuse odds that words cannot draw, or that what is left of the level above does not reach."""
        for level, value in enumerate(self.odds, start=1):
            even = self.even(level)
            weight = value.numerator * even + value.denominator * (self.modulus - even)
            if max(weight, self.modulus) + 1 > 1 << 64:
                raise Refused("the odds of a level are finer than the words it is drawn from")
        if any(self.left(level) < self.odds[level] for level in range(1, self.depth)):
            raise Refused("a level of the ladder cannot be made from the one above it")


@dataclass(frozen=True)
class Flags(Nested):
    """Levels over spaces of masks of t bits, of dimensions c_1 ≥ … ≥ c_d.

    Answers are elements of GF(2^t) but 0; a mask reads one by the parity of the bits they share. A space of masks
    favours the 2^(t-c)-1 elements at which all are even, and a larger one fewer. x/u is published; 0 and 1, whose
    elements are not multiples of one another by 1, are told apart. There are [t-c', c-c'] spaces of dimension c above
    one of dimension c' and [t, c] in all; that number is found by [t, c] = [t-1, c-1] + 2^c·[t-1, c].
    """

    length: int = 0

    @property
    def back(self) -> str:
        """Multiplying undoes dividing."""
        return "(x/u)·u = x in the field for every answer x and every key u"

    @property
    def level_reason(self) -> str:
        """Spaces are drawn from one another."""
        return (
            "masks of a level are drawn from those of the level above, apart from the answer, checked exactly "
            "[B, Thm 3]"
        )

    @property
    def remarks(self) -> list[str]:
        """What a report is about."""
        shown = ", ".join(map(str, self.parts))
        said = (
            f"Answers are elements of a field of 2^{self.length}. What is drawn for a row, spaces of masks of "
            f"dimension {shown} from the sharpest level to the public one and an element, does not depend on the "
            f"answer; the masks of the public level follow from the number of the row. The claims hold for every row."
        )
        return [said]

    def even(self, level: int) -> int:
        """At how many elements the masks of a level are all even."""
        return (1 << (self.length - self.parts[level - 1])) - 1

    def counts(self, above: int, below: int) -> tuple[int, int]:
        """How many spaces of a level lie above one of a level below, and how many there are."""
        high, low = self.parts[above - 1], self.parts[below - 1]
        return mask_spaces(self.length - low, high - low), mask_spaces(self.length, high)


@dataclass(frozen=True)
class NestedSets(Nested):
    """Levels over sets of residues mod k, of d_1 ≤ … ≤ d_d members, which are what they favour.

    Answers are the residues, and x-u is published. There are C(d', d) sets of d members in one of d', C(k, d) in all.
    """

    @property
    def back(self) -> str:
        """Adding undoes taking away."""
        return "(x-u)+u = x mod k for every answer x and every key u"

    @property
    def level_reason(self) -> str:
        """Sets are drawn around one another."""
        return (
            "the set of a level is drawn around that of the level above, apart from the answer, checked exactly "
            "[B, Thm 3]"
        )

    @property
    def remarks(self) -> list[str]:
        """What a report is about."""
        shown = ", ".join(map(str, self.parts))
        said = (
            f"Answers are residues mod {self.modulus}. What is drawn for a row, sets of {shown} residues from the "
            f"sharpest level to the public one and a residue, does not depend on the answer; the set of the public "
            f"level follows from the number of the row. The claims hold for every row."
        )
        return [said]

    def even(self, level: int) -> int:
        """How many members the sets of a level have."""
        return self.parts[level - 1]

    def counts(self, above: int, below: int) -> tuple[int, int]:
        """How many sets of a level lie inside one of a level below, and how many there are."""
        members = self.parts[above - 1]
        return math.comb(self.parts[below - 1], members), math.comb(self.modulus, members)


def mask_spaces(length: int, dimension: int) -> int:
    """How many spaces of a dimension there are among masks of a length."""
    row = [1]
    for _ in range(length):
        row = [1, *(row[c - 1] + int(2**c) * row[c] for c in range(1, len(row))), 1]
    return row[dimension]


def whole_root(number: int, degree: int) -> int:
    """The largest whole number whose power is no more than a number."""
    root = 1 << -(-number.bit_length() // degree)
    while root**degree > number:
        root = ((degree - 1) * root + number // root ** (degree - 1)) // degree
    return root


def entropy(law: Iterable[tuple[Fraction, int]]) -> Near:
    """-Σ count·p·log2 p, in bits."""
    terms = [
        Near(-near.high, -near.low).times(p.numerator * count).over(p.denominator)
        for p, count in law
        if p
        for near in [ln(p)]
    ]
    return total(terms).bits().at_least_zero()


def check_ladder(subject: dict[str, Any], _: set[str]) -> tuple[list[Rule], list[str]]:
    """Return the rules and notes of a certificate of a ladder."""
    take(subject, ("ladder",), ("readers", "collected"))
    ladder = read_ladder(subject["ladder"])
    named = read_readers(subject["readers"], ladder.depth) if "readers" in subject else None
    words = LevelWords(ladder.depth, named)
    levels = range(1, ladder.depth + 1)
    rules = [rule for level in levels for rule in _level_rules(ladder, words, level)]
    rules += [rule for group in _coalitions(ladder.depth) for rule in _coalition_rules(ladder, words, group)]
    rules += _cost_rules(ladder, words)
    how = collected_notes(subject, keyed=ladder.depth - 1, back=ladder.recover and ladder.tells_all)
    return rules, ladder_notes(words, ladder.remarks, ladder.size) + how


def read_readers(readers: Any, depth: int) -> list[list[str]]:
    """Read the names of those who see each level but the public one."""
    damaged = Unreadable("the certificate is damaged: the readers of its ladder cannot be read")
    if not isinstance(readers, list) or len(readers) != depth - 1:
        raise damaged
    if not all(isinstance(level, list) and level for level in readers):
        raise damaged
    names = [name for level in readers for name in level]
    if not all(isinstance(name, str) and _is_name(name) for name in names):
        raise damaged
    if len({name.lower() for name in names}) != len(names):
        raise damaged
    return readers


def _is_name(text: str) -> bool:
    """Letters, digits, - and _, in at most 100 bytes; two words are kept."""
    letters = [letter for letter in text if letter not in "-_"]
    good = bool(letters) and all(letter.isalnum() for letter in letters)
    return good and len(text.encode(errors="replace")) <= 100 and text.lower() not in {"public", "registrar"}


@dataclass(frozen=True)
class LevelWords:
    """What a certificate calls the levels: by number, or by who sees them."""

    depth: int
    named: list[list[str]] | None

    def people(self, level: int) -> list[str]:
        """Who sees a level, where they have names."""
        if level == 0:
            return ["the registrar"]
        return ["the public"] if self.named is None or level == self.depth else self.named[level - 1]

    def see(self, level: int) -> str:
        """They see, or one sees."""
        people = self.people(level)
        return join_names(people, "and") + (" sees" if len(people) == 1 else " see")

    def reports(self, level: int) -> str:
        """Which reports."""
        return f"of level {level}" if self.named is None else f"that {self.see(level)}"

    def what(self, level: int) -> str:
        """What is private."""
        return f"Level {level}" if self.named is None else f"What {self.see(level)}"

    def key(self, level: int) -> str:
        """Whose key."""
        return f"of level {level}" if self.named is None else f"of {join_names(self.people(level), 'or')}"

    def recovering(self) -> str:
        """Which key gives answers back."""
        return "the key of level 0" if self.named is None else "the registrar's key"

    def coalition(self, group: tuple[int, ...]) -> str:
        """Who sees no more than whom."""
        best = min(group)
        if self.named is None:
            if len(group) > 1:
                numbers = join_names([str(level) for level in group], "and")
                return f"Analysts {numbers} together see no more than analyst {best} alone"
            if best == self.depth:
                return f"The public sees no more than level {best} tells"
            return f"Analyst {best}, who knows the public report too, sees no more than level {best} tells"
        if len(group) > 1:
            people = join_names([name for level in group for name in self.people(level)], "and")
            return f"Together, {people} see no more than {join_names(self.people(best), 'or')} alone"
        if best == self.depth:
            return "The public sees no more than its report tells"
        own = "its own" if len(self.people(best)) == 1 else "their own"
        return f"With the public report beside {own}, {self.see(best)} no more than {own} tells"

    def note(self) -> str:
        """What the numbers of the levels mean."""
        if self.named is None:
            return (
                f"Levels are numbered from the sharpest. Level {self.depth} is the public report, which everybody "
                f"sees: whoever holds the key of another level sees both."
            )
        who = "; ".join(f"{level} is {join_names(self.people(level), 'and')}" for level in range(1, self.depth + 1))
        return (
            f"Levels are numbered from the sharpest: {who}. Everybody sees the public report: whoever holds a key sees "
            f"both."
        )


def join_names(names: list[str], word: str) -> str:
    """A, b and c."""
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def read_ladder(text: Any) -> Ladder:
    """Read the declaration of a ladder, in its one spelling."""
    damaged = Unreadable("the certificate is damaged: the declaration of its ladder cannot be read")
    if not isinstance(text, str) or len(text) > MOST_DECLARATION:
        raise damaged
    document = _parse(text.encode(errors="replace"))
    kind = document.get("mechanism") if isinstance(document, dict) else None
    own = LADDER_KEYS.get(str(kind))
    if own is None or list(document) != ["mechanism", *own, "odds", "recover"]:
        raise damaged
    if json.dumps(document, separators=(",", ":")) != text or not isinstance(document["odds"], list):
        raise damaged
    if not all(isinstance(odds, str) and _ODDS.fullmatch(odds) for odds in document["odds"]):
        raise damaged
    odds = [fraction_of(value) for value in document["odds"]]
    falling = all(upper > lower for upper, lower in itertools.pairwise(odds))
    if not 1 <= len(odds) <= MOST_LEVELS or not falling or odds[-1] <= 1 or type(document["recover"]) is not bool:
        raise Refused("the odds of the ladder do not fall from level to level, or end at 1")
    if kind == "assigned_options":
        return _flipped_options(document, odds)
    if kind == "flags":
        return _flags(document, odds)
    if kind == "sets":
        return _nested_sets(document, odds)
    size = whole_number(document["size"], 2, 1 << 63)
    modulus, favoured = FAVOURED_SETS[str(kind)](document, size)
    ladder = Ladder(size, modulus, favoured, odds, document["recover"])
    if kind == "binary_hadamard" and ladder.recover and size != 2:
        raise Refused("one bit and a key do not tell so many answers apart")
    for value in odds:
        weight = value.numerator * favoured + value.denominator * (modulus - favoured)
        if max(weight, modulus) + (kind != "binary_hadamard") > 1 << 64:
            raise Refused("the odds of a level are finer than the words it is drawn from")
    return ladder


def _flipped_options(document: dict[str, Any], odds: list[Fraction]) -> FlippedOptions:
    """The ladder over m of k options."""
    options = whole_number(document["options"], 2, MOST_OPTIONS)
    asked = whole_number(document["asked"], 1, min(options, MOST_ASKED))
    ladder = FlippedOptions(1 << options, 1 << asked, 1, odds, document["recover"], options, asked)
    if any(ladder.flip_odds(level) ** asked != value for level, value in enumerate(odds, start=1)):
        raise Refused("the odds of a level are not those of as many equal flips as options are asked")
    return ladder


def _flags(document: dict[str, Any], odds: list[Fraction]) -> Flags:
    """The ladder over spaces of masks."""
    size = whole_number(document["size"], 2, 1 << 63)
    length = whole_number(document["length"], 2, MOST_MASK_BITS)
    given = document["dimensions"]
    if not isinstance(given, list) or not given:
        raise Unreadable("the certificate is damaged: the declaration of its ladder cannot be read")
    dimensions = tuple(whole_number(dimension, 1, length - 1) for dimension in given)
    if len(dimensions) != len(odds) or any(above < below for above, below in itertools.pairwise(dimensions)):
        raise Refused("the masks of the ladder do not lie inside one another")
    modulus = 2**length - 1
    if size > modulus:
        raise Refused("the field does not hold the answers")
    if any(mask_spaces(length, c) << length > 1 << MOST_SPACE_BITS for c in range(1, dimensions[0] + 1)):
        raise Refused("the masks of a level are more than words can number")
    ladder = Flags(size, modulus, 2 ** (length - dimensions[-1]) - 1, odds, document["recover"], dimensions, length)
    ladder.check_levels()
    return ladder


def _nested_sets(document: dict[str, Any], odds: list[Fraction]) -> NestedSets:
    """The ladder over sets of residues."""
    size = whole_number(document["size"], 2, MOST_SET_RESIDUES)
    given = document["sizes"]
    if not isinstance(given, list) or not given:
        raise Unreadable("the certificate is damaged: the declaration of its ladder cannot be read")
    sizes = tuple(whole_number(members, 1, size - 1) for members in given)
    if len(sizes) != len(odds) or any(above > below for above, below in itertools.pairwise(sizes)):
        raise Refused("the sets of the ladder do not lie inside one another")
    if any(math.comb(size, members) * size > 1 << MOST_SPACE_BITS for members in sizes[:-1]):
        raise Refused("the sets of a level are more than words can number")
    ladder = NestedSets(size, size, sizes[-1], odds, document["recover"], sizes)
    ladder.check_levels()
    return ladder


def _one_bit(_document: dict[str, Any], _size: int) -> tuple[int, int]:
    """(K, F) of a bit: of the two shifts, not to flip is favoured."""
    return 2, 1


def _arc(document: dict[str, Any], size: int) -> tuple[int, int]:
    """(K, F) of a run of favoured shifts 0..F-1.

    The answers stand at 0, 1, …, and the favoured reports of the last end at K-1, so that none wraps. Where the last
    answer stands apart, it stands F-1 further on, and F more residues hold its own favoured reports.
    """
    length = whole_number(document["length"], 1, MOST_ARC_RESIDUES)
    if type(document["apart"]) is not bool:
        raise Unreadable("the certificate is damaged: the declaration of its ladder cannot be read")
    modulus = size - 1 + 2 * length - 1 if document["apart"] else size + length - 1
    if modulus > MOST_ARC_RESIDUES or size - document["apart"] < 2:
        raise Refused("the favoured arc does not fit the answers")
    return modulus, length


def _difference_set(document: dict[str, Any], size: int) -> tuple[int, int]:
    """(K, F) of a set of favoured shifts. Singer's and Paley's theorems say that there is one for these numbers."""
    q, t = whole_number(document["q"], 2, MOST_MODULUS), whole_number(document["t"], 1, 40)
    if document["family"] == "Singer":
        most = MOST_PRIME if prime_factors(q) == {q} else MOST_ORDER
        if t < 2 or q > most or len(prime_factors(q)) != 1:
            raise Refused("there is no Singer set of these numbers")
        modulus, favoured = (q**t - 1) // (q - 1), (q ** (t - 1) - 1) // (q - 1)
    elif document["family"] == "Paley":
        if t != 1 or q % 4 != 3 or prime_factors(q) != {q}:
            raise Refused("there is no Paley set of these numbers")
        modulus, favoured = q, (q - 1) // 2
    else:
        raise Unreadable("the certificate is damaged: the declaration of its ladder cannot be read")
    if not max(3, size) <= modulus <= MOST_MODULUS:
        raise Refused("the set of favoured shifts does not fit the answers")
    return modulus, favoured


LADDER_KEYS = {
    "arc_response": ("size", "length", "apart"),
    "assigned_options": ("options", "asked"),
    "binary_hadamard": ("size",),
    "cyclic_response": ("size", "family", "q", "t"),
    "flags": ("size", "length", "dimensions"),
    "sets": ("size", "sizes"),
}
FAVOURED_SETS = {"arc_response": _arc, "binary_hadamard": _one_bit, "cyclic_response": _difference_set}


def prime_factors(number: int) -> set[int]:
    """The primes that divide a number of at most 2^22."""
    found, prime = set(), 2
    while prime * prime <= number:
        while number % prime == 0:
            found.add(prime)
            number //= prime
        prime += 1
    return found | ({number} if number > 1 else set())


def _coalitions(depth: int) -> list[tuple[int, ...]]:
    sizes = range(1, depth + 1) if depth <= MOST_LISTED else (1, 2, depth)
    return [group for size in sizes for group in itertools.combinations(range(1, depth + 1), size)]


def _level_rules(ladder: Ladder, words: LevelWords, level: int) -> list[Rule]:
    odds = ladder.odds[level - 1]
    return [
        Rule(
            measure=f"odds_level_{level}",
            unit="ratio",
            because="max P(y|x)/P(y|x') over the channel of the level [B, eq. (1)]",
            sentence=lambda value: (
                f"No report {words.reports(level)} favours one answer over another by more than {times(value)}."
            ),
            find=lambda _: odds,
            exact=True,
        ),
        Rule(
            measure=f"epsilon_level_{level}",
            unit="nats",
            because="ln of the odds [B, eq. (1)]",
            sentence=lambda value: (
                f"{words.what(level)} is ε-locally differentially private with ε = {at_most(value)} (nats, rounded up)."
            ),
            find=lambda _: Ends.around(ln(odds)),
        ),
    ]


def _coalition_rules(ladder: Ladder, words: LevelWords, group: tuple[int, ...]) -> list[Rule]:
    best = min(group)
    odds = ladder.odds[best - 1]
    seen = words.coalition(group)
    name = "_".join(map(str, group))
    return [
        Rule(
            measure=f"odds_coalition_{name}",
            unit="ratio",
            because=ladder.level_reason,
            sentence=lambda value: f"{seen}: odds {at_most(value)}.",
            find=lambda _: odds,
            exact=True,
        ),
        Rule(
            measure=f"epsilon_coalition_{name}",
            unit="nats",
            because="ln of the joint odds",
            sentence=lambda value: f"{seen}: ε = {at_most(value)} (nats, rounded up).",
            find=lambda _: Ends.around(ln(odds)),
        ),
    ]


def _cost_rules(ladder: Ladder, words: LevelWords) -> list[Rule]:
    depth = ladder.depth

    def together(_: Claim) -> Found:
        steps = [ladder.level_entropy(1), *(ladder.erasure_entropy(level - 1, level) for level in range(2, depth + 1))]
        return Ends.around(total(steps))

    def apart(_: Claim) -> Found:
        return Ends.around(total(ladder.level_entropy(level) for level in range(1, depth + 1)))

    rules = [
        Rule(
            measure="randomness_bits",
            unit="bits",
            because="Σ H(step) [B, Thm 3]",
            sentence=lambda value: f"One report that serves all levels needs at least {at_least(value)} random bits.",
            find=together,
        ),
        Rule(
            measure="separate_randomness_bits",
            unit="bits",
            because="Σ H(Y|X) of the levels",
            sentence=lambda value: (
                f"Separate reports, one for each level, would need at least {at_least(value)} random bits."
            ),
            find=apart,
        ),
    ]
    rules += [_key_rule(ladder, words, level) for level in range(0 if ladder.recover else 1, depth)]
    if ladder.recover and ladder.tells_all:
        rules.append(
            Rule(
                measure="recovered",
                unit="probability",
                because=ladder.back,
                sentence=lambda _: f"Whoever holds {words.recovering()} gets every answer back, without exception.",
                find=lambda _: Fraction(1),
                exact=True,
            )
        )
    return rules


def _key_rule(ladder: Ladder, words: LevelWords, level: int) -> Rule:
    """The key of a level undoes all steps below it at once; that of level 0 undoes the whole shift."""
    depth, answer = ladder.depth, log2(Fraction(ladder.size))

    def find(_: Claim) -> Found:
        return Ends.around(ladder.level_entropy(depth) if level == 0 else ladder.erasure_entropy(level, depth))

    return Rule(
        measure=f"key_bits_level_{level}",
        unit="bits",
        because=ladder.key_reason,
        sentence=lambda value: words_for(
            answer,
            lambda plain: (
                f"A true key {words.key(level)} takes at least {at_least(value)} bits for each row; storing "
                f"the answer itself takes at most {plain}."
            ),
        ),
        find=find,
    )


def seed_gap(size: int) -> str:
    """At most h2(a) + a·log2(size - 1) bits more for an advantage of a = 2^-64 against the cipher, in two digits.

    By a test for each event on an answer X and what is computed from the reports, an advantage above a is needed to
    move their joint law by more than a in total variation; conditional entropy then moves by no more than this. And
    h2(a)/a ≤ 64 + log2 e < 65.442696, since (1-a)·ln(1/(1-a)) ≤ a; log2(size - 1) is rounded up to a whole number.
    """
    millionths = 65_442_696 + 10**6 * (size - 2).bit_length()
    whole, tenth = divmod(-(-millionths * 10**13 // 2**64), 10)
    return f"{whole}.{tenth}e-18"


_PAD = "P((r + U) mod R = s) = P(U = s - r) = 1/R for every answer r, whatever else is known"


def check_sealed(subject: dict[str, Any], _: set[str]) -> tuple[list[Rule], list[str]]:
    """Return the rules and notes of a certificate of a sealed column: a one-time pad on so many numbers."""
    take(subject, ("size",))
    size = whole_number(subject["size"], 2, (1 << 32) - 1)
    rules = [
        Rule(
            measure="odds",
            unit="ratio",
            because=_PAD,
            sentence=lambda _: (
                "Without the registrar's key every sealed number is as probable under one answer as under another."
            ),
            find=lambda _: Fraction(1),
            exact=True,
        ),
        Rule(
            measure="leakage_bits",
            unit="bits",
            because=_PAD,
            sentence=lambda _: (
                "Without the registrar's key the sealed column is independent of everything: of the answers, of the "
                "reports, of what other keys show, and of every other column."
            ),
            find=lambda _: Fraction(0),
            exact=True,
        ),
        Rule(
            measure="recovered",
            unit="probability",
            because="(r + U) - U = r mod R for every answer r and every U [B, Lemma 6]",
            sentence=lambda _: "Whoever holds the registrar's key gets every answer back as it was, without exception.",
            find=lambda _: Fraction(1),
            exact=True,
        ),
        Rule(
            measure="key_bits",
            unit="bits",
            because="H of a uniform draw from R numbers is log2 R",
            sentence=lambda value: f"The key takes at least {at_least(value)} bits for each row.",
            find=lambda _: Ends.around(log2(Fraction(size))),
        ),
    ]
    gaps = (
        "The claims are about the cells that are filled. Where a cell is empty, so is the report beside it, for "
        "everybody to see."
    )
    seeds = (
        f"The claims are about true draws. A key that is expanded from a seed protects as much against readers who "
        f"cannot break the cipher, and against no others: if nothing that a reader can compute tells its output from "
        f"true draws with an advantage above 2^-64, then what a reader can compute from the column tells at most "
        f"{seed_gap(size)} bits about an answer."
    )
    return rules, [gaps, seeds]


def ladder_notes(words: LevelWords, remarks: list[str], size: int) -> list[str]:
    """What a reader of the claims has to know."""
    depth = words.depth
    seeds = (
        f"The claims are about true draws. Keys that are expanded from a seed protect as much against readers who "
        f"cannot break the cipher, and against no others: if nothing that a reader can compute tells its output from "
        f"true draws with an advantage above 2^-64, then what a reader can compute from the reports tells at most "
        f"{seed_gap(size)} bits more about an answer, and a guess is right at most 2^-64 more often."
    )
    amended = (
        "The claims are about one report for an answer. That an answer was amended later is seen by everybody and "
        "covered by no claim; of two answers it tells which one is true now. The report that is drawn anew adds its "
        "own odds."
    )
    notes = [words.note(), seeds, amended, *remarks]
    if depth > MOST_LISTED:
        notes.append(
            f"Of the coalitions of {depth} levels only single levels, pairs and all together are listed; any other has "
            f"the odds of its best member by the same argument."
        )
    return notes


# ---------------------------------------------------------------------------------------------------------------------
# Noise.
# ---------------------------------------------------------------------------------------------------------------------

MOST_STEPS, MOST_NOISE_DIGITS, MOST_VALUES = 2_000, 400, 10**9
MOST_RACE = 25_000_000
MOST_PAIRS_WORK = 100_000  # steps times reach, for which all pairs of values are gone through
SELECTION_GAP = Fraction(2, 10**7)
_TAIL_NATS = 56  # the tails begin where e^-56 < 2^-80 is left of the peak


@dataclass(frozen=True)
class Noise:
    """Whole numbers x in -m..m plus noise with P(z) = g(z)/Z, g(z) = e^(-z²/2s), on all whole numbers.

    Beyond R from every position of a witness, any row has at most τ = 2·g(R+1)/(1 - e^(-(R+1)/s)) of its mass, since
    Z ≥ 1 and g(R+1+k) ≤ g(R+1)·e^(-k(R+1)/s): a geometric series on either side.
    """

    steps: int
    variance: Fraction

    @cached_property
    def reach(self) -> int:
        """R, with (R+1)²/2s ≥ 56."""
        return math.isqrt(math.ceil(2 * _TAIL_NATS * self.variance)) + 1

    @cached_property
    def exponents(self) -> list[Near]:
        """z²/2s for z = 0, 1, …, 2m+R."""
        above, below = self.variance.denominator, 2 * self.variance.numerator
        return [exactly(Fraction(z * z * above, below)) for z in range(2 * self.steps + self.reach + 1)]

    @cached_property
    def peaks(self) -> list[Near]:
        """g(z) for the same z."""
        return [exp_of_minus(exponent) for exponent in self.exponents]

    @cached_property
    def tail(self) -> Near:
        """At most τ: what rows have beyond R."""
        first = exp_of_minus(exactly(Fraction((self.reach + 1) ** 2) / (2 * self.variance)))
        ratio = exp_of_minus(exactly(Fraction(self.reach + 1) / self.variance))
        return first.times(2).divided(Near(ONE, ONE) - ratio)

    @cached_property
    def mass(self) -> Near:
        """Z, the tail of the sum included."""
        found = Near(ONE, ONE) + total(self.peaks[1:]).times(2)
        return Near(found.low, found.high + self.tail.high)

    def divergences(self, positions: list[int], law: list[int], inputs: Sequence[int]) -> tuple[list[Near], Near]:
        """D(W_x‖q) in nats for some x, up to the tails, and the largest Σ W_x·|ln Q|.

        q is the law of the outputs under the witness p. With Q(y) = Σ p·g(y - position), which is at most 1, Z cancels:
        D = (Σ_y g(y-x)·(l(y) - (y-x)²/2s))/Z for l = -ln Q ≥ 0. The sums are made of lower ends G ≤ g ≤ G+off and
        L ≤ l ≤ L+width in ticks, so they fall short of the true ones by no more than `slack`: Σ g·l ≤ Σ G·L + width·Σ G
        + off·Σ L + n·off·width, Σ g·z²/2s lies within off·Σ z²/2s of Σ G·z²/2s, each residue occurs twice at most,
        and each of n terms is cut by less than 3 ticks.
        """
        first, last = positions[0] - self.reach, positions[-1] + self.reach
        mass, count = sum(law), last - first + 1
        low = [peak.low for peak in self.peaks]
        off = max(peak.high - peak.low for peak in self.peaks)
        logs, width = [], 0
        for y in range(first, last + 1):
            found = sum(weight * low[abs(y - x)] for x, weight in zip(positions, law, strict=True)) // mass
            if found < 1 << 32:
                raise TooLarge("the witness puts too little weight on the ends of the scale for my digits")
            near = ln_near(Near(found, found + off + 1))
            width = max(width, near.high - near.low)
            logs.append(max(0, -near.high))
        own = [peak * exponent.high >> BITS for peak, exponent in zip(low, self.exponents, strict=True)]
        spread = 2 * sum(exponent.high for exponent in self.exponents)
        slack = (off * (sum(logs) + spread) + width * (self.mass.high + count * off) >> BITS) + 3 * count
        # Both as functions of z from -(2m+R) on.
        rows, sums = low[:0:-1] + low, [0, *itertools.accumulate(own[:0:-1] + own)]
        divergences, size = [], 0
        for x in inputs:
            start = first - x + len(low) - 1
            crossed = sum(map(int.__mul__, rows[start : start + count], logs)) >> BITS
            middle = crossed - (sums[start + count] - sums[start])
            divergences.append(Near(middle - slack, middle + slack).divided(self.mass))
            size = max(size, crossed + slack)
        return divergences, Near(0, size).divided(self.mass)

    def check_work(self, positions: int) -> None:
        """Raise TooLarge where the sums below would be long."""
        outputs = 2 * (self.steps + self.reach) + 1
        # A logarithm and an exponential for each output take as long as some three hundred products.
        work = (2 * self.steps + 1 + positions + 300) * outputs
        if work > MOST_NOISE_STEPS:
            raise TooLarge(f"{2 * self.steps + 1} inputs with {outputs} outputs would take {work} steps")

    def rounding_room(self, size: Near) -> Fraction:
        """How much vaguer than `ROOM` a claim made in doubles may be, in bits: 2^-52·(n + 4e + 64)·S.

        n counts the inputs and the outputs up to ⌈12√s⌉ + 1 beyond them, e is the largest exponent z²/2s there, and S
        bounds Σ W_x·|ln q| + H(W) + 1; H(W) is at most ln Z + 1/2, since the variance of the noise is at most s.
        """
        reach = math.isqrt(math.ceil(144 * self.variance) - 1) + 2
        count = 2 * self.steps + 1 + 2 * (self.steps + reach) + 1
        exponent = Fraction((2 * self.steps + reach) ** 2) / (2 * self.variance)
        sizes = Fraction(size.high + 2 * ln_near(self.mass).high, ONE) + Fraction(3, 2)
        return (count + 4 * exponent + 64) * sizes / (1 << 52)

    def told(self, positions: list[int], law: list[int]) -> tuple[Near, Fraction]:
        """What a witness tells, in bits, and how much rounding may take off it."""
        everything, size = self.divergences(positions, law, range(-self.steps, self.steps + 1))
        return self._mean(everything, positions, law).bits().at_least_zero(), self.rounding_room(size)

    def _mean(self, everything: list[Near], positions: list[int], law: list[int]) -> Near:
        """Σ p·D in nats, from below: the tails take away no more than q has there, at most τ."""
        mine = [everything[x + self.steps].times(weight) for x, weight in zip(positions, law, strict=True)]
        return total(mine).over(sum(law)) - Near(0, self.tail.high)

    def capacity(self, positions: list[int], law: list[int]) -> Ends:
        """Σ p·D ≤ C ≤ max_x D over all inputs, tails included.

        Beyond an end of the scale W_x(y) ≤ W_end(y) ≤ q(y)/p_end, so the tails add at most τ·ln(1/p_end) to D.
        """
        everything, size = self.divergences(positions, law, range(-self.steps, self.steps + 1))
        lower = self._mean(everything, positions, law)
        lightest = ln(Fraction(sum(law), min(law[0], law[-1])))
        upper = largest(everything) + Near(0, self.tail.scaled(lightest).high)
        room = ROOM + self.rounding_room(size)
        return Ends(lower.bits().at_least_zero(), upper.bits().at_least_zero(), room)

    def refute(self, claim: Claim, values: int) -> None:
        """Look for so many inputs that tell more than is claimed, the widest first; translation changes nothing."""
        if not isinstance(claim.value, Interval):
            return
        reach, scale = self.reach, self.mass.low / ONE
        plain = [peak.low / ONE / scale for peak in self.peaks]
        spans = itertools.chain.from_iterable(
            ((0, *middle, span) for middle in itertools.combinations(range(1, span), values - 2))
            for span in range(2 * self.steps, values - 2, -1)
        )
        for chosen in itertools.islice(spans, MOST_SEARCHED // (SEARCH_ROUNDS * values * 2 * (self.steps + reach))):
            ys = range(-reach, chosen[-1] + reach + 1)
            law, bits = telling_weights([[plain[abs(y - x)] for y in ys] for x in chosen])
            if bits <= claim.value.upper:
                continue
            if self.told([x - self.steps for x in chosen], law)[0].low > claim.value.upper * ONE:
                raise Refused(f"{claim.measure}: I found {values} values that tell more than is claimed")

    def no_pair_exceeds(self, limit: Fraction) -> bool:
        """Whether no two inputs tell more than `limit` bits; with equal weights, which are best for mirror images.

        A pair at distance d tells at most (d²+1)/8s nats: take q = W at the middle, up to a half. Others are evaluated.
        """
        for distance in range(2 * self.steps, 0, -1):
            if exactly(Fraction(distance**2 + 1) / (8 * self.variance)).bits().high <= limit * ONE:
                return True
            pair = [-(distance // 2), distance - distance // 2]
            (found, _), _ = self.divergences(pair, [1, 1], pair)
            if (found + Near(0, self.tail.scaled(LN2).high)).bits().high > limit * ONE:
                return False
        return True


def check_noise(subject: dict[str, Any], _: set[str]) -> tuple[list[Rule], list[str]]:
    """Return the rules and notes of a certificate of noise."""
    take(
        subject,
        ("low", "high", "steps", "grid", "variance", "values", "positions", "weights"),
        ("change", "people"),
    )
    check_digits(subject, ("low", "high", "variance", "change"))
    low, high, grid, variance = (fraction_of(subject[name]) for name in ("low", "high", "grid", "variance"))
    steps = whole_number(subject["steps"], 1, MOST_STEPS)
    if not low < high or not Fraction(1, 1000) <= variance <= 10**9:
        raise Unreadable("the certificate is damaged: the range or the noise cannot be")
    moved, people, change = high - low, None, high - low
    if ("change" in subject) != ("people" in subject):
        raise Unreadable("the certificate is damaged: the entries of its subject are not those of its kind")
    if "people" in subject:
        people, change = whole_number(subject["people"], 1, MOST_PEOPLE), fraction_of(subject["change"])
        if change <= 0:
            raise Unreadable("the certificate is damaged: the range or the noise cannot be")
        moved = min(people * change, moved)
    if grid != moved / (2 * steps):
        raise Refused("the file is not in the one spelling of certificates: the grid does not fit the range")
    values = subject["values"]
    if values is not None:
        whole_number(values, 2, MOST_VALUES)
    noise = Noise(steps, variance)
    few = values is not None and _selects(noise, values)
    capacity = _noise_capacity_rule(noise, subject, people, few=few)
    if people is None:
        return [capacity, *_noise_rules(noise, grid)], list(NOISE_NOTES)
    radii = [Fraction(math.ceil(min(move, high - low) / grid), 2) ** 2 for move in (change, high - low)]
    assumption = group_rules(people, lambda place: usual_bound(1, radii[place], variance), USUAL_POWER)
    return [capacity, *assumption, *_noise_rules(noise, grid)], [*group_notes(people), NO_ODDS_NOTE]


NOISE_NOTES = (
    "One release. The bits of several releases about the same records add up.",
    "In bits, under any knowledge and any correlation; the odds between two values are not bounded.",
)


def _selects(noise: Noise, values: int) -> bool:
    """Whether the number of values of a record tightens the bound: always for two, at moderate sizes for 3 and 4."""
    if values == 2:
        return True
    if values > 4 or values > 2 * noise.steps + 1:
        return False
    outputs = 2 * (noise.steps + math.isqrt(math.ceil(144 * noise.variance) - 1) + 1)
    return math.comb(2 * noise.steps, values - 1) // 2 * values * outputs <= MOST_RACE


def _noise_capacity_rule(noise: Noise, subject: dict[str, Any], people: int | None, *, few: bool) -> Rule:
    values, inputs = subject["values"], 2 * noise.steps + 1
    whom = told_about(people, f"any one record with at most {values} values" if few else "any one record", few=few)
    moved = "" if people is None else f", which is what m = {people} people move, given all others [E, Thm 3]"
    positions, weights = subject["positions"], subject["weights"]
    measure = "noise_capacity_bits"

    def find(claim: Claim) -> Found:
        law = _noise_witness(noise, positions, weights, measure)
        noise.check_work(len(positions))
        if not few:
            if [positions[0], positions[-1]] != [-noise.steps, noise.steps] or not (law[0] and law[-1]):
                raise Refused(f"{measure}: its witness must put weight on both ends of the scale")
            return noise.capacity(positions, law)
        if len(positions) != values or not all(law):
            raise Refused(f"{measure}: its witness must be a law on as many positions as there are values")
        told, rounding = noise.told(positions, law)
        if values != 2 or not isinstance(claim.value, Interval) or noise.steps * noise.reach > MOST_PAIRS_WORK:
            noise.refute(claim, values)
            return Ends.above(told, SELECTION_GAP, rounding, _NOT_ALL_SELECTIONS)
        if not noise.no_pair_exceeds(claim.value.upper):
            raise Refused(f"{measure}: some two values tell more than is claimed")
        return Ends.above(told, SELECTION_GAP, rounding, "")

    return Rule(
        measure=measure,
        unit="bits",
        because=(
            f"the largest capacity among all selections of {values} of the {inputs} inputs [E, Thm 2]{moved}"
            if few
            else f"p·D(W_x‖q) ≤ C ≤ max D(W_x‖q) over the {inputs} inputs, tails and rounding included{moved}"
        ),
        sentence=lambda value: f"One release tells at most {at_most(value)} bits about {whom}",
        find=find,
    )


_NOT_ALL_SELECTIONS = (
    "the witness tells as much as is claimed, and I found no values that tell more; that takes a longer search"
)


def _noise_witness(noise: Noise, positions: Any, weights: Any, measure: str) -> list[int]:
    fits = isinstance(positions, list) and isinstance(weights, list) and len(positions) == len(weights) > 0
    if not fits or not all(type(x) is int and -noise.steps <= x <= noise.steps for x in positions):
        raise Refused(f"{measure}: its witness must have one weight for each of its positions on the scale")
    if positions != sorted(set(positions)):
        raise Refused(f"{measure}: the positions of its witness must stand once each, in ascending order")
    return input_law(weights, measure)


def _noise_rules(noise: Noise, grid: Fraction) -> list[Rule]:
    variance = noise.variance * grid**2
    return [
        Rule(
            measure="printed_bound_bits",
            unit="bits",
            because="½ log2(1 + T²/N), a limit on power and hence only an upper bound for normal noise [E, Cor. 6]",
            sentence=lambda value: f"The printed formula for normal noise of this size gives {at_most(value)} bits.",
            find=lambda _: Ends.around(log2(1 + noise.steps**2 / noise.variance).over(2)),
        ),
        Rule(
            measure="epsilon",
            unit="nats",
            because="ln P(y|x)/P(y|x') = (x-x')(2y-x-x')/2s grows without limit in y",
            sentence=lambda _: (
                "No factor bounds how much a release far out favours one value over another; it is a rare one."
            ),
            find=lambda _: INFINITE,
            exact=True,
        ),
        Rule(
            measure="noise_variance",
            unit="square units of the released number",
            because="the variance of a discrete Gaussian is at most its parameter",
            sentence=lambda value: f"The noise has a variance of at most {fraction_words(value)}.",
            find=lambda _: variance,
            exact=True,
            relation="≤",
        ),
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Noise for people who depend on few others: what is assumed, vectors and histograms, quantiles.
# ---------------------------------------------------------------------------------------------------------------------

MOST_PEOPLE, MOST_DIMENSION, MOST_CANDIDATES = 10**12, 10**6, 100_000
MANY_BITS = 1000  # beyond, whole bits are claimed
NO_ODDS_NOTE = (
    "In bits, under any knowledge about people outside of a group; the odds between two values are not bounded."
)
POWER = "C ≤ k·log2(Z_S/Z_N) + log2 e·((k·V_N + r²)/2S - k·V_N/2N)"
USUAL_POWER = f"{POWER} with S = N + r²/k and the r of"
_SMOOTH, _FAR_OUT = 8, 160


def check_digits(subject: dict[str, Any], names: Iterable[str]) -> None:
    """Raise where an exact number of the subject is longer than any that Sfumato writes."""
    if any(len(str(subject.get(name, ""))) > MOST_NOISE_DIGITS for name in names):
        raise Unreadable("the certificate is damaged: a number of its subject cannot be")


def assumed(people: int) -> str:
    """The assumption, in words that follow an if."""
    return "nobody depends on anybody else" if people == 1 else f"at most {people} people depend on each other"


def told_about(people: int | None, one: str, *, few: bool = False) -> str:
    """About whom a release tells so much, to the end of the sentence."""
    if people is None:
        everybody = "" if few else ", and about all of them together"
        return f"{one}{everybody}, whatever is known beforehand and however the records depend on each other."
    group = "" if few or people == 1 else ", and about a whole group together"
    return f"{one}{group}, if {assumed(people)}, whatever is known about all others."


def group_notes(people: int) -> list[str]:
    """Which releases may be added, and what is assumed."""
    excluded = (
        "A common cause that nobody knows, such as how frequent something is, makes everybody depend on everybody, and "
        "is excluded."
    )
    return [
        "One release. The bits of several releases about the same records add up, all counted under one assumption.",
        f"Assumed, and not checked: {assumed(people)}. {excluded}",
    ]


def group_rules(people: int, bound: Callable[[int], Ends], because: str) -> list[Rule]:
    """What who knows the others learns (bound 0), and what would be learnt if the assumption were false (bound 1)."""
    known = Rule(
        measure="others_known_bits",
        unit="bits",
        because=f"{because} one record",
        sentence=lambda value: f"Who also knows the others of the group learns at most {at_most(value)} bits.",
        find=lambda _: bound(0),
        relation="≤",
    )
    broken = Rule(
        measure="if_all_depend_bits",
        unit="bits",
        because=f"{because} all records",
        sentence=lambda value: (
            f"If the assumption were false, and anybody might depend on everybody, it would tell at most "
            f"{at_most(value)} bits."
        ),
        find=lambda _: bound(1),
        relation="≤",
    )
    return [known, broken] if people > 1 else [broken]


# π, of which 80 digits are written and the rest is less than 10^-80.
_PI = Fraction(314159265358979323846264338327950288419716939937510582097494459230781640628620899, 10**80)
PI = Near(exactly(_PI).low, exactly(_PI).high + 1)


def lattice_facts(variance: Fraction) -> tuple[Near, Near]:
    """ln Z_s and V_s of the discrete Gaussian with parameter s: Z_s = Σ e^(-z²/2s), and V_s its variance.

    From s = 8 on, by Poisson's formula Z_s = √(2πs)·(1 + 2Σ_{j≥1} e^(-2π²sj²)), and V_s = s + 2s²·(ln θ)' for θ in the
    brackets, whose derivative is -4π²Σ j²e^(-2π²sj²). So 0 ≤ ln θ ≤ 3e^(-19s) and 0 ≤ s - V_s ≤ 160s²e^(-19s), both
    below 10^-61 and so below 1 tick. Before, the sums are taken up to z with z²/2s ≥ 160, and what is left is again
    below 1 tick, even times z².
    """
    if variance >= _SMOOTH:
        exact = exactly(variance)
        found = ln_near(PI.times(2).scaled(exact)).over(2)
        return Near(found.low, found.high + 1), Near(exact.low - 1, exact.high)
    mass, moment = Near(ONE, ONE), ZERO
    for number in range(1, math.isqrt(math.ceil(2 * _FAR_OUT * variance)) + 2):
        weight = exp_of_minus(exactly(Fraction(number**2) / (2 * variance))).times(2)
        mass, moment = mass + weight, moment + weight.times(number**2)
    mass = Near(mass.low, mass.high + 1)
    return ln_near(mass), Near(moment.low, moment.high + 1).divided(mass)


def power_bound(dimension: int, radius: Fraction, variance: Fraction, spread: Fraction) -> Near:
    """k·ln(Z_S/Z_N) + (k·V_N + r²)/2S - k·V_N/2N, in bits: what whole vectors within r of a point tell at most.

    It is D(P_x‖Q) or more for Q in proportion to e^(-‖y-c‖²/2S), since E‖Y-c‖² = k·V_N + ‖x-c‖², and for real c
    Σ e^(-(y-c)²/2S) ≤ Z_S by Poisson's formula. Any S > 0 will do.
    """
    (narrow, true), (wide, _) = lattice_facts(variance), lattice_facts(spread)
    power = true.times(dimension)
    stretched = (wide - narrow).times(dimension)
    spent = (power + exactly(radius)).divided(exactly(2 * spread))
    return (stretched + spent - power.divided(exactly(2 * variance))).bits()


def usual_bound(dimension: int, radius: Fraction, variance: Fraction) -> Ends:
    """The same at S = N + r²/k."""
    found = power_bound(dimension, radius, variance, variance + radius / dimension)
    if found.high <= MANY_BITS * ONE:
        return Ends.around(found)
    lower, upper = found.low // ONE * ONE, -(-found.high // ONE) * ONE
    return Ends(Near(lower, lower), Near(upper, upper), Fraction(0))


def histogram_radius(dimension: int, people: int) -> Fraction:
    """r² of the counts that so many people move."""
    return people**2 * Fraction(dimension - 1, dimension)


def check_vector_noise(subject: dict[str, Any], _: set[str]) -> tuple[list[Rule], list[str]]:
    """Return the rules and notes of a certificate of noise on a histogram."""
    names = ("what", "dimension", "records", "people", "size", "grid", "squared_radius", "variance", "spread")
    take(subject, names)
    check_digits(subject, ("variance", "spread"))
    radius, variance, spread = (fraction_of(subject[name]) for name in ("squared_radius", "variance", "spread"))
    if [subject[name] for name in ("what", "size", "grid")] != ["histogram", "1", "1"]:
        raise Unreadable("the certificate is damaged: what is counted cannot be")
    dimension = whole_number(subject["dimension"], 2, MOST_DIMENSION)
    records = whole_number(subject["records"], 1, MOST_PEOPLE)
    people = None if subject["people"] is None else whole_number(subject["people"], 1, MOST_PEOPLE)
    if not Fraction(1, 1000) <= variance <= 1 << 80 or not variance <= spread <= 10**40:
        raise Unreadable("the certificate is damaged: the noise, or what proves its bound, cannot be")
    moving = records if people is None else min(people, records)
    if radius != histogram_radius(dimension, moving):
        raise Refused("the file is not in the one spelling of certificates: the radius does not fit the rest")
    rules = [
        Rule(
            measure="vector_noise_bits",
            unit="bits",
            because=(
                f"{POWER} with the S of the file and r² = m²(1 - 1/k) for m = {moving} people, given all others "
                f"[E, Thm 3]"
            ),
            sentence=lambda value: (
                f"One release tells at most {at_most(value)} bits about {told_about(people, 'any one record')}"
            ),
            find=lambda _: Ends.around(power_bound(dimension, radius, variance, spread)),
            relation="≤",
        )
    ]
    if people is not None:
        radii = [histogram_radius(dimension, many) for many in (1, records)]
        rules += group_rules(people, lambda place: usual_bound(dimension, radii[place], variance), USUAL_POWER)
    rules += _vector_rules(variance)
    return rules, list(NOISE_NOTES) if people is None else [*group_notes(people), NO_ODDS_NOTE]


def _vector_rules(variance: Fraction) -> list[Rule]:
    return [
        Rule(
            measure="epsilon",
            unit="nats",
            because="ln P(y|x)/P(y|x') = (x-x')·(2y-x-x')/2N grows without limit in y",
            sentence=lambda _: (
                "No factor bounds how much a release far out favours one value over another; it is a rare one."
            ),
            find=lambda _: INFINITE,
            exact=True,
        ),
        Rule(
            measure="noise_variance",
            unit="square units of each released number",
            because="the variance of a discrete Gaussian is at most its parameter",
            sentence=lambda value: f"The noise of each number has a variance of at most {fraction_words(value)}.",
            find=lambda _: variance,
            exact=True,
            relation="≤",
        ),
    ]


_RANK_BOUND = "the least of log2 k and (z - 1 - ln z)·log2 e, z = w/(1 - e^-w), w = mλ"


def rank_bound(people: int, rate: Fraction, candidates: int) -> Ends:
    """What is told at most where log-likelihood ratios to some law lie in a range of w = mλ, or by so many values."""
    width = exactly(people * rate)
    stretched = width.divided(Near(ONE, ONE) - exp_of_minus(width))
    told, held = (stretched - Near(ONE, ONE) - ln_near(stretched)).bits(), log2(Fraction(candidates))
    return Ends.around(Near(min(told.low, held.low), min(told.high, held.high)))


def check_rank_noise(subject: dict[str, Any], _: set[str]) -> tuple[list[Rule], list[str]]:
    """Return the rules and notes of a certificate of a quantile that is drawn by rank."""
    take(subject, ("low", "high", "candidates", "share", "records", "people", "rate"))
    check_digits(subject, ("low", "high", "share", "rate"))
    low, high, share, rate = (fraction_of(subject[name]) for name in ("low", "high", "share", "rate"))
    candidates = whole_number(subject["candidates"], 2, MOST_CANDIDATES)
    records = whole_number(subject["records"], 1, MOST_PEOPLE)
    people = None if subject["people"] is None else whole_number(subject["people"], 1, MOST_PEOPLE)
    if not low < high or not 0 <= share <= 1 or not Fraction(1, 10**20) <= rate <= 1000:
        raise Unreadable("the certificate is damaged: the values, the share or the rate cannot be")
    moving = records if people is None else min(people, records)
    rules = [
        Rule(
            measure="rank_noise_bits",
            unit="bits",
            because=f"{_RANK_BOUND}, for m = {moving} people, who change no rank by more than m [E, Thm 3]",
            sentence=lambda value: (
                f"One release tells at most {at_most(value)} bits about {told_about(people, 'any one record')}"
            ),
            find=lambda _: rank_bound(moving, rate, candidates),
            relation="≤",
        )
    ]
    if people is not None:
        many = (1, records)
        rules += group_rules(people, lambda place: rank_bound(many[place], rate, candidates), f"{_RANK_BOUND}, for")
    rules.append(
        Rule(
            measure="epsilon",
            unit="nats",
            because="one record changes λ·d by λ at most, and the sum of all weights by a factor of e^λ",
            sentence=lambda value: (
                f"Who knows all other records finds any two values of one told apart by a factor of at most "
                f"e^{at_most(value)}."
            ),
            find=lambda _: 2 * rate,
            exact=True,
        )
    )
    plain = [NOISE_NOTES[0], "In bits, under any knowledge and any correlation."]
    grouped = [] if people is None else group_notes(people)
    return rules, plain if people is None else [
        *grouped,
        "In bits, under any knowledge about people outside of a group.",
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Noise for readers whose beliefs share at most so many bits.
# ---------------------------------------------------------------------------------------------------------------------

MOST_RECORDS, MOST_SHARED_BITS = 10**12, 10**12
ROOT_HALF_PI_E = Fraction(206636, 100000)  # just below √(πe/2)
_BELIEFS_ADD_UP = (
    "Bits of this kind add up over releases about the same records, also when what is asked is chosen after seeing "
    "earlier ones, but not the size of the noise. The shared bits are used up by none. Bits under another assumption "
    "are not added to them."
)
_COMMON_CAUSE = (
    "A common cause that nobody knows, such as a rate or a prevalence, ties all records together; each exact copy of a "
    "record takes its whole entropy of the shared bits."
)
BELIEF_NOTES = (
    _BELIEFS_ADD_UP,
    "In bits, on average over what is released; the odds between two values are not bounded.",
    _COMMON_CAUSE,
)
_BELIEF_NUMBERS = (
    "low", "high", "shared_bits", "deviation", "grid", "own_share", "independent_deviation", "anyone_deviation",
)  # fmt: skip
MOST_BELIEF_DIMENSION = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class Beliefs:
    """Normal noise on a sum of n numbers, each of which moves it by at most D, for beliefs that share at most c bits.

    Or on a histogram: `reach` is D², a record is in a ball of R² = `radius`·D² in k = `dimension` numbers.
    `people` m are in a household at most. `own` is the share of the variance that guards one household by itself.
    """

    records: int
    people: int
    shared: Fraction
    reach: Fraction
    dimension: int
    radius: Fraction
    deviation: Fraction
    own: Fraction
    statistic: str

    @property
    def ratio(self) -> Fraction:
        """D²/N."""
        return self.reach / self.deviation**2

    def _told(self, power: Fraction) -> Near:
        """(k/2) log2(1 + power)."""
        return log2(1 + power).scaled(exactly(Fraction(self.dimension, 2)))

    def booked(self) -> Near:
        """c(1 - e^(-m(n-1)ratio/4(1-f))) + (k/2) log2(1 + m²R²ratio/kf)."""
        found = self._told(self.people**2 * self.radius * self.ratio / (self.dimension * self.own))
        if self.shared == 0 or self.records == 1:
            return found
        left = exp_of_minus(exactly(self.people * (self.records - 1) * self.ratio / (4 * (1 - self.own))))
        return found + (exactly(1) - left).at_least_zero().scaled(exactly(self.shared))

    def for_people(self, people: int, deviation: Fraction) -> Near:
        """The smaller of ½ log2(1 + x²) and log2(1 + x·√(2/πe)), x = people·D/2 deviations; of vectors, by power."""
        power = people**2 * self.radius * self.reach / (self.dimension * deviation**2)
        found = self._told(power)
        if power <= 1 or self.dimension > 1:
            return found
        scale = 1 << 60
        root = math.isqrt(power.numerator * scale**2 // power.denominator)
        least, most = (log2(1 + Fraction(end, scale) / ROOT_HALF_PI_E) for end in (root, root + 1))
        return _smaller(found, Near(least.low, most.high))

    def check_neighbour(self, measure: str, people: int, deviation: Fraction) -> Fraction:
        """Return a deviation with which others would be told as much: one that is enough, and four digits of it."""
        told = self.booked()
        if self.for_people(people, deviation).high > told.high + ROOM * ONE:
            raise Refused(f"{measure}: so little noise would tell more")
        if self.for_people(people, deviation * Fraction(499, 500)).high <= told.low:
            raise Refused(f"{measure}: less noise would be enough")
        return deviation


def _smaller(one: Near, other: Near) -> Near:
    return Near(min(one.low, other.low), min(one.high, other.high))


def check_belief_noise(subject: dict[str, Any], _: set[str]) -> tuple[list[Rule], list[str]]:
    """Return the rules and notes of a certificate of noise for beliefs that share at most so many bits."""
    take(subject, (*_BELIEF_NUMBERS, "statistic", "records", "people", "dimension"))
    if any(len(str(subject[name])) > MOST_NOISE_DIGITS for name in _BELIEF_NUMBERS):
        raise Unreadable("the certificate is damaged: a number of its subject cannot be")
    number = {name: fraction_of(subject[name]) for name in _BELIEF_NUMBERS}
    records, statistic = whole_number(subject["records"], 1, MOST_RECORDS), subject["statistic"]
    low, high, shared, own = (number[name] for name in ("low", "high", "shared_bits", "own_share"))
    if statistic not in ("sum", "mean", "count", "histogram"):
        raise Unreadable("the certificate is damaged: its statistic cannot be")
    if statistic in ("count", "histogram") and not low == 0 == high - 1:
        raise Unreadable("the certificate is damaged: its statistic cannot be")
    people = whole_number(subject["people"], 1, records)
    several = statistic == "histogram"
    least, most = (2, MOST_BELIEF_DIMENSION) if several else (1, 1)
    dimension = whole_number(subject["dimension"], least, most)
    if not low < high or not 0 <= shared <= MOST_SHARED_BITS:
        raise Unreadable("the certificate is damaged: the range or the shared bits cannot be")
    reach, radius = ((high - low) / (records if statistic == "mean" else 1)) ** 2, Fraction(1, 4)
    if several:
        reach, radius = Fraction(2), Fraction(dimension - 1, 2 * dimension)
    deviations = [number[name] for name in ("deviation", "independent_deviation", "anyone_deviation")]
    if min(deviations) <= 0 or min(deviations) ** 2 < reach / 10**6 or number["grid"] <= 0:
        raise Unreadable("the certificate is damaged: the noise or the grid cannot be")
    tied = shared > 0 and records > 1
    if not 0 < own <= 1 or (1 - own < Fraction(1, 10**9) if tied else own < 1):
        raise Unreadable("the certificate is damaged: the division of the noise cannot be")
    beliefs = Beliefs(
        records=records,
        people=people,
        shared=shared,
        reach=reach,
        dimension=dimension,
        radius=radius,
        deviation=deviations[0],
        own=own,
        statistic=statistic,
    )
    return [*_belief_rules(beliefs), *_deviation_rules(beliefs, number)], list(BELIEF_NOTES)


def _belief_rules(beliefs: Beliefs) -> list[Rule]:
    shared = fraction_words(beliefs.shared)
    alone = beliefs.people == 1
    one = "record" if alone else "household"
    apart = "independent records" if alone else f"independent households of at most {beliefs.people}"
    tied = f"{'' if alone else f'households of at most {beliefs.people} among the '}{beliefs.records} records"
    many, squared = ("", "") if alone else ("m", "m²")
    own = f"(k/2) log2(1 + {squared}R²/ks)" if beliefs.statistic == "histogram" else f"½ log2(1 + {squared}D²/4s)"

    def bound(measure: str, find: Callable[[], Near], because: str, sentence: Callable[[str], str]) -> Rule:
        return Rule(
            measure=measure,
            unit="bits",
            because=because,
            sentence=lambda value: sentence(at_most(value)),
            find=lambda _: Ends.around(find()),
            relation="≤",
        )

    return [
        bound(
            "believed_bits",
            beliefs.booked,
            f"c(1 - e^(-{many}(n-1)D²/4r)) + {own}: normal noise of variance r + s divides among the {one}s, "
            "and what the others' parts let through of c bits shrinks by that factor [E, Assumption 3]",
            lambda bits: (
                f"Each release like this one adds at most {bits} bits, on average, about any one {one}, for everybody "
                f"whose beliefs differ from {apart} by at most {shared} bits over the whole data set, even "
                f"if they know other records exactly."
            ),
        ),
        Rule(
            measure="assumed_shared_bits",
            unit="bits",
            because="declared; it is assumed, and no data can show it",
            sentence=lambda _: (
                f"It is assumed that no reader's beliefs tie the {tied} together by more than "
                f"{shared} bits in all. If that is wrong, the bound above says nothing."
            ),
            find=lambda _: beliefs.shared,
            exact=True,
        ),
        bound(
            "independent_bits",
            lambda: beliefs.for_people(beliefs.people, beliefs.deviation),
            f"the capacity of the noise for one {one} [E, Cor. 6; McK04]",
            lambda bits: f"Whoever believes in {apart} is told at most {bits} bits.",
        ),
        bound(
            "anyone_bits",
            lambda: beliefs.for_people(beliefs.records, beliefs.deviation),
            "the capacity of the noise for all records moving together [E, Cor. 6; McK04]",
            lambda bits: (
                f"Whoever believes that all records move together is not covered, and may be told up to {bits} bits "
                f"about a record that holds so many."
            ),
        ),
    ]


def _deviation_rules(beliefs: Beliefs, number: dict[str, Fraction]) -> list[Rule]:
    statistic = beliefs.statistic
    unit = f"units of the {statistic}"
    one = "record" if beliefs.people == 1 else "household"
    apart = "independent records" if beliefs.people == 1 else f"independent households of at most {beliefs.people}"
    whose = " on each number, which" if statistic == "histogram" else f"; the noisy {statistic}"

    def neighbour(measure: str, people: int, because: str, whom: str) -> Rule:
        return Rule(
            measure=measure,
            unit=unit,
            because=f"the same bits for {because} [E, Cor. 6; McK04]",
            sentence=lambda value: (
                f"For as many bits, {whom}, noise with a deviation of {at_most(value)} would be enough."
            ),
            find=lambda _: beliefs.check_neighbour(measure, people, number[measure]),
            exact=True,
            relation="≤",
        )

    return [
        neighbour("independent_deviation", beliefs.people, f"one {one}", f"with {apart}"),
        neighbour(
            "anyone_deviation",
            beliefs.records,
            "all records moving together",
            "however the records depend on each other",
        ),
        Rule(
            measure="noise_deviation",
            unit=unit,
            because="declared; rounding is done to the noisy number and tells nothing more",
            sentence=lambda value: (
                f"The noise is normal with a deviation of at most {at_most(value)}{whose} is rounded "
                f"to multiples of {fraction_words(number['grid'])}."
            ),
            find=lambda _: beliefs.deviation,
            exact=True,
        ),
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Disclosures.
# ---------------------------------------------------------------------------------------------------------------------

ONE_RELEASE = "One release of a data set. Two private releases of the same data can leak together: design them jointly."
ONE_LAW_NOTE = (
    "The bound for any true law takes it that the records that the law was made from and the person are independent "
    "draws of that law. Where those records are of another year or place whose law was another, it says nothing."
)
PRIVATE_NOTE = (
    "PRIVATE: the law or the mapping in this file was made from protected records, and gives them away. Show it to "
    "nobody who may not see the records; the public certificate commits to it."
)
LAW_NOTES = {
    "declared": "the law was declared, and not made from the records that are released.",
    "published": "the law was counted in records that everybody may see, and none of them is released here.",
    "private_histogram": "the law is made of noisy counts of the released records, and of nothing else about them.",
}
WITHHELD_NOTE = (
    "The mapping was made from protected records, so the law and the mapping are private, and so is how much is told; "
    "what a symbol says of a data set, P(x|y), is withheld. That nothing is told if the law is p̂ is stated, not "
    "checked: whoever may see the private certificate can verify it, and that it is the one committed to here."
)
MOST_CELLS, MOST_SAMPLES, MOST_SAMPLE_VALUES, MOST_GROUPED = 4096, 10_000, 1 << 31, 1_000_000
MOST_SYMBOLS, MOST_SUBSETS, MOST_COUNTED, MOST_TERM_BITS = 1 << 53, 16, 1 << 53, 200
LEAK, TOLD, DRIFT = "sample_leak_bits", "disclosed_bits", "leak_if_law_differs_bits"
HISTOGRAM = "histogram_leak_bits"
ROUNDING_BITS = Fraction(1e-6)  # what rounding may leave of a leak
MOST_EXACT_CELLS = 64  # mappings of so many are exact
LEAK_BOUND_BECAUSE = "I(X_group;Y) of the mapping, the largest over the groups, rounding included [D, Def. 1]"


@dataclass(frozen=True)
class Terms:
    """What chooses a bound for every true law."""

    beta: Fraction
    smoothing: Fraction
    rate: Fraction
    price: Fraction


@dataclass(frozen=True)
class Estimation:
    """How law and feature were made, and from how many records in how many cells."""

    law: str
    feature: str | None
    records: int | None
    cells: int | None
    samples: int | None
    epsilon: Fraction | None
    terms: Terms | None

    @property
    def is_private(self) -> bool:
        """Whether protected records made law or mapping."""
        return bool({self.law, self.feature} & {"reference", "records"})


def read_estimation(record: Any) -> Estimation:
    """Read how a law was made."""
    take(record, ("law", "feature", "records", "cells", "samples", "epsilon", "terms"))
    origins = ("declared", "published", "private_histogram", "reference", "records")
    law, feature, terms = record["law"], record["feature"], record["terms"]
    if law not in origins or feature not in (*origins, None):
        raise Unreadable("the certificate is damaged: it does not say how the law was made")
    counts = [record[name] for name in ("records", "cells", "samples")]
    for count in counts:
        if count is not None:
            whole_number(count, 1, MOST_COUNTED)
    counted = law != "declared"
    given = [counts[0] is not None, counts[1] is not None, terms is not None]
    if given != [counted or feature not in (None, "declared"), counted, counted] or (
        counts[2] is not None and not counted
    ):
        raise Unreadable("the certificate is damaged: it does not say in how many records the law was counted")
    epsilon = None if record["epsilon"] is None else fraction_of(record["epsilon"])
    if (epsilon is not None) != (law == "private_histogram") or not Fraction(1, 1000) <= (epsilon or 1) <= 16:
        raise Unreadable("the certificate is damaged: an ε belongs to private histograms, and to no others")
    records, cells, samples = counts
    return Estimation(law, feature, records, cells, samples, epsilon, None if terms is None else read_terms(terms))


def read_terms(record: Any) -> Terms:
    """Read what chooses a bound; short numbers, within what they can be."""
    take(record, ("beta", "smoothing", "rate", "price"))
    terms = Terms(*(fraction_of(record[name]) for name in ("beta", "smoothing", "rate", "price")))
    within = (0 < terms.beta < 1, 0 < terms.smoothing < 1024, 0 < terms.rate < 1, -1024 < terms.price < 1024)
    parts = [part for term in vars(terms).values() for part in (term.numerator, term.denominator)]
    if not all(within) or max(part.bit_length() for part in parts) > MOST_TERM_BITS:
        raise Unreadable("the certificate is damaged: its bound is chosen by numbers that cannot be")
    return terms


def read_groups(groups: Any, samples: int) -> list[list[int]]:
    """Read the protected groups: samples in ascending order, each once in a group, and every sample in some group."""
    if not isinstance(groups, list) or not all(isinstance(group, list) and group for group in groups):
        raise Unreadable("the certificate is damaged: it has no protected groups")
    if sum(map(len, groups)) > MOST_GROUPED:
        raise TooLarge("the protected groups are too many for me")
    covered: set[int] = set()
    for group in groups:
        if not all(type(i) is int and 0 <= i < samples for i in group) or group != sorted(set(group)):
            raise Unreadable("the certificate is damaged: a protected group lists what is no sample")
        covered.update(group)
    if len(covered) != samples:
        raise Refused("a sample is in no protected group")
    return groups


def read_shape(shape: Any, most: int) -> list[int]:
    """Read how many values each sample has, up to so many."""
    if not isinstance(shape, list) or not 1 <= len(shape) <= MOST_SAMPLES:
        raise Unreadable("the certificate is damaged: it does not say what the samples are")
    return [whole_number(size, 1, most) for size in shape]


@dataclass(frozen=True)
class Mapping:
    """A law over cells, P(c) = m/A, and P(y|c) = n/D, as whole numbers."""

    cells: list[list[int]]
    masses: list[int]
    mass: int
    rows: list[list[int]]
    whole: int

    @cached_property
    def outputs(self) -> list[int]:
        """P(y) in units of 1/(A·D)."""
        return [sum(map(int.__mul__, self.masses, column)) for column in zip(*self.rows, strict=True)]

    def joint(self, group: list[int]) -> list[tuple[int, list[int]]]:
        """For each value of a group its mass in units of 1/A, and P(value, y) in units of 1/(A·D)."""
        found: dict[tuple[int, ...], tuple[int, list[int]]] = {}
        for cell, mass, row in zip(self.cells, self.masses, self.rows, strict=True):
            value = tuple(cell[i] for i in group)
            before, sums = found.get(value, (0, [0] * len(row)))
            found[value] = before + mass, [old + mass * entry for old, entry in zip(sums, row, strict=True)]
        return list(found.values())

    def is_independent_of(self, group: list[int]) -> bool:
        """P(value, y) = P(value)·P(y) for every value and symbol."""
        return all(
            entry * self.mass == mass * output
            for mass, sums in self.joint(group)
            for entry, output in zip(sums, self.outputs, strict=True)
        )

    def information(self, group: list[int]) -> Near:
        """I(X_group;Y) in bits: (Σ J ln J - Σ T ln T - Σ mD ln mD)/(A·D) + ln(A·D)."""
        unit = self.mass * self.whole
        joint = self.joint(group)
        spread = total(_n_ln_n(sums) for _, sums in joint) - _n_ln_n(self.outputs)
        spread -= _n_ln_n(mass * self.whole for mass, _ in joint)
        return (spread.over(unit) + ln_of_integer(unit)).bits().at_least_zero()

    def entropy(self) -> Near:
        """H of the law, in bits."""
        return (ln_of_integer(self.mass) - _n_ln_n(self.masses).over(self.mass)).bits().at_least_zero()

    @property
    def says_nothing(self) -> bool:
        """Whether all rows are equal."""
        return all(row == self.rows[0] for row in self.rows)


def check_disclosure(subject: dict[str, Any], _: set[str]) -> tuple[list[Rule], list[str]]:
    """Return the rules and notes of a certificate of a disclosure that has its law and mapping."""
    take(subject, ("shape", "cells", "masses", "groups", "mapping", "estimation", "salt"))
    shape = read_shape(subject["shape"], 1 << 1000)
    groups = read_groups(subject["groups"], len(shape))
    estimation = read_estimation(subject["estimation"])
    salted = isinstance(subject["salt"], str) and re.fullmatch("[0-9a-f]{64}", subject["salt"]) is not None
    if salted != estimation.is_private or (not salted and subject["salt"] is not None):
        raise Unreadable("the certificate is damaged: a salt belongs to private certificates, and to no others")
    mapping = read_mapping(subject, shape)
    each = len(mapping.rows[0]) * len(groups) * (1 + mapping.whole.bit_length() // 512)
    steps = len(mapping.cells) * (each + sum(map(len, groups)))
    if steps > MOST_MAPPING_STEPS:
        raise TooLarge(f"the mapping would take {steps} steps")
    check_smoothed(mapping, shape, estimation)
    rules = [*drift_rules(shape, groups, estimation, mapping), _leak_rule(mapping, groups), _told_rule(mapping)]
    note = PRIVATE_NOTE if estimation.is_private else f"{MAKER_SAYS} {LAW_NOTES[estimation.law]}"
    return rules, [note, *law_notes(estimation), ONE_RELEASE]


def law_notes(estimation: Estimation) -> list[str]:
    """What a bound for other laws rests on, where there is one."""
    return [] if estimation.terms is None else [ONE_LAW_NOTE]


def check_smoothed(mapping: Mapping, shape: list[int], estimation: Estimation) -> None:
    """Refuse a law that is not counts of so many records with as much added in every cell: it would have no bound."""
    terms, records, cells = estimation.terms, estimation.records, estimation.cells
    if terms is None or records is None or cells is None:
        return
    masses, size = mapping.masses, math.prod(shape)
    if estimation.samples is not None:
        masses, size = _shares_of_first(mapping, shape), shape[0]
    if len(masses) != size or (cells % size if estimation.epsilon is not None else cells != size):
        raise Refused(f"{DRIFT}: the law leaves out cells of the alphabet, or counts others")
    if estimation.epsilon is None:
        counts = [
            Fraction(mass, mapping.mass) * (records + cells * terms.smoothing) - terms.smoothing for mass in masses
        ]
        if any(count.denominator != 1 or count < 0 for count in counts):
            raise Refused(f"{DRIFT}: the law is not that of {records} records with as much added in each cell")


def _shares_of_first(mapping: Mapping, shape: list[int]) -> list[int]:
    """The law of one sample, where the data set's is a product of equal ones."""
    values = shape[0]
    shares = [0] * values
    for cell, mass in zip(mapping.cells, mapping.masses, strict=True):
        shares[cell[0]] += mass
    alike = set(shape) == {values} and len(mapping.cells) == math.prod(shape)
    power = mapping.mass ** (len(shape) - 1)
    if not alike or any(
        mass * power != math.prod(shares[v] for v in cell)
        for cell, mass in zip(mapping.cells, mapping.masses, strict=True)
    ):
        raise Refused(f"{DRIFT}: the law is not that of independent samples of one law")
    return shares


def read_mapping(subject: dict[str, Any], shape: list[int]) -> Mapping:
    """Read the law and the mapping: cells within the shape, each once, each with a positive mass and a row."""
    cells, rows = subject["cells"], subject["mapping"]
    if not isinstance(cells, list) or not isinstance(rows, list) or not len(cells) == len(rows) > 0:
        raise Unreadable("the certificate is damaged: its law and its mapping do not have the same cells")
    if len(cells) > MOST_CELLS:
        raise TooLarge(f"the law has {len(cells)} cells, more than {MOST_CELLS}")
    for cell in cells:
        if not isinstance(cell, list) or len(cell) != len(shape):
            raise Unreadable("the certificate is damaged: cells do not fit the shape")
        for value, size in zip(cell, shape, strict=True):
            whole_number(value, 0, size - 1)
    if len({tuple(cell) for cell in cells}) != len(cells):
        raise Unreadable("the certificate is damaged: a cell stands twice")
    law = law_of(subject["masses"]) if isinstance(subject["masses"], list) else []
    laws = [law_of(row) if isinstance(row, list) else [] for row in rows]
    if len(law) != len(cells) or min(law) == 0 or len({len(row) for row in laws}) != 1 or not laws[0]:
        raise Unreadable("the certificate is damaged: its law or its mapping lacks something")
    masses, mass = over_one_denominator(law)
    flat, whole = over_one_denominator([entry for row in laws for entry in row])
    symbols = len(laws[0])
    return Mapping(cells, masses, mass, [flat[c * symbols : (c + 1) * symbols] for c in range(len(cells))], whole)


def protected_words(groups: list[list[int]]) -> str:
    """What nothing is told about."""
    return "any single sample" if all(len(group) == 1 for group in groups) else "any protected group of samples"


def _leak_rule(mapping: Mapping, groups: list[list[int]]) -> Rule:
    """Nothing at all, exactly, where every group is independent of the symbol; else the largest information."""
    what = protected_words(groups)
    if all(mapping.is_independent_of(group) for group in groups):
        return Rule(
            measure=LEAK,
            unit="bits",
            because="P(x_group, y) = P(x_group)P(y) for every value and symbol, in fractions [D, Def. 1]",
            sentence=lambda _: f"The release tells nothing at all about {what}, if the data follow the law.",
            find=lambda _: Fraction(0),
            exact=True,
        )
    return Rule(
        measure=LEAK,
        unit="bits",
        because=LEAK_BOUND_BECAUSE,
        sentence=lambda value: f"The release tells at most {at_most(value)} bits about {what}.",
        find=lambda _: Ends(ZERO, largest(mapping.information(group) for group in groups)),
        relation="≤",
    )


def _told_rule(mapping: Mapping) -> Rule:
    everything = list(range(len(mapping.cells[0])))
    return Rule(
        measure=TOLD,
        unit="bits",
        because="I(X^n;Y) of the mapping under the law [Sha48]",
        sentence=lambda value: words_for(
            mapping.entropy(),
            lambda whole: f"The release tells {at_least(value)} bits about the whole data set, of {whole} in it.",
        ),
        find=lambda _: Ends.around(ZERO if mapping.says_nothing else mapping.information(everything)),
    )


def drift_rules(
    shape: list[int], groups: list[list[int]], estimation: Estimation, mapping: Mapping | None
) -> list[Rule]:
    """What is told at most if the true law is another, and what a private histogram tells by itself.

    A mapping that is independent of a group under p̂ tells at most D(p‖p̂) under p, of n independent samples (n-1)
    times that; one that is so up to rounding adds the largest log2 P̂(y|x_G)/P̂(y).
    """
    terms = estimation.terms
    if terms is None:
        return []
    excess = public_leak(shape) if mapping is None else excess_of(mapping, groups)
    nothing = "0" if excess == 0 else f"At most {float(excess):.4g} bits"
    rules = [
        Rule(
            measure=DRIFT,
            unit="bits",
            because=_drift_because(estimation, terms),
            sentence=lambda value: _drift_words(estimation, terms, nothing, value),
            find=lambda claim: _drift_found(claim, shape, groups, estimation, excess),
            relation="≤",
        )
    ]
    if estimation.epsilon is not None:
        rules.append(_histogram_rule(estimation, estimation.epsilon))
    return rules


def _drift_because(estimation: Estimation, terms: Terms) -> str:
    times = "D(p‖p̂)" if estimation.samples is None else f"{estimation.samples - 1} D(p‖p̂)"
    noise = "" if estimation.epsilon is None else f" and two-sided geometric noise for ε = {estimation.epsilon}"
    return (
        f"I(X_group;Y) ≤ {times} for every mapping that is independent under p̂ [Sha48]; D(p‖p̂) from "
        f"{estimation.records} records in {estimation.cells} cells, {terms.smoothing} added to each{noise}: Poisson "
        f"cells [Che52] at rate {terms.rate} and price {terms.price}, β = {terms.beta}"
    )


def _drift_words(estimation: Estimation, terms: Terms, nothing: str, value: Any) -> str:
    first = ""
    if "records" in (estimation.law, estimation.feature):
        first = "Nobody in these records is covered by this bound: the mapping was made from them. "
    elif estimation.law == "private_histogram":
        first = "The law was made from these records, under noise: what it tells about those in them is a claim apart. "
    return (
        f"{first}{nothing} if the law is p̂; at most {float(value.upper):g} bits about any protected value, whatever "
        f"the true law, at confidence 1 - {float(terms.beta):g}, for a person outside the {estimation.records} records "
        f"the law was made from."
    )


def excess_of(mapping: Mapping, groups: list[list[int]]) -> Fraction:
    """The largest log2 P(y|x_group)/P(y), rounded up; 0 where all are 1, and what is only rounding is said alike."""
    worst = Fraction(1)
    for group in groups:
        for mass, sums in mapping.joint(group):
            for entry, output in zip(sums, mapping.outputs, strict=True):
                if entry * mapping.mass * worst.denominator > mass * output * worst.numerator:
                    worst = Fraction(entry * mapping.mass, mass * output)
    if worst == 1:
        return Fraction(0)
    return max(ROUNDING_BITS, Fraction(log2(worst).high, ONE))


def _drift_found(
    claim: Claim, shape: list[int], groups: list[list[int]], estimation: Estimation, excess: Fraction
) -> Found:
    """Prove the number of a claim: four digits, no less than follows, and not much more."""
    value = stated_interval(claim)
    number = float(value.upper)
    if value.lower != 0 or float(f"{number:.4g}") != number:
        raise Refused(f"{DRIFT}: its number has not the four digits of such a bound")
    if estimation.samples is None:
        values, factor = max(math.prod(shape[i] for i in group) for group in groups), 1
    else:
        values, factor = shape[0], estimation.samples - 1
    everything = Fraction(log2(Fraction(values)).high, ONE)
    most = Fraction(_four_digits_up(everything))
    if value.upper > most:
        raise Refused(f"{DRIFT}: more is claimed than there is to say")
    if estimation.epsilon is not None and value.upper < most:
        return Ends(
            exactly(value.lower), exactly(value.upper), open="a bound for counts with noise is not computed here"
        )
    if value.upper < most:
        bits = (value.upper - excess) / max(1, factor)
        if factor and not follows(estimation, bits):
            raise Refused(f"{DRIFT}: its number does not follow from the records, the cells and the terms")
        vague = (value.upper * Fraction(97, 100) - excess) / max(1, factor)
        if value.upper > 2 * ROUNDING_BITS and (not factor or (vague > 0 and follows(estimation, vague))):
            raise Refused(f"{DRIFT}: its number is vaguer than what follows")
    return Ends(exactly(value.lower), exactly(value.upper))


def _four_digits_up(number: Fraction) -> float:
    if number == 0:
        return 0.0
    step = Fraction(10) ** (_decimal_exponent(number) - 3)
    return float(math.ceil(number / step) * step)


def _histogram_rule(estimation: Estimation, epsilon: Fraction) -> Rule:
    """What an ε-private answer tells about one of independent records: (z - 1 - ln z)·log2 e, z = ε e^ε/(e^ε - 1)."""

    def find(claim: Claim) -> Found:
        value = stated_interval(claim)
        found = histogram_bits(float(epsilon))
        number = float(value.upper)
        if value.lower != 0 or float(f"{number:.4g}") != number or not found * (1 + 1e-9) <= number <= found * 1.01:
            raise Refused(f"{HISTOGRAM}: its number is not the one that I find, {found:.6g}")
        return Ends(exactly(value.lower), exactly(value.upper))

    return Rule(
        measure=HISTOGRAM,
        unit="bits",
        because=(
            f"(z - 1 - ln z) log2 e with z = ε exp(ε)/(exp(ε) - 1), ε = {epsilon}, for any ε-private answer [Sha48]"
        ),
        sentence=lambda value: (
            f"The law is a histogram of the {estimation.records} released records under differential privacy with "
            f"ε = {float(epsilon):g}: by itself it tells at most {float(value.upper):g} bits about any one of them, if "
            f"records are independent."
        ),
        find=find,
        relation="≤",
    )


def histogram_bits(epsilon: float) -> float:
    """z - 1 - ln z in bits; z - 1 = (ε + e^-ε - 1)/(1 - e^-ε), so that little is lost at small ε."""
    more = (epsilon + math.expm1(-epsilon)) / -math.expm1(-epsilon)
    return (more - math.log1p(more)) / math.log(2)


# The bound on D(p‖p̂) for every true law p --------------------------------------------------------------------------

MOST_LAW_RECORDS, MOST_LAW_CELLS = 1_000_000, 1 << 40
FIRST_MEAN = 2.0**-14
DEEPEST = 48
UNIT_ROUNDOFF = 2.0**-53


@dataclass(frozen=True)
class PoissonCell:
    """A cell's cost: λ, a, c = 1 + ma/n, ν, and the exponent from which on low counts are left out."""

    rate: float
    added: float
    scale: float
    price: float
    cut: float


def follows(estimation: Estimation, bits: Fraction) -> bool:
    """Whether D(p‖p̂) ≤ bits with probability 1-β for every p, from the number of records, the cells and the terms.

    n·D is a sum over cells; multinomial counts are Poisson ones given their sum, and Chernoff's bound is evaluated at
    the given rate and price. In doubles, each sum rounded up by more than it can be off.
    """
    terms, records, cells = estimation.terms, estimation.records, estimation.cells
    if terms is None or records is None or cells is None:
        return False
    if records > MOST_LAW_RECORDS or cells > MOST_LAW_CELLS:
        raise TooLarge("a law of so many records or cells")
    if cells < 2 or terms.rate > Fraction(31, 32) or terms.smoothing < Fraction(1, 1024):
        raise Unreadable("the certificate is damaged: its bound is chosen by numbers that cannot be")
    rate, price, beta = float(terms.rate), float(terms.price), float(terms.beta)
    added, scale = float(terms.smoothing), float(1 + cells * terms.smoothing / records)
    cell = PoissonCell(rate, added, scale, price, math.log(10 * cells / beta) * (1 + 2.0**-50))
    fixed = math.log(2 * math.pi * records) / 2 + 1 / (12 * records) - math.log(0.9 * beta) + price * records
    # What ln M(μ) - νμ may be at most, for the claim to follow; rounded down.
    nats = float(bits) * records * math.log(2) * rate
    target = (nats - fixed) / cells - 2.0**-44 * (abs(nats) + abs(fixed) + abs(price) * records) / cells
    first = min(FIRST_MEAN, float(records), added / scale)
    if rate * added / scale + first * (math.expm1(rate / scale) + max(0.0, -price)) + 2.0**-40 > target:
        return False
    left = first
    while left < records:
        right = min(float(records), left + min(left / 2, 0.7 * math.sqrt(left)))
        if not _stays_below(left, right, target, cell, DEEPEST):
            return False
        left = right
    return True


def _stays_below(left: float, right: float, target: float, cell: PoissonCell, depth: int) -> bool:
    """Whether ln M(μ) - νμ ≤ target on [left, right], halving it as long as that helps.

    A term is e^f with f'' ≥ -(k-λ·left)⁺/left², so it is at most its chord's with (k-λ·left)⁺h²/8left² added; a sum of
    exponentials of straight lines is largest at an end.
    """
    least, bend = _first_count(left, cell.cut), (right - left) ** 2 / (8 * left * left)
    ends = (_log_moment(end, left, right - left, bend, least, cell) - cell.price * end for end in (left, right))
    if max(ends) <= target:
        return True
    middle = (left + right) / 2
    if depth == 0 or not left < middle < right:
        return False
    return all(_stays_below(low, high, target, cell, depth - 1) for low, high in ((left, middle), (middle, right)))


def _log_moment(mean: float, left: float, step: float, bend: float, least: int, cell: PoissonCell) -> float:
    """ln of the sum over counts from `least` on, from above; wide blocks of terms where counts are large."""
    wide = max(1, math.floor(max(math.sqrt(mean) / 16, step / 2))) if least >= mean / 4 else 1
    last = math.ceil(mean + 6 * math.sqrt(mean / (1 - cell.rate)) + 24)
    count, found, highest = least, 0.0, -math.inf
    while True:
        ratio = ((count + cell.added) / cell.scale - mean) / mean
        exponent = _log_poisson(count, mean) + cell.rate * mean * (ratio - math.log1p(ratio))
        exponent += bend * max(count - cell.rate * left, 0.0)
        if exponent > highest:
            found, highest = found * math.exp(highest - exponent) + 1.0, exponent
        else:
            found += math.exp(exponent - highest)
        if count > last:
            break
        count += wide
    # Behind the last count neighbours shrink at least so fast.
    slope = cell.rate * (1 / cell.scale - mean / (count + 1 + cell.added))
    shrink = mean / (count + 1) * math.exp(bend + slope) * (1 + 2.0**-40)
    if shrink >= 1:
        return math.inf
    block = wide * math.exp(wide**2 / (8 * least)) if wide > 1 else 1.0
    found = block * found + math.exp(exponent - highest) * shrink / (1 - shrink)
    return highest + math.log(found) + 512 * UNIT_ROUNDOFF * (8 + count - least)


def _log_poisson(count: int, mean: float) -> float:
    """ln(e^-μ μ^k/k!), from above: Stirling's series with one term too many."""
    if count == 0:
        return -mean
    off = (count - mean) / mean
    exponent = mean * ((1 + off) * math.log1p(off) - off)
    if count <= 20:
        return -exponent - (math.log(math.factorial(count)) - count * math.log(count) + count)
    return -exponent - (math.log(2 * math.pi * count) / 2 + 1 / (12 * count) - 1 / (360 * count**3))


def _first_count(mean: float, cut: float) -> int:
    """One more than the largest count ℓ with ℓ ln(ℓ/μ) - ℓ + μ ≥ cut: as few as that are left out."""

    def rarity(count: int) -> float:
        off = (count - mean) / mean
        exponent = mean * ((1 + off) * math.log1p(off) - off) if count else mean
        return exponent - 64 * UNIT_ROUNDOFF * (mean - count)

    if rarity(0) < cut:
        return 0
    low, high = 0, math.floor(mean)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if rarity(middle) >= cut else (low, middle)
    return low + 1


# What everybody may see of a disclosure under a private law ----------------------------------------------------------


def check_public_disclosure(subject: dict[str, Any], _: set[str]) -> tuple[list[Rule], list[str]]:
    """Return the rules and notes of a certificate that states what a private one proves."""
    take(subject, ("shape", "groups", "symbols", "estimation", "commitment"))
    shape = read_shape(subject["shape"], MOST_SAMPLE_VALUES)
    groups = read_groups(subject["groups"], len(shape))
    estimation = read_estimation(subject["estimation"])
    if not estimation.is_private or not re.fullmatch("sha256:[0-9a-f]{64}", str(subject["commitment"])):
        raise Unreadable("the certificate is damaged: it commits to no private one")
    if whole_number(subject["symbols"], 1, MOST_SYMBOLS) != padded_symbols(shape, groups):
        raise Unreadable("the certificate is damaged: its number of symbols is not what its shape is padded to")
    rules = [*drift_rules(shape, groups, estimation, None), _stated_leak_rule(groups, public_leak(shape))]
    return rules, [WITHHELD_NOTE, *law_notes(estimation), ONE_RELEASE]


def public_leak(shape: list[int]) -> Fraction:
    """What is stated of a private mapping: small ones are exact, and of others rounding may be left."""
    return Fraction(0) if math.prod(shape) <= MOST_EXACT_CELLS else ROUNDING_BITS


def padded_symbols(shape: list[int], groups: list[list[int]]) -> int:
    """The most symbols that a best mapping needs: cells less the rank of the marginals, and one."""
    cells = math.prod(shape)
    if sum(2 ** min(len(group), MOST_SUBSETS) for group in groups) >= 2**MOST_SUBSETS:
        return min(cells, MOST_SYMBOLS)
    inside = {
        chosen for group in groups for size in range(len(group) + 1) for chosen in itertools.combinations(group, size)
    }
    return min(cells - sum(math.prod(shape[i] - 1 for i in chosen) for chosen in inside) + 1, MOST_SYMBOLS)


def _stated_leak_rule(groups: list[list[int]], leak: Fraction) -> Rule:
    what = protected_words(groups)

    def find(claim: Claim) -> Found:
        value = stated_interval(claim)
        check_stated(value.lower == 0 and value.upper == leak, claim)
        return Ends(exactly(value.lower), exactly(value.upper))

    return Rule(
        measure=LEAK,
        unit="bits",
        because="I(X_group;Y) of the private mapping, the largest over the groups [D, Def. 1]",
        sentence=lambda value: (
            f"The release tells at most {float(value.upper):g} bits about {what}, if the data follow the law."
            if value.upper
            else f"The release tells nothing at all about {what}, if the data follow the law."
        ),
        find=find,
        relation="≤",
        stated=True,
    )


def stated_interval(claim: Claim) -> Interval:
    """Return the two ends that are stated."""
    if not isinstance(claim.value, Interval):
        raise Refused(f"{claim.measure}: its number is no interval")
    return claim.value


def check_stated(fits: bool, claim: Claim) -> None:
    """Raise unless a stated number is one that such a file can have, whatever the table behind it."""
    if not fits:
        raise Refused(f"{claim.measure}: its number is none that such a file can state")


# ---------------------------------------------------------------------------------------------------------------------
# The whole file, and the command.
# ---------------------------------------------------------------------------------------------------------------------

Check = Callable[[dict[str, Any], set[str]], tuple[list[Rule], list[str]]]
KINDS: dict[str, Check] = {
    "sfumato/certificate/belief-noise/1": check_belief_noise,
    "sfumato/certificate/channel/1": check_channel,
    "sfumato/certificate/disclosure/1": check_disclosure,
    "sfumato/certificate/disclosure-public/1": check_public_disclosure,
    "sfumato/certificate/ladder/1": check_ladder,
    "sfumato/certificate/noise/1": check_noise,
    "sfumato/certificate/rank-noise/1": check_rank_noise,
    "sfumato/certificate/sealed/1": check_sealed,
    "sfumato/certificate/vector-noise/1": check_vector_noise,
}

SOURCES = {
    "A": (
        "Ajaykrishnan Nageswaran, Prakash Narayan",
        "Data Privacy for a ρ-Recoverable Function",
        "IEEE Transactions on Information Theory",
        2019,
    ),
    "B": (
        "Antonious M. Girgis, Deepesh Data, Kamalika Chaudhuri, Christina Fragouli, Suhas Diggavi",
        "Successive Refinement of Privacy",
        "arXiv:2005.11651",
        2020,
    ),
    "C": (
        "Yuuya Yoshida, Man-Hong Yung, Masahito Hayashi",
        "Accuracy-Privacy Trade-off in Analyzing Randomized Responses",
        "arXiv:1805.06278v1",
        2018,
    ),
    "D": (
        "Borzoo Rassouli, Fernando E. Rosas, Deniz Gündüz",
        "Data Disclosure under Perfect Sample Privacy",
        "IEEE Transactions on Information Forensics and Security",
        2020,
    ),
    "E": (
        "Genqiang Wu, Xianyao Xia, Yeping He",
        "Achieving Dalenius' Goal of Data Privacy with Practical Assumptions",
        "arXiv:1703.07474",
        2017,
    ),
    "AS19b": (
        "Mohammad A. Alhejji, Graeme Smith",
        "A Tight Uniform Continuity Bound for Equivocation",
        "arXiv:1909.00787",
        2019,
    ),
    "Bir46": (
        "Garrett Birkhoff",
        "Tres observaciones sobre el álgebra lineal",
        "Universidad Nacional de Tucumán, Revista, Serie A",
        1946,
    ),
    "Che52": (
        "Herman Chernoff",
        "A measure of asymptotic efficiency for tests of a hypothesis based on the sum of observations",
        "The Annals of Mathematical Statistics",
        1952,
    ),
    "IWK20": (
        "Ibrahim Issa, Aaron B. Wagner, Sudeep Kamath",
        "An operational approach to information leakage",
        "IEEE Transactions on Information Theory",
        2020,
    ),
    "McK04": (
        "Andrew L. McKellips",
        "Simple Tight Bounds on Capacity for the Peak-Limited Discrete-Time Channel",
        "IEEE International Symposium on Information Theory",
        2004,
    ),
    "Sha48": (
        "Claude E. Shannon",
        "A mathematical theory of communication",
        "Bell System Technical Journal",
        1948,
    ),
    "Smith09": (
        "Geoffrey Smith",
        "On the foundations of quantitative information flow",
        "Foundations of Software Science and Computational Structures (FOSSACS)",
        2009,
    ),
    "WOS+03": (
        "Tsachy Weissman, Erik Ordentlich, Gadiel Seroussi, Sergio Verdu, Marcelo J. Weinberger",
        "Inequalities for the L1 Deviation of the Empirical Distribution",
        "Hewlett-Packard Labs",
        2003,
    ),
}
_CITATION = re.compile(r"\[([^][]+)\]")
_KEY = re.compile(r"[A-E]|[A-Z][A-Za-z]*\+?[0-9]{2}[a-z]?")


def cited_sources(texts: Iterable[str]) -> dict[str, Any]:
    """The works that reasons cite: of "[B, Lemma 6; Bir46]" B and Bir46."""
    entries = (entry for text in texts for inside in _CITATION.findall(text) for entry in inside.split(";"))
    keys = {key for entry in entries if _KEY.fullmatch(key := entry.split(",")[0].strip())}
    names = ("authors", "title", "venue", "year")
    return {key: dict(zip(names, SOURCES[key], strict=True)) for key in keys}


def check(raw: bytes) -> Verdict:
    """Check the bytes of a certificate, or raise Unreadable, Refused or, where nothing could be done, TooLarge."""
    document = read_certificate(raw)
    kind = document["schema"].split("/")[2]
    claims = document["claims"]
    try:
        rules, notes = KINDS[document["schema"]](document["subject"], {claim["measure"] for claim in claims})
        answers = check_claims(claims, rules)
    except (ArithmeticError, ValueError, RecursionError, MemoryError):
        raise Unreadable("the certificate is damaged: it holds numbers or lists that none has") from None
    if document["notes"] != notes:
        raise Refused("the notes are not the ones that belong to the subject")
    if not _same(document["sources"], cited_sources(claim["because"] for claim in claims)):
        raise Refused("the sources are not the works that the claims cite")
    return Verdict(kind, answers)


def _same(found: Any, wanted: Any) -> bool:
    """Whether two documents are spelled alike; to Python, 2009.0 is 2009 and true is 1."""
    return list(_pieces(found, "")) == list(_pieces(wanted, ""))


# ---------------------------------------------------------------------------------------------------------------------
# Pages: every text that a page shows is marked with its place in the JSON that the page carries.
# ---------------------------------------------------------------------------------------------------------------------

PAGE_START = b"<!doctype html>"
PAGE_SCHEMA = "sfumato/page/1"
PAGE_TEXTS = ("aria-label", "title", "alt")  # attributes that show or say text
PAGE_VOID = ("meta", "br", "img")
PAGE_TAGS = frozenset({
    "html", "head", "meta", "title", "style", "script", "body", "header", "main", "nav", "section", "footer", "h1",
    "h2", "h3", "h4", "h5", "p", "ul", "ol", "li", "dl", "dt", "dd", "a", "div", "span", "strong", "code", "sup",
    "figure", "figcaption", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "br", "svg", "g", "defs",
    "use", "clippath", "path", "line", "rect", "circle", "text", "tspan", "desc",
})  # fmt: skip
# Attributes that neither show text nor load anything; a link may lead to a place of the page.
PAGE_ATTRIBUTES = frozenset({
    "lang", "charset", "name", "content", "http-equiv", "class", "id", "role", "scope", "colspan", "rowspan",
    "tabindex", "href", "xlink:href", "style", "type", "aria-hidden", "aria-labelledby", "x", "y", "x1", "x2", "y1",
    "y2", "dx", "dy", "cx", "cy", "r", "rx", "width", "height", "viewbox", "preserveaspectratio", "overflow", "d",
    "transform", "clip-path", "fill", "stroke", "stroke-width", "text-anchor", "version", "xmlns", "xmlns:xlink",
    "data-at",
})  # fmt: skip
PAGE_STYLE = re.compile(  # what shows text with digits, or loads something
    r"""\\|<|@import|url\s*\((?!#)|counter|symbols|attr\s*\(|"[^"]*\d[^"]*"|'[^']*\d[^']*'""", re.IGNORECASE
)
NUMBER_FORM = re.compile(r"(percent|decimal)\.([0-9]{1,2})(?:\.(up|down))?")
# Measures of which at least so much is promised; all others are promises of at most so much.
LEAST_MEASURES = ("randomness_bits", "separate_randomness_bits", "disclosed_bits", "key_bits")


class _Page(HTMLParser):
    """What a page shows, each text with its mark, and the data that it carries."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[tuple[str, str]] = []
        self.data: list[str] = []
        self.open: list[tuple[str, list[str]]] = []

    def handle_decl(self, decl: str) -> None:
        if decl.lower() != "doctype html" or self.open:
            raise Refused("the page has a declaration that none has")

    def unknown_decl(self, data: str) -> None:
        raise Refused(f"the page has a declaration that none has: {shown(data)}")

    def handle_comment(self, data: str) -> None:
        raise Refused(f"the page has a comment: {shown(data)}")

    def handle_pi(self, data: str) -> None:
        raise Refused(f"the page has an instruction: {shown(data)}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag not in PAGE_TAGS or len(given) != len(attrs) or (self.open and self.open[-1][0] in {"script", "style"}):
            raise Refused(f"the page has an element that none has: {shown(tag)}")
        if tag == "script" and (given.get("type"), given.get("id")) != ("application/json", "data"):
            raise Refused("the page has a script")
        if given.get("http-equiv", "Content-Security-Policy") != "Content-Security-Policy":
            raise Refused("the page has a header that may lead elsewhere")
        for name, value in given.items():
            self.take_attribute(name, value, given)
        marks = given.get("data-at", "").split()
        if tag not in PAGE_VOID:
            self.open.append((tag, marks))
        elif marks:
            raise Refused("the page marks an element that has no text")

    def take_attribute(self, name: str, value: str, given: dict[str, str]) -> None:
        """Collect the text of an attribute, or raise unless it shows none."""
        if name in PAGE_TEXTS:
            if value.strip():
                if f"data-at-{name}" not in given:
                    raise Refused(f"the page has an unmarked text: {shown(value)}")
                self.texts.append((value, given[f"data-at-{name}"]))
        elif name.startswith("data-at-"):
            if not given.get(name.removeprefix("data-at-"), "").strip():
                raise Refused("the page lacks a text that it marks")
        elif name not in PAGE_ATTRIBUTES or (name in {"href", "xlink:href"} and not value.startswith("#")):
            raise Refused(f"the page has an attribute that none has: {shown(name)}")
        elif name == "style":
            check_style(value)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in PAGE_VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        opened, marks = self.open.pop() if self.open else ("", [])
        if opened != tag:
            raise Refused("the elements of the page do not fit into one another")
        if marks:
            raise Refused("the page lacks a text that it marks")

    def handle_data(self, data: str) -> None:
        tag, marks = self.open[-1] if self.open else ("", [])
        if tag == "script":
            self.data.append(data)
        elif tag == "style":
            check_style(data)
        elif data.strip():
            if not marks:
                raise Refused(f"the page has an unmarked text: {shown(data.strip())}")
            self.texts.append((data, marks.pop(0)))


def check_style(text: str) -> None:
    """Raise where rules of style show text with digits, or load something."""
    if PAGE_STYLE.search(text):
        raise Refused("the style of the page shows text, or loads something")


def check_page(raw: bytes) -> Verdict:
    """Check a page: its certificates, and that its data give every text that it shows."""
    if len(raw) > MOST_BYTES:
        raise TooLarge(f"the file has more than {MOST_BYTES >> 20} MiB")
    page = _Page()
    try:
        page.feed(raw.decode())
    except UnicodeDecodeError:
        raise Unreadable("this is no page that I know: it is not UTF-8") from None
    page.close()
    if page.open:
        raise Refused("the elements of the page do not end")
    document = _parse(page.data[0].encode()) if len(page.data) == 1 and "<" not in page.data[0] else None
    if not isinstance(document, dict) or document.get("schema") != PAGE_SCHEMA:
        raise Unreadable(f"this is no page that I know: it carries no data of the schema {PAGE_SCHEMA}")
    if set(document) != {"schema", "certificates", "texts"} or not (
        isinstance(document["certificates"], list) and isinstance(document["texts"], list)
    ):
        raise Unreadable("the data of the page are damaged")
    if len(page.texts) != len(document["texts"]):
        raise Refused("the page shows more or fewer texts than its data have")
    for number, ((text, mark), entry) in enumerate(zip(page.texts, document["texts"], strict=True)):
        if mark != f"/texts/{number}" or text_of(document, entry) != text:
            raise Refused(f"the page shows what its data do not say: {shown(text.strip())}")
    answers: list[tuple[str, str, str]] = []
    for number, record in enumerate(document["certificates"], start=1):
        verdict = check("".join(itertools.chain(_pieces(record, "\n"), "\n")).encode())
        answers += [(f"{number}: {measure}", said, why) for measure, said, why in verdict.answers]
    return Verdict("page", answers)


def text_of(document: dict[str, Any], entry: Any) -> str | None:
    """Work out the text of an entry; None where it has none."""
    try:
        return "".join(piece_text(document, piece) for piece in (entry if isinstance(entry, list) else [entry]))
    except (LookupError, TypeError, ValueError, ArithmeticError):
        return None


def entry_at(document: Any, place: str) -> Any:
    """What a JSON pointer names."""
    for step in place.split("/")[1:]:
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


def piece_text(document: dict[str, Any], piece: Any) -> str:
    """Words as they are, a number in its form, or what is shown of a claim."""
    if isinstance(piece, str):
        return "".join(letter if letter.isprintable() or letter in "\n\t\u00a0" else "\ufffd" for letter in piece)
    if set(piece) == {"number", "as"}:
        number, form = piece["number"], piece["as"]
        if number in ("inf", "-inf"):
            return "∞" if number == "inf" else "-∞"
        if form == "count" and type(number) is int:
            return f"{number:,}"
        if type(number) in (int, float):
            return number_text(Fraction(repr(number)), form)
    elif set(piece) == {"at", "as"}:
        found = entry_at(document, piece["at"])
        if piece["as"] == "text":
            return piece_text(document, found + "")
        claim = read_claim(found)
        return {"value": value_text, "status": status_text, "epsilon": epsilon_text}[piece["as"]](claim)
    raise ValueError("no text")


def number_text(number: Fraction, form: str) -> str:
    """A number in percent or as it is, with some digits behind the point; ε is rounded up, without zeros at its end."""
    if form == "epsilon":
        return _with_point(math.ceil(number * 1000), 3).rstrip("0").rstrip(".")
    found = NUMBER_FORM.fullmatch(form)
    if found is None:
        raise ValueError(form)
    digits = int(found[2])
    scaled = number * 10**digits * (100 if found[1] == "percent" else 1)
    units = math.ceil(scaled) if found[3] == "up" else math.floor(scaled) if found[3] == "down" else round(scaled)
    return _with_point(units, digits, grouped=found[1] == "decimal" and abs(units) >= 10_000 * 10**digits)


def _with_point(units: int, digits: int, *, grouped: bool = False) -> str:
    whole, rest = divmod(abs(units), 10**digits)
    text = (f"{whole:,}" if grouped else str(whole)) + (f".{rest:0{digits}d}" if digits else "")
    return f"-{text}" if units < 0 else text


def epsilon_text(claim: Claim) -> str:
    """The ε that a claim bounds, rounded up."""
    bound = claim.value.upper if isinstance(claim.value, Interval) else claim.value
    if not isinstance(bound, Fraction):
        return "∞"
    return number_text(Fraction(round(bound * 10**12), 10**12), "epsilon")


def value_text(claim: Claim) -> str:
    """The number of a claim with its unit: a bound as a bound, an interval by the end that its promise rests on."""
    relation, unit, value = claim.record["relation"], claim.record["unit"], claim.value
    suffix = "" if unit in {"probability", "ratio", "sum"} else f" {unit}"
    sign = f"{relation} " if relation in {"≥", "≤"} else ""
    if not isinstance(value, Interval):
        return f"{sign}{fraction_words(value) if isinstance(value, Fraction) else '∞'}{suffix}"
    if claim.record["status"] == STATED:
        return f"{sign or f'{float(value.lower):g} to '}{float(value.upper):g}{suffix}"
    is_least = relation == "≥" or (relation == "in" and claim.measure.startswith(LEAST_MEASURES))
    end = value.lower if is_least else value.upper
    if relation != "in" or end >= 10**15:
        return f"{sign}{at_least(end) if is_least else at_most(end)}{suffix}"
    width = float(value.upper) - float(value.lower)
    digits = min(9, max(1, math.floor(-math.log10(width)))) if width > 0 else 9
    units = math.floor(end * 10**digits) if is_least else math.ceil(end * 10**digits)
    return _with_point(units, digits).rstrip("0").rstrip(".") + suffix


def status_text(claim: Claim) -> str:
    """How well a number is known."""
    if claim.record["status"] == STATED:
        return STATED
    if not isinstance(claim.value, Interval):
        return "exact"
    half = (float(claim.value.upper) - float(claim.value.lower)) / 2
    return f"certified ±{half:.0e}" if claim.record["relation"] == "in" else "certified"


def shown(text: str) -> str:
    """Text of a file, short and without anything that could move a terminal."""
    plain = "".join(letter if letter.isprintable() else "?" for letter in text[:80])
    return plain.encode(sys.stdout.encoding or "ascii", "replace").decode(sys.stdout.encoding or "ascii", "replace")


def answer(raw: bytes) -> dict[str, Any]:
    """Check a certificate and put everything that there is to say about it into one record."""
    record: dict[str, Any] = {"schema": "sfumato/check/1", "kind": None, "claims": []}
    try:
        is_page = raw[: len(PAGE_START)].lower() == PAGE_START
        verdict = check_page(raw) if is_page else check(raw)
    except Unreadable as error:
        return {**record, "answer": "unreadable", "exit_code": EXIT_UNREADABLE, "because": str(error)}
    except Refused as error:
        return {**record, "answer": "refused", "exit_code": EXIT_REFUSED, "because": str(error)}
    except TooLarge as error:
        return {**record, "answer": TOO_LARGE, "exit_code": EXIT_OPEN, "because": str(error)}
    except Exception as error:  # noqa: BLE001  a file that I did not think of is no certificate, and never a traceback
        because = f"the certificate is damaged in a way that I did not expect ({type(error).__name__})"
        return {**record, "answer": "unreadable", "exit_code": EXIT_UNREADABLE, "because": because}
    claims = [dict(zip(("measure", "answer", "because"), line, strict=True)) for line in verdict.answers]
    code = verdict.exit_code
    open_claims = [claim for claim in claims if claim["answer"] != CHECKED]
    because = (
        f"every claim follows from what the file declares{', and every text of the page from its data' * is_page}"
        if code == EXIT_CHECKED
        else f"nothing is wrong, but {len(open_claims)} of {len(claims)} claims are not checked"
    )
    said = CHECKED if code == EXIT_CHECKED else "not wholly checked"
    return {
        **record,
        "kind": verdict.kind,
        "claims": claims,
        "answer": said,
        "exit_code": code,
        "because": because,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the file that the command line names, say what was found, and return the exit code."""
    summary, _, details = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="sfumato-check", description=summary, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("certificate", help="the sealed certificate (JSON), or a page that carries certificates (HTML)")
    parser.add_argument("--json", action="store_true", help="say it in JSON")
    options = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        with Path(options.certificate).open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
        found = answer(raw)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no file"
        found = {"schema": "sfumato/check/1", "kind": None, "claims": [], "answer": "unreadable"}
        found |= {"exit_code": EXIT_UNREADABLE, "because": f"the file cannot be opened: {reason}"}
    if options.json:
        print(json.dumps(found, ensure_ascii=True))
    else:
        _print(found, options.certificate)
    return int(found["exit_code"])


def _print(found: dict[str, Any], path: str) -> None:
    width = max((len(claim["measure"]) for claim in found["claims"]), default=0)
    for claim in found["claims"]:
        reason = f" ({claim['because']})" if claim["because"] else ""
        print(f"  {claim['measure']:<{width}}  {claim['answer']}{reason}")
    stream = sys.stdout if found["exit_code"] in {EXIT_CHECKED, EXIT_OPEN} else sys.stderr
    print(f"{shown(path)}: {found['answer']}: {shown_sentence(found['because'])}.", file=stream)


def shown_sentence(text: str) -> str:
    """A sentence of mine, whose words from the file are shown already."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


if __name__ == "__main__":
    sys.exit(main())
