"""Pages that check themselves, opened from files in a real Chromium, honest and tampered with."""

import http.server
import json
import re
import threading
from contextlib import contextmanager
from fractions import Fraction
from html import escape

import pytest

import sfumato as sf
import sfumato_check
from browser.checker_pages import DONE, WORKER, said, with_document
from browser.surveys import QUESTIONS, served, survey
from browser.test_checker import FORGED, certificates, plain
from certificates.test_every_kind import KINDS
from checker.test_command import HOSTILE
from fresh_seals import reseal
from page_samples import sample_files, sample_plan
from sfumato.render import page_style
from sfumato.render.report_pages import study_report_html
from sfumato.render.self_checks import checker_script

PHONE, DESK = {"width": 375, "height": 812}, {"width": 1280, "height": 900}
FORGED_BY_NAME = {path.stem: path.read_text() for path in FORGED}


@pytest.fixture(scope="module")
def put(tmp_path_factory):
    """Write a page, and return where it is."""
    folder, count = tmp_path_factory.mktemp("self_checks"), iter(range(1000))

    def write(page):
        path = folder / f"{next(count)}.html"
        path.write_text(page)
        return path

    return write


@pytest.fixture(scope="module")
def certificate():
    return KINDS["channel"]()


@pytest.fixture(scope="module")
def honest_page(certificate):
    return certificate.to_html()


@pytest.fixture(scope="module")
def report():
    return study_report_html(sample_plan(), sample_files())


class TestHonest:
    @pytest.mark.parametrize("kind", KINDS)
    def test_every_kind_from_a_file(self, browser, put, kind):
        """Every claim that can be is checked, and what is shown is what the certificate says."""
        certificate = KINDS[kind]()
        found = sfumato_check.answer(certificate.to_json().encode())
        checked = [claim["measure"] for claim in found["claims"] if claim["answer"] == "checked"]
        with browser.page(put(certificate.to_html()).as_uri(), **(PHONE if len(kind) % 2 else DESK)) as page:
            outcome, line = page.run(DONE)
            assert f"Checked in this browser: {len(checked)} of {len(certificate.claims)} claims." in line
            assert outcome == ("checked" if len(checked) == len(certificate.claims) else "open")
            assert all(claim.measure in line for claim in certificate.claims if claim.measure not in checked)
            assert page.complaints() == []
            elsewhere = [asked for asked in page.requested() if not asked.startswith(("file://", "blob:null/"))]
            assert [asked for asked in elsewhere if not asked.startswith("data:")] == []

    @pytest.mark.parametrize(("size", "dark"), [(PHONE, True), (DESK, False)], ids=["phone", "desk"])
    def test_a_report_counts_the_claims_of_all_its_certificates(self, browser, put, report, size, dark):
        plan = sample_plan()
        claims = sum(len(planned.certificate.claims) for planned in plan.questions)
        with browser.page(put(report).as_uri(), dark=dark, **size) as page:
            outcome, line = page.run(DONE)
            assert (outcome, line) == (
                "checked",
                f"✓ Checked in this browser: {claims} of {claims} claims in {len(plan.questions)} certificates.",
            )
            each = page.run("[...document.querySelectorAll('p.check:not([data-check])')].map(p => p.textContent)")
            assert each == [
                f"✓ Checked in this browser: {len(one.certificate.claims)} of {len(one.certificate.claims)} claims."
                for one in plan.questions
            ]
            assert page.violations() == []
            assert page.overflow() <= 0

    def test_what_is_only_stated_is_not_called_checked(self, browser, put):
        outcome, line = said(browser, put(KINDS["disclosure-public"]().to_html()))
        assert outcome == "open"
        assert line == (
            "! Checked in this browser: 1 of 2 claims. Stated, and what would prove it is private: sample_leak_bits."
        )

    def test_letters_that_no_page_shows_do_not_break_the_seal(self, browser, put):
        channel = sf.Channel([[Fraction(1, 2)] * 2] * 2, ["a\u00a0b", "c\u2003d"], ["\u3000", "d"])
        page = sf.certify(channel).to_html()
        assert "\u2003" not in page
        assert said(browser, put(page))[0] == "checked"

    def test_screen_readers_hear_the_result(self, browser, put, honest_page):
        """One live region, there from the start, whose text is the result; a mark and words say it, not a colour."""
        assert honest_page.count('role="status"') == 1
        with browser.page(put(honest_page).as_uri()) as page:
            line = page.run(DONE)[1]
            nodes = page.ask("Accessibility.getFullAXTree")["nodes"]
        status = next(node for node in nodes if node.get("role", {}).get("value") == "status")
        below = {node["nodeId"]: node for node in nodes}
        texts = [below[child]["name"]["value"] for child in status["childIds"]]
        assert texts == [line]
        assert line.startswith("✓ Checked")

    def test_without_javascript_it_says_how_to_check_by_command(self, browser, put, honest_page):
        with browser.page(put(honest_page).as_uri()) as page:
            page.ask("Emulation.setScriptExecutionDisabled", value=True)
            browser.events.clear()
            page.ask("Page.reload")
            browser.wait_for("Page.loadEventFired", page._session)
            root = page.ask("DOM.getDocument")["root"]["nodeId"]
            line = page.ask("DOM.querySelector", nodeId=root, selector="[data-check]")["nodeId"]
            text = page.ask("DOM.getOuterHTML", nodeId=line)["outerHTML"]
        assert "Not checked in this browser: that takes JavaScript." in text
        assert "sfumato verify" in text

    def test_where_no_worker_can_be_had_the_page_checks_by_itself(self, browser, put, honest_page):
        page = honest_page.replace("worker-src blob:; ", "worker-src 'none'; ")
        assert page != honest_page
        assert said(browser, put(page))[1] == "✓ Checked in this browser: 15 of 15 claims."

    def test_the_page_stays_alive_while_its_worker_checks(self, browser, put, honest_page):
        """The page has many turns before the worker has ended; by itself it would have one."""
        slow = sf.certify(sf.design.gaussian(bound=1, budget_bits=2, steps=120)).to_json()
        with browser.page(put(honest_page).as_uri()) as page:
            page.run(DONE)
            page.run(WORKER)
            turns, code = page.run(
                "new Promise((done) => { let turns = 0, ended = null;"
                f" byWorker([{json.dumps(slow)}]).then((all) => {{ ended = all; }});"
                " const turn = () => ended ? done([turns, ended[0].exit_code]) : (turns += 1, setTimeout(turn));"
                " turn(); })"
            )
        assert code == 0
        assert turns > 5


