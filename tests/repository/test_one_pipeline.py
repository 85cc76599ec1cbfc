"""Rules of the upper house over the syntax tree: who may name a way, a rung or a ledger. One test a rule."""

import ast
from pathlib import Path

import pytest

from sfumato.study.kinds.registry import kinds
from syntax_trees import nodes_of, tree_of

SOURCE = Path(__file__).parents[2] / "src" / "sfumato"
MODULES = sorted(SOURCE.rglob("*.py"))
WAYS = SOURCE / "study" / "ways"
# What the protocol itself is made of; everything else in the folder belongs to one way or another.
PROTOCOL = {
    *("base", "drawing", "channel_way", "question", "plans", "estimates", "keys", "answers", "no_answer"),
    *("risks", "risk_words", "share_ranges", "group_needs", "kind_table", "leaks"),
}
WAY_MODULES = {path.stem for path in WAYS.glob("*.py")} - PROTOCOL - {"__init__"}
WAY_NAMES = {one.__name__ for several in kinds().values() for one in several} | {
    node.name
    for path in MODULES
    if path.parent == WAYS
    for node in tree_of(path).body
    if isinstance(node, ast.ClassDef)
    and node.name.endswith("Handler")
    and node.name not in {"Handler", "ChannelHandler"}
}
# The room's front door hands the nouns to users, and does nothing else.
DOORS = {SOURCE / "study" / "__init__.py"}
# What `sf` offers are names as well, handed out when they are asked for.
FACADE = SOURCE / "__init__.py"
RUNG_NAMES = {"CyclicLevel", "FlipLevel"}
OF_KEY_FILES = {
    *("key_files", "read_key", "read_own_key", "read_key_for", "write_key", "record_use", "protect_key"),
    *("write_keys", "overwrite_draws", "key_writers", "KeyWriter"),
    *("private_key_files", "write_private_key", "write_key_pair", "protect_private_key"),
}


def outside(folder):
    return {path: tree_of(path) for path in MODULES if folder not in path.parents}


def names_in(node):
    return {leaf.id for leaf in ast.walk(node) if isinstance(leaf, ast.Name)} | {
        leaf.attr for leaf in ast.walk(node) if isinstance(leaf, ast.Attribute)
    }


