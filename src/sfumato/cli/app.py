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

from sfumato import __version__
from sfumato.cli.amend import amend_command
from sfumato.cli.audit import audit_command
from sfumato.cli.budget import budget_app
from sfumato.cli.certify import certify_command
from sfumato.cli.combine import combine_command
from sfumato.cli.disclose import disclose_command
from sfumato.cli.erase import erase_command
from sfumato.cli.error_words import usage_words, words_of
from sfumato.cli.estimate import estimate_command
from sfumato.cli.explain import explain_command
from sfumato.cli.fit import fit_command
from sfumato.cli.help_pages import lay_out_help
from sfumato.cli.interrupts import STOPPED, was_interrupted
from sfumato.cli.keys import keys_app
from sfumato.cli.machines import machine_trouble
from sfumato.cli.new import new_command
from sfumato.cli.noise import noise_app
from sfumato.cli.open import open_command, recover_command
from sfumato.cli.output import say, tell
from sfumato.cli.papers import papers_command
from sfumato.cli.plan import plan_command
from sfumato.cli.publish import publish_command
from sfumato.cli.query import query_app
from sfumato.cli.releases import releases_command
from sfumato.cli.report import report_command
from sfumato.cli.respond import respond_command
from sfumato.cli.serve import serve_command
from sfumato.cli.verify import verify_command
from sfumato.cli.weights import weights_command
from sfumato.errors import InsecureBitsWarning, SfumatoError, WeakKeyWarning

app = typer.Typer(
    name="sfumato",
    help="Private reports, and certificates of what they leak.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("new")(new_command)
app.command("plan")(plan_command)
app.command("publish")(publish_command)
app.command("amend")(amend_command)
app.command("erase")(erase_command)
app.command("combine")(combine_command)
app.command("releases")(releases_command)
app.command("open")(open_command)
app.command("recover")(recover_command)
app.command("estimate")(estimate_command)
app.command("weights")(weights_command)
app.command("fit")(fit_command)
app.command("report")(report_command)
app.command("respond")(respond_command)
app.command("certify")(certify_command)
app.command("verify")(verify_command)
app.command("audit")(audit_command)
app.command("disclose")(disclose_command)
app.add_typer(budget_app)
app.add_typer(keys_app)
app.add_typer(noise_app)
app.add_typer(query_app)
app.command("serve")(serve_command)
app.command("papers")(papers_command)
app.command("explain")(explain_command)
lay_out_help(app)

EXIT_BUG = 70
# typer hands out one of its errors about the command line; this is what all of them are.
UsageError: Any = typer.BadParameter.__base__


def _show_version(wanted: bool) -> None:
    if wanted:
        tell(f"sfumato {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    pass


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
    """Return the verbs with their options; reading them off the functions takes a tenth of a second."""
    return typer.main.get_command(app)


def main() -> None:
    """Run the command. No traceback reaches a user unless SFUMATO_DEBUG is set."""
    # The command prints its own, louder line wherever insecure bits or weakly kept keys are used.
    warnings.simplefilter("ignore", InsecureBitsWarning)
    warnings.simplefilter("ignore", WeakKeyWarning)
    command = command_tree()
    try:
        sys.exit(_run(command))
    except SfumatoError as error:
        say(f"{type(error).__name__}: {words_of(error, command, sys.argv[1:])}")
        sys.exit(error.exit_code)
    except UsageError as error:
        # Without a verb, the help is the message.
        is_help = type(error).__name__ == "NoArgsIsHelpError"
        say(error.message if is_help else usage_words(error, command, sys.argv[1:]), end="" if is_help else "\n")
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
