"""The whole way in one browser: invited at the desk, answered on the page, opened with a key on the dashboard."""

import json

import pytest

from browser.desk import choose_file, click, serve, text_of, until
from sfumato.output.estimates import estimate_document
from sfumato.workflows.collecting import unseal_shares
from sfumato.workflows.reading import estimate_reports, open_reports

COUNT = 30
STAGE = """document.querySelector('.sent') ? 'sent' : document.querySelector('.answers') ? 'review' :
  document.querySelector('#app input[type=text]') ? 'number' :
  document.querySelector('.choice input') ? 'choice' : ''"""
BEGIN = "[...document.querySelectorAll('#start button')].find((one) => one.textContent === 'Begin')"


@pytest.fixture
def served(tmp_path, monkeypatch):
    made = serve(tmp_path, monkeypatch, count=COUNT, tally_reports=1, wait_seconds=0.0)
    yield made
    made.running.stop()


def answer(page):
    """Answer each question by its second choice, or by a number, and send."""
    until(page, f"Boolean({BEGIN})")
    page.run(f"{BEGIN}.click()")
    for _ in range(20):
        stage = until(page, STAGE)
        if stage == "sent":
            return
        if stage == "choice":
            page.run("[...document.querySelectorAll('.choice input')].at(1).click()")
        elif stage == "number":
            page.run(
                "(() => { const one = document.querySelector('#app input[type=text]'); one.value = '2';"
                " one.dispatchEvent(new Event('input', {bubbles: true})); })()"
            )
        before = page.run("document.getElementById('app').innerText")
        page.run("document.querySelector('#app .forward').click()")
        until(page, f"document.getElementById('app').innerText !== {json.dumps(before)}")
        if stage == "review":
            until(page, "document.querySelector('.sent') !== null")
    raise AssertionError("there is no end of questions")


def test_from_an_invitation_to_what_a_reader_sees(browser, served):
    with browser.page(f"{served.url}/admin") as page:
        page.run(f"document.getElementById('token').value = {json.dumps(served.opened.admin)}")
        click(page, "#sign-in button")
        until(page, "!document.getElementById('desk').hidden")
        page.run("document.getElementById('invite-count').value = 1")
        click(page, "#invite button")
        until(page, "document.querySelectorAll('#sheet img').length === 1")
        link = page.run("document.querySelector('#sheet img').alt").removeprefix("QR code of the link ")
    with browser.page(link) as page:
        answer(page)
        assert page.complaints() == []
    assert served.opened.counts().reports == COUNT + 1
    served.opened.close_collection()
    with browser.page(served.reader_link("press")) as page:
        until(page, f"document.getElementById('reports').textContent === '{COUNT + 1}'")
        choose_file(page, "#key-file", served.key_file("press"))
        click(page, "#open-button")
        until(page, "document.getElementById('open-said').textContent.includes('opened for')")
        assert text_of(page, "open-said") == f"{COUNT + 1} of {COUNT + 1} reports are opened for press."
        shown = page.run("[...document.querySelectorAll('#opened section')].map((one) => one.textContent)")
    part = served.opened.export(served.folder / "export")
    key = served.keys["press"]
    made = unseal_shares(part.shares["press"], part.reports, key, served.folder / "opened")
    found = estimate_reports(open_reports(made.reports, list(made.keys), unlock=key))
    wanted = [estimate_document(one) for one in found if one.question.id != "owns"]  # a card, which no key sharpens
    for text, estimate in zip(shown, wanted, strict=True):
        for one in estimate["answers"]:
            assert f"{100 * one['share']:.1f} %" in text
            assert f"{100 * one['lower']:.1f} % to {100 * one['upper']:.1f} %" in text
