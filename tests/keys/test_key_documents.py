"""Key files: what was sealed comes back, every changed bit is refused, and nothing ever shows a secret."""

import copy
import functools
import hmac
import pickle
import re
import traceback
from dataclasses import replace
from fractions import Fraction

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from damaged_files import mutations
from sfumato.errors import InvalidParameter, KeyRefused, SfumatoError, UnknownSchema, UnreadableFile
from sfumato.keys.draw_coding import Material, kind_of
from sfumato.keys.key_documents import MAGIC, open_key, read_header, seal_key
from sfumato.keys.protection import Passphrase, PrivateKey, Unprotected, new_key_pair, same_protection
from sfumato.keys.sealed_files import open_private_key, seal_private_key
from sfumato.ladders import Binding, Ladder
from sfumato.ladders.drawing import shifts_of
from sfumato.ladders.key_operations import split_key
from sfumato.ladders.keys import Draws, Seed
from sfumato.mechanisms import BinaryHadamard
from sfumato.sampling import Guarantee, InsecureSeeded

CYCLIC = Ladder.within(size=5, epsilons=(2.0, 1.0), recover=True)
HADAMARD = Ladder(BinaryHadamard(size=6, odds=Fraction(3)), (2.0, 1.0, 0.5))
LADDERS = [CYCLIC, HADAMARD]

WORDS = "correct horse battery staple"
CHEAP = Passphrase(WORDS, memory_kib=8, passes=1, lanes=1)
PRIVATE, PUBLIC = PrivateKey(bytes(range(32))), PrivateKey(bytes(range(32))).public
BOUND = Binding(study="Überstunden", question="q1", column="hours", epoch=3)
PROTECTIONS = [(CHEAP, CHEAP), (PUBLIC, PRIVATE), (PRIVATE, PRIVATE), (Unprotected(), Unprotected())]
NAMES = ["passphrase", "public_key", "private_key", "none"]


def small_key(ladder=HADAMARD, rows=50, level=1, guarantee=Guarantee.INFORMATION_THEORETIC):
    return ladder.draw_keys(rows, InsecureSeeded(5), guarantee=guarantee, binding=BOUND)[level]


def cheap(text):
    return Passphrase(text, memory_kib=8, passes=1, lanes=1)


def same(one, other, ladder):
    np.testing.assert_array_equal(shifts_of(one, ladder.steps), shifts_of(other, ladder.steps))
    assert kind_of(one) is kind_of(other)
    for name in ("ladder", "binding", "level", "start", "stop", "total", "drawing", "guarantee", "produced"):
        assert getattr(one, name) == getattr(other, name)


@given(st.data())
def test_keys_come_back(data):
    ladder = data.draw(st.sampled_from(LADDERS))
    rows = data.draw(st.sampled_from([1, 2, 50, 4096, 9000]))
    guarantee = data.draw(st.sampled_from([Guarantee.INFORMATION_THEORETIC, Guarantee.COMPUTATIONAL]))
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
    binding = Binding(
        study=data.draw(text),
        question=data.draw(text),
        column=data.draw(text),
        epoch=data.draw(st.integers(0, 1 << 31)),
    )
    bits = InsecureSeeded(data.draw(st.integers(0, 1 << 30)))
    level = data.draw(st.integers(0, len(ladder.levels) - 1))
    key = ladder.draw_keys(rows, bits, guarantee=guarantee, binding=binding)[level]
    if data.draw(st.booleans()):
        key = key.having_produced("ab" * 32)
    if rows == 9000 and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(split_key(key, ladder, [4096])))
    protection, unlock = data.draw(st.sampled_from(PROTECTIONS))
    sealed = seal_key(key, protection)
    same(open_key(sealed, unlock), key, ladder)
    header = read_header(sealed)
    assert (header.binding, header.level, header.total) == (binding, level, rows)
    assert (header.start, header.stop, header.produced) == (key.start, key.stop, key.produced)
    assert header.protection == NAMES[PROTECTIONS.index((protection, unlock))]


def test_the_header_tells_everybody_what_the_key_is_for():
    header = read_header(seal_key(small_key(), CHEAP))
    assert header.binding == BOUND
    assert header.material is Material.DRAWS
    assert header.guarantee is Guarantee.NONE
    assert (header.lock.memory_kib, header.lock.passes, header.lock.lanes) == (8, 1, 1)
    assert read_header(seal_key(small_key(), PUBLIC)).lock.receiver == PUBLIC.fingerprint
    assert read_header(seal_key(small_key(), PRIVATE)).lock.owner == PUBLIC.fingerprint


