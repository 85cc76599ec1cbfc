"""Modules of the pages, run by Node: quicker than a browser where nothing but arithmetic is asked for."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "browser" / "src"
NODE = shutil.which("node")


def run_module(script, given=None):
    """Run a script whose imports begin with SOURCES/; it reads a document as `given`, and its `result` comes back."""
    if NODE is None:
        pytest.fail("the tests of the browser's modules need Node; run tools/system-packages")
    text = script.replace("SOURCES/", SOURCES.as_uri() + "/")
    whole = (
        'const given = JSON.parse(require("node:fs").readFileSync(0, "utf8"));\n'
        f"(async () => {{ {text}\n process.stdout.write(JSON.stringify(result)); }})()"
        ".catch((error) => { console.error(error); process.exit(1); });"
    )
    done = subprocess.run(
        [NODE, "--input-type=commonjs", "-e", whole],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)
