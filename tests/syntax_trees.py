"""The package's own modules as syntax trees: each is parsed and walked once, however many rules look at it."""

import ast
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """Return a module's tree; nobody may change it."""
    return ast.parse(path.read_text())


@cache
def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Return all nodes of a tree, as `ast.walk` gives them."""
    return tuple(ast.walk(tree))
