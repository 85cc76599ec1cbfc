"""Ctrl-C ends the command with one line and exit code 130."""

from __future__ import annotations

import atexit
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

EXIT_INTERRUPTED = 130
_SECONDS_TO_CLOSE = 1.0
STOPPED = "sfumato: stopped. Every file is as it was before, or complete."


class _Watch:
    """Remembers an interrupt: what a library makes of it on the way, such as a failed import, is no news."""

    came = False
    _quiet_until = 0.0

    @classmethod
    def begin(cls) -> None:
        cls.came = False
        cls._quiet_until = 0.0

    @classmethod
    def rest(cls) -> None:
        """While things are put in order, or the interpreter closes down, a second Ctrl-C would only do harm."""
        cls._quiet_until = time.monotonic() + _SECONDS_TO_CLOSE

    @classmethod
    def stop(cls, number: int, frame: FrameType | None) -> None:
        del number, frame
        if time.monotonic() >= cls._quiet_until:
            cls.came = True
            cls.rest()
            raise KeyboardInterrupt


def was_interrupted() -> bool:
    """Whether Ctrl-C was pressed since the command began."""
    return _Watch.came


def end_on_interrupt(run: Callable[[], None]) -> None:
    """Run the command; turn an interrupt into a line and an exit code, also one that comes while it is ending."""
    _Watch.begin()
    # One who started the command with interrupts switched off (nohup, a background job) means it.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        with suppress(ValueError):  # not in the main thread, where no interrupt arrives anyway
            signal.signal(signal.SIGINT, _Watch.stop)
            # An interpreter that closes down takes its handlers away, and the next interrupt would be its end.
            atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    hook, sys.unraisablehook = sys.unraisablehook, _quiet(sys.unraisablehook)
    try:
        try:
            run()
        finally:
            # Until this has been done an interrupt may still strike, and lands below; after it, none does.
            _Watch.rest()
    except BaseException:
        if not _Watch.came:
            raise
        sys.stderr.write(f"{STOPPED}\n")
        sys.exit(EXIT_INTERRUPTED)
    finally:
        sys.unraisablehook = hook


def _quiet(hook: Any) -> Any:
    """Python reports an interrupt inside a destructor at length, and goes on."""

    def show(report: Any) -> None:
        if not (was_interrupted() and issubclass(report.exc_type, KeyboardInterrupt)):
            hook(report)

    return show
