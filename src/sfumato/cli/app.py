"""The command's front door: its verbs, and what becomes of errors.

Exit codes: 0 done, 1 a claim was refused or contradicted, 2 the input cannot be used, 3 claims are stated and not
checked because the law is private, 70 a bug in Sfumato, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
import warnings
from functools import cache
from typing import Any

import typer

from sfumato.cli.interrupts import STOPPED, was_interrupted
from sfumato.cli.machines import machine_trouble
from sfumato.cli.output import say
from sfumato.cli.verbs import HELP_OPTIONS, VERBS, app_of, whole_app
from sfumato.errors import InsecureBitsWarning, SfumatoError

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
        from sfumato.cli.error_words import words_of

        say(f"{type(error).__name__}: {words_of(error, command, words)}")
        sys.exit(error.exit_code)
    except UsageError as error:
        from sfumato.cli.error_words import usage_words

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
