"""What is left of an erased report: whoever knows all else of its block cannot find it in any digest that is left.

The attacker knows every other report of the block, every salt and digest in every file that is left, public or not, and
the few values that the report can have. The search is the best there is: try them all, under every salt.
"""

import base64
import json
import re
import struct
from hashlib import sha256

import numpy as np
import pyarrow.parquet as pq
import pytest

from living_publications import Living, living_answers, living_study, other
from sfumato.keys import Passphrase, Unprotected
from sfumato.keys.key_files import read_key
from sfumato.ladders.keys import BLOCK_ROWS
from sfumato.ledger import Ledger
from sfumato.study import write_study
from sfumato.workflows.erasing import erase
from sfumato.workflows.publishing import publish

ROWS, GONE = 4200, 4111  # the last block has 104 rows, and one of them goes
QUESTIONS = ("moved", "place")
LEDGER = "budget.ledger"


def block_digest(salt, block, numbers, reports, *, salted=True):
    """The digest of a block as the page on files has it, written anew; unsalted it is what a plain tree would hold."""
    offsets = [number - block * BLOCK_ROWS for number in numbers]
    dense = offsets == list(range(len(offsets)))
    data = b"sfumato/block/1\0" + (salt if salted else b"") + struct.pack("<QIB", block, len(offsets), dense)
    if not dense:
        data += struct.pack(f"<{len(offsets)}H", *offsets)
    return sha256(data + struct.pack(f"<{len(reports)}I", *reports)).hexdigest()


def root_digest(question, digests):
    name = question.encode()
    data = b"sfumato/part/1\0" + struct.pack("<I", len(name)) + name + struct.pack("<Q", len(digests))
    return sha256(data + b"".join(struct.pack("<Q", block) + bytes.fromhex(one) for block, one in digests)).hexdigest()


def everything_in(folder):
    """Every digest and every salt that stands in some file, in clear: notes in and beside tables, headers, books."""
    digests, salts = set(), set()
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        texts = [path.read_bytes().decode("latin-1")]
        if path.suffix == ".parquet":
            texts += [value.decode() for value in (pq.read_metadata(path).metadata or {}).values()]
        for text in texts:
            digests |= set(re.findall(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])", text))
            for found in re.findall(r'"salts": ?"([A-Za-z0-9+/=]+)"', text):
                held = base64.b64decode(found)
                salts |= {held[place : place + 16] for place in range(0, len(held), 16)}
    return digests, salts


