"""Small studies that are collected over the web, their receivers' keys, and what a server keeps of submissions."""

import hashlib
from dataclasses import replace
from fractions import Fraction

import numpy as np

from sfumato.errors import SourceFailed
from sfumato.ladders import Ladder
from sfumato.sampling import Guarantee
from sfumato.study import Analyst, CollectTerms, OneOfMany, Study, YesNo
from sfumato.study.collection import StoredRow, collection_of
from sfumato.workflows.key_files import make_key_pair
from sfumato.workflows.responding import respond

HOMES = ("north", "south", "east", "west")


def homes(folder, *, collect=None, kem="x25519", recover=False, **changes):
    """A study of three questions and two analysts, whose key pairs lie in the folder; with `recover` a registrar."""
    for name in ("ministry", "press", "registrar"):
        if not (folder / name).exists():
            make_key_pair(folder / name, kem=kem)
    declared = {
        "name": "Homes",
        "questions": (
            OneOfMany(id="place", text="Where do you live?", answers=HOMES, missing="hidden"),
            YesNo(id="moved", text="Did you move?"),
            YesNo(id="sold", text="Did you sell?", missing="public"),
        ),
        "analysts": (
            Analyst(name="ministry", epsilon=Fraction(3), public_key="ministry.pub"),
            Analyst(name="press", epsilon=Fraction(2), public_key="press.pub"),
        ),
        "public_epsilon": Fraction(1),
        "recover": recover,
        "registrar_key": "registrar.pub",
        "collect": collect or CollectTerms(kem=kem, recover=recover),
    }
    return Study(**(declared | changes))


def kept(collection, submissions, panels=None):
    """What a server keeps, sorted by id."""
    rows = [
        StoredRow(
            id=one.id,
            credential=hashlib.sha256(one.id).digest(),
            row=one.row,
            shares=collection.join_shares(one.shares),
            panel=None if panels is None else panels[place],
            wave=collection.wave,
        )
        for place, one in enumerate(submissions)
    ]
    return sorted(rows, key=lambda row: row.id)


def three_answers(*, analyst=False, mode="anonymous", folder=None):
    """One question of three answers, whose odds make every chance a multiple of 1/8: six, and with an analyst 38/13."""
    study = Study(
        name="Small",
        questions=(OneOfMany(id="q", text="Which?", answers=("a", "b", "c")),),
        analysts=(Analyst(name="ministry", epsilon=Fraction(2), public_key="ministry.pub"),) if analyst else (),
        public_epsilon=Fraction(11, 10) if analyst else Fraction(2),
        collect=CollectTerms(mode=mode),
    )
    if analyst and not (folder / "ministry").exists():
        make_key_pair(folder / "ministry")
    odds = (Fraction(6), Fraction(38, 13)) if analyst else (Fraction(6),)
    ladder = Ladder.of_odds(study.handler("q").ladder.levels[0], odds)
    return replace(collection_of(study, folder), declarations={"q": ladder.declaration})


class Undecided(Exception):
    """One more word is wanted than the script has."""


class Branches:
    """Words of a script, of which only the first two bits and the last decide; names of reports are always the same."""

    guarantee = Guarantee.NONE
    label = "INSECURE script: a test, not a release"

    def __init__(self, script, middle):
        self.script, self.middle, self.next = script, middle, 0

    def words(self, count, width=64):
        if width == 8:  # ids and secrets
            return np.full(count, 7, dtype=np.uint8)
        if self.next + count > len(self.script):
            raise Undecided
        taken = self.script[self.next : self.next + count]
        self.next += count
        filled = ((1 << (width - 3)) - 1) << 1 if self.middle else 0
        return np.array([(word >> 1) << (width - 2) | filled | (word & 1) for word in taken], dtype=f"<u{width // 8}")


# Each pair of first bits once, and both last bits twice.
WORDS = (0b000, 0b011, 0b100, 0b111)


def enumerated(send, middle=False):
    """Send with every script: what comes out, and its exact probability."""
    law, open_scripts = {}, [()]
    while open_scripts:
        script = open_scripts.pop()
        bits = Branches(script, middle)
        try:
            told = send(bits)
        except Undecided:
            open_scripts += [(*script, word) for word in WORDS]
            continue
        assert bits.next == len(script)
        law[told] = law.get(told, Fraction(0)) + Fraction(1, len(WORDS) ** len(script))
    assert sum(law.values()) == 1
    return law


def script_for(send, wanted):
    """A script under which what is sent is as wanted."""
    open_scripts = [()]
    while open_scripts:
        script = open_scripts.pop()
        try:
            if send(Branches(script, False)) == wanted:
                return script
        except Undecided:
            open_scripts += [(*script, word) for word in WORDS]
    raise SourceFailed("nothing leads there", way_out="")


def row_of(collection, answer):
    """What sends the row of an answer, given bits."""
    return lambda bits: respond(collection, {"q": answer}, bits=bits).row
