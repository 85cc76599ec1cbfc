"""The site in a real browser, from a disk: nothing is asked for from elsewhere, axe finds nothing, search finds things.

The site is built once, without the papers' figures; that takes half a minute of one core, so these are slow tests.
`make docs` builds it in full, and is as strict; SFUMATO_SITE=build/site judges that one.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# One of each type of page.
TYPES = [
    "index",
    "tutorial",
    "howto/survey",
    "notebooks/index",
    "theory/ladders",
    "reference/cli",
    "reference/api",
    "reference/api/mechanisms",
    "gallery/paper_c",
    "comparison",
    "benchmarks",
    "glossary",
    "about/changelog",
    "search",
]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if "SFUMATO_SITE" in os.environ:
        return Path(os.environ["SFUMATO_SITE"]).resolve()
    pytest.importorskip("sphinx", reason="the site needs the extra `docs`: tools/setup '' .venv dev,docs")
    folder = tmp_path_factory.mktemp("site") / "site"
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "build-site", "--quick", "--to", folder],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr
    return folder


@pytest.mark.parametrize("name", TYPES)
def test_a_page_of_each_type_is_open_to_everybody(site, browser, name):
    with browser.page((site / f"{name}.html").as_uri(), width=1280) as page:
        outside = [address for address in page.requested() if not address.startswith(("file:", "data:", "about:"))]
        assert page.violations() == []
        assert outside == []
        assert page.run("document.title")


@pytest.mark.parametrize("name", ["index", "theory/ladders"])
def test_in_the_dark_and_on_a_phone(site, browser, name):
    with browser.page((site / f"{name}.html").as_uri(), width=375, height=800, dark=True) as page:
        assert page.violations() == []
        assert page.overflow() == 0


@pytest.mark.parametrize(("word", "wanted"), [("crosswise", "devices"), ("capacity", "capacity"), ("publish", "api")])
def test_search_finds_what_is_there(site, browser, word, wanted):
    with browser.page((site / "search.html").as_uri() + f"?q={word}", width=1280) as page:
        until = time.monotonic() + 60
        found = []
        while not any(wanted in address for address in found) and time.monotonic() < until:
            time.sleep(0.5)
            found = page.run("[...document.querySelectorAll('#search-results a')].map(a => a.href)")
        assert any(wanted in address for address in found), found
        assert not [a for a in page.requested() if not a.startswith(("file:", "data:"))]


def test_no_file_of_the_site_names_a_place_to_fetch_from(site):
    """Links lead elsewhere when they are clicked; nothing is loaded from elsewhere."""
    loads = re.compile(
        r"""<(?:script|img|iframe|source)[^>]*\bsrc="(?:https?:)?//|<link[^>]*rel="(?:stylesheet|preload)"[^>]*href="(?:https?:)?//"""
    )
    for path in site.rglob("*.html"):
        assert not loads.search(path.read_text(encoding="utf-8")), path
    for path in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//|@import", path.read_text(encoding="utf-8")), path


def test_what_pages_link_to_is_there(site):
    for page in site.rglob("*.html"):
        for target in re.findall(r'<a[^>]*\bhref="([^"#?]+)', page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target):
                assert (page.parent / target).exists(), f"{page.relative_to(site)} links to {target}"
