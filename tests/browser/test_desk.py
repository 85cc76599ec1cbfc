"""The desk of whoever runs a study, in a real Chromium: invitations, the export, withdrawing, closing."""

import csv
import io
import json

import pytest

from browser.desk import CAUGHT, click, file_of, press, serve, tab_to, type_text, until
from sfumato.server.admission import qr_svg
from sfumato.server.credentials import invite_link, read_token, token_hash


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
