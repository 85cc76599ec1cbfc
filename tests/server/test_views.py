"""What any readers can see over all time: two views differ by no report, or by at least `tally_reports`.

Proofs: docs/theory/collection.md
"""

import asyncio
import random

import pytest

from server.databases import made_store
from server.schedules import Player, broken_promises
from sfumato.server import service as collecting
from sfumato.server import service as share_feeds
from sfumato.server.store_base import last_view
from sfumato.study.collection import reading_document

QUICK, SLOW, TOGETHER = 2000, 10_000, 500
REAL_EXPORTS = 40


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """What is due is counted at once; what is small is done without a thread of its own; headers are made once."""
    headers = {}

    async def here(do, *arguments, **named):
        return do(*arguments, **named)

    def header(of, receiver):
        if (of.mode, receiver.name) not in headers:
            headers[of.mode, receiver.name] = reading_document(of, receiver)
        return headers[of.mode, receiver.name]

    monkeypatch.setattr(collecting, "_REST", 0)
    monkeypatch.setattr(asyncio, "to_thread", here)
    monkeypatch.setattr(share_feeds, "reading_document", header)


def played_over(open_store, seeds):
    """Play schedules, each over a database of its own, up to the first that breaks a promise.

    Every fortieth writes real exports.
    """

    async def broken():
        for seed in seeds:
            played = await Player(open_store(seed), seed, real_exports=seed % REAL_EXPORTS == 0).play()
            if promises := broken_promises(played):
                return {seed: promises}
        return {}

    return asyncio.run(broken())


def files_in(folder):
    """What opens the file of a schedule, again and again."""

    def open_store(seed):
        place = folder / str(seed)
        place.mkdir()
        return lambda: made_store("sqlite", place, None, synchronous="OFF")

    return open_store


@pytest.mark.parametrize("first", range(0, QUICK, TOGETHER))
def test_any_two_views_differ_by_no_report_or_by_a_batch(tmp_path, first):
    assert played_over(files_in(tmp_path), range(first, first + TOGETHER)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(QUICK, QUICK + SLOW, TOGETHER))
def test_any_two_views_of_many_more_schedules_differ_so(tmp_path, first):
    assert played_over(files_in(tmp_path), range(first, first + TOGETHER)) == {}


def test_any_two_views_of_postgres_differ_so(tmp_path, postgres):
    def open_store(seed):
        first = made_store("postgresql", None, postgres)
        places = [first]
        return lambda: places.pop() if places else first.clone()

    assert played_over(open_store, range(1, 25)) == {}


def history(draw):
    """Play batches with sets alone: all views so far, what is kept and leaving by batch, and the state at the close."""
    least, shown, views, leaving, batch_of = draw.randint(2, 6), 0, [frozenset()], set(), {}
    quits = draw.choice((0.05, 0.3, 0.6))
    for number in range(draw.randint(1, 40)):
        held = sum(batch == shown + 1 for batch in batch_of.values())
        batch_of[number] = shown + (1 if held < least else 2)
        if sum(batch == shown + 2 for batch in batch_of.values()) >= least:
            shown += 1
            batch_of = {one: batch for one, batch in batch_of.items() if one not in leaving}
            leaving = set()
            views.append(frozenset(one for one, batch in batch_of.items() if batch <= shown))
        while batch_of and draw.random() < quits:
            one = draw.choice(sorted(batch_of))
            if batch_of[one] > shown:
                del batch_of[one]
            else:
                leaving.add(one)
    return least, shown, views, leaving, batch_of


def counted(batches):
    return {batch: batches.count(batch) for batch in batches}


def test_the_last_view_is_an_earlier_one_or_differs_by_a_batch_from_each():
    """Whatever was withdrawn: the views are played with sets, and each is compared with the last one."""
    draw, kinds = random.Random(36), {}  # noqa: S311  a test's cases
    for _ in range(20_000):
        least, shown, views, leaving, batch_of = history(draw)
        kept = {one: batch for one, batch in batch_of.items() if one not in leaving}
        plan = last_view(
            counted(list(kept.values())), counted([batch_of[one] for one in leaving]), shown=shown, least=least
        )
        last = {one for one, batch in kept.items() if batch <= shown or not plan.without_new}
        old = [one for one, batch in kept.items() if batch <= plan.up_to]
        last -= set(draw.sample(old, plan.left_out))
        last = set() if plan.nothing else last
        if len(kept) >= least:
            assert all(not last ^ view or len(last ^ view) >= least for view in views)
        else:
            assert last == set(kept)
        new = sum(batch > shown for batch in kept.values())
        if shown == 0 or new >= least:
            assert last == set(kept)
        kinds[plan.nothing, plan.without_new, plan.left_out > 0] = True
    assert len(kinds) == 4  # all of them occur
