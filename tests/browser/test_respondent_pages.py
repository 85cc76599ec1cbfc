"""A respondent's way from invitation to thank-you in a real Chromium, by mouse, by keys and by ear; and back."""

import json
import re

import pytest

from browser.respondents import (
    CONTRACT,
    EXTRA,
    HELPED,
    OVERTIME,
    ROLES,
    SICK,
    TIRED,
    TOWN,
    WAGE,
    Survey,
    Visit,
    answer_all,
    working_life,
)
from paper_studies import paper_study
from sfumato.study import CollectTerms, Count, YesNo
from sfumato.study.collection import report_id

# Words that stand in answers alone: wherever they are found, an answer got out.
ANSWERS = ("fixed term", "working from home", "Unterberg", "Sankt ")
REFUSING = """const old = fetch; window.fetch = async (url, options) => {
  if (!window.refusal || !String(url).endsWith('/reports')) return old(url, options);
  const error = { rule: 'no', way_out: 'none', ...window.refusal };
  return new Response(JSON.stringify({ error }), { status: window.refusal.status });
}"""
CHECKS = """(() => { const e = document.activeElement; return {
  heading: e.tagName === 'H1', titles: document.querySelectorAll('h1').length, main: !!e.closest('main') } })()"""


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    made = Survey(working_life(tmp_path_factory.mktemp("survey")), 40)
    yield made
    made.close()


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    made = Survey(paper_study(tmp_path_factory.mktemp("paper")), 4)
    yield made
    made.close()


def judge(visit, *, focus=True):
    """Nothing on this page breaks WCAG 2.2 A or AA, or is wider than the screen; the focus is on its heading."""
    assert visit.page.violations() == []
    assert visit.page.overflow() <= 0
    found = visit.run(CHECKS)
    assert found["titles"] == 1
    if focus:
        assert found["heading"]


@pytest.mark.parametrize(("width", "dark"), [(375, False), (1280, True)], ids=["phone", "desk"])
def test_from_invitation_to_thanks_and_back(browser, survey, width, dark):
    with Visit(browser, survey.link(), width=width, dark=dark) as visit:
        seen = []

        def look(name, *, focus=True):
            judge(visit, focus=focus)
            seen.append(visit.run("[location.href, document.title, history.length]"))

        visit.wait("document.querySelector('#start button')")
        look("welcome", focus=False)
        assert visit.run("location.href") == f"{survey.url}/"  # the invitation is out of the address bar
        answer_all(visit, look)
        shown = visit.run("[...document.querySelectorAll('.answers dd:not(.act)')].map(e => e.innerText)")
        assert shown == [
            "yes", "12", "fixed term", "often", "shorter hours, working from home", "17.5", "Unterberg", "no answer",
        ]  # fmt: skip
        visit.click(".actions button", -1)
        visit.wait("document.querySelector('ul.sent')")
        look("thanks")
        # What the page says was sent is what the server has.
        secret = visit.run("document.querySelector('.secret').innerText")
        reports = survey.rows()[report_id(bytes.fromhex(secret)).hex()]
        told = visit.run("[...document.querySelectorAll('.sent .report')].map(e => e.innerText)")
        for (name, report), sentence in zip(reports.items(), told, strict=True):
            labels = survey.collection.handlers[name].report_labels
            if report is None:
                assert sentence == "Your device sent: no answer. Everybody sees that."
            else:
                said = str(report) if labels is None else f"“{labels[report]}”"
                assert sentence == f"Your device sent: {said}."
        assert "can raise the odds of any answer against any other at most 2.72-fold." in visit.text()
        assert "ministry has a key and can raise them at most 20.1-fold." in visit.text()
        # The numbers that the script worked out are those that the server rounded.
        folds = "[...document.querySelectorAll('SELECTOR')].map(e => e.innerText.match(/[\\d.]+(?=-fold)/g))"
        found = visit.run(folds.replace("SELECTOR", ".sent li"))
        with Visit(browser, f"{survey.url}/certificate") as other:
            assert found[:-1] == other.run(folds.replace("SELECTOR", "section.asked"))[:-1]
        assert found[0] == ["2.72", "7.39", "20.1"]
        # Nothing of an answer is in an address, a title, the history, or a request.
        assert {one[0] for one in seen} == {f"{survey.url}/"}
        assert {one[2] for one in seen} == {seen[0][2]}
        sent = json.dumps([seen, visit.posted(), visit.page.requested()])
        assert not [answer for answer in ANSWERS if answer in sent]
        assert {path for path, _ in visit.posted()} == {"credentials", "reports"}
        assert not [answer for answer in ANSWERS if answer in visit.stored()]  # nor is it kept once it is sent
        assert all(one.startswith((survey.url, "data:")) for one in visit.page.requested())
        assert visit.page.complaints() == []
        # A visit later the page still knows, and takes the report back.
        visit.reload()
        visit.heading("Thank you")
        visit.click("section[aria-labelledby=keep] button", -1)
        assert visit.run("document.activeElement.innerText") == "Yes, delete my report"
        judge(visit, focus=False)
        visit.click("button.danger")
        visit.heading("Your report is withdrawn")
        judge(visit)
        assert report_id(bytes.fromhex(secret)).hex() not in survey.rows()


