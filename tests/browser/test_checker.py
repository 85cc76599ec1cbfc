"""The checker in JavaScript, in a real Chromium, against the one in Python and against the product."""

import base64
import hashlib
import json
import struct
from fractions import Fraction

import msgspec
import numpy as np
import pytest

import sfumato as sf
import sfumato_check
from browser.checker_pages import Checker
from certificates.test_every_kind import KINDS
from checker.enclosure_vectors import PATH
from checker.test_command import HOSTILE
from checker.test_fuzz import odd_files
from checker_samples import ROOT, honest, is_refused_by_the_product, lies
from fresh_seals import reseal_bytes

FORGED = sorted((ROOT / "tests" / "vectors" / "forged").glob("*.json"))
VECTORS = json.loads(PATH.read_text())
FUNCTIONS = [name for name in VECTORS if name != "source"]


@pytest.fixture(scope="module")
def checker(browser):
    made = Checker(browser)
    yield made
    made.close()


def plain(found):
    """An answer of either checker, without what only pages need."""
    return {name: found[name] for name in ("schema", "kind", "claims", "answer", "exit_code", "because")}


def agree(checker, files):
    """Every answer of the page's checker is that of sfumato_check.py, word for word; return these."""
    mine, theirs = [], checker.answers(files)
    for raw, found in zip(files, theirs, strict=True):
        mine.append(sfumato_check.answer(raw))
        assert plain(found) == plain(mine[-1])
    return mine


