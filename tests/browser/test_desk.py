"""The desk of whoever runs a study, in a real Chromium: invitations, a new study, the export, withdrawing, closing."""

import csv
import io
import json
import tomllib

import pytest

import sfumato as sf
from browser.desk import CAUGHT, click, file_of, press, serve, tab_to, text_of, type_text, until
from sfumato.study.collections import collection_of
from sfumato.web.credentials import invite_link, read_token, token_hash
from sfumato.web.invitations import qr_svg


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        made = serve(tmp_path_factory.mktemp("desk"), patch, count=30, mode="panel", tally_reports=20)
        yield made
        made.running.stop()


def signed_in(browser, served, **size):
    page = browser.page(f"{served.url}/admin", **size)
    page.run(CAUGHT)
    page.run(f"document.getElementById('token').value = {json.dumps(served.opened.admin)}")
    click(page, "#sign-in button")
    until(page, "!document.getElementById('desk').hidden")
    return page


@pytest.mark.parametrize(("width", "dark"), [(375, False), (1280, True)], ids=["phone", "desk"])
def test_the_desk_is_whole_for_everybody(browser, served, width, dark):
    with browser.page(f"{served.url}/admin", width=width, dark=dark) as page:
        assert page.violations() == []
        assert page.overflow() <= 0
    with signed_in(browser, served, width=width, dark=dark) as page:
        click(page, "#add-reader")
        page.run("document.getElementById('invite-count').value = 3")
        click(page, "#invite button")
        until(page, "document.querySelectorAll('#sheet img').length === 3")
        assert page.violations() == []
        assert page.complaints() == []
        assert page.overflow() <= 0
        assert all(url.startswith((served.url, "data:")) for url in page.requested())
        kept = page.run("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])")
        assert served.opened.admin not in kept


def test_people_are_invited_and_their_tokens_let_them_in(browser, served):
    before = served.opened.counts().invited
    with signed_in(browser, served) as page:
        page.run("document.getElementById('invite-count').value = 4")
        page.run("document.getElementById('invite-link').value = 'https://survey.example'")
        click(page, "#invite button")
        until(page, "!document.getElementById('invited').hidden")
        click(page, "#invited-csv")
        rows = list(csv.DictReader(io.StringIO(file_of(page, "invitations.csv"))))
        pictures = page.run("[...document.querySelectorAll('#sheet img')].map(one => atob(one.src.split(',')[1]))")
    assert len(rows) == 4
    assert served.opened.counts().invited == before + 4
    fingerprint = served.opened.collection.fingerprint
    for row, picture in zip(rows, pictures, strict=True):
        token = read_token(row["token"])
        assert row["link"] == invite_link("https://survey.example", token, fingerprint)
        assert picture == qr_svg(row["link"])
        assert served.opened.store.invitation(token_hash(token)) is not None
        assert len(row["panel"]) == 32
    assert len({row["token"] for row in rows}) == 4


QUESTIONS = [
    ("yes-no", {}),
    ("one-of-many", {"answers": "oak\nelm\nash"}),
    ("ordered", {"answers": "never\nat times\nalways"}),
    ("several", {"options": "bus\ntrain"}),
    ("count", {"lowest": "0", "highest": "7"}),
    ("number", {"lowest": "0", "highest": "10", "step": "0.5"}),
    ("distribution", {"lowest": "0", "highest": "4", "step": "1"}),
]


def fill(page, place, row, fields):
    for name, value in fields.items():
        page.run(
            f"(() => {{ const row = document.querySelectorAll('{place} fieldset')[{row}];"
            f" const one = row.querySelector('[data-name={name}]');"
            f" one.value = {json.dumps(value)}; one.dispatchEvent(new Event('change')); }})()"
        )