class Attack:
    """Search for the report of row `GONE` to a question among digests, knowing all others."""

    def __init__(self, before, question, values):
        self.question, self.values = question, values
        self.numbers = before["row"].to_pylist()
        labels = {label: code for code, label in enumerate(values)}
        self.reports = [labels[cell] for cell in before[question].to_pylist()]
        self.true = self.reports[GONE]

    def found(self, digests, salts, first_block_salts, *, salted=True):
        """Return the values of the report that explain some digest of its block, or some root."""
        block = GONE // BLOCK_ROWS
        mine = [place for place in range(len(self.numbers)) if self.numbers[place] // BLOCK_ROWS == block]
        rest = [place for place in range(len(self.numbers)) if self.numbers[place] // BLOCK_ROWS != block]
        ahead = [
            block_digest(salt, 0, [self.numbers[place] for place in rest], [self.reports[place] for place in rest],
                         salted=salted)
            for salt in first_block_salts
        ]  # fmt: skip
        seen = set()
        for value in range(len(self.values)):
            reports = [value if self.numbers[place] == GONE else self.reports[place] for place in mine]
            for salt in salts if salted else [b""]:
                one = block_digest(salt, block, [self.numbers[place] for place in mine], reports, salted=salted)
                roots = {root_digest(self.question, [(0, other), (block, one)]) for other in ahead}
                if one in digests or roots & digests:
                    seen.add(value)
        return seen


@pytest.fixture(scope="module", params=["information-theoretic", "computational"])
def erased(request, tmp_path_factory):
    """A publication with a ledger and an index from which somebody was erased; what all files held before and after."""
    folder = tmp_path_factory.mktemp("erased") / "office"
    living = Living(folder, living_study(), request.param)
    folder.mkdir()
    Ledger.create(folder / LEDGER, epsilon=9)
    living.publish(living_answers(ROWS), id_column="person", ledger=folder / LEDGER)
    (part,) = living.part_files()
    before = pq.read_table(part)
    old = everything_in(folder)
    note = json.loads(part.with_name(f"{part.name}.about.json").read_text())
    living.erase(ids=[f"p{GONE:05d}"])
    return living, before, old, everything_in(folder), note


def values_of(living, question):
    return living.study.handler(question).report_labels


@pytest.mark.parametrize("question", QUESTIONS)
class TestTheSearch:
    def test_fails_in_all_that_is_left(self, erased, question):
        """Although the old root is in keys, record and ledger, and the old digest of the block in the note."""
        living, before, (_, old_salts), (digests, salts), note = erased
        attack = Attack(before, question, values_of(living, question))
        assert note["parts"][0]["roots"][question] in digests, "the old root is still there to be held against"
        assert len(old_salts & salts) == 1, "the salt of the other block is the same, its own is another"
        assert attack.found(digests, salts, salts) == set()

    def test_succeeds_with_what_was_there_before(self, erased, question):
        """The control: with the salt that was discarded, the digests that are left give the report away."""
        living, before, (old_digests, old_salts), (digests, salts), _ = erased
        attack = Attack(before, question, values_of(living, question))
        assert attack.found(old_digests, old_salts, old_salts) == {attack.true}
        assert attack.found(digests, old_salts, salts) == {attack.true}, "so the salt was all that kept it"

    def test_succeeds_against_digests_without_salts(self, erased, question):
        """What a plain tree would leave behind: the digest of before, which every key is held against."""
        living, before, *_ = erased
        attack = Attack(before, question, values_of(living, question))
        numbers = [number for number in attack.numbers if number // BLOCK_ROWS == 1]
        left = {block_digest(b"", 1, numbers, [attack.reports[number] for number in numbers], salted=False)}
        assert attack.found(left, [], [], salted=False) == {attack.true}

    def test_the_block_as_it_is_now_says_nothing_of_who_is_gone(self, erased, question):
        """The digest under the new salt is that of the others alone: it is the same whatever the report was."""
        living, before, _, (digests, _), _ = erased
        attack = Attack(before, question, values_of(living, question))
        part = living.read().note.parts[0]
        left = [number for number in attack.numbers if number // BLOCK_ROWS == 1 and number != GONE]
        now = block_digest(part.salt_of(1), 1, left, [attack.reports[number] for number in left])
        first = [number for number in attack.numbers if number // BLOCK_ROWS == 0]
        other = block_digest(part.salt_of(0), 0, first, [attack.reports[number] for number in first])
        assert root_digest(question, [(0, other), (1, now)]) == part.roots[question]
        assert part.roots[question] in digests


def test_nothing_of_the_old_part_is_left_in_the_folder(erased):
    living, _, (_, old_salts), _, _ = erased
    (part,) = living.part_files()
    assert GONE not in pq.read_table(part)["row"].to_pylist()
    gone = next(salt for salt in old_salts if salt not in living.read().note.parts[0].salts)
    for path in living.folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert gone not in data
            assert base64.b64encode(gone).rstrip(b"=")[:-1] not in data
            assert f"p{GONE:05d}".encode() not in data
    assert not [path for path in living.folder.rglob("*") if path.name.startswith(".") and path.is_dir()]


def test_the_old_root_is_in_every_book(erased):
    """The search looked where something was to be found: keys, record, ledger and note hold what was made then."""
    living, _, _, _, note = erased
    made = note["parts"][0]["roots"]
    for path in (living.folder / "releases.json", living.folder / LEDGER):
        assert all(root.encode() in path.read_bytes() for root in made.values()), path.name
    for path in living.keys.glob("*.key"):
        assert any(root.encode() in path.read_bytes() for root in made.values()), path.name
    part = living.read().note.parts[0]
    assert set(part.rewritten) == {1}
    assert set(part.rewritten[1]) == set(QUESTIONS)


def test_the_draws_of_who_is_gone_are_overwritten_in_every_key_that_opens(tmp_path):
    """True draws: sixty people's are others, everybody else's are as they were; all sixty agree once in 1e12 runs."""
    living = Living(tmp_path / "office")
    living.publish(living_answers(ROWS))
    paths = sorted(living.keys.glob("*.key"))
    old = {path: read_key(path, Unprotected()).material.between(0, ROWS).copy() for path in paths}
    gone = [*range(59), GONE]
    said = living.erase(*gone)
    assert sorted(said.keys) == paths
    assert not said.closed
    assert not said.has_seeds
    for path, before in old.items():
        now = read_key(path, Unprotected()).material.between(0, ROWS)
        assert np.array_equal(np.delete(now, gone), np.delete(before, gone))
        assert not np.array_equal(now[gone], before[gone])
    truth = living_answers(ROWS)["place"].to_pylist()
    assert living.recovered()["place"].to_pylist() == [truth[row] for row in range(ROWS) if row not in set(gone)]


@pytest.mark.parametrize("guarantee", ["information-theoretic", "computational"])
def test_an_amended_row_is_erased_from_every_amendment_and_its_keys(tmp_path, guarantee):
    """Draws of an amendment stand in the order of its rows, not under their numbers."""
    living = Living(tmp_path / "office", guarantee=guarantee)
    living.publish(living_answers(ROWS))
    truth = living_answers(ROWS)["moved"].to_pylist()
    for rows in ([3, 50, 4097, GONE, 4199], [3, GONE]):
        for row in rows:
            truth[row] = other(truth[row])
        living.amend({"row": rows, "moved": [truth[row] for row in rows]})
    said = living.erase(50, GONE)
    assert said.parts == 3
    for path in living.part_files():
        assert not {50, GONE} & set(pq.read_table(path)["row"].to_pylist())
    found = living.recovered()
    assert found["row"].to_pylist() == [row for row in range(ROWS) if row not in {50, GONE}]
    assert found["moved"].to_pylist() == [truth[row] for row in found["row"].to_pylist()]
    again = living.erase(50, GONE)  # what was interrupted is finished by the same call
    assert again.parts == said.parts
    assert living.recovered()["moved"].to_pylist() == found["moved"].to_pylist()


def test_who_waits_is_told_how_many_rows_are_written_anew(tmp_path):
    """Those of the part and of its amendment; other parts are left alone."""
    living = Living(tmp_path / "office")
    living.publish(living_answers(ROWS))
    living.publish(living_answers(300, prefix="q"), append=True)
    first = living.read().note.parts[0].id
    truth = living_answers(ROWS)["moved"].to_pylist()
    living.amend({"part": [first] * 2, "row": [3, GONE], "moved": [other(truth[row]) for row in (3, GONE)]})
    told = []
    for row in (GONE, 3):
        erase(living.reports, rows=[(first, row)], keys=living.keys, unlock=Unprotected(),
              progress=lambda rows, total: told.append((rows, total)))  # fmt: skip
    assert told == [(ROWS, ROWS + 2), (2, ROWS + 2), (ROWS - 1, ROWS), (1, ROWS)]


def test_a_block_can_be_erased_from_again_and_keys_still_know_the_rest(tmp_path):
    """The digest that keys were made with is that from before the first erasure, however many follow."""
    living = Living(tmp_path / "office")
    living.publish(living_answers(ROWS))
    sealed = {path: path.read_bytes() for path in living.keys.glob("*.key")}  # copies that analysts hold
    for gone in ((1, 2), (3,), (GONE,), (4, GONE - 1)):
        living.erase(*gone)
    for path, data in sealed.items():
        path.write_bytes(data)
    truth = living_answers(ROWS)["place"].to_pylist()
    found = living.recovered()
    assert found["place"].to_pylist() == [truth[row] for row in found["row"].to_pylist()]
    assert len(found) == ROWS - 6


def test_a_key_file_that_does_not_open_is_named(tmp_path):
    """What is sealed under another secret still holds the draws, and whoever erases is told so."""
    living = Living(tmp_path / "office")
    living.folder.mkdir()
    secret = Passphrase("the ministry's own long passphrase")
    write_study(living.study, living.file)
    publish(living.file, living_answers(50), out=living.reports, keys=living.keys,
            protection={"ministry": secret, "registrar": Unprotected()})  # fmt: skip
    said = erase(living.reports, rows=[(None, 7)], keys=living.keys, unlock=Unprotected())
    assert {path.name for path in said.closed} == {"ministry.moved.key", "ministry.place.key"}
    assert {path.name for path in said.keys} == {"registrar.moved.key", "registrar.place.key"}
