"""The screen, progress and messages of the verbs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from sfumato.errors import printable_lines

if TYPE_CHECKING:
    from rich.console import Console


MEGABYTE = 1_000_000


def console() -> Console:
    """A console on standard output, wide enough for a table even in a pipe."""
    from rich.console import Console
    from rich.segment import Segment

    class Calm(Console):
        """A console on which no text that came out of a file moves the cursor."""

        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(printable_lines(segment.text), segment.style)

    return Calm() if sys.stdout.isatty() else Calm(width=120)


def tell(text: str, *, end: str = "\n") -> None:
    """Write a result on standard output. Whatever a file put into it, nothing moves the cursor."""
    typer.echo(printable_lines(text) + end, nl=False)


def tell_json(document: object) -> None:
    """Write a result for a program on standard output, in one line."""
    tell_exactly(json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n")


def tell_exactly(document: str) -> None:
    """Write JSON to the last byte; on a terminal, which is no program, what would move the cursor is spelled out."""
    if sys.stdout.isatty():
        document = "".join(_spelled(letter) for letter in document)
    typer.echo(document, nl=False)


def _spelled(letter: str) -> str:
    return letter if letter.isprintable() or letter == "\n" else json.dumps(letter)[1:-1]


def say(message: str, *, end: str = "\n") -> None:
    """Write a remark on standard error, so that standard output holds results only; as calm as `tell`."""
    typer.echo(printable_lines(message) + end, nl=False, err=True)


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
def show_rows(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show rows done, rows a second and time left, from the first row to the last.

    Nothing before and nothing after: a passphrase may be asked for.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    if not sys.stderr.isatty():
        yield lambda _, __: None
        return
    shown = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} rows, {task.fields[rate]} rows/s"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = shown.add_task(what, total=None, rate="…")

    def advance(rows: int, total: int | None) -> None:
        if not shown.live.is_started and not shown.finished:
            shown.start()
        speed = shown.tasks[0].speed
        shown.update(task, advance=rows, total=total, rate="…" if speed is None else f"{speed:,.0f}")
        if shown.live.is_started and shown.finished:
            shown.stop()

    try:
        yield advance
    finally:
        if shown.live.is_started:
            shown.stop()


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
