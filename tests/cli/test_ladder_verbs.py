"""publish, open, recover and keys as a person runs them: one step a command, and nothing half-done."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from sfumato.study import read_study, write_study
from small_studies import answers, small_study

COMMAND = str(Path(sys.executable).parent / "sfumato")
LADDERS = ("moved", "place", "rooms")


@pytest.fixture
def folder(tmp_path):
    write_study(small_study(), tmp_path / "study.toml")
    pa.csv.write_csv(answers(), tmp_path / "answers.csv")
    pq.write_table(answers(), tmp_path / "answers.parquet")
    return tmp_path


PUBLISH = ("publish", "answers.csv", "--study", "study.toml", "--out", "reports.parquet", "--keys", "keys")


def test_from_answers_to_what_each_key_shows(sfumato, folder):
    done = sfumato(*PUBLISH, "--unprotected", "--keep", "region")
    assert done.returncode == 0, done.stderr
    assert "all analysts together" in done.stdout
    assert "open for anyone who has them" in done.stderr
    opened = sfumato("open", "reports.parquet", "--key", "keys/ministry.place.key", "--out", "opened.csv")
    assert opened.returncode == 0, opened.stderr
    assert "prefer not to answer" in opened.stdout
    assert "ε = 3" in opened.stdout
    again = sfumato("estimate", "opened.csv", "--question", "place", "--json")
    assert json.loads(again.stdout)["estimates"][0]["level"] == 1
    recovered = sfumato("recover", "reports.parquet", "-k", "keys/registrar.place.key", "-o", "back.csv")
    assert recovered.returncode == 0, recovered.stderr
    assert (folder / "back.csv").stat().st_mode & 0o077 == 0
    back = pa.csv.read_csv(folder / "back.csv")
    assert back["place"].to_pylist() == answers()["place"].to_pylist()


def test_parquet_and_csv_and_json_say_the_same(sfumato, folder):
    done = sfumato("publish", "answers.parquet", "--study", "study.toml", "--out", "reports.csv", "--keys", "keys",
                   "--unprotected", "--json")  # fmt: skip
    said = json.loads(done.stdout)
    assert said["rows"] == 600
    assert len(said["keys"]) == 10
    assert said["total_epsilon"]["registrar"] == "answers"
    assert said["total_epsilon"]["public"] == "inf", "the card's design has no ε"
    assert (folder / "reports.csv.about.json").exists()
    shown = json.loads(sfumato("keys", "show", "keys/press.moved.key", "--json").stdout)
    assert (shown[0]["level"], shown[0]["guarantee"], shown[0]["protection"]) == (2, "information_theoretic", "none")
    opened = sfumato("open", "reports.csv", "-k", "keys/press.moved.key", "--json")
    assert json.loads(opened.stdout)["estimates"][0]["question"] == "moved"


def test_the_same_answers_again_give_the_same_reports_and_changed_ones_are_refused(sfumato, folder):
    study = small_study(questions=small_study().questions[:2])  # rounding would be drawn anew
    write_study(study, folder / "study.toml")
    assert sfumato(*PUBLISH, "--unprotected").returncode == 0
    before = pq.read_table(folder / "reports.parquet")
    unsaid = sfumato(*PUBLISH)
    assert unsaid.returncode == 1
    assert "anyone could have written it" in unsaid.stderr
    assert "--unprotected" in unsaid.stderr
    assert sfumato(*PUBLISH, "--unprotected").returncode == 0
    assert pq.read_table(folder / "reports.parquet").equals(before)
    text = (folder / "answers.csv").read_text()
    (folder / "answers.csv").write_text(text.replace('"no"', '"yes"', 1))
    refused = sfumato(*PUBLISH, "--unprotected")
    assert refused.returncode == 1
    assert refused.stderr.startswith("KeyReused: ")
    assert pq.read_table(folder / "reports.parquet").equals(before)


@pytest.mark.parametrize("part", ["study", "epoch"])
def test_keys_are_not_used_for_another_study_or_epoch(sfumato, folder, part):
    assert sfumato(*PUBLISH, "--unprotected").returncode == 0
    extra = ()
    if part == "study":
        write_study(small_study(name="Houses"), folder / "study.toml")
    else:
        extra = ("--epoch", "1")
    refused = sfumato(*PUBLISH, "--unprotected", *extra)
    assert refused.returncode == 1
    assert f"another {part}" in refused.stderr


def test_two_processes_racing_on_one_key_folder_exactly_one_wins(sfumato, folder):
    study = small_study(questions=small_study().questions[:2])
    write_study(study, folder / "study.toml")
    computational = (*PUBLISH, "--unprotected", "--guarantee", "computational")
    assert sfumato(*computational).returncode == 0
    for holder in ("registrar", "ministry", "press"):
        for question in ("moved", "place"):
            done = sfumato("keys", "rotate", f"keys/{holder}.{question}.key", "-o", f"next/{holder}.{question}.key",
                           "--unprotected")  # fmt: skip
            assert done.returncode == 0, done.stderr
    text = (folder / "answers.csv").read_text()
    (folder / "changed.csv").write_text(text.replace('"no"', '"yes"', 1))
    racers = [
        subprocess.Popen(
            [COMMAND, "publish", data, "--study", "study.toml", "--out", out, "--keys", "next", "--epoch", "1",
             "--unprotected"],
            cwd=folder, env={**os.environ, "NO_COLOR": "1"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for data, out in (("answers.csv", "one.parquet"), ("changed.csv", "two.parquet"))
    ]  # fmt: skip
    outcomes = [(racer.communicate(timeout=120)[1], racer.returncode) for racer in racers]
    assert sorted(code for _, code in outcomes) == [0, 1], outcomes
    loser = next(message for message, code in outcomes if code == 1)
    assert loser.startswith("KeyReused: ")
    written = [name for name in ("one.parquet", "two.parquet") if (folder / name).exists()]
    assert len(written) == 1
    opened = sfumato("open", written[0], "-k", "next/ministry.place.key")
    assert opened.returncode == 0, opened.stderr


def test_passphrases_and_public_keys(sfumato, folder):
    (folder / "secret.txt").write_text("correct horse battery staple\n")
    assert sfumato("keys", "pair", "--out", "press.private").returncode == 0
    done = sfumato(*PUBLISH, "--passphrase-file", "secret.txt", "--to", "press=press.private.pub")
    assert done.returncode == 0, done.stderr
    asked = sfumato("open", "reports.parquet", "-k", "keys/ministry.moved.key")
    assert asked.returncode == 2
    assert "--passphrase-file" in asked.stderr
    wrong = folder / "wrong.txt"
    wrong.write_text("incorrect horse\n")
    refused = sfumato("open", "reports.parquet", "-k", "keys/ministry.moved.key", "--passphrase-file", wrong)
    assert refused.returncode == 1
    assert "incorrect" not in refused.stderr + refused.stdout
    good = sfumato("open", "reports.parquet", "-k", "keys/ministry.moved.key", "--passphrase-file", "secret.txt")
    assert good.returncode == 0, good.stderr
    sealed = sfumato("open", "reports.parquet", "-k", "keys/press.moved.key", "--private-key", "press.private")
    assert sealed.returncode == 0, sealed.stderr
    nobody = sfumato("open", "reports.parquet", "-k", "keys/press.moved.key", "--passphrase-file", "secret.txt")
    assert "--private-key" in nobody.stderr
    unsaid = sfumato(
        "publish", "answers.csv", "--study", "study.toml", "--out", "r.csv", "--keys", "other", "--again", "r"
    )
    assert unsaid.returncode == 2
    assert not (folder / "other").exists()
    assert not (folder / "r.csv").exists()


def test_of_a_folder_the_keys_are_used_that_open(sfumato, folder):
    """With the ministry's private key; nobody is asked for the passphrase of the press."""
    (folder / "secret.txt").write_text("correct horse battery\n")
    assert sfumato("keys", "pair", "--out", "ministry.private").returncode == 0
    (folder / "keys").mkdir(mode=0o755)
    made = sfumato(*PUBLISH, "--passphrase-file", "secret.txt", "--to", "ministry=ministry.private.pub")
    assert made.returncode == 0, made.stderr
    assert "chmod 700 keys" in made.stderr
    opened = sfumato("open", "reports.parquet", "--key", "keys", "--private-key", "ministry.private", "--json",
                     "--allow-unprotected")  # fmt: skip
    assert opened.returncode == 0, opened.stderr
    assert {one["level"] for one in json.loads(opened.stdout)["estimates"]} == {1}
    (listed,) = [line for line in opened.stderr.splitlines() if "were not used" in line]
    assert listed.count("keys/press.") == 3
    assert "ministry" not in listed


