"""Accounts under one assumption: counted anew for the widest, refused for what that comes to, never mixed."""

import math
import sqlite3
from contextlib import closing
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import BudgetSpent, InvalidParameter, UnreadableFile
from sfumato.ledger import Assumption, Counting, Ledger, information, local, perfect_samples
from sfumato.ledger.dependence import widest
from sfumato.ledger.documents import FOR_ANYONE, Debited, Opened, now, record_from, record_text
from sfumato.ledger.ledger import append, create_file
from sfumato.measures.dependence import ANYONE, NOBODY, Correlation
from sfumato.noise import gaussian, private_mean
from sfumato.noise.reaccounting import Reaccounting, bits_of

PEOPLE = 1000
HIGH = 100


def mean(correlated, budget_bits=0.1):
    return private_mean(0, HIGH, PEOPLE, budget_bits, correlated=correlated)


def release(design, title="mean"):
    return information(
        title,
        design.capacity_bits.upper,
        assumption=Assumption(correlated=design.correlated, reaccounting=design.reaccounting),
    )


def moved_by(design, people):
    """By how many steps of the grid so many people move the mean, and the variance of the noise in them."""
    noise = design.design
    return math.ceil(min(people, PEOPLE) * Fraction(HIGH, PEOPLE) / noise.grid), float(noise.noise.variance)


def told_bits(design, people):
    """What a law of few points tells, about what so many people move: from below, found here and nowhere else."""
    moved, variance = moved_by(design, people)
    reach = math.ceil(9 * math.sqrt(variance))
    rows = np.zeros((7, moved + 2 * reach + 1))
    law = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * variance))
    for place, row in enumerate(rows):
        start = round(place * moved / 6)
        row[start : start + law.size] = law / law.sum()
    weights = np.full(7, 1 / 7)
    for _ in range(300):
        out = weights @ rows
        tells = np.sum(rows * np.log2(np.where(rows > 0, rows, 1) / np.where(out > 0, out, 1)), axis=1)
        weights = weights * 2**tells / np.sum(weights * 2**tells)
    return float(np.log2(np.sum(weights * 2**tells)))


def power_bits(design, people):
    """The usual formula, ½·log2(1 + T²/N), from above but for the grid, which is fine here."""
    moved, variance = moved_by(design, people)
    return math.log2(1 + (moved / 2) ** 2 / variance) / 2


@pytest.fixture
def path(tmp_path):
    return tmp_path / "people.ledger"


def test_two_for_nobody_are_counted_anew_when_one_for_five_comes(path):
    """The sum is of three figures for five, each found by another way; none of .1 + .1 + .1 is on the books."""
    ledger = Ledger.create(path, budget_bits=3)
    lone, five = mean("nobody"), mean(5)
    ledger.spend(release(lone, "one"))
    ledger.spend(release(lone, "two"))
    assert ledger.read().counting.correlated == NOBODY
    assert float(ledger.spent.bits) == pytest.approx(0.2, abs=1e-5)
    ledger.spend(release(five, "three"))
    found = Ledger(path).read()
    assert found.counting.correlated == Correlation(people=5)
    counted = [float(entry.charges.bits) for entry in found.entries]
    assert counted[2] == pytest.approx(0.1, abs=1e-5)
    for bits in counted[:2]:
        assert 0.9 < told_bits(lone, 5) <= bits <= power_bits(lone, 5) + 1e-6
    assert found.spent.bits == sum((entry.charges.bits for entry in found.entries), Fraction(0))
    assert [float(entry.release.charges.bits) for entry in found.entries] == pytest.approx([0.1] * 3, abs=1e-5)


def test_a_limit_that_is_exceeded_only_by_counting_anew(path):
    """As booked all three are .3 bits of 1, and for five people they are more."""
    ledger = Ledger.create(path, budget_bits=1)
    for _ in range(2):
        ledger.spend(release(mean("nobody")))
    with pytest.raises(BudgetSpent) as caught:
        ledger.spend(release(mean(5), "for households"))
    said = str(caught.value)
    assert "'for households' cannot be paid for" in said
    assert "what was released comes to 2.2384" in said
    assert "bits are counted for at most 5 people, and 2 earlier releases anew" in said
    assert "instead of 0.2. Nothing was debited." in said
    assert "under different assumptions are not added" in said
    assert len(ledger.entries()) == 2
    assert Ledger(path).read().counting.correlated == NOBODY, "a refusal changes nothing"
    ledger.spend(release(mean("nobody")))


def test_a_release_for_fewer_is_counted_for_the_account(path):
    ledger = Ledger.create(path, budget_bits=3)
    ledger.spend(release(mean(5)))
    ledger.spend(release(mean("nobody")))
    first, second = ledger.entries()
    assert first.bits is None
    assert float(second.charges.bits) > 1 > float(second.release.charges.bits)
    assert ledger.read().counting.correlated == Correlation(people=5)


