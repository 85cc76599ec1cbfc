"""Limits for a period: whose debit counts where, what clocks can do, and what is refused when it is read."""

import contextlib
import sqlite3
from dataclasses import replace
from fractions import Fraction

import pytest

from published_parts import part_id, reports
from sfumato.errors import BudgetSpent, InvalidParameter, UnreadableFile
from sfumato.ledger import Charges, Ledger, Per, information, local
from sfumato.ledger import ledger as ledgers
from sfumato.ledger.documents import (
    Debited,
    Opened,
    Period,
    Settled,
    Voided,
    checked_time,
    period_of,
    record_from,
    record_text,
)
from sfumato.ledger.ledger import append


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    hands = {"time": "2030-01-01T00:00:00Z"}

    def set_to(time):
        hands["time"] = time if "T" in time else f"{time}T12:00:00Z"

    monkeypatch.setattr(ledgers, "now", lambda: hands["time"])
    monkeypatch.setattr("sfumato.ledger.accounts.now", lambda: hands["time"])
    return set_to


@pytest.fixture
def monthly(tmp_path, clock):
    clock("2030-01-10")
    return Ledger.create(tmp_path / "l", epsilon=3, per="month", epsilon_per_period=1)


@pytest.mark.parametrize(
    ("per", "time", "name", "end"),
    [
        ("month", "2026-05-31T23:59:59Z", "2026-05", "2026-06-01"),
        ("month", "2026-12-01T00:00:00Z", "2026-12", "2027-01-01"),
        ("quarter", "2026-01-01T00:00:00Z", "2026-Q1", "2026-04-01"),
        ("quarter", "2026-12-31T23:59:59Z", "2026-Q4", "2027-01-01"),
        ("year", "2026-06-30T00:00:00Z", "2026", "2027-01-01"),
        ("year", "9999-12-31T23:59:59Z", "9999", "10000-01-01"),
        ("month", "0001-01-01T00:00:00Z", "0001-01", "0001-02-01"),
    ],
)
def test_periods_are_those_of_the_calendar(per, time, name, end):
    found = period_of(Per(per), time)
    assert (found.name, found.end) == (name, end)


