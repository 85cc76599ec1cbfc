"""Faults planted in the checker's sources: each is noticed by what the other tests hold the checker against."""

import json
import re
from fractions import Fraction

import pytest

import sfumato_check
from browser.building import bundle_each
from browser.checker_pages import HOOKS, Checker, said
from browser.test_checker import FORGED, FUNCTIONS, VECTORS, plain
from certificates.test_every_kind import KINDS
from fresh_seals import reseal, reseal_bytes
from sfumato.render.page_style import script_hash
from sfumato.render.self_checks import checker_script

# What is planted: the module, the text, and what it becomes.
MUTANTS = {
    "a remainder that is too small": ("enclosures", "ATANH_SHORT = 200n", "ATANH_SHORT = 0n"),
    "a series that ends too soon": ("enclosures", "n <= 24n", "n <= 10n"),
    "a logarithm rounded to the wrong side": ("enclosures", "+ (k > BITS ? 1n : 0n)", ""),
    "an interval that need not hold the number": ("claims", "value.upper.compare(high) < 0", "false"),
    "an interval that may be vague": ("claims", "value.upper.compare(high.plus(found.room)) > 0", "false"),
    "an end that may not be met": ("claims", "value.lower.compare(low) > 0", "value.lower.compare(low) >= 0"),
    "a witness that is no law": ("claims", "far.compare(ratio(1n, 10n ** 12n)) > 0", "false"),
    "an exact number that may be another": ("claims", "value.equals(found)", "true"),
    "a claim that is skipped": ("claims", "return claims.map((claim, i)", "return claims.slice(1).map((claim, i)"),
    "words that nobody reads": ("claims", "  checkWords(claim, one);\n", ""),
    "a claim that may be missing": ("claims", "missing !== undefined", "false"),
    "a seal that nobody breaks": ("reading", "sha256(blank) !== digest", "false"),
    "a key that may stand twice": ("strict_json", "found.has(key)", "false"),
    "a second spelling": ("reading", "!isSpelled(document, text)", "false"),
    "notes of any kind": ("certificates", "notes.some((note, i) => given[i] !== note)", "false"),
    "works that nobody cites": ("certificates", '!sameSpelling(document.get("sources"), cited)', "false"),
    "a law that does not sum to one": ("reading", "sum(numerators) !== denominator", "false"),
    "odds of one output alone": ("channel_facts", "high * worst.below > low * worst.above", "worst === CERTAIN"),
    "independence up to rounding": (
        "disclosures",
        "entry * this.mass === mass * this.outputs[y]",
        "Number(entry * this.mass) === Number(mass * this.outputs[y])",
    ),
    "a rounding in favour of the claim": ("phrases", "? scaled.ceil() :", "? scaled.round() :"),
    "tails that begin too soon": ("noise", "TAIL_NATS = 56n", "TAIL_NATS = 8n"),
    "levels in any order": ("ladders", "value.compare(odds[i + 1] ?? UNIT) > 0", "true"),
}


def files():
    """Honest files, the forged ones, and those that only one rule refuses."""
    honest = {name: make().to_json().encode() for name, make in KINDS.items()}
    document = json.loads(honest["channel"])
    yield from honest.values()
    for path in FORGED:
        yield path.read_bytes()
    yield honest["channel"].replace(b"2/3", b"1/3", 1)
    yield reseal_bytes(honest["channel"].replace(b'{\n  "claims"', b'{\n  "notes": [],\n  "claims"', 1))
    yield reseal_bytes(honest["channel"].replace(b"\n", b"\n "))
    yield reseal({**document, "notes": ["Approved."]})
    yield reseal({**document, "sources": {}})
    yield reseal({**document, "subject": {**document["subject"], "prior": "2/3 1/2"}})
    for end, far in (("upper", 1e-9), ("upper", -1e-9), ("lower", 1e-9), ("lower", -1e-9)):
        yield reseal(with_claim(document, "epsilon", lambda value, e=end, f=far: {**value, e: value[e] + f}))
    yield reseal(with_claim(document, "guess_error", lambda _: "1/3000000000000000000000"))
    yield reseal({**document, "claims": document["claims"][1:]})
    yield reseal({**document, "claims": [{**document["claims"][0], "unit": "bits"}, *document["claims"][1:]]})
    ladder = json.loads(honest["ladder"])
    turned = ladder["subject"]["ladder"].replace('"odds":[', '"odds":["9/8",', 1)
    yield reseal({**ladder, "subject": {"ladder": turned}})
    yield nearly_independent(json.loads(honest["disclosure"]))


