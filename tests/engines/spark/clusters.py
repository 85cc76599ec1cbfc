"""Sessions of Spark in processes of their own, which may be killed, and whose logs can be read."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from engines.spark.slow_tasks import RUNS
from engines.spark.spark_trees import ENVIRONMENT, QUIET, SHORT_LIVED, SOURCES, TESTS, executor_settings

PATIENCE_SECONDS = 120


class Cluster:
    """A session that is asked to publish; everything that Spark says of itself is under `folder`."""

    def __init__(self, folder, master, **settings):
        self.folder, self.events = folder, folder / "events"
        self.events.mkdir(parents=True)
        named = {name.replace("__", "."): str(value) for name, value in settings.items()}
        wanted = {
            **QUIET,
            **executor_settings(),
            "spark.driver.extraJavaOptions": f"{SHORT_LIVED} -Dlog4j2.configurationFile={_log4j(folder).as_uri()}",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.rolling.enabled": "false",
            "spark.eventLog.compress": "false",
            "spark.eventLog.dir": self.events.as_uri(),
            "spark.sql.files.openCostInBytes": "0",
            **named,
        }
        with (folder / "said.log").open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-W", "ignore", Path(__file__).parent / "cluster_runner.py"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True, start_new_session=True,
                env={**os.environ, **ENVIRONMENT, "PYTHONPATH": f"{SOURCES}:{TESTS}"},
            )  # fmt: skip
        wanted.pop("spark.log.level")
        self._send(master=master, settings=wanted)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        self.process.stdout.close()
        for pid in processes_of(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _send(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def begin(self, files, folder):
        """Begin to publish."""
        self._send(files=str(files), folder=str(folder))

    def end(self):
        """Wait until it is published."""
        return self._answer()

    def look(self, planted):
        """Return the pages of the UI."""
        self._send(look=planted.hex())
        return self._answer()

    def _answer(self):
        line = self.process.stdout.readline()
        assert line, (self.folder / "said.log").read_text()[-5000:]
        return json.loads(line)

    def kill(self):
        """Kill the driver, as a machine that fails does."""
        self.process.kill()
        self.process.wait()

    def logs(self):
        """All that Spark wrote, once it has ended: what it said, and its log of events."""
        return [path for path in self.folder.rglob("*") if path.is_file()]

    def task_ends(self):
        """How each run of a task ended, and what is known of it; a log is written through when a stage has ended."""
        (log,) = self.events.iterdir()
        events = [json.loads(line) for line in log.read_text().splitlines()]
        ends = [event for event in events if event["Event"] == "SparkListenerTaskEnd"]
        return [(end["Task End Reason"]["Reason"], {**end["Task Info"], "Stage": end["Stage ID"]}) for end in ends]


def _log4j(folder):
    """Say that everything is to be logged that Spark logs."""
    path = folder / "log4j2.properties"
    path.write_text(
        f"rootLogger.appenderRef.all.ref = all\nappender.all.type = File\nappender.all.name = all\n"
        f"appender.all.fileName = {folder / 'spark.log'}\nappender.all.layout.type = PatternLayout\n"
        "appender.all.layout.pattern = %d %p %c: %m%n%ex\n"
        # A driver in Python is taken for a shell, whose root says less.
        "logger.spark.name = org.apache.spark\nlogger.spark.level = info\n"
    )
    return path


def processes_of(leader):
    """The processes of a session of the system, which its first one may have left behind."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == leader:
                    found.append(int(entry.name))
    return found


def writers(folder):
    """The processes that are writing a file of a part under this folder, with the number of its first row."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            for held in (entry / "fd").iterdir():
                with contextlib.suppress(OSError):
                    target = str(held.readlink())
                    name = re.fullmatch(r".*/attempts/\.(\d{13})-.*", target)
                    if target.startswith(str(folder)) and name is not None:
                        found.append((int(entry.name), int(name[1])))
    return found


def wait_for_writers(folder, process):
    """Wait until some task is writing."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end and process.poll() is None:
        if found := writers(folder):
            return found
        time.sleep(0.01)
    raise AssertionError("no task was seen writing")


def kill_writers(folder, process, count):
    """Kill so many workers while they write a file, none in a run after which Spark would give up."""
    times, killed = Counter(), set()
    while len(killed) < count:
        for pid, first in wait_for_writers(folder, process):
            if pid not in killed and times[first] < RUNS - 1 and len(killed) < count:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
                times[first] += 1
        time.sleep(0.01)
    return times


class Standalone:
    """A master with two workers on addresses of this machine, each a process."""

    def __init__(self, folder):
        import pyspark

        self._command, self._folder = Path(pyspark.__file__).parent / "bin" / "spark-class", folder
        self._processes = []
        folder.mkdir()

    def __enter__(self):
        self._start("master.Master", "127.0.0.1", "--port", "0")
        self.address = self._told("master.Master-127.0.0.1", r"Starting Spark master at (spark://\S+)")
        for host in ("127.0.0.1", "127.0.0.2"):
            self._start(
                "worker.Worker", host, "--cores", "1", "--memory", "1g",
                "--work-dir", str(self._folder / f"work-{host}"), self.address,
            )  # fmt: skip
            self._told(f"worker.Worker-{host}", r"Successfully registered with master (\S+)")
        return self

    def __exit__(self, *_):
        for process in reversed(self._processes):
            process.terminate()
            process.wait(PATIENCE_SECONDS)

    def _start(self, kind, host, *options):
        with (self._folder / f"{kind}-{host}.log").open("w") as log:
            process = subprocess.Popen(
                [self._command, f"org.apache.spark.deploy.{kind}", "--host", host, "--webui-port", "0", *options],
                stdout=log, stderr=log, env={**os.environ, **ENVIRONMENT, "SPARK_LOCAL_IP": host},
            )  # fmt: skip
        self._processes.append(process)

    def _told(self, log, pattern):
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            found = re.search(pattern, (self._folder / f"{log}.log").read_text())
            if found is not None:
                return found[1]
            time.sleep(0.1)
        raise AssertionError((self._folder / f"{log}.log").read_text()[-3000:])