def imports_of(tree, module_part, names):
    """Imports of a module below `module_part` that belongs to one way, or of one of the names from anywhere."""
    for node in nodes_of(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if alias.name in names:
                    yield node.lineno, alias.name
        found = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        found += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for module in found:
            head, _, tail = module.partition(module_part)
            if head == "sfumato." and tail:
                yield node.lineno, tail.split(".")[0]


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
    """`x.kind == "…"`, `x.KIND in {…}`, and the same turned round, where x.kind is a question's."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(side, ast.Attribute) and side.attr in {"kind", "KIND"} for side in sides):
                yield node.lineno


def calls_ledger(tree):
    for node in nodes_of(tree):
        if isinstance(node, ast.Call):
            func = node.func
            if isinstance(func, ast.Attribute) and func.attr in {"create", "open"}:
                func = func.value
            if (isinstance(func, ast.Name) and func.id == "Ledger") or (
                isinstance(func, ast.Attribute) and func.attr == "Ledger"
            ):
                yield node.lineno


def writes_or_opens_keys(tree):
    """Imports of what writes a key file or takes the draws out of one; headers are for everybody."""
    for node in nodes_of(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("sfumato.prob"):
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


def test_the_names_of_ways_are_found():
    assert {
        "Card",
        "YesNo",
        "FreeText",
        "Recoverable",
        "Count",
        "OneOfMany",
        "LadderHandler",
        "CardHandler",
    } <= WAY_NAMES
    assert {"card", "hunt", "told", "ladder"} <= WAY_MODULES


def test_nobody_else_imports_a_way():
    modules = {path: tree for path, tree in outside(WAYS).items() if path not in {*DOORS, FACADE}}
    found = broken(
        lambda tree: [hit for hit in imports_of(tree, "study.handlers.", WAY_NAMES) if hit[1] not in PROTOCOL], modules
    )
    assert not found


def test_the_front_door_of_the_study_only_hands_out_names():
    for path in DOORS:
        kinds_of_node = {type(node) for node in tree_of(path).body}
        assert kinds_of_node <= {ast.Expr, ast.ImportFrom, ast.Assign}


def test_nobody_else_asks_what_kind_a_question_is():
    assert not broken(lambda tree: switches_on(tree, WAY_NAMES), outside(WAYS))


def test_nobody_compares_the_kind_of_a_question():
    # Releases of a ledger and certificates have kinds of their own; questions live in study, render and cli.
    rooms = {
        path: tree
        for path, tree in outside(WAYS).items()
        if path.relative_to(SOURCE).parts[0] in {"study", "render", "cli", "engines", "web"}
    }
    assert not broken(compares_kinds, rooms)


def test_nobody_outside_refine_names_a_rung():
    modules = outside(SOURCE / "refine")
    assert not broken(lambda tree: switches_on(tree, RUNG_NAMES), modules)
    found = broken(
        lambda tree: [hit for hit in imports_of(tree, "refine.rungs.", RUNG_NAMES) if hit[1] != "base"], modules
    )
    assert not found


def test_inside_refine_only_the_table_asks_what_a_rung_is():
    inside = {path: tree_of(path) for path in MODULES if path.parent == SOURCE / "refine"}
    assert not broken(lambda tree: switches_on(tree, RUNG_NAMES | {"CyclicResponse", "BinaryHadamard"}), inside)


def test_only_the_account_and_the_steps_open_a_ledger():
    allowed = {SOURCE / "account", SOURCE / "study" / "steps"}
    modules = {path: tree_of(path) for path in MODULES if not allowed & set(path.parents)}
    assert not broken(calls_ledger, modules)


def test_only_the_steps_and_their_folders_write_or_open_key_files():
    allowed = {SOURCE / "study" / "key_folders.py", SOURCE / "__init__.py"}
    folders = {SOURCE / "io", SOURCE / "study" / "steps"}
    modules = {path: tree_of(path) for path in MODULES if path not in allowed and not folders & set(path.parents)}
    assert not broken(writes_or_opens_keys, modules)


def test_one_module_writes_tables():
    # A channel is a matrix and holds no rows about people.
    allowed = {SOURCE / "files" / "table_writers.py", SOURCE / "io" / "channel_writers.py"}
    assert not broken(encodes_tables, {path: tree_of(path) for path in MODULES if path not in allowed})


@pytest.mark.parametrize(
    ("check", "snippet"),
    [
        (lambda tree: switches_on(tree, WAY_NAMES), "if isinstance(q, ways.Card): pass"),
        (lambda tree: switches_on(tree, WAY_NAMES), "if isinstance(q, YesNo | Count): pass"),
        (lambda tree: switches_on(tree, WAY_NAMES), "match q:\n    case Card(): pass"),
        (lambda tree: switches_on(tree, WAY_NAMES), "x = type(q) is Card"),
        (lambda tree: imports_of(tree, "study.handlers.", WAY_NAMES), "from sfumato.study.kinds.card import spinner"),
        (lambda tree: imports_of(tree, "study.handlers.", WAY_NAMES), "from sfumato.study import Card"),
        (lambda tree: imports_of(tree, "study.handlers.", WAY_NAMES), "import sfumato.study.kinds.text"),
        (compares_kinds, 'ok = question.kind == "yes-no"'),
        (compares_kinds, 'ok = planned.question.KIND in {"count"}'),
        (writes_or_opens_keys, "from sfumato.keys.key_files import read_key_header, read_key"),
        (writes_or_opens_keys, "from sfumato.keys import key_files"),
        (encodes_tables, "pq.write_table(table, path)"),
        (encodes_tables, "writer = csv.CSVWriter(sink, schema)"),
        (calls_ledger, "book = Ledger(path)"),
        (calls_ledger, "book = account.Ledger.create(path, epsilon=1)"),
    ],
)
def test_the_rules_can_be_broken(check, snippet):
    assert list(check(ast.parse(snippet)))
