"""Whoever pays most: the ledger's sums against persons who are simulated one by one, in all and in each period."""

import contextlib
import itertools
import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from published_parts import part_id, reports
from sfumato.errors import BudgetSpent, InvalidParameter, ReleasedBefore
from sfumato.ledger import Charges, Currency, Ledger, Per, PublishedColumn, Role, information, local
from sfumato.ledger import ledger as ledgers_module
from sfumato.ledger.accounts import LedgerState
from sfumato.ledger.amounts import people_key
from sfumato.ledger.documents import Opened
from sfumato.ledger.releases import Release, check_parts

NAMES = (None, "South", "North", "west")
AMOUNT = st.fractions(min_value=0, max_value=2, max_denominator=12)
MONTHS = [f"{year}-{month:02}-15T12:00:00Z" for year in (2026, 2027) for month in (1, 2, 5, 12)]


@st.composite
def debits(draw):
    """Releases in a row, with names, publications, appended parts and amendments, and the months they are made in."""
    found, first, parts = [], {}, {}
    for number in range(1, draw(st.integers(1, 9)) + 1):
        charges = tuple(draw(AMOUNT) for _ in range(3))
        what = draw(st.sampled_from(["plain", "first", "append", "amend"]))
        people = draw(st.sampled_from(NAMES))
        if what == "plain":
            release = information(f"plain {number}", charges[0], epsilon=charges[1], leakage_bits=charges[2])
            release = replace(release, people=people)
        elif what == "first" or not first:
            # A study for each publication: the second of one study about the same people would be refused.
            release = reports(number, charges, people=people, study=f"Homes {number}")
            first[number], parts[number] = people, [number]
        else:
            of = draw(st.sampled_from(sorted(first)))
            amends = draw(st.sampled_from(parts[of])) if what == "amend" else None
            release = reports(number, charges, of=of, amends=amends, people=first[of], study=f"Homes {of}")
            if amends is None:
                parts[of].append(number)
        found.append((release, draw(st.sampled_from(MONTHS))))
    return found


def persons(releases):
    """Everybody who could be: of one name or of none, and in one part of each publication or in none of it."""
    published = [release.published for release in releases if release.published is not None]
    families = {}
    for one in published:
        families.setdefault(one.publication, set()).add(one.amends or one.part)
    choices = [[None, *parts] for parts in families.values()]
    for name in NAMES:
        for chosen in itertools.product(*choices):
            yield name, dict(zip(families, chosen, strict=True))


def pays(person, release, currency):
    name, chosen = person
    if currency is Currency.BITS:  # people who are alike tell about each other
        return True
    if release.people is not None and people_key(release.people) != people_key(name):
        return False
    one = release.published
    return one is None or chosen[one.publication] == (one.amends or one.part)


def worst(releases, currency):
    return max(
        sum((r.charges[currency] for r in releases if pays(person, r, currency)), Fraction(0))
        for person in persons(releases)
    )


def book_of(opened, steps):
    """A book without a file: every debit is written as a row and read back."""
    book = LedgerState()
    row = book.row_for(opened)
    book = book.with_rows([(row.number, row.text, row.digest)])
    for number, (release, time) in enumerate(steps):
        row = book.debit(release, f"id {number}", time)
        book = book.with_rows([(row.number, row.text, row.digest)])
    return book


def opened(**changes):
    limits = Charges(epsilon=Fraction(10**6))
    return Opened(time="2025-06-01T00:00:00Z", name="0" * 32, limits=limits, **{"per": Per.YEAR,
                  "period_limits": limits, **changes})  # fmt: skip


@given(steps=debits())
def test_the_sum_is_that_of_the_worst_person(steps):
    """In every currency, in all and in the year of the latest debit; and whoever pays next is known to the last."""
    book = book_of(opened(), steps)
    releases = [release for release, _ in steps]
    for currency in Currency:
        assert book.spent[currency] == worst(releases, currency)
    latest, years = "", []
    for _, time in steps:
        latest = max(latest, time)
        years.append(latest[:4])
    assert [entry.period.name for entry in book.entries] == years
    within = [release for release, year in zip(releases, years, strict=True) if year == years[-1]]
    standing = book.standing_in_period(latest)
    for currency in Currency:
        assert standing.spent[currency] == worst(within, currency)
        for name, spent in book.spent_by_people().items():
            mine = [person for person in persons(releases) if people_key(person[0]) == people_key(name)]
            each = (sum((r.charges[currency] for r in releases if pays(p, r, currency)), Fraction(0)) for p in mine)
            assert spent[currency] == max(each)


@given(steps=debits(), limit=st.fractions(min_value=1, max_value=4, max_denominator=6))
def test_no_person_is_ever_overspent_and_nobody_is_refused_what_all_can_pay(tmp_path_factory, steps, limit):
    """A ledger on the disk with limits in all and for each month: it pays exactly when no person would exceed one."""
    ledger = Ledger.create(
        tmp_path_factory.mktemp("worst") / "l", epsilon=2 * limit, budget_bits=3 * limit, per="month",
        epsilon_per_period=limit,
    )  # fmt: skip
    paid, latest = [], ledger.read().opened.time
    made = int(latest[:4])
    for release, clock in steps:
        one = release.published
        known = {other.published.part for other, _ in paid if other.published is not None}
        if one is not None and one.amends is not None and one.amends not in known:
            continue  # what it amends was refused
        # Later than the clock of this machine, when the ledger was made, and not so late that it is refused.
        time = f"{int(clock[:4]) - 2025 + made}{clock[4:]}"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ledgers_module, "now", lambda time=time: time)
            month = max(time, latest)[:7]
            total = [other for other, _ in paid] + [release]
            within = [other for other, when in paid if when == month] + [release]
            affordable = (
                worst(total, Currency.EPSILON) <= 2 * limit
                and worst(total, Currency.BITS) <= 3 * limit
                and worst(within, Currency.EPSILON) <= limit
            )
            if affordable:
                ledger.spend(release)
                paid.append((release, month))
                latest = max(latest, time)
            else:
                with pytest.raises(BudgetSpent):
                    ledger.spend(release)
    again = Ledger(ledger.path).read()
    assert [entry.release for entry in again.entries] == [release for release, _ in paid]
    assert again == ledger.read()
    assert again.spent == ledger.read().spent


