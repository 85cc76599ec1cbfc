"""The checker as people run it: one file, alone, with exit codes, on whatever it is given."""

import ast
import json
import os
import resource
import subprocess
import sys
import time

import pytest

import sfumato as sf
import sfumato_check
from certificates.test_every_kind import KINDS
from checker_samples import FILE
from fresh_seals import reseal

SMALL = KINDS["channel"]().to_json().encode()


def run(*arguments, home=None, limit=None):
    """Run the file with no site-packages, no environment and no folder of ours on the path."""

    def narrow():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    return subprocess.run(
        [sys.executable, "-I", "-S", str(home or FILE), *map(str, arguments)],
        capture_output=True,
        timeout=60,
        check=False,
        env={"PATH": os.environ["PATH"]},
        preexec_fn=narrow if limit else None,
    )


def test_it_imports_the_standard_library_only():
    names = set()
    for node in ast.walk(ast.parse(FILE.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add((node.module or "").split(".")[0])
    assert names <= set(sys.stdlib_module_names)


def test_nothing_else_can_be_imported_where_it_runs(tmp_path):
    probe = tmp_path / "probe.py"
    probe.write_text(
        "import importlib.util, sys\nsys.exit(any(map(importlib.util.find_spec, ('sfumato', 'numpy', 'msgspec'))))"
    )
    assert run(home=probe).returncode == 0


@pytest.mark.parametrize("kind", [name for name in KINDS if "/" not in name])
def test_every_kind_alone_and_copied_elsewhere(kind, tmp_path):
    copy = tmp_path / "sfumato_check.py"
    copy.write_bytes(FILE.read_bytes())
    path = tmp_path / "certificate.json"
    path.write_text(KINDS[kind]().to_json())
    done = run(path, home=copy)
    assert done.returncode == (3 if kind == "disclosure-public" else 0), done.stderr
    assert b"checked: " in done.stdout
    assert b"Traceback" not in done.stderr
    printed = json.loads(run(path, "--json", home=copy).stdout)
    assert printed["schema"] == "sfumato/check/1"
    assert printed["exit_code"] == done.returncode
    assert printed["kind"] == kind


def test_exit_codes(tmp_path):
    path = tmp_path / "c.json"
    path.write_bytes(SMALL)
    assert run(path).returncode == 0
    path.write_bytes(SMALL.replace(b"probability", b"probabiliti", 1))
    done = run(path)
    assert done.returncode == 1
    assert b"at least one byte was changed" in done.stderr
    path.write_bytes(b"hello")
    assert run(path).returncode == 2
    assert run(tmp_path / "nothing.json").returncode == 2
    assert run(tmp_path).returncode == 2
    path.write_text(KINDS["channel/records"]().to_json())
    done = run(path)
    assert done.returncode == 3
    assert b"individual_capacity_bits" in done.stdout
    assert b"not checked by me" in done.stdout
    path.write_bytes(b" " * (sfumato_check.MOST_BYTES + 1))
    done = run(path)
    assert done.returncode == 3
    assert b"too large for me" in done.stdout


def test_help_says_what_the_codes_mean():
    done = run("--help")
    assert done.returncode == 0
    for word in (b"refused", b"unreadable", b"too large for me", b"not checked by me", b"--json"):
        assert word in done.stdout
    assert run().returncode == 2


def change(**entries):
    return reseal({**json.loads(SMALL), **entries})


def subject(**entries):
    document = json.loads(SMALL)
    return reseal({**document, "subject": {**document["subject"], **entries}})


def sealed(text):
    """Seal raw text that no writer of ours would write."""
    import hashlib

    blank = text.replace(b"DIGEST", b'"digest": "sha256:' + b"0" * 64 + b'"')
    return blank.replace(b"0" * 64, hashlib.sha256(blank).hexdigest().encode(), 1)


HOSTILE = {
    "nothing": b"",
    "no JSON": sealed(b"DIGEST"),
    "a list": sealed(b'[{DIGEST, "schema": "sfumato/certificate/channel/1"}]'),
    "bad UTF-8": sealed(b'{DIGEST, "schema": "\xff\xfe"}'),
    "deep lists": sealed(b'{DIGEST, "schema": ' + b"[" * 200_000 + b"}"),
    "deep lists, closed": sealed(b'{DIGEST, "schema": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "deep labels": subject(channel={"kind": "dense", "inputs": [json.loads("[" * 400 + "]" * 400)], "outputs": ["a"],
                                    "rows": ["1"]}),
    "a key twice": sealed(b'{DIGEST, "schema": "a", "schema": "sfumato/certificate/channel/1"}'),
    "NaN": sealed(b'{DIGEST, "schema": "sfumato/certificate/channel/1", "claims": NaN}'),
    "infinity": sealed(b'{DIGEST, "schema": "sfumato/certificate/channel/1", "claims": 1e999}'),
    "a long number": sealed(b'{DIGEST, "schema": "sfumato/certificate/channel/1", "claims": ' + b"9" * 100_000 + b"}"),
    "half a surrogate": sealed(b'{DIGEST, "schema": "sfumato/certificate/channel/1", "claims": "\\ud800"}'),
    "no claims": change(claims=[]),
    "claims of numbers": change(claims=[1, 2]),
    "claims of nothing": change(claims=[{}]),
    "claims are text": change(claims="all is well"),
    "notes of numbers": change(notes=[1]),
    "no subject": change(subject={}),
    "subject of another kind": change(schema="sfumato/certificate/noise/1"),
    "unknown kind": change(schema="sfumato/certificate/cube/1"),
    "newer": change(schema="sfumato/certificate/channel/2"),
    "a prior over nothing": subject(prior="1/0 1"),
    "a prior of exponents": subject(prior="1e999999999 1"),
    "a prior of long numbers": subject(prior="1" + "0" * 4000 + " 1"),
    "a negative prior": subject(prior="3/2 -1/2"),
    "shape of zero": subject(shape=[0]),
    "shape of many": subject(shape=[10**4000] * 64),
    "too many codes": subject(channel={"kind": "circulant", "input_count": 1, "levels": "0 1",
                                       "codes": "1" + "0" * 10**6}, prior="1"),
    "long fractions": subject(channel={"kind": "dense", "inputs": [0], "outputs": list(range(300)),
                                       "rows": [" ".join(f"1/{10**4000 + 2 * i + 1}" for i in range(300))]}),
}  # fmt: skip


def test_numbers_below_zero_are_refused_at_once():
    """A lower end a hair below 0 would still enclose the truth; no measure is negative, and no word says so."""
    document = json.loads(KINDS["channel/float"]().to_json())
    for value in ({"lower": -1e-12, "upper": 1e-12}, {"lower": -5.0, "upper": 9.0}, "-1/2"):
        for place in range(len(document["claims"])):
            claims = json.loads(json.dumps(document["claims"]))
            claims[place]["value"] = value
            assert sfumato_check.answer(reseal({**document, "claims": claims}))["exit_code"] == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_it_is_given_it_answers_soon_and_in_a_sentence(name):
    start = time.perf_counter()
    found = sfumato_check.answer(HOSTILE[name])
    assert time.perf_counter() - start < 5
    assert found["exit_code"] in {1, 2, 3}
    assert found["answer"] != "checked"
    assert found["because"]
    if found["exit_code"] == 3:
        assert found["answer"] == "too large for me"


@pytest.mark.parametrize("name", ["deep lists, closed", "bad UTF-8", "a long number", "too many codes"])
def test_no_traceback_and_little_memory(name, tmp_path):
    path = tmp_path / "c.json"
    path.write_bytes(HOSTILE[name])
    done = run(path, limit=500 << 20)
    assert done.returncode in {1, 2, 3}
    assert b"Traceback" not in done.stderr
    assert done.stdout or done.stderr


def test_a_full_file_of_empty_lists_fits_into_memory(tmp_path):
    path = tmp_path / "c.json"
    path.write_bytes(
        sealed(b'{DIGEST, "schema": "sfumato/certificate/channel/1", "claims": [' + b"[]," * 2_700_000 + b"0]}")
    )
    assert path.stat().st_size < sfumato_check.MOST_BYTES
    done = run(path, limit=500 << 20)
    assert done.returncode == 1
    assert b"one spelling" in done.stderr


ESCAPE = "\x1b[2J\x1b]0;owned\x07\r\u202e\u2028 verified"


def test_nothing_of_the_file_moves_the_terminal(tmp_path):
    document = json.loads(SMALL)
    path = tmp_path / f"{ESCAPE.replace('/', '')}.json"
    forged = [
        change(claims=[{**claim, "measure": ESCAPE} for claim in document["claims"][:1]]),
        change(claims=[{**document["claims"][0], "value": ESCAPE}]),
        change(claims=[{**document["claims"][0], ESCAPE: ESCAPE}]),
        change(schema="sfumato/certificate/" + ESCAPE + "/1"),
        subject(mechanism=ESCAPE),
        SMALL,
    ]
    for raw in forged:
        path.write_bytes(raw)
        for extra in ([], ["--json"]):
            done = run(path, *extra)
            shown = done.stdout + done.stderr
            for mark in ("\x1b", "\x07", "\r", "\u202e", "\u2028"):
                assert mark.encode() not in shown


def test_terminals_that_know_no_greek(tmp_path):
    path = tmp_path / "ρ.json"
    path.write_bytes(SMALL)
    done = subprocess.run(
        [sys.executable, "-S", str(FILE), str(path)],
        capture_output=True,
        timeout=60,
        check=False,
        env={"PATH": os.environ["PATH"], "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_a_planted_bound_is_found(monkeypatch):
    """A product whose supremum forgets most of its cells certifies too little, and believes itself; the checker not."""
    from sfumato.disclosure import estimation as law_bounds
    from sfumato.disclosure import unknown_distributions as unknown_laws

    counts = [[30, 20], [10, 40]]
    honest = sf.certify(sf.disclosure.optimum(sf.disclosure.counted_law(counts)), estimated_from=100)
    assert sfumato_check.answer(honest.to_json().encode())["answer"] == "checked"
    plain = unknown_laws.supremum
    monkeypatch.setattr(unknown_laws, "supremum", lambda cell, **given: 0.5 * plain(cell, **given))
    law_bounds.divergence_bits.cache_clear()
    planted = sf.certify(sf.disclosure.optimum(sf.disclosure.counted_law(counts)), estimated_from=100)
    drift = planted["leak_if_law_differs_bits"]
    assert drift.value.upper < honest["leak_if_law_differs_bits"].value.upper
    sf.verify(planted)  # the product is taken in by its own bug
    law_bounds.divergence_bits.cache_clear()
    answer = sfumato_check.answer(planted.to_json().encode())
    assert answer["exit_code"] == 1
    assert answer["because"].startswith("leak_if_law_differs_bits: ")
