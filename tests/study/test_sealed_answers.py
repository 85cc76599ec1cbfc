"""Answers that reports round come back exactly to the registrar, and tell nothing to anybody else."""

import decimal
import itertools
import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
import sfumato_check
from drawn_parts import drawn_part
from fresh_seals import reseal
from living_publications import Living
from sfumato.certificates import Certificate, certify, verify
from sfumato.errors import InvalidParameter, KeyRefused, SfumatoError
from sfumato.keys import Unprotected
from sfumato.keys.sealed_files import read_private_key
from sfumato.ladders import SealedAnswers
from sfumato.ladders.shift_levels import MOST_PADDED, PadLevel
from sfumato.ladders.steps import TwoLevelShift
from sfumato.publications.opening import recover_table
from sfumato.sampling import Guarantee, InsecureSeeded
from sfumato.study import Analyst, BoundedNumber, Card, CollectTerms, Count, Ordered, Several, Study
from sfumato.study.collection import StoredRow, collection_of
from sfumato.study.planning import release_of_reports
from sfumato.workflows.collecting import export_part, unseal_shares
from sfumato.workflows.combining import combine
from sfumato.workflows.key_files import make_key_pair
from sfumato.workflows.reading import recover_answers
from sfumato.workflows.responding import DeviceMemory, respond, respond_all

OPTIONS = ("bus", "car", "ferry", "train", "walk", "other")
NAMES = ("rooms", "income", "ways", "often")
TENTHS = {"highest": 10, "step": Fraction(1, 10)}
GUARANTEES = [Guarantee.INFORMATION_THEORETIC, Guarantee.COMPUTATIONAL]


def questions(missing="hidden"):
    return (
        Count(id="rooms", text="Rooms?", lowest=1, highest=10),
        BoundedNumber(id="income", text="Income?", highest=200_000, step=Fraction(1, 100), missing=missing),
        Several(id="ways", text="How do you get about?", options=OPTIONS, none="none", ask=2),
        Ordered(id="often", text="How often?", answers=("1", "2", "3", "4", "5"), missing="public"),
    )


def study(*asked, **changes):
    values = {
        "name": "Homes",
        "questions": asked or questions(),
        "analysts": (Analyst(name="ministry", epsilon=Fraction(3)),),
        "public_epsilon": Fraction(1),
        "recover": True,
    }
    return Study(**{**values, **changes})


def people(rows, seed=1, prefix="p"):
    """Counts 1 to 10, incomes of which 8 % are missing, options, a scale."""
    draw = np.random.default_rng(seed)
    income = [None if draw.random() < 0.08 else round(float(x), 2) for x in draw.random(rows) * 200_000]
    ways = [";".join(one for one in OPTIONS if draw.random() < 0.4) or "none" for _ in range(rows)]
    often = [None if draw.random() < 0.1 else int(x) for x in draw.integers(1, 6, rows)]
    return pa.table(
        {
            "person": [f"{prefix}{row:06d}" for row in range(rows)],
            "rooms": draw.integers(1, 11, rows),
            "income": pa.array(income, pa.float64()),
            "ways": ways,
            "often": pa.array(often, pa.int8()),
        }
    )


def check_same(found, table):
    """Cell by cell, in value and type."""
    for name in NAMES:
        assert found.column(name).type == table.column(name).type, name
        assert found.column(name).to_pylist() == table.column(name).to_pylist(), name


# The registrar gets the answers back.


def corrected(table, cells):
    rows = table.to_pylist()
    for row, name, value in cells:
        rows[row][name] = value
    return pa.Table.from_pylist(rows, schema=table.schema)


def live(folder, guarantee, rows):
    """Publish, append, amend, erase, and combine with what another office published."""
    office, other = (Living(folder / name, study=study(), guarantee=guarantee, keep=()) for name in ("here", "there"))
    first, later = people(rows), people(300, 2, "q")
    office.publish(first, id_column="person")
    check_same(office.recovered(), first)
    office.publish(later, id_column="person", append=True, unlock=Unprotected())
    check_same(office.recovered(), pa.concat_tables([first, later]))
    part = office.read().note.parts[0].id
    made = office.amend(
        {
            "part": [part] * 3,
            "row": [3, 4, rows - 1],
            "rooms": [1 + first["rooms"][3].as_py() % 10, None, 7],
            "income": ["no answer", "0.07", None],
            "ways": ["none", "bus;walk", None],
        }
    )
    changes = [(3, "rooms", 1 + first["rooms"][3].as_py() % 10), (3, "income", None), (3, "ways", "none")]
    changes += [(4, "income", 0.07), (4, "ways", "bus;walk"), (rows - 1, "rooms", 7)]
    first = corrected(first, changes)
    assert made.cells + made.unchanged == len(changes)
    check_same(office.recovered(), pa.concat_tables([first, later]))
    sf.erase(office.reports, rows=[(part, 0), (part, rows - 1)], keys=office.keys, unlock=Unprotected())
    left = pa.concat_tables([first.slice(1, rows - 2), later])
    check_same(office.recovered(), left)
    abroad = people(200, 3, "r")
    other.publish(abroad, id_column="person")
    both = [office.keys, other.keys]
    combine([office.reports, other.reports], folder / "all", keys=both, unlock=Unprotected())
    check_same(recover_answers(folder / "all", both, unlock=Unprotected()), pa.concat_tables([left, abroad]))


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=str)
def test_every_answer_comes_back_through_all_that_befalls_a_publication(tmp_path, guarantee):
    live(tmp_path, guarantee, 5000)


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", GUARANTEES, ids=str)
def test_400_000_answers_come_back(tmp_path, guarantee):
    live(tmp_path, guarantee, 400_000)


