"""A real server of a study of every kind, with reports of devices in it, and hands for its pages."""

import hashlib
import json
import logging
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from server.plain_server import InThread
from sfumato.keys.protection import Passphrase, Unprotected, new_key_pair
from sfumato.keys.sealed_files import write_key_pair
from sfumato.server import serving
from sfumato.server.app import CollectionApp
from sfumato.server.opening import open_server
from sfumato.server.settings import Settings
from sfumato.study.collect_terms import Mode
from sfumato.study.collection import StoredRow
from sfumato.workflows.responding import respond_all

PASSPHRASE = "seven blue lanterns"  # noqa: S105  of a key that is made here
PATIENCE = 60
# What is handed out as a file is kept by the test instead.
CAUGHT = """window.files = {}; const make = URL.createObjectURL;
URL.createObjectURL = (blob) => { window.last = blob; return make.call(URL, blob); };
HTMLAnchorElement.prototype.click = function () { window.files[this.download] = window.last; }; 0"""
STUDY = """
schema = "sfumato/study/2"
name = "Homes and work"
population = 4000
[public]
epsilon = 1.0
[collect]
mode = "{mode}"
[[analysts]]
name = "ministry"
epsilon = 4.0
public_key = "ministry.key.pub"
[[analysts]]
name = "press"
epsilon = 2.0
public_key = "press.key.pub"
[[questions]]
id = "moved"
text = "Did you move?"
kind = "yes-no"
[[questions]]
id = "place"
text = "Where do you live?"
kind = "one-of-many"
answers = ["north", "south", "east", "west"]
missing = "hidden"
[[questions]]
id = "rest"
text = "Are you rested?"
kind = "ordered"
answers = ["never", "at times", "often", "always"]
[[questions]]
id = "ways"
text = "How do you travel?"
kind = "several"
options = ["bus", "train", "bike"]
ask = 3
[[questions]]
id = "rooms"
text = "How many rooms?"
kind = "number"
highest = 4
goal = "distribution"
missing = "public"
[[questions]]
id = "hours"
text = "How many hours do you work?"
kind = "count"
highest = 60
[[questions]]
id = "owns"
text = "Do you own your home?"
kind = "yes-no"
guess_error = 0.375
"""
LAWS = {
    "moved": ["no", "no", "no", "yes"],
    "place": ["north", "north", "south", "east", "west", None],
    "rest": ["never", "at times", "often", "often", "always"],
    "ways": ["bus", "bus;train", "bike", "train;bike;bus"],
    "rooms": ["1", "2", "2", "3", "4", None],
    "hours": ["0", "20", "38", "40", "60"],
    "owns": ["no", "yes"],
}


class Recorded(CollectionApp):
    """The application, and every byte that it was sent: paths, headers and bodies."""

    log = []  # noqa: RUF012  one for all that run in a test

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        head = scope["raw_path"] + b"?" + scope["query_string"] + b" "
        place = len(self.log)
        self.log.append(head + b"".join(name + b": " + value + b"\n" for name, value in scope["headers"]))

        async def kept():
            message = await receive()
            self.log[place] += message.get("body", b"")
            return message

        await super().__call__(scope, kept, send)


@dataclass
class Served:
    """A server in a thread, whose keys are in a folder."""

    folder: Path
    opened: object
    running: InThread
    keys: dict
    words: list = field(default_factory=list)

    @property
    def url(self):
        return self.running.url

    @property
    def sent(self):
        return b"\n".join(Recorded.log)

    def reader_link(self, name):
        return f"{self.url}/dashboard#reader={self.opened_server.reader_token(name)}"

    @property
    def opened_server(self):
        return self.running.server

    def key_file(self, name):
        return self.folder / f"{name}.key"


def people(count, seed=5):
    """Answers as a table."""
    drawn = np.random.default_rng(seed)
    return pa.table({name: [law[i] for i in drawn.integers(0, len(law), count)] for name, law in LAWS.items()})


def rows_of(collection, count, *, damaged=()):
    """What a server keeps of so many people; some shares are corrupted, and some are all zero."""
    rows = []
    for number, made in enumerate(respond_all(collection, people(count))):
        shares = collection.join_shares(made.shares)
        if number in damaged[:1]:
            shares = bytes([shares[0] ^ 1]) + shares[1:]
        elif number in damaged:
            shares = bytes(len(shares))
        credential = hashlib.sha256(made.id).digest()
        panel = credential[:16] if collection.mode is Mode.PANEL else None
        rows.append(StoredRow(id=made.id, credential=credential, row=made.row, shares=shares, panel=panel))
    return rows


def serve(folder, monkeypatch, *, count, mode="anonymous", damaged=(), **settings):
    """Open a study in a folder and put reports into it; the key of ministry has a passphrase."""
    path = folder / "study.toml"
    path.write_text(STUDY.format(mode=mode))
    keys = {name: new_key_pair()[0] for name in ("ministry", "press", "nobody")}
    for name, key in keys.items():
        cheap = Passphrase(PASSPHRASE, memory_kib=64, passes=1, lanes=1)
        write_key_pair(key, folder / f"{name}.key", cheap if name == "ministry" else Unprotected())
    opened = open_server(path)
    if count:
        # All in one batch, which is shown from the start.
        opened.store.add(rows_of(opened.collection, count, damaged=damaged))
        opened.store.set_state(replace(opened.store.state(), shown=1))
    Recorded.log.clear()
    monkeypatch.setattr(serving, "CollectionApp", Recorded)
    words = []
    handler = logging.Handler()
    handler.emit = lambda record: words.append(record.getMessage())
    logging.getLogger().addHandler(handler)
    server = opened.server(Settings(**{"port": 0, "rate": 0.0, "tally_seconds": 0.0, **settings}))
    running = InThread(server)
    return Served(folder=folder, opened=opened, running=running, keys=keys, words=words)


def until(page, expression, patience=PATIENCE):
    """Wait until an expression of the page is true, and return it."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = page.run(expression)
        if found:
            return found
        time.sleep(0.05)
    raise TimeoutError(f"{expression} did not come true; the page says: {page.run('document.body.innerText')[:2000]}")


def text_of(page, id_):
    return page.run(f"document.getElementById({json.dumps(id_)}).textContent")


def click(page, selector):
    page.run(f"document.querySelector({json.dumps(selector)}).click()")


def file_of(page, name):
    """The text of a file that was handed out."""
    until(page, f"{json.dumps(name)} in files")
    return page.run(f"files[{json.dumps(name)}].text()")


def choose_file(page, selector, path):
    root = page.ask("DOM.getDocument")["root"]["nodeId"]
    node = page.ask("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
    page.ask("DOM.setFileInputFiles", files=[str(path)], nodeId=node)


def press(page, key, code=None):
    """Press a key of the keyboard."""
    codes = {"Tab": 9, "Enter": 13, " ": 32}
    text = {"Enter": "\r", " ": " "}.get(key)
    common = {"key": key, "code": code or key, "windowsVirtualKeyCode": codes[key]}
    page.ask("Input.dispatchKeyEvent", type="keyDown", **common, **({} if text is None else {"text": text}))
    page.ask("Input.dispatchKeyEvent", type="keyUp", **common)


def type_text(page, text):
    page.ask("Input.insertText", text=text)


def tab_to(page, id_):
    """Go on by the keyboard alone until an element has the focus."""
    for _ in range(60):
        press(page, "Tab")
        if page.run("document.activeElement.id") == id_:
            return
    raise AssertionError(f"the keyboard does not reach {id_}")