def test_a_ledger_may_be_for_anyone_from_the_start(path):
    ledger = Ledger.create(path, budget_bits=2, correlated="anyone")
    with pytest.raises(BudgetSpent, match=r"it asks for \d+\.\d+ bits, .*; bits are counted for anyone"):
        ledger.spend(release(mean(5)))
    ledger.spend(release(mean("anyone")))
    assert float(ledger.spent.bits) == pytest.approx(0.1, abs=1e-5)
    assert Ledger(path).read().opened.correlated == ANYONE


def test_bits_without_an_assumption_keep_their_figure_and_ask_for_none(path):
    """They hold for anyone, so they hold for five as well."""
    ledger = Ledger.create(path, budget_bits=3)
    ledger.spend(information("flip", 0.5))
    ledger.spend(local("reports", 1, worst_case_bits=1))
    assert ledger.read().counting.correlated is None
    ledger.spend(release(mean(5)))
    assert ledger.read().counting.correlated == Correlation(people=5)
    assert float(ledger.spent.bits) == pytest.approx(1.6, abs=1e-5)
    assert [entry.bits for entry in ledger.entries()] == [None, None, None]


def test_a_period_that_is_over_may_refuse_too(path, monkeypatch):
    """Its limit was kept for nobody who depends on others, and would not be for five."""
    monkeypatch.setattr("sfumato.ledger.ledger.now", lambda: "2098-05-01T00:00:00Z")
    ledger = Ledger.create(path, per="year", budget_bits_per_period=1)
    ledger.spend(release(mean("nobody")))
    monkeypatch.setattr("sfumato.ledger.ledger.now", lambda: "2099-05-01T00:00:00Z")
    ledger.spend(release(mean("nobody")))
    year = ledger.entries()[0].period.name
    with pytest.raises(
        BudgetSpent, match=rf"what was released in {year} comes to 1\.1192\d* of 1; what was released in"
    ):
        ledger.spend(release(mean(5)))
    ledger.spend(release(mean(2)))


def test_the_same_id_is_the_same_release_with_its_assumption(path):
    ledger = Ledger.create(path, budget_bits=9)
    lone = release(mean("nobody"))
    first = ledger.spend(lone, release_id="mean")
    ledger.spend(release(mean(5)))
    assert ledger.spend(lone, release_id="mean") == first
    with pytest.raises(InvalidParameter, match="belongs to another release"):
        ledger.spend(information("mean", lone.charges.bits), release_id="mean")


def shared(bits):
    return Correlation(shared_bits=bits)


CORRELATIONS = st.one_of(
    st.just(ANYONE),
    st.integers(1, 9).map(lambda people: Correlation(people=people)),
    st.integers(0, 9).map(shared),
)


@given(one=CORRELATIONS, other=CORRELATIONS, third=CORRELATIONS)
def test_the_widest_assumption_covers_both_and_no_order_matters(one, other, third):
    found = widest(one, other)
    assert found == widest(other, one)
    assert widest(found, third) == widest(one, widest(other, third))
    for each in (one, other):
        assert widest(found, each) == found
        assert found.is_anyone or (
            (found.people or 0) >= (each.people or math.inf if each.people is None else each.people)
            if found.people is not None
            else each.shared_bits is not None and found.shared_bits >= each.shared_bits
        )


def stated(correlated):
    return Assumption(correlated=correlated, reaccounting=mean("nobody").reaccounting)


def test_beliefs_of_few_shared_bits_stand_alone_or_with_reports():
    """What else is seen may tie people together, so nothing is proved then: all is counted for anyone."""
    ten = Counting().with_release(stated(shared(10)), is_local=False)
    assert ten.correlated == shared(10)
    assert ten.with_release(stated(shared(3)), is_local=False).correlated == shared(10)
    assert ten.with_release(stated(shared(30)), is_local=False).correlated == shared(30)
    assert ten.with_release(None, is_local=True).correlated == shared(10)
    assert ten.with_release(None, is_local=False).correlated == ANYONE
    assert ten.with_release(stated(NOBODY), is_local=False).correlated == ANYONE
    assert Counting().with_release(None, is_local=False).with_release(stated(shared(1)), is_local=False).correlated == (
        ANYONE
    )


NORMAL = [
    Reaccounting(
        kind="normal",
        parameters={
            "records": 50,
            "squared_reach": "1",
            "deviation": deviation,
            "dimension": 1,
            "squared_radius": "1/4",
        },
    )
    for deviation in ("9", "40")
]
WANTED = st.tuples(CORRELATIONS | st.sampled_from(["local", "flip"]), st.sampled_from(NORMAL))


def model_assumption(made):
    """Who may depend on whom in all of these, by cases."""
    stated = [one for one, _ in made if isinstance(one, Correlation)]
    if not stated:
        return None
    believed = [one.shared_bits for one in stated if one.shared_bits is not None]
    if len(believed) < len(stated):
        people = [one.people for one in stated]
        return ANYONE if believed or None in people else Correlation(people=max(people))
    return ANYONE if "flip" in {one for one, _ in made} else shared(max(believed))