def test_a_fault_planted_in_a_step_is_found(browser, survey):
    with Visit(browser, survey.link()) as visit:
        visit.begin()
        visit.heading(OVERTIME)
        visit.run("document.querySelector('.kicker').setAttribute('style', 'color:#ddd;background:#fff')")
        assert visit.page.complaints()  # the policy lets no style into an element
        visit.run("document.querySelector('summary').style.color = '#ddd'")
        visit.run("document.querySelector('input').parentElement.replaceWith(document.querySelector('input'))")
        assert {rule for rule, _ in visit.page.violations()} >= {"color-contrast", "label"}


def test_keys_alone_lead_from_invitation_to_thanks_in_german(browser, survey):
    """Tab, arrows, blank and Enter, with words in another language; the mouse is never used."""
    before = survey.rows()
    with Visit(browser, survey.link("de"), width=1280) as visit:
        visit.wait("document.querySelector('#start button')")
        assert visit.run("document.documentElement.lang") == "de"
        visit.tab_to("Beginnen")
        visit.press("Enter")
        visit.heading(OVERTIME)
        visit.press("Tab", " ")  # the first answer: no
        visit.tab_to("Weiter")
        visit.press("Enter")
        visit.heading(CONTRACT)  # what depends on yes is not asked
        assert "Frage 2 von 7" in visit.text()
        visit.press("Tab", "ArrowDown", "ArrowDown")
        visit.press("Enter")  # a form is sent by Enter
        visit.heading(TIRED)
        visit.press("Tab", "ArrowRight", "Enter")
        visit.heading(HELPED)
        visit.press("Tab", "Tab", " ", "Enter")
        visit.heading(WAGE)
        visit.press("Tab")
        visit.type("7,25")
        visit.press("Enter")
        visit.wait("document.querySelector('#answer-fault:not([hidden])')")
        assert "in Schritten von 0,5" in visit.run("document.querySelector('#answer-fault').innerText")
        assert visit.run("document.activeElement.getAttribute('aria-describedby')") == "answer-help answer-fault"
        visit.run("document.activeElement.select()")
        visit.type("7,5")
        visit.press("Enter")
        visit.heading(TOWN)
        visit.press("Tab")
        visit.type("sankt b")
        visit.press("ArrowDown", "ArrowDown")
        assert (
            visit.run("document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).innerText")
            == "Sankt berg"
        )
        visit.press("Enter")
        assert visit.run("document.activeElement.value") == "Sankt berg"
        assert "Gewählt: Sankt berg" in visit.text()
        visit.press("Escape", "Enter")
        visit.heading(SICK)
        visit.press("Tab", "ArrowDown", "Enter")
        visit.heading("Ihre Antworten")
        assert "7,5" in visit.text()
        visit.tab_to("Meine Meldung senden")
        visit.press("Enter")
        visit.heading("Danke. Ihre Meldung ist angekommen.")
        assert "höchstens auf das 2,72-Fache" in visit.text()
        assert "Danke" in visit.run("document.title")
    assert len(survey.rows()) == len(before) + 1