def test_no_discount_in_bits_for_people_who_may_be_alike():
    """Prop. 7: two disjoint groups who are told about alike tell about each other; in ε they do not pay twice."""
    book = book_of(opened(), [(local("x", 1, worst_case_bits=1, people=name), MONTHS[0]) for name in ("a", "b")])
    assert (book.spent.bits, book.spent.epsilon) == (2, 1)


def test_names_that_differ_by_a_slip_of_the_pen_are_one(tmp_path):
    ledger = Ledger.create(tmp_path / "l", epsilon=3)
    for name in ("Sao Paulo", "SAO  PAULO", " sao paulo", "ｓａｏ ｐａｕｌｏ"):
        with contextlib.suppress(BudgetSpent):
            ledger.spend(local("x", 1, people=name))
    assert (ledger.spent.epsilon, len(ledger.entries())) == (3, 3)


def test_people_are_named_in_one_line(tmp_path):
    for name in ("", " ", "a\nb", "x" * 300):
        with pytest.raises(InvalidParameter, match="people must be one line"):
            local("x", 1, people=name)


def test_an_appended_part_costs_the_larger_and_an_amendment_adds(tmp_path):
    ledger = Ledger.create(tmp_path / "l", epsilon=2)
    cost = (Fraction(0), Fraction(1, 2), Fraction(0))
    ledger.spend(reports(1, cost))
    with pytest.raises(ReleasedBefore):
        ledger.spend(reports(2, cost))
    for number in (2, 3):
        ledger.spend(reports(number, cost, of=1))
    assert ledger.spent.epsilon == Fraction(1, 2), "three parts of different people"
    for number in (4, 5, 6):
        ledger.spend(reports(number, cost, of=1, amends=2))
    assert ledger.spent.epsilon == 2, "part 2, amended three times"
    with pytest.raises(BudgetSpent):
        ledger.spend(reports(7, cost, of=1, amends=2))
    ledger.spend(reports(7, cost, of=1, amends=3))
    assert ledger.left.epsilon == 0


WRONG = {
    "the id of another part": {"number": 1},
    "another epoch": {"number": 9, "of": 1, "epoch": 1},
    "another study": {"number": 9, "of": 1, "study": "Houses"},
    "other people": {"number": 9, "of": 1, "people": "South"},
    "an amendment of an amendment": {"number": 9, "of": 1, "amends": 3},
    "an amendment of a part of another": {"number": 9, "of": 1, "amends": 4},
}


@pytest.mark.parametrize("name", WRONG)
def test_parts_that_do_not_go_together(tmp_path, name):
    cost = (Fraction(0),) * 3
    ledger = Ledger.create(tmp_path / "l", epsilon=2)
    for release in (
        reports(1, cost), reports(2, cost, of=1), reports(3, cost, of=1, amends=2), reports(4, cost, study="Other"),
    ):  # fmt: skip
        ledger.spend(release)
    wrong = reports(charges=cost, **WRONG[name])
    # The id of another part comes with its draws; as a part of its own it is another column of theirs.
    if name == "the id of another part":
        fresh = PublishedColumn(question="moved", drawing=part_id(8), digest=f"{8:064x}")
        published = replace(wrong.published, columns=(fresh,), role=Role.APPEND, of=part_id(4), study="Other")
        wrong = replace(wrong, published=published)
    with pytest.raises(InvalidParameter, match="does not go with the other parts"):
        ledger.spend(wrong)
    assert len(Ledger(ledger.path).entries()) == 4


@pytest.mark.parametrize(
    "given",
    [
        {"role": Role.APPEND}, {"role": Role.AMEND}, {"of": "a" * 32}, {"amends": "a" * 32},
        {"role": Role.AMEND, "of": "a" * 32}, {"role": Role.APPEND, "of": "a" * 32, "amends": "b" * 32},
        {"role": Role.APPEND, "of": part_id(1)},
    ],
)  # fmt: skip
def test_a_part_says_what_it_is_a_part_of(given):
    one = reports(1, (Fraction(0),) * 3).published
    with pytest.raises(InvalidParameter, match="does not go with `of` and `amends`"):
        replace(one, **given)


def test_two_questions_may_share_a_drawing_and_one_may_not_make_two_columns():
    first = reports(1, (Fraction(0),) * 3).published
    both = replace(first, columns=(*first.columns, replace(first.columns[0], question="debt", digest="d" * 64)))
    both.check_draws([both, first])
    other = replace(both, columns=tuple(replace(column, digest="e" * 64) for column in both.columns))
    with pytest.raises(Exception, match="these draws have made other reports"):
        other.check_draws([both])
    check_parts([both])


def test_a_release_of_reports_names_the_people_of_the_reports():
    one = reports(1, (Fraction(0),) * 3, people="South")
    with pytest.raises(InvalidParameter, match="people is another than that of the reports"):
        replace(one, people="North")
    assert isinstance(one, Release)
    assert math.isinf(local("x", 1).charges.bits)
