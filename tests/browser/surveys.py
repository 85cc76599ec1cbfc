"""A survey with a question of every kind that can be collected, a real server of it, and pages that answer it."""

import json
import re
from contextlib import contextmanager
from fractions import Fraction

from server.plain_server import InThread
from sfumato.server.credentials import read_invites
from sfumato.server.opening import open_server
from sfumato.server.page_parts import integrity
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
    Recoverable,
    Several,
    Study,
    YesNo,
    write_study,
)
from sfumato.workflows.key_files import make_key_pair

MONTHS = tuple(f"month {i}" for i in range(1, 13))
TREES = ("oak", "elm, field", "ash", "fir", "Weißdorn")
BLOOD = {"answers": ("O+", "A+", "O-", "A-", "B+"), "tell": ("O", "A", "O", "A", "B"), "rho": Fraction(4, 5)}
OFTEN = ("never", "rarely", "often", "always")
QUESTIONS = (
    YesNo(id="smokes", text="Do you smoke?"),
    OneOfMany(
        id="brand",
        text="Which?",
        answers=("red", "blue", "other"),
        missing="hidden",
        ask_if=AskIf(question="smokes", answers=("yes",)),
    ),
    OneOfMany(id="month", text="Born in which month?", answers=MONTHS, epsilon=Fraction(2)),
    LargeList(id="tree", text="Which tree?", dictionary=TREES),
    Several(id="ways", text="How do you get about?", options=("bus", "train", "car"), ask=3, none="nothing"),
    Several(id="pets", text="Which pets?", options=("cat", "dog"), ask=2, missing="hidden"),
    Count(id="rooms", text="How many rooms?", lowest=1, highest=9, points=5),
    BoundedNumber(id="wage", text="Hourly wage?", highest=Fraction(40), step=Fraction(1, 10)),
    BoundedNumber(
        id="rent",
        text="Rent?",
        highest=Fraction(40),
        step=Fraction(1, 10),
        goal="distribution",
        points=4,
        missing="public",
    ),
    Ordered(id="tired", text="How often are you tired?", answers=OFTEN, missing="hidden"),
    Card(id="drugs", text="Have you taken drugs?", guess_error=Fraction(3, 10), max_epsilon=Fraction(3, 2)),
    Recoverable(id="blood", text="Blood group?", **BLOOD),
)
ANSWERS = {
    "smokes": "yes",
    "brand": "blue",
    "month": "month 6",
    "tree": "Weißdorn",
    "ways": ["bus", "car"],
    "pets": ["dog"],
    "rooms": "4",
    "wage": "12.5",
    "rent": "31.9",
    "tired": "often",
    "drugs": "no",
    "blood": "A-",
}
OTHERS = {
    "smokes": "no",
    "brand": None,
    "month": "month 12",
    "tree": "oak",
    "ways": [],
    "pets": None,
    "rooms": "9",
    "wage": "0",
    "rent": None,
    "tired": None,
    "drugs": "yes",
    "blood": "B+",
}


def survey(folder, *, mode="anonymous", kem="x25519", recover=True, questions=QUESTIONS):
    """The study of a folder, with the key pairs of its readers; returns its file."""
    readers = {"ministry": Fraction(3), "press": Fraction(2)}
    for name in (*readers, "registrar"):
        make_key_pair(folder / name, kem=kem)
    study = Study(
        name="Every kind",
        questions=questions,
        analysts=tuple(Analyst(name=name, epsilon=e, public_key=f"{name}.pub") for name, e in readers.items()),
        public_epsilon=Fraction(1),
        recover=recover,
        registrar_key="registrar.pub",
        collect=CollectTerms(mode=mode, kem=kem, recover=recover),
    )
    write_study(study, folder / "study.toml")
    return folder / "study.toml"


@contextmanager
def served(path, people=0):
    """A server of a study, with so many more people invited: its address, its collection, and all tokens."""
    opened = open_server(path)
    invites = path.with_name("invites.csv")
    if people:
        opened.invite(people, invites)
    with InThread(opened.server(Settings(port=0, rate=0.0))) as running:
        yield running.url, opened.collection, read_invites(invites)


class SurveyPage:
    """A page of the server's origin with the script as it is shipped, and everything that it asked for."""

    def __init__(self, browser, url, fragment="", *, before="0", script=None):
        self.page = browser.page("about:blank")
        self.page.ask("Page.addScriptToEvaluateOnNewDocument", source=before)
        self._script = script
        self.page.ask("Network.enable", maxPostDataSize=1 << 20)
        self.url = url
        self.go(fragment)

    def go(self, fragment=""):
        """Open the page, and load the script by its hash."""
        browser, session = self.page._browser, self.page._session
        browser.forget(session)
        self.page.ask("Page.navigate", url="about:blank")
        browser.wait_for("Page.loadEventFired", session)
        browser.forget(session)
        self.page.ask("Page.navigate", url=f"{self.url}/health{fragment}")
        browser.wait_for("Page.loadEventFired", session)
        if self._script is not None:
            self.page.run(f"{self._script};0")
            return
        self.page.run(
            "new Promise((done, failed) => { const script = document.createElement('script');"
            f" script.integrity = {json.dumps(integrity('respond.js'))}; script.src = '/respond.js';"
            " script.onload = () => done(true); script.onerror = () => failed(new Error('not loaded'));"
            " document.head.append(script); })"
        )

    def answer(self, answers, token, **options):
        """Answer as a person would: load the form, draw, send without waiting; returns what the page knows then."""
        return self.page.run(
            "(async () => { const form = await sfumato.loadForm(); const stages = [];"
            f" const made = await sfumato.drawAll(form, {json.dumps(answers)});"
            f" const sent = await sfumato.submit(form, made, {{ token: {json.dumps(token)}, waitSeconds: 0,"
            f" onProgress: (one) => stages.push(one), ...{json.dumps(options)} }});"
            " const cells = made.cells.map(({ question, report, label, odds }) =>"
            " ({ question, report, label, odds: odds === null ? null : String(odds) }));"
            " return { ...sent, stages, cells, row: btoa(String.fromCharCode(...made.row)) }; })()"
        )

    def headers(self):
        """The headers of the same requests, without the origin's own name."""
        return [
            sorted((name, text.replace(self.url, "")) for name, text in event["request"]["headers"].items())
            for event in self._asked()
        ]

    def requests(self):
        """Method, path and body of everything that was asked for, but the page itself and its script."""
        return [(one["request"]["method"], _path(one), one["request"].get("postData")) for one in self._asked()]

    def _asked(self):
        events = [e for e in self.page._browser.events if e.get("sessionId") == self.page._session]
        asked = [e["params"] for e in events if e.get("method") == "Network.requestWillBeSent"]
        return [one for one in asked if _path(one) not in {"/health", "/respond.js", "/favicon.ico"}]

    def refusal(self, script):
        """The code of what a script is refused with; None where it is not."""
        return self.page.run(f"(async () => {{ try {{ {script}; return null; }} catch (e) {{ return e.code; }} }})()")

    def close(self):
        self.page.__exit__()


def _path(event):
    return re.sub(r"^https?://[^/]+", "", event["request"]["url"])
