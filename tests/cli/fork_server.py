"""Runs the command many times in forks of one process, and interrupts it: importing and compiling once saves seconds.

Usage: fork_server.py SOCKET PID. It serves any number at a time until the process PID has ended. Who connects says
first what it is. The command in a shell (fork_command.py) hands over its streams, its folder and its environment, and
gets the exit code. A session is a fork that goes on: it reads one request a line, `{"arguments", "folder", "signal",
"after"}`, and answers `{"code", "seconds"}`; what a fork of it says goes to the files `stdout` and `stderr` beside
its folder, or where the request says, in the environment that it adds. Without a folder, the session runs the command
in its own process to warm up.
"""

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from pathlib import Path

import sfumato.cli
import sfumato.cli.app

# Every module of the house, and the libraries that it opens only when they are needed.
for module in pkgutil.walk_packages(sfumato.__path__, "sfumato."):
    importlib.import_module(module.name)
for name in (
    "constriction", "cryptography.hazmat.primitives.ciphers.aead", "cryptography.hazmat.primitives.kdf.argon2",
    "cryptography.hazmat.primitives.kdf.hkdf", "highspy", "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg", "matplotlib.figure", "numba", "pyarrow.compute", "pyarrow.csv",
    "pyarrow.parquet", "rich.console", "rich.markdown", "rich.progress", "rich.status", "rich.table", "scipy.fft",
    "scipy.linalg", "scipy.optimize", "scipy.sparse", "scipy.special", "scipy.stats", "typer.rich_utils",
):  # fmt: skip
    importlib.import_module(name)

# What is compiled is loaded on first use, and a fork would do that anew every time.
for size, guarantee in ((2, "INFORMATION_THEORETIC"), (5, "INFORMATION_THEORETIC"), (2, "COMPUTATIONAL")):
    ladder = sfumato.Ladder.within(size=size, epsilons=(2.0, 1.0))
    made = ladder.publish([0, 1], guarantee=sfumato.sampling.Guarantee[guarantee])
    ladder.open(made.reports, made.keys[1])

SECONDS_BETWEEN_LOOKS = 1
STUDY = """schema = "sfumato/study/2"
name = "Warm"
public = { epsilon = 1 }
registrar = { recover = true }
analysts = [{ name = "press", epsilon = 2 }]
[[questions]]
id = "a"
text = "A?"
kind = "yes-no"
[[questions]]
id = "b"
text = "B?"
kind = "one-of-many"
answers = ["x", "y", "z"]
[[questions]]
id = "c"
text = "C?"
kind = "count"
highest = 4
"""


def run(request, begun):
    """Be the command, in a fork; tell through a pipe when it has begun and can be interrupted."""
    arguments = request["arguments"]
    os.chdir(request["folder"])
    os.environ.update(request.get("environment", {}))
    said = request.get("said", "..")
    for number, name in ((0, os.devnull), (1, f"{said}/stdout"), (2, f"{said}/stderr")):
        os.dup2(os.open(name, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    verbs = sfumato.cli.app.main

    def announced():
        os.write(begun, b"!")
        os.close(begun)
        verbs()

    sfumato.cli.app.main = announced
    be_the_command(arguments)


def be_the_command(arguments):
    """Run it and end with its code."""
    sys.argv = ["sfumato", *arguments]
    try:
        sfumato.cli.main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:  # noqa: BLE001  a test looks for what it prints
        traceback.print_exc()
        code = 99
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def warm_up(arguments):
    """Run the command here, so that every fork finds it compiled."""
    sys.argv = ["sfumato", *arguments]
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(sys.stderr):
        sfumato.cli.main()
    signal.signal(signal.SIGINT, signal.default_int_handler)


def run_through():
    """Take a small study from plan to page, here: forks find loaded and compiled what the commands need."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("study.toml").write_text(STUDY, encoding="utf-8")
        Path("answers.csv").write_text("a,b,c\n" + "yes,x,3\nno,y,1\n" * 20, encoding="utf-8")
        for command in (
            "plan study.toml -o certificates --plot plan.svg", "budget init l.ledger --epsilon 9",
            "publish answers.csv --study study.toml --out r.parquet --keys keys --unprotected",
            "open r.parquet --key keys/press.a.key --out p.csv", "estimate r.parquet --json", "estimate r.parquet",
            "recover r.parquet --key keys/registrar.a.key --out back.csv", "verify certificates/a.certificate.json",
            "report r.parquet --out r.html", "plan --guess-error 0.35", "estimate missing.parquet", "publish --help",
        ):  # fmt: skip
            warm_up(command.split())
    gc.collect()
    gc.freeze()  # what is collected is looked at, and what a fork looks at it copies


def serve(path, owner):
    """Take each connection in a fork of its own."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen(16)
    listening.settimeout(SECONDS_BETWEEN_LOOKS)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while is_there(owner):
        with contextlib.suppress(TimeoutError):
            asking, _ = listening.accept()
            if os.fork():
                asking.close()
                continue
            listening.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            raw, streams, _, _ = socket.recv_fds(asking, 1 << 20, 3)
            request = json.loads(raw)
            if "arguments" in request:
                serve_shell(asking, request, streams)
            else:
                serve_session(asking, request)
            os._exit(0)


def is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def be_at(request):
    """Take on the folder and the environment of whoever asks."""
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])


def serve_shell(asking, request, streams):
    """Answer with the exit code of the command, in a fork that waits for it, so that a pipe of two can run."""
    pid = os.fork()
    if pid == 0:
        asking.close()
        be_at(request)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        be_the_command(request["arguments"])
    for stream in streams:
        os.close(stream)
    _, status = os.waitpid(pid, 0)
    asking.sendall(bytes([os.waitstatus_to_exitcode(status) & 255]))


def serve_session(asking, request):
    """Answer request after request, until nobody is there to ask."""
    be_at(request)
    asking.sendall(b"{}\n")
    for line in asking.makefile(encoding="utf-8"):
        asking.sendall(json.dumps(answered(json.loads(line))).encode() + b"\n")


def answered(request):
    """Run the command in a fork, or here to warm up, and tell what became of it."""
    if request["folder"] is None:
        warm_up(request["arguments"])
        return {}
    ready, begun = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ready)
        run(request, begun)
    os.close(begun)
    os.read(ready, 1)
    os.close(ready)
    start = time.perf_counter()
    if request["signal"] is not None:
        time.sleep(request["after"])
        os.kill(pid, request["signal"])
    _, status = os.waitpid(pid, 0)
    return {"code": os.waitstatus_to_exitcode(status), "seconds": time.perf_counter() - start}


if __name__ == "__main__":
    _, path, owner = sys.argv
    run_through()
    serve(path, int(owner))
