"""The ledger as one program sees it: debits before releases, refusals, receipts; judged by a model in memory."""

import math
import os
import sqlite3
import stat
import threading
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BudgetSpent, DigestMismatch, InvalidParameter, KeyReused, ReleasedBefore, UnreadableFile
from sfumato.ledger import Charges, Currency, Ledger, information, local, perfect_samples, recoverable
from sfumato.ledger.ledger import reading, writing
from sfumato.ledger.releases import Published, PublishedColumn


@pytest.fixture
def ledger(tmp_path):
    return Ledger.create(tmp_path / "people.ledger", budget_bits=2)


def test_debit_and_settle(ledger, tmp_path):
    receipt = ledger.spend(information("mean income", 0.5, notes=["Gaussian"]))
    assert receipt.is_new
    assert (ledger.spent.bits, ledger.left.bits, ledger.limits.bits) == (Fraction(1, 2), Fraction(3, 2), 2)
    (entry,) = Ledger(ledger.path).entries()
    assert entry.receipt == receipt
    assert entry.release == information("mean income", 0.5, notes=["Gaussian"])
    assert entry.settled is None
    ledger.settle(receipt)
    ledger.settle(receipt)
    (entry,) = Ledger(ledger.path).entries()
    assert entry.settled >= receipt.time
    assert ledger.spent.bits == Fraction(1, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["people.ledger"], "nothing is left beside it"


def test_a_budget_can_be_spent_to_the_last_fraction_and_no_further(ledger):
    for _ in range(3):
        ledger.spend(information("a third of two", Fraction(2, 3)))
    assert ledger.left.bits == 0
    ledger.spend(information("costs nothing", 0))
    with pytest.raises(BudgetSpent) as caught:
        ledger.spend(information("one too many", Fraction(1, 10**9)))
    assert caught.value.exit_code == 1
    assert "'one too many' cannot be paid for: it asks for 0.000000001 bits, and 0 of 2 are left." in str(caught.value)
    assert len(ledger.entries()) == 4


def test_a_difference_far_behind_the_point_is_shown(tmp_path):
    ledger = Ledger.create(tmp_path / "l", budget_bits=0.1)
    with pytest.raises(BudgetSpent, match=r"asks for 0\.100000000000000005551\d* bits, and 0\.1 of 0\.1 are left"):
        ledger.spend(information("float", 0.1))
    ledger = Ledger.create(tmp_path / "m", budget_bits=1)
    ledger.spend(information("x", Fraction(1, 10**20)))
    with pytest.raises(BudgetSpent, match=r"asks for 1 bit, and 0\.99999999999999999999 of 1 are left"):
        ledger.spend(information("x", 1))


def test_each_currency_has_its_own_limit(tmp_path):
    ledger = Ledger.create(tmp_path / "l", epsilon=1, leakage_bits=1)
    ledger.spend(local("report", 0.5))
    assert ledger.left.bits == math.inf
    assert math.isinf(ledger.spent.bits), "no bound in bits is known any more, and none was promised"
    with pytest.raises(BudgetSpent, match=r"it asks for 0\.6\d* nats of ε, and 0\.5 of 1 are left; it asks for 0\.86"):
        ledger.spend(local("report", 0.6))
    with pytest.raises(BudgetSpent, match=r"no bound in nats of ε is stated, and the ledger has a limit of 1 there"):
        ledger.spend(recoverable("answers", 0.1))
    ledger.spend(recoverable("answers", 0.1, epsilon=0.5))
    assert ledger.spent.epsilon == 1


def test_perfect_samples_once_for_each_row(ledger):
    first = perfect_samples("columns", rows_id=["a", "b"], worst_case_bits=0.25)
    ledger.spend(first, release_id="it")
    for rows in ("a", "b", ["b", "c"]):
        with pytest.raises(BudgetSpent, match=r"released before.*leak together.*jointly"):
            ledger.spend(perfect_samples("again", rows_id=rows, worst_case_bits=0))
    ledger.spend(perfect_samples("other", rows_id="c", worst_case_bits=0.25))
    assert not ledger.spend(first, release_id="it").is_new, "one that was killed may begin anew"
    assert ledger.spent.bits == Fraction(1, 2)


def reports(drawing, digest, **changes):
    """A release of reports, as a study makes it."""
    column = PublishedColumn(question="moved", drawing=drawing * 32, digest=digest * 64)
    given = {"study": "Homes", "fingerprint": "c" * 64, "epoch": 0, "rows": 5, "seen": (("public", "0.5"),)}
    published = Published(columns=(column,), **{**given, "part": drawing * 32, **changes})
    return replace(information("reports", Fraction(1, 8)), published=published, people=published.people)


def test_reports_are_guarded_by_the_ledger_itself(ledger):
    """Whoever keeps no record, or another one: one drawing makes one column, and people are released about once."""
    first = reports("a", "b")
    ledger.spend(first, release_id=first.published.id)
    with pytest.raises(KeyReused, match="these draws have made other reports"):
        ledger.spend(reports("a", "d"))
    with pytest.raises(KeyReused, match="these draws have made other reports"):
        ledger.spend(reports("a", "d", study="Houses", epoch=3))
    with pytest.raises(ReleasedBefore, match="was published before in epoch 0"):
        ledger.spend(reports("e", "f"))
    assert not ledger.spend(first, release_id=first.published.id).is_new
    ledger.spend(reports("e", "f", again="two"))
    with pytest.raises(ReleasedBefore, match="was made already"):
        ledger.spend(reports("0", "1", again="two"))
    ledger.spend(reports("2", "3", people="others"))
    assert ledger.spent.bits == Fraction(3, 8)
    assert len(Ledger(ledger.path).entries()) == 3


def test_a_publication_is_named_by_its_draws_and_its_reports():
    """Another digest, another drawing, another number of rows: another name, under which nothing is paid for yet."""
    names = [reports(*given).published.id for given in (("a", "b"), ("a", "c"), ("b", "b"))]
    names.append(reports("a", "b", rows=6).published.id)
    assert len(set(names)) == len(names)
    assert reports("a", "b").published.id == names[0]


def test_an_id_is_debited_once(ledger):
    first = ledger.spend(information("x", 0.5), release_id="2026-05")
    ledger.settle(first)
    again = Ledger(ledger.path).spend(information("x", Fraction(1, 2)), release_id="2026-05")
    assert again == first
    assert (first.is_new, again.is_new) == (True, False)
    assert ledger.spent.bits == Fraction(1, 2)
    for other in (information("y", 0.5), information("x", 0.25), information("x", 0.5, epsilon=1), local("x", 1)):
        with pytest.raises(InvalidParameter, match="release_id='2026-05' belongs to another release, 'x'"):
            ledger.spend(other, release_id="2026-05")
    assert len(ledger.entries()) == 1
    assert ledger.spend(information("x", 0.5)).release_id != ledger.spend(information("x", 0.5)).release_id


def test_the_same_id_is_given_back_even_when_all_is_spent(ledger):
    first = ledger.spend(information("x", 2), release_id="all")
    assert ledger.spend(information("x", 2), release_id="all") == first


def test_a_receipt_of_another_ledger_is_refused(ledger, tmp_path):
    twin = Ledger.create(tmp_path / "twin", budget_bits=2)
    mine, other = (one.spend(information("x", 1), release_id="x") for one in (ledger, twin))
    assert mine.number == other.number
    with pytest.raises(DigestMismatch, match="is not from the ledger"):
        ledger.settle(other)
    assert all(entry.settled is None for entry in (*ledger.entries(), *twin.entries()))


def test_an_older_copy_put_back_is_seen_by_who_knows_better(ledger):
    old = ledger.path.read_bytes()
    receipt = ledger.spend(information("x", 1))
    ledger.path.write_bytes(old)
    for work in (lambda: ledger.spend(information("y", 1)), lambda: ledger.left, lambda: ledger.settle(receipt)):
        with pytest.raises(UnreadableFile, match="damaged or changed"):
            work()
    with pytest.raises(DigestMismatch, match="older copy"):
        Ledger(ledger.path).settle(receipt)


def test_an_older_copy_that_went_another_way_is_seen_too(ledger):
    old = ledger.path.read_bytes()
    ledger.spend(information("x", 1))
    ledger.path.write_bytes(old)
    Ledger(ledger.path).spend(information("y", 0.5))
    with pytest.raises(UnreadableFile, match="damaged or changed"):
        ledger.spend(information("z", 1))


def test_creating(tmp_path):
    with pytest.raises(InvalidParameter, match="needs a limit"):
        Ledger.create(tmp_path / "l")
    for name, value in (("budget_bits", 0), ("epsilon", -1), ("leakage_bits", math.inf), ("epsilon", math.nan)):
        with pytest.raises(InvalidParameter, match=name):
            Ledger.create(tmp_path / "l", **{name: value})
    with pytest.raises(InvalidParameter, match="does not exist"):
        Ledger.create(tmp_path / "no" / "l", epsilon=1)
    with pytest.raises(InvalidParameter, match="a name that a file can have"):
        Ledger.create(tmp_path / "a\0b", epsilon=1)
    (tmp_path / "precious").write_text("old")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("precious", "dangling"):
        with pytest.raises(InvalidParameter, match="exists already, and is never overwritten"):
            Ledger.create(tmp_path / name, epsilon=1)
    assert (tmp_path / "precious").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dangling", "precious"]
    limits = Ledger.create(tmp_path / "l ?%20#é", budget_bits=0.3, epsilon=Fraction(1, 3)).limits
    assert limits == Charges(bits=Fraction(3, 10), epsilon=Fraction(1, 3))


def test_a_file_system_without_links(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    ledger = Ledger.create(tmp_path / "l", budget_bits=1)
    ledger.spend(information("x", 1))
    with pytest.raises(InvalidParameter, match="exists already"):
        Ledger.create(tmp_path / "l", budget_bits=1)
    assert [path.name for path in tmp_path.iterdir()] == ["l"]
    assert Ledger(tmp_path / "l").left.bits == 0


def test_permissions_are_the_users_default(tmp_path):
    before = os.umask(0o027)
    try:
        path = Ledger.create(tmp_path / "l", budget_bits=1).path
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_who_waits_too_long_is_told_so(ledger):
    impatient = Ledger(ledger.path, patience_seconds=0.05)
    with writing(ledger.path, 1) as connection:
        with pytest.raises(
            InvalidParameter, match=r"is in use: another process has been writing to it for 0\.05 seconds"
        ):
            impatient.spend(information("x", 1))
        assert impatient.left.bits == 2, "reading does not wait for a writer"
        connection.execute("ROLLBACK")
        connection.execute("BEGIN")
    impatient.spend(information("x", 1))
    with pytest.raises(InvalidParameter, match="patience_seconds=0"):
        Ledger(ledger.path, patience_seconds=0)


def test_what_is_written_is_written_through(ledger):
    """A kill cannot tell; EXTRA (3) flushes file, journal and folder before COMMIT returns."""
    for connect in (reading, writing):
        with connect(ledger.path, 1) as connection:
            assert connection.execute("PRAGMA synchronous").fetchone() == (3,)
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_an_error_inside_a_transaction_undoes_it(ledger, monkeypatch):
    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("sfumato.ledger.ledger.append", fail)
    with pytest.raises(KeyboardInterrupt):
        ledger.spend(information("x", 1))
    monkeypatch.undo()
    assert ledger.spent.bits == 0
    ledger.spend(information("x", 2))


def test_only_releases_are_paid_for(ledger):
    with pytest.raises(InvalidParameter, match="release must be a Release, not float"):
        ledger.spend(0.5)
    with pytest.raises(InvalidParameter, match="release_id must be one line"):
        ledger.spend(information("x", 1), release_id="a\nb")


def test_threads_of_one_process_share_a_ledger(ledger):
    refused = []

    def work():
        for _ in range(10):
            try:
                ledger.spend(information("x", Fraction(1, 20)))
            except BudgetSpent:
                refused.append(1)

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(ledger.entries()), len(refused), ledger.left.bits) == (40, 10, 0)


def test_the_file_holds_nothing_else(ledger):
    """Titles, kinds, amounts, times, ids and digests; the text in the file is all there is."""
    ledger.settle(ledger.spend(information("x", 0.5), release_id="one"))
    with sqlite3.connect(ledger.path) as connection:
        texts = [text for (text,) in connection.execute("SELECT text FROM records")]
    connection.close()
    time, name = ledger.read().opened.time, ledger.read().opened.name
    assert texts[0] == (
        f'{{"event":"opened","limits":{{"bits":"2"}},"name":"{name}","schema":"sfumato/ledger/3","time":"{time}"}}'
    )
    (entry,) = ledger.entries()
    assert texts[1] == (
        '{"charges":{"bits":"1/2"},"event":"debited","id":"one","kind":"information","notes":[],"rows":[],'
        f'"time":"{entry.receipt.time}","title":"x"}}'
    )
    assert texts[2] == f'{{"event":"settled","number":1,"time":"{entry.settled}"}}'


def test_titles_in_any_script_come_back(ledger):
    release = information("調査\u3000“二” \u202e👩\u200d🔬", 1, notes=["ε ≤ 1"])
    ledger.spend(release, release_id="é")
    assert Ledger(ledger.path).entries()[0].release == release


AMOUNTS = st.one_of(st.fractions(min_value=0, max_value=2, max_denominator=50), st.just(math.inf))
RELEASES = st.builds(
    lambda bits, epsilon, leakage, rows: (
        information("x", bits, epsilon=epsilon, leakage_bits=leakage)
        if rows is None
        else perfect_samples("x", rows_id=rows, worst_case_bits=bits)
    ),
    AMOUNTS.filter(math.isfinite), AMOUNTS, AMOUNTS, st.none() | st.sets(st.sampled_from("abcd"), min_size=1),
)  # fmt: skip
LIMITS = st.fixed_dictionaries(
    {}, optional={name: st.fractions(min_value=Fraction(1, 9), max_value=3, max_denominator=50)
                  for name in ("budget_bits", "epsilon", "leakage_bits")},
).filter(bool)  # fmt: skip


STEPS = st.tuples(RELEASES, st.none() | st.sampled_from("pqr"), st.booleans())


@given(
    limits=LIMITS, steps=st.lists(st.tuples(RELEASES, st.none() | st.sampled_from("pqr"), st.booleans()), max_size=12)
)
def test_any_sequence_agrees_with_a_model(tmp_path_factory, limits, steps):
    """The model: lists and dictionaries, and nothing of the ledger's own code."""
    path = tmp_path_factory.mktemp("model") / "l"
    ledger = Ledger.create(path, **limits)
    left = {
        "bits": limits.get("budget_bits"),
        "epsilon": limits.get("epsilon"),
        "leakage_bits": limits.get("leakage_bits"),
    }
    taken, paid, settled = set(), [], set()
    ids = {}
    for release, release_id, made in steps:
        if release_id in ids:
            expected = "old" if ids[release_id] == release else "conflict"
        elif taken & set(release.rows):
            expected = "refused"
        else:
            short = [n for n in left if left[n] is not None and left[n] < getattr(release.charges, n)]
            expected = "refused" if short else "new"
        try:
            receipt = ledger.spend(release, release_id=release_id)
            found = "new" if receipt.is_new else "old"
        except BudgetSpent:
            found = "refused"
        except InvalidParameter:
            found = "conflict"
        assert found == expected
        if found == "new":
            left = {n: None if v is None else v - getattr(release.charges, n) for n, v in left.items()}
            taken |= set(release.rows)
            paid.append((receipt.release_id, release))
            if release_id is not None:
                ids[release_id] = release
        if found in ("new", "old") and made:
            ledger.settle(receipt)
            settled.add(receipt.release_id)
    for one in (ledger, Ledger(path)):
        assert [(entry.receipt.release_id, entry.release) for entry in one.entries()] == paid
        assert {entry.receipt.release_id for entry in one.entries() if entry.settled} == settled
        for currency in Currency:
            amounts = [release.charges[currency] for _, release in paid]
            total = math.inf if math.inf in amounts else sum(amounts, Fraction(0))
            assert one.spent[currency] == total
            assert one.left[currency] == (math.inf if left[currency.value] is None else left[currency.value])
