"""The house rules that a machine can check: who imports whom, where randomness comes from, what is pulled in."""

import ast
import os
import re
import sys
import tomllib
from importlib import import_module
from importlib.metadata import requires
from pathlib import Path

import pytest

from syntax_trees import nodes_of, tree_of

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "sfumato"
MODULES = sorted(SOURCE.rglob("*.py"))

# Folders that nobody wrote.
MADE = (".venv", ".git", ".mypy", ".ruff", ".hypothesis")
ROOF = {"__init__", "__main__"}

# A folder imports from those above it. Folders on one line do not import each other.
ORDER = [
    ["on_demand"],
    ["printing"],
    ["errors"],
    ["values"],
    ["files"],
    ["prob"],
    ["measures"],
    ["bits"],
    ["certificates"],
    ["mechanisms"],
    ["infer"],
    ["design"],
    ["refine", "disclose"],
    ["account"],
    ["io"],
    ["engines"],
    ["study"],
    ["render"],
    ["web"],
    ["cli"],
]
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms}
# Methods that open a later room for convenience, lazily and inside a function: the noun stays where it belongs.
DOORS = {
    ("prob/channel.py", "io"),
    ("certificates/certificate.py", "render"),
    ("values/shown.py", "render"),
}
CORE = {
    "constriction", "cryptography", "highspy", "matplotlib", "msgspec", "numba", "numpy", "pyarrow", "rich", "scipy",
    "typer",
}  # fmt: skip


