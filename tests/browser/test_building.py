"""The scripts in the package are those that `browser/` builds, byte for byte."""

import base64
import hashlib
import json
import shutil

import pytest

from browser.building import BROWSER, ROOT, needs_bundler, run_node
from sfumato.server.page_parts import SCRIPTS, integrity, script


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """What is built now, somewhere else, by file."""
    needs_bundler()
    out = tmp_path_factory.mktemp("built")
    run_node("build.mjs", "--to", out)
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*.js")}


def test_what_is_committed_is_what_is_built(built):
    assert built
    committed = {name: (ROOT / name).read_bytes() for name in built}
    digests = [{name: hashlib.sha256(data).hexdigest() for name, data in one.items()} for one in (built, committed)]
    assert digests[0] == digests[1], "run `make browser`, and commit what it writes"


def test_every_script_that_is_served_is_built(built):
    assert {f"src/sfumato/server/static/{name}" for name in SCRIPTS} <= set(built)


def test_it_does_not_matter_where_it_is_built(built, tmp_path):
    """The same bytes from a copy of the folder in another place: no path of a machine is in them."""
    copy = tmp_path / "elsewhere" / "browser"
    shutil.copytree(BROWSER, copy, ignore=shutil.ignore_patterns("node_modules"))
    (copy / "node_modules").symlink_to(BROWSER / "node_modules")
    run_node("--preserve-symlinks", copy / "build.mjs", "--to", tmp_path / "out")
    found = {path.relative_to(tmp_path / "out").as_posix(): path.read_bytes() for path in tmp_path.glob("out/**/*.js")}
    assert found == built


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_hash_that_pages_name_is_that_of_the_script(name):
    digest = base64.b64encode(hashlib.sha384(script(name)).digest()).decode()
    assert integrity(name) == f"sha384-{digest}"


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_ascii_says_whose_its_parts_are_and_asks_for_nothing_elsewhere(name):
    text = script(name).decode("ascii")
    assert "@hpke/core 1" not in text or "MIT License" in text
    assert "sourceMappingURL" not in text
    assert "Math.random" not in text


def test_the_lock_file_pins_everything_and_names_no_registry():
    lock = json.loads((BROWSER / "package-lock.json").read_text())
    wanted = json.loads((BROWSER / "package.json").read_text())
    pinned = {**wanted.get("dependencies", {}), **wanted["devDependencies"]}
    assert all(version[0].isdigit() for version in pinned.values())
    packages = {path: one for path, one in lock["packages"].items() if path}
    assert all("integrity" in one and "resolved" not in one for one in packages.values())
    assert {name: packages[f"node_modules/{name}"]["version"] for name in pinned} == pinned
    assert {one["license"] for one in packages.values()} == {"MIT"}
