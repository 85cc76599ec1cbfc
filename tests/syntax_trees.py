"""The package's own modules as syntax trees: each is parsed once, however many rules look at it."""

import ast
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """Return a module's tree; nobody may change it."""
    return ast.parse(path.read_text())
