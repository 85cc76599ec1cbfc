"""Pages and their checks: `verify_page` and `sfumato_check.py` accept every page, and refuse a changed one."""

import dataclasses
import itertools
import json
import re
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
import sfumato_check
from analysed import published
from certificates.test_every_kind import KINDS as CERTIFICATES
from drawn_parts import drawn_part
from kind_samples import LEVELS, Sample, by_name
from page_samples import ANSWERS, sample_files, sample_plan
from sfumato.display.text import number_text, plain_number
from sfumato.errors import InvalidParameter, SfumatoError
from sfumato.inference.regression.result import fit_sheets
from sfumato.output.analyses import analysis_page
from sfumato.output.estimate_plots import coefficients_svg
from sfumato.output.page_checks import verify_page
from sfumato.output.report import study_report_html
from sfumato.output.statement_pages import script_html, statement_html
from sfumato.publications.opening import open_table
from sfumato.study import Card, FreeText, ListedCard, Recoverable, Study
from sfumato.study.kinds.registry import _KINDS as QUESTION_KINDS
from sfumato.study.planning import plan_study

NAMES = (
    "yes-no", "card", "one of a few", "card for a list", "several, one at a time", "ordered", "number, for its mean",
    "count, for its mean", "large list", "recoverable",
)  # fmt: skip
SHORT = FreeText(id="q", text="Which letter?", longest=1, epsilon=Fraction(3))
SAMPLES = [*map(by_name, NAMES), Sample(name="text", question=SHORT, tenths={"a": 6, "b": 4})]
NEVER_HIDDEN = (Card, ListedCard, Recoverable)
DATA = re.compile(r'(<script type="application/json" id="data">)(.*?)(</script>)', re.DOTALL)


def answers(page):
    """What the two verifiers say: whether it holds, and the exit code."""
    raw = page.encode()
    try:
        verify_page(raw)
    except SfumatoError as error:
        held = str(error)
    else:
        held = True
    found = sfumato_check.answer(raw)
    return held, found["exit_code"], found["because"]


def is_refused(page):
    """Whether both refuse a page: it is changed, or no page that can be checked."""
    held, code, _ = answers(page)
    return held is not True and code in {1, 2}


def studies_of(sample):
    """A study and its plan for each setting of `missing` that the kind has, with one reader and with three."""
    for missing, readers in itertools.product((None, "hidden", "public"), ({}, LEVELS)):
        question = dataclasses.replace(sample.question, missing=missing)
        if not readers and getattr(question, "epsilon", question) is None:
            question = dataclasses.replace(question, epsilon=Fraction(2))
        try:
            study = Study(name="Study 1", questions=(question,), recover=sample.recover, **readers)
        except InvalidParameter:
            assert missing == "hidden"
            assert isinstance(question, NEVER_HIDDEN)
            continue
        yield missing, bool(readers), study, plan_study(study)


def report(sample, missing, study, plan):
    """The report of a few people, and what each reader opens of it."""
    cells = [*sample.cells[:60], *([""] * 4 if missing else [])]
    table = pa.table({"q": cells, "wave": [f"{i % 2}" for i in range(len(cells))]})
    made = drawn_part(study, table, keep=["wave"])
    keys = made.keys.get("q", {})
    opened = [open_table(made.reports, [keys[level]]) for level in sorted(keys, reverse=True) if level]
    return study_report_html(plan, [made.reports, *opened], group="wave")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_report_of_every_kind_missing_setting_and_number_of_levels_verifies(sample):
    for missing, has_readers, study, plan in studies_of(sample):
        held, code, because = answers(report(sample, missing, study, plan))
        assert (held, code) in {(True, 0), (True, 3)}, (missing, has_readers, held, because)


def test_every_kind_of_question_is_in_the_table():
    assert {sample.question.kind for sample in SAMPLES} == set(QUESTION_KINDS)


@pytest.mark.parametrize("name", CERTIFICATES)
def test_the_page_of_every_certificate_verifies(name):
    held, code, because = answers(CERTIFICATES[name]().to_html())
    assert (held, code) in {(True, 0), (True, 3)}, because


def test_statements_scripts_analyses_simulations_and_releases_verify():
    plan, files = sample_plan(), sample_files(is_secure=False)
    found = sf.fit(published(), "often ~ age + C(region)")
    for page in (
        statement_html(plan),
        script_html(plan),
        analysis_page("Analysed", fit_sheets([found]), picture=coefficients_svg([found]), warning="Simulated, seed 1"),
        study_report_html(plan, files, truth=ANSWERS, group="region"),
        study_report_html(plan, files[:1], disclosed=CERTIFICATES["disclosure-public"]()),
    ):
        held, code, because = answers(page)
        assert (held, code) in {(True, 0), (True, 3)}, (held, because)


def test_what_is_stated_only_is_not_called_verified():
    found = verify_page(study_report_html(sample_plan(), sample_files(), disclosed=STATED).encode())
    assert found.stated == len(STATED.claims)
    assert found.claims == sum(len(planned.certificate.claims) for planned in sample_plan().questions)


STATED = CERTIFICATES["disclosure-public"]()


@pytest.fixture(scope="module")
def page():
    sample = by_name("one of a few")
    return next(
        report(sample, missing, study, plan)
        for missing, has_readers, study, plan in studies_of(sample)
        if missing == "hidden" and has_readers
    )


