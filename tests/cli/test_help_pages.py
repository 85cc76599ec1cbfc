"""--help shows every word that was written for it, at any width, and an example can be copied from it."""

import shlex
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from sfumato.cli import main
from sfumato.cli.app import VERBS as SUMMARIES
from sfumato.cli.app import command_tree
from sfumato.cli.help import lay_out_help

WIDTHS = (80, 120)
BORDERS = str.maketrans(dict.fromkeys("╭╮╰╯│─", " "))


def walk(command, path=()):
    """Yield every verb and every family of verbs, with its words."""
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from walk(inner, (*path, name))


TREE = dict(walk(command_tree()))
VERBS = {path: command for path, command in TREE.items() if not hasattr(command, "commands")}


def words(text):
    """Words without borders, and without the backslashes at which an example goes on."""
    return text.replace(" \\\n", "\n").translate(BORDERS).split()


def first_lost(page, text):
    """The first word of a text that does not stand on the page after those before it; None if all do."""
    shown = iter(words(page))
    return next((word for word in text.split() if word not in shown), None)


PAGES = {}


def help_of(monkeypatch, capsys, path, width):
    """Return what is printed; a page is made once for all tests that look at it."""
    if (path, width) not in PAGES:
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setattr("sys.argv", ["sfumato", *path, "--help"])
        with pytest.raises(SystemExit) as stop:
            main()
        assert stop.value.code == 0
        PAGES[path, width] = capsys.readouterr().out
    return PAGES[path, width]


def name_of(path):
    return " ".join(("sfumato", *path))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", TREE, ids=name_of)
def test_no_word_is_lost(monkeypatch, capsys, path, width):
    page, command = help_of(monkeypatch, capsys, path, width), TREE[path]
    assert first_lost(page, command.help) is None
    for parameter in command.params:
        assert first_lost(page, parameter.help) is None
        for option in (*parameter.opts, *parameter.secondary_opts) if parameter.param_type_name == "option" else ():
            assert option in page
    for name, inner in getattr(command, "commands", {}).items():
        said = inner.help.partition("\n\n")[0] if path else SUMMARIES[name].summary
        assert first_lost(page, f"{name} {said}") is None
    assert max(map(len, page.splitlines())) <= width


@pytest.mark.parametrize("path", TREE, ids=name_of)
def test_types_are_words(monkeypatch, capsys, path):
    page = help_of(monkeypatch, capsys, path, 80)
    for ugly in ("<bool>", "<list", "range>", "x>=", "[required]", "│", "{"):
        assert ugly not in page
    assert "  -h, --help " in page


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", VERBS, ids=name_of)
def test_an_example_can_be_copied(monkeypatch, capsys, path, width):
    """A shell that reads the lines of the page runs the line of the docstring."""
    page = help_of(monkeypatch, capsys, path, width)
    shown = [shlex.split(line) for line in page.replace("\\\n", "").splitlines() if line.startswith("  sfumato ")]
    written = [shlex.split(line) for line in VERBS[path].help.splitlines() if line.startswith("    sfumato ")]
    assert written
    assert shown == written


def test_paragraphs_are_laid_out_anew(monkeypatch, capsys):
    narrow, wide = (help_of(monkeypatch, capsys, ("verify",), width).split("\n\n") for width in WIDTHS)
    assert len(narrow[2].splitlines()) > len(wide[2].splitlines())
    assert max(map(len, narrow[2].splitlines())) <= min(WIDTHS) < max(map(len, wide[2].splitlines())) <= max(WIDTHS)
    assert narrow[2].split() == wide[2].split()


def test_notes_are_read_from_the_annotations(monkeypatch, capsys):
    page = " ".join(help_of(monkeypatch, capsys, ("publish",), 120).split())
    assert "--epoch INTEGER Which time step this is. [≥ 0; default 0]" in page
    assert "Usage: sfumato publish DATA --study PATH --out PATH [OPTIONS]" in page
    assert "--append These are new people" in page  # a flag takes nothing
    page = " ".join(help_of(monkeypatch, capsys, ("open",), 120).split())
    assert "[needed; repeatable]" in page


def toy():
    one = typer.Typer(rich_markup_mode="rich", add_completion=False)

    @one.command()
    def pay(ledger: Annotated[str, typer.Option(help="The one in [budget].")] = "") -> None:
        """Debit the ledger in [budget] first."""

    @one.command()
    def other() -> None:
        """Nothing."""

    return one


def test_the_check_of_lost_words_can_fail(monkeypatch):
    """Markup eats a word in brackets; the pages of this house do not."""
    monkeypatch.setenv("COLUMNS", "80")
    eaten = CliRunner().invoke(toy(), ["pay", "--help"], prog_name="toy").output
    assert "Debit the ledger in" in eaten
    assert first_lost(eaten, "Debit the ledger in [budget] first.") == "[budget]"
    kept = toy()
    lay_out_help(kept)
    page = CliRunner().invoke(kept, ["pay", "--help"], prog_name="toy").output
    assert first_lost(page, "Debit the ledger in [budget] first. The one in [budget].") is None
    assert first_lost(page, "Debit first. Debit") == "Debit"  # the order counts


def test_a_narrow_and_a_very_wide_screen(monkeypatch, capsys):
    for width, most in ((20, 60), (300, 120)):
        page = help_of(monkeypatch, capsys, ("publish",), width)
        assert first_lost(page, VERBS["publish",].help) is None
        assert max(map(len, page.splitlines())) <= most
