"""Runs cases in forks that kill themselves at a chosen step, or fail at it, and once more in forks that do not.

Reads one request a line, `{"folder", "case", "fatal"}`: in a fork, the case is run in the folder, and the fork kills
itself just before or after a flush, a renaming, a removal or a record of a ledger, at the step with the number `fatal`.
`"how"` may be `fail` (the disk is full from that step on) or `interrupt` instead. With `"number"` the debit of that
number is voided instead. `"argv"` runs the command, killed after so many `"seconds"`. Limits of the process may be set
by `"limits"`, memory beyond what it has now by `"memory"`, and what is left of every disk by `"free"`. The answer is
`{"code", "steps", "said"}`; `steps` is how many there were.
"""

import contextlib
import errno
import io
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

import pyarrow as pa

from sfumato.cli.app import main
from sfumato.errors import SfumatoError
from sfumato.ledger import ledger as ledgers
from sfumato.workflows.budget import void_debit

sys.path.insert(0, str(Path(__file__).parents[1]))
from workflows.crash_cases import CASES, make

pa.set_cpu_count(1)
STEPS = ("fsync", "link", "replace", "rename", "unlink", "rmdir", "mkdir")
WRITES = ("fsync", "link", "replace", "rename", "mkdir")
"""What needs room; a full disk lets go of files."""


class Steps:
    """Counts the steps of a process, and ends it at one of them."""

    def __init__(self, fatal, how):
        self.fatal, self.how, self.count = fatal, how, 0

    def step(self, name):
        reached = self.count == self.fatal
        self.count += 1
        if reached and self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if reached and self.how == "interrupt":
            raise KeyboardInterrupt
        if self.how == "fail" and 0 <= self.fatal < self.count and name in WRITES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def around(self, name, call):
        def stepped(*arguments, **options):
            self.step(name)
            found = call(*arguments, **options)
            if self.how == "kill":  # after one is before the next, but for what is done in between
                self.step(name)
            return found

        return stepped


def watched(fatal, how):
    steps = Steps(fatal, how)
    for name in STEPS:
        setattr(os, name, steps.around(name, getattr(os, name)))
    ledgers.append = steps.around("debit", ledgers.append)
    return steps


def run(request):
    case, number = CASES[request["case"]], request.get("number")
    steps = watched(request["fatal"], request.get("how", "kill"))
    if number is None:
        case.run()
    else:
        void_debit("budget", number, **case.void_options())
    return steps.count


def command(argv):
    """Run the command as it is run from a terminal; what it says to people is the answer."""
    said = io.StringIO()
    sys.argv = ["sfumato", *argv]
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            main()
        except SystemExit as ended:
            return int(ended.code or 0), said.getvalue()
    return 0, said.getvalue()


def held_bytes():
    """How much address space the process has."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def in_fork(request, writing):
    found, code = {}, 1
    try:
        os.chdir(request["folder"])
        for name, limit in request.get("limits", {}).items():
            resource.setrlimit(getattr(resource, name), (limit, limit))
        if "memory" in request:
            limit = held_bytes() + request["memory"]
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        if "free" in request:
            shutil.disk_usage = lambda _: shutil._ntuple_diskusage(request["free"], 0, request["free"])
        if "argv" in request:
            if request.get("fatal", -1) >= 0:
                watched(request["fatal"], request["how"])
            code, said = command(request["argv"])
            found = {"said": said}
        else:
            found, code = {"steps": run(request)}, 0
    except SfumatoError as error:
        found = {"said": f"{type(error).__name__}: {error}"}
    except BaseException:  # noqa: BLE001  the fork ends here, and the test reads why
        found = {"said": traceback.format_exc()}
    os.write(writing, json.dumps(found).encode())
    os._exit(code)


def answer(request):
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        in_fork(request, writing)
    os.close(writing)
    if "seconds" in request:
        time.sleep(request["seconds"])
        os.kill(pid, signal.SIGKILL)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(pid, 0)
    return {"code": os.waitstatus_to_exitcode(status), **(json.loads(text) if text else {})}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as warm:  # compiles what the forks will need
        os.chdir(make(Path(warm) / "study", "erase", Path(warm) / "other"))
        CASES["erase"].run()
        os.chdir("/")
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()
