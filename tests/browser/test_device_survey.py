"""End to end in a real browser: invited, answered, stored, exported, opened with a key; and what travels on the way."""

import base64
import json
import shutil

import pytest

from browser.building import bundle
from browser.surveys import ANSWERS, OTHERS, QUESTIONS, SurveyPage, served, survey
from sfumato.keys.protection import Unprotected
from sfumato.keys.shares import Kem, read_share_private
from sfumato.server.opening import open_server
from sfumato.server.settings import Settings
from sfumato.study import OneOfMany, YesNo
from sfumato.study.collection import collection_of, form_document
from sfumato.study.file import read_study
from sfumato.workflows.collecting import unseal_shares
from sfumato.workflows.reading import estimate_reports, open_reports, recover_answers

# Four people, who answer every kind, or do not.
PEOPLE = [ANSWERS, OTHERS, {**ANSWERS, "smokes": "no", "brand": None}, {**OTHERS, "pets": ["cat"], "rent": "0"}]
TWO = (YesNo(id="moved", text="Did you move?"), OneOfMany(id="place", text="Where?", answers=("n", "s", "e", "w")))
HERE = {"moved": "yes", "place": "s"}


@pytest.fixture
def page_of(browser):
    """Pages that are closed again."""
    made = []

    def new(*arguments, **settings):
        made.append(SurveyPage(browser, *arguments, **settings))
        return made[-1]

    yield new
    for one in made:
        one.page.run("localStorage.clear()")
        one.close()


def stored(path):
    """What the server of a study keeps."""
    opened = open_server(path)
    rows = list(opened.store.snapshot())
    opened.store.close()
    return rows


@pytest.mark.parametrize("kem", list(Kem))
def test_from_an_invitation_to_what_a_key_shows(page_of, tmp_path, kem):
    path = survey(tmp_path, kem=kem.value)
    with served(path, len(PEOPLE)) as (url, collection, tokens):
        page, told = page_of(url), []
        for answers, token in zip(PEOPLE, tokens, strict=True):
            page.page.run("localStorage.clear()")  # another device
            page.go(f"#{token}&study={collection.fingerprint}")
            told.append(page.answer(answers, token))
            assert told[-1]["stages"] == ["credential", "waiting", "sending", "kept"]
    opened = open_server(path)
    rows = {row.id.hex(): row for row in opened.store.snapshot()}
    assert {one["id"]: base64.b64decode(one["row"]) for one in told} == {name: row.row for name, row in rows.items()}
    for one in told:
        reports = opened.collection.unpack_row(rows[one["id"]].row)
        shown = {cell["question"]: cell["report"] for cell in one["cells"]}
        assert shown == {name: reports[name] for name in opened.collection.handlers}
    opened.close_collection()
    part = opened.export(tmp_path / "export")
    opened.store.close()

    def unsealed(name):
        key = read_share_private(tmp_path / name, kem, Unprotected())
        made = unseal_shares(part.shares[name], part.reports, key, tmp_path / f"{name} keys", protection=Unprotected())
        assert made.dropped == ()
        return made

    # The registrar gets every answer back, which only the right shifts beside the right reports give.
    made = unsealed("registrar")
    recovered = recover_answers(made.reports, list(made.keys), unlock=Unprotected())
    order = sorted(range(len(told)), key=lambda i: told[i]["id"])
    check_recovered(recovered, [PEOPLE[i] for i in order])
    # An analyst sees their level of it, and it is estimated.
    made = unsealed("ministry")
    seen = open_reports(made.reports, list(made.keys), unlock=Unprotected())
    found = estimate_reports(seen)
    assert {one.question.id for one in found} == {one.id for one in QUESTIONS}
    assert {one.question.id: one.total for one in found}["rent"] == sum(one["rent"] is not None for one in PEOPLE)


def check_recovered(table, people):
    """Answers as they were given, numbers as numbers."""
    found = {name: table.column(name).to_pylist() for name in table.column_names}
    for name in ("smokes", "brand", "month", "tree", "tired"):
        assert found[name] == [one[name] for one in people]
    assert found["ways"] == [";".join(one["ways"]) or "nothing" for one in people]
    assert found["pets"] == [";".join(one["pets"]) if one["pets"] else None for one in people]
    assert found["rooms"] == [int(one["rooms"]) for one in people]
    for name in ("wage", "rent"):
        assert found[name] == [None if one[name] is None else float(one[name]) for one in people]


