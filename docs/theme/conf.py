"""How Sphinx makes the site of what tools/build-site has laid out: no request leaves it, and it works from a disk."""

import re
from pathlib import Path
from typing import Any

from sphinx.util.inspect import TypeAliasForwardRef

ROOT = Path(__file__).resolve().parents[2]

project = "Sfumato"
author = "The Sfumato maintainers"
copyright = author  # noqa: A001  Sphinx's name
html_title = "Sfumato"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
default_role = "literal"
autosummary_generate = False
autodoc_type_aliases = {  # a signature says FloatArray, not what NumPy makes of it
    name: name
    for path in (ROOT / "src" / "sfumato").rglob("*.py")
    for name in re.findall(r"^([A-Z]\w*[a-z]\w*)(?:: TypeAlias)? = .*[|\[]", path.read_text("utf-8"), re.MULTILINE)
}
TypeAliasForwardRef.__repr__ = lambda self: self.name  # also inside another type
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_*"]

myst_enable_extensions = ["attrs_inline", "deflist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
# A page may begin a list of kinds at level 3, and two packages may have a class of one name.
suppress_warnings = ["myst.header", "misc.highlighting_failure", "ref.python"]

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["sfumato.css"]
html_js_files = ["sfumato.js"]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": False, "footer_icons": []}
pygments_style = "a11y-light"
pygments_dark_style = "a11y-dark"


def setup(app: Any) -> None:
    """Let docstrings, which are plain text with a little markup, be read as reStructuredText."""
    app.connect("autodoc-process-docstring", as_markup, priority=900)


def as_markup(app: Any, what: str, name: str, it: Any, options: Any, lines: list[str]) -> None:  # noqa: ARG001
    """Drop what a dataclass says of itself, make links of the pages named, and keep |x| as it stands."""
    if lines and lines[0].startswith(f"{name.rpartition('.')[2]}("):
        lines.clear()
    is_example = False
    for place, line in enumerate(lines):
        is_example = line.lstrip().startswith(">>>") or (is_example and bool(line.strip()))
        if not is_example:
            parts = re.split(r"(`+[^`]*`+)", line)
            parts[::2] = [re.sub(r"docs/(\w+/\w+)\.md", r":doc:`/\1`", part.replace("|", r"\|")) for part in parts[::2]]
            lines[place] = "".join(parts)
