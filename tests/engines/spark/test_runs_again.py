"""Workers and drivers are killed, tasks are overtaken by their copies: the part is the same, or there is none."""

import base64
import secrets

import pyarrow as pa
import pytest

from engines.spark.clusters import Cluster, Standalone, kill_writers, wait_for_writers
from engines.spark.slow_tasks import RUNS
from engines.spark.spark_studies import card_study, check_drawn_alone, plain_answers, seeds, written
from sfumato.keys import Unprotected
from sfumato.study import write_study
from sfumato.workflows.publishing import publish
from sfumato.workflows.reading import recover_answers

ROWS = 70_000
TASKS = 9
"""More than are killed, three times each at most; blocks that lie across two of them come together in one more."""


@pytest.fixture(scope="module")
def table():
    return plain_answers(ROWS)


@pytest.fixture
def files(tmp_path, table):
    return written(tmp_path / "in", table, [ROWS // TASKS] * TASKS)


def new_folder(folder):
    folder.mkdir()
    write_study(card_study(), folder / "study.toml")
    return folder


def files_of_part(folder):
    """The files of the one part that is in place, after a look that nothing else is."""
    reports = folder / "reports"
    (part,) = (path for path in reports.iterdir() if path.is_dir())
    assert {path.name for path in reports.iterdir()} == {
        "publication.json", part.name, f"{part.name}.codebook.md", f"{part.name}.about.json",
    }  # fmt: skip
    return sorted(path.name for path in part.iterdir())


def check_only_files_of_rows(folder):
    """The part is made of one file for each stretch of rows: none is there of a run that did not count."""
    held = files_of_part(folder)
    starts = [int(name.removesuffix(".parquet")) for name in held]
    rows = [pa.parquet.read_metadata(next((folder / "reports").glob(f"*/{name}"))).num_rows for name in held]
    ends = [start + count for start, count in zip(starts, rows, strict=True)]
    assert starts == [0, *ends[:-1]]
    assert ends[-1] == ROWS


def spellings(secret):
    """How a secret may be spelled in a text: whole, or pieces of 16 bytes."""
    pieces = [secret, secret[:16], secret[16:]]
    for piece in pieces:
        yield piece
        yield piece.hex().encode()
        yield piece.hex().upper().encode()
        yield base64.b64encode(piece)
        yield base64.b64encode(piece).rstrip(b"=")
        yield base64.urlsafe_b64encode(piece).rstrip(b"=")
        yield repr(piece)[2:-1].encode()
        yield str(list(piece))[1:-1].encode()
        # Java's bytes have signs.
        yield str([byte - 256 if byte > 127 else byte for byte in piece])[1:-1].encode()


def found_in(secret, texts):
    """The names of the texts that a secret is in."""
    return {name for name, text in texts.items() if any(one in text for one in spellings(secret))}


def check_nothing_is_seen(hidden, planted, made, looked, cluster):
    """Nothing that draws anything is in what a session wrote and showed; a planted secret is found there."""
    logs = {str(path.relative_to(cluster.folder)): path.read_bytes() for path in cluster.logs()}
    shown = {name: page.encode() for name, page in looked["pages"].items()}
    plans = {f"plan {number}": plan.encode() for number, plan in enumerate(made["plans"])}
    seen = {**logs, **shown, **plans}
    assert len(plans) == 2
    assert all(b"MapInArrow" in plan for plan in plans.values())
    assert any(b"MapInArrow" in page for name, page in shown.items() if name.startswith("SQL/execution"))
    assert any(b" INFO " in text for text in logs.values())
    for secret in hidden:
        assert found_in(secret, seen) == set()
    given_away = found_in(planted, {**seen, "its plan": looked["plans"][0].encode()})
    for place in ("its plan", "SQL/execution", "events/"):
        assert any(name.startswith(place) for name in given_away), place


@pytest.mark.slow
@pytest.mark.parametrize("kills", [2, 20])
def test_killed_workers_change_nothing_no_seed_is_seen_and_a_killed_driver_leaves_no_part(
    spark, tmp_path, table, files, kills
):
    # One session for all three: to start one takes longer than to publish.
    first, second = new_folder(tmp_path / "workers"), new_folder(tmp_path / "driver")
    planted = secrets.token_bytes(32)
    gate = tmp_path / "gate"
    with Cluster(
        tmp_path / "spark", f"local[2,{RUNS}]", spark__ui__enabled="true", spark__ui__port=0,
        spark__sql__files__maxPartitionBytes=60_000, spark__executorEnv__SFUMATO_TEST_GATE=gate,
    ) as cluster:  # fmt: skip
        cluster.begin(files, first)
        assert sum(kill_writers(first, cluster.process, kills).values()) == kills
        gate.touch()
        made = cluster.end()
        assert made["refusal"] is None
        looked = cluster.look(planted)
        # Whoever was killed had a task, and the task ran again.
        ends = cluster.task_ends()
        assert sum(reason != "Success" for reason, _ in ends) == kills
        assert sum(info["Attempt"] > 0 for _, info in ends) == kills
        gate.unlink()
        cluster.begin(files, second)
        wait_for_writers(second, cluster.process)
        cluster.kill()
    (secret,) = (bytes.fromhex(found) for found in made["secrets"])
    check_drawn_alone(card_study(), table, first, secret)
    check_only_files_of_rows(first)
    held = {key.material.secret for key in seeds(first).values()}
    assert len(held) == 4
    check_nothing_is_seen({secret, *held}, planted, made, looked, cluster)
    check_no_part(second)
    publish(
        second / "study.toml", spark.read.parquet(str(files)), out=second / "reports", keys=second / "keys",
        guarantee="computational", protection=Unprotected(),
    )  # fmt: skip
    check_only_files_of_rows(second)
    recovered = recover_answers(second / "reports", second / "keys", unlock=Unprotected())
    for name in ("moved", "place"):
        assert recovered[name].to_pylist() == table[name].to_pylist()


def check_no_part(folder):
    """Files of tasks that were killed lie where they were staged, and nothing is in place."""
    left = [path for path in (folder / "reports").rglob("*") if path.is_file() and path.suffix != ".lock"]
    assert left
    assert all("attempts" in path.parts for path in left)
    assert not list((folder / "keys").glob("*.key"))
    assert not (folder / "releases.json").exists()


@pytest.mark.slow
def test_a_task_that_is_overtaken_by_its_copy_changes_nothing(spark_here, tmp_path, table, files):
    folder = new_folder(tmp_path / "overtaken")
    settings = {
        "spark.speculation": "true",
        "spark.speculation.interval": "100ms",
        "spark.speculation.multiplier": "1.5",
        "spark.speculation.quantile": "0.5",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.files.maxPartitionBytes": 60_000,
        "spark.executorEnv.SFUMATO_TEST_LAGGARD": 30,
    }
    with Standalone(tmp_path / "machines") as machines:
        named = {name.replace(".", "__"): value for name, value in settings.items()}
        with Cluster(tmp_path / "spark", machines.address, **named) as cluster:
            cluster.begin(files, folder)
            made = cluster.end()
            assert made["refusal"] is None
    ends = cluster.task_ends()
    # The first task that drew was killed, because its copy, on the other machine, was done before it.
    copies = [info for reason, info in ends if info["Speculative"] and reason == "Success"]
    killed = [info for reason, info in ends if not info["Speculative"] and reason == "TaskKilled"]
    overtaken = [
        (slow, copy)
        for slow in killed
        for copy in copies
        if (slow["Stage"], slow["Index"]) == (copy["Stage"], copy["Index"]) and slow["Host"] != copy["Host"]
    ]
    assert any(slow["Index"] == 0 for slow, _ in overtaken)
    assert {info["Host"] for _, info in ends} == {"127.0.0.1", "127.0.0.2"}
    (secret,) = (bytes.fromhex(found) for found in made["secrets"])
    check_drawn_alone(card_study(), table, folder, secret)
    check_only_files_of_rows(folder)