def test_the_end_of_a_period_lies_in_the_next():
    for per in Per:
        for number in range(2026 * 12 // per.months, 2029 * 12 // per.months):
            one = Period(per=per, number=number)
            assert period_of(per, f"{one.end}T00:00:00Z").number == number + 1


def test_either_limit_refuses(monthly, clock):
    monthly.spend(local("January", 1))
    with pytest.raises(BudgetSpent, match=r"are left in 2030-01; the next period starts on 2030-02-01\. Nothing"):
        monthly.spend(local("more", 0.5))
    for month in ("2030-02-01", "2030-03-31"):
        clock(month)
        monthly.spend(local(month, 1))
    clock("2030-04-01")
    with pytest.raises(BudgetSpent) as caught:
        monthly.spend(local("April", 0.25))
    assert "0 of 3 are left." in str(caught.value)
    assert "period" not in str(caught.value), "waiting would not help"
    assert monthly.read().standing_in_period().left.epsilon == 1
    assert monthly.left.epsilon == 0


def test_no_bound_where_each_period_has_a_limit(tmp_path):
    ledger = Ledger.create(tmp_path / "l", epsilon=3, per="year", budget_bits_per_period=1)
    with pytest.raises(BudgetSpent, match=r"no bound in bits is stated, .* a limit of 1 there for each year"):
        ledger.spend(local("x", 1))


@pytest.mark.parametrize("back", ["2030-01-31", "2029-12-31", "1999-01-01"])
def test_a_clock_that_is_wound_back_begins_no_period_anew(monthly, clock, back):
    clock("2030-02-10")
    monthly.spend(local("February", 1))
    clock(back)
    with pytest.raises(BudgetSpent, match="left in 2030-02; the next period starts on 2030-03-01, by the latest"):
        monthly.spend(local("January, it says", Fraction(1, 10)))
    assert monthly.read().standing_in_period().period.name == "2030-02"


def test_the_latest_time_may_be_that_of_any_record(monthly, clock):
    receipt = monthly.spend(local("January", 1))
    clock("2030-03-01")
    monthly.settle(receipt)
    clock("2030-01-15")
    monthly.spend(local("counts for March", 1))
    assert [entry.period.name for entry in Ledger(monthly.path).entries()] == ["2030-01", "2030-03"]
    with pytest.raises(BudgetSpent, match="left in 2030-03"):
        monthly.spend(local("x", Fraction(1, 2)))


def test_a_clock_that_runs_ahead_is_not_forgotten(monthly, clock):
    """It begins the next period early, and that is the price: it lasts until the true time is past it."""
    clock("2030-02-01")
    monthly.spend(local("a month early", 1))
    clock("2030-01-11")
    with pytest.raises(BudgetSpent, match="left in 2030-02"):
        monthly.spend(local("x", Fraction(1, 2)))


@pytest.mark.parametrize("far", ["2036-01-01", "9999-12-31"])
def test_a_clock_that_is_far_ahead_locks_nothing(monthly, clock, far):
    receipt = monthly.spend(local("January", Fraction(1, 2)))
    clock(far)
    with pytest.raises(InvalidParameter, match=f"the clock shows {far}, .* latest record of the ledger is of 2030-01"):
        monthly.spend(local("far ahead", 1))
    monthly.settle(receipt)  # it was released, whatever the clock says
    clock("2030-01-20")
    assert monthly.read().standing_in_period().period.name == "2030-01"
    monthly.spend(local("January", Fraction(1, 2)))
    clock("2030-02-01")
    monthly.spend(local("February", 1))


def test_a_ledger_that_was_made_by_a_clock_far_ahead(tmp_path, clock):
    clock("2999-01-01")
    ledger = Ledger.create(tmp_path / "l", per="month", epsilon_per_period=1)
    for month in ("2030-01-10", "2030-02-10"):
        clock(month)
        ledger.spend(local(month, 1))
    assert [entry.period.name for entry in Ledger(ledger.path).entries()] == ["2030-01", "2030-02"]


def test_every_period_of_a_file_is_checked_for_the_worst_person(tmp_path, clock):
    """More than a period allows, to people of one name, in a period that is over: no ledger has written that."""
    clock("2030-01-10")
    ledger = Ledger.create(tmp_path / "l", epsilon=9, per="month", epsilon_per_period=1)
    ledger.spend(local("x", 1, people="South"))
    forged = [
        Debited(time="2030-01-11T12:00:00Z", release_id="y", release=local("y", Fraction(3, 2), people="North")),
        Debited(time="2030-02-11T12:00:00Z", release_id="z", release=local("z", Fraction(1, 2), people="South")),
    ]
    book = ledger.read()
    with contextlib.closing(sqlite3.connect(ledger.path, isolation_level=None)) as connection:
        for record in forged:
            row = book.row_for(record)
            append(connection, row)
            book = replace(book, count=row.number + 1, digest=row.digest)
    with pytest.raises(UnreadableFile, match="damaged or changed"):
        Ledger(ledger.path)


def test_one_of_several_people_in_a_period(monthly, clock):
    for name in ("South", "North"):
        monthly.spend(local(name, 1, people=name))
    with pytest.raises(BudgetSpent, match=r"by the people called 'South': .* 0 of 1 are left in 2030-01"):
        monthly.spend(local("x", 1, people="South"))
    with pytest.raises(BudgetSpent):
        monthly.spend(local("everybody", Fraction(1, 10)))
    monthly.spend(local("West", 1, people="West"))
    clock("2030-02-01")
    monthly.spend(local("everybody", 1))
    assert monthly.spent.epsilon == 2


def test_what_is_voided_is_given_back_to_its_own_period(monthly, clock):
    cost = (Fraction(0), Fraction(1), Fraction(0))
    receipt = monthly.spend(reports(1, cost))
    clock("2030-02-01")
    monthly.spend(local("February", 1))
    monthly.void(receipt, "never seen")
    book = Ledger(monthly.path).read()
    assert book.spent.epsilon == 1
    assert book.standing_in_period().left.epsilon == 0
    assert book.entries[0].voided.reason == "never seen"
    assert book == monthly.read()
    assert not book.published
    # The same again is a debit of its own; its draws were never seen.
    clock("2030-03-01")
    assert monthly.spend(reports(1, cost), release_id=receipt.release_id).number == book.count
    monthly.void(receipt, "twice is the same as once")
    assert monthly.spent.epsilon == 2


def test_what_others_were_appended_to_is_not_voided(tmp_path):
    cost = (Fraction(0),) * 3
    ledger = Ledger.create(tmp_path / "l", epsilon=1)
    first, second = ledger.spend(reports(1, cost)), ledger.spend(reports(2, cost, of=1))
    # What an amendment of the first costs in bits goes by all that was paid before it, also for the second.
    amended = ledger.spend(reports(3, cost, of=1, amends=1))
    for receipt in (first, second):
        with pytest.raises(InvalidParameter, match="to which others were appended, or which was amended, since"):
            ledger.void(receipt, "x")
    for receipt in (amended, second, first):
        ledger.void(receipt, "x")
    assert not Ledger(ledger.path).read().live


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"per": "week", "epsilon_per_period": 1}, "per='week' must be one of month, quarter, year"),
        ({"per": "year", "epsilon": 1}, "per goes with limits for each period"),
        ({"epsilon_per_period": 1, "epsilon": 1}, "per goes with limits for each period"),
        ({"per": "year"}, "needs a limit"),
        ({"per": "year", "epsilon": 1, "epsilon_per_period": 2}, "epsilon_per_period=2.0 is more than `epsilon`"),
        ({"per": "year", "epsilon_per_period": 0}, "epsilon_per_period=0 must be a positive"),
    ],
)
def test_bad_limits(tmp_path, given, words):
    with pytest.raises(InvalidParameter) as caught:
        Ledger.create(tmp_path / "l", **given)
    assert words in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_limits_for_periods_alone(tmp_path):
    ledger = Ledger.create(tmp_path / "l", per=Per.QUARTER, budget_bits_per_period=Fraction(1, 2))
    assert ledger.limits == Charges()
    ledger.spend(information("x", Fraction(1, 2)))
    with pytest.raises(BudgetSpent):
        ledger.spend(information("x", Fraction(1, 2)))


