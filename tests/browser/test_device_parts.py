"""What a browser seals, blinds, packs and refuses is what Python does: both open what the other sealed."""

import base64
import hashlib
import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

from browser.node import run_module
from kind_samples import by_name
from sfumato.keys.shares import Kem, new_share_key, open_share, seal_share, share_info, share_text
from sfumato.server import client
from sfumato.server.blind_rsa import Blinding, Signer, check_signature
from sfumato.server.client import Credential, report_body
from sfumato.server.credentials import CredentialKey, key_digest
from sfumato.study import AskIf, BoundedNumber, LargeList, OneOfMany, Several, YesNo
from sfumato.study.collection import form_document, report_id, wave_secret
from sfumato.workflows.responding import Submission
from study.test_forms import Study, collected

MODULI = [2, 57, 256, 257, 87_381]
SHIFTS = [1, 56, 255, 256, 70_000]
INFO = share_info("f" * 64, "ministry", b"i" * 32)
VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "blind_rsa.json").read_text())


def text(data):
    return base64.b64encode(data).decode()


# Sealing.


WITHOUT_X25519 = """
(() => {
  const { subtle } = crypto;
  const own = Object.fromEntries(["generateKey", "importKey", "deriveBits"].map((name) => [name, subtle[name]]));
  window.restore = () => { for (const name of Object.keys(own)) delete subtle[name]; };
  for (const [name, call] of Object.entries(own))
    subtle[name] = (...given) =>
      JSON.stringify(given.map((one) => one?.name ?? one)).includes("X25519")
        ? Promise.reject(new DOMException("no", "NotSupportedError"))
        : call.apply(subtle, given);
})()
"""


@pytest.fixture(params=["its own X25519", "@hpke's X25519"])
def sealing(request, device):
    """The page with the browser's X25519, and with a browser that has none."""
    if request.param.startswith("@hpke"):
        device.page.run(WITHOUT_X25519)
        assert device.ask("hasX25519") is False
    yield device
    device.page.run("window.restore?.()")
    assert device.ask("hasX25519") is True


@pytest.mark.parametrize("kem", list(Kem))
def test_each_opens_what_the_other_sealed(sealing, kem):
    key = new_share_key(kem)
    body = base64.b64decode(sealing.ask("seal", SHIFTS, MODULI, kem.value, text(key.public), text(INFO)))
    assert open_share(body, MODULI, key, INFO) == tuple(SHIFTS)
    assert len(body) == sealing.ask("shareBytes", MODULI, kem.value)
    ours = seal_share(SHIFTS, MODULI, kem, key.public, INFO)
    assert len(ours) == len(body)
    assert sealing.ask("open", text(ours), MODULI, kem.value, text(key.raw), text(INFO)) == SHIFTS


@pytest.mark.parametrize("kem", list(Kem))
def test_a_body_that_is_not_ones_own_does_not_open(device, kem):
    key, other = new_share_key(kem), new_share_key(kem)
    body = seal_share(SHIFTS, MODULI, kem, key.public, INFO)
    broken = bytes([body[0] ^ 1]) + body[1:]
    zero = bytes(len(body))
    for wrong, private, info in (
        (body, other, INFO),
        (broken, key, INFO),
        (zero, key, INFO),
        (body, key, INFO + b"!"),
        (body[:-1], key, INFO),
    ):
        assert device.ask("open", text(wrong), MODULI, kem.value, text(private.raw), text(info)) is None
    assert device.ask("open", text(body), [1, *MODULI[1:]], kem.value, text(key.raw), text(INFO)) is None


def test_texts_and_names_are_those_of_python(device):
    assert device.ask("shareText", SHIFTS, MODULI) == share_text(SHIFTS, MODULI).hex()
    for name in ("ministry", "Büro für Zahlen"):
        assert (
            device.ask("shareInfo", "a" * 64, name, "1f" * 32)
            == share_info("a" * 64, name, bytes.fromhex("1f" * 32)).hex()
        )
    secret = hashlib.sha256(b"secret").digest()
    assert device.ask("reportId", secret.hex()) == report_id(secret).hex()
    assert device.ask("waveSecret", secret.hex(), "b" * 64, 3) == wave_secret(secret, "b" * 64, 3).hex()


# Rows and bodies.