def test_a_study_is_made_of_every_kind_and_its_files_are_read_back(browser, served, tmp_path):
    with signed_in(browser, served) as page:
        page.run("document.getElementById('study-name').value = 'Trees & roads'")
        for number, (kind, fields) in enumerate(QUESTIONS):
            if number:
                click(page, "#add-question")
            fill(page, "#questions", number, {"text": f"Question {number}?", "id": f"q{number}", "kind": kind})
            fill(page, "#questions", number, fields)
        click(page, "#add-reader")
        public = (served.folder / "press.key.pub").read_text()
        fill(page, "#readers-rows", 0, {"name": "press", "epsilon": "3", "key": "no key at all"})
        click(page, "#new-study > p:last-of-type button")
        until(page, "document.getElementById('new-said').textContent.includes('PEM')")
        assert page.run("document.getElementById('draft').hidden")
        fill(page, "#readers-rows", 0, {"key": public})
        click(page, "#new-study > p:last-of-type button")
        until(page, "!document.getElementById('draft').hidden")
        assert text_of(page, "draft-command") == "sfumato serve trees-roads.toml"
        assert page.run("document.querySelectorAll('#draft-plan section').length") == len(QUESTIONS)
        assert page.violations() == []
        click(page, "#draft-toml")
        click(page, "#draft-keys button")
        (tmp_path / "trees-roads.toml").write_text(file_of(page, "trees-roads.toml"))
        (tmp_path / "press.pem").write_text(file_of(page, "press.pem"))
    study = sf.read_study(tmp_path / "trees-roads.toml")
    assert [question.id for question in study.questions] == [f"q{number}" for number in range(len(QUESTIONS))]
    (receiver,) = collection_of(study, tmp_path).receivers
    assert receiver.public_key == served.keys["press"].public.raw
    assert tomllib.loads((tmp_path / "trees-roads.toml").read_text())["public"]["epsilon"] == 1


def test_what_is_wrong_in_a_new_study_is_said_by_its_place(browser, served):
    with signed_in(browser, served) as page:
        page.run("document.getElementById('study-name').value = 'Trees'")
        fill(page, "#questions", 0, {"text": "Which?", "id": "tree", "kind": "one-of-many"})
        fill(page, "#questions", 0, {"answers": "oak"})
        click(page, "#new-study > p:last-of-type button")
        until(page, "document.getElementById('new-said').textContent.includes('question 1, answers')")
        assert "between 2 and" in text_of(page, "new-said")


def test_files_of_the_server_are_not_read_for_a_draft(served):
    import httpx

    admin = {"Authorization": f"Bearer {served.opened.admin}"}
    question = {"id": "word", "text": "Which?", "kind": "large-list", "dictionary": "/etc/passwd"}
    body = {"study": {"name": "S", "public": {"epsilon": 1}, "questions": [question]}}
    with httpx.Client(base_url=served.url, headers=admin) as client:
        answer = client.post("/drafts", json=body)
        assert answer.status_code == 422
        assert "root" not in answer.text
        assert answer.json()["error"]["parameter"] == "dictionary"


def test_the_keyboard_alone_runs_the_desk_and_closes_the_study(browser, served):
    """Last, since a closed study stays closed: sign in, withdraw, export, close."""
    with browser.page(f"{served.url}/admin") as page:
        page.run(CAUGHT + "; window.confirm = (words) => { window.asked = words; return true; }; 0")
        tab_to(page, "token")
        type_text(page, "a guess")
        press(page, "Enter")
        until(page, "document.getElementById('sign-in-said').textContent.includes('not the one')")
        tab_to(page, "token")
        type_text(page, served.opened.admin)
        press(page, "Enter")
        until(page, "!document.getElementById('desk').hidden")
        assert page.run("document.activeElement.id") == "desk-title"
        tab_to(page, "panel")
        type_text(page, "ab" * 16)
        press(page, "Enter")
        until(page, "document.getElementById('withdraw-said').textContent !== ''")
        tab_to(page, "export")
        press(page, "Enter")
        until(page, "'export.zip' in files")
        tab_to(page, "close")
        press(page, "Enter")
        until(page, "document.getElementById('close-said').textContent.startsWith('Closed, with 30 reports')")
        assert "No report is taken any more" in page.run("asked")
        until(page, "document.getElementById('state').textContent.startsWith('closed')")
    assert served.opened.store.state().closed
