"""A respondent at a real page: a study of every kind, its server, and a walk through it by keys, mouse and eyes."""

import csv
import io
import json
import time
from contextlib import contextmanager
from fractions import Fraction

from PIL import Image

from server.plain_server import InThread
from sfumato.server.opening import open_server
from sfumato.server.pages import pages_of
from sfumato.server.settings import Settings
from sfumato.study import (
    Analyst,
    AskIf,
    BoundedNumber,
    Card,
    CollectTerms,
    Count,
    LargeList,
    OneOfMany,
    Ordered,
    Several,
    Study,
    YesNo,
    write_study,
)
from sfumato.workflows.key_files import make_key_pair

TOWNS = tuple(
    f"{first}{second}"
    for first in ("Ober", "Unter", "Neu", "Alt", "Groß", "Klein", "Bad ", "Sankt ")
    for second in ("bach", "berg", "burg", "dorf", "feld", "hausen", "heim", "kirchen", "münde", "stadt", "tal", "wald")
)
OVERTIME = "Did you work unpaid overtime in the last four weeks?"
EXTRA = "How many hours of unpaid overtime was it?"
CONTRACT = "What kind of contract do you have?"
TIRED = "How often are you tired when you come home?"
HELPED = "Which of these would help you?"
WAGE = "What do you earn in an hour, in euros?"
TOWN = "In which town do you work?"
SICK = "Have you gone to work although you were ill?"
QUESTIONS = (
    YesNo(id="overtime", text=OVERTIME),
    Count(id="extra", text=EXTRA, highest=60, missing="hidden", ask_if=AskIf(question="overtime", answers=("yes",))),
    OneOfMany(
        id="contract",
        text=CONTRACT,
        answers=("permanent", "fixed term", "agency work", "self-employed"),
        missing="hidden",
    ),
    Ordered(id="tired", text=TIRED, answers=("never", "rarely", "at times", "often", "always")),
    Several(
        id="helped",
        text=HELPED,
        options=("shorter hours", "a pay rise", "working from home", "more colleagues"),
        ask=4,
        none="none",
    ),
    BoundedNumber(id="wage", text=WAGE, highest=Fraction(100), step=Fraction(1, 2), missing="hidden"),
    LargeList(id="town", text=TOWN, dictionary=TOWNS, others="elsewhere"),
    Card(id="sick", text=SICK, guess_error=Fraction(3, 8), max_epsilon=Fraction(3, 2), faces=100, missing="public"),
)
TERMS = {
    "asked_by": "Institute for Labour Studies, Example City",
    "about": "We want to know how people work and how well they are, without knowing it of anybody in particular.",
    "contact": "Dr. Ada Muster, survey@example.org",
}
KEYS = {
    "Tab": (9, None), "Enter": (13, "\r"), " ": (32, " "), "ArrowDown": (40, None), "ArrowUp": (38, None),
    "ArrowRight": (39, None), "Escape": (27, None),
}  # fmt: skip
SILENT = {"none", "generic", "InlineTextBox", "StaticText", "RootWebArea", "paragraph", "LabelText", "Legend", None}
ROLES = """(() => { const e = document.activeElement; return e.tagName + (e.type ? ':' + e.type : '') })()"""


def working_life(folder, **changes):
    """The study with the key pairs of its readers; returns its file."""
    readers = {"ministry": Fraction(3), "press": Fraction(2)}
    for name in (*readers, "registrar"):
        make_key_pair(folder / name)
    declared = {
        "name": "Working life",
        "questions": QUESTIONS,
        "analysts": tuple(Analyst(name=name, epsilon=e, public_key=f"{name}.pub") for name, e in readers.items()),
        "public_epsilon": Fraction(1),
        "registrar_key": "registrar.pub",
        "collect": CollectTerms(**TERMS),
    }
    write_study(Study(**(declared | changes)), folder / "study.toml")
    return folder / "study.toml"