def test_a_private_key_of_the_registrars_own(sfumato, folder):
    """It seals and opens the registrar's files; analysts get theirs to their public keys, or nothing happens."""
    study = small_study(questions=small_study().questions[:1])
    write_study(study, folder / "study.toml")
    (folder / "secret.txt").write_text("correct horse battery staple\n")
    assert sfumato("keys", "pair", "-o", "own.private", "--passphrase-file", "secret.txt").returncode == 0
    assert sfumato("keys", "pair", "-o", "theirs.private").returncode == 0
    publish = (*PUBLISH, "--private-key", "own.private", "--passphrase-file", "secret.txt")
    refused = sfumato(*publish, "--to", "press=theirs.private.pub")
    assert refused.returncode == 2
    assert "nothing is said for ministry" in refused.stderr
    assert not (folder / "keys").exists()
    receivers = ("--to", "press=theirs.private.pub", "--to", "ministry=theirs.private.pub")
    for arguments in ((*publish, *receivers), publish):
        done = sfumato(*arguments)
        assert done.returncode == 0, done.stderr
    shown = json.loads(sfumato("keys", "show", "keys/registrar.moved.key", "keys/press.moved.key", "--json").stdout)
    assert [one["protection"] for one in shown] == ["private_key", "public_key"]


def test_keys_are_sealed_to_those_who_get_new_ones(sfumato, folder):
    """Seeds open parts that come later: then the registrar alone gets something new, the index of people."""
    write_study(small_study(questions=small_study().questions[:1]), folder / "study.toml")
    for name, first in (("answers.csv", 0), ("newcomers.csv", 600)):
        ids = pa.array([f"p{first + row}" for row in range(600)])
        pa.csv.write_csv(answers().append_column("person", ids), folder / name)
    rest = ("--study", "study.toml", "--out", "reports", "--keys", "keys", "--id", "person", "--unprotected")
    first = ("publish", "answers.csv", *rest, "--guarantee", "computational")
    refused = sfumato(*first, "--to", "nobody=press.private.pub")
    assert refused.returncode == 2
    assert "with NAME one of ministry, press, registrar. Name one that has a key.\n" in refused.stderr
    assert sfumato("keys", "pair", "-o", "press.private").returncode == 0
    done = sfumato(*first, "--to", "press=press.private.pub")
    assert done.returncode == 0, done.stderr
    later = ("publish", "newcomers.csv", *rest, "--append")
    refused = sfumato(*later, "--to", "press=press.private.pub")
    assert refused.returncode == 2
    assert (
        "with NAME one of registrar. Name one that gets a new key file; seeds that were handed out open later parts "
        "without one.\n"
    ) in refused.stderr
    done = sfumato(*later)
    assert done.returncode == 0, done.stderr


