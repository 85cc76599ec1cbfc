"""The packages of Sfumato in their order, and the graph of imports between modules.

Read by `tools/architecture` and by the tests of the layers. Imports inside functions count; imports that only type
checkers see do not.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "sfumato"

# Bottom-up: a package imports only from those before it.
PACKAGES = (
    "lazy",
    "errors",
    "numbers",
    "display",
    "files",
    "prob",
    "measures",
    "sampling",
    "certificates",
    "mechanisms",
    "inference",
    "surveys",
    "recoverable",
    "ladders",
    "noise",
    "disclosure",
    "keys",
    "ledger",
    "engines",
    "study",
    "publications",
    "output",
    "workflows",
    "server",
    "cli",
)
# `sfumato` itself and `python -m sfumato` offer what lies below.
TOP = {"sfumato", "sfumato.__main__"}


@dataclass(frozen=True)
class Graph:
    """Modules by name, and what each imports."""

    files: dict[str, Path]
    imports: dict[str, frozenset[str]]

    def upward(self) -> list[tuple[str, str]]:
        """Return imports from a package that comes later in the order."""
        return [
            (module, other)
            for module, others in sorted(self.imports.items())
            if module not in TOP
            for other in sorted(others)
            if other in TOP or level(other) > level(module)
        ]

    def cycles(self) -> list[list[str]]:
        """Return the groups of modules that import each other in a circle."""
        return [sorted(group) for group in _strongly_connected(self.imports) if len(group) > 1]


def level(module: str) -> int:
    """Return the place of a module's package in the order."""
    return PACKAGES.index(module.split(".")[1])


def module_name(path: Path, source: Path = SOURCE) -> str:
    """Return the dotted name of a file of the package."""
    parts = ("sfumato", *path.relative_to(source).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def read_graph(source: Path = SOURCE) -> Graph:
    """Return the graph of all modules below a folder."""
    files = {module_name(path, source): path for path in sorted(source.rglob("*.py"))}
    homes = {name: _names_of_stub(path.with_suffix(".pyi")) for name, path in files.items()}
    imports = {
        name: frozenset(imported_modules(ast.parse(path.read_text(encoding="utf-8")), files, homes)) - {name}
        for name, path in files.items()
    }
    return Graph(files, imports)


def imported_modules(tree: ast.Module, files: dict[str, Path], homes: dict[str, dict[str, str]]) -> set[str]:
    """Return the modules of ours that a module imports when it is loaded or used."""
    found = set()
    for node in _runtime_nodes(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in files}
        elif isinstance(node, ast.ImportFrom) and node.module in files:
            for alias in node.names:
                if alias.name == "__version__":
                    continue
                inside = f"{node.module}.{alias.name}"
                found.add(homes[node.module].get(alias.name) or (inside if inside in files else node.module))
    return found


def _runtime_nodes(node: ast.AST) -> list[ast.AST]:
    nodes = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        nodes.append(child)
        nodes += _runtime_nodes(child)
    return nodes


def _names_of_stub(path: Path) -> dict[str, str]:
    """Return the module that each name of a package comes from, by the stub beside its `__init__`."""
    if not path.exists():
        return {}
    nodes = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)]
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}" if node.module == "sfumato" else str(node.module)
        for node in nodes
        for alias in node.names
    }


def _strongly_connected(edges: dict[str, frozenset[str]]) -> list[list[str]]:
    """Return the strongly connected components of a graph (Tarjan)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for other in sorted(edges.get(node, ())):
            if other not in number:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in stack:
                lowest[node] = min(lowest[node], number[other])
        if lowest[node] == number[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            groups.append(group)

    for node in sorted(edges):
        if node not in number:
            visit(node)
    return groups
