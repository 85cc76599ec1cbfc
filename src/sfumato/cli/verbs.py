"""The verbs of the command by name, and the module of each: only the one that runs is read."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import typer

from sfumato import __version__
from sfumato.cli.help_pages import lay_out_help
from sfumato.cli.output import tell

# In the order of the first page of help. A verb NAME is the function `NAME_command` of its module; a family of verbs
# is the app `NAME_app` of the module of its name.
VERBS = {
    "new": "new",
    "plan": "plan",
    "publish": "publish",
    "amend": "amend",
    "erase": "erase",
    "combine": "combine",
    "releases": "releases",
    "open": "open",
    "recover": "open",
    "estimate": "estimate",
    "weights": "weights",
    "fit": "fit",
    "report": "report",
    "respond": "respond",
    "certify": "certify",
    "verify": "verify",
    "audit": "audit",
    "disclose": "disclose",
    "serve": "serve",
    "budget": "budget",
    "keys": "keys",
    "noise": "noise",
    "query": "query",
}
HELP_OPTIONS = ["-h", "--help"]


def app_of(*verbs: str) -> typer.Typer:
    """Return the command with these verbs; of others it knows what they are for, and not what they take."""
    app = typer.Typer(
        name="sfumato",
        help="Private reports, and certificates of what they leak.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": HELP_OPTIONS},
    )
    app.callback()(_options)
    for name in verbs or VERBS:
        module = import_module(f"sfumato.cli.{VERBS[name]}")
        family = getattr(module, f"{name}_app", None)
        if not verbs:
            app.command(name)(_named(family.info.help if family else getattr(module, f"{name}_command").__doc__))
        elif family:
            app.add_typer(family)
        else:
            app.command(name)(getattr(module, f"{name}_command"))
    lay_out_help(app)
    return app


def whole_app() -> typer.Typer:
    """Return the command with all its verbs."""
    return app_of(*VERBS)


def _named(what_for: str | None) -> Callable[[], None]:
    """Return a verb that takes nothing, for the first page of help: it says what the verb is for."""

    def verb() -> None:
        raise NotImplementedError

    verb.__doc__ = what_for
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
