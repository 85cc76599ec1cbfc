"""What a study costs, said in its plan and on its page; tables of the ledger are tested with the command."""

from __future__ import annotations

from html import escape

import pytest

from drawn_parts import drawn_part
from sfumato.ledger.amounts import decimal_above
from sfumato.output.accounts import charge_rows, debit_words, forecast_words
from sfumato.output.plans import study_plan_markdown
from sfumato.output.report import study_report_html
from sfumato.study.planning import forecast, plan_study, release_of_reports
from small_studies import answers, small_study

KEYED = small_study().questions[:3]


@pytest.fixture(scope="module")
def study():
    return small_study(questions=KEYED, ledger="people.ledger")


def test_the_plan_says_what_publishing_debits(study):
    said = debit_words(study)
    assert "people.ledger" in said
    for name, amount, _ in charge_rows(release_of_reports(study, 600)):
        assert f"{name} {amount}" in said
    assert "ε 9" in said
    assert "debits the ledger" in study_plan_markdown(plan_study(study))


def test_without_a_ledger_nothing_is_said():
    study = small_study(questions=KEYED)
    assert debit_words(study) == ""
    assert "ledger" not in study_plan_markdown(plan_study(study))


def test_without_a_number_of_respondents_the_worst_is_said(study):
    unknown = small_study(questions=KEYED, ledger="people.ledger", population=None)
    few = small_study(questions=KEYED, ledger="people.ledger", population=1)
    assert "each person: bits 6.1293," in debit_words(unknown)  # log2 of 2·5·7 answers, rounded up
    told = sum(way.capacity_bits(1) for way in few.handlers)
    assert f"each person: bits {decimal_above(told, 4)}," in debit_words(few)


def test_what_comes_next(study):
    """Of 600 people six are corrected: all that corrected answers hold is told then, and all anew by the next wave."""
    found = forecast(study, 600)
    held = 6.1293
    assert (found.people, found.corrected) == (600, 6)
    for charges in (found.first, found.correction, found.wave):
        assert decimal_above(charges.bits, 4) == str(held)
        assert charges.epsilon == release_of_reports(study, 600).charges.epsilon
    said = forecast_words(found)
    assert f"The first release will cost bits {held}" in said
    assert f"Correcting 1 % of 600 people in all questions will cost bits {held}" in said
    few = forecast(study, 1)
    assert few.correction.bits == few.first.bits < found.first.bits, "two reports, of an old and of a corrected answer"


def test_the_page_has_what_it_cost(study):
    published = drawn_part(study, answers())
    page = study_report_html(plan_study(study), [published.reports])
    assert "What it cost each person" in page
    assert escape(release_of_reports(study, 600).how_it_adds, quote=False) in page
    without = small_study(questions=KEYED)
    bare = study_report_html(plan_study(without), [drawn_part(without, answers()).reports])
    assert "What it cost each person" not in bare
