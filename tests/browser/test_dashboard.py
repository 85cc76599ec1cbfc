"""The dashboard in a real Chromium: a reader's key opens in the browser what the command opens, and goes nowhere."""

import base64
import csv
import io
import json
import re

import pytest

from browser.desk import (
    CAUGHT,
    PASSPHRASE,
    choose_file,
    click,
    file_of,
    press,
    serve,
    tab_to,
    text_of,
    type_text,
    until,
)
from sfumato.output.estimates import estimate_document
from sfumato.workflows.collecting import unseal_shares
from sfumato.workflows.reading import estimate_reports, open_reports

COUNT = 150
DONE = "document.getElementById('open-said').textContent !== '' && document.getElementById('cancel').hidden"
STORED = """Promise.all([indexedDB.databases(), caches.keys()]).then(([databases, kept]) => JSON.stringify([
  {...localStorage}, {...sessionStorage}, databases, kept, document.cookie, location.href,
  [...document.querySelectorAll('input, textarea')].map(one => one.value)]))"""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        made = serve(tmp_path_factory.mktemp("desk"), patch, count=COUNT, damaged=(3, 8), tally_reports=20)
        yield made
        made.running.stop()


@pytest.fixture(scope="module")
def by_command(served):
    """What the command says to ministry, and what it drops."""
    part = served.opened.export(served.folder / "export")
    key = served.keys["ministry"]
    made = unseal_shares(part.shares["ministry"], part.reports, key, served.folder / "opened")
    found = estimate_reports(open_reports(made.reports, list(made.keys), unlock=key))
    return made, {one.question.id: estimate_document(one) for one in found}


def opened_page(browser, served, reader="ministry", **size):
    page = browser.page(served.reader_link(reader), **size)
    page.run(
        "window.heard = []; const Plain = Worker; window.Worker = class extends Plain {"
        " set onmessage(act) { super.onmessage = (event) => { window.heard.push(event.data); act(event); }; } }; 0"
    )
    return page


def give_key(page, path, passphrase="", token=""):
    choose_file(page, "#key-file", path)
    page.run(f"document.getElementById('passphrase').value = {json.dumps(passphrase)}")
    page.run(f"document.getElementById('reader-token').value = {json.dumps(token)}")
    page.run("document.getElementById('open-said').textContent = ''")
    click(page, "#open-button")
    until(page, DONE)
    return text_of(page, "open-said")


def near(mine, theirs, bound):
    return abs(mine - theirs) <= bound


def test_a_key_in_the_browser_shows_what_the_command_shows_and_goes_nowhere(browser, served, by_command):
    """Same rows dropped, same counts, shares to 1e-9 and ends of intervals to 1e-6; and then the key is looked for."""
    made, wanted = by_command
    with opened_page(browser, served) as page:
        said = give_key(page, served.key_file("ministry"), PASSPHRASE)
        assert said.startswith(f"{COUNT - 2} of {COUNT} reports are opened for ministry. 2 reports were dropped")
        assert len(made.dropped) == 2
        result = page.run("heard.find(one => one.type === 'result')")
        seen = {one["question"]: one for one in result["estimates"]}
        assert set(seen) == set(wanted) - {"owns"}
        for name, found in seen.items():
            _compare(found, wanted[name])
        # What the page shows are these numbers.
        shown = page.run("[...document.querySelectorAll('#opened section')].map(one => one.innerText)")
        assert len(shown) == len(seen)
        yes = next(one for one in wanted["moved"]["answers"] if one["answer"] == "yes")
        assert f"{100 * yes['share']:.1f} %" in shown[0]
        assert "Do you own your home?" in text_of(page, "unread")
        assert_nowhere(page, served)
        assert page.violations() == []
        assert page.complaints() == []
        assert {url.split("/")[2] for url in page.requested() if not url.startswith("data:")} == {
            served.url.split("/")[2]
        }


def _compare(found, wanted):
    assert (found["total"], found["level"], found["method"]) == (wanted["total"], wanted["level"], wanted["method"])
    for part, named in (("answers", "answer"), ("quantities", "quantity")):
        assert [one[named] for one in found[part]] == [one[named] for one in wanted[part]]
        for mine, theirs in zip(found[part], wanted[part], strict=True):
            for key in ("share", "value", "raw"):
                if theirs.get(key) is not None:
                    assert near(mine[key], theirs[key], 1e-9 * max(1.0, abs(theirs[key]))), (wanted["question"], key)
            for key in ("lower", "upper"):
                assert near(mine[key], theirs[key], 1e-6 * max(1.0, abs(theirs[key]))), (wanted["question"], key)


