"""What verbs share: the screen, progress, and messages that keep out of the way of results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console

MEGABYTE = 1_000_000


def console() -> Console:
    """A console on standard output, wide enough for a table even in a pipe."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=120)


def say(message: str) -> None:
    """A remark on standard error, so that standard output holds results only."""
    typer.echo(message, err=True)


@contextmanager
def show_waiting(what: str) -> Iterator[None]:
    """Show on standard error that something takes its time, when a person is watching."""
    from rich.console import Console

    if not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True).status(what):
        yield


@contextmanager
def show_steps(what: str) -> Iterator[Callable[[str], None]]:
    """Show which of several steps is under way; nothing before the first, since a passphrase may be asked for there."""
    from rich.console import Console

    if not sys.stderr.isatty():
        yield lambda _: None
        return
    status = Console(stderr=True).status(what)

    def show(step: str) -> None:
        status.update(f"{what}: {step}")
        status.start()

    try:
        yield show
    finally:
        status.stop()


@contextmanager
def show_progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error, when a person is watching."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(
        console=Console(stderr=True), disable=total <= 0 or not sys.stderr.isatty(), transient=True
    ) as progress:
        task = progress.add_task(what, total=total)
        yield lambda step: progress.update(task, advance=step)