def test_readers_aloud_go_through_a_question_in_order(browser, survey):
    with Visit(browser, survey.link(), width=1280) as visit:
        visit.begin()
        visit.heading(OVERTIME)
        assert visit.tree() == [
            ("link", "Skip to the main part"),
            ("banner", ""),
            ("navigation", "Language"),
            ("list", ""),
            ("listitem", ""),
            ("link", "English"),
            ("listitem", ""),
            ("link", "Deutsch"),
            ("main", ""),
            ("form", ""),
            ("group", OVERTIME),
            ("heading", OVERTIME),
            ("radio", "no"),
            ("radio", "yes"),
            ("button", "Back"),
            ("button", "Next"),
            ("group", ""),
            ("DisclosureTriangle", "What is sent of this answer?"),
            ("button", "Forget my answers"),
            ("contentinfo", ""),
            ("link", "What is promised, with proofs"),
            ("link", "Answer on paper"),
        ]


def test_every_input_keeps_browsers_from_remembering(browser, survey):
    """And at 320 pixels, as narrow as WCAG asks for, no step is wider than the screen."""
    with Visit(browser, survey.link(), width=320) as visit:
        wrong = []

        def look(name, *, focus=True):
            found = "[...document.querySelectorAll('input, form')].filter(e => e.autocomplete !== 'off').length"
            wrong.append(visit.run(found))
            wrong.append(visit.page.overflow())
            assert visit.run("[...document.forms].every(f => f.method === 'dialog')")

        answer_all(visit, look)
        assert not any(wrong)


def test_progress_stays_on_the_device_until_it_is_forgotten(browser, survey):
    with Visit(browser, survey.link()) as visit:
        visit.begin()
        visit.heading(OVERTIME)
        visit.click("input[type=radio]", 1)
        visit.next()
        visit.heading(EXTRA)
        visit.fill("33")
        # Another language, a day later: it goes on at the same question, with what was typed.
        visit.go(f"{survey.url}/?lang=de")
        visit.wait("document.querySelector('#start button')")
        assert "Weitermachen, wo Sie aufgehört haben" in visit.text()
        visit.begin()
        visit.heading(EXTRA)
        assert visit.run("document.querySelector('#answer').value") == "33"
        visit.click(".device button")
        visit.wait("document.body.innerText.includes('Ihre Antworten sind vergessen.')")
        assert '"33"' not in visit.stored()
        assert "overtime" not in visit.stored()
        assert visit.posted() == []
        visit.click(".actions button")
        visit.begin()
        visit.heading(OVERTIME)
        assert not visit.run("document.querySelector('input:checked')")
        visit.click("input[type=radio]", 0)
        # Another invitation on the same device is another person.
        visit.go(survey.link())
        visit.wait("document.querySelector('#start button')")
        assert "Begin" in visit.text()
        assert "Go on where you stopped" not in visit.text()


def drawn_in(visit):
    """What the device has drawn, as it remembers it."""
    (study,) = json.loads(visit.run("localStorage.getItem('sfumato/device/1')"))["studies"].values()
    return study["cells"], {wave: [sent["row"], sent["shares"]] for wave, sent in study["sent"].items()}


def test_whoever_closes_the_page_while_it_waits_goes_on_later(browser, survey):
    before = set(survey.rows())
    with survey.waiting(1e12), Visit(browser, survey.link()) as visit:
        answer_all(visit)
        visit.click(".actions button", -1)
        visit.wait("document.querySelector('li[data-state=now]')?.innerText.includes('Wait a random time')")
        judge(visit)
        assert "You may close this page." in visit.text()
        drawn = drawn_in(visit)
        visit.go("about:blank")
        assert set(survey.rows()) == before
        with survey.waiting(0.0):
            visit.go(survey.url)
            visit.heading("Thank you")
        assert drawn_in(visit) == drawn  # nothing was drawn a second time
        assert [path for path, _ in visit.posted()].count("credentials") == 1
        new = set(survey.rows()) - before
        assert len(new) == 1
        # Everything can be forgotten, and then the page knows nothing.
        visit.click("section[aria-labelledby=traces] button")
        visit.heading("This device has forgotten everything")
        assert visit.stored() == "[][]"