def spellings(key):
    """A private key as somebody could have sent or kept it."""
    raw = key.raw
    return [
        raw,
        raw.hex().encode(),
        raw.hex().upper().encode(),
        base64.b64encode(raw)[:-1],
        base64.urlsafe_b64encode(raw)[:-1],
        ",".join(map(str, raw)).encode(),
    ]


def found_in(haystack, served):
    texts = [*spellings(served.keys["ministry"]), PASSPHRASE.encode(), PASSPHRASE.replace(" ", "%20").encode()]
    return [one for one in texts if one in haystack]


def assert_nowhere(page, served):
    """The key and its passphrase are in no request, storage, address, field, message to the page, console or log; a
    control that puts them there is noticed each time.
    """
    assert len(served.sent) > 1000
    assert b"/shares" in served.sent  # the worker's requests are among them
    assert found_in(served.sent, served) == []
    assert found_in(page.run(STORED).encode(), served) == []
    assert found_in(page.run("JSON.stringify(heard)").encode(), served) == []
    assert found_in("\n".join(served.words).encode(), served) == []
    assert found_in(page.said(), served) == []
    raw = served.keys["ministry"].raw
    page.run(f"fetch('/health?{raw.hex()}').then(one => one.text())")
    assert found_in(served.sent, served) == [raw.hex().encode()]
    page.run(f"localStorage.setItem('kept', {json.dumps(PASSPHRASE)})")
    assert found_in(page.run(STORED).encode(), served) == [PASSPHRASE.encode()]
    page.run("localStorage.clear()")
    page.run(f"console.log({json.dumps(PASSPHRASE)})")
    assert found_in(page.said(), served) == [PASSPHRASE.encode()]


def test_a_wrong_key_gets_a_sentence(browser, served):
    folder = served.folder
    damaged = bytearray(served.key_file("ministry").read_bytes())
    damaged[-1] ^= 1
    (folder / "damaged.key").write_bytes(damaged)
    (folder / "cut.key").write_bytes(damaged[:60])
    (folder / "poem.key").write_text("the wind over the reeds")
    cases = [
        ("ministry.key", "another passphrase", r"The key does not open: the passphrase is another one"),
        ("ministry.key", "", r"type its passphrase"),
        ("damaged.key", PASSPHRASE, r"The key does not open: .* changed after it was sealed"),
        ("cut.key", PASSPHRASE, r"This key is damaged"),
        ("poem.key", "", r"no private key of Sfumato, and no PEM file"),
        ("press.key", PASSPHRASE, r"not protected, although a passphrase was typed"),
        ("press.key", "", r"This is the key of press, and the shares are those of ministry"),
        ("nobody.key", "", r"belongs to nobody who reads this study"),
        ("press.key.pub", "", r"holds no private key"),
    ]
    with opened_page(browser, served) as page:
        for name, passphrase, sentence in cases:
            assert re.search(sentence, give_key(page, folder / name, passphrase)), name
            assert page.run("document.getElementById('opened-part').hidden")
        assert "Choose the file" in _without_key(page)
        assert re.search(r"does not know this token", give_key(page, folder / "ministry.key", PASSPHRASE, "no token"))
    # In its place each of the good ones opens.
    with opened_page(browser, served, "press") as page:
        page.run(f"document.getElementById('key-text').value = {json.dumps(_pem(served.keys['press']))}")
        click(page, "#open-button")
        until(page, DONE)
        assert text_of(page, "open-said").startswith(f"{COUNT - 1} of {COUNT} reports are opened for press.")


def _without_key(page):
    page.run("document.getElementById('open-said').textContent = ''")
    click(page, "#open-button")
    until(page, DONE)
    return text_of(page, "open-said")


def _pem(key):
    from cryptography.hazmat.primitives import serialization as pem

    return key.loaded().private_bytes(pem.Encoding.PEM, pem.PrivateFormat.PKCS8, pem.NoEncryption()).decode()