class Survey:
    """A server in this process, with people invited to it, each by a link that is used once."""

    def __init__(self, path, people):
        self.opened = open_server(path)
        self.collection = self.opened.collection
        self.store = self.opened.store.clone()
        self._server = self.opened.server(Settings(port=0, rate=0.0, wait_seconds=0.0))
        self.running = InThread(self._server)
        self.url = self.running.url
        invites = path.with_name("invites.csv")
        # The server has its own connection by now.
        self.opened.invite(people, invites, self.url)
        with invites.open(newline="") as file:
            self._links = [row["link"] for row in csv.DictReader(file)]

    def close(self):
        self.running.stop()
        self.store.close()

    def link(self, language=None):
        """The next invitation; its fragment has token, study and key."""
        link = self._links.pop()
        return link if language is None else link.replace("/#", f"/?lang={language}#")

    def rows(self):
        """What is kept, as reports by question, under the hex of its id."""
        return {row.id.hex(): self.collection.unpack_row(row.row) for row in self.store.snapshot()}

    @contextmanager
    def waiting(self, seconds):
        """Let devices wait up to so long."""
        pages_of(self._server)._wait_seconds = seconds
        yield
        pages_of(self._server)._wait_seconds = 0.0

    @contextmanager
    def closed(self):
        """Take no reports for a while."""
        state = self.store.state()
        self.store.set_state(type(state)(fingerprint=state.fingerprint, mode=state.mode, wave=state.wave, closed=True))
        yield
        self.store.set_state(state)


class Visit:
    """A visit to a page, in a tab with storage of its own."""

    def __init__(self, browser, url, *, width=375, dark=False, script=True, before=None, context=None):
        self.context = browser.ask("Target.createBrowserContext")["browserContextId"] if context is None else context
        self._browser = browser
        self.page = browser.page(
            "about:blank", width=width, height=812 if width < 500 else 900, dark=dark, context=self.context
        )
        self.page.ask("Accessibility.enable")
        if before is not None:
            self.page.ask("Page.addScriptToEvaluateOnNewDocument", source=before)
        if not script:
            self.page.ask("Emulation.setScriptExecutionDisabled", value=True)
        self.go(url)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._browser.ask("Target.disposeBrowserContext", browserContextId=self.context)
        self._browser.forget(self.page._session)

    def go(self, url):
        session = self.page._session
        self._browser.events = [
            e for e in self._browser.events if e.get("sessionId") != session or e["method"] != "Page.loadEventFired"
        ]
        self.page.ask("Page.navigate", url=url)
        self._browser.wait_for("Page.loadEventFired", session)

    def reload(self):
        self.go(self.run("location.href"))

    def run(self, script):
        return self.page.run(script)

    def wait(self, script, patience=60):
        """Wait until something is true on the page."""
        until = time.monotonic() + patience
        while not self._is_so(script):
            if time.monotonic() > until:
                raise TimeoutError(f"never: {script}\n{self.text()[-1500:]}")
            time.sleep(0.02)

    def _is_so(self, script):
        """On the way from one page to the next there is nothing to ask."""
        try:
            return self.run(f"document.body !== null && !!({script})")
        except RuntimeError:
            return False

    def heading(self, text):
        """Wait for a step by its heading, which has the focus."""
        self.wait(f"document.querySelector('h1')?.innerText.includes({json.dumps(text)})")
        assert self.run("document.querySelectorAll('h1').length") == 1

    def text(self):
        return self.run("document.body.innerText")

    def begin(self):
        """Wait for the first page, and press its button."""
        self.wait("document.querySelector('#start button')")
        self.click("#start form button")

    def click(self, selector, place=0):
        self.run(f"[...document.querySelectorAll({json.dumps(selector)})].at({place}).click()")

    def next(self):
        self.click("main form button[type=submit]")

    def fill(self, text):
        """Write into the field of the question."""
        self.run("document.querySelector('#answer').focus()")
        self.run("document.querySelector('#answer').select()")
        self.page.ask("Input.insertText", text=text)

    def press(self, *keys):
        """Press keys as a person does, one after the other."""
        for key in keys:
            code, text = KEYS[key]
            said = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": code}
            self.page.ask("Input.dispatchKeyEvent", type="keyDown", **said, **({"text": text} if text else {}))
            self.page.ask("Input.dispatchKeyEvent", type="keyUp", **said)

    def tab_to(self, what, most=40):
        """Tab until what has the focus is as described, by its role or its name."""
        for _ in range(most):
            self.press("Tab")
            focused = self.run(f"{ROLES} + ' ' + (document.activeElement.innerText || '')")
            if what in focused:
                return focused
        raise AssertionError(f"no way by Tab to {what}")

    def type(self, text):
        self.page.ask("Input.insertText", text=text)

    def tree(self):
        """What readers aloud go through: role and name, in order, without what they leave out."""
        nodes = self.page.ask("Accessibility.getFullAXTree")["nodes"]
        by_id = {node["nodeId"]: node for node in nodes}
        found, left = [], [nodes[0]["nodeId"]]
        while left:
            node = by_id[left.pop()]
            left += [one for one in reversed(node.get("childIds", [])) if one in by_id]
            role = node.get("role", {}).get("value")
            if not node.get("ignored") and role not in SILENT:
                found.append((role, node.get("name", {}).get("value", "")))
        return found

    def posted(self):
        """Path and body of everything that was sent."""
        events = [e for e in self._browser.events if e.get("sessionId") == self.page._session]
        asked = [e["params"]["request"] for e in events if e["method"] == "Network.requestWillBeSent"]
        return [
            (one["url"].partition("/")[2].partition("/")[2].partition("/")[2], one.get("postData", ""))
            for one in asked
            if one["method"] == "POST"
        ]

    def stored(self):
        """Everything that is kept on the device, as text."""
        return self.run("JSON.stringify(Object.entries(localStorage)) + JSON.stringify(Object.entries(sessionStorage))")

    def picture(self, path):
        """Keep a picture of the whole page, in few colours: it is all letters and planes."""
        self.page.wait_for_frames()
        whole = Image.open(io.BytesIO(self.page.picture(whole=True))).convert("RGB")
        whole.quantize(64, dither=Image.Dither.NONE).convert("RGB").save(path, lossless=True, method=6)


