"""Words that are private to this project stand in no name, option or help text (`banned_words.toml`)."""

import inspect
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path

import pytest

from cli.verb_tree import verbs
from sfumato.cli.app import VERBS, Verb, command_tree
from sfumato.lazy import modules_in
from sfumato.study import Study
from sfumato.study.kinds.registry import kinds

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src" / "sfumato"
LIST = tomllib.loads((HERE / "banned_words.toml").read_text())
WORDS, VOICE = frozenset(LIST["words"]), frozenset(LIST["voice"])
EXCEPTIONS = LIST["exception"]
# Packages whose parameters are those of the command, and of what it raises.
OF_THE_COMMAND = ("sfumato", "sfumato.workflows", "sfumato.errors")

Found = tuple[str, str]


def parts(text: str) -> list[str]:
    """The words of a snake_case or CamelCase name, of an option or of a sentence, in small letters."""
    return [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)]


def is_excepted(place: str, word: str, exceptions: Iterable[dict] = EXCEPTIONS) -> bool:
    return any(
        word in known["words"] and any(fnmatchcase(place, pattern) for pattern in known["places"])
        for known in exceptions
    )


def banned(found: Iterable[Found], words: frozenset[str] = WORDS) -> list[str]:
    """What has a banned part at a place where that is not excepted."""
    return [
        f"{place}: {word}"
        for place, text in found
        for word in sorted(words & set(parts(text)))
        if not is_excepted(place, word)
    ]


def modules(source: Path) -> Iterator[Found]:
    for path in sorted(source.rglob("*.py")):
        name = path.relative_to(source).with_suffix("").as_posix()
        yield f"module {name}", name


def packages() -> list[str]:
    return sorted(
        ".".join(("sfumato", *stub.parent.relative_to(SOURCE).parts)) for stub in SOURCE.rglob("__init__.pyi")
    )


def public_names() -> Iterator[Found]:
    """Names of `__all__` of each package, and those that its stub imports."""
    for package in packages():
        stub = SOURCE.joinpath(*package.split(".")[1:]) / "__init__.pyi"
        for name in sorted({*import_module(package).__all__, *modules_in(stub.read_text())}):
            yield f"name {package}.{name}", name
    for name in vars(import_module("sfumato.errors")):
        if not name.startswith("_"):
            yield f"name sfumato.errors.{name}", name


def parameters() -> Iterator[Found]:
    for package in OF_THE_COMMAND:
        module = import_module(package)
        for name in getattr(module, "__all__", [one for one in vars(module) if not one.startswith("_")]):
            thing = getattr(module, name)
            is_ours = getattr(thing, "__module__", "").startswith("sfumato")
            is_warning = inspect.isclass(thing) and issubclass(thing, Warning)
            if is_ours and callable(thing) and not is_warning:
                for parameter in inspect.signature(thing).parameters:
                    yield f"parameter {package}.{name}.{parameter}", parameter


def study_file() -> Iterator[Found]:
    for kind, classes in kinds().items():
        yield f"kind {kind}", kind
        for one in classes:
            yield from ((f"key {one.__name__}.{field.name}", field.name) for field in fields(one))
    yield from ((f"key Study.{field.name}", field.name) for field in fields(Study))


def options(commands: Iterable[tuple[str, object]]) -> Iterator[Found]:
    for verb, command in commands:
        yield f"verb {verb}", verb
        for parameter in command.params:
            for name in (*parameter.opts, *parameter.secondary_opts, parameter.metavar or ""):
                yield f"option {verb} {name}", name


def help_texts(commands: Iterable[tuple[str, object]]) -> Iterator[Found]:
    for verb, command in commands:
        yield f"help {verb}", command.help or ""
        for parameter in command.params:
            text = f"{getattr(parameter, 'help', None) or ''} {getattr(parameter, 'rich_help_panel', None) or ''}"
            yield f"help {verb} {parameter.opts[0]}", text


def summaries(table: Mapping[str, Verb]) -> Iterator[Found]:
    yield from ((f"help {name}", verb.summary) for name, verb in table.items())


def families() -> Iterator[tuple[str, object]]:
    yield "", command_tree()
    yield from ((name, verb) for name, verb in command_tree().commands.items() if hasattr(verb, "commands"))


