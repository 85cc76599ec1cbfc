"""Runs the command many times in forks of one process, and interrupts it: importing and compiling once saves seconds.

Reads one request a line, `{"arguments", "folder", "signal", "after"}`, and answers `{"code", "seconds"}`; what a fork
says goes to the files `stdout` and `stderr` beside its folder, or where the request says, in the environment that it
adds. Without a folder, the server runs the command in its own process to warm up.
"""

import contextlib
import dataclasses
import importlib
import json
import os
import pkgutil
import signal
import sys
import time
import traceback

import sfumato.cli
import sfumato.cli.app
import sfumato.papers

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
    made = ladder.publish([0, 1], guarantee=sfumato.values.Guarantee[guarantee])
    ladder.open(made.reports, made.keys[1])

whole = sfumato.papers.PAPERS["randomized-responses"]
figure = {name: draw for name, draw in whole.figures.items() if name == "figure-2"}
tiny = dataclasses.replace(whole, tables={}, errata=(), figures=figure)
sfumato.papers.PAPERS = {**sfumato.papers.PAPERS, "tiny": tiny}


def run(request, begun):
    """Be the command, in a fork; tell through a pipe when it has begun and can be interrupted."""
    arguments = request["arguments"]
    os.chdir(request["folder"])
    os.environ.update(request.get("environment", {}))
    said = request.get("said", "..")
    for number, name in ((0, os.devnull), (1, f"{said}/stdout"), (2, f"{said}/stderr")):
        os.dup2(os.open(name, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    sys.argv = ["sfumato", *arguments]
    verbs = sfumato.cli.app.main

    def announced():
        os.write(begun, b"!")
        os.close(begun)
        verbs()

    sfumato.cli.app.main = announced
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


def main():
    for line in sys.stdin:
        request = json.loads(line)
        if request["folder"] is None:
            warm_up(request["arguments"])
            sys.stdout.write("{}\n")
            sys.stdout.flush()
            continue
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
        answer = {"code": os.waitstatus_to_exitcode(status), "seconds": time.perf_counter() - start}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


main()
