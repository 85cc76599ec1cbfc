"""certify, verify and audit as commands: what they print, write and return."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.certificates import Certificate, verify

COMMAND = str(Path(sys.executable).parent / "sfumato")


def test_certify_prints_a_table(sfumato, channel_file):
    done = sfumato("certify", channel_file)
    assert done.returncode == 0
    assert "1.098612289 nats" in done.stdout
    assert "certified" in done.stdout
    assert done.stderr == ""


def test_certify_then_verify(sfumato, channel_file, tmp_path):
    done = sfumato("certify", channel_file, "--prior", "no=0.9,yes=0.1", "-o", "c.json", "--html", "c.html")
    assert done.returncode == 0
    assert done.stdout == ""
    assert done.stderr.splitlines() == ["wrote c.json", "wrote c.html"]
    assert (tmp_path / "c.html").read_text().startswith("<!doctype html>")
    checked = sfumato("verify", "c.json")
    assert checked.returncode == 0
    assert "all 15 claims hold" in checked.stdout
    assert json.loads(sfumato("verify", "c.json", "--json").stdout) == {"verified": True, "claims": 15}


def test_certify_json_is_the_sealed_certificate(sfumato, channel_file):
    done = sfumato("certify", channel_file, "--json")
    certificate = Certificate.from_json(done.stdout)
    verify(certificate)
    assert certificate["odds"].value == 3


def test_certify_markdown(sfumato, channel_file):
    assert "| guess error | 1/4 | exact |" in sfumato("certify", channel_file, "--markdown").stdout


def test_certify_reads_json_and_parquet_and_structured_channels(sfumato, channel_file, tmp_path):
    from sfumato.prob import read_channel, write_channel

    for name in ("again.json", "again.parquet"):
        write_channel(read_channel(channel_file), tmp_path / name)
        assert "1.098612289 nats" in sfumato("certify", name).stdout
    (tmp_path / "cyclic.json").write_text(
        '{"schema": "sfumato/channel/1", "kind": "circulant", "size": 101, "support": [0, 1, 5], "odds": "7/2"}'
    )
    done = sfumato("certify", "cyclic.json", "--json")
    assert Certificate.from_json(done.stdout)["odds"].value == 3.5


def test_verify_refuses_a_changed_certificate(sfumato, channel_file, tmp_path):
    sfumato("certify", channel_file, "-o", "c.json")
    path = tmp_path / "c.json"
    path.write_text(path.read_text().replace('"3/4 1/4"', '"1/2 1/2"'))
    refused = sfumato("verify", "c.json")
    assert refused.returncode == 1
    assert refused.stderr.startswith("DigestMismatch: ")
    assert refused.stdout == ""
    verdict = json.loads(sfumato("verify", "c.json", "--json").stdout)
    assert verdict["verified"] is False


def test_verify_takes_certificates_of_every_kind(sfumato, tmp_path):
    ladder = sf.certify(sf.Ladder.within(size=3, epsilons=[1.0], recover=True))
    noise = sf.certify(sf.noise.gaussian(bound=1, budget_bits=1, steps=8))
    told = sf.certify(sf.disclosure.optimum(sf.disclosure.counted_law([[30, 21], [19, 30]])), estimated_from=100)
    for certificate in (ladder, noise, told):
        (tmp_path / "c.json").write_text(certificate.to_json())
        done = sfumato("verify", "c.json")
        assert done.returncode == 0
        assert certificate.title in done.stdout
        assert f"Source: [{certificate.sources[0].key}]" in done.stdout
        assert f"all {len(certificate.claims)} claims hold" in done.stdout


def test_verify_calls_another_file_what_it_is(sfumato, channel_file, tmp_path):
    (tmp_path / "note.json").write_text('{"schema": "sfumato/reports/1"}')
    refused = sfumato("verify", "note.json")
    assert refused.returncode == 2
    assert refused.stderr.startswith("UnknownSchema: file note.json: this is a file of reports, not a certificate.")
    stranger = sfumato("verify", channel_file)
    assert stranger.returncode == 2
    assert "this is not a Sfumato certificate." in stranger.stderr


def test_audit_of_samples(sfumato, tmp_path):
    (tmp_path / "s.csv").write_text("input,output,count\nno,no,731059\nno,yes,268941\nyes,no,268941\nyes,yes,731059\n")
    fine = sfumato("audit", "s.csv", "--count", "count", "--epsilon", "1.0")
    assert fine.returncode == 0
    assert "does not contradict the claim of 1." in fine.stdout
    broken = sfumato("audit", "s.csv", "--count", "count", "--epsilon", "0.9", "--json")
    assert broken.returncode == 1
    result = json.loads(broken.stdout)
    assert result["contradicts_claim"] is True
    assert 0.98 < result["epsilon_at_least"] < 1.0
    assert set(result["pair"].values()) == {"no", "yes"}
    unnamed = sfumato("audit", "s.csv", "--epsilon", "1.0")
    assert unnamed.returncode == 2
    assert "the column 'count', and it is not used unless it is named" in unnamed.stderr


def test_audit_of_a_channel_with_a_seed_says_so(sfumato, channel_file):
    done = sfumato("audit", "--channel", channel_file, "--draws", "20000", "--insecure-seed", "4")
    assert done.returncode == 0
    assert "INSECURE seed 4" in done.stderr
    assert "INSECURE seed 4" in done.stdout
    assert done.stdout == sfumato("audit", "--channel", channel_file, "--draws", "20000", "--insecure-seed", "4").stdout


@pytest.mark.parametrize("verb", ["certify", "verify", "audit"])
def test_help_has_an_example(sfumato, verb):
    done = sfumato(verb, "--help")
    assert done.returncode == 0
    assert f"sfumato {verb}" in done.stdout.split("Example")[1]


def test_version_and_no_arguments(sfumato):
    assert sfumato("--version").stdout == f"sfumato {sf.__version__}\n"
    assert "certify" in sfumato().stdout + sfumato().stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(sfumato, shell):
    done = sfumato(_SFUMATO_COMPLETE=f"source_{shell}")
    assert "_sfumato_completion" in done.stdout or "complete" in done.stdout
    words = sfumato(_SFUMATO_COMPLETE="complete_bash", COMP_WORDS="sfumato ver", COMP_CWORD="1")
    assert words.stdout.split() == ["verify"]


def test_help_stays_light():
    """The heavy libraries wait until a verb needs them, so that --help is quick."""
    import subprocess
    import sys

    code = (
        "import sys, sfumato, sfumato.cli.app; "
        "print([m for m in ('numpy', 'scipy', 'numba', 'pyarrow', 'matplotlib', 'highspy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "arguments",
    [
        ("certify", "channel.csv"),
        ("certify", "channel.csv", "--json"),
        ("certify", "missing.csv"),
        ("noise", "flip", "--budget-bits", "0.5"),
        ("verify", "channel.csv"),
        ("--version",),
        (),
    ],
)
def test_the_installed_command_does_what_its_forks_do(sfumato, channel_file, arguments):
    """From a cold start, in a process of its own, with the same words and the same exit code."""
    cold = subprocess.run(
        [COMMAND, *arguments], cwd=channel_file.parent, env={**os.environ, "NO_COLOR": "1"}, capture_output=True,
        text=True, check=False, timeout=60,
    )  # fmt: skip
    warm = sfumato(*arguments)
    assert (cold.returncode, cold.stdout, cold.stderr) == (warm.returncode, warm.stdout, warm.stderr)
