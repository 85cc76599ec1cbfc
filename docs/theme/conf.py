"""How Sphinx makes the site of what tools/build-site has laid out: no request leaves it, and it works from a disk."""

project = "Sfumato"
author = "The Sfumato maintainers"
copyright = author  # noqa: A001  Sphinx's name
html_title = "Sfumato"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_*"]

myst_enable_extensions = ["attrs_inline", "deflist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["myst.header", "misc.highlighting_failure"]  # a page may begin a list of kinds at level 3

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
