"""What the parts of a publication cost in bits: never less than all their reports can tell about a person."""

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import InvalidParameter
from sfumato.ledger import Ledger, Published, PublishedColumn, Role, local
from sfumato.ledger.amounts import decimal_above
from sfumato.publications.place import Destination
from sfumato.study import Count, OneOfMany, Study, write_study
from sfumato.study.handler import epsilon_capacity_bits
from sfumato.study.planning import release_of_reports, total_bits
from sfumato.study.study import seen_by_readers
from sfumato.workflows.amending import amend
from sfumato.workflows.budget import forecasts
from sfumato.workflows.erasing import erase
from sfumato.workflows.publishing import publish

SIX = tuple(f"answer {number}" for number in range(6))
ODDS = math.exp(2)
# Of six answers at ε = 2 one is favoured, and the uniform input law is best.
CAPACITY = math.log2(6 / (ODDS + 5)) + 2 * ODDS / (ODDS + 5) / math.log(2)
HELD = math.log2(6)


class Office:
    """A study of six answers at ε = 2, published in a folder and paid for from a ledger."""

    def __init__(self, folder, questions=1, **more):
        asked = tuple(OneOfMany(id=f"q{i}", text="Q?", answers=SIX, epsilon=Fraction(2)) for i in range(questions))
        self.study = Study(name="Six", questions=asked, **more)
        self.file, self.out = folder / "study.toml", folder / "reports"
        self.ledger = Ledger.create(folder / "budget", budget_bits=1000)
        write_study(self.study, self.file)

    def answers(self, rows):
        return {question.id: [SIX[row % 6] for row in range(rows)] for question in self.study.questions}

    def publish(self, rows, **more):
        publish(self.file, self.answers(rows), **{"out": self.out, "ledger": self.ledger.path, **more})

    def append(self, rows):
        self.publish(rows, append=True)

    def amend(self, rows, **more):
        parts = sf.read_reports(self.out).note.parts
        table = {"row": list(range(rows)), "part": [parts[0].id] * rows, "q0": [SIX[1]] * rows}
        return amend(self.file, table, out=self.out, **{"ledger": self.ledger.path, **more})

    @property
    def paid(self):
        return [entry.charges.bits for entry in self.ledger.entries()]


@pytest.fixture
def office(tmp_path):
    return Office(tmp_path)


def test_the_capacity_that_is_charged():
    way = Study(name="Six", questions=(OneOfMany(id="q", text="Q?", answers=SIX, epsilon=Fraction(2)),)).handler("q")
    assert float(way.capacity_bits(1)) == pytest.approx(CAPACITY, abs=1e-10)
    assert pytest.approx(0.6748667214, abs=1e-10) == CAPACITY


def test_four_questions_one_of_them_corrected(tmp_path):
    office = Office(tmp_path, questions=4)
    office.publish(1000)
    office.amend(3)
    first, corrected = office.paid
    assert float(first) == pytest.approx(4 * HELD)
    assert decimal_above(corrected, 3) == "2.585"


CASES = {
    "n = m = 3, then 10 appended": (["publish 3", "amend 3", "append 10"], [2.0247, 2.0247, 1.1208]),
    "n = 4, m = 1, then m = 4": (["publish 4", "amend 1", "amend 4"], [2.585, 0.7894, 2.6995]),
}


@pytest.mark.parametrize("name", CASES)
def test_one_question(office, name):
    steps, expected = CASES[name]
    for step in steps:
        verb, _, rows = step.partition(" ")
        getattr(office, verb)(int(rows))
    assert [decimal_above(bits, 4) for bits in office.paid] == [f"{bits:g}" for bits in expected]


def test_erasing_gives_nothing_back(office):
    office.publish(3)
    erase(office.out, rows=[(None, 0)])
    office.append(1)
    assert sum(map(float, office.paid)) == pytest.approx(HELD), "the report of who was erased has been seen"


def test_a_part_that_another_ledger_paid_for_is_in_the_total(tmp_path):
    office = Office(tmp_path)
    elsewhere = Ledger.create(tmp_path / "elsewhere", budget_bits=1000)
    office.publish(1000, ledger=elsewhere.path)
    office.amend(1)
    assert [float(bits) for bits in office.paid] == [pytest.approx(2 * HELD)], "old reports may tell of the new answer"