def test_sealing_twice_never_gives_the_same_bytes():
    for protection in (CHEAP, PUBLIC, PRIVATE):
        assert seal_key(small_key(), protection) != seal_key(small_key(), protection)
    for protection in (CHEAP, PRIVATE):
        one, two = (read_header(seal_key(small_key(), protection)).lock for _ in range(2))
        assert one.salt != two.salt
        assert one.nonce != two.nonce


def test_a_sealed_body_does_not_show_the_seed():
    key = small_key(guarantee=Guarantee.COMPUTATIONAL)
    assert key.material.secret in seal_key(key, Unprotected())
    for protection in (CHEAP, PUBLIC, PRIVATE):
        assert key.material.secret not in seal_key(key, protection)


@pytest.mark.parametrize(("protection", "unlock"), PROTECTIONS, ids=NAMES)
@pytest.mark.parametrize("guarantee", [Guarantee.INFORMATION_THEORETIC, Guarantee.COMPUTATIONAL])
def test_every_single_bit_counts(protection, unlock, guarantee):
    sealed = seal_key(small_key(guarantee=guarantee), protection)
    kinds = set()
    for position in range(8 * len(sealed)):
        changed = bytearray(sealed)
        changed[position // 8] ^= 1 << position % 8
        with pytest.raises((KeyRefused, UnreadableFile)) as caught:
            open_key(bytes(changed), unlock)
        kinds.add(type(caught.value))
    assert kinds >= {KeyRefused, UnreadableFile}
    open_key(sealed, unlock)


@pytest.mark.parametrize("flips", [2000, pytest.param(10**5, marks=pytest.mark.slow)])
def test_flips_of_a_large_file(flips):
    ladder = Ladder.within(size=1000, epsilons=(2.0, 1.0))
    sealed = seal_key(ladder.draw_keys(10**5, InsecureSeeded(1))[1], Unprotected())
    assert len(sealed) > 90_000
    generator = np.random.default_rng(20261115)
    changed = bytearray(sealed)
    places, bits = generator.integers(len(sealed), size=flips), generator.integers(8, size=flips)
    for place, bit in zip(places.tolist(), bits.tolist(), strict=True):
        changed[place] ^= 1 << bit
        with pytest.raises((KeyRefused, UnreadableFile)):
            open_key(bytes(changed), Unprotected())
        changed[place] ^= 1 << bit
    assert changed == sealed


@pytest.mark.parametrize(("protection", "unlock"), PROTECTIONS, ids=NAMES)
def test_a_file_cut_anywhere_is_unreadable(protection, unlock):
    sealed = seal_key(small_key(), protection)
    for length in range(len(sealed)):
        with pytest.raises(UnreadableFile, match="cut off" if length else "not a Sfumato key file"):
            open_key(sealed[:length], unlock)
    with pytest.raises(UnreadableFile, match="something was added"):
        open_key(sealed + b"\0", unlock)


@pytest.mark.parametrize("junk", [b"", b"{}", b"\x00\xff", b"PK\x03\x04 and so on", b"SFUMATO KEX\n" + b"0" * 99])
def test_what_is_no_key_at_all(junk):
    for reader in (read_header, lambda data: open_key(data, CHEAP)):
        with pytest.raises(UnreadableFile, match="not a Sfumato key file"):
            reader(junk)


def test_one_sentence_for_a_wrong_secret_and_a_changed_file():
    said = set()
    wrongs = (Passphrase("other"), new_key_pair()[0], new_key_pair()[0])
    for (protection, unlock), wrong in zip(PROTECTIONS[:3], wrongs, strict=True):
        sealed = seal_key(small_key(guarantee=Guarantee.COMPUTATIONAL), protection)
        for data, secret in ((sealed, wrong), (sealed[:-1] + bytes([sealed[-1] ^ 1]), unlock)):
            with pytest.raises(KeyRefused) as caught:
                open_key(data, secret)
            said.add(str(caught.value))
    assert len(said) == 1
    (sentence,) = said
    assert "is another one, or the file was changed" in sentence


def test_the_wrong_kind_of_secret_is_named():
    with pytest.raises(KeyRefused, match="protected by a passphrase"):
        open_key(seal_key(small_key(), CHEAP), Unprotected())
    with pytest.raises(KeyRefused, match="holder of a private key"):
        open_key(seal_key(small_key(), PUBLIC), CHEAP)
    with pytest.raises(InvalidParameter, match="must be a Passphrase, a PublicKey, a PrivateKey or Unprotected"):
        seal_key(small_key(), "secret")


@pytest.mark.parametrize(("protection", "unlock"), PROTECTIONS, ids=NAMES)
def test_a_secret_opens_only_what_a_secret_of_its_kind_sealed(protection, unlock):
    """The file says how it is protected, so whoever exchanges it would choose how it is checked."""
    sealed = seal_key(small_key(), protection)
    for other in (CHEAP, PRIVATE, Unprotected()):
        if type(other) is not type(unlock):
            with pytest.raises(KeyRefused, match=r"could have written it|protected by a passphrase|a private key"):
                open_key(sealed, other)
    open_key(sealed, unlock)


def test_whoever_has_the_public_key_cannot_seal_as_the_owner():
    """What separates the two kinds of a private key's files: the header of one cannot be put on the other."""
    import json

    document, *_ = parts(seal_key(small_key(), PRIVATE))
    sealed = seal_key(small_key(), PUBLIC)
    length = int.from_bytes(sealed[12:16], "little")
    raw = json.dumps(document, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()
    relabelled = MAGIC + len(raw).to_bytes(4, "little") + raw + sealed[16 + length :]
    with pytest.raises(KeyRefused, match="does not open"):
        open_key(relabelled, PRIVATE)
    assert read_header(relabelled).protection == "private_key"


def test_a_passphrase_is_the_same_on_every_keyboard():
    typed = cheap("Schlüssel")
    composed = cheap("Schlu\u0308ssel")
    open_key(seal_key(small_key(), typed), composed)
    lone = cheap("\ud800")
    open_key(seal_key(small_key(), lone), lone)


def reseal(document, body, segments=b""):
    """Write a file without a secret as the software does: an attacker can read the source too."""
    from sfumato.keys.protection import OpenLock, seal_body

    raw = document if isinstance(document, bytes) else msgspec.json.encode(document, order="sorted")
    opening = MAGIC + len(raw).to_bytes(4, "little") + raw
    return opening + seal_body(body, opening, Unprotected(), OpenLock()) + segments


def parts(sealed):
    """Header, what lies in the box of an unprotected file of draws or of a seed, and the segments."""
    start = 16 + int.from_bytes(sealed[12:16], "little")
    return msgspec.json.decode(sealed[16:start]), sealed[start : start + 36], sealed[start + 36 + 32 :]


def test_resealing_is_what_the_software_does():
    sealed = seal_key(small_key(), Unprotected())
    assert reseal(*parts(sealed)) == sealed


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        (lambda d: d.update(schema="sfumato/key/1"), UnknownSchema, "schema sfumato/key/1, .* reads sfumato/key/2"),
        (lambda d: d.update(schema="sfumato/key/3"), UnknownSchema, "schema sfumato/key/3, .* Upgrade sfumato"),
        (lambda d: d.update(schema="sfumato/certificate/1"), UnreadableFile, "damaged"),
        (lambda d: d.update(schema=1), UnreadableFile, "damaged"),
        (lambda d: d.update(extra=1), UnreadableFile, "damaged"),
        (lambda d: d.pop("level"), UnreadableFile, "damaged"),
        (lambda d: d.update(level=-1), UnreadableFile, "damaged"),
        (lambda d: d.update(level=3), KeyRefused, "level that its ladder does not have"),
        (lambda d: d.update(level=10**18), KeyRefused, "level that its ladder does not have"),
        (lambda d: d.update(start=50), UnreadableFile, "damaged"),
        (lambda d: d.update(stop=10**13, total=10**13), UnreadableFile, "damaged"),
        (lambda d: d.update(stop=10**12, total=10**12), UnreadableFile, "cut off, or something was added"),
        (lambda d: d.update(stop=10**8, total=10**8), UnreadableFile, "cut off, or something was added"),
        (lambda d: d.update(total=10**30), UnreadableFile, "damaged"),
        (lambda d: d.update(epoch=-1), UnreadableFile, "damaged"),
        (lambda d: d.update(study="x" * 201), UnreadableFile, "damaged"),
        (lambda d: d.update(drawing="x"), UnreadableFile, "damaged"),
        (lambda d: d.update(produced="x"), UnreadableFile, "damaged"),
        (lambda d: d.update(guarantee="absolute"), UnreadableFile, "damaged"),
        (lambda d: d.update(material="gold"), UnreadableFile, "damaged"),
        (lambda d: d.update(produced=None), UnreadableFile, "damaged"),
        (lambda d: d.update(material="seed"), UnreadableFile, "something was added"),
        (lambda d: d.update(material="block_seeds"), UnreadableFile, "something was added"),
        (lambda d: d.update(material="block_seeds", level=3), UnreadableFile, "something was added"),
        (lambda d: d.update(material="block_seeds", level=10**9), UnreadableFile, "damaged"),
        (lambda d: d.update(material="block_seeds", stop=10**12, total=10**12), UnreadableFile, "damaged"),
        (lambda d: d.update(material="seed", start=1), UnreadableFile, "damaged"),
        (lambda d: d.update(sealed_bytes=52), UnreadableFile, "damaged"),
        (lambda d: d.update(protection={"kind": "trust"}), UnreadableFile, "damaged"),
        (lambda d: d.update(ladder="{}"), UnreadableFile, "damaged"),
        (lambda d: d.update(ladder="[" * 15000), UnreadableFile, "damaged"),
        (lambda d: d.update(ladder=d["ladder"] + " "), KeyRefused, "ladder that there cannot be"),
        (lambda d: d.update(ladder=CYCLIC.declaration), KeyRefused, "not a key of its ladder"),
    ],
)
def test_hostile_headers_get_a_sentence(change, error, sentence):
    document, body, segments = parts(seal_key(small_key(), Unprotected()))
    change(document)
    with pytest.raises(error, match=sentence) as caught:
        open_key(reseal(document, body, segments), Unprotected())
    assert type(caught.value) is error
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    "numbers",
    [
        {"odds": ["1e999999999"]},
        {"odds": ["3", "2"] * 40},
        {"odds": [float(1 << 60)]},
        {"odds": ["1/0"]},
        {"odds": ["9" * 5000]},
        {"odds": "32"},
        {"odds": []},
        {"size": 10**4000},
        {"size": 10**9},
        {"size": "6"},
        {"q": 2, "t": 10**9},
        {"q": 1, "t": 2},
        {"q": 0, "t": 0},
        {"q": 256, "t": 60},
        {"q": 2, "t": -3},
        {"q": 10**12, "t": 1, "family": "Paley"},
        {"q": 4294967291, "t": 1, "family": "Paley"},
    ],
    ids=repr,
)
def test_hostile_ladders_are_refused_before_they_are_built(numbers):
    """Each of these would take all memory, or a day, if it were built."""
    import json

    document, *sealed = parts(seal_key(small_key(CYCLIC), Unprotected()))
    ladder = {**json.loads(document["ladder"]), **numbers}
    document["ladder"] = json.dumps(ladder, separators=(",", ":"))
    for text in (document["ladder"], '{"odds":["2"],' + document["ladder"][1:]):
        document["ladder"] = text
        with pytest.raises((KeyRefused, UnreadableFile)):
            open_key(reseal(document, *sealed), Unprotected())


