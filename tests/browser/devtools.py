"""A real Chromium over its own pipe: pages are opened, measured, printed and judged by axe-core.

The DevTools protocol is JSON with a NUL byte after each message, so nothing but Chromium itself is needed to drive it.
"""

import base64
import contextlib
import fcntl
import itertools
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path

# The shell is the same browser without windows, and takes a third less work to drive.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    # What no test looks at; without it Chromium works a little less.
    "--disable-gpu-rasterization",
    "--disable-extensions",
    "--disable-breakpad",
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--host-resolver-rules=MAP plain.test 127.0.0.1",  # a name that is not this machine's own
    "--remote-debugging-pipe",
]
PATIENCE = 90
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


class Browser:
    """One Chromium with an empty profile."""

    def __init__(self, profile):
        commands_out, self._commands = (_high(fd) for fd in os.pipe())
        self._answers, answers_in = (_high(fd) for fd in os.pipe())
        self._process = subprocess.Popen(
            [
                "bash", "-c", f'exec "$@" 3<&{commands_out} 4>&{answers_in}', "bash",
                CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "about:blank",
            ],
            pass_fds=(commands_out, answers_in),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(profile)},
        )  # fmt: skip
        os.close(commands_out)
        os.close(answers_in)
        self._numbers = itertools.count(1)
        self._rest = b""
        self.events = []

    def close(self):
        with contextlib.suppress(OSError, TimeoutError, EOFError):
            self.ask("Browser.close")
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._commands)
        os.close(self._answers)

    def ask(self, method, session=None, **parameters):
        """Send a command and return its answer; what happens meanwhile is kept in `events`."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data) :]
        while True:
            answer = self._next()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method, session):
        """Wait until something has happened on a page."""
        while not any(e.get("method") == method and e.get("sessionId") == session for e in self.events):
            self.events.append(self._next())

    def forget(self, session):
        """Leave out what has happened on a page: it is closed, or begins anew."""
        self.events = [e for e in self.events if e.get("sessionId") != session]

    def page(self, url, *, width=1000, height=900, dark=False, paper=False, context=None):
        """Open a page; in a `context` of its own it has storage of its own."""
        return Page(self, url, width, height, dark=dark, paper=paper, context=context)

    def _next(self):
        until = time.monotonic() + PATIENCE
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._answers], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise TimeoutError(f"Chromium said nothing for {PATIENCE} seconds.")
            data = os.read(self._answers, 1 << 20)
            if not data:
                raise EOFError("Chromium ended by itself.")
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)


class Page:
    """A tab of its own, with everything it asked for and complained about."""

    def __init__(self, browser, url, width, height, *, dark, paper, context=None):
        self._browser = browser
        apart = {} if context is None else {"browserContextId": context}
        self._target = browser.ask("Target.createTarget", url="about:blank", **apart)["targetId"]
        self._session = browser.ask("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        self.ask(
            "Emulation.setEmulatedMedia",
            media="print" if paper else "screen",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        browser.forget(self._session)
        self.ask("Page.navigate", url=url)
        browser.wait_for("Page.loadEventFired", self._session)
        self.wait_for_frames()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._browser.ask("Target.closeTarget", targetId=self._target)
        self._browser.forget(self._session)

    def wait_for_frames(self):
        """What hangs on scrolling is styled by the frame after the one that laid the page out."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def ask(self, method, **parameters):
        return self._browser.ask(method, self._session, **parameters)

    def run(self, script):
        """Evaluate an expression in the page and return its value."""
        found = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(json.dumps(found["exceptionDetails"])[:2000])
        return found["result"].get("value")

    def violations(self):
        """What axe-core finds against WCAG 2, levels A and AA: the rule, and where."""
        self.run(AXE.read_text() + ";0")
        return self.run(
            f"axe.run(document, {{runOnly: {{type: 'tag', values: {json.dumps(RULES)}}}, resultTypes: ['violations']}})"
            ".then(found => found.violations.map(v => [v.id, v.nodes.map(n => n.target.join(' ')).slice(0, 5)]))"
        )

    def requested(self):
        """Every address that the page asked for."""
        return [
            e["params"]["request"]["url"]
            for e in self._browser.events
            if e.get("sessionId") == self._session and e.get("method") == "Network.requestWillBeSent"
        ]

    def complaints(self):
        """What the browser has to say: blocked content, errors."""
        return [
            e["params"]["entry"]["text"]
            for e in self._browser.events
            if e.get("sessionId") == self._session and e.get("method") == "Log.entryAdded"
        ]

    def said(self):
        """Everything that was written to the page's console, as it travelled."""
        kinds = {"Runtime.consoleAPICalled", "Log.entryAdded", "Runtime.exceptionThrown"}
        mine = [e for e in self._browser.events if e.get("sessionId") == self._session and e.get("method") in kinds]
        return json.dumps(mine).encode()

    def overflow(self):
        """By how many pixels the page is wider than the screen."""
        return self.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def picture(self, *, whole=False):
        """A PNG of what is seen, or of the whole page."""
        return base64.b64decode(
            self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **self._all(whole))["data"]
        )

    def printed(self):
        """The page as PDF, on A4."""
        return base64.b64decode(
            self.ask("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, printBackground=False)["data"]
        )

    def _all(self, whole):
        if not whole:
            return {}
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}


def _high(descriptor):
    """Move a pipe's end out of the way of the two numbers that Chromium expects."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 20)
    os.close(descriptor)
    return moved


def missing_sentence(*, chromium, has_axe):
    """Say what is missing and how to get it; empty when nothing is."""
    missing = [] if chromium else ["Chromium (apt-get install chromium-headless-shell)"]
    missing += [] if has_axe else ["axe-core (npm ci in tests/browser)"]
    return f"the browser tests need {' and '.join(missing)}; run tools/system-packages" if missing else ""
