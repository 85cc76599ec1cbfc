"""The documents say what is so: every example in them is run."""

import ast
import doctest
import importlib
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from sfumato.files.staging import locked
from transcripts import first_difference

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
WITH_EXAMPLES = [page for page in PAGES if ">>>" in page.read_text()]
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run_as_printed(page):
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 0
    assert result.failed == 0


def test_there_are_examples_to_run():
    assert ROOT / "README.md" in WITH_EXAMPLES
    assert len(WITH_EXAMPLES) >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", FENCE.sub("", page.read_text())):
        if target.startswith("http"):
            continue
        found = page.parent / target if target else page
        assert found.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(found), f"{page.name} links to {target}#{anchor}"


@cache
def anchors(page):
    """What can be linked to on a page: its headings, as code hosts and the site name them."""
    seen = {}
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.MULTILINE):
        text = re.sub(r"[^\w\- ]", "", re.sub(r"`|\]\([^)]*\)", "", heading).lower()).replace(" ", "-")
        seen[text] = seen.get(text, 0) + 1
    return {name if i == 0 else f"{name}-{i}" for name, times in seen.items() for i in range(times)}


def test_citations_are_in_the_bibliography():
    keys = set(re.findall(r"@\w+\{([^,]+),", (ROOT / "docs" / "references.bib").read_text()))
    cited = set()
    for path in (ROOT / "src").rglob("*.py"):
        cited |= set(re.findall(r"\[([A-Z][A-Za-z]+\d\d)\]", path.read_text()))
        cited |= {match[0] for match in re.findall(r"\[([A-E]), (Thm|Lemma|Def|eq|Cor|Prop)", path.read_text())}
    assert cited
    assert cited <= keys


def test_theory_pages_named_in_docstrings_exist():
    named = set()
    for path in (ROOT / "src").rglob("*.py"):
        named |= set(re.findall(r"docs/theory/\w+\.md", path.read_text()))
    assert named
    for page in named:
        assert (ROOT / page).exists(), page


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for folder in ("howto", "reference", "theory"):
        for page in (ROOT / "docs" / folder).glob("*.md"):
            assert f"({folder}/{page.name})" in index, f"docs/README.md does not list {folder}/{page.name}"


@pytest.fixture(scope="session")
def demo_output(tmp_path_factory):
    """What `make demo` prints; it takes half a minute and writes to one place, so one process runs it for all."""
    shared = tmp_path_factory.getbasetemp()
    said = (shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared) / "demo.txt"
    with locked(said):
        if not said.exists():
            done = subprocess.run(
                [sys.executable, str(ROOT / "demo" / "demo.py")],
                capture_output=True,
                text=True,
                check=True,
                timeout=300,
            )
            assert done.stderr == ""
            said.write_text(done.stdout, encoding="utf-8")
    return said.read_text(encoding="utf-8")


def test_the_transcript_is_what_the_demo_prints(demo_output):
    """It may be an excerpt: a line that is only … stands for lines left out. What chance decides is masked."""
    page = (ROOT / "docs" / "demo.md").read_text(encoding="utf-8")
    transcript = re.search(r"```text\n\$ make demo\n(.*?)```", page, re.DOTALL)
    assert transcript, "docs/demo.md holds no transcript of make demo"
    difference = first_difference(transcript.group(1).splitlines(), demo_output.splitlines())
    assert difference is None, difference


def test_the_demo_leaves_what_the_tutorial_starts_from(demo_output):
    assert "Every answer is back as it was, beside the number of its row: True." in demo_output
    for name in ("fair.toml", "answers.csv", "reports.parquet", "report.html"):
        assert (ROOT / "demo" / "out" / name).stat().st_size > 0


def test_the_readme_shows_install_input_commands_and_output():
    readme = (ROOT / "README.md").read_text()
    steps = ["pip install -e .", "make demo", "make test", "```csv", "```toml", "\nsfumato plan", "\nsfumato publish"]
    steps += ["\nsfumato open", "| reader |", "| you want to |", "```python"]
    places = [readme.index(step) for step in steps]
    assert places == sorted(places)
    assert len(readme.splitlines()) <= 120
    assert len(FENCE.sub("", readme).split()) <= 600


def test_the_readme_table_is_from_the_transcript():
    """Each share and interval of the README stands in docs/demo.md, which is compared with what the demo prints."""
    readme, page = ((ROOT / name).read_text() for name in ("README.md", "docs/demo.md"))
    printed = re.search(r"^ +white-collar +([\d.]+)  .*$", page, re.MULTILINE)
    rows = re.findall(r"^\| [^|]+ \| [\d.]* ?\| ([\d.]+) % \|(?: ([\d.]+ to [\d.]+))? \|$", readme, re.MULTILINE)
    assert len(rows) == 4
    for share, interval in rows:
        assert (f"{share} ({interval})" if interval else share) in printed.group(0)