def test_a_pem_file_opens_in_clear_and_is_refused_under_a_passphrase(sfumato, folder):
    from cryptography.hazmat.primitives import serialization as pem

    from sfumato.keys import new_key_pair

    private, public = new_key_pair()
    form = (pem.Encoding.PEM, pem.PrivateFormat.PKCS8)
    locked = pem.BestAvailableEncryption(b"correct horse")
    (folder / "old.pem").write_bytes(private.loaded().private_bytes(*form, pem.NoEncryption()))
    (folder / "locked.pem").write_bytes(private.loaded().private_bytes(*form, locked))
    (folder / "old.pem.pub").write_bytes(public.to_pem())
    (folder / "secret.txt").write_text("correct horse\n")
    receivers = [word for name in ("press", "ministry", "registrar") for word in ("--to", f"{name}=old.pem.pub")]
    assert sfumato(*PUBLISH, *receivers).returncode == 0
    opening = ("open", "reports.parquet", "-k", "keys/press.moved.key", "-q")
    done = sfumato(*opening, "--private-key", "old.pem")
    assert (done.returncode, done.stderr) == (0, "")
    refused = sfumato(*opening, "--private-key", "locked.pem", "--passphrase-file", "secret.txt")
    assert refused.returncode == 1
    assert "encrypted PEM file" in refused.stderr
    assert "openssl pkey" in refused.stderr
    rewritten = ("keys", "protect", "old.pem", "--allow-unprotected", "--new-passphrase-file", "secret.txt")
    assert sfumato(*rewritten).returncode == 0
    assert sfumato(*opening, "--private-key", "old.pem", "--passphrase-file", "secret.txt").returncode == 0