def answer_all(visit, seen=lambda name, **_: None, *, decimal="."):
    """Answer every kind with the mouse; `seen` is called at each step."""
    visit.begin()
    visit.heading(OVERTIME)
    seen("one")
    visit.click("input[type=radio]", 1)
    visit.next()
    visit.heading(EXTRA)
    seen("number")
    visit.fill("12")
    visit.next()
    visit.heading(CONTRACT)
    visit.run("document.querySelector('details').open = true")
    seen("choices")
    visit.click("input[type=radio]", 1)
    visit.next()
    visit.heading(TIRED)
    seen("scale")
    visit.click("input[type=radio]", 3)
    visit.next()
    visit.heading(HELPED)
    visit.click("input[type=checkbox]", 0)
    visit.click("input[type=checkbox]", 2)
    seen("several", focus=False)
    visit.next()
    visit.heading(WAGE)
    visit.fill(f"17{decimal}5")
    seen("decimal", focus=False)
    visit.next()
    visit.heading(TOWN)
    visit.fill("berg")
    visit.wait("document.querySelectorAll('[role=option]').length === 9")  # eight, and elsewhere
    seen("list", focus=False)
    visit.click("[role=option]", 1)
    assert visit.run("document.querySelector('#answer').value") == "Unterberg"
    visit.next()
    visit.heading(SICK)
    seen("card")
    visit.click("input[type=radio]", -1)  # no answer
    visit.next()
    visit.wait("document.querySelector('dl.answers')")
    seen("review")