def test_the_readme_says_what_you_can_do_in_five_rows():
    table = (ROOT / "README.md").read_text().partition("| you want to |")[2].partition("\n\n")[0]
    rows = table.splitlines()[2:]
    assert len(rows) == 5
    for row in rows:
        _, _, command, link, _ = row.split("|")
        assert "`sfumato " in command, row
        assert re.search(r"\]\(docs/[\w/]+\.md\)", link), row


# `make demo` makes this folder.
MADE = ("demo/out",)
DOTTED = re.compile(r"(?<![\w/.@-])(?:sfumato|sf)((?:\.[A-Za-z_]\w*)+)")
IN_THE_TREE = re.compile(r"(?<![\w/.-])(?:src|tests|tools|bench|browser|demo|docs|reproduce)/[\w./*-]*\w")
# In code font: `measures.capacity_bits` of the package, `cli/options.py` of src/sfumato. Old packages lead to nothing.
PACKAGES = sorted(path.parent.name for path in (ROOT / "src/sfumato").glob("*/__init__.py"))
TOPS = ("", "src", "src/sfumato")
VARIABLES = {"noise", "ledger"}
OLD_PACKAGES = ("account", "bits", "disclose", "infer", "refine", "render", "web")
SHORT = re.compile(rf"`((?:{'|'.join(sorted({*PACKAGES, *OLD_PACKAGES} - VARIABLES))})\.(?!toml)[a-z_]+)\b(?!\.)")
SHORT_PATH = re.compile(r"`((?:\w+/)+\w+\.py)`")
# The changelog names what is gone.
NAMING = [page for page in PAGES if page.name != "CHANGELOG.md"] + sorted((ROOT / "docs").rglob("*.ipynb"))


def is_a_name(parts):
    """Whether the parts name a module of the package, or something that is in one."""
    place, found = "sfumato", importlib.import_module("sfumato")
    for part in parts:
        place = f"{place}.{part}"
        if hasattr(found, part):
            found = getattr(found, part)
            continue
        try:
            found = importlib.import_module(place)
        except ImportError:
            return False
    return True


def lost_names(text):
    """The dotted names and the paths of a text that lead to nothing."""
    names = [name[0] for name in DOTTED.finditer(text) if name[1] not in {".toml", ".service"}]
    lost = [name for name in names if not is_a_name(name.split(".")[1:])]
    paths = [path[0] for path in IN_THE_TREE.finditer(text) if not path[0].startswith(MADE)]
    lost += [name for name in SHORT.findall(text) if not is_a_name(name.split("."))]
    lost += [path for path in SHORT_PATH.findall(text) if not any((ROOT / top / path).exists() for top in TOPS)]
    return lost + [path for path in paths if not any(ROOT.glob(path))]


@pytest.mark.parametrize("page", NAMING, ids=lambda page: str(page.relative_to(ROOT)))
def test_names_and_paths_exist(page):
    assert lost_names(page.read_text(encoding="utf-8")) == []


def test_lost_names_are_found():
    good = "`sf.surveys.survey`, `sfumato.measures.capacity_bits`, tests/*/test_arc.py, src/sfumato/study/"
    assert lost_names(good) == []
    text = (
        f"{good} and `sf.design.survey` of src/sfumato/design, `sf.Study.nothing`, tests/io, `refine.old`, `cli/no.py`."
    )
    assert lost_names(text) == [
        "sf.design.survey", "sf.Study.nothing", "refine.old", "cli/no.py", "src/sfumato/design", "tests/io",
    ]  # fmt: skip


def test_code_beside_the_package_imports_what_exists():
    """Benchmarks and tools run now and then; what they import of the package is looked up each time."""
    sources = sorted([*(ROOT / "bench").rglob("*.py"), *(ROOT / "tools").rglob("*"), *(ROOT / "demo").glob("*.py")])
    imported = set()
    for path in sources:
        if path.suffix != ".py" and not (path.is_file() and path.read_bytes().startswith(b"#!/usr/bin/env python3")):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "sfumato":
                imported |= {(path.name, f"{node.module}.{name.name}") for name in node.names}
            elif isinstance(node, ast.Import):
                imported |= {(path.name, name.name) for name in node.names if name.name.partition(".")[0] == "sfumato"}
    assert imported
    assert sorted(one for one in imported if not is_a_name(one[1].split(".")[1:])) == []
