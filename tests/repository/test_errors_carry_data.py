"""Errors carry data: a rule, the parameter, its value and the way out; nobody reads them out of a sentence again."""

import ast
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import sfumato.errors
from sfumato.errors import SfumatoError
from syntax_trees import nodes_of, tree_of

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "sfumato"
MODULES = sorted(SOURCE.rglob("*.py"))
ROOMS = {path.relative_to(SOURCE).parts[0] for path in MODULES} - {"__init__.py", "errors.py"}
ERRORS = {
    name for name, kind in vars(sfumato.errors).items() if isinstance(kind, type) and issubclass(kind, SfumatoError)
}
# What these say is that something is not so; often nothing can be done about it.
WITHOUT_WAY_OUT = {"ClaimRefused", "DigestMismatch", "NotCertified"}
# The one place that may speak of options.
COMMAND = "cli"
# Modules that read the text of exceptions of others, which have nothing but it: tomllib's, msgspec's, the loader's.
FOREIGN = {"server/requests.py", "cli/app.py", "files/documents.py"}
# Modules that still read our own sentences; the list only ever gets shorter.
READERS: set[str] = set()

_OPTION = re.compile(r"(?<![\w-])--[a-z]")
_WRITTEN_PARAMETER = re.compile(r"^[\w{}\[\].]+=")
_READING = {
    "count", "endswith", "find", "index", "partition", "removeprefix", "removesuffix", "rfind", "rindex", "rpartition",
    "rsplit", "split", "startswith",
}  # fmt: skip
_TEXT_FIELDS = {"args", "msg", "rule", "way_out"}
_NAMES_OF_TEXTS = {"error_message", "error_text", "message", "text_of_error"}

Finding = tuple[int, str]