def test_in_a_panel_the_token_goes_with_the_report(page_of, tmp_path):
    path = survey(tmp_path, mode="panel", recover=False, questions=TWO)
    with served(path, 1) as (url, _, (token,)):
        page = page_of(url)
        first = page.answer(HERE, token)
        assert first["stages"] == ["sending", "kept"]
        assert page.answer(HERE, token)["id"] == first["id"]
    (row,) = stored(path)
    assert (row.id.hex(), row.panel is None) == (first["id"], False)


def test_the_next_wave_of_a_panel_repeats_the_report_under_another_name(device, tmp_path):
    path = survey(tmp_path, mode="panel", recover=False, questions=TWO)
    forms = [form_document(collection_of(read_study(path), tmp_path, wave=wave)) for wave in (1, 2, 1)]
    found = device.page.run(
        "(async () => { const memory = new device.DeviceMemory(new device.SystemWords(), new device.PageStorage());"
        f" const found = []; for (const form of {json.dumps(forms)}.map(device.readForm)) {{"
        f" const made = await device.respondent.drawAll(form, {json.dumps(HERE)}, {{ memory }});"
        " found.push([device.hex(made.row), device.hex(made.id)]); } return found; })()"
    )
    assert found[0] == found[2]
    assert found[0][0] == found[1][0]
    assert found[0][1] != found[1][1]


# What travels.


def test_requests_have_one_length_and_say_no_answer(page_of, tmp_path):
    path = survey(tmp_path)
    shapes = []
    with served(path, len(PEOPLE)) as (url, collection, tokens):
        page = page_of(url)
        for answers, token in zip(PEOPLE, tokens, strict=True):
            page.page.run("localStorage.clear()")
            page.go(f"#{token}")
            page.answer(answers, token)
            asked = page.requests()
            assert all(address.startswith((f"{url}/", "about:blank")) for address in page.page.requested())
            assert [(method, where) for method, where, _ in asked] == [
                ("GET", "/form"),
                ("GET", "/credentials"),
                ("POST", "/credentials"),
                ("POST", "/reports"),
            ]
            credential, report = (json.loads(body) for _, _, body in asked[2:])
            assert set(credential) == {"token", "blinded"}
            assert set(report) == {"id", "row", "shares", "credential"}
            assert len(base64.b64decode(report["row"])) == collection.row_bytes
            lengths = {name: len(base64.b64decode(body)) for name, body in report["shares"].items()}
            assert lengths == dict(collection.share_bytes)
            assert token not in asked[3][2]
            shapes.append([len(body) for _, _, body in asked[2:]])
    assert len({tuple(shape) for shape in shapes}) == 1


SCRIPTED = """
(() => {
  const own = crypto.getRandomValues.bind(crypto);
  const words = %s.map(BigInt);
  let next = 0;
  crypto.getRandomValues = (into) => {
    if (into instanceof BigUint64Array) into.forEach((_, i) => { into[i] = words.shift() ?? 0n; });
    else if (into instanceof Uint8Array) into.forEach((_, i) => { into[i] = (next = (next * 167 + 13) %% 251); });
    else own(into);
    return into;
  };
})()
"""


def check_coupled(page_of, device, folder, script=None):
    """Two browsers with other answers and coins, but the same report: what they send differs in ciphertexts alone."""
    path = survey(folder / "one")
    opened = open_server(path)
    opened.invite(1, path.with_name("invites.csv"))
    opened.server(Settings(port=0))  # makes the key that credentials are signed with
    opened.store.close()
    shutil.copytree(folder / "one", folder / "two")
    form, sent = form_document(opened.collection), []
    drawn = device.ask("scripted", form, ANSWERS, [str(7 + (i << 58)) for i in range(64)])["cells"]
    reports = {name: cell["report"] for (name, _), cell in zip(form["row"], drawn, strict=True)}
    for name, answers in (("one", ANSWERS), ("two", {**OTHERS, "rent": "0"})):
        words = device.ask("coupled", form, answers, reports)
        with served(folder / name / "study.toml") as (url, _, (token,)):
            page = page_of(url, before=SCRIPTED % json.dumps(words), script=script)
            page.page.run("localStorage.clear()")
            page.go(f"#{token}")
            page.answer(answers, token)
            asked = [(method, where, masked(body)) for method, where, body in page.requests()]
            sent.append([asked, page.headers()])
            page.page.run("localStorage.clear()")
    assert sent[0] == sent[1]
    assert len(sent[0][0]) == 4


