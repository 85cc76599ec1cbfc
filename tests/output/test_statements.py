"""The statement and the script say what the plan says, to a board and to respondents, and nothing that is not so."""

import re
from fractions import Fraction
from html import unescape

import pytest

from page_samples import STUDY, sample_plan
from sfumato.output.plans import study_plan_document
from sfumato.output.statement_pages import script_html, statement_html
from sfumato.output.statements import statement_of
from sfumato.study import Card, Goal, Study, YesNo
from sfumato.study.planning import plan_study
from sfumato.study.question_plans import risk_sentences

TENTH = Fraction(1, 10)
LIMITED = Study(
    name="Overtime",
    questions=(
        Card(
            id="overtime",
            text="Did you <work> unpaid overtime?",
            guess_error=Fraction(3, 8),
            max_epsilon=Fraction(3, 2),
            faces=100,
            goal=Goal(expected_share=TENTH, half_width=TENTH),
        ),
    ),
)
PROVING = Study(name="Proving", questions=(Card(id="q", text="Q?", guess_error=Fraction(3, 8)),))


def plain(page):
    return re.sub(
        r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)))
    )


@pytest.fixture(scope="module")
def plans():
    return {study.name: plan_study(study) for study in (LIMITED, PROVING)}


def test_everything_a_board_asks_for_is_there():
    plan = sample_plan()
    said = plain(statement_html(plan))
    for planned, way in zip(plan.questions, STUDY.handlers, strict=True):
        assert planned.question.text in said
        assert way.describe() in said
        for one in risk_sentences(planned.risk):
            assert one.sentence in said
        for limit in way.limits():
            assert limit in said
        assert re.search(r"sha256:[0-9a-f]{64}", said)
        assert planned.certificate.to_json().split('"digest": "')[1].split('"')[0] in said
    for analyst in STUDY.analysts:
        assert f"{analyst.name} : reports, at ε = " in said
    assert "the registrar : the answers" in said
    assert "The registrar's key gives back the answers to affair, occupation, children: who holds it sees them." in said
    assert "Whoever knows something about a respondent already" in said
    assert "Reports on several questions add up." in said


def test_natural_frequencies_stand_in_the_statement_and_the_consent(plans):
    plan = plans["Overtime"]
    sentence = "f 10 of 100 people hold “yes”, then of 100 whose report is “yes” at most 33 do."
    assert sentence in plain(statement_html(plan))
    assert f"I{sentence}" in statement_of(plan).consent
    assert f"I{sentence}" in plain(script_html(plan))


def test_what_a_text_holds_is_shown_and_not_run(plans):
    for page in (statement_html(plans["Overtime"]), script_html(plans["Overtime"])):
        assert "Did you &lt;work&gt; unpaid overtime?" in page
        assert "<work>" not in page
        assert page.count("<script") == 1  # its data


def test_a_card_that_proves_is_said_to_respondents_and_interviewers(plans):
    plan = plans["Proving"]
    proof = "The report “yes” proves the answer “yes”: only those who hold it can give it."
    assert proof in statement_of(plan).consent
    assert "Do not promise that a report gives nothing away:" in plain(script_html(plan))
    assert 'class="warn"' in statement_html(plan)
    quiet = plans["Overtime"]
    assert "promise that a report" not in plain(script_html(quiet))


def test_the_script_has_the_card_and_the_reports_to_write_down(plans):
    page = script_html(plans["Overtime"])
    assert page.count('<svg class="drawing"') == 1
    said = plain(page)
    assert "Write down one of: “either”, “no”, “yes” , and nothing else." in said
    assert "Roll two ten-sided dice" in said
    (alt,) = re.findall(r'aria-label="(The card[^"]+)"', page)
    assert "If your true answer is “yes”: 1 to 61: report “either”" in unescape(alt)


def test_who_collects_answers_in_the_clear_is_not_passed_over():
    plan = plan_study(Study(name="S", questions=(YesNo(id="q", text="Q?"),), public_epsilon=Fraction(1)))
    found = statement_of(plan)
    assert found.kept[0].startswith("Whoever collects the answers holds them as they are")
    assert any(
        "Nothing here protects answers from those who collect them" in one.sentence for one in found.not_promised
    )
    assert any("Whoever collects the answers sees them before that" in line for line in found.consent)
    assert "Write the answer down as it is given" in plain(script_html(plan))


def test_programs_get_it_too(plans):
    document = study_plan_document(plans["Overtime"])["statement"]
    assert set(document) == {"risks", "together", "kept", "readers", "not_promised", "consent"}
    assert document["readers"] == {"everybody": "reports, at ε = 1.489 in all, without a key"}