@pytest.mark.parametrize(
    "numbers",
    [
        {"memory_kib": 100 * 2**20},
        {"memory_kib": 2**18 + 1},
        {"passes": 9},
        {"lanes": 17},
        {"memory_kib": 7},
        {"passes": 0},
        {"lanes": 0},
        {"passes": 10**20},
        {"kdf": "md5"},
        {"salt": "00"},
        {"nonce": "zz" * 12},
    ],
    ids=repr,
)
def test_a_file_cannot_ask_for_a_machine(numbers):
    sealed = seal_key(small_key(), CHEAP)
    start = 16 + int.from_bytes(sealed[12:16], "little")
    document = msgspec.json.decode(sealed[16:start])
    document["protection"].update(numbers)
    raw = msgspec.json.encode(document, order="sorted")
    data = MAGIC + len(raw).to_bytes(4, "little") + raw + sealed[start:]
    with pytest.raises(UnreadableFile, match="damaged"):
        open_key(data, CHEAP)
    if "kdf" not in numbers and "salt" not in numbers and "nonce" not in numbers:
        with pytest.raises(InvalidParameter):
            Passphrase(WORDS, **{"memory_kib": 8, "passes": 1, "lanes": 1, **numbers})


def test_hostile_lengths_of_the_header():
    sealed = seal_key(small_key(), Unprotected())
    for length, sentence in (
        (2**32 - 1, "longer than any header"),
        (2**16, "cut off"),
        (0, "damaged"),
        (10, "damaged"),
    ):
        with pytest.raises(UnreadableFile, match=sentence):
            open_key(sealed[:12] + length.to_bytes(4, "little") + sealed[16:], Unprotected())


