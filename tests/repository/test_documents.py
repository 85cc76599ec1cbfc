"""The documents say what is so: every example in them is run."""

import doctest
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


def test_the_readme_names_the_two_commands_first():
    readme = (ROOT / "README.md").read_text()
    assert readme.index("make demo") < readme.index("make test") < readme.index("```toml")
    assert readme.index(".webp)") < readme.index("make demo")


def test_the_readme_is_short_and_has_an_example_for_each_of_the_five():
    """No number stands in its prose that an example does not print."""
    readme = (ROOT / "README.md").read_text()
    assert len(readme.splitlines()) <= 105
    after = re.split(r"^\*\*An? ([\w /]+)\*\*", readme, flags=re.MULTILINE)
    people = dict(zip(after[1::2], after[2::2], strict=True))
    assert list(people) == [
        "statistics office", "survey researcher", "data owner", "auditor", "information theorist",
    ]  # fmt: skip
    for who, text in people.items():
        assert re.search(r"```(python|sh)\n", text), who
    prose = re.sub(r"\]\([^)]*\)", "", FENCE.sub("", readme))
    assert re.findall(r"\d[\d.,]*", prose) == ["3.11", "2.0"]  # of Python, and of the licence
