"""A process of its own that reads damaged files one after another, and the account of what became of them.

Run as a program, it takes a job as JSON: which targets, how many cases each, the seed, and where to work. It tells its
findings and sums a line each. A case that takes the process with it is found by the parent in the file it was reading,
and the rest of the job goes to a new process.
"""

import contextlib
import gc
import importlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fuzz.mutations import mutated

SLOW_SECONDS = 5
HUNG_SECONDS = 20
MOST_GROWTH_MB = 500
LONGEST_SENTENCE = 1500
NOTHING = {"cases": 0, "read": 0, "seconds": 0.0, "slowest": 0.0, "growth_mb": 0.0, "corpus": 0}
_HERE = Path(__file__).parent


def run(counts, *, seed, folder, guided=False, table="fuzz.targets", slow=SLOW_SECONDS, hung=HUNG_SECONDS):
    """Run so many cases of each target in children; return findings, and sums by target."""
    limits = {"table": table, "slow": slow, "hung": hung}
    findings, sums, left = [], {}, dict(counts)
    start = {}
    while left:
        job = {"counts": left, "start": start, "seed": seed, "folder": str(folder), "guided": guided, **limits}
        done = subprocess.run(
            [sys.executable, "-m", "fuzz.processes", json.dumps(job)],
            cwd=_HERE.parent,
            env={**os.environ, "PYTHONPATH": _paths(), "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        for line in done.stdout.splitlines():
            said = json.loads(line)
            if "finding" in said:
                findings.append(said)
            else:
                name = said.pop("sum")
                sums[name] = _added(sums.get(name), said)
                left.pop(name), start.pop(name, None)
        if done.returncode == 0:
            break
        now = Path(folder) / "now.json"
        if done.returncode > 0 or not now.exists():
            raise RuntimeError(f"the fuzzing process itself failed:\n{done.stderr[-4000:]}")
        last = json.loads(now.read_text())
        now.unlink()
        name, case, path = last["target"], last["case"], Path(last["path"])
        kept = keep(folder, name, case, path.read_bytes(), path.suffix)
        why = f"code {done.returncode}\n{done.stderr[-3000:]}"
        findings.append({"finding": "died", "target": name, "case": case, "kept": kept, "why": why})
        # What was counted before the end is lost with the process; the cases themselves were run.
        sums[name] = _added(sums.get(name), {**NOTHING, "cases": case + 1 - start.get(name, 0)})
        start[name] = case + 1
    return findings, sums


def keep(folder, name, case, data, suffix):
    """Keep what was found, for a person to look at."""
    kept = Path(folder) / "found" / f"{name.replace(' ', '-')}-{case}{suffix}"
    kept.parent.mkdir(exist_ok=True)
    kept.write_bytes(data)
    return str(kept)


def _paths():
    return os.pathsep.join(path for path in sys.path if path)


def _added(before, more):
    if before is None:
        return dict(more)
    most = ("slowest", "growth_mb", "corpus")
    return {key: max(before[key], more[key]) if key in most else before[key] + more[key] for key in more}


@dataclass(frozen=True, kw_only=True)
class Target:
    """A reader: `seeds` are files that it reads; the first of the `forgers` changes bytes, the others structure.

    `share` is its part of a long run, smaller where a case takes longer; `watch` names the packages and modules whose
    lines guide it.
    """

    name: str
    suffix: str
    seeds: Callable[[], tuple[bytes, ...]]
    read: Callable[[Path], None]
    forgers: tuple[Callable[..., bytes], ...] = (mutated,)
    share: int = 4
    watch: tuple[str, ...] = ()


class Lines:
    """Which lines of the watched files were run: what reaches a new one is worth changing further."""

    def __init__(self, parts):
        self.parts = tuple(f"/sfumato/{part}" for part in parts)
        self.seen, self.new = set(), False
        self.watched = {}

    def __enter__(self):
        self.new = False
        sys.settrace(self._call)

    def __exit__(self, *_):
        sys.settrace(None)

    def _call(self, frame, _event, _argument):
        code = frame.f_code
        watched = self.watched.get(code)
        if watched is None:
            watched = self.watched[code] = any(part in code.co_filename for part in self.parts)
        return self._line if watched else None

    def _line(self, frame, event, _argument):
        if event == "line":
            place = (frame.f_code, frame.f_lineno)
            if place not in self.seen:
                self.seen.add(place)
                self.new = True
        return self._line


def _memory_mb(key):
    with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123  once a case, so it should be quick
        return next(int(line.split()[1]) for line in status if line.startswith(key)) / 1024


def _forget_peak():
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w", encoding="ascii") as refs:  # noqa: PTH123
        refs.write("5")


def _tell(**said):
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


def _problem(read, path):
    """Read a file; return whether it was read, and what is wrong with how it was refused."""
    from sfumato.errors import SfumatoError

    try:
        read(path)
    except SfumatoError as error:
        sentence = str(error)
        if len(sentence) > LONGEST_SENTENCE:
            return False, f"a sentence of {len(sentence)} characters: {sentence[:300]}"
        if not sentence.translate({10: None, 9: None}).isprintable():
            return False, f"a sentence with control characters: {sentence[:300]!r}"
        return False, None
    except Exception:  # noqa: BLE001  whatever else comes out is a finding
        return False, traceback.format_exc(limit=-6)[-3000:]
    return True, None


def _run_target(target, job):
    folder, start = Path(job["folder"]), job["start"].get(target.name, 0)
    path = folder / f"case{target.suffix}"
    now = os.open(folder / "now.json", os.O_RDWR | os.O_CREAT, 0o600)
    corpus = list(target.seeds())
    guide = Lines(target.watch) if job["guided"] and target.watch else contextlib.nullcontext()
    looked_at = corpus[: job["counts"][target.name]]  # a short run looks at few originals, a long one at all
    refused = [str(place) for place, data in enumerate(looked_at) if _refuses(target, path, data)]
    if refused:
        raise RuntimeError(f"{target.name}: originals {', '.join(refused)} are not read")
    sums = dict(NOTHING)
    originals = tuple(corpus)
    for case in range(start, job["counts"][target.name]):
        dice = random.Random(f"{job['seed']} {target.name} {case}")  # noqa: S311  a seeded soak, no secret
        place = dice.randrange(len(target.forgers))
        # Bytes can be changed in anything; structure only where it is known to be sound.
        data = target.forgers[place](dice, originals if place else corpus)
        # Writing over a file waits for the disk on some systems; a new one does not.
        path.unlink(missing_ok=True)
        path.write_bytes(data)
        os.pwrite(now, json.dumps({"target": target.name, "case": case, "path": str(path)}).ljust(500).encode(), 0)
        signal.setitimer(signal.ITIMER_PROF, job["hung"])
        _forget_peak()
        before, began, clock = _memory_mb("VmRSS"), time.process_time(), time.perf_counter()
        with guide:
            was_read, problem = _problem(target.read, path)
        # The processor's time, because the machine is shared.
        seconds, growth = time.process_time() - began, _memory_mb("VmHWM") - before
        signal.setitimer(signal.ITIMER_PROF, 0)
        found = {"traceback": problem} if problem else {}
        if seconds > job["slow"]:
            found["slow"] = f"{seconds:.1f} s"
        if growth > MOST_GROWTH_MB:
            found["memory"] = f"{growth:.0f} MB"
        for kind, why in found.items():
            kept = keep(folder, target.name, case, data, target.suffix)
            _tell(finding=kind, target=target.name, case=case, kept=kept, why=why)
        if isinstance(guide, Lines) and guide.new and len(data) < 100_000 and len(corpus) < 300:
            corpus.append(data)
        sums["cases"] += 1
        sums["read"] += was_read
        sums["seconds"] += time.perf_counter() - clock
        sums["slowest"], sums["growth_mb"] = max(sums["slowest"], seconds), max(sums["growth_mb"], growth)
    sums["corpus"] = len(corpus) - len(originals)
    os.close(now)
    _tell(sum=target.name, **sums)
    gc.collect()


def _refuses(target, path, data):
    path.write_bytes(data)
    was_read, problem = _problem(target.read, path)
    if problem:
        raise RuntimeError(problem)
    return not was_read


def main():
    """Do the job that was given as JSON."""
    from sfumato.errors import InsecureBitsWarning

    job = json.loads(sys.argv[1])
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", InsecureBitsWarning)
    # More than the bound, so that it is measured and not hit; less than the machine.
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))
    for target in importlib.import_module(job["table"]).TARGETS:
        if target.name in job["counts"]:
            _run_target(target, job)


if __name__ == "__main__":
    main()
