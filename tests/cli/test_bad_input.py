"""Bad input gets a sentence and exit code 2; nothing is written, nothing is lost, no traceback is shown."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHANNELS = {
    "row sums.csv": (b"answer,no,yes\nno,0.7,0.2\nyes,0.5,0.5\n", "0.9"),
    "negative.csv": (b"1.5,-0.5\n0.5,0.5\n", "negative"),
    "nan.csv": (b"nan,0.5\n0.5,0.5\n", "nan"),
    "nan.json": (b"[[NaN, 0.5], [0.5, 0.5]]", "NaN"),
    "labels.csv": (b"answer,no,no\nno,0.5,0.5\nyes,0.5,0.5\n", "twice"),
    "inputs.csv": (b"answer,no,yes\nno,0.5,0.5\nno,0.5,0.5\n", "twice"),
    "empty.csv": (b"", "empty"),
    "empty.json": (b"", "empty"),
    "empty.parquet": (b"", "empty"),
    "junk.csv": (bytes(range(256)), ""),
    "junk.json": (b"\xff\xfe\x00\x01", ""),
    "junk.parquet": (b"PAR1" + bytes(64), ""),
    "newer.json": (b'{"schema": "sfumato/channel/2", "rows": [[1]]}', "sfumato/channel/2"),
    "ragged.csv": (b"0.5,0.5\n1\n", ""),
    "picture.png": (b"\x89PNG", "csv"),
}


@pytest.mark.parametrize("name", CHANNELS)
def test_channels_that_are_none(sfumato, tmp_path, name):
    data, word = CHANNELS[name]
    (tmp_path / name).write_bytes(data)
    done = sfumato("certify", name, "-o", "c.json", "--html", "c.html")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert word in done.stderr
    assert done.stderr.rstrip().endswith(".")
    assert sorted(path.name for path in tmp_path.iterdir()) == [name]


@pytest.mark.parametrize(
    ("prior", "word"),
    [
        ("0.5,0.25,0.25", "prior has 3 entries"),
        ("1,0", "probability 0"),
        ("0.5,0.4", "0.9"),
        ("1.5,-0.5", "negative"),
        ("yes=0.5,maybe=0.5", "labels"),
        ("no=0.5,no=0.5", "twice"),
        ("nonsense", ""),
        ("nan,0.5", ""),
    ],
)
def test_priors_that_are_none(sfumato, channel_file, tmp_path, prior, word):
    done = sfumato("certify", channel_file, "--prior", prior, "-o", "c.json")
    assert done.returncode == 2
    assert word in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "c.json").exists()


def test_a_file_over_the_limit_is_refused_before_it_is_read(sfumato, tmp_path):
    """A sparse terabyte would not fit in memory; the answer comes at once."""
    with (tmp_path / "big.csv").open("wb") as file:
        os.truncate(file.fileno(), 10**12)
    done = sfumato("certify", "big.csv")
    assert done.returncode == 2
    assert "limit" in done.stderr
    assert sfumato("verify", "big.csv").returncode == 2


def test_a_failed_run_keeps_the_old_certificate(sfumato, channel_file, tmp_path):
    old = tmp_path / "c.json"
    old.write_text("precious")
    (tmp_path / "bad.csv").write_text("0.5,0.4\n")
    assert sfumato("certify", "bad.csv", "-o", "c.json").returncode == 2
    assert old.read_text() == "precious"
    assert sfumato("certify", channel_file, "-o", "missing/folder/c.json").returncode == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify", "missing.json"),
        ("certify", "missing.csv"),
        ("certify", "channel.csv", "--json", "--markdown"),
        ("certify",),
        ("certify", "channel.csv", "--limit-mb", "0"),
        ("audit",),
        ("audit", "s.csv", "--channel", "channel.csv"),
        ("audit", "--channel", "channel.csv", "--count", "n"),
        ("audit", "--channel", "channel.csv", "--draws", "1"),
        ("audit", "--channel", "channel.csv", "--epsilon", "-1"),
        ("audit", "--channel", "channel.csv", "--failure", "2"),
        ("audit", "--channel", "channel.csv", "--insecure-seed", "-5"),
        ("audit", "channel.csv"),
        ("paint",),
    ],
)
def test_wrong_calls(sfumato, channel_file, arguments):
    done = sfumato(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_verify_of_what_is_no_certificate(sfumato, channel_file):
    done = sfumato("verify", channel_file)
    assert done.returncode == 2
    assert "not a Sfumato certificate" in done.stderr


def test_a_reader_that_leaves_early_is_no_error(channel_file):
    command = Path(sys.executable).parent / "sfumato"
    done = subprocess.run(
        ["bash", "-c", f"'{command}' certify '{channel_file}' | head -1"], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.startswith("Certificate")