@settings(max_examples=25)
@given(wanted=st.lists(WANTED, max_size=7))
def test_any_sequence_agrees_with_a_model(tmp_path_factory, wanted):
    """The model counts all that was made under one assumption, found by cases, and refuses what exceeds the limit."""
    limit, path = 2, tmp_path_factory.mktemp("model") / "l"
    ledger, made, figures = Ledger.create(path, budget_bits=limit), [], []
    for correlated, reaccounting in wanted:
        if isinstance(correlated, str):
            bits = Fraction(1, 8)
            asked = local("x", 1, worst_case_bits=bits) if correlated == "local" else information("x", bits)
        else:
            bits = Fraction(bits_of(reaccounting, correlated))
            asked = information("x", bits, assumption=Assumption(correlated=correlated, reaccounting=reaccounting))
        whole = model_assumption([*made, (correlated, reaccounting)])
        new = [
            figure if isinstance(who, str) else max(figure, Fraction(bits_of(noise, whole)))
            for (who, noise), figure in zip([*made, (correlated, reaccounting)], [*figures, bits], strict=True)
        ]
        if sum(new) > limit:
            with pytest.raises(BudgetSpent):
                ledger.spend(asked)
            continue
        ledger.spend(asked)
        made, figures = [*made, (correlated, reaccounting)], new
        assert ledger.read().counting.correlated == whole
        assert ledger.spent.bits == sum(figures)
    assert [entry.charges.bits for entry in Ledger(path).entries()] == figures


class TestFiles:
    def test_records_come_back(self, path):
        ledger = Ledger.create(path, budget_bits=9, correlated=2)
        ledger.spend(release(mean("nobody")))
        ledger.spend(perfect_samples("x", rows_id="a", worst_case_bits=1))
        ledger.spend(release(mean(5)))
        book = ledger.read()
        assert Ledger(path).read() == book
        with closing(sqlite3.connect(path)) as connection:
            texts = [text for (text,) in connection.execute("SELECT text FROM records ORDER BY number")]
        assert '"correlated":{"people":2}' in texts[0]
        assert texts[1].startswith('{"assumption":{"correlated":{"people":1},"recount":{"kind":"number","parameters":{')
        assert '"change":"1/10"' in texts[1]
        assert '"counted":[[1,"' in texts[3]
        for text in texts:
            assert record_text(record_from(text)) == text

    @pytest.mark.parametrize(
        "forge",
        [
            lambda counted: (),
            lambda counted: counted[:1],
            lambda counted: tuple((number, bits / 20) for number, bits in counted),
            lambda counted: (*counted, (3, Fraction(3))),
            lambda counted: tuple(reversed(counted)),
            lambda counted: (*counted, counted[-1]),
            lambda counted: ((counted[0][0], Fraction(99)), *counted[1:]),
        ],
        ids=["none", "one of two", "less than booked", "its own too", "turned round", "twice", "above the limit"],
    )
    def test_figures_that_no_ledger_writes_are_refused(self, path, forge):
        ledger = Ledger.create(path, budget_bits=9)
        for _ in range(2):
            ledger.spend(release(mean("nobody")))
        book = ledger.read()
        three = release(mean(5))
        counted = tuple(sorted(book.check_affordable(three).items()))
        assert [number for number, _ in counted] == [1, 2]
        row = book.row_for(Debited(time=now(), release_id="three", release=three, counted=forge(counted)))
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            append(connection, row)
        with pytest.raises(UnreadableFile, match="damaged or changed"):
            Ledger(path)

    def test_a_ledger_made_before_assumptions_stays_one_for_anyone(self, path):
        """What it promised in bits it promised for anyone; its records stay as an older program reads them."""
        opened = Ledger.create(path.with_name("new"), budget_bits=20).read().opened
        create_file(path, Opened(time=opened.time, name=opened.name, limits=opened.limits, schema=FOR_ANYONE))
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA user_version = 2")
        ledger = Ledger(path)
        wanted = release(mean(5))
        first = ledger.spend(wanted, release_id="it")
        (entry,) = Ledger(path).entries()
        assert entry.release.assumption is None
        assert float(entry.release.charges.bits) == pytest.approx(mean(5).bits_for(ANYONE))
        assert not ledger.spend(wanted, release_id="it").is_new
        assert ledger.spend(wanted, release_id="it") == first
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA user_version").fetchone() == (2,)
            assert all("assum" not in text for (text,) in connection.execute("SELECT text FROM records"))


def test_an_assumption_goes_with_bits_only():
    with pytest.raises(InvalidParameter, match="goes with a release of so many bits"):
        information("x", math.inf, epsilon=1, assumption=stated(NOBODY))


def test_the_gaussian_of_any_function_assumes_nothing(path):
    """Nobody said how far one record moves it, so no assumption makes it cheaper, and none is noted."""
    from sfumato.study.planning import release_of_noise

    design = gaussian(low=0, high=1, budget_bits=0.5)
    made = release_of_noise("x", 0.5, Assumption(correlated=design.correlated, reaccounting=design.reaccounting))
    assert made.assumption is None
    lone = mean("anyone")
    made = release_of_noise("x", 0.1, Assumption(correlated=lone.correlated, reaccounting=lone.reaccounting))
    assert made.assumption.correlated == ANYONE