class TestForged:
    def test_the_script_of_a_page_refuses_every_forged_file(self, browser, put, honest_page):
        """What is shipped, and not only its sources: the worker that the page makes of its own script."""
        texts = [*FORGED_BY_NAME.values(), *(raw.decode() for raw in certificates(40, seed=9))]
        with browser.page(put(honest_page).as_uri()) as page:
            page.run(DONE)
            page.run(WORKER)
            found = page.run(f"byWorker({json.dumps(texts)})")
        assert [plain(one) for one in found] == [plain(sfumato_check.answer(text.encode())) for text in texts]
        assert {one["exit_code"] for one in found[: len(FORGED)]} == {1, 2}

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("channel_false_sentence", "odds: its sentence is not what belongs to it."),
            ("channel_capacity_without_witness", "capacity_bits: it must carry a witness."),
            ("channel_note_left_out", "the notes are not the ones that belong to the subject."),
        ],
    )
    def test_a_page_with_a_forged_certificate_says_which_claim(self, browser, put, honest_page, name, words):
        page = with_document(honest_page, FORGED_BY_NAME[name])
        assert said(browser, put(page), **PHONE) == ["refused", f"✗ Refused in this browser: {words}"]

    def test_the_claim_is_marked_where_it_stands(self, browser, put, honest_page, certificate):
        document = json.loads(certificate.to_json())
        claim = next(one for one in document["claims"] if one["measure"] == "epsilon")
        claim["value"] = {end: number - 1e-9 for end, number in claim["value"].items()}
        page = with_document(honest_page, reseal(document).decode())
        with browser.page(put(page).as_uri()) as opened:
            outcome, line = opened.run(DONE)
            assert outcome == "refused"
            assert line.startswith("✗ Refused in this browser: epsilon: its interval does not hold what I find, 0.693")
            marked = opened.run("document.querySelector('tr[data-claim=epsilon] th').textContent")
            assert marked == "ε (local differential privacy) ✗ refused"
            assert opened.violations() == []

    def test_a_changed_byte_breaks_the_seal(self, browser, put, honest_page):
        before, mark, after = honest_page.partition(' data-sealed="">')
        page = before + mark + after.replace("2/3", "1/2", 1)
        outcome, line = said(browser, put(page))
        assert outcome == "refused"
        assert "the digest does not match: at least one byte was changed" in line

    def test_one_forged_certificate_of_a_report_is_named(self, browser, put, report):
        page = with_document(report, FORGED_BY_NAME["ladder_coalition_left_out"])
        outcome, line = said(browser, put(page))
        assert outcome == "refused"
        assert line == ("✗ affair: Refused in this browser: odds_coalition_1_2 is missing, which applies here.")


