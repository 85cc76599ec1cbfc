"""Rules of the architecture that a machine can check: imports, randomness, dependencies and public names."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import requires
from pathlib import Path

import pytest

from syntax_trees import nodes_of, tree_of

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from module_graph import PACKAGES, TOP, read_graph  # noqa: E402  a tool, which is no package

SOURCE = ROOT / "src" / "sfumato"
MODULES = sorted(SOURCE.rglob("*.py"))

# Folders that programs made.
MADE = (".venv", ".git", ".mypy", ".ruff", ".hypothesis")
# What certificates judge by.
JUDGED_BY = set(PACKAGES[: PACKAGES.index("certificates") + 1])
MOST_PUBLIC_NAMES = 550
MOST_NAMES_ON_SF = 60
CORE = {
    "constriction", "cryptography", "highspy", "matplotlib", "msgspec", "numba", "numpy", "pyarrow", "rich", "scipy",
    "typer",
}  # fmt: skip


@pytest.fixture(scope="module")
def graph():
    """Which module imports which, imports inside functions included."""
    return read_graph()


def planted(folder, **modules):
    """The graph of a small package: `measures__bad` is the module `sfumato.measures.bad`."""
    for name, text in modules.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(text)
    return read_graph(folder)


def packages_imported_by(graph, package):
    """The packages from which the modules of a package import."""
    inside = [module for module in graph.files if module.split(".")[1:2] == [package]]
    return {other.split(".")[1] for module in inside for other in graph.imports[module] - TOP}


def without_package(graph):
    """Modules that are in no package of the list."""
    return {module for module in graph.files if module not in TOP and module.split(".")[1] not in PACKAGES}


def test_every_module_is_in_a_package_of_the_list(graph):
    assert not without_package(graph)
    assert {module.split(".")[1] for module in graph.files if module not in TOP} == set(PACKAGES)


def test_imports_go_down_only(graph):
    assert graph.upward() == []


def test_no_modules_import_each_other_in_a_circle(graph):
    assert graph.cycles() == []


def test_certificates_import_only_what_they_judge_by(graph):
    assert packages_imported_by(graph, "certificates") <= JUDGED_BY


def test_an_import_that_goes_up_is_found(tmp_path):
    found = planted(
        tmp_path,
        measures__bad="def f():\n    from sfumato.sampling.sources import BulkBits\n    import sfumato.cli.app\n",
        sampling__sources="import sfumato.measures.bad\n",
        cli__app="",
    )
    assert found.upward() == [
        ("sfumato.measures.bad", "sfumato.cli.app"),
        ("sfumato.measures.bad", "sfumato.sampling.sources"),
    ]
    assert found.cycles() == [["sfumato.measures.bad", "sfumato.sampling.sources"]]


def test_a_circle_inside_a_package_is_found(tmp_path):
    found = planted(
        tmp_path,
        noise__one="from sfumato.noise.two import f\n",
        noise__two="def f():\n    from sfumato.noise import one\n",
    )
    assert found.cycles() == [["sfumato.noise.one", "sfumato.noise.two"]]
    assert found.upward() == []


def test_a_certificate_that_imports_a_page_is_found(tmp_path):
    found = planted(tmp_path, certificates__bad="from sfumato.output import pages\n", output__pages="")
    assert packages_imported_by(found, "certificates") - JUDGED_BY == {"output"}


def test_a_module_outside_the_packages_is_found(tmp_path):
    assert without_package(planted(tmp_path, strange__one="")) == {"sfumato.strange", "sfumato.strange.one"}


def test_types_may_be_imported_from_anywhere(tmp_path):
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from sfumato.cli.app import App\n"
    assert planted(tmp_path, measures__good=text, cli__app="").upward() == []


def packages_in(page):
    """The packages that the table of a page names, in its order."""
    table = page.partition("<!-- made by tools/architecture -->")[2].partition("<!-- end -->")[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def test_the_page_names_every_package_in_order():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert packages_in(page) == list(PACKAGES)
    assert packages_in(page.replace("| `prob` |", "")) != list(PACKAGES)


def test_the_tool_finds_no_cycle_and_no_import_that_goes_up():
    command = [sys.executable, ROOT / "tools" / "architecture", "--no-traces"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "public names: " in done.stdout


BANNED = re.compile(r"np\.random|numpy\.random|^\s*(import|from) random\b|random\.random\(", re.MULTILINE)


def test_no_other_source_of_randomness():
    assert not [path for path in MODULES if BANNED.search(path.read_text())]


def test_the_ban_sees_what_it_bans():
    for line in ("import random", "from random import choice", "x = np.random.rand()", "numpy.random.default_rng()"):
        assert BANNED.search(line)


DRAWING = {"privatize", "sample", "draw", "words", "bytes"}


def drawing_functions(tree):
    """The functions of a module that draw."""
    return [node for node in nodes_of(tree) if isinstance(node, ast.FunctionDef) and node.name in DRAWING]


def floats_of(function):
    """Float literals and float types that a function names."""
    for leaf in ast.walk(function):
        if isinstance(leaf, ast.Constant) and isinstance(leaf.value, float):
            yield leaf.lineno, leaf.value
        if isinstance(leaf, ast.Attribute) and leaf.attr in {"float64", "float32", "array_float"}:
            yield leaf.lineno, leaf.attr


def test_samplers_compare_integers_only():
    """No function that draws names a float."""
    paths = [*(SOURCE / "sampling").glob("*.py"), *(SOURCE / "mechanisms").glob("*.py")]
    functions = [(path.name, function) for path in paths for function in drawing_functions(tree_of(path))]
    assert len(functions) >= 10
    assert not [(name, found) for name, function in functions for found in floats_of(function)]


@pytest.mark.parametrize("line", ["return word < 0.5", "return word / np.float64(2)"])
def test_a_sampler_that_names_a_float_is_found(line):
    (function,) = drawing_functions(ast.parse(f"class A:\n    def draw(self, word):\n        {line}\n"))
    assert list(floats_of(function))


def test_the_checker_is_one_file_that_stands_alone():
    """One file is its contract: a reader who checks our certificates needs none of our code."""
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


def public_names():
    """The public names of each package that has a stub."""
    for stub in sorted(SOURCE.rglob("__init__.pyi")):
        name = ".".join(("sfumato", *stub.parent.relative_to(SOURCE).parts))
        yield name, import_module(name).__all__


def test_the_facade_is_short_sorted_and_complete():
    facade = import_module("sfumato")
    assert sorted(facade.__all__) == list(facade.__all__)
    assert len(facade.__all__) <= MOST_NAMES_ON_SF
    for name in facade.__all__:
        assert getattr(facade, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'magic'"):
        _ = facade.magic


def test_public_names_are_few():
    assert sum(len(names) for _, names in public_names()) <= MOST_PUBLIC_NAMES


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


# Packages, each with a module of it.
PARTS = {(path.parent.name, path.stem) for path in SOURCE.glob("*/*.py")}
FOLDERS = {path.name for path in SOURCE.iterdir() if path.is_dir()}


def modules_named_in(tree):
    """`sf.noise.certificates`, or `noise.certificates` of `from sfumato import noise`: a package and its module."""
    known = {alias.asname or alias.name: alias.name
             for node in nodes_of(tree) if isinstance(node, ast.ImportFrom) and node.module == "sfumato"
             for alias in node.names if alias.name in FOLDERS}  # fmt: skip
    for node in nodes_of(tree):
        match node:
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="sf" | "sfumato"), attr=package), attr=name):
                pass
            case ast.Attribute(value=ast.Name(id=bound), attr=name) if bound in known:
                package = known[bound]
            case _:
                continue
        if (package, name) in PARTS or (package in FOLDERS and (SOURCE / package / name).is_dir()):
            yield f"sfumato.{package}.{name}"


def unloaded_modules(tree):
    """What is named and neither imported nor offered by its package: it is there only if another module loaded it."""
    imported = set()
    for node in nodes_of(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
    for name in modules_named_in(tree):
        package = import_module(name.rpartition(".")[0])
        if name.rpartition(".")[2] not in getattr(package, "__all__", ()) and name not in imported:
            yield name


def may_name_a_module(text):
    """Whether a text is worth parsing: outside of imports, the name of a package is before its module's."""
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
        ("import sfumato as sf\nsf.noise.certificates.f()", ["sfumato.noise.certificates"]),
        ("from sfumato import noise as designs\ndesigns.certificates.f()", ["sfumato.noise.certificates"]),
        ("import sfumato as sf\nimport sfumato.noise.certificates\nsf.noise.certificates.f()", []),
        ("from sfumato import noise\nfrom sfumato.noise.certificates import f\nnoise.gaussian()", []),
    ],
)
def test_a_module_that_is_not_imported_is_found(text, found):
    assert list(unloaded_modules(ast.parse(text))) == found
    assert may_name_a_module(text.replace("designs.", "noise.")) or not found