def test_what_a_ledger_forecasts_is_what_is_charged(office):
    (before,) = forecasts(office.ledger.path, office.ledger.read(), office.file)
    assert before.first is not None, "nothing is published"
    office.publish(250)
    (ahead,) = forecasts(office.ledger.path, office.ledger.read())
    assert (ahead.first, ahead.people, ahead.corrected) == (None, 250, 3)
    office.amend(3)
    office.publish(250, out=office.out.with_name("wave"), again="second wave")
    assert [ahead.correction.bits, ahead.wave.bits] == office.paid[1:]
    office.file.write_text(office.file.read_text().replace("Six", "Seven"))
    assert forecasts(office.ledger.path, office.ledger.read()) == (), "another study by now"


class TestInterrupted:
    def test_what_was_paid_before_a_crash_is_what_it_costs(self, office, monkeypatch):
        office.publish(4)
        with monkeypatch.context() as broken:
            broken.setattr(Destination, "put", lambda *_: (_ for _ in ()).throw(OSError("killed")))
            with pytest.raises(OSError, match="killed"):
                office.amend(1)
        assert len(office.paid) == 2
        assert office.amend(1).resumed
        assert [decimal_above(bits, 4) for bits in office.paid] == ["2.585", "0.7894"]

    def test_what_crashed_before_it_was_paid_for_adds_to_what_was_paid_since(self, office, monkeypatch):
        """An amendment is staged and not paid for; people are appended and paid for; then the amendment is finished."""
        office.publish(3)
        with monkeypatch.context() as broken:
            broken.setattr(Ledger, "spend_priced", lambda *_, **__: (_ for _ in ()).throw(OSError("killed")))
            with pytest.raises(OSError, match="killed"):
                office.amend(3)
        office.append(10)
        office.amend(3)
        assert [float(bits) for bits in office.paid] == pytest.approx([3 * CAPACITY, HELD - 3 * CAPACITY, HELD])

    def test_nobody_else_debits_while_the_price_is_asked(self, office):
        def price(book):
            assert book.count == 1
            with pytest.raises(InvalidParameter, match="is in use"):
                Ledger(office.ledger.path, patience_seconds=0.01).spend(local("other", 1))
            return local("this", 1, worst_case_bits=1)

        assert office.ledger.spend_priced(price, release_id="this").is_new
        assert not office.ledger.spend_priced(None, release_id="this").is_new