def changed_once(page, pattern, new):
    found = re.search(pattern, page)
    assert found, pattern
    return page[: found.start(1)] + new + page[found.end(1) :]


VISIBLE = {
    "a share": (r"<td[^>]*>([\d.]+) %</td>", "99.9"),
    "the end of an interval": (r"<td[^>]*>[\d.]+ – ([\d.]+) %</td>", "99.9"),
    "an ε in a table": (r"public, ε = ([\d.]+)</th>", "0.1"),
    "an ε in a picture": (r"<text[^>]*>([\d.]+) %</text>", "77"),
    "an ε in a legend": (r"public \(ε = ([\d.]+)\)</li>", "0.1"),
    "the number of reports": (r"Read from (\d+) reports", "9,000"),
    "the title": (r"<title[^>]*>Study (1)</title>", "2"),
    "a digest": (r"<code[^>]*>sha256:(\w)", "x"),
    "a sentence with numbers": (r"<li[^>]*>What the public sees [^<]*?(\d)", "9"),
    "a sentence without numbers": (r"(is no proof of a difference)", "is proof of a difference"),
    "a label for those who do not see": (r'aria-label="(Estimates) for q"', "Estimates of 3 readers"),
}


@pytest.mark.parametrize("what", VISIBLE)
def test_a_changed_text_is_refused(page, what):
    assert is_refused(changed_once(page, *VISIBLE[what]))


ADDED = {
    "a digit in a text of its own": "<p>ε = 0.1</p>",
    "a digit beside other elements": "<p><strong></strong>5</p>",
    "words": "<p>nothing leaks</p>",
    "a digit in an attribute": '<p title="5"></p>',
    "a digit before an item": '<ol><li value="5"></li></ol>',
    "a digit by style": '<style>h1::after{content:"5"}</style>',
    "a picture": '<img src="data:image/png;base64,AAAA">',
    "a script": "<script>document.body.textContent = 5</script>",
    "a handler": '<p onclick="alert(5)"></p>',
    "a comment": "<!-- 5 -->",
    "a text marked with a place that is used": '<p data-at="/texts/0">Study 1</p>',
    "text in a style of a picture": "<svg><style><p>5</p></style></svg>",
}


@pytest.mark.parametrize("what", ADDED)
def test_what_is_not_marked_is_refused(page, what):
    assert is_refused(page.replace("</main>", f"{ADDED[what]}</main>"))


def test_a_text_that_is_left_out_is_refused(page):
    """An alarm or a claim cannot be taken out of the page alone, nor can its last words."""
    item = re.search(r"<li data-at[^>]*>[^<]*</li>", page).group(0)
    last = re.findall(r"</code>[^<]+</p></footer>", page)[-1]
    assert is_refused(page.replace(item, ""))
    assert is_refused(re.sub(r'( /texts/\d+)(">Check this page)', r"\2", page).replace(last, "</code></p></footer>"))


def test_two_numbers_that_change_places_are_refused(page):
    (first, second) = re.findall(r"<td[^>]*>[\d.]+ %</td>", page)[:2]
    assert is_refused(page.replace(first, "\0").replace(second, first).replace("\0", second))


def with_data(page, change):
    """The page with other data."""
    document = json.loads(DATA.search(page).group(2))
    change(document)
    return DATA.sub(lambda found: found[1] + json.dumps(document).replace("<", "\\u003c") + found[3], page)


def test_changed_data_are_refused(page):
    def number(document):
        piece = next(
            one for text in document["texts"] if isinstance(text, list) for one in text if "number" in set(one)
        )
        piece["number"] += 1

    def note(document):
        document["certificates"][0]["notes"].append("Nothing leaks.")

    def place(document):
        piece = next(one for text in document["texts"] if isinstance(text, list) for one in text if "at" in set(one))
        piece["at"] = "/certificates/9/claims/0"

    for change in (number, note, place, lambda document: document["texts"].pop()):
        assert is_refused(with_data(page, change))
    assert not is_refused(with_data(page, lambda _: None))


def test_a_page_that_shows_what_a_false_certificate_claims_is_refused():
    """The seal is fresh, and the page says what its data say; only the claim does not hold."""
    certificate = CERTIFICATES["channel"]()
    claims = [
        dataclasses.replace(one, value=one.value / 5) if one.measure == "odds" else one for one in certificate.claims
    ]
    false = dataclasses.replace(certificate, claims=tuple(claims))
    assert is_refused(false.to_html())
    assert not is_refused(certificate.to_html())


def test_a_page_without_data_is_none_that_can_be_checked(page):
    held, code, _ = answers(DATA.sub("", page))
    assert "no page of Sfumato that can be checked" in held
    assert code == 2


FORMS = [
    f"{kind}.{digits}{side}" for kind in ("percent", "decimal") for digits in (0, 1, 4) for side in ("", ".up", ".down")
]


@given(
    number=st.floats(-1e9, 1e9).map(plain_number) | st.integers(-(10**12), 10**12),
    form=st.sampled_from([*FORMS, "epsilon"]),
)
def test_both_write_numbers_alike(number, form):
    assert sfumato_check.number_text(Fraction(repr(number)), form) == number_text(number, form)