def room_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).parts
    return parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    rooms = set()
    for node in nodes_of(tree_of(path)):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "sfumato":
            names = [node.module] if "." in node.module else [f"sfumato.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.startswith("sfumato.")]
        rooms |= {name.split(".")[1] for name in names}
    return rooms


def wrong_imports(path):
    """Rooms that a module imports although they lie above it, or beside it."""
    here = room_of(path)
    if here in ROOF:
        return imported_rooms(path) - set(LEVEL)
    name = path.relative_to(SOURCE).as_posix()
    rooms = imported_rooms(path) - {here, "__version__"}
    return {room for room in rooms if not (LEVEL[room] < LEVEL[here] or (name, room) in DOORS)}


def test_every_module_is_in_a_room_of_the_house():
    assert {room_of(path) for path in MODULES} - ROOF <= set(LEVEL)


def test_imports_go_up_the_list_only():
    wrong = {path.relative_to(SOURCE).as_posix(): rooms for path in MODULES if (rooms := wrong_imports(path))}
    assert not wrong


def test_every_door_is_still_used():
    for file, room in DOORS:
        assert room in imported_rooms(SOURCE / file)


def test_certificates_import_only_what_they_judge_by():
    for path in (SOURCE / "certificates").glob("*.py"):
        allowed = {"on_demand", "errors", "printing", "values", "files", "prob", "measures", "bits", "certificates"}
        rooms = imported_rooms(path)
        extra = {"render"} if path.name == "certificate.py" else set()
        assert rooms <= allowed | extra, path.name


def test_the_import_test_can_fail(tmp_path):
    """A measure that draws random bits would be caught."""
    bad = tmp_path / "bad.py"
    bad.write_text("def f():\n    from sfumato.sampling import BulkBits\n    import sfumato.cli.app\n")
    assert imported_rooms(bad) == {"bits", "cli"}
    assert LEVEL["bits"] > LEVEL["measures"]


BANNED = re.compile(r"np\.random|numpy\.random|^\s*(import|from) random\b|random\.random\(", re.MULTILINE)


def test_no_other_source_of_randomness():
    assert not [path for path in MODULES if BANNED.search(path.read_text())]


def test_the_ban_sees_what_it_bans():
    for line in ("import random", "from random import choice", "x = np.random.rand()", "numpy.random.default_rng()"):
        assert BANNED.search(line)


def test_privatising_code_compares_integers_only():
    """No float literal is compared with anything inside a function that draws."""
    drawing = {"privatize", "sample", "draw", "words", "bytes"}
    seen = 0
    for path in [*(SOURCE / "bits").glob("*.py"), *(SOURCE / "mechanisms").glob("*.py")]:
        for node in nodes_of(tree_of(path)):
            if isinstance(node, ast.FunctionDef) and node.name in drawing:
                seen += 1
                floats = [
                    leaf for leaf in ast.walk(node) if isinstance(leaf, ast.Constant) and isinstance(leaf.value, float)
                ]
                assert not floats, f"{path.name}:{node.lineno} {node.name} uses a float"
                names = {leaf.attr for leaf in ast.walk(node) if isinstance(leaf, ast.Attribute)}
                assert not names & {"float64", "float32", "array_float"}, f"{path.name}: {node.name}"
    assert seen >= 10


def lines_of(text):
    """How many lines a module has, without the examples in its docstrings and what is printed under them."""
    count, in_example = 0, False
    for line in text.splitlines():
        stripped = line.strip()
        in_example = stripped.startswith(">>>") or (in_example and stripped not in {"", '"""'})
        count += not in_example
    return count


def test_a_module_does_one_thing():
    lengths = {path.relative_to(SOURCE).as_posix(): lines_of(path.read_text()) for path in MODULES}
    assert lines_of('x = 1\n"""\n>>> 1\n1\n\nWords.\n"""\ny = 2\n') == 6
    assert not {name: lines for name, lines in lengths.items() if lines > 300}


def test_the_checker_is_one_file_that_stands_alone():
    """It is longer than any module may be because one file is its contract: who checks us carries nothing of ours."""
    beside = {path.name for path in SOURCE.parent.iterdir() if path.suffix == ".py"}
    assert beside == {"sfumato_check.py"}
    tree = ast.parse((SOURCE.parent / "sfumato_check.py").read_text())
    names = {alias.name for node in nodes_of(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "." for node in nodes_of(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert "src/sfumato_check.py" in wheel["only-include"]


def test_no_public_function_shares_its_modules_name():
    for path in MODULES:
        names = {node.name for node in tree_of(path).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        assert path.stem not in names, path


def test_install_pulls_the_core_list_and_no_more():
    declared = {re.split(r"[<>=!~ ;\[]", text)[0] for text in requires("sfumato") if "extra ==" not in text}
    assert declared == CORE
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {re.split(r"[<>=]", text)[0] for text in project["dependencies"]} == CORE


def test_the_facade_is_short_sorted_and_complete():
    facade = import_module("sfumato")
    assert sorted(facade.__all__) == list(facade.__all__)
    for name in facade.__all__:
        assert getattr(facade, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'magic'"):
        _ = facade.magic


def test_versions_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == import_module("sfumato").__version__
    assert f"## {project['version']}" in (ROOT / "CHANGELOG.md").read_text()


def test_nothing_points_outside_the_project():
    """Paths of a developer's machine and hosts of registries have no place in a commit."""
    outside = re.compile(r"\.\./sha" + r"red|/wo" + r"rk/|py" + r"pi\.org|files\.python" + "hosted")
    for folder, inside, files in os.walk(ROOT):
        made = {name for name in inside if name.startswith(MADE) and not name.startswith(".github")}
        inside[:] = set(inside) - made - {"node_modules", "__pycache__"}
        for path in (Path(folder) / name for name in files):
            if path.suffix in {".py", ".md", ".toml", ".json", ".bib", ""}:
                assert not outside.search(path.read_text(errors="ignore")), path


# Rooms, each with a module of it.
PARTS = {(path.parent.name, path.stem) for path in SOURCE.glob("*/*.py")}


def modules_named_in(tree):
    """`sf.noise.certificates`, or `noise.certificates` of `from sfumato import noise`: a package and its module."""
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir()}
    known = {alias.asname or alias.name: alias.name
             for node in nodes_of(tree) if isinstance(node, ast.ImportFrom) and node.module == "sfumato"
             for alias in node.names if alias.name in rooms}  # fmt: skip
    for node in nodes_of(tree):
        match node:
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="sf" | "sfumato"), attr=room), attr=name):
                pass
            case ast.Attribute(value=ast.Name(id=bound), attr=name) if bound in known:
                room = known[bound]
            case _:
                continue
        if room in rooms and ((SOURCE / room / f"{name}.py").exists() or (SOURCE / room / name).is_dir()):
            yield f"sfumato.{room}.{name}"


def unloaded_modules(tree):
    """What is named and neither imported nor handed out by its room: it is there only if somebody else loaded it."""
    imported = set()
    for node in nodes_of(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
    for name in modules_named_in(tree):
        room = import_module(name.rpartition(".")[0])
        if name.rpartition(".")[2] not in getattr(room, "__all__", ()) and name not in imported:
            yield name


def may_name_a_module(text):
    """Whether it is worth parsing, which takes longer: outside of imports, a room's name is before its module's."""
    used = "\n".join(line for line in text.splitlines() if not line.startswith(("import ", "from ")))
    return not PARTS.isdisjoint(re.findall(r"\b(\w+)\.(?=(\w+))", used))


def test_files_that_run_alone_import_the_modules_that_they_name():
    folders = ("tests", "bench", "docs/examples", "demo")
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    found = {
        str(path.relative_to(ROOT)): sorted(set(unloaded_modules(tree_of(path))))
        for path in paths
        if may_name_a_module(path.read_text(encoding="utf-8"))
    }
    assert found
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import sfumato as sf\nsf.design.noise_bounds.f()", ["sfumato.noise.certificates"]),
        ("from sfumato import noise as design\ndesign.noise_bounds.f()", ["sfumato.noise.certificates"]),
        ("import sfumato as sf\nimport sfumato.noise.certificates\nsf.design.noise_bounds.f()", []),
        ("from sfumato import noise as design\nfrom sfumato.noise.certificates import f\ndesign.survey()", []),
    ],
)
def test_a_module_that_nobody_imported_is_found(text, found):
    assert list(unloaded_modules(ast.parse(text))) == found
    assert may_name_a_module(text) or not found