class TestShown:
    """What a page shows of its certificate is compared with it: an honest certificate does not cover up other words."""

    @pytest.mark.parametrize(
        ("old", "new", "words"),
        [
            (r'(tr data-claim="odds">.*?data-part="value">)2<', r"\g<1>1<", "odds: its value is “1” here and “2” in"),
            (r"(data-part=\"sentence\">No report favours .*?)2 times", r"\g<1>1 times", "odds: its sentence is “No"),
            (r"(data-part=\"status\">certified) ±\S+?<", r"\g<1> ±1e-99<", "epsilon: its status is “certified ±1e-99”"),
            (r"(data-part=\"because\">)ln of the odds", r"\g<1>ln of nothing", "epsilon: its because is “ln of no"),
            (r"(data-part=\"name\">)exposure", r"\g<1>safety", "exposure: its name is “safety” here and “exposure” in"),
            (r'<tr data-claim="exposure">.*?</tr>', "", "exposure: its name is shown 0 times"),
            (r'(<li[^>]*data-claim="odds".*?</li>)', r"\g<1>\g<1>", "odds: its sentence is shown 2 times"),
            (r'data-claim="odds"', 'data-claim="safety"', "odds: its sentence is shown 0 times"),
            (r"(data-part=\"digest\">sha256:)[0-9a-f]{8}", r"\g<1>00000000", "each digest has to be the certificate's"),
            (r"<li data-part=\"source\">.*?</li>", "", "each source has to be the certificate's, and one is not"),
            (r"</ul>", "<li>Nothing leaks.</li></ul>", "“Nothing leaks.” belongs to no claim"),
            (r"</tbody>", "<tr><th>leak</th><td>0</td></tr></tbody>", "“leak0” belongs to no claim"),
            (r"(json;base64,)\w+", r"\g<1>e30K", "its link saves something else"),
            (r"<h2>Every claim", '<p data-part="note">Approved.</p><h2>Every claim', "each note has to be"),
        ],
    )  # fmt: skip
    def test_what_differs_is_said(self, browser, put, honest_page, old, new, words):
        page, count = re.subn(old, new, honest_page, count=1, flags=re.DOTALL)
        assert count == 1
        assert page != honest_page
        outcome, line = said(browser, put(page))
        assert outcome == "refused"
        assert line.startswith(f"✗ This page shows something else: {words}")

    def test_a_sentence_of_a_report_that_no_certificate_has_is_said(self, browser, put, report):
        page = re.sub(r"(data-part=\"said\">)[^<]*", r"\g<1>It tells nothing at all.", report, count=1)
        outcome, line = said(browser, put(page))
        assert outcome == "refused"
        shown = "“It tells nothing at all.” is no sentence of the certificate."
        assert line == f"✗ affair: This page shows something else: {shown}"


class TestNotInThePage:
    def test_a_certificate_that_is_too_large_for_the_page_is_not_called_checked(self, browser, put, monkeypatch):
        monkeypatch.setattr(page_style, "MOST_EMBEDDED", 100)
        page = KINDS["channel"]().to_html()
        assert "The sealed certificate is not in this page" in page
        assert said(browser, put(page)) == [
            "open",
            "! Nothing was checked. 1 certificate is not in this page; run sfumato verify.",
        ]

    def test_the_others_are_checked(self, browser, put, monkeypatch):
        plan = sample_plan()
        sizes = sorted(len(planned.certificate.to_json()) for planned in plan.questions)
        monkeypatch.setattr(page_style, "MOST_EMBEDDED", sizes[-1] - 1)
        inside = [one.certificate for one in plan.questions if len(one.certificate.to_json()) < sizes[-1]]
        claims = sum(len(one.claims) for one in inside)
        outcome, line = said(browser, put(study_report_html(plan, sample_files())))
        assert outcome == "open"
        assert line == (
            f"! Checked in this browser: {claims} of {claims} claims in {len(inside)} certificates. "
            f"1 certificate is not in this page; run sfumato verify."
        )


