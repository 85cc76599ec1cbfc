"""Building with the pinned bundler, as `make browser` does; without npm a sentence says what is missing."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BROWSER = ROOT / "browser"
NODE = shutil.which("node")
WITHOUT = "SFUMATO_WITHOUT_BROWSER"


def needs_bundler():
    """Fail, or skip where browsers are left out, unless the bundler is there."""
    missing = [] if NODE else ["Node (apt-get install npm)"]
    missing += [] if _is_installed() else ["what browser/package-lock.json names (npm ci in browser)"]
    if not missing:
        return
    sentence = f"building the scripts needs {' and '.join(missing)}; run tools/system-packages"
    if os.environ.get(WITHOUT):
        pytest.skip(f"{sentence} ({WITHOUT} is set)")
    pytest.fail(f"{sentence}, or set {WITHOUT}=1 to leave them out")


def _is_installed():
    """Whether every package of the lock file is there in its version; of the bundler's own, that of this machine."""
    held = BROWSER / "node_modules" / ".package-lock.json"
    wanted, found = (
        {
            path: one["version"]
            for path, one in json.loads(file.read_text())["packages"].items()
            if path and "os" not in one
        }
        if file.is_file()
        else None
        for file in (BROWSER / "package-lock.json", held)
    )
    return wanted == found


def run_node(*arguments):
    """Run Node in `browser/`, and return what it says."""
    found = subprocess.run([NODE, *map(str, arguments)], cwd=BROWSER, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout


_BUNDLING = """
import { readFile } from "node:fs/promises";
import { bundled } from "./build.mjs";
const [entry, each] = JSON.parse(process.argv[1]);
const planting = (mutations) => ({
  name: "mutations",
  setup(build) {
    for (const [file, old, changed] of mutations)
      build.onLoad({ filter: new RegExp(`/browser/src/${file}$`) }, async ({ path }) => {
        const parts = (await readFile(path, "utf8")).split(old);
        if (parts.length !== 2) throw new Error(`${file} has not one place to change`);
        return { contents: parts.join(changed), loader: "js" };
      });
  },
});
const made = [];
for (const mutations of each) made.push(await bundled(entry, { minify: false, plugins: [planting(mutations)] }));
process.stdout.write(JSON.stringify(made));
"""


def bundle(entry, mutations=()):
    """Bundle a script of the tests with the modules that it names, for a page; `mutations` change modules first."""
    return bundle_each(entry, [mutations])[0]


def bundle_each(entry, several):
    """Do the same for several lists of mutations, by one Node."""
    needs_bundler()
    return json.loads(run_node("--input-type=module", "--eval", _BUNDLING, json.dumps([entry, several])))