def test_a_panel_with_a_registrar_says_so(browser, tmp_path):
    """Words about linking and about recovery, and a report that the token takes back."""
    questions = (YesNo(id="moved", text="Did you move?"), Count(id="rooms", text="How many rooms?", highest=9))
    terms = CollectTerms(mode="panel", recover=True)
    made = Survey(working_life(tmp_path, questions=questions, recover=True, collect=terms), 1)
    try:
        link = made.link()
        token = re.search("#(.{32})", link)[1]
        with Visit(browser, link) as visit:
            visit.wait("document.querySelector('#start button')")
            assert token in visit.stored()
            assert "Each report is kept under a pseudonym" in visit.text()
            assert "can get your answers back as you gave them" in visit.text()
            judge(visit, focus=False)
            visit.begin()
            visit.heading("Did you move?")
            visit.click("input", 0)
            visit.next()
            visit.heading("How many rooms?")
            visit.fill("3")
            visit.next()
            visit.wait("document.querySelector('dl.answers')")
            visit.click(".actions button", -1)
            visit.heading("Thank you")
            assert "The registrar can get your answer back." in visit.text()
            assert "For ministry, press and the registrar your device also sent sealed parts." in visit.text()
            assert "Your invitation code takes all your reports back, too." in visit.text()
            assert [path for path, _ in visit.posted()] == ["reports"]
            assert token not in visit.stored()
            judge(visit)
    finally:
        made.close()


