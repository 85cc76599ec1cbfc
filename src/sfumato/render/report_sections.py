"""Sections of a study's page that need no reports: the questions, the readers, the certificates, the limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from sfumato.certificates import Certificate
from sfumato.render.budgets import charge_rows
from sfumato.render.page_style import digest_in
from sfumato.render.report_limits import stated_limits
from sfumato.render.report_material import ReportMaterial
from sfumato.render.report_rows import epsilon_mark
from sfumato.render.sheets import scroll_box
from sfumato.render.studies import totals_rows
from sfumato.render.study_plans import coalition_words
from sfumato.study.charging import release_of_reports
from sfumato.study.release_words import releases_words
from sfumato.study.ways import QuestionPlan


def asked_section(material: ReportMaterial) -> str:
    """Each question with its answers, and how it was asked."""
    study = material.plan.study
    return "".join(
        _asked(planned, way.describe()) for planned, way in zip(material.plan.questions, study.ways, strict=True)
    )


def readers_section(material: ReportMaterial) -> str:
    """What each reader sees of a respondent, by question and over all of them."""
    header, rows = totals_rows(material.plan.study, epsilon_mark)
    together = releases_words(material.files[0].note)
    return (
        "<p>ε says how much a report can favour one answer over another: at most e<sup>ε</sup> times. Smaller is more "
        "private. Numbers are nats, rounded up, and what one reader sees of several questions adds up.</p>"
        + scroll_box("ε by reader and question", plain_table(header, rows, numbers=len(header) - 1))
        + f"<p>{escape(coalition_words(material.plan))}</p>"
        + (f"<p><strong>{escape(together)}</strong></p>" if together else "")
    )


def certificates_section(material: ReportMaterial) -> str:
    """The sentences that matter, and the sealed certificates to check."""
    return (
        "<p>Each claim is proved for the way a question is asked. The sealed certificates are in the data of this "
        "page; <code>sfumato verify</code> checks their seals and works out every claim again.</p>"
        + "".join(_certificate(planned) for planned in material.plan.questions)
    )


def disclosure_section(material: ReportMaterial) -> str:
    """What a release tells about whole rows, from its certificate; nothing where nothing was released."""
    certificate = material.disclosed
    if certificate is None:
        return ""
    declared = material.plan.study.disclosure
    named = "" if declared is None else f" Protected: {escape(', '.join(declared.protect))}."
    return (
        "<p>Besides the reports, a symbol was released for each row. It is independent of every protected column, each "
        f"on its own, and tells something about the row as a whole.{named}</p>{_stated(certificate)}"
        + _sentences((claim.sentence, False) for claim in certificate.claims)
        + _digest(certificate)
    )


def _stated(certificate: Certificate) -> str:
    if certificate.kind.opened is None:
        return ""
    return (
        "<p>Stated, not checked: the law was made from the records, so it is private, and so is the mapping. The "
        "certificate commits to a private one, which proves it.</p>"
    )


def budget_section(material: ReportMaterial) -> str:
    """What the reports cost a person, where the study keeps a ledger."""
    study = material.plan.study
    if study.ledger is None:
        return ""
    release = release_of_reports(study, max(file.note.rows for file in material.files))
    return (
        "<p>Before these reports were published, this was debited to a ledger that adds up everything that is released "
        "about the same people, with the keys of all analysts counted together.</p>"
        + scroll_box("Cost", plain_table(("counted in", "amount", "what it bounds"), charge_rows(release)))
        + f"<p>{escape(release.how_it_adds)}</p>"
    )


def limits_section(material: ReportMaterial) -> str:
    """What the claims do not say."""
    return f'<ul class="plain">{"".join(_item(*limit) for limit in stated_limits(material))}</ul>'


def plain_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int = 0) -> str:
    """Return a table whose first column names its rows and whose last `numbers` columns are numbers."""
    first_number = len(header) - numbers
    top = "".join(f'<th scope="col"{_number(i >= first_number)}>{escape(cell)}</th>' for i, cell in enumerate(header))
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td{_number(i >= first_number)}>{escape(cell)}</td>" for i, cell in enumerate(row[1:], start=1))
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _number(is_number: bool) -> str:
    return ' class="number"' if is_number else ""


def _asked(planned: QuestionPlan, answers: str) -> str:
    parts = [f"<h3>{escape(planned.question.text)}</h3>", f"<p>{escape(answers)}</p>"]
    parts.append(f"<p>{escape(' '.join([planned.because, *planned.words]))}</p>")
    if planned.instructions:
        parts.append("<p>Each respondent does this:</p>")
        parts.append(f"<ol>{''.join(_item(line, False) for line in planned.instructions)}</ol>")
    return "".join(parts)


def _certificate(planned: QuestionPlan) -> str:
    question = planned.question
    return (
        f"<h3>{escape(question.id)}: {escape(question.text)}</h3>"
        + _sentences((one.sentence, one.is_alarm) for one in planned.sentences)
        + _digest(planned.certificate)
    )


def _digest(certificate: Certificate) -> str:
    return f"<p>Digest of the certificate: <code>{digest_in(certificate.to_json())}</code></p>"


def _sentences(said: Iterable[tuple[str, bool]]) -> str:
    return f'<ul class="plain">{"".join(_item(*one) for one in said)}</ul>'


def _item(text: str, is_alarm: bool) -> str:
    return f"<li{_mark(is_alarm)}>{escape(text)}</li>"


def _mark(is_alarm: bool) -> str:
    return ' class="warn"' if is_alarm else ""
