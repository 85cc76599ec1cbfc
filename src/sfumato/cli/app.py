"""The command: its verbs, and what it does with errors.

Exit codes: 0 done, 1 a claim was refused or contradicted, 2 the input cannot be used, 3 claims are stated and not
checked because the law is private, 70 a bug in Sfumato, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import typer

from sfumato import __version__
from sfumato.cli.help import lay_out_help
from sfumato.cli.interrupts import STOPPED, was_interrupted
from sfumato.cli.output import say, tell
from sfumato.errors import InsecureBitsWarning, SfumatoError


class Verb(NamedTuple):
    """The module of a verb, and what it does in a line for the first page of help."""

    module: str
    summary: str


# The verbs by name, in the order of the first page of help, which imports none of their modules. The verb NAME is the
# function `NAME_command` of its module; a family of verbs is the app `NAME_app`.
VERBS = {
    "new": Verb("new", "Write a first study file: answer a few questions, and every key is explained."),
    "plan": Verb("plan", "Plan a study: how each question is asked, what is protected, how many people it takes."),
    "publish": Verb("publish", "Publish one private report for each person and question, and the key files."),
    "amend": Verb("amend", "Correct single answers of a publication; only these are drawn and paid for again."),
    "erase": Verb("erase", "Delete people from a publication, its key files and its index."),
    "combine": Verb("combine", "Combine publications of one study; keys stay valid, and nothing is paid again."),
    "releases": Verb("budget", "List the releases of a study, and what readers see of all of them together."),
    "open": Verb("open", "Open reports with a key: they become as accurate as the key allows."),
    "recover": Verb("open", "Recover the answers with the registrar's keys."),
    "estimate": Verb("estimate", "Estimate shares and means from reports, with confidence intervals."),
    "weights": Verb("estimate", "Write a table of weights, so that SQL can estimate shares with one join."),
    "fit": Verb("fit", "Fit a regression model to reports, or print a joint table of questions."),
    "report": Verb("report", "Write a page about a study: questions, privacy, estimates and certificates."),
    "respond": Verb("respond", "Answer a study as a respondent's device does; the answers stay on this computer."),
    "certify": Verb("certify", "Certify how much a channel leaks, by every measure."),
    "verify": Verb("verify", "Verify a certificate, a page or published reports."),
    "audit": Verb("audit", "Test reports against a claimed ε: a lower bound that holds with high confidence."),
    "disclose": Verb("disclose", "Release properties of a data set that are independent of every protected part."),
    "serve": Verb("serve", "Collect reports over the web; the server never sees an answer."),
    "budget": Verb("budget", "Keep a ledger of releases, and refuse a release when the budget is spent."),
    "keys": Verb("keys", "Show, split, merge, rotate and protect key files."),
    "noise": Verb("noise", "Release a count, sum, mean, histogram or quantile with calibrated noise."),
    "query": Verb("query", "Answer a question about data correctly with a stated probability, and hide the data."),
}
HELP_OPTIONS = ["-h", "--help"]


def app_of(*verbs: str) -> typer.Typer:
    """Return the command with these verbs; without any, with the summaries of all, for the first page of help."""
    app = typer.Typer(
        name="sfumato",
        help="Private reports, and certificates of what they leak.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": HELP_OPTIONS},
    )
    app.callback()(_options)
    for name in () if verbs else VERBS:
        app.command(name)(_named(VERBS[name].summary))
    for name in verbs:
        module = import_module(f"sfumato.cli.{VERBS[name].module}")
        family = getattr(module, f"{name}_app", None)
        if family is not None:
            app.add_typer(family)
        else:
            app.command(name)(getattr(module, f"{name}_command"))
    lay_out_help(app)
    return app


def whole_app() -> typer.Typer:
    """Return the command with all its verbs."""
    return app_of(*VERBS)


def _named(summary: str) -> Callable[[], None]:
    """Return a verb that takes nothing, for the first page of help, which shows its summary."""

    def verb() -> None:
        raise NotImplementedError

    verb.__doc__ = summary
    return verb


def _show_version(wanted: bool) -> None:
    if wanted:
        tell(f"sfumato {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    pass


# What is the machine's trouble and not the program's: a full disk or memory, a medium that may only be read.


# Libraries are loaded when they are needed, and whoever loads them says only in words that there was no memory for one.
_STARVED = ("failed to map segment", "annot allocate memory", "can't start new thread", "unable to allocate")


def machine_trouble(error: Exception) -> str | None:
    """Say what the machine lacks; None where an error is about something else. No file is named by it."""
    starved = isinstance(error, ImportError | OSError | RuntimeError) and any(words in str(error) for words in _STARVED)
    if isinstance(error, MemoryError) or starved:
        return "memory is full"
    return error.strerror or "it refused" if isinstance(error, OSError) else None


EXIT_BUG = 70
# typer hands out one of its errors about the command line; this is what all of them are.
UsageError: Any = typer.BadParameter.__base__


def _run(command: Any) -> int:
    try:
        # Not standalone: errors are shown here, all in the same way.
        code = command.main(prog_name="sfumato", standalone_mode=False)
    except Exception:
        if was_interrupted():  # what a library made of it on the way is no news
            raise KeyboardInterrupt from None
        raise
    return code if isinstance(code, int) else 0


@cache
def command_tree() -> Any:
    """Return all verbs with their options; reading them off the functions takes a tenth of a second."""
    return typer.main.get_command(whole_app())


def _tree_for(words: list[str]) -> Any:
    """Return as much of the tree as these words need: one verb, or the first page of help."""
    if words and words[0] in VERBS:
        return typer.main.get_command(app_of(words[0]))
    if not words or words[0] in HELP_OPTIONS:
        return typer.main.get_command(app_of())
    return command_tree()


def main() -> None:
    """Run the command. No traceback reaches a user unless SFUMATO_DEBUG is set."""
    # The command prints its own, louder line wherever insecure bits are used.
    warnings.simplefilter("ignore", InsecureBitsWarning)
    words = sys.argv[1:]
    command = _tree_for(words)
    try:
        sys.exit(_run(command))
    except SfumatoError as error:
        from sfumato.cli.help import words_of

        say(f"{type(error).__name__}: {words_of(error, command, words)}")
        sys.exit(error.exit_code)
    except UsageError as error:
        from sfumato.cli.help import usage_words

        # Without a verb, the help is the message.
        is_help = type(error).__name__ == "NoArgsIsHelpError"
        say(error.message if is_help else usage_words(error, command, words), end="" if is_help else "\n")
        sys.exit(error.exit_code)
    except typer.Abort:  # a person who was asked something ended the input instead
        say(f"\n{STOPPED}")
        sys.exit(1)
    except BrokenPipeError:
        # The reader (head, less) has seen enough. Python would complain again while closing stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if os.environ.get("SFUMATO_DEBUG"):
            raise
        what = machine_trouble(error)
        if what is not None:
            say(
                f"sfumato: this machine could not go on: {what}. Every file is as it was before, or complete. Make "
                f"room or choose another place, and run the same again."
            )
            sys.exit(2)
        # The message of a foreign exception may quote data, so only its type is shown.
        say(
            f"sfumato: this is a bug ({type(error).__name__}). Every file is as it was before, or complete. "
            f"Please report it, with what SFUMATO_DEBUG=1 prints on data you can share."
        )
        sys.exit(EXIT_BUG)
