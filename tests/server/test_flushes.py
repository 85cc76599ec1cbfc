"""On disk before it is said: under strace, a flush lies between every request and its answer.

A killed process loses nothing that the system holds in memory, so killing cannot show this; a power failure would. Each
request is sent when the one before is answered. A control that does not flush must fail the same check.
"""

import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from server import samples
from server.databases import KINDS
from server.senders import Sender

REQUESTS = 12
CALLS = "fsync,fdatasync,read,recvfrom,recvmsg,write,writev,sendto,sendmsg"
LINE = re.compile(r"^(?P<pid>\d+)\s+(?P<time>\d+\.\d+) (?P<what>.*)$")


class Traced:
    """What processes asked of the system, in the order of time; `fsync` counts when it returned."""

    def __init__(self, pids, out):
        self._out = out
        attached = [word for pid in pids for word in ("-p", str(pid))]
        command = ["strace", "-f", "-ttt", "-s", "48", "-e", f"trace={CALLS}", "-o", str(out), *attached]
        self._strace = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for _ in pids:
            assert "attached" in self._strace.stderr.readline()

    def stop(self):
        self._strace.send_signal(signal.SIGINT)
        self._strace.wait(20)
        self._strace.stderr.close()
        return self._out.read_text(errors="replace").splitlines()


def in_order(lines):
    """Requests that came in, flushes that were done, and answers that began to go out."""
    found, unfinished = [], {}
    for line in lines:
        match = LINE.match(line)
        if not match:
            continue
        pid, when, what = match["pid"], float(match["time"]), match["what"]
        if what.endswith("<unfinished ...>"):
            unfinished[pid] = what.split("(", 1)[0]
            if "HTTP/1.1 200" in what:
                found.append((when, "answer"))
            continue
        call = what.split("(", 1)[0]
        resumed = re.match(r"<\.\.\. (\w+) resumed>", what)
        if resumed:
            call = resumed[1]
        if call in {"fsync", "fdatasync"} and what.rstrip().endswith("= 0"):
            found.append((when, "flush"))  # in the order of lines: strace writes a line when the call has returned
        elif "POST /reports" in what:
            found.append((when, "request"))
        elif "HTTP/1.1 200" in what and call in {"write", "writev", "sendto", "sendmsg"}:
            found.append((when, "answer"))
    return [what for _, what in sorted(found, key=lambda one: one[0])]


def unflushed(events):
    """How many answers went out without a flush since their request."""
    wrong, flushed = 0, False
    for event in events:
        if event == "request":
            flushed = False
        elif event == "flush":
            flushed = True
        else:
            wrong += not flushed
            flushed = False
    return wrong


def trace(servers, place, out, others=(), **store):
    """Send requests one after the other to a server under strace, and return what happened."""
    pid, port = servers.start(place, store=store)
    of = samples.collection()
    sender = Sender(port)
    assert sender.post("/reports", samples.plain_report(of, "first"))[0] == 200  # tables, connections and logs are made
    traced = Traced([pid, *others()] if others else [pid], out)
    time.sleep(0.2)
    for one in range(REQUESTS):
        assert sender.post("/reports", samples.plain_report(of, one))[0] == 200
    events = in_order(traced.stop())
    sender.close()
    os.kill(pid, signal.SIGTERM)
    assert servers.wait(pid) == 0
    assert events.count("answer") == events.count("request") == REQUESTS
    return events


def below(cluster):
    """All processes of a cluster."""
    mother = cluster.process.pid
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(mother)], capture_output=True, text=True, check=True)
    return [mother, *map(int, found.stdout.split())]


@pytest.mark.parametrize("kind", KINDS)
def test_a_flush_precedes_every_acknowledgement(kind, servers, tmp_path, postgres):
    if shutil.which("strace") is None:
        pytest.fail("strace is not installed: tools/system-packages brings it")
    if kind == "sqlite":
        place, others, off = str(tmp_path / "reports.sqlite"), (), {"synchronous": "OFF"}
        control = str(tmp_path / "control.sqlite")
    else:
        cluster = postgres()
        place, control, off = cluster.new_place(), cluster.new_place(), {"synchronous": False}

        def others():
            return below(cluster)

    assert unflushed(trace(servers, place, tmp_path / "strace", others)) == 0
    # The control acknowledges what is not on disk, and the same check says so.
    assert unflushed(trace(servers, control, tmp_path / "strace-control", others, **off)) >= REQUESTS // 2


def test_the_check_sees_an_answer_without_a_flush():
    assert unflushed(["request", "flush", "answer", "request", "flush", "answer"]) == 0
    assert unflushed(["request", "answer", "flush", "request", "flush", "answer"]) == 1
    assert unflushed(["flush", "request", "answer"]) == 1