@pytest.mark.parametrize(
    ("column", "asked"),
    [
        (pa.array([3, None, 9], pa.uint8()), {"highest": 10}),
        (pa.array([3.0, None, 9.0]), {"highest": 10}),
        (pa.array([3.0, None, 9.0], pa.float32()), {"highest": 10}),
        (pa.array([0.1, None, 2.5]), TENTHS),
        (pa.array([0.1, None, 2.5], pa.float32()), TENTHS),
        (pa.array([decimal.Decimal("0.10"), None, decimal.Decimal("2.50")], pa.decimal128(9, 2)), TENTHS),
        (pa.array([-3, None, 2**29]), {"lowest": -10, "highest": 10**9, "points": 3}),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
@pytest.mark.parametrize("missing", ["hidden", "public"])
def test_numbers_come_back_in_the_type_of_the_table(column, asked, missing):
    asked = study(BoundedNumber(id="q", text="How much?", missing=missing, **asked))
    made = drawn_part(asked, pa.table({"q": column}))
    found = recover_table(made.reports, [held[0] for held in made.keys.values()])["q"]
    assert found.type == column.type
    assert found.to_pylist() == column.to_pylist()


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=str)
def test_files_hold_types_or_canonical_text(tmp_path, guarantee):
    living = Living(tmp_path / "office", study=study(), guarantee=guarantee, keep=())
    table = people(60)
    living.publish(table)
    files = [living.keys / f"registrar.{name}.key" for name in NAMES]
    for suffix in ("parquet", "csv"):
        out = tmp_path / f"answers.{suffix}"
        assert recover_answers(living.reports, files, unlock=Unprotected(), out=out) == 60
    check_same(pq.read_table(tmp_path / "answers.parquet"), table)
    lines = (tmp_path / "answers.csv").read_text().splitlines()
    assert lines[0].replace('"', "") == "row,rooms,income,ways,often"
    for line, row in zip(lines[1:], table.to_pylist(), strict=True):
        number, rooms, income, ways, often = line.replace('"', "").split(",")
        assert (int(rooms), ways, often) == (row["rooms"], row["ways"], str(row["often"] or ""))
        assert (float(income) if income else None) == row["income"]
        assert "e" not in income
        assert number.isdecimal()


def test_a_table_of_text_gives_numbers_of_the_questions_own_type():
    asked = study(
        Count(id="rooms", text="Rooms?", highest=9),
        BoundedNumber(id="wage", text="Wage?", highest=40, step=Fraction(1, 100)),
    )
    made = drawn_part(asked, pa.table({"rooms": ["3", "9"], "wage": ["0.10", "40"]}))
    found = recover_answers(made.reports, made.keys)
    assert found.drop_columns(["row"]).to_pydict() == {"rooms": [3, 9], "wage": [0.1, 40.0]}
    assert [str(found[name].type) for name in ("rooms", "wage")] == ["int64", "double"]


# To all others the column is independent of everything.


@pytest.mark.parametrize("size", range(2, 8))
def test_all_draws_and_all_answers_make_a_uniform_column(size):
    """For each answer, over all U: every sealed number once. So given the answer, whatever it is, each has 1/R."""
    pad = PadLevel(size=size)
    step = pad.shift_at(Fraction(1))
    assert step.law() == (Fraction(1, size),) * size
    for answer in range(size):
        sealed = pad.made(np.full(size, answer), np.arange(size))
        assert sorted(sealed.tolist()) == list(range(size))
        assert pad.recovered(sealed, np.arange(size)).tolist() == [answer] * size
        assert pad.law(answer) == step.law()


@pytest.mark.parametrize("size", [3, 5, 6])
def test_every_word_at_a_small_width_draws_the_uniform_law(size):
    """A word of three bits for the coin, one for the place; what they leave open goes on, what they draw is even."""
    width, depth = 3, 3
    step = TwoLevelShift.erasure(size, Fraction(1), width=width)
    law = dict.fromkeys(range(size), Fraction(0))
    left = Fraction(1)
    for count in range(1, depth + 1):
        for words in itertools.product(range(1 << width), repeat=count):
            try:
                (shift,) = step.draw_rows(_Rows(words), 1)
            except IndexError:
                continue
            if _Rows.used == count:
                law[int(shift)] += Fraction(1, 1 << width * count)
                left -= Fraction(1, 1 << width * count)
    assert max(law.values()) - min(law.values()) <= left
    assert left < Fraction(1, 4)


class _Rows:
    """Words for one row, given beforehand."""

    used = 0

    def __init__(self, words):
        self.given = words
        _Rows.used = 0

    def words(self, rows, width):
        assert width == 3
        _Rows.used += 1
        return np.array([self.given[_Rows.used - 1]] * len(rows), dtype=np.uint64)


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=str)
def test_rows_have_draws_of_their_own_and_reports_say_nothing_of_them(guarantee):
    """Everybody has the same answer: sealed numbers are spread evenly, in pairs of rows and beside the reports too."""
    rows, size = 40_000, 5
    asked = study(Count(id="q", text="How many?", lowest=0, highest=4, points=2))
    made = drawn_part(asked, pa.table({"q": [3] * rows}), bits=InsecureSeeded(11), guarantee=guarantee)
    sealed, report = made.reports.column("q_sealed"), made.reports.column("q")
    assert sealed.max() == size - 1
    pairs = Counter(zip(sealed[::2].tolist(), sealed[1::2].tolist(), strict=True))
    beside = Counter(zip(sealed.tolist(), report.tolist(), strict=True))
    for found, each in ((pairs, rows / 2 / size**2), (Counter(sealed.tolist()), rows / size)):
        assert max(abs(found[one] - each) for one in found) < 6 * each**0.5
        assert len(found) in {size, size**2}
    for value in set(report.tolist()):
        held = sum(count for (_, one), count in beside.items() if one == value)
        assert max(abs(beside[one, value] - held / size) for one in range(size)) < 6 * (held / size) ** 0.5
    # Reports alone are those of a study without a registrar: what is sealed takes no part in them.
    draws = made.keys["q_sealed"][0]
    assert draws.level == 0
    assert set(made.keys["q_sealed"]) == {0}, "no analyst has a key to it"