def test_another_spelling_is_refused_even_when_sealed():
    import json

    document, *sealed = parts(seal_key(small_key(), Unprotected()))
    spellings = [
        json.dumps(document, sort_keys=True).encode(),
        json.dumps(document, separators=(",", ":"), sort_keys=True, ensure_ascii=True).encode(),
        json.dumps(dict(reversed(document.items())), separators=(",", ":"), ensure_ascii=False).encode(),
        json.dumps(document, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode() + b"\n",
    ]
    for raw in spellings:
        with pytest.raises(UnreadableFile, match="damaged"):
            open_key(reseal(raw, *sealed), Unprotected())


@functools.cache
def originals():
    seeds = small_key(guarantee=Guarantee.COMPUTATIONAL)
    return [seal_key(small_key(), Unprotected()), seal_key(seeds, PUBLIC), seal_key(seeds, PRIVATE)]


@given(st.data())
def test_mangled_files_are_refused_without_a_traceback(data):
    mangled = data.draw(mutations(originals()))
    if mangled not in originals():
        for unlock in (PRIVATE, Unprotected()):
            with pytest.raises((KeyRefused, UnreadableFile)):
                open_key(mangled, unlock)


def test_keys_that_no_file_can_hold_are_not_written():
    key = small_key()
    for change in (
        {"drawing": "mine"},
        {"produced": "yes"},
        {"binding": Binding(study="\ud800")},
        {"level": 3},
        {"material": Draws(np.zeros(49, dtype=np.uint8))},
    ):
        with pytest.raises(InvalidParameter):
            seal_key(replace(key, **change), Unprotected())
    seeds = split_key(small_key(rows=9000, guarantee=Guarantee.COMPUTATIONAL), HADAMARD, [4096])
    with pytest.raises(InvalidParameter, match="each block and step"):
        seal_key(replace(seeds[0], material=seeds[1].material.__class__(seeds[1].material.table[:1])), Unprotected())


def test_the_same_protection_keeps_its_cost():
    header = read_header(seal_key(small_key(), CHEAP))
    again = same_protection(Passphrase(WORDS), header.lock)
    assert (again.text, again.memory_kib, again.passes, again.lanes) == (WORDS, 8, 1, 1)
    assert same_protection(PRIVATE, read_header(seal_key(small_key(), PUBLIC)).lock) == PUBLIC
    assert same_protection(PRIVATE, read_header(seal_key(small_key(), PRIVATE)).lock) is PRIVATE


def test_default_costs_open_too():
    sealed = seal_key(small_key(), Passphrase(WORDS))
    assert read_header(sealed).lock.memory_kib == 64 * 1024
    same(open_key(sealed, Passphrase(WORDS)), small_key(), HADAMARD)


def opened_by_hand(data, text=WORDS):
    """Open a key file as docs/reference/files.md says, by the ciphers alone."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    start = len(MAGIC) + 4
    length = int.from_bytes(data[len(MAGIC) : start], "little")
    lock = msgspec.json.decode(data[start : start + length])["protection"]
    if lock["kind"] == "passphrase":
        costs = {"iterations": lock["passes"], "lanes": lock["lanes"], "memory_cost": lock["memory_kib"]}
        key = Argon2id(salt=bytes.fromhex(lock["salt"]), length=32, **costs).derive(text.encode())
    else:
        extracted = hmac.digest(bytes.fromhex(lock["salt"]), PRIVATE.raw, "sha256")
        key = hmac.digest(extracted, b"sfumato/own/1\x01", "sha256")
    nonce = bytes.fromhex(lock["nonce"])
    return AESGCMSIV(key).decrypt(nonce, data[start + length :][: 36 + 16], data[: start + length])


@pytest.mark.parametrize(
    "protection",
    [Passphrase(WORDS), Passphrase(WORDS, memory_kib=256, passes=5, lanes=2), PRIVATE],
    ids=["usual costs", "other costs", "private key"],
)
def test_a_secret_costs_what_the_header_says(protection):
    """A guess has to pay what stands in the header: only a key made at that cost opens the body."""
    key = small_key(guarantee=Guarantee.COMPUTATIONAL)
    assert opened_by_hand(seal_key(key, protection))[-32:] == key.material.secret


def test_no_secret_is_ever_shown():
    seed_key = small_key(guarantee=Guarantee.COMPUTATIONAL)
    draw_key = small_key(CYCLIC, rows=40)
    block_key = split_key(small_key(rows=9000, guarantee=Guarantee.COMPUTATIONAL), HADAMARD, [4096])[0]
    secrets = [WORDS, repr(PRIVATE.raw)[2:-1], PRIVATE.raw.hex()]
    for secret in (seed_key.material.secret, block_key.material.table[0][0]):
        secrets += [secret.hex(), repr(secret)[2:-1]]
    shifts = draw_key.material.shifts
    secrets += [str(shifts.tolist())[1:-1], str(shifts[:12])[1:-1], "".join(map(str, shifts[:12]))]

    shown = [repr(CHEAP), str(CHEAP), repr(PRIVATE), f"{PRIVATE}", repr((CHEAP, PRIVATE))]
    for key in (seed_key, draw_key, block_key):
        shown += [repr(key), str(key), repr(key.material), str(key.material)]
        for protection, unlock in PROTECTIONS:
            sealed = seal_key(key, protection)
            shown += [repr(read_header(sealed))]
            for position in range(0, len(sealed), 7):
                changed = sealed[:position] + bytes([sealed[position] ^ 4]) + sealed[position + 1 :]
                shown += _failure(open_key, changed, unlock)
            for wrong in (Unprotected(), cheap("other"), new_key_pair()[0]):
                if protection != Unprotected():
                    shown += _failure(open_key, sealed, wrong)
            shown += _failure(seal_key, replace(key, drawing="x"), protection)
    shown += _failure(open_private_key, seal_private_key(PRIVATE, Unprotected()), CHEAP)
    shown += _failure(open_private_key, seal_private_key(PRIVATE, CHEAP), Passphrase("other"))
    shown += _failure(PrivateKey, PRIVATE.raw[:31])
    shown += _failure(Seed, seed_key.material.secret[:31])
    shown += _failure(split_key, seed_key, HADAMARD, [17])
    everything = "\n".join(shown)
    assert len(shown) > 100
    for secret in secrets:
        assert secret not in everything
    # The search can fail: a passphrase in a plain dataclass would have been found.
    assert WORDS in repr({"text": CHEAP.text})


def _failure(act, *arguments):
    with pytest.raises(SfumatoError) as caught:
        act(*arguments)
    error = caught.value
    found = [str(error), repr(error), *map(str, error.args)]
    while error is not None:
        found += traceback.format_exception_only(error)
        error = error.__cause__ or error.__context__
    return found


@pytest.mark.parametrize("secret", [CHEAP, PRIVATE, small_key(), small_key().material], ids=lambda s: type(s).__name__)
def test_secrets_are_not_pickled_or_copied(secret):
    for act in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not pickled"):
            act(secret)


def test_no_listing_of_fields_spells_a_secret_out():
    """`dataclasses.asdict` walks into every dataclass that it finds; the secrets are none, and are not copied."""
    import dataclasses

    made = HADAMARD.publish(np.arange(20) % 6, InsecureSeeded(5))
    seeds = small_key(rows=9000, guarantee=Guarantee.COMPUTATIONAL)
    blocks = split_key(seeds, HADAMARD, [4096])[0]
    for holder in (small_key(), seeds, blocks, made, CHEAP, PRIVATE):
        for act in (dataclasses.asdict, dataclasses.astuple, msgspec.to_builtins, msgspec.json.encode):
            with pytest.raises(TypeError) as caught:
                act(holder)
            assert WORDS not in str(caught.value)
    for secret in (CHEAP, PRIVATE, seeds.material, small_key().material, blocks.material):
        assert not dataclasses.is_dataclass(secret)
        assert not hasattr(secret, "__dict__")
        with pytest.raises(AttributeError, match="immutable"):
            secret.text = "x"


def test_secrets_are_not_compared():
    assert Passphrase(WORDS) != Passphrase(WORDS)
    assert not re.search(WORDS[:7], repr(Passphrase(WORDS)))