class TestProblems:
    """Every problem is a sentence with a way out."""

    def test_without_encryption(self, browser, survey):
        url = survey.url.replace("127.0.0.1", "plain.test")
        with Visit(browser, f"{url}/") as visit:
            visit.heading("This does not work yet")
            assert "This page was opened without encryption" in visit.text()
            assert "https://" in visit.text()
            judge(visit)

    def test_a_code_that_is_none_is_said_at_its_field(self, browser, survey):
        with Visit(browser, f"{survey.url}/") as visit:
            visit.wait("document.querySelector('#token')")
            visit.run("document.querySelector('#token').value = 'ABC 1'")
            visit.click("#start form button")
            assert visit.run("document.activeElement.id") == "token"
            assert visit.run("document.activeElement.getAttribute('aria-describedby')") == "token-help token-fault"
            assert "32 letters and digits: A to Z and 2 to 7" in visit.text()
            judge(visit, focus=False)

    def test_an_unknown_code_and_a_spent_one(self, browser, survey):
        link = survey.link()
        with Visit(browser, re.sub("#.{32}", f"#{'A' * 32}", link)) as visit:
            answer_all(visit)
            visit.click(".actions button", -1)
            visit.wait("document.body.innerText.includes('lets nobody into this study')")
            judge(visit)
            visit.click(".actions button")
            visit.wait("document.querySelector('#token')")  # it asks for another one
            visit.go("about:blank")
            visit.go(link)
            visit.begin()  # the answers are still there
            visit.wait("document.querySelector('dl.answers')")
            visit.click(".actions button", -1)
            visit.heading("Thank you")
        with Visit(browser, link) as other:
            answer_all(other)
            other.click(".actions button", -1)
            other.wait("document.body.innerText.includes('This invitation was used before')")

    def test_a_closed_study(self, browser, survey):
        with Visit(browser, survey.link()) as visit:
            answer_all(visit)
            with survey.closed():
                visit.click(".actions button", -1)
                visit.wait("document.body.innerText.includes('The study is closed.')")
                judge(visit)
                visit.click(".actions button", 0)
                visit.heading("This device has forgotten everything")
                assert "fixed term" not in visit.stored()
                visit.go(survey.link())
                visit.wait("document.querySelector('#secret')")  # a report can still be taken back
                assert "The study is closed." in visit.text()
                assert not visit.run("document.querySelector('#start .actions button:not(.plain)')")
                judge(visit, focus=False)

    def test_no_network_and_then_again(self, browser, survey):
        with Visit(browser, survey.link()) as visit:
            answer_all(visit)
            conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
            visit.page.ask("Network.emulateNetworkConditions", offline=True, **conditions)
            visit.click(".actions button", -1)
            visit.wait("document.body.innerText.includes('The server does not answer.')")
            judge(visit)
            visit.page.ask("Network.emulateNetworkConditions", offline=False, **conditions)
            visit.heading("Thank you")  # it goes on by itself

    def test_another_study_than_that_of_the_invitation(self, browser, survey):
        link = re.sub("study=[0-9a-f]{4}", "study=0000", survey.link())
        with Visit(browser, link) as visit:
            visit.wait("document.body.innerText.includes('asks another study than the one that you were invited to')")
            assert not visit.run("document.querySelector('input')")

    def test_another_key_than_that_of_the_invitation(self, browser, survey):
        link = re.sub("key=[0-9a-f]{4}", "key=0000", survey.link())
        with Visit(browser, link) as visit:
            answer_all(visit)
            visit.click(".actions button", -1)
            visit.wait("document.body.innerText.includes('signs tickets with another key')")
            assert visit.posted() == []

    def test_whatever_a_server_refuses_has_words(self, browser, survey):
        """The rare refusals, each from a server that gives nothing else; then the real one takes the report."""
        refusals = {
            (409, "credential"): "A report came in with this invitation before.",
            (410, "report"): "The report of this invitation was withdrawn.",
            (429, None): "Too many people are sending at this moment.",
            (422, "row"): "The study was changed while you were answering.",
            (400, "body"): "What the server sent cannot be read.",
            (418, None): "Something went wrong that this page has no words for.",
        }
        with Visit(browser, survey.link(), before=REFUSING) as visit:
            answer_all(visit)
            for (status, parameter), words in refusals.items():
                visit.run(f"window.refusal = {json.dumps({'status': status, 'parameter': parameter})}")
                visit.click(".actions button", -1)
                visit.wait(f"document.body.innerText.includes({json.dumps(words)})")
                visit.run(
                    "[...document.querySelectorAll('button')].find(b => b.innerText.startsWith('Back to')).click()"
                )
                visit.begin()
                visit.wait("document.querySelector('dl.answers')")
            visit.run("window.refusal = null")
            visit.click(".actions button", -1)
            visit.heading("Thank you")

    def test_a_browser_without_cryptography(self, browser, survey):
        with Visit(browser, survey.link(), before="Object.defineProperty(crypto, 'subtle', {});") as visit:
            visit.wait("document.body.innerText.includes('This browser lacks the cryptography')")

    def test_a_form_that_is_damaged(self, browser, survey):
        fetched = "const old = fetch; window.fetch = async (url, options) => String(url).endsWith('/form') ? new Response('{}') : old(url, options);"  # noqa: E501
        with Visit(browser, survey.link(), before=fetched) as visit:
            visit.wait("document.body.innerText.includes('What the server sent cannot be read.')")

    def test_a_study_that_changed_since_the_page_was_made(self, browser, survey):
        changed = "document.addEventListener('readystatechange', () => { const held = document.getElementById('page-data'); if (held) held.textContent = held.textContent.replace(/\"fingerprint\":\"[0-9a-f]{4}/, '\"fingerprint\":\"0000'); });"  # noqa: E501
        with Visit(browser, survey.link(), before=changed) as visit:
            visit.wait("document.body.innerText.includes('The study was changed while you were answering.')")

    def test_a_browser_that_keeps_nothing(self, browser, survey):
        closed = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });"  # noqa: E501
        with Visit(browser, survey.link(), before=closed) as visit:
            visit.wait("document.querySelector('#start button')")
            assert "This browser lets nothing be kept on the device." in visit.text()
            answer_all(visit)
            visit.click(".actions button", -1)
            visit.heading("Thank you")

    def test_a_secret_from_elsewhere_takes_a_report_back(self, browser, survey):
        with Visit(browser, survey.link()) as visit:
            answer_all(visit)
            visit.click(".actions button", -1)
            visit.heading("Thank you")
            secret = visit.run("document.querySelector('.secret').innerText")
        with Visit(browser, f"{survey.url}/") as other:
            other.wait("document.querySelector('#secret')")
            other.run("document.querySelector('details').open = true")
            for given, words in (("12", "64 digits"), ("0" * 64, "No such report is kept"), (secret, "is withdrawn")):
                other.run(
                    f"document.querySelector('#secret').value = '{given}';"
                    "document.querySelector('#secret').form.requestSubmit()"
                )
                other.wait(f"document.body.innerText.includes({json.dumps(words)})")
                if words.startswith("No such"):
                    other.go("about:blank")
                    other.go(f"{survey.url}/")
                    other.wait("document.querySelector('#secret')")
        assert report_id(bytes.fromhex(secret)).hex() not in survey.rows()


