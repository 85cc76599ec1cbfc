"""Rules over the syntax tree: which modules name a question kind, a level mechanism, a ledger or a key file."""

import ast
import sys
from pathlib import Path

import pytest

from sfumato.study.kinds.registry import kinds
from syntax_trees import nodes_of, tree_of

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from module_graph import Graph, read_graph  # noqa: E402  a tool, which is no package

SOURCE = ROOT / "src" / "sfumato"
MODULES = sorted(SOURCE.rglob("*.py"))
KINDS = SOURCE / "study" / "kinds"
# What is about all kinds: the table, and files of answers that several kinds read.
OF_ALL_KINDS = {"sfumato.study.kinds", "sfumato.study.kinds.registry", "sfumato.study.kinds.dictionaries"}
KIND_NAMES = {one.__name__ for several in kinds().values() for one in several} | {
    node.name
    for path in KINDS.glob("*.py")
    for node in tree_of(path).body
    if isinstance(node, ast.ClassDef) and node.name.endswith("Handler")
}
LEVELS = ("sfumato.ladders.shift_levels", "sfumato.ladders.nested_levels")
LEVEL_NAMES = {
    node.name
    for module in LEVELS
    for node in tree_of(SOURCE / "ladders" / f"{module.rpartition('.')[2]}.py").body
    if isinstance(node, ast.ClassDef) and node.name.endswith("Level")
} - {"NestedLevel"}  # the protocol of those whose masks lie inside one another
OF_KEY_FILES = {
    *("key_files", "read_key", "read_own_key", "read_key_for", "write_key", "record_use", "protect_key"),
    *("write_keys", "overwrite_draws", "KeyWriter", "filled_writer", "write_sealed", "publish_with_files"),
    *("write_private_key", "write_key_pair", "protect_private_key", "write_share_pair"),
}


def outside(*places):
    """The modules that are neither one of these files nor in one of these folders."""
    return {path: tree_of(path) for path in MODULES if not {path, *path.parents} & set(places)}


def importers(graph, modules, *, inside):
    """Imports of one of the modules from a module that is not below `inside`."""
    return [
        (name, other)
        for name, others in sorted(graph.imports.items())
        if name != "sfumato" and not f"{name}.".startswith(f"{inside}.")
        for other in sorted(others & set(modules))
    ]


def kind_modules(graph):
    """The modules that each belong to one kind or a few."""
    return {name for name in graph.files if name.startswith("sfumato.study.kinds.")} - OF_ALL_KINDS


def names_in(node):
    return {leaf.id for leaf in ast.walk(node) if isinstance(leaf, ast.Name)} | {
        leaf.attr for leaf in ast.walk(node) if isinstance(leaf, ast.Attribute)
    }


def switches_on(tree, names):
    """Tests of a class: isinstance, issubclass, `type(x) is C`, and match cases, that mention one of the names."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in {"isinstance", "issubclass"} and names_in(node.args[1]) & names:
                yield node.lineno
        elif (isinstance(node, ast.Compare) and names_in(node) & names and "type" in names_in(node)) or (
            isinstance(node, ast.MatchClass) and names_in(node.cls) & names
        ):
            yield node.lineno


def compares_kinds(tree):
    """`x.kind == "…"`, `x.KIND in {…}`, and the same turned round; the `kind` of a NumPy type is not meant."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(side, ast.Attribute) and side.attr in {"kind", "KIND"} for side in sides):
                yield node.lineno


def opened_ledgers(tree):
    """Calls of `Ledger(…)`, `Ledger.create(…)` and `Ledger.open(…)`."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Call):
            func = node.func
            if isinstance(func, ast.Attribute) and func.attr in {"create", "open"}:
                func = func.value
            if (isinstance(func, ast.Name) and func.id == "Ledger") or (
                isinstance(func, ast.Attribute) and func.attr == "Ledger"
            ):
                yield node


def calls_ledger(tree):
    return [node.lineno for node in opened_ledgers(tree)]


def keeps_a_ledger_open(tree):
    """Calls of `Ledger(…)` that are not `Ledger(…).read()`."""
    read = {
        node.func.value
        for node in nodes_of(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "read"
    }
    return [node.lineno for node in opened_ledgers(tree) if node not in read]


def writes_or_opens_keys(tree):
    """Imports of what writes a key file or takes the draws out of one; any module may read a header."""
    for node in nodes_of(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("sfumato.keys"):
            for alias in node.names:
                if alias.name in OF_KEY_FILES:
                    yield node.lineno, alias.name


def encodes_tables(tree):
    """Attributes of Arrow that turn tables into bytes."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Attribute):
            encodes = node.attr in {"ParquetWriter", "CSVWriter", "write_csv", "write_feather", "write_dataset"}
            if encodes or (node.attr == "write_table" and isinstance(node.value, ast.Name)):
                yield node.lineno, node.attr