class TestArithmetic:
    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_logarithms_and_exponentials_are_those_of_python_to_the_last_digit(self, checker, name):
        found = checker.ask("enclosures", name, [of for of, *_ in VECTORS[name]])
        assert found == [ends for _, *ends in VECTORS[name]]

    def test_digests(self, checker):
        """The examples of FIPS 180-4, every length around a block, and a million letters."""
        texts = [b"", b"abc", b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", b"a" * 1_000_000]
        texts += [bytes(range(256))[:length] for length in range(130)]
        found = checker.ask("digests", [base64.b64encode(text).decode() for text in texts])
        assert found == [hashlib.sha256(text).hexdigest() for text in texts]
        assert found[1] == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    def test_words_for_numbers_are_those_of_python(self, checker):
        numbers = fractions(400, seed=1)
        found = checker.ask("words", [str(number) for number in numbers])
        for number, texts in zip(numbers, found, strict=True):
            near = float(number)
            assert texts == [
                sfumato_check.short(number, sfumato_check.UP),
                sfumato_check.short(number, sfumato_check.DOWN),
                sfumato_check.percent(number),
                sfumato_check.fraction_words(number),
                f"{near:g}",
                f"{near:.13g}",
                f"{near:.0e}",
            ]

    def test_fractions_become_the_nearest_doubles(self, checker):
        small = [Fraction(k, 3 * 2**n) for k in (1, 2, 5) for n in range(1020, 1080, 3)]
        ties = [Fraction(2**53 + odd, 2**e) for odd in (1, 3) for e in (0, 60, 1074)]
        numbers = [*fractions(400, seed=2), *small, *ties, Fraction(10**400), Fraction(2**1024 - 2**970)]
        found = checker.ask("doubles", [str(number) for number in numbers])
        for number, bits in zip(numbers, found, strict=True):
            try:
                near = float(number)
            except OverflowError:
                near = float("inf")
            assert int(bits) == struct.unpack(">Q", struct.pack(">d", near))[0], number


def fractions(count, seed):
    generator = np.random.default_rng(seed)
    made = [Fraction(0), Fraction(1), Fraction(99995, 10**5), Fraction(25, 100), Fraction(5, 2), Fraction(10**6)]
    while len(made) < count:
        above, below = (int.from_bytes(generator.bytes(generator.choice([1, 2, 7, 25]))) + 1 for _ in range(2))
        made.append(Fraction(above, below) * Fraction(10) ** int(generator.integers(-20, 21)))
    return made


class TestReading:
    def test_doubles_have_the_spelling_of_the_files(self, checker):
        drawn = np.frombuffer(np.random.default_rng(3).bytes(16_000), dtype=np.float64)
        special = [0.0, -0.0, 1.0, 1e-5, 9e-6, 1e15, 1e16, 1.5e16, 5e-324, 1.7976931348623157e308, 0.1, 123456.75]
        numbers = [*drawn[np.isfinite(drawn)].tolist(), *special]
        bits = [struct.unpack(">Q", struct.pack(">d", x))[0] for x in numbers]
        assert checker.ask("spelled", [str(one) for one in bits]) == [msgspec.json.encode(x).decode() for x in numbers]

    def test_a_document_has_one_spelling(self, checker):
        document = {
            "b": [1, 1.5, '\u20ac\U0001f600\n\x01\x7f\u2028"\\'],
            "a": {},
            "Z": [],
            "\uffee": None,
            "\U0001f600": True,
        }
        right = msgspec.json.format(msgspec.json.encode(document, order="sorted"), indent=2).decode() + "\n"
        wrong = [right[:-1], right + "\n", right.replace("1.5", "1.50"), right.replace('"a"', '"\\u0061"'),
                 json.dumps(document), right.replace("  ", "    ")]  # fmt: skip
        assert checker.ask("isSpelled", [right, *wrong]) == [True] + [False] * len(wrong)

    def test_what_is_no_json_is_not_read(self, checker):
        deep = ["[" * depth + "]" * depth for depth in (5000, 300)]
        bad = ["", "{", "[1,]", "{'a':1}", '{"a":1,"a":1}', "NaN", "-Infinity", "1e999", "01", "1.", ".5", "+1", "tru",
               '"\t"', '"\\x"', '"\\u12g4"', "[1] 2", "\ufeff{}", "9" * 4301, deep[0], "{1:2}", "--1"]  # fmt: skip
        good = ["0", "-0", "[ ]", '{"__proto__": 1}', '"\\ud83d\\ude00"', " \t\r\n1.5e-7 ", "9" * 4300, deep[1]]
        assert checker.ask("isRead", bad) == [False] * len(bad)
        assert checker.ask("isRead", good) == [True] * len(good)


class TestAgreement:
    def test_every_forged_file_is_refused_with_the_sentence_of_the_other_checker(self, checker):
        answers = agree(checker, [path.read_bytes() for path in FORGED])
        assert len(answers) >= 33
        assert {found["exit_code"] for found in answers} == {1, 2}

    def test_odd_files_get_the_same_answer(self, checker):
        agree(checker, list(HOSTILE.values()))
        agree(checker, [raw for _, raw in odd_files(20, seed=41)])

    def test_certificates_agree_among_the_three_verifiers(self, checker):
        """Honest ones of every kind and lies about them, from a fixed seed: product, Python and page say the same."""
        files = certificates(120, seed=20)
        answers = agree(checker, files)
        refused = [found["exit_code"] in {1, 2} for found in answers]
        assert refused == [is_refused_by_the_product(raw) for raw in files]
        assert 48 <= sum(refused) <= 80
        assert {found["kind"] for found in answers} >= {name.split("/")[0] for name in KINDS}

    @pytest.mark.slow
    def test_three_thousand_more_agree(self, checker):
        for seed in range(30, 40):
            files = certificates(300, seed=seed)
            refused = [found["exit_code"] in {1, 2} for found in agree(checker, files)]
            assert refused == [is_refused_by_the_product(raw) for raw in files]
            agree(checker, [raw for _, raw in odd_files(300, seed=seed)])


def certificates(count, seed):
    """So many sealed files: of each honest one also a lie about it."""
    generator = np.random.default_rng(seed)
    files = []
    for certificate in honest(count // 2, seed=seed):
        files.append(certificate.to_json().encode())
        files += [forged for _, forged in lies(json.loads(certificate.to_json()), generator, 1)]
    return files[:count]


def test_ladders_inside_one_another_are_read_alike(checker):
    """Of masks and of sets: honest ones, levels that cannot be made, and sets that do not lie inside one another."""
    made = [
        sf.certify(make(size=size, epsilons=epsilons, recover=True)).to_json()
        for make, size, epsilons in (
            (sf.Ladder.of_sets, 63, [2.7, 1.1, 0.5]),
            (sf.Ladder.of_sets, 5, [1.0]),
            (sf.Ladder.of_flags, 60, [3.0, 1.0]),
        )
    ]
    changes = (('\\"sizes\\":[4,', '\\"sizes\\":[40,'), ('\\"sizes\\":[4,', '\\"sizes\\":[1,'))
    lying = [reseal_bytes(made[0].replace(*change).encode()) for change in changes]
    assert all(b"[4," not in lie for lie in lying)
    found = agree(checker, [*(text.encode() for text in made), *lying])
    assert [one["answer"] for one in found[:3]] == ["checked"] * 3
    assert [one["answer"] for one in found[3:]] == ["refused"] * 2
