"""What a behaviour is, how it is run through the command and through the library, and how a run ended."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sfumato.cli.app import command_tree
from sfumato.cli.help import words_of
from sfumato.errors import SfumatoError
from sfumato.ledger import Charges, Kind, Ledger

COMMAND = command_tree()
PRIVATE = "37.0625"
"""An answer, wherever one is to be kept out of errors."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A behaviour: how its folder is prepared, the command, the same as a call, and how both must end.

    `refusal` is the class of the error, `words` some of its sentence in the words of the library; `makes` are the files
    that are new, `debits` what the ledger holds afterwards. Files that were there stay as they are, but for `changes`.
    Where the command itself refuses, before the library could, `own_words` lets class and sentence differ, but not the
    exit code.
    """

    name: str
    prepare: Callable[[Path], object]
    command: str
    call: Callable[[], object]
    refusal: type[SfumatoError] | None = None
    words: str = ""
    makes: tuple[str, ...] = ()
    debits: tuple[Kind, ...] = ()
    changes: tuple[str, ...] = ()
    own_words: bool = False


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a run ended."""

    refusal: str | None
    code: int
    sentence: str
    makes: tuple[str, ...]
    changes: tuple[str, ...]
    limits: Charges | None
    debits: tuple[Any, ...]


def files_in(folder):
    """Every folder, and every file but the ledger, which is told by its entries."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    held = {f"{name}/" if path.is_dir() else name: path for name, path in found.items() if name != "budget"}
    return {name: b"" if path.is_dir() else path.read_bytes() for name, path in held.items()}


def debits_in(folder):
    """What was paid for, and whether it is noted as released; the draws of two runs are never the same."""
    path = folder / "budget"
    entries = Ledger(path).entries() if path.is_file() else ()
    return tuple((replace(entry.release, published=None), entry.settled is not None) for entry in entries)


def limits_in(folder):
    path = folder / "budget"
    return Ledger(path).limits if path.is_file() else None


def unnamed(text):
    """The ids of parts are drawn by chance, and differ from run to run."""
    return re.sub(r"\b[0-9a-f]{8}\b", "PART", text)


def ended(folder, before, refusal=None, code=0, sentence=""):
    after = files_in(folder)
    return Outcome(
        refusal=refusal,
        code=code,
        sentence=unnamed(sentence),
        makes=tuple(sorted(unnamed(name) for name in set(after) - set(before))),
        changes=tuple(sorted(unnamed(name) for name in before if after.get(name) != before[name])),
        limits=limits_in(folder),
        debits=debits_in(folder),
    )


def through_the_command(sfumato, folder, arguments):
    before = files_in(folder)
    done = sfumato(*arguments)
    assert "Traceback" not in done.stderr
    if done.returncode == 0:
        return ended(folder, before)
    assert done.stdout == ""
    refusal, _, sentence = done.stderr.rstrip("\n").partition(": ")
    return ended(folder, before, refusal, done.returncode, sentence)


def through_the_library(folder, arguments, call):
    """The sentence is put into the words of the command, which is all that may differ."""
    before = files_in(folder)
    try:
        call()
    except SfumatoError as error:
        said = words_of(error, COMMAND, arguments)
        return ended(folder, before, type(error).__name__, error.exit_code, said), error
    return ended(folder, before), None


def having(*paths, prepare):
    """Prepare a folder in which there are folders where files are to be written."""

    def make(folder):
        prepare(folder)
        for path in paths:
            (folder / path).mkdir(parents=True)

    return make


def both(*steps):
    def make(folder):
        for step in steps:
            step(folder)

    return make


def removed(path, prepare):
    return both(prepare, lambda folder: (folder / path).unlink())
