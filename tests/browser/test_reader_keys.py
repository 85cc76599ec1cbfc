"""Private keys as readers keep them, and bodies of both kinds of sealing, read by the modules of the page in Node."""

import base64
import subprocess

import pytest
from cryptography.hazmat.primitives import serialization as pem

from browser.node import run_module
from sfumato.keys.protection import Passphrase, Unprotected, new_key_pair
from sfumato.keys.sealed_files import seal_private_key
from sfumato.keys.shares import Kem, read_share_private, seal_share, share_info, write_share_pair

PHRASE = "grüne Äpfel"
READ = """
const { readPrivateKey, protectionOf } = await import("SOURCES/analyst/key_files.js");
const result = [];
for (const [file, phrase] of given) {
  const data = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
  try {
    const raw = await readPrivateKey(data, phrase);
    result.push([protectionOf(data), Buffer.from(raw).toString("hex")]);
  } catch (error) {
    if (error.constructor.name !== "KeyRefused") throw error;
    result.push(error.message);
  }
}
"""


def read_all(files):
    return run_module(READ, [[base64.b64encode(data).decode(), phrase] for data, phrase in files])


def as_pem(key, phrase=None):
    lock = pem.NoEncryption() if phrase is None else pem.BestAvailableEncryption(phrase.encode())
    return key.loaded().private_bytes(pem.Encoding.PEM, pem.PrivateFormat.PKCS8, lock)


def test_every_kind_of_key_file_is_read(tmp_path):
    key, _ = new_key_pair()
    write_share_pair(tmp_path / "hybrid.pem")
    write_share_pair(tmp_path / "locked.pem", Passphrase(PHRASE))
    hybrid = read_share_private(tmp_path / "hybrid.pem", Kem.HYBRID, Unprotected()).raw
    locked = read_share_private(tmp_path / "locked.pem", Kem.HYBRID, Passphrase(PHRASE)).raw
    other = subprocess.run(
        ["openssl", "pkcs8", "-topk8", "-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512", "-iter", "5000",
         "-passout", "pass:plums"],
        input=as_pem(key), capture_output=True, check=True,
    ).stdout  # fmt: skip
    cheap = Passphrase(PHRASE, memory_kib=256, passes=2, lanes=4)
    files = [
        (seal_private_key(key, Unprotected()), "", "none", key.raw),
        (seal_private_key(key, cheap), PHRASE, "passphrase", key.raw),
        (seal_private_key(key, cheap), "gru\u0308ne A\u0308pfel", "passphrase", key.raw),  # typed on another keyboard
        (as_pem(key), "", "none", key.raw),
        (as_pem(key, "plums"), "plums", "passphrase", key.raw),
        (other, "plums", "passphrase", key.raw),
        ((tmp_path / "hybrid.pem").read_bytes(), "", "none", hybrid),
        ((tmp_path / "locked.pem").read_bytes(), PHRASE, "passphrase", locked),
    ]
    found = read_all([(data, phrase) for data, phrase, *_ in files])
    assert found == [[protection, raw.hex()] for *_, protection, raw in files]


def test_what_does_not_open_gets_a_sentence_and_no_byte_of_it():
    key, _ = new_key_pair()
    sealed = seal_private_key(key, Passphrase(PHRASE, memory_kib=64, passes=1, lanes=1))
    plain = seal_private_key(key, Unprotected())
    changed = bytes([plain[-40] ^ 1])
    greedy = sealed.replace(b'"memory_kib":64', b'"memory_kib":99')
    newer = plain.replace(b"private-key/1", b"private-key/9")
    files = [
        (sealed, "others", "the passphrase is another one"),
        (sealed, "", "type its passphrase"),
        (sealed[:-1] + bytes([sealed[-1] ^ 1]), PHRASE, "changed after it was sealed"),
        (greedy, PHRASE, "changed after it was sealed"),
        (sealed[:30], PHRASE, "damaged"),
        (plain[:-40] + changed + plain[-39:], "", "damaged"),
        (plain, PHRASE, "not protected, although"),
        (newer, "", "newer format"),
        (as_pem(key, "plums"), "pears", "does not open"),
        (as_pem(key, "plums"), "", "type its passphrase"),
        (as_pem(key), "plums", "not protected, although"),
        (
            b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "",
            "damaged, or holds a key of another kind",
        ),
        (b"a poem", "", "no private key of Sfumato"),
        (b"", "", "no private key of Sfumato"),
        (b"x" * 200_000, "", "too long"),
    ]
    for seen, (_, _, sentence) in zip(read_all([one[:2] for one in files]), files, strict=True):
        assert isinstance(seen, str), sentence
        assert sentence in seen
        assert key.raw.hex() not in seen