def test_split_and_merge(sfumato, folder):
    assert sfumato(*PUBLISH, "--unprotected").returncode == 0
    done = sfumato("keys", "split", "keys/press.place.key", "--at", "200", "-o", "parts", "--unprotected")
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in (folder / "parts").glob("*.key"))
    assert names == ["press.place.0-199.key", "press.place.200-599.key"]
    part = sfumato("open", "reports.parquet", "-k", "parts/press.place.200-599.key", "--json")
    assert json.loads(part.stdout)["estimates"][0]["total"] == 400
    merged = sfumato("keys", "merge", *(f"parts/{name}" for name in names), "-o", "whole.key", "--unprotected")
    assert merged.returncode == 0, merged.stderr
    assert sfumato("open", "reports.parquet", "-k", "whole.key").returncode == 0
    again = sfumato("keys", "merge", *(f"parts/{name}" for name in names), "-o", "whole.key", "--unprotected")
    assert again.returncode == 2, "a key file is not replaced"


def test_a_damaged_key_file_is_one_sentence(sfumato, folder):
    assert sfumato(*PUBLISH, "--unprotected").returncode == 0
    path = folder / "keys" / "ministry.place.key"
    data = bytearray(path.read_bytes())
    data[-40] ^= 1
    path.write_bytes(bytes(data))
    refused = sfumato("open", "reports.parquet", "-k", path)
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    path.write_bytes(bytes(data[:100]))
    assert sfumato("open", "reports.parquet", "-k", path).returncode == 2
    assert sfumato("open", "reports.parquet", "-k", "reports.parquet").returncode == 2


def test_an_insecure_seed_repeats_and_says_so(sfumato, folder):
    runs = []
    for name in ("one", "two"):
        done = sfumato("publish", "answers.csv", "--study", "study.toml", "--out", f"{name}.csv", "--keys", name,
                       "--unprotected", "--insecure-seed", "7")  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "INSECURE seed 7" in done.stderr
        runs.append((folder / f"{name}.csv").read_bytes())
    assert runs[0] == runs[1]
    shown = sfumato("estimate", "one.csv", "-q")
    assert "INSECURE" in shown.stderr


def test_plans_certify_every_question_and_the_certificates_verify(sfumato, folder):
    done = sfumato("plan", "study.toml", "-o", "certificates", "--plot", "plan.svg")
    assert done.returncode == 0, done.stderr
    assert "All analysts together" in done.stdout
    for question in (*LADDERS, "debt"):
        verified = sfumato("verify", f"certificates/{question}.certificate.json", "--json")
        assert json.loads(verified.stdout)["verified"] is True
    planned = json.loads(sfumato("plan", "study.toml", "--json").stdout)
    assert [level["readers"] for level in planned["questions"][0]["levels"]] == [["ministry"], ["press"], ["public"]]
    assert sfumato("plan", "study.toml", "--markdown").stdout.startswith("# Homes")
    assert sfumato("plan", "study.toml", "--share", "0.1").returncode == 2


def test_a_study_read_back_from_reports_is_the_study(sfumato, folder):
    assert sfumato(*PUBLISH, "--unprotected").returncode == 0
    from sfumato.publications.reports import Reports

    assert Reports.read(folder / "reports.parquet").note.study == read_study(folder / "study.toml") == small_study()