def test_rows_and_bodies_are_byte_for_byte_those_of_python(device):
    study = Study(
        name="Rows",
        public_epsilon=Fraction(1),
        questions=(
            YesNo(id="a", text="?", missing="public"),
            OneOfMany(id="b", text="?", answers=tuple(f"x{i}" for i in range(300))),
            OneOfMany(id="c", text="?", answers=("u", "v"), missing="hidden"),
        ),
    )
    of = collected(study)
    form = form_document(of)
    for reports in ({"a": 1, "b": 299, "c": 2}, {"a": None, "b": 0, "c": 0}):
        cells = {name: {"report": report} for name, report in reports.items()}
        assert device.ask("packRow", form, cells) == of.pack_row(reports).hex()
    secret = hashlib.sha256(b"s").digest()
    row, shares = of.pack_row({"a": 1, "b": 7, "c": 1}), {"ministry": b"\x00\xff" * 30, "Büro": bytes(range(50))}
    made = Submission(secret=secret, row=row, shares=shares)
    blinding = Blinding(nonce=b"n" * 32, statement=b"", blinded=b"", inverse=1)
    credential = Credential(public_key="", blinding=blinding, signature=b"\x01\xfe" * 128)
    given = {
        "id": made.id.hex(),
        "row": row.hex(),
        "shares": {name: body.hex() for name, body in shares.items()},
        "nonce": blinding.nonce.hex(),
        "signature": credential.signature.hex(),
        "token": "A" * 32,
    }
    expected = [report_body(made, credential=credential).decode(), report_body(made, token="A" * 32).decode()]
    assert device.ask("bodies", given) == expected


# Blind signatures.


@pytest.mark.parametrize("variant", VECTORS["variants"], ids=lambda one: one["name"])
def test_the_vectors_of_the_standard(device, variant):
    n, e = (VECTORS["key"][name] for name in "ne")
    factor = pow(int(variant["inv"], 16), -1, int(n, 16))
    given = {"n": n, "e": e, "message": variant["msg"], "prefix": variant["msg_prefix"], "salt": variant["salt"]}
    found = device.ask("blinded", {**given, "factor": f"{factor:x}", "signed": variant["blind_sig"]})
    assert found["blinded"] == variant["blinded_msg"]
    assert int(found["inverse"], 16) == int(variant["inv"], 16)
    assert found["signature"] == variant["sig"]


def test_a_credential_of_the_server_is_unblinded_and_checked(device):
    key = CredentialKey.generate()
    statement, nonce, salt = b"sfumato/credential/1 x", hashlib.sha256(b"n").digest(), b"s" * 48
    given = {
        "key": key.public_text,
        "statement": statement.hex(),
        "nonce": nonce.hex(),
        "salt": salt.hex(),
        "factor": f"{3**500:x}",
    }
    asked = device.ask("signed", given)
    assert asked["digest"] == key_digest(key.public) == key.digest
    signed = Signer(key._private).sign(bytes.fromhex(asked["blinded"]))
    found = bytes.fromhex(device.ask("signed", {**given, "signed": signed.hex()})["signature"])
    check_signature(key.public, statement, nonce, found)
    assert device.ask("isSigned", key.public_text, statement.hex(), nonce.hex(), found.hex(), 48) is True
    assert device.ask("isSigned", key.public_text, statement.hex() + "00", nonce.hex(), found.hex(), 48) is False
    wrong = signed[:-1] + bytes([signed[-1] ^ 1])
    assert device.ask("signed", {**given, "signed": wrong.hex()}) == {"code": "signature"}
    assert device.ask("signed", {**given, "signed": signed[1:].hex()}) == {"code": "signature"}


# Answers.