def masked(body):
    """A body without its ciphertexts: bytes of what is left, and how long they are."""
    if body is None or '"shares"' not in body:
        return body
    document = json.loads(body)
    for share in document["shares"].values():
        body = body.replace(share, f"<{len(share)} letters>")
    return body


@pytest.mark.parametrize("is_shipped", [True, False], ids=["as it is shipped", "bundled here"])
def test_other_answers_with_the_same_report_send_the_same_bytes(page_of, device, tmp_path, is_shipped):
    (tmp_path / "one").mkdir()
    check_coupled(page_of, device, tmp_path, None if is_shipped else bundle("src/pages/respond.js"))


LEAKS = {
    "posts the answer": ("drawing.js", "this.add(this.placeOf(symbol), sum)", "this.placeOf(symbol)"),
    "says it in an address": (
        "respondent.js",
        "const dice = new Dice(WORDS);",
        "const dice = new Dice(WORDS); await fetch(`health?${JSON.stringify(answers)}`);",
    ),
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_client_that_tells_an_answer_is_caught(page_of, device, tmp_path, name):
    (tmp_path / "one").mkdir()
    with pytest.raises(AssertionError):
        check_coupled(page_of, device, tmp_path, bundle("src/pages/respond.js", [LEAKS[name]]))


# What is remembered, and what goes wrong.


def test_the_same_answers_get_the_same_report_and_another_one_is_drawn_anew(page_of, tmp_path):
    path = survey(tmp_path, recover=False, questions=TWO)
    with served(path, 1) as (url, _, _):
        page = page_of(url)
        drawn = page.page.run(
            "(async () => { const form = await sfumato.loadForm(); const found = [];"
            f" for (const answers of {json.dumps([HERE, HERE, {**HERE, 'place': 'w'}, HERE])}) {{"
            " const made = await sfumato.drawAll(form, answers);"
            " found.push([JSON.stringify([...made.secret, ...made.row, ...Object.values(made.shares).map(String)]),"
            " made.cells.map((one) => one.report)]); }"
            " return [found, (await sfumato.unsent(form)) !== undefined, Object.keys(localStorage)]; })()"
        )
        (first, again, other, back), is_unsent, names = drawn
        assert first == again
        assert other[0] != first[0]
        assert other[1][0] == first[1][0], "the answer that stays keeps its report"
        assert back[1] == first[1]
        assert is_unsent
        assert names == ["sfumato/device/1"]


def test_who_is_interrupted_loses_neither_token_nor_report_and_can_withdraw(page_of, tmp_path):
    path = survey(tmp_path, recover=False, questions=TWO)
    with served(path, 1) as (url, _, (token,)):
        page = page_of(url, f"#{token}")
        stopped = page.refusal(
            f"const form = await sfumato.loadForm(); const made = await sfumato.drawAll(form, {json.dumps(HERE)});"
            f" await sfumato.submit(form, made, {{ token: '{token}', waitSeconds: 0,"
            " onProgress: (one) => { if (one === 'waiting') throw Object.assign(new Error(), { code: 'stopped' }); } })"
        )
        assert stopped == "stopped"
        page.go(f"#{token}")
        # The answer to the report is lost on its way, once.
        page.page.run(
            "(() => { const own = fetch; let lost = 0; window.fetch = async (url, ...rest) => {"
            " const found = await own(url, ...rest);"
            " if (String(url).endsWith('/reports') && !lost++) throw new TypeError('lost'); return found; }; })()"
        )
        sent = page.page.run(
            "(async () => { const form = await sfumato.loadForm(); const made = await sfumato.unsent(form);"
            f" const sent = await sfumato.submit(form, made, {{ token: '{token}', waitSeconds: 0 }});"
            " return [sent.id, (await sfumato.unsent(form)) === undefined]; })()"
        )
        assert sent[1] is True
        asked = page.requests()
        assert [where for method, where, _ in asked if method == "POST"] == ["/reports", "/reports"]
        assert asked[-1][2] == asked[-2][2]
        counts = page.page.run(
            "(async () => { const form = await sfumato.loadForm();"
            " return [await sfumato.withdraw(form), await sfumato.withdraw(form)]; })()"
        )
        assert counts == [1, 0]
    assert stored(path) == []


def test_what_is_taken_back_before_it_was_sent_does_not_wait_any_more(page_of, tmp_path):
    path = survey(tmp_path, recover=False, questions=TWO)
    with served(path, 1) as (url, _, (token,)):
        page = page_of(url, f"#{token}")
        waits = page.page.run(
            f"(async () => {{ const form = await sfumato.loadForm(); await sfumato.drawAll(form, {json.dumps(HERE)});"
            " const made = await sfumato.unsent(form);"
            " const onProgress = (one) => { if (one === 'sending') throw new Error('stopped'); };"
            f" await sfumato.submit(form, made, {{ token: '{token}', waitSeconds: 0, onProgress }}).catch(() => {{}});"
            " const count = await sfumato.withdraw(form);"
            " return [made !== undefined, count, (await sfumato.unsent(form)) === undefined]; })()"
        )
        assert waits == [True, 1, True]


def test_what_an_invitation_names_is_held_against_what_the_server_says(page_of, tmp_path):
    path = survey(tmp_path, recover=False, questions=TWO)
    with served(path, 1) as (url, collection, (token,)):
        for study, code in ((collection.fingerprint, None), ("0" * 64, "study")):
            page = page_of(url, f"#{token}&study={study}")
            assert page.refusal("await sfumato.loadForm()") == code
        wrong = (
            f"const form = await sfumato.loadForm(); const made = await sfumato.drawAll(form, {json.dumps(HERE)});"
            f" await sfumato.submit(form, made, {{ token: '{token}', key: '{'0' * 64}', waitSeconds: 0 }})"
        )
        assert page_of(url).refusal(wrong) == "key"
        for given in ("", "too short"):
            no_token = f"await sfumato.submit({{}}, {{}}, {{ token: {json.dumps(given)} }})"
            assert page_of(url).refusal(no_token) == "token"


CHANGED = {
    "another text": ("questions[0].text", "Did you ever smoke?", "study"),
    "another answer": ("questions[1].asks.answers[0]", "green", "study"),
    "another skip rule": ("questions[1].ask_if.answers[0]", "no", "study"),
    "another range": ("questions[8].asks.most", "80", "study"),
    "gaps that everybody sees": ("questions[3].gaps", "public", "study"),
    "another way of collecting": ("mode", "panel", "study"),
    "a draw that tells more, and says so": ("questions[0].draw.steps[2].inside", "999/1000", "odds"),
}


@pytest.fixture(scope="module")
def every_kind(tmp_path_factory):
    """A server of every kind, which nobody answers."""
    with served(survey(tmp_path_factory.mktemp("every"), recover=False), 1) as (url, collection, _):
        yield url, collection.fingerprint


@pytest.mark.parametrize("name", CHANGED)
def test_a_form_of_another_study_is_found_out_by_its_fingerprint(page_of, every_kind, name):
    """The server says the right fingerprint, hands out the right study, and a form that is not of it."""
    (where, value, code), (url, fingerprint) = CHANGED[name], every_kind
    page = page_of(url, f"#x&study={fingerprint}")
    assert page.refusal("await sfumato.loadForm()") is None
    page.page.run(
        "(() => { const own = fetch; window.fetch = async (url, given) => { const found = await own(url, given);"
        " if (!String(url).endsWith('/form')) return found; const form = await found.json();"
        f" form.{where} = {json.dumps(value)}; for (const one of form.questions) one.odds = null;"
        " return new Response(JSON.stringify(form)); }; })()"
    )
    assert page.refusal("await sfumato.loadForm()") == code
    assert page.refusal("await sfumato.loadForm({ invitation: {} })") is None, "without a fingerprint it cannot be"


def test_over_plain_http_nothing_is_asked_for(page_of, tmp_path):
    path = survey(tmp_path, recover=False, questions=TWO)
    with served(path, 1) as (url, _, _):
        page = page_of(url.replace("127.0.0.1", "plain.test"))
        assert page.page.run("isSecureContext") is False
        assert page.refusal("await sfumato.loadForm()") == "insecure"
        assert page.requests() == []


def test_a_script_that_is_not_the_one_that_is_named_does_not_run(page_of, tmp_path):
    path = survey(tmp_path, recover=False, questions=TWO)
    with served(path, 1) as (url, _, _):
        page = page_of(url, script="0")
        ran = page.page.run(
            "new Promise((done) => { const script = document.createElement('script');"
            f" script.integrity = 'sha384-{base64.b64encode(bytes(48)).decode()}'; script.src = '/respond.js';"
            " script.onload = () => done(true); script.onerror = () => done(false); document.head.append(script); })"
        )
        assert ran is False
        assert page.page.run("typeof sfumato") == "undefined"