class TestNeverTooLittle:
    """All orders of first, append, amend, amend against the individual capacity of the joint channel."""

    @staticmethod
    def study(answers, epsilon):
        listed = tuple(f"a{i}" for i in range(answers))
        question = OneOfMany(id="q", text="Q?", answers=listed, epsilon=epsilon)
        return Study(name="Few", questions=(question,))

    @staticmethod
    def schedules(most_reports):
        """Yield lists of steps: how many people come, or which of them are amended; a part is amended at a time."""
        for order in set(itertools.permutations(["append", "amend", "amend"])):
            for first, appended in ((1, 1), (1, 2), (2, 1)):
                parts = [range(first), range(first, first + appended)]
                choices = []
                known = [parts[0]]
                for step in order:
                    if step == "append":
                        known = parts
                        choices.append([appended])
                    else:
                        choices.append(
                            [
                                people
                                for part in known
                                for size in range(1, len(part) + 1)
                                for people in itertools.combinations(part, size)
                            ]
                        )
                for chosen in itertools.product(*choices):
                    reports = first + sum(one if isinstance(one, int) else len(one) for one in chosen)
                    if reports <= most_reports:
                        yield [first, *chosen]

    @pytest.mark.parametrize(
        ("answers", "epsilon", "most_reports"),
        [(2, Fraction(1), 5), (2, Fraction(4), 5), (3, Fraction(1), 4), (3, Fraction(3), 4)],
    )
    def test_all_orders(self, answers, epsilon, most_reports):
        study = self.study(answers, epsilon)
        way = study.handler("q")
        rows = tuple(map(tuple, np.asarray(way.channel(1).array, dtype=float).tolist()))
        least = math.inf
        for schedule in self.schedules(most_reports):
            paid, parts, versions = Fraction(0), [], []
            for number, step in enumerate(schedule):
                role = Role.AMEND if not isinstance(step, int) else Role.APPEND if number else Role.FIRST
                count = step if isinstance(step, int) else len(step)
                part = _part(study, number, count, role)
                paid += release_of_reports(study, count, part, earlier=parts, paid_bits=paid).charges.bits
                parts.append(part)
                if isinstance(step, int):
                    versions += [1] * count
                else:
                    for person in step:
                        versions[person] += 1
                told = _told(rows, tuple(sorted(versions, reverse=True)))
                assert paid >= told, (schedule, float(paid), told)
                least = min(least, float(paid) - told)
        assert least < 0.3, "the schedules come near to what is charged"

    def test_one_report_tells_no_more_than_any_channel_with_its_epsilon(self):
        for epsilon, size in itertools.product((0.01, 0.5, 1.0, 2.0, 5.0), (2, 3, 6, 20)):
            bound = epsilon_capacity_bits(epsilon)
            assert bound <= epsilon / math.log(2)
            odds = math.exp(epsilon)
            for favoured in range(1, size):
                own = favoured * odds / (favoured * odds + size - favoured)
                told = math.log2(size / (favoured * odds + size - favoured)) + own * epsilon / math.log(2)
                assert told <= bound + 1e-12
        assert float(epsilon_capacity_bits(2.0)) == pytest.approx(0.684522, abs=1e-6)
        # The best of many answers comes as near to it as one likes.
        share = max(
            math.log2(1 / (w * ODDS + 1 - w)) + w * ODDS / (w * ODDS + 1 - w) * 2 / math.log(2)
            for w in np.linspace(0.01, 0.99, 9801)
        )
        assert share == pytest.approx(float(epsilon_capacity_bits(2.0)), abs=1e-6)

    def test_leakage_is_not_bounded_by_capacity(self):
        way = Study(name="Six", questions=(OneOfMany(id="q", text="Q?", answers=SIX, epsilon=Fraction(2)),)).handler(
            "q"
        )
        assert float(way.leakage_bits(1)) == pytest.approx(math.log2(6 * ODDS / (ODDS + 5)), abs=1e-9)
        assert way.leakage_bits(1) > 2 * way.capacity_bits(1)

    def test_an_answer_that_is_rounded_holds_all_its_bits(self):
        """Three people answer 0, 1 or 2, rounded at random to 0 or 2: who is alike tells which of three it was."""
        study = Study(name="Two", questions=(Count(id="q", text="Q?", highest=2, epsilon=Fraction(9)),))
        own = np.asarray(study.handler("q").channel(1).array, dtype=float)
        # Whoever believes that 0, 1, 2 of one go with 0, 0, 2 and 0, 2, 2 of two others reads it from three reports.
        rows = [[0, 0, 0], [0, 0, 1], [1, 1, 1]]
        seen = sf.Channel([np.kron(np.kron(own[a], own[b]), own[c]) for a, b, c in rows])
        assert sf.measures.capacity_bits(seen).lower > 1.4
        assert total_bits(study, [(3, None, False)]) >= sf.measures.capacity_bits(seen).lower


def _part(study, number, rows, role):
    name = f"{number:032x}"
    return Published(
        study=study.name, fingerprint="c" * 64, epoch=0, rows=rows, part=name, role=role,
        columns=(PublishedColumn(question="q", drawing=name, digest="d" * 64),), seen=seen_by_readers(study),
        of=None if role is Role.FIRST else "a" * 32, amends="b" * 32 if role is Role.AMEND else None,
    )  # fmt: skip


@cache
def _told(rows, versions):
    """What all reports tell at least of one person's old and corrected answers, with any correlation in mind, in bits.

    A person's record is all their answers, each of which was reported once. Where the search for the worst adversary
    would take long, it is the best of those to whom everybody's answers are sums of one person's.
    """
    one, size = np.array(rows), len(rows)
    joint = one
    for _ in range(sum(versions) - 1):
        joint = np.kron(joint, one)
    if size ** sum(versions) <= 32:
        return sf.measures.individual_capacity_bits(
            sf.Channel(joint), [size**count for count in versions], gap_bits=0.02
        ).lower
    own, others = versions[0], sum(versions[1:])
    values = list(itertools.product(range(size), repeat=own))
    best = 0.0
    for weights in itertools.combinations_with_replacement(itertools.product(range(size), repeat=own), others):
        words = [(*value, *(int(np.dot(value, weight)) % size for weight in weights)) for value in values]
        places = [int("".join(map(str, word)), size) for word in words]
        best = max(best, sf.measures.capacity_bits(sf.Channel(joint[places])).lower)
    return best