@cache
def constructions(tree: ast.AST) -> list[tuple[str, ast.Call]]:
    """Every error that is made, raised at once or handed to somebody who raises it."""
    found = []
    for node in nodes_of(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ERRORS:
                found.append((name, node))
    return found


def written(node: ast.AST) -> str | None:
    """The text of a literal with {} for what is filled in; None where there is no literal."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def more_or_less_than_a_rule(tree: ast.AST) -> list[Finding]:
    return [
        (call.lineno, f"{name} takes one positional argument, its rule")
        for name, call in constructions(tree)
        if len(call.args) != 1 or isinstance(call.args[0], ast.Starred)
    ]


def no_way_out(tree: ast.AST) -> list[Finding]:
    found = []
    for name, call in constructions(tree):
        given = {keyword.arg: written(keyword.value) for keyword in call.keywords}
        # What is handed on as **fields is not seen here.
        if name not in WITHOUT_WAY_OUT and None not in given and given.get("way_out", "") == "":
            found.append((call.lineno, f"{name} needs a way_out"))
    return found


def options_of_the_command(tree: ast.AST) -> list[Finding]:
    return [
        (call.lineno, f"{name} speaks of an option; name the parameter in backticks")
        for name, call in constructions(tree)
        for part in ast.walk(call)
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and _OPTION.search(part.value)
    ]


def parameters_in_the_rule(tree: ast.AST) -> list[Finding]:
    return [
        (call.lineno, f"{name} writes its parameter into the rule; use parameter= and value=")
        for name, call in constructions(tree)
        if call.args and _WRITTEN_PARAMETER.match(written(call.args[0]) or "")
    ]


def wrong_stops(tree: ast.AST) -> list[Finding]:
    found = []
    for name, call in constructions(tree):
        rule = written(call.args[0]) if call.args else None
        if rule is not None and rule.endswith("."):
            found.append((call.lineno, f"{name} ends its rule with a full stop, which the sentence adds"))
        way_out = next((written(keyword.value) for keyword in call.keywords if keyword.arg == "way_out"), None)
        if way_out and not way_out.endswith((".", "?", "!", "…", "{}")):
            found.append((call.lineno, f"{name} has a way_out that is no whole sentence"))
    return found


def readings_of_texts(tree: ast.AST) -> list[Finding]:
    """Comparisons and searches in the text of an error: what `except … as` binds, and what is typed as one."""
    errors = {node.name for node in nodes_of(tree) if isinstance(node, ast.ExceptHandler) and node.name}
    for node in nodes_of(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            kinds = re.findall(r"\w+", ast.unparse(node.annotation))
            if any(kind in ERRORS or kind.endswith(("Error", "Exception")) for kind in kinds):
                errors.add(node.arg)
    texts = set(_NAMES_OF_TEXTS)
    if not errors and not any(isinstance(node, ast.Name) and node.id in texts for node in nodes_of(tree)):
        return []
    for node in nodes_of(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if any(_is_text(part, errors, texts) for part in ast.walk(value)):
                    texts.add(name)
    return [
        (node.lineno, "the text of an error is read; ask for its class and its fields")
        for node in nodes_of(tree)
        if any(_is_text(part, errors, texts) for read in _read(node) for part in ast.walk(read))
    ]


def _is_text(node: ast.AST, errors: set[str], texts: set[str]) -> bool:
    match node:
        case ast.Name(id=name):
            return name in texts
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[ast.Name(id=name)]):
            return name in errors
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="sentence")):
            return name in errors
        case ast.FormattedValue(value=ast.Name(id=name)):
            return name in errors
        case ast.Attribute(value=ast.Name(id=name), attr=field):
            return name in errors and field in _TEXT_FIELDS
    return False


def _read(node: ast.AST) -> list[ast.expr]:
    """What a node compares or searches."""
    match node:
        case ast.Compare(left=left, comparators=comparators):
            return [left, *comparators]
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=args):
            return args[1:]
        case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in _READING:
            return [value]
        case ast.Match(subject=subject):
            return [subject]
    return []


CHECKS = [more_or_less_than_a_rule, no_way_out, options_of_the_command, parameters_in_the_rule, wrong_stops]


def findings(check: Callable[[ast.AST], list[Finding]], paths: list[Path]) -> list[str]:
    return [f"{path.relative_to(ROOT)}:{line} {why}" for path in paths for line, why in check(tree_of(path))]


def modules_of_rooms() -> list[Path]:
    return [path for path in MODULES if path.relative_to(SOURCE).parts[0] in ROOMS]


def test_every_error_has_one_rule():
    assert findings(more_or_less_than_a_rule, modules_of_rooms()) == []


def test_every_error_has_a_way_out():
    assert findings(no_way_out, modules_of_rooms()) == []


def test_only_the_command_speaks_of_options():
    paths = [path for path in modules_of_rooms() if path.relative_to(SOURCE).parts[0] != COMMAND]
    assert findings(options_of_the_command, paths) == []


def test_parameters_are_not_written_into_the_rule():
    assert findings(parameters_in_the_rule, modules_of_rooms()) == []


def test_rules_leave_the_full_stop_to_the_sentence_and_ways_out_do_not():
    assert findings(wrong_stops, modules_of_rooms()) == []


def test_nobody_reads_the_text_of_an_error():
    paths = [path for path in MODULES if path.relative_to(SOURCE).as_posix() not in FOREIGN | READERS]
    assert findings(readings_of_texts, paths) == []


def test_the_exceptions_are_needed():
    """A module that no longer reads texts must leave the list, so that it does not start again."""
    excepted = [path for path in MODULES if path.relative_to(SOURCE).as_posix() in FOREIGN | READERS]
    assert len(excepted) == len(FOREIGN) + len(READERS)
    assert all(findings(readings_of_texts, [path]) for path in excepted)


GOOD = """
raise InvalidParameter(
    f"must lie in [{a}, {b}]", parameter="weight", value=w, way_out="Raise `delta` or move `weight`."
)
raise NotCertified("the witness of a capacity must sum to 1")
raise errors.InvalidLaw(error.rule, parameter=error.parameter, value=error.value, way_out=error.way_out) from None
raise UnreadableFile(f"{what} has `width`={width} columns", **fields)
"""

BAD = [
    (more_or_less_than_a_rule, 'raise InvalidParameter("weight", "must be odd", way_out="Add 1.")'),
    (more_or_less_than_a_rule, 'raise InvalidParameter(*words, way_out="Add 1.")'),
    (more_or_less_than_a_rule, 'raise InvalidParameter(rule="must be odd", way_out="Add 1.")'),
    (more_or_less_than_a_rule, 'found = errors.KeyRefused(way_out="Ask for another.")'),
    (no_way_out, 'raise InvalidLaw("is empty", parameter="rows")'),
    (no_way_out, 'raise KeyRefused("is another\'s", way_out="")'),
    (no_way_out, 'def wrong():\n    return InvalidParameter(f"must be {least}", parameter="n")'),
    (options_of_the_command, 'raise KeyRefused("is missing", way_out="Give --keys FOLDER.")'),
    (options_of_the_command, 'raise BudgetSpent(f"--budget is {left}", way_out="Lower it.")'),
    (parameters_in_the_rule, 'raise InvalidParameter(f"weight={w} must lie in [0, 1]", way_out="Move it.")'),
    (parameters_in_the_rule, 'raise InvalidParameter(f"{name}={value!r} must be odd", way_out="Add 1.")'),
    (parameters_in_the_rule, 'raise InvalidLaw(f"rows[{x}]={v} is negative", way_out="Correct it.")'),
    (wrong_stops, 'raise InvalidParameter("must be odd.", way_out="Add 1.")'),
    (wrong_stops, 'raise InvalidParameter("must be odd", way_out="add 1")'),
]

READ = [
    'try:\n    f()\nexcept Refused as error:\n    if str(error).startswith("ledger"):\n        raise',
    'try:\n    f()\nexcept ValueError as problem:\n    told = "rows" in str(problem)',
    'try:\n    f()\nexcept Refused as error:\n    told = error.rule == "is empty"',
    'try:\n    f()\nexcept Refused as error:\n    told = "empty" in error.args[0]',
    'try:\n    f()\nexcept Refused as error:\n    words = f"{error}".split(" ")',
    'try:\n    f()\nexcept Refused as error:\n    found = re.search("line [0-9]+", str(error))',
    'try:\n    f()\nexcept Refused as error:\n    said = str(error)\n    told = said.endswith("twice.")',
    'def place(message: str) -> bool:\n    return message.startswith("public epsilon")',
    'def place(error: InvalidLaw | None) -> bool:\n    return error.sentence().endswith("twice.")',
]

UNREAD = [
    "try:\n    f()\nexcept OSError as error:\n    if error.errno == 2:\n        raise",
    'try:\n    f()\nexcept Refused as error:\n    if error.parameter == "rows":\n        say(str(error))',
    'try:\n    f()\nexcept Refused as error:\n    told = isinstance(error, KeyRefused) and name.startswith("a")',
]


def test_the_rules_let_good_errors_pass():
    assert len(list(constructions(ast.parse(GOOD)))) == 4
    assert [check(ast.parse(GOOD)) for check in CHECKS] == [[]] * len(CHECKS)


@pytest.mark.parametrize(("check", "snippet"), BAD)
def test_the_rules_find_bad_errors(check, snippet):
    assert len(check(ast.parse(snippet))) == 1


@pytest.mark.parametrize("snippet", READ)
def test_reading_a_text_is_found(snippet):
    assert readings_of_texts(ast.parse(snippet))


@pytest.mark.parametrize("snippet", UNREAD)
def test_reading_fields_and_other_texts_is_allowed(snippet):
    assert readings_of_texts(ast.parse(snippet)) == []


def test_there_are_errors_to_look_at():
    """The rooms make well over a hundred; a rule that looked at none would always hold."""
    assert sum(len(list(constructions(tree_of(path)))) for path in modules_of_rooms()) > 100