def test_the_certificate_says_so_and_both_checkers_check_it():
    for size in (2, 11, 20_000_002, MOST_PADDED):
        certificate = certify(SealedAnswers(size=size))
        assert verify(certificate) is None
        assert [claim.measure for claim in certificate.claims] == ["odds", "leakage_bits", "recovered", "key_bits"]
        assert sfumato_check.answer(certificate.to_json().encode())["exit_code"] == 0
    document = json.loads(study().handler("rooms").sealed.certificate().to_json())
    for place, value in ((0, "3/2"), (1, "1/10"), (2, "9/10")):
        forged = json.loads(json.dumps(document))
        forged["claims"][place]["value"] = value
        forged = reseal(forged)
        assert sfumato_check.answer(forged)["exit_code"] != 0
        with pytest.raises(SfumatoError):
            verify(Certificate.from_json(forged))


def test_it_costs_nothing():
    """What everybody else sees is what they see without a registrar."""
    charged = [release_of_reports(study(recover=recover), 1000) for recover in (True, False)]
    assert charged[0].charges == charged[1].charges


# What does not come back is named.


def far():
    return BoundedNumber(id="far", text="How far?", highest=10**9, step=Fraction(1, 100), points=3)


@pytest.fixture
def office(tmp_path):
    asked = study(
        Count(id="rooms", text="Rooms?", highest=9), far(), Card(id="debt", text="Debt?", guess_error=Fraction(3, 8))
    )
    living = Living(tmp_path, study=asked, keep=())
    living.publish(pa.table({"rooms": [3, 9], "far": [0.25, 10.0], "debt": ["no", "yes"]}))
    return living


def test_a_question_that_does_not_come_back_is_named_with_the_reason(office):
    assert set(office.study.not_recovered) == {"far", "debt"}
    assert "a sealed column tells at most 4,294,967,295 apart" in office.study.not_recovered["far"]
    with pytest.raises(KeyRefused, match="the answers to question 'far' do not come back: its reports round"):
        office.recovered()
    said = {planned.question.id: planned.words[-1] for planned in sf.plan(office.study).questions}
    assert said["debt"].endswith("get the answers to debt back: its reports are made without keys.")
    assert "sealed in the column rooms_sealed" in said["rooms"]


