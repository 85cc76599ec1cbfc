"""Publishes on a session of Spark of its own, which tests kill and look into.

The first line is `{"master", "settings"}`. Each line after it is one request, `{"files", "folder"}`: the files are
published into the folder, by slow tasks. The answer tells the secret that the part was drawn with, what was said
against it, and the plans of its jobs. `{"look"}` asks for the pages of the UI instead.
"""

import contextlib
import io
import json
import os
import sys
import urllib.request
from pathlib import Path

from engines.spark.slow_tasks import SlowDrawTask
from sfumato.errors import SfumatoError
from sfumato.keys import Unprotected
from sfumato.publications import spark_writing as spark_parts
from sfumato.workflows import releasing as requests
from sfumato.workflows.publishing import publish

secrets, plans = [], []


def watched(session):
    """Note the plans of all jobs, and the secrets of parts; executors wait as they are told."""
    spark_parts.DrawTask = SlowDrawTask
    new_secret, kind = requests.new_secret, type(session.range(1))
    mapped = kind.mapInArrow

    def noted(*arguments):
        secrets.append(new_secret(*arguments))
        return secrets[-1]

    def explained(frame, *arguments, **options):
        found = mapped(frame, *arguments, **options)
        plans.append(explanation(found))
        return found

    requests.new_secret, kind.mapInArrow = noted, explained


def explanation(frame):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        frame.explain(extended=True)
        frame.explain(mode="codegen")
    return said.getvalue()


def published(session, files, folder):
    secrets.clear()
    plans.clear()
    refusal = None
    try:
        publish(
            Path(folder) / "study.toml", session.read.parquet(files), out=Path(folder) / "reports",
            keys=Path(folder) / "keys", guarantee="computational", protection=Unprotected(),
        )  # fmt: skip
    except SfumatoError as error:
        refusal = f"{type(error).__name__}: {error}"
    return {"secrets": [secret.hex() for secret in secrets], "plans": plans, "refusal": refusal}


def pages(session, planted):
    """The pages of the UI, after a job whose plan gives a planted secret away."""
    from pyspark.sql import functions as f

    frame = session.range(10).select("id", f.lit(bytearray.fromhex(planted)).alias("planted"))
    shown = explanation(frame)
    frame.collect()
    context = session.sparkContext
    root, app = context.uiWebUrl, context.applicationId
    names = ["jobs/", "stages/", "storage/", "environment/", "executors/", "SQL/", "api/v1/applications"]
    names += [f"api/v1/applications/{app}/{name}" for name in ("jobs", "stages?details=true", "environment", "sql")]
    runs = json.loads(fetched(f"{root}/api/v1/applications/{app}/sql?length=1000"))
    names += [f"SQL/execution/?id={run['id']}" for run in runs]
    return {"pages": {name: fetched(f"{root}/{name}") for name in names}, "plans": [shown]}


def fetched(address):
    with urllib.request.urlopen(address) as answer:  # noqa: S310  our own
        return answer.read().decode()


def main():
    from pyspark.sql import SparkSession

    asked = json.loads(sys.stdin.readline())
    builder = SparkSession.builder.master(asked["master"]).appName("a session that tests kill")
    for name, value in asked["settings"].items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    watched(session)
    answering = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        request = json.loads(line)
        found = pages(session, request["look"]) if "look" in request else published(session, **request)
        answering.write(json.dumps(found) + "\n")
        answering.flush()
    session.stop()


if __name__ == "__main__":
    main()