@pytest.mark.parametrize(("width", "dark"), [(375, False), (1280, True)], ids=["phone", "desk"])
def test_the_dashboard_is_whole_for_everybody(browser, served, width, dark):
    """Nothing is wider than the screen, axe-core finds nothing, and what is not allowed is not asked for."""
    with browser.page(served.reader_link("press"), width=width, dark=dark) as page:
        until(page, "document.querySelectorAll('#estimates section').length === 7")
        assert page.overflow() <= 0
        assert page.violations() == []
        assert page.complaints() == []
        assert text_of(page, "reports") == str(COUNT)
        assert "#" not in page.run("location.href")
        assert page.run("document.title") == "Live results: Homes and work"
        # A planted fault is noticed.
        page.run("document.getElementById('key-file').labels[0].remove()")
        assert [rule for rule, _ in page.violations()] == ["label"]


def test_the_keyboard_alone_signs_in_and_pauses(browser, served):
    with browser.page(f"{served.url}/dashboard", width=1000) as page:
        assert page.run("document.getElementById('live').hidden")
        tab_to(page, "token")
        type_text(page, "not the token")
        press(page, "Enter")
        until(page, "document.getElementById('said').textContent.includes('not the one')")
        tab_to(page, "token")
        type_text(page, served.opened_server.reader_token("press"))
        press(page, "Enter")
        until(page, "document.querySelectorAll('#estimates section').length === 7")
        tab_to(page, "pause")
        press(page, " ", "Space")
        until(page, "document.getElementById('ago').textContent === 'paused'")


def test_numbers_are_handed_out_as_files(browser, served):
    """The live estimates as JSON and as CSV, which are those that Python tells programs."""
    with browser.page(served.reader_link("press")) as page:
        page.run(CAUGHT)
        until(page, "document.querySelectorAll('#estimates section').length === 7")
        click(page, "#as-json")
        click(page, "#as-csv")
        whole = json.loads(file_of(page, "estimates.json"))
        rows = list(csv.DictReader(io.StringIO(file_of(page, "estimates.csv"))))
        wanted = page.run(
            f"fetch('/tally', {{headers: {{Authorization: 'Bearer {served.opened_server.reader_token('press')}'}}}})"
            ".then(one => one.json())"
        )["estimates"]
    assert whole["reports"] == COUNT
    assert [one["question"] for one in whole["estimates"]] == [one["question"] for one in wanted]
    for found, theirs in zip(whole["estimates"], wanted, strict=True):
        _compare(found, theirs)
        of_it = [row for row in rows if row["question"] == found["question"] and row["quantity"] == "share"]
        assert [(row["answer"], float(row["value"])) for row in of_it] == [
            (one["answer"], one["share"]) for one in found["answers"]
        ]


def in_order(nodes, first):
    """Go through the tree as it is read aloud."""
    yield nodes[first]
    for child in nodes[first].get("childIds", ()):
        if child in nodes:
            yield from in_order(nodes, child)


def test_what_readers_aloud_say_comes_in_order(browser, served):
    with browser.page(served.reader_link("press")) as page:
        until(page, "document.querySelectorAll('#estimates section').length === 7")
        page.ask("Accessibility.enable")
        nodes = {node["nodeId"]: node for node in page.ask("Accessibility.getFullAXTree")["nodes"]}
        names = [
            node.get("name", {}).get("value", "")
            for node in in_order(nodes, next(iter(nodes)))
            if not node.get("ignored") and node["role"]["value"] in {"heading", "button", "rowheader"}
        ]
        order = [
            "Homes and work",
            "Pause",
            "What everybody can see",
            "Did you move?",
        ]
        order += ["no", "yes", "Where do you live?", "north", "See more with your key", "Open the reports"]
        places = [names.index(name) for name in order]
        assert places == sorted(places)


def test_numbers_are_for_those_who_may_see_them(served):
    """Without a token nothing is said, a reader's opens their own shares alone, and guessing is slowed down."""
    import httpx

    with httpx.Client(base_url=served.url) as client:
        policy = client.get("/dashboard").headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        for path in ("/live", "/tally", "/shares", "/counts"):
            assert client.get(path).status_code == 401, path
        press_token = {"Authorization": f"Bearer {served.opened_server.reader_token('press')}"}
        assert client.get("/live", headers=press_token).json()["reports"] == COUNT
        assert client.get("/counts", headers=press_token).status_code == 401
        own = client.get("/shares", headers=press_token)
        assert own.status_code == 200
        assert b'"receiver":"press"' in own.content
        assert client.get("/shares?receiver=ministry", headers=press_token).status_code == 401
        admin = {"Authorization": f"Bearer {served.opened.admin}"}
        assert b'"receiver":"ministry"' in client.get("/shares?receiver=ministry", headers=admin).content
        assert client.get("/shares", headers=admin).status_code == 422