SMOKERS = AskIf(question="smokes", answers=("yes",))
ASKED = (
    YesNo(id="smokes", text="?"),
    OneOfMany(id="what", text="?", answers=("x", "y"), missing="hidden", ask_if=SMOKERS),
    BoundedNumber(id="wage", text="?", highest=Fraction(40), step=Fraction(1, 10), points=5, missing="public"),
    Several(id="ways", text="?", options=("bus", "car"), ask=2, missing="hidden"),
    Several(id="pets", text="?", options=("cat", "dog"), ask=2, none="none"),
    LargeList(id="tree", text="?", dictionary=("oak", "ash", "fir"), others="other"),
)
GOOD = {"smokes": "yes", "what": "x", "wage": "12.5", "ways": ["car"], "pets": [], "tree": "oak"}


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({}, {}),
        ({"smokes": "no", "what": None}, {}),
        ({"what": None, "wage": None, "ways": None}, {}),
        ({"ways": []}, {}),
        ({"tree": "palm"}, {}),
        ({"wage": "40"}, {}),
        ({"wage": " 1.25e1 "}, {}),
        ({"smokes": None, "what": None}, {"smokes": "missing"}),
        ({"smokes": "no"}, {"what": "not-asked"}),
        ({"smokes": "perhaps", "what": None}, {"smokes": "no-answer"}),
        ({"pets": None}, {"pets": "missing"}),
        ({"pets": ["cat", "cat"]}, {"pets": "no-answer"}),
        ({"pets": ["cow"]}, {"pets": "no-answer"}),
        ({"wage": "40.1"}, {"wage": "outside"}),
        ({"wage": "-0.1"}, {"wage": "outside"}),
        ({"wage": "1.25"}, {"wage": "between-steps"}),
        ({"wage": "many"}, {"wage": "no-number"}),
        ({"tree": None}, {"tree": "missing"}),
    ],
    ids=str,
)
def test_what_is_no_answer_is_named(device, changes, problems):
    form = form_document(collected(Study(name="Asked", public_epsilon=Fraction(1), questions=ASKED)))
    assert device.ask("problems", form, GOOD | changes) == problems


def test_who_is_not_asked_and_who_does_not_answer_draw_alike(device):
    """Both report as one more answer would; where gaps are public there is no report, and a draw all the same."""
    form = form_document(collected(Study(name="Asked", public_epsilon=Fraction(1), questions=ASKED)))
    script = [str(i * 977 << 50) for i in range(1, 60)]
    not_asked = device.ask("scripted", form, GOOD | {"smokes": "no", "what": None, "wage": None}, script)
    silent = device.ask("scripted", form, GOOD | {"smokes": "yes", "what": None, "wage": None}, script)
    assert not_asked["cells"][1:] == silent["cells"][1:]
    assert not_asked["used"] == silent["used"]
    assert silent["cells"][2]["report"] is None


# Memory.


def test_what_is_remembered_is_not_drawn_again(device):
    """Of 57 reports no two draws are alike for long; the same answer has one, and other devices draw others."""
    question = by_name("one of many, by symbols").question
    form = form_document(collected(Study(name="Months", public_epsilon=Fraction(1), questions=(question,))))
    found = device.ask("answered", form, ["month 1", "month 2"] * 12)
    assert len(set(found[::2])) == len(set(found[1::2])) == 1
    assert len({device.ask("answered", form, ["month 1"])[0] for _ in range(12)}) > 1


def test_a_changed_answer_is_drawn_anew(device):
    """At odds of e^6 the second answer's report is nearly always another one; kept, it would always be the same."""
    form = form_document(collected(Study(name="Two", public_epsilon=Fraction(6), questions=(YesNo(id="q", text="?"),))))
    found = [device.ask("answered", form, ["no", "yes"]) for _ in range(40)]
    assert sum(first != second for first, second in found) > 20  # fails with probability below 1e-30


# The wait.


def test_the_wait_between_token_and_report_is_that_of_python(device):
    assert device.page.run("device.respondent.WAIT_SECONDS") == client.WAIT_SECONDS
    words = [0, 1 << 11, 1 << 63, (1 << 64) - 1]
    found = device.page.run(
        "(() => { const own = crypto.getRandomValues; const script = "
        f"{json.dumps(list(map(str, words)))}.map(BigInt);"
        " crypto.getRandomValues = (into) => { into[0] = script.shift(); return into; };"
        " try { return [1, 2, 3, 4].map(() => device.respondent.drawnWait(300)); }"
        " finally { crypto.getRandomValues = own; } })()"
    )
    assert found == pytest.approx([-300 * math.log(((word >> 11) + 1) / 2**53) for word in words], rel=1e-12)


def test_a_wait_of_weeks_is_waited_for():
    """A timer of more than 31 bits of milliseconds would end at once, and the report go out beside its token."""
    found = run_module(
        'const { sleep } = await import("SOURCES/server.js"); const own = setTimeout; const result = [];'
        " globalThis.setTimeout = (done, wait) => { result.at(-1).push(wait); own(done); };"
        " for (const whole of given) { result.push([]); await sleep(whole); }",
        [0, 1500, 2**31, 10**10],
    )
    assert found == [[0], [1500], [2**31 - 1, 1], [*[2**31 - 1] * 4, 10**10 - 4 * (2**31 - 1)]]