TIME = "2031-01-01T00:00:00Z"
COST = (Fraction(0),) * 3
FORGED = {
    "what was released, voided": Voided(time=TIME, number=1, reason="x"),
    "what is no publication, voided": Voided(time=TIME, number=4, reason="x"),
    "what is no debit, voided": Voided(time=TIME, number=0, reason="x"),
    "what is not there, voided": Voided(time=TIME, number=99, reason="x"),
    "voided twice": Voided(time=TIME, number=5, reason="x"),
    "what was voided, settled": Settled(time=TIME, number=5),
    "more than a period allows": Debited(time=TIME, release_id="y", release=local("x", Fraction(3, 2))),
    "more than a period allows, dated back": Debited(
        time="2020-01-01T00:00:00Z", release_id="y", release=local("x", Fraction(1, 2))
    ),
    "the draws of another, of the same question": Debited(
        time=TIME, release_id="y", release=replace(
            reports(1, COST), published=replace(reports(1, COST).published, part=part_id(7), epoch=3, columns=tuple(
                replace(column, digest="e" * 64) for column in reports(1, COST).published.columns
            )),
        ),
    ),
    "a part that does not go with its publication": Debited(
        time=TIME, release_id="y", release=reports(9, COST, of=1, epoch=2)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [*FORGED, None])
def test_a_chain_that_holds_and_makes_no_sense(tmp_path, clock, name):
    clock("2030-01-10")
    ledger = Ledger.create(tmp_path / "l", epsilon=3, per="year", epsilon_per_period=1)
    ledger.settle(ledger.spend(reports(1, COST)))
    second = ledger.spend(reports(2, COST, of=1))
    assert second.number == 3
    ledger.spend(local("x", Fraction(3, 4)))
    ledger.void(ledger.spend(reports(3, COST, of=1)), "x")
    record = FORGED.get(name, Voided(time=TIME, number=3, reason="fine"))
    number = {"voided twice": 5, "what was voided, settled": 5}.get(name)
    if number is not None:
        assert ledger.read().entry_at(number).voided is not None
    assert ledger.read().entry_at(1).settled is not None
    with contextlib.closing(sqlite3.connect(ledger.path, isolation_level=None)) as connection:
        append(connection, ledger.read().row_for(record))
    if name is None:  # the same way of writing, to see that the forgeries are refused for what they say
        assert Ledger(ledger.path).read().entry_at(3).voided.reason == "fine"
        return
    with pytest.raises(UnreadableFile, match="damaged or changed"):
        Ledger(ledger.path)


@pytest.mark.parametrize(
    "time",
    ["2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "0000-01-01T00:00:00Z", "2026-01-01T24:00:00Z",
     "2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "２026-01-01T00:00:00Z", "", None, 7],
)  # fmt: skip
def test_what_is_no_time(time):
    with pytest.raises(ValueError, match=r".+"):
        checked_time(time)
    good = record_text(Settled(time=TIME, number=1))
    assert record_from(good).time == TIME
    if isinstance(time, str):
        with pytest.raises(Exception, match=r"^$"):
            record_from(good.replace(TIME, time))


def test_the_first_record_says_what_a_period_is():
    limits = Charges(epsilon=Fraction(1))
    for wrong in (
        {"per": Per.YEAR}, {"per": Per.YEAR, "period_limits": Charges(bits=Fraction(0))},
    ):  # fmt: skip
        with pytest.raises(Exception, match=r"^$"):
            record_from(record_text(Opened(time=TIME, name="0" * 32, limits=limits, **wrong)))
    good = Opened(time=TIME, name="0" * 32, limits=limits, per=Per.YEAR, period_limits=limits)
    assert record_from(record_text(good)) == good
    with pytest.raises(Exception, match=r"^$"):
        record_from(record_text(good).replace('"year"', '"week"'))
