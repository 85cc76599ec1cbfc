"""What somebody who waits sees, on a terminal of their own."""

import contextlib
import os
import pty
import sys
import time

import pytest

from sfumato.cli.output import show_rows


class Broken(Exception):
    """What goes wrong half-way."""


@contextlib.contextmanager
def terminal(monkeypatch):
    """Make standard error a terminal, and yield what tells all that was shown on it since it was last asked."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)

    def shown():
        time.sleep(0.3)  # a bar is drawn ten times a second
        with contextlib.suppress(BlockingIOError):
            return os.read(ours, 2**16).decode()
        return ""

    with os.fdopen(theirs, "w") as stream, monkeypatch.context() as here:
        here.setattr(sys, "stderr", stream)
        here.setenv("TERM", "xterm")
        yield shown
    os.close(ours)


def test_rows_are_shown_from_the_first_to_the_last_and_not_beyond(monkeypatch):
    """Before and after them somebody may be asked for a passphrase, and nothing writes over it."""
    with terminal(monkeypatch) as shown:
        with show_rows("drawing reports") as progress:
            assert not shown()
            progress(300, 1000)
            said = shown()
            assert "drawing reports" in said
            assert "300 rows" in said
            assert shown(), "it goes on while nobody tells anything"
            progress(700, 1000)
            assert "1,000 rows" in shown()
            assert not shown()
            progress(1, 1000)
            assert not shown()
        assert not shown()


def test_what_fails_half_way_leaves_no_bar(monkeypatch):
    def fail():
        with show_rows("drawing reports") as progress:
            progress(300, 1000)
            raise Broken

    with terminal(monkeypatch) as shown:
        with pytest.raises(Broken):
            fail()
        assert "drawing reports" in shown()
        assert not shown()
