"""Changelog fragments, versions, workflows, the bibliography and the layout of the site: what a release relies on."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / "tools"
sys.path.insert(0, str(TOOLS))

from site_pages.layout import lay_out, write_contents  # noqa: E402  a tool, which is no package


def tool(name, *arguments, cwd=ROOT):
    return subprocess.run(
        [sys.executable, TOOLS / name, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=cwd
    )


def test_the_fragments_can_be_used():
    assert tool("changes").returncode == 0


def test_fragments_become_a_section_under_their_version(tmp_path):
    folder = tmp_path / "changes"
    folder.mkdir()
    (folder / "README.md").write_text("how")
    (folder / "b.fixed.md").write_text("- **B** is mended,\n  at last.\n")
    (folder / "a.added.md").write_text("- **A** is new.\n")
    log = tmp_path / "CHANGELOG.md"
    log.write_text("# Changelog\n\n## 0.1.0 (unreleased)\n\n- old\n")
    assert tool("changes", "--root", tmp_path, "--release", "0.2.0").returncode == 0
    text = log.read_text()
    assert re.search(
        r"## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n\*Added:\*\n\n- \*\*A\*\* is new\.\n\n\*Fixed:\*\n\n- \*\*B", text
    )
    assert text.index("0.2.0") < text.index("0.1.0 (unreleased)") < text.index("- old")
    assert [path.name for path in folder.iterdir()] == ["README.md"]
    assert tool("changes", "--root", tmp_path, "--release", "0.1.0").returncode == 0
    assert "(unreleased)" not in log.read_text()


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.new.md", "- x"), ("a.md", "- x"), ("a.added.txt", "- x"), ("a.added.md", "x"), ("a.added.md", "- x\ny")],
)
def test_a_fragment_that_cannot_be_used_is_refused(tmp_path, name, text):
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / name).write_text(text)
    done = tool("changes", "--root", tmp_path)
    assert done.returncode == 1
    assert name in done.stderr


def test_every_place_has_the_same_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert tool("set-version", "--check", version).returncode == 0
    assert tool("set-version", "--check", "9.9.9").returncode == 1


@pytest.mark.parametrize("version", ["", "1", "1.2", "v1.2.3", "1.2.3; true"])
def test_a_release_needs_a_version(version):
    done = subprocess.run([TOOLS / "release", version], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "MAJOR.MINOR.PATCH" in done.stderr


def test_workflows_call_targets_that_there_are():
    made = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    weekly = (ROOT / ".github" / "workflows" / "weekly.yml").read_text()
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    called = set(re.findall(r"- run: make ([a-z-]+)", text))
    called |= set(re.search(r"target: \[(.*)\]", weekly).group(1).split(", "))
    assert {"lint", "test", "docs", "test-slow"} <= called <= made
    for python in ("3.11", "3.12", "3.13"):
        assert f'"{python}"' in text


def test_the_bibliography_is_whole_and_says_what_was_checked():
    text = (ROOT / "docs" / "references.bib").read_text()
    entries = re.split(r"\n(?=@)", text)[1:]
    for entry in entries:
        key = re.match(r"@\w+\{([^,]+),", entry).group(1)
        assert entry.count("{") == entry.count("}"), f"{key} is not closed"
        assert re.search(r"^\s*note\s*= \{.*(confirmed|listed in the references).*\},$", entry, re.MULTILINE), key
        assert key == "RRTCS" or re.search(r"^\s*year\s*= \{\d{4}\}", entry, re.MULTILINE), key
    keys = re.findall(r"^@\w+\{([^,]+),", text, re.MULTILINE)
    assert len(keys) == len(set(keys)) == len(entries)


def test_the_site_can_be_laid_out_and_every_page_is_in_its_contents(tmp_path):
    """A link that leads to nothing on the site ends the build; here it does so in a second."""
    lay_out(ROOT, tmp_path)
    write_contents(tmp_path)
    listed = set()
    for page in tmp_path.rglob("*.md"):
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            names = re.findall(r"^([\w/.-]+)$", block, re.MULTILINE)
            listed |= {(page.parent / f"{name}.md").resolve() for name in names}
    pages = {path.resolve() for path in tmp_path.rglob("*.md")} - {(tmp_path / "index.md").resolve()}
    assert pages <= listed
    assert "](ladders.md)" in (tmp_path / "theory" / "index.md").read_text()


def test_a_link_to_what_is_not_on_the_site_is_an_error(tmp_path):
    (tmp_path / "docs").mkdir()
    for name in (
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LIMITATIONS.md",
        "SECURITY.md",
        "LICENSE",
        "docs/README.md",
    ):
        (tmp_path / name).write_text("# Page\n")
    (tmp_path / "docs" / "page.md").write_text("# Page\n\n[x](../src/x.py)\n\n```text\n[y](nowhere.md)\n```\n")
    with pytest.raises(SystemExit, match=r"docs/page\.md links to \.\./src/x\.py"):
        lay_out(tmp_path, tmp_path / "out")


def test_the_page_of_benchmarks_is_what_was_measured():
    made = tool("bench", "--print-page")
    assert made.stdout == (ROOT / "docs" / "benchmarks.md").read_text()
    runs = json.loads((ROOT / "bench" / "results.json").read_text())["runs"]
    assert set(runs) <= {path.stem for path in (ROOT / "bench").glob("*.py")}
    for found in runs.values():
        assert {"date", "machine", "printed", "exit_code"} <= set(found)
