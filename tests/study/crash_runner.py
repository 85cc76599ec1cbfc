"""Publishes in forks that kill themselves at a chosen step, and once more in forks that do not.

Reads one request a line, `{"folder", "case", "fatal"}`: in a fork, the case is published in the folder, and the fork
kills itself just before or after a flush, a renaming or a record of a ledger, at the step with the number `fatal`. With
`"number"` the debit of that number is voided instead, where removing what is staged is a step too. The answer is
`{"code", "steps", "said"}`; `steps` is how many there were.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path

import pyarrow as pa

import sfumato as sf
from sfumato.account import ledgers
from sfumato.errors import SfumatoError
from sfumato.refine import Unprotected
from sfumato.study.steps import void_debit

pa.set_cpu_count(1)

CASES = {
    "public": {"out": "reports.parquet"},
    "public csv": {"out": "reports.csv"},
    "keys": {"out": "reports.parquet", "keys": "keys", "protection": Unprotected()},
    "keys csv": {"out": "out/reports.csv", "keys": "elsewhere/keys", "protection": Unprotected(), "keep": ["region"]},
    "rotated": {"out": "reports.csv", "keys": "rotated", "epoch": 1, "unlock": Unprotected()},
    "ledger alone": {"out": "reports.csv", "record": "none"},
    "again": {"out": "second.csv", "again": "second"},
}


class Steps:
    """Counts the steps of a process, and ends it at one of them."""

    def __init__(self, fatal):
        self.fatal, self.count = fatal, 0

    def step(self):
        if self.count == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        self.count += 1

    def around(self, call):
        def stepped(*arguments, **options):
            self.step()
            found = call(*arguments, **options)
            self.step()
            return found

        return stepped


def publish(case, fatal):
    steps = watched(fatal)
    options = dict(CASES[case])
    study = sf.read_study("study.toml") if options.pop("record", None) else "study.toml"
    sf.publish(study, "answers.csv", **options)
    return steps.count


def void(case, fatal, number):
    steps = watched(fatal)
    os.unlink, os.rmdir = steps.around(os.unlink), steps.around(os.rmdir)
    options = {name: CASES[case][name] for name in ("out", "keys") if name in CASES[case]}
    if "record" in CASES[case]:
        options["study"] = sf.read_study("study.toml")
    void_debit("budget", number, **options)
    return steps.count


def watched(fatal):
    steps = Steps(fatal)
    os.fsync, os.link, os.replace = (steps.around(call) for call in (os.fsync, os.link, os.replace))
    Path.replace = steps.around(Path.replace)
    ledgers.append = steps.around(ledgers.append)
    return steps


def answer(request):
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        found = {}
        try:
            os.chdir(request["folder"])
            case, fatal, number = request["case"], request["fatal"], request.get("number")
            found = {"steps": publish(case, fatal) if number is None else void(case, fatal, number)}
        except SfumatoError as error:
            found = {"said": f"{type(error).__name__}: {error}"}
        except BaseException:  # noqa: BLE001  the fork ends here, and the test reads why
            found = {"said": traceback.format_exc()}
        os.write(writing, json.dumps(found).encode())
        os._exit(0 if "steps" in found else 1)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(pid, 0)
    return {"code": os.waitstatus_to_exitcode(status), **(json.loads(text) if text else {})}


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    publish("public", -1)  # compiles what the forks will need
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()