def everything() -> Iterator[Found]:
    commands = [*verbs(), *families()]
    for found in (modules(SOURCE), public_names(), parameters(), study_file(), options(commands), help_texts(commands)):
        yield from found


def test_no_module_or_package_has_a_banned_word_in_its_name():
    assert banned(modules(SOURCE)) == []


def test_no_public_name_has_a_banned_word():
    assert banned(public_names()) == []


def test_no_parameter_of_a_workflow_or_an_error_has_a_banned_word():
    assert banned(parameters()) == []


def test_no_kind_or_key_of_a_study_file_has_a_banned_word():
    assert banned(study_file()) == []


def test_no_verb_or_option_has_a_banned_word():
    assert banned(options([*verbs(), *families()])) == []


def test_no_help_text_has_a_banned_word():
    assert banned(help_texts([*verbs(), *families()]), WORDS | VOICE) == []
    assert banned(summaries(VERBS), WORDS | VOICE) == []


def test_every_exception_is_needed_and_has_a_reason():
    found = [(place, set(parts(text))) for place, text in everything()]
    for known in EXCEPTIONS:
        assert known["reason"].endswith(".")
        excepted = [place for place, words in found for word in words if is_excepted(place, word, [known])]
        assert excepted, known["words"]


# Planted cases: each of the searches can fail.


class Planted:
    """A verb or a parameter as typer makes them."""

    def __init__(self, help_text="", params=(), opts=(), secondary=(), metavar=None):
        self.help, self.params, self.opts, self.secondary_opts = help_text, params, opts, secondary
        self.metavar, self.rich_help_panel = metavar, None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("snake_case_name", ["snake", "case", "name"]),
        ("LadderedHunt", ["laddered", "hunt"]),
        ("HTTPRooms", ["http", "rooms"]),
        ("--law-from-file", ["law", "from", "file"]),
        ("Lawful households", ["lawful", "households"]),
        ("ledger/release_books2", ["ledger", "release", "books"]),
    ],
)
def test_names_are_split_into_parts(text, found):
    assert parts(text) == found


def test_a_banned_module_is_found(tmp_path):
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "study_ways.py").write_text("")
    (tmp_path / "keys" / "always.py").write_text("")
    assert banned(modules(tmp_path)) == ["module keys/study_ways: ways"]


def test_a_banned_public_name_is_found(monkeypatch):
    monkeypatch.setattr(import_module("sfumato.keys"), "__all__", ["FirstRung"])
    assert "name sfumato.keys.FirstRung: rung" in banned(public_names())


def test_a_banned_parameter_is_found(monkeypatch):
    def publish(study, *, book=None): ...

    publish.__module__ = "sfumato.workflows.publishing"
    monkeypatch.setattr(import_module("sfumato"), "publish", publish, raising=False)
    assert "parameter sfumato.publish.book: book" in banned(parameters())


def test_a_banned_kind_is_found(monkeypatch):
    monkeypatch.setattr("sfumato.study.kinds.registry._KINDS", {"told-answer": ()})
    assert "kind told-answer: told" in banned(study_file())


def test_a_banned_option_is_found():
    verb = Planted(params=[Planted(opts=["--law-from"]), Planted(opts=["--keep"], secondary=["--no-rooms"])])
    assert banned(options([("publish", verb), ("race", Planted())])) == [
        "option publish --law-from: law", "option publish --no-rooms: rooms", "verb race: race",
    ]  # fmt: skip


def test_a_banned_word_of_a_help_text_is_found():
    verb = Planted("Publish what nobody was told.", [Planted("The records of Books.", opts=["--out"])])
    assert banned(help_texts([("publish", verb)]), WORDS | VOICE) == [
        "help publish: nobody", "help publish: told", "help publish --out: books", "help publish --out: records",
    ]  # fmt: skip


def test_a_banned_word_of_a_summary_is_found():
    assert banned(summaries({"open": Verb("open", "Hand out what nobody saw.")}), VOICE) == ["help open: nobody"]


def test_an_exception_holds_at_its_place_and_for_its_words_only():
    exceptions = [{"words": ["law"], "places": ["name sfumato.prob.*"]}]
    assert is_excepted("name sfumato.prob.joint_law", "law", exceptions)
    assert not is_excepted("name sfumato.study.joint_law", "law", exceptions)
    assert not is_excepted("name sfumato.prob.joint_book", "book", exceptions)