def test_without_the_key_to_the_sealed_column_rounded_values_are_not_called_answers(office):
    reports, keys = office.read(), sorted(office.keys.glob("registrar.rooms*.key"))
    (other,) = [path for path in keys if "sealed" in path.name]
    moved = other.rename(other.parent.parent / "elsewhere.key")
    with pytest.raises(KeyRefused, match="reports round them, and no key to column rooms_sealed is at hand"):
        recover_answers(reports, keys[:1], unlock=Unprotected())
    rounded = recover_answers(reports, keys[:1], unlock=Unprotected(), rounded=True)
    assert set(rounded["rooms"].to_pylist()) <= {0, 9}
    assert recover_answers(reports, moved, unlock=Unprotected())["rooms"].to_pylist() == [3, 9]


def test_a_sealed_column_answers_no_question(office):
    with pytest.raises(InvalidParameter, match="tells nothing without the registrar's key"):
        sf.estimate_reports(office.reports, questions=["rooms_sealed"])
    assert [found.question.id for found in sf.estimate_reports(office.reports)] == ["rooms", "far", "debt"]
    (codebook,) = office.reports.glob("*.codebook.md")
    assert "## rooms_sealed" in codebook.read_text()
    assert "mod 10: it tells nothing without the registrar's key" in codebook.read_text()


def test_names_of_sealed_columns_are_kept_free():
    rooms = Count(id="rooms", text="Rooms?", highest=9)
    with pytest.raises(InvalidParameter, match="column rooms_sealed for the registrar, and that name is taken"):
        study(rooms, Count(id="Rooms_sealed", text="?", highest=9))
    with pytest.raises(InvalidParameter, match="is a question"):
        sf.publish(study(rooms), {"rooms": [1], "rooms_sealed": [2]}, keep=["rooms_sealed"], insecure_seed=1)


def test_an_amendment_leaves_alone_what_is_right_already(tmp_path):
    """With a rounded answer nobody could tell; a corrected count of the same rounding is drawn again."""
    living = Living(tmp_path, study=study(Count(id="rooms", text="Rooms?", lowest=1, highest=10)), keep=())
    living.publish(pa.table({"rooms": [1, 4, 5]}))
    assert living.amend({"row": [0, 1], "rooms": [1, 5]}).unchanged == 1
    assert living.recovered()["rooms"].to_pylist() == [1, 5, 5]


# Over the web a device draws and seals.


def collected(folder, **terms):
    make_key_pair(folder / "registrar")
    asked = study(
        Count(id="rooms", text="Rooms?", lowest=1, highest=10),
        BoundedNumber(id="income", text="Income?", highest=200_000, step=Fraction(1, 100), missing="hidden"),
        analysts=(),
        registrar_key="registrar.pub",
        collect=CollectTerms(recover=True, **terms),
    )
    return collection_of(asked, folder)


def test_what_devices_seal_comes_back_to_the_registrar(tmp_path):
    asked = collected(tmp_path)
    rooms, income = [str(1 + i % 10) for i in range(40)], [None if i % 9 == 0 else f"{i}.5" for i in range(40)]
    given = [{"rooms": a} | ({} if b is None else {"income": b}) for a, b in zip(rooms, income, strict=True)]
    made = respond_all(asked, given)
    rows = [StoredRow(id=one.id, credential=b"c", row=one.row, shares=asked.join_shares(one.shares)) for one in made]
    order = sorted(range(40), key=lambda place: made[place].id)
    part = export_part(asked, [rows[place] for place in order], tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").glob("*_sealed.certificate.json")) == [
        "income_sealed.certificate.json", "rooms_sealed.certificate.json",
    ]  # fmt: skip
    key = read_private_key(tmp_path / "registrar", Unprotected())
    opened = unseal_shares(part.shares["registrar"], part.reports, key, tmp_path / "keys")
    found = recover_answers(opened.reports, tmp_path / "keys", unlock=key)
    assert found["rooms"].to_pylist() == [int(rooms[place]) for place in order]
    assert found["income"].to_pylist() == [income[place] and float(income[place]) for place in order]


def test_a_device_that_remembers_seals_afresh(tmp_path):
    """A sealed number that came again in the next wave would tell that the answer has stayed."""
    asked, memory = collected(tmp_path, mode="panel"), DeviceMemory(tmp_path / "memory.json")
    sent = [respond(asked.at_wave(wave), {"rooms": "4", "income": "3.25"}, memory=memory) for wave in (1, 2, 3, 3)]
    rows = [asked.unpack_row(one.row) for one in sent]
    assert len({one["income"] for one in rows}) == 1
    assert len({one["income_sealed"] for one in rows[:3]}) == 3
    assert sent[2] == sent[3], "in one wave the same is sent again"


def test_without_a_registrar_among_the_receivers_nothing_is_sealed():
    asked = study(Count(id="rooms", text="Rooms?", highest=9), analysts=(), collect=CollectTerms())
    assert list(collection_of(asked).columns) == ["rooms"]
