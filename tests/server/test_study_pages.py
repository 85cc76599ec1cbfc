"""Pages without a browser: who gets HTML, in which language, and what is done with reports that were drawn by hand."""

import re
import string
import tomllib
from fractions import Fraction
from pathlib import Path

import httpx
import pytest

from paper_studies import HIDDEN, SICK, by_machine, paper_study
from server.plain_server import InThread
from sfumato.errors import InvalidParameter
from sfumato.server.credentials import invite_link, read_invites
from sfumato.server.opening import open_server
from sfumato.server.page_parts import LANGUAGES, messages_for, messages_in
from sfumato.server.pages import odds_text, readers_of
from sfumato.server.settings import Settings
from sfumato.study import Card, CollectTerms
from sfumato.study.collection import report_id

ROOT = Path(__file__).parents[2]
WEB = ROOT / "src" / "sfumato" / "server"
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def names_in(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


class TestMessages:
    def test_every_language_has_the_same_keys_and_names(self):
        first, *others = (messages_in(language).texts for language in LANGUAGES)
        for other in others:
            assert set(other) == set(first)
            assert {key: names_in(text) for key, text in other.items()} == {
                key: names_in(text) for key, text in first.items()
            }

    def test_every_file_of_messages_is_a_language(self):
        assert {path.stem for path in (WEB / "messages").glob("*.toml")} == set(LANGUAGES)

    def test_nothing_is_left_in_the_first_language(self):
        """A text that is the same in two languages is a name, or was forgotten."""
        first, second = (messages_in(language).texts for language in LANGUAGES)
        assert {key for key in first if first[key] == second[key]} <= {"welcome.title", "paper.office_where"}

    def test_every_message_is_used(self):
        sources = [*WEB.rglob("*.py"), *(ROOT / "browser" / "src").rglob("*.js")]
        words = set(re.findall(r"\w+", " ".join(path.read_text() for path in sources)))
        tables = tomllib.loads((WEB / "messages" / "en.toml").read_text())
        pieces = {
            f"{table}.{key}" for table, found in tables.items() for key in found
            if not ({key, key.removesuffix("_all"), key.removesuffix("_way"), key.removesuffix("_title"),
                     key.partition("_")[2], f"{key}_title"} & words)
        }  # fmt: skip
        assert not pieces

    @pytest.mark.parametrize(
        ("chosen", "accepted", "language"),
        [
            (None, "", "en"),
            (None, "de", "de"),
            (None, "de-CH, en;q=0.9", "de"),
            (None, "en;q=0.3, DE;q=0.7", "de"),
            (None, "fr, it", "en"),
            (None, "de;q=0, fr", "en"),
            (None, "de;q=x, en;q=0.1", "en"),
            ("de", "en", "de"),
            ("xx", "de", "de"),
        ],
    )
    def test_a_language_is_chosen(self, chosen, accepted, language):
        assert messages_for(chosen, accepted).language == language

    def test_names_are_filled_in_and_never_read_again(self):
        assert messages_in("en")("thanks.sent", report="{secret}") == "Your device sent: {secret}."


class TestProtection:
    @pytest.mark.parametrize(
        ("odds", "shown"),
        [
            ("271828/100000", "2.72"), ("2/1", "2"), ("21/10", "2.1"), ("9999/1000", "10"), ("20001/1000", "20.1"),
            ("100/1", "100"), ("100001/1000", "101"), ("1/1", "1"), ("1000001/1000000", "1.01"),
        ],
    )  # fmt: skip
    def test_odds_are_rounded_up(self, odds, shown):
        assert odds_text(Fraction(odds)) == shown
        assert Fraction(shown) >= Fraction(odds)

    def test_readers_are_shown_with_the_worst_of_all_questions(self):
        sees = [{"name": "registrar", "odds": None}, {"name": "sharp", "odds": "9/1"}, {"name": "dull", "odds": "4/1"}]
        asked = [{"odds": "2/1", "sees": sees}, {"odds": "3/1", "sees": [{"name": "dull", "odds": "5/1"}]}]
        found = readers_of(asked)
        assert [(one.name, one.odds) for one in found] == [(None, 3), ("dull", 5), ("sharp", 9), ("registrar", None)]
        assert found[-1].recovers
        assert readers_of([{"odds": None, "sees": []}])[0].odds is None


class TestTerms:
    def test_sheets_are_returned_to_somebody(self):
        with pytest.raises(InvalidParameter, match="contact"):
            CollectTerms(paper="office")

    def test_a_study_keeps_what_it_says_of_itself(self, tmp_path):
        opened = open_server(paper_study(tmp_path))
        terms = opened.collection.terms
        opened.store.close()
        assert (terms.asked_by, terms.contact) == ("Works council of Example Ltd", "Works council, room 3.14")
        assert terms.paper == "typed"

    def test_a_link_names_study_and_key_behind_the_sign_that_is_not_sent(self):
        assert (
            invite_link("https://s.example/", "ABC", "f" * 4, "k" * 4) == "https://s.example/#ABC&study=ffff&key=kkkk"
        )
        assert invite_link("https://s.example", "ABC") == "https://s.example/#ABC"


class Running:
    """A server of a study file, a client that asks like a browser, and its tokens."""

    def __init__(self, path, invited=4):
        self.opened = open_server(path)
        self.opened.invite(invited, path.with_name("invites.csv"), "http://127.0.0.1")
        self.tokens = read_invites(path.with_name("invites.csv"))
        self.store = self.opened.store.clone()
        self.thread = InThread(self.opened.server(Settings(port=0, rate=0.0)))
        self.client = httpx.Client(base_url=self.thread.url, headers=HTML)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()
        self.thread.stop()
        self.store.close()

    def rows(self):
        return list(self.store.snapshot())


@pytest.fixture(scope="class")
def typed(tmp_path_factory):
    with Running(paper_study(tmp_path_factory.mktemp("typed"))) as running:
        yield running


class TestPages:
    def test_people_get_a_page_and_machines_get_json(self, typed):
        page = typed.client.get("/")
        assert page.headers["content-type"].startswith("text/html")
        assert "<h1>Illness at work</h1>" in page.text
        assert "Works council of Example Ltd" in page.text
        assert typed.client.get("/", headers={"Accept": "*/*"}).json()["study"] == "Illness at work"
        assert typed.client.get("/certificate", headers={"Accept": "application/json"}).json()["questions"]

    @pytest.mark.parametrize("path", ["/", "/certificate", "/paper"])
    def test_a_page_lets_nothing_in_and_nothing_out(self, typed, path):
        page = typed.client.get(path)
        policy = page.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert page.headers["referrer-policy"] == "no-referrer"
        assert page.headers["cache-control"] == "no-store"
        assert page.text.count("<h1") == 1
        assert not re.search(r"\son\w+=|style=|javascript:", page.text)
        for address, integrity in re.findall(r'(?:src|href)="(/[^"]+\?[0-9a-f]{16})" integrity="([^"]+)"', page.text):
            assert typed.client.get(address).headers["cache-control"].endswith("immutable")
            assert integrity.startswith("sha384-")

    def test_the_language_is_the_readers(self, typed):
        german = typed.client.get("/", headers={"Accept-Language": "de"})
        assert '<html lang="de">' in german.text
        assert "Wie Ihre Antworten geschützt sind" in german.text
        assert german.headers["vary"] == "Accept, Accept-Language"
        chosen = typed.client.get("/?lang=de", headers={"Accept-Language": "en"}).text
        assert 'href="/paper?lang=de"' in chosen
        assert 'href="/paper"' in german.text  # browsers ask for it by themselves

    def test_the_certificate_says_it_in_words_and_links_to_the_proofs(self, typed):
        page = typed.client.get("/certificate").text
        assert "Everybody: a report raises the odds of any answer against any other at most 4.13-fold." in page
        assert "Everybody: some reports prove an answer." in page
        proofs = typed.client.get("/certificate?question=sick")
        assert "Every claim" in proofs.text
        assert "script-src" not in proofs.headers["content-security-policy"]
        assert typed.client.get("/certificate?question=none").status_code == 404


class TestTyped:
    def test_the_page_says_what_is_linked_and_asks_for_the_outcome(self, typed):
        page = typed.client.get("/paper").text
        assert "Whoever runs the server could note whose report it is." in page
        assert "Roll two dice with ten faces" in page
        assert "the report “no” or “yes” proves the true answer" in page
        assert re.findall(r'name="(.*?)"', page.split("<form")[1]) == ["report-1"] * 3 + ["report-2"] * 4 + ["token"]

    def test_reports_are_kept_and_a_code_is_good_once(self, typed):
        form = {"report-1": "2", "report-2": "-", "token": typed.tokens[0]}
        answer = typed.client.post("/paper", data=form)
        assert answer.status_code == 200
        assert f"To “{SICK}” you reported: “yes”." in answer.text
        assert f"“{HIDDEN}” was left out." in answer.text
        secret = re.search(r'class="secret">([0-9a-f]{64})<', answer.text)[1]
        (kept,) = [row for row in typed.rows() if row.id == report_id(bytes.fromhex(secret))]
        assert typed.opened.collection.unpack_row(kept.row) == {"sick": 2, "hidden": None}
        again = typed.client.post("/paper", data=form)
        assert again.status_code == 403
        assert "The code is wrong, or was used before. Nothing was kept." in again.text
        assert len(typed.rows()) == 1
        withdrawn = typed.client.post("/withdrawals", json={"secret": secret})
        assert withdrawn.json() == {"withdrawn": True}
        assert typed.rows() == []

    def test_nothing_in_the_row_comes_from_the_code(self, typed):
        """What stands in a row is drawn for it: the server's files do not link it to a token."""
        from sfumato.server.admission import hash_token, panel_credential

        typed.client.post("/paper", data={"report-1": "0", "report-2": "0", "token": typed.tokens[1]})
        (row,) = typed.rows()
        token = hash_token(typed.tokens[1])
        known = typed.store.invitation(token)
        assert row.credential not in {token, panel_credential(token, 1), known.blinded, known.signature}
        assert row.panel is None
        typed.client.post("/credentials", json={"token": typed.tokens[1], "blinded": "AAAA"})

    @pytest.mark.parametrize(
        ("form", "wrong"),
        [
            ({}, ["report-1", "report-2"]),
            ({"report-1": "3", "report-2": "0"}, ["report-1"]),
            ({"report-1": "-", "report-2": "0"}, ["report-1"]),  # it may not be left out
            ({"report-1": "yes", "report-2": "x"}, ["report-1", "report-2"]),
        ],
    )
    def test_what_is_missing_is_said_where_it_is_missing(self, typed, form, wrong):
        answer = typed.client.post("/paper", data={**form, "token": typed.tokens[2]})
        assert answer.status_code == 422
        found = re.findall(r'<fieldset id="(report-\d)" aria-describedby="\1-help \1-fault"', answer.text)
        assert found == wrong
        assert [f'<a href="#{name}">' in answer.text for name in wrong] == [True] * len(wrong)
        assert "<title>Error: " in answer.text

    def test_no_code_and_no_form_are_refused(self, typed):
        good = {"report-1": "0", "report-2": "0"}
        for token in ("", "x", "A" * 32):
            assert typed.client.post("/paper", data={**good, "token": token}).status_code == 403
        assert typed.client.post("/paper", content=b"\xff\xff=%ff").status_code == 400
        assert typed.client.post("/paper", content=b"x" * 70_000).status_code == 413
        assert typed.client.post("/paper/office", data=good).status_code == 404
        assert typed.client.get("/paper/office").status_code == 404


def test_names_are_escaped(tmp_path):
    asked = Card(id="x", text="<b>&\"' a?", guess_error=Fraction(3, 8))
    terms = CollectTerms(about="</script><script>alert(1)</script>", paper="typed")
    with Running(paper_study(tmp_path, name="<i>", questions=(asked,), collect=terms)) as running:
        for path in ("/", "/paper", "/certificate"):
            text = running.client.get(path).text
            assert "<script>alert" not in text
            assert "<b>&" not in text
            assert "<i>" not in text


def test_an_office_types_sheets_and_respondents_see_no_form(tmp_path):
    with Running(paper_study(tmp_path, paper="office")) as running:
        page = running.client.get("/paper").text
        assert "<form" not in page
        assert "Works council, room 3.14" in page
        assert page.count('<li class="box">') == 7
        assert "without a name and without your invitation code" in page
        office = running.client.get("/paper/office").text
        assert "Never type in an invitation code of a person" in office
        form = {"report-1": "1", "report-2": "0", "token": running.tokens[0]}
        assert running.client.post("/paper", data=form).status_code == 404
        assert running.client.post("/paper/office", data=form).status_code == 200
        assert len(running.rows()) == 1


def test_a_panel_keeps_typed_reports_under_the_pseudonym(tmp_path):
    with Running(paper_study(tmp_path, mode="panel")) as running:
        page = running.client.get("/paper").text
        assert "kept under your pseudonym" in page
        assert "This study asks the same people several times." in running.client.get("/").text
        form = {"report-1": "1", "report-2": "0", "token": running.tokens[0]}
        assert running.client.post("/paper", data=form).status_code == 200
        assert running.client.post("/paper", data=form).status_code == 403
        (row,) = running.rows()
        assert row.panel is not None


def test_a_closed_study_takes_nothing(tmp_path):
    with Running(paper_study(tmp_path)) as running:
        running.store.set_state(type(running.opened.state)(**{
            **{name: getattr(running.opened.state, name) for name in ("fingerprint", "mode", "wave")}, "closed": True
        }))  # fmt: skip
        form = {"report-1": "1", "report-2": "0", "token": running.tokens[0]}
        answer = running.client.post("/paper", data=form)
        assert answer.status_code == 410
        assert "The study is closed. It takes no more reports." in answer.text
        assert running.rows() == []
        assert '"open":false' in running.client.get("/").text


def test_what_no_hand_can_draw_is_named(tmp_path):
    with Running(paper_study(tmp_path, questions=(by_machine("Are you tired?"),))) as running:
        page = running.client.get("/paper").text
        assert "This study cannot be answered on paper" in page
        assert "<li>Are you tired?</li>" in page
        assert running.client.post("/paper", data={"token": running.tokens[0]}).status_code == 404


def test_a_study_that_takes_no_paper_says_so(tmp_path):
    with Running(paper_study(tmp_path, paper=None)) as running:
        page = running.client.get("/paper").text
        assert "Nobody takes sheets of paper for this study." in page
        assert "<form" not in page
        assert running.client.post("/paper", data={"token": running.tokens[0]}).status_code == 404