def with_claim(document, measure, change):
    claims = [
        {**claim, "value": change(claim["value"])} if claim["measure"] == measure else claim
        for claim in document["claims"]
    ]
    return {**document, "claims": claims}


def nearly_independent(document):
    """A mapping off by 10^-30, which doubles do not see."""
    row = document["subject"]["mapping"][0]
    held = max(range(len(row)), key=lambda y: Fraction(row[y]))
    other = (held + 1) % len(row)
    row[held], row[other] = (str(Fraction(row[y]) + Fraction(s, 10**30)) for y, s in ((held, -1), (other, 1)))
    return reseal(document)


@pytest.fixture(scope="module")
def expected():
    given = list(files())[::-1]  # those that only one rule refuses come first: most faults are seen at once
    return given, [plain(sfumato_check.answer(raw)) for raw in given]


@pytest.fixture(scope="module")
def scripts():
    """The checker with each fault planted, by the name of the fault."""
    planted = [[(f"checker/{module}.js", old, new)] for module, old, new in MUTANTS.values()]
    return dict(zip(MUTANTS, bundle_each(HOOKS, planted), strict=True))


def is_right(browser, expected, script=None):
    """Whether a checker finds every vector and every answer."""
    checker = Checker(browser, script)
    given, answers = expected
    try:
        for name in FUNCTIONS:
            if checker.ask("enclosures", name, [of for of, *_ in VECTORS[name]]) != [e for _, *e in VECTORS[name]]:
                return False
        return all(
            [plain(found) for found in checker.answers(given[i : i + 10])] == answers[i : i + 10]
            for i in range(0, len(given), 10)
        )
    finally:
        checker.close()


def test_without_a_fault_everything_is_right(browser, expected):
    assert is_right(browser, expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_every_planted_fault_is_noticed(browser, expected, scripts, name):
    assert not is_right(browser, expected, scripts[name])


# Faults of the page around the checker, and a page on which each of them shows.
PAGE_MUTANTS = {
    "what is shown is not compared": ("comparing", "here[0].text === claim[part]", "true", "value"),
    "what is left out is not missed": ("comparing", "here.length !== 1", "here.length > 1", "row"),
    "notes may be added": ("comparing", "here.length === texts.length && here.every", "texts.every", "note"),
    "differences are not told": ("checker", "differencesIn(block, found.shown, text)", "[]", "value"),
    "a refusal is not told": ("checker", "found.shown ?", "(found.exit_code = 0) ?", "seal"),
}


def tampered(page, how):
    """A page with one thing changed that its certificate does not cover up."""
    old, new = {
        "value": (r'(tr data-claim="odds">.*?data-part="value">)2<', r"\g<1>1<"),
        "row": (r'<tr data-claim="exposure">.*?</tr>', ""),
        "note": ("<h2>Every claim", '<p data-part="note">Approved.</p><h2>Every claim'),
        "seal": ("(data-sealed=.*?)2/3", r"\g<1>1/3"),
    }[how]
    changed, count = re.subn(old, new, page, count=1, flags=re.DOTALL)
    assert count == 1
    return changed


@pytest.fixture(scope="module")
def page_scripts():
    """The page's script without a fault, and with each."""
    planted = [[(f"pages/{module}.js", old, new)] for module, old, new, _ in PAGE_MUTANTS.values()]
    right, *faulty = bundle_each("src/pages/checker.js", [[], *planted])
    return {None: right, **dict(zip(PAGE_MUTANTS, faulty, strict=True))}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGE_MUTANTS)
def test_every_fault_planted_in_the_page_is_noticed(browser, tmp_path, page_scripts, name):
    """With the fault the changed page passes, and without it does not: that is what the tests of pages ask."""
    *_, how = PAGE_MUTANTS[name]
    outcomes = []
    for script in (page_scripts[None], page_scripts[name]):
        page = tampered(KINDS["channel"]().to_html(), how).replace(checker_script(), script)
        path = tmp_path / f"{len(outcomes)}.html"
        path.write_text(page.replace(script_hash(checker_script()), script_hash(script)))
        outcomes.append(said(browser, path)[0])
    assert outcomes[0] == "refused"
    assert outcomes[1] != "refused"