def test_a_hostile_file_cannot_ask_for_a_machine():
    key, _ = new_key_pair()
    sealed = seal_private_key(key, Passphrase(PHRASE, memory_kib=64, passes=1, lanes=1))
    header = sealed.index(b'"memory_kib":64')
    grown = sealed[:header] + b'"memory_kib":99999999' + sealed[header + len(b'"memory_kib":64') :]
    start = len(b"SFUMATO PRIVATE KEY\n")
    length = int.from_bytes(sealed[start : start + 4], "little") + 6
    grown = grown[:start] + length.to_bytes(4, "little") + grown[start + 4 :]
    (seen,) = read_all([(grown, PHRASE)])
    assert "damaged" in seen


OPEN = """
const { rowsIn, checkKey, countOpened } = await import("SOURCES/analyst/opening.js");
const { estimateQuestion } = await import("SOURCES/estimates/questions.js");
const data = Uint8Array.from(atob(given.data), (letter) => letter.charCodeAt(0));
const raw = Uint8Array.from(Buffer.from(given.key, "hex"));
const rows = rowsIn(data);
let result;
try {
  await checkKey(rows.reading, raw);
  const told = [];
  const { counts, dropped } = await countOpened(rows, raw, (done, total) => told.push([done, total]));
  result = { counts: Object.fromEntries(counts), dropped, told };
} catch (error) { result = error.message; }
"""


@pytest.mark.parametrize("kem", list(Kem))
def test_bodies_of_both_kinds_are_opened_and_counted(kem):
    """Three questions, one of masks and one that nobody opens, with a gap; a row that is no draw is dropped."""
    import json

    from sfumato.keys.shares import new_share_key

    key, other = new_share_key(kem), new_share_key(kem)
    moduli, ids = (7, 8), [bytes([number]) * 32 for number in range(6)]
    shifts = [(3, 5), (0, 0), (6, 7), (1, 2), (2, 1), (5, 5)]
    reports = [(2, 3, 1), (0, 0, 0), (6, 2, 2), (4, 7, 0), (1, 1, 1), (3, 6, 2)]
    infos = [share_info("ab" * 32, "press", one) for one in ids]
    bodies = [seal_share(shift, moduli, kem, key.public, info) for shift, info in zip(shifts, infos, strict=True)]
    bodies[4] = bytes(len(bodies[4]))
    bodies[5] = bodies[5][:-1] + bytes([bodies[5][-1] ^ 1])
    questions = [
        {"id": "one", "reports": 7, "bytes": 1, "reckoning": {"undo": "subtract"}},
        {"id": "some", "reports": 8, "bytes": 1, "reckoning": {"undo": "xor"}},
        {"id": "told", "reports": 2, "bytes": 1, "reckoning": {"undo": "subtract"}},
    ]
    header = {
        "schema": "sfumato/reading/1", "fingerprint": "ab" * 32, "receiver": "press", "kem": kem.value, "rows": 6,
        "public_keys": {name: base64.b64encode(one.public).decode() for name, one in (("press", key), ("desk", other))},
        "opens": ["one", "some"], "moduli": moduli, "row_bytes": 3, "share_bytes": len(bodies[0]),
        "questions": questions,
    }  # fmt: skip
    text = json.dumps(header).encode()
    parts = [one + bytes(row) + body for one, row, body in zip(ids, reports, bodies, strict=True)]
    data = base64.b64encode(len(text).to_bytes(4, "big") + text + b"".join(parts)).decode()
    seen = run_module(OPEN, {"data": data, "key": key.raw.hex()})
    wanted = {"one": [0] * 7, "some": [0] * 8, "told": [0, 0]}
    for (first, second), (one, some, told) in list(zip(shifts, reports, strict=True))[:4]:
        wanted["one"][(one - first) % 7] += 1
        wanted["some"][some ^ second] += 1
        if told < 2:  # 2 is a gap, which is public
            wanted["told"][told] += 1
    assert seen == {"counts": wanted, "dropped": [4, 5], "told": [[6, 6]]}
    assert "This is the key of desk" in run_module(OPEN, {"data": data, "key": other.raw.hex()})
    assert "belongs to nobody" in run_module(OPEN, {"data": data, "key": new_share_key(kem).raw.hex()})
    assert "another kind" in run_module(OPEN, {"data": data, "key": "00" * 40})