class TestTooLarge:
    def test_what_takes_a_browser_too_long_is_left_to_the_command(self, browser, put, honest_page):
        large = HOSTILE["too many codes"]
        because = sfumato_check.answer(large)["because"]
        assert said(browser, put(with_document(honest_page, large.decode()))) == [
            "open",
            f"! Not checked: too large to be checked in a browser; run sfumato verify ({because}).",
        ]


class TestServed:
    def test_certificates_of_a_server_are_checked_where_they_are_read(self, browser, tmp_path):
        """The same pages over HTTP, with what they say of how reports are collected."""
        path = survey(tmp_path, questions=QUESTIONS[:1] + QUESTIONS[10:11])
        with served(path, 1) as (url, _, _):
            for question, note in (("smokes", "sealed, by HPKE with x25519"), ("drugs", "the mode is anonymous")):
                with browser.page(f"{url}/certificate?question={question}") as page:
                    outcome, line = page.run(DONE)
                    assert re.fullmatch(r"✓ Checked in this browser: (\d+) of \1 claims\.", line)
                    assert outcome == "checked"
                    assert note in page.run("document.body.innerText")
                    assert [asked for asked in page.requested() if not asked.startswith((url, "blob:", "data:"))] == []

    def test_a_script_with_an_address_is_its_own_worker(self, browser, honest_page):
        """An external script under the policy of served pages; the worker is loaded from the same address."""
        page = honest_page.replace(f"<script>{checker_script()}</script>", '<script defer src="/checker.js"></script>')
        page = re.sub(r"<meta http-equiv=[^>]*>", "", page)
        assert "src=" in page
        pages = {"/": ("text/html", page), "/checker.js": ("text/javascript", checker_script())}
        policy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:"
        with serving(pages, policy) as url, browser.page(f"{url}/") as opened:
            assert opened.run(DONE) == ["checked", "✓ Checked in this browser: 15 of 15 claims."]
            assert opened.requested().count(f"{url}/checker.js") == 2
            assert [line for line in opened.complaints() if "favicon" not in line] == []


@contextmanager
def serving(pages, policy):
    """A server of some pages under a policy."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            kind, text = pages.get(self.path, ("text/plain", ""))
            self.send_response(200)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join(20)


class TestPolicy:
    def test_the_policy_allows_this_script_and_no_other(self, browser, put, honest_page):
        planted = honest_page.replace("</main>", "</main><script>document.title = 'ran'</script>", 1)
        with browser.page(put(planted).as_uri()) as page:
            assert page.run(DONE)[0] == "checked"
            assert page.run("document.title") != "ran"
            assert [line for line in page.complaints() if "Content Security Policy" in line]

    def test_a_changed_script_does_not_run(self, browser, put, honest_page):
        changed = honest_page.replace("Checked in this browser", "Approved in this browser")
        assert changed != honest_page
        with browser.page(put(changed).as_uri()) as page:
            assert page.run("document.querySelector('[data-check]').dataset.outcome ?? ''") == ""
            assert "Not checked in this browser" in page.run("document.querySelector('[data-check]').textContent")

    def test_neither_page_nor_worker_can_ask_for_anything(self, browser, put, honest_page):
        """The policy holds in the worker too, which is the page's own."""
        script = """new Promise(done => {
          const source = "fetch('http://127.0.0.1:9/x').then(() => postMessage('sent'), () => postMessage('stopped'))";
          const worker = new Worker(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
          worker.onmessage = ({data}) => done(data);
        })"""
        with browser.page(put(honest_page).as_uri()) as page:
            page.run(DONE)
            assert page.run(script) == "stopped"
            assert page.run("fetch('http://127.0.0.1:9/x').then(() => 'sent', () => 'stopped')") == "stopped"
            assert not [asked for asked in page.requested() if asked.startswith("http") and "blocked" not in asked]

    def test_a_page_grows_by_the_script_once(self, report):
        script = checker_script()
        assert report.count(escape(script)) + report.count(script) == 1
        assert len(script) < 106_000  # eight kinds of certificate, seven families of ladders, beliefs about households
        assert "</script" not in script