def broken(check, modules):
    return [f"{path.relative_to(SOURCE)}:{found}" for path, tree in modules.items() for found in check(tree)]


@pytest.fixture(scope="module")
def graph():
    return read_graph()


def test_the_names_of_kinds_and_levels_are_found(graph):
    wanted = {"Card", "YesNo", "FreeText", "Recoverable", "Count", "OneOfMany", "SeveralHandler", "CardHandler"}
    assert wanted <= KIND_NAMES
    assert {"CyclicLevel", "FlipLevel", "OptionsLevel", "FlagsLevel", "SetsLevel"} <= LEVEL_NAMES
    assert {"sfumato.study.kinds.card", "sfumato.study.kinds.several"} <= kind_modules(graph)


def test_no_module_outside_the_kinds_imports_one(graph):
    assert not importers(graph, kind_modules(graph), inside="sfumato.study.kinds")


def test_no_module_outside_the_kinds_asks_for_the_class_of_a_question():
    assert not broken(lambda tree: switches_on(tree, KIND_NAMES), outside(KINDS))


def test_no_module_compares_the_kind_of_a_question():
    # Certificates, ledgers and devices have kinds of their own; these packages handle questions.
    packages = ("study", "engines", "publications", "output", "workflows", "server", "cli")
    modules = {path: tree for path, tree in outside(KINDS).items() if path.relative_to(SOURCE).parts[0] in packages}
    assert not broken(compares_kinds, modules)


def test_no_module_outside_ladders_imports_a_level_mechanism(graph):
    assert not importers(graph, LEVELS, inside="sfumato.ladders")


def test_no_module_asks_which_level_mechanism_it_has():
    assert not broken(lambda tree: switches_on(tree, LEVEL_NAMES), {path: tree_of(path) for path in MODULES})


def test_only_workflows_and_the_ledger_open_a_ledger():
    registry = SOURCE / "publications" / "registry.py"
    assert not broken(calls_ledger, outside(SOURCE / "ledger", SOURCE / "workflows", registry))
    assert not keeps_a_ledger_open(tree_of(registry))  # it reads what was published, and pays for nothing


def test_only_workflows_and_key_folders_write_or_open_key_files():
    folders = (SOURCE / "publications" / "key_folder.py", SOURCE / "publications" / "place.py")
    assert not broken(writes_or_opens_keys, outside(SOURCE / "keys", SOURCE / "workflows", *folders))


def test_two_modules_write_tables():
    # A file of a channel has rows about answers and none about people.
    tables, channels = SOURCE / "files" / "public_tables.py", SOURCE / "prob" / "channel_files.py"
    assert not broken(encodes_tables, outside(tables, channels))
    assert broken(encodes_tables, {path: tree_of(path) for path in (tables, channels)})


def test_an_import_of_a_kind_is_found():
    card = "sfumato.study.kinds.card"
    imports = {"sfumato.output.pages": frozenset({card}), "sfumato.study.kinds.several": frozenset({card})}
    found = importers(Graph({}, imports), {card}, inside="sfumato.study.kinds")
    assert found == [("sfumato.output.pages", card)]


@pytest.mark.parametrize(
    ("check", "snippet"),
    [
        (lambda tree: switches_on(tree, KIND_NAMES), "if isinstance(q, kinds.Card): pass"),
        (lambda tree: switches_on(tree, KIND_NAMES), "if isinstance(q, YesNo | Count): pass"),
        (lambda tree: switches_on(tree, KIND_NAMES), "match q:\n    case Card(): pass"),
        (lambda tree: switches_on(tree, KIND_NAMES), "x = type(q) is Card"),
        (lambda tree: switches_on(tree, LEVEL_NAMES), "if isinstance(level, CyclicLevel): pass"),
        (compares_kinds, 'ok = question.kind == "yes-no"'),
        (compares_kinds, 'ok = planned.question.KIND in {"count"}'),
        (writes_or_opens_keys, "from sfumato.keys.key_files import read_key_header, read_key"),
        (writes_or_opens_keys, "from sfumato.keys import key_files"),
        (encodes_tables, "pq.write_table(table, path)"),
        (encodes_tables, "writer = csv.CSVWriter(sink, schema)"),
        (calls_ledger, "ledger = Ledger(path)"),
        (calls_ledger, "made = ledger.Ledger.create(path, epsilon=1)"),
        (keeps_a_ledger_open, "Ledger(path).pay(release)"),
    ],
)
def test_each_rule_finds_what_it_forbids(check, snippet):
    assert list(check(ast.parse(snippet)))