class TestPaper:
    """Without JavaScript: the first page leads to paper, and the outcome is typed in by keys."""

    @pytest.mark.parametrize(("width", "dark"), [(375, True), (1280, False)], ids=["phone", "desk"])
    def test_from_the_first_page_to_thanks(self, browser, paper, width, dark):
        code = re.search("#(.{32})", paper.link())[1]
        before = set(paper.rows())
        with Visit(browser, f"{paper.url}/", width=width, dark=dark, script=False) as visit:
            assert "Without JavaScript" in visit.text()
            assert "getting ready" not in visit.text()
            assert visit.page.overflow() <= 0
            visit.tab_to("Answer on paper")
            visit.press("Enter")
            visit.heading("On paper: Illness at work")
            assert visit.page.overflow() <= 0
            visit.tab_to("radio")
            visit.press(" ", "ArrowDown", "ArrowDown")  # the third report of the first question
            visit.press("Tab", "Tab", "Tab")
            assert visit.run(ROLES) == "INPUT:text"  # past the table and the reports of the second question
            visit.type(code.lower())
            visit.press("Enter")
            visit.wait("document.body.innerText.includes('Choose the report to question 2.')")
            visit.tab_to("Choose the report to question 2.")
            visit.press("Enter")
            visit.tab_to("radio")
            visit.press(" ")
            visit.tab_to("text")
            visit.type(code.lower())
            visit.press("Enter")
            visit.heading("Thank you. The reports have arrived.")
            assert "you reported: “yes”." in visit.text()
            assert visit.page.overflow() <= 0
        (new,) = set(paper.rows()) - before
        assert paper.rows()[new] == {"sick": 2, "hidden": 0}

    def test_what_is_missing_and_what_was_sent(self, browser, paper):
        code = re.search("#(.{32})", paper.link())[1]
        with Visit(browser, f"{paper.url}/paper?lang=de") as visit:
            visit.click("form button")
            visit.wait("document.querySelector('.faults')")
            judge(visit, focus=False)
            assert visit.run("document.title").startswith("Fehler: ")
            visit.click("input[type=radio]", 1)
            visit.click("input[type=radio]", -1)
            visit.run(f"document.querySelector('#code').value = '{code}'")
            visit.click("form button")
            visit.heading("Danke. Die Meldungen sind angekommen.")
            judge(visit, focus=False)
            assert not [one for one in visit.page.complaints() if "Policy" in one]

    def test_the_proofs_are_a_page_that_can_be_verified(self, browser, paper):
        with Visit(browser, f"{paper.url}/certificate?question=sick") as visit:
            assert visit.run("document.querySelector('#data').type") == "application/json"
            judge(visit, focus=False)
            assert visit.page.complaints() == []

    @pytest.mark.parametrize("path", ["/paper", "/paper?lang=de", "/certificate"])
    @pytest.mark.parametrize(("width", "dark"), [(375, False), (1280, True)], ids=["phone", "desk"])
    def test_no_violations(self, browser, paper, path, width, dark):
        with Visit(browser, f"{paper.url}{path}", width=width, dark=dark) as visit:
            judge(visit, focus=False)
            assert visit.page.complaints() == []
            assert visit.run("[...document.images].every(i => i.complete && i.naturalWidth > 0 && i.alt.length > 50)")
