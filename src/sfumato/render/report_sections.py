"""Sections of a study's page that need no reports: the questions, the readers, the certificates, the limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from sfumato.render.budgets import charge_rows
from sfumato.render.page_style import digest_in, embedded_document, saving_link, scroll_box
from sfumato.render.report_limits import stated_limits
from sfumato.render.report_material import ReportMaterial
from sfumato.render.studies import totals_rows
from sfumato.render.study_plans import coalition_words, cost_words
from sfumato.render.surveys import protection
from sfumato.study.budgets import release_of_reports
from sfumato.study.planning import CardPlan, HuntPlan, LadderPlan, QuestionPlan, ToldPlan
from sfumato.study.questions import Count, FreeText, Recoverable

_MOST_LISTED = 30
_TOO_FINE = "The draw is too fine for coins, dice or a phone; the software draws."


def asked_section(material: ReportMaterial) -> str:
    """Each question with its answers, and how it was asked."""
    return "".join(_asked(planned) for planned in material.plan.questions)


def readers_section(material: ReportMaterial) -> str:
    """What each reader sees of a respondent, by question and over all of them."""
    header, rows = totals_rows(material.plan.study)
    return (
        "<p>ε says how much a report can favour one answer over another: at most e<sup>ε</sup> times. Smaller is more "
        "private. Numbers are nats, rounded up, and what one reader sees of several questions adds up.</p>"
        + scroll_box("ε by reader and question", plain_table(header, rows, numbers=len(header) - 1))
        + f"<p>{escape(coalition_words(material.plan))}</p>"
    )


def certificates_section(material: ReportMaterial) -> str:
    """The sentences that matter, and the sealed certificates to check."""
    return (
        "<p>Each claim is proved for the way a question is asked. To check it without trusting this page, save the "
        "sealed certificate and run <code>sfumato verify</code> on it: the seal is checked and every claim is worked "
        "out again.</p>" + "".join(_certificate(planned) for planned in material.plan.questions)
    )


def disclosure_section(material: ReportMaterial) -> str:
    """What a release tells about whole rows, from its certificate; nothing where nothing was released."""
    certificate = material.disclosed
    if certificate is None:
        return ""
    declared = material.plan.study.disclosure
    named = "" if declared is None else f" Protected: {escape(', '.join(declared.protect))}."
    document = certificate.to_json()
    return (
        "<p>Besides the reports, a symbol was released for each row. It is independent of every protected column, each "
        f"on its own, and tells something about the row as a whole.{named}</p>"
        f'<ul class="plain">{"".join(_item(claim.sentence, False) for claim in certificate.claims)}</ul>'
        f"<p>Digest <code>{digest_in(document)}</code></p>"
        + saving_link("disclosure.certificate.json", document)
        + embedded_document("The sealed certificate of the release (JSON)", document)
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


def _asked(planned: QuestionPlan) -> str:
    question = planned.question
    parts = [f"<h3>{escape(question.text)}</h3>", f"<p>{_answers(planned)}</p>"]
    if isinstance(planned, CardPlan):
        card = planned.survey.card
        parts.append("<p>Asked with a card. Each respondent does this, unwatched:</p>")
        lines = card.lines() if card is not None else (_TOO_FINE,)
        parts.append(f"<ol>{''.join(_item(line, False) for line in lines)}</ol>")
    else:
        cost = cost_words(planned) if isinstance(planned, LadderPlan) else planned.words
        parts.append(f"<p>{escape(planned.because)} {escape(cost)}</p>")
    return "".join(parts)


def _answers(planned: QuestionPlan) -> str:
    question = planned.question
    if isinstance(question, Count):
        rounded = (
            "every number stands for itself"
            if question.step == 1
            else f"each is rounded at random, right on average, to one of {question.points} values, {question.step} "
            f"apart"
        )
        return f"A whole number from {question.lowest} to {question.highest}; {rounded}."
    if isinstance(question, FreeText):
        return f"A short text of at most {question.longest} bytes; frequent ones are found, up to {question.keep}."
    labels = question.answers if isinstance(question, Recoverable) else question.labels
    named = ", ".join(f"“{escape(label)}”" for label in labels[:_MOST_LISTED])
    rest = len(labels) - _MOST_LISTED
    return f"Answers: {named}{f' and {rest} more' if rest > 0 else ''}."


def _certificate(planned: QuestionPlan) -> str:
    question, document = planned.question, planned.certificate.to_json()
    name = f"{question.id}.certificate.json"
    sentences = _key_sentences(planned)
    return (
        f"<h3>{escape(question.id)}: {escape(question.text)}</h3>"
        f'<ul class="plain">{"".join(_item(sentence, alarm) for alarm, sentence in sentences)}</ul>'
        f"<p>Check it with <code>sfumato verify {escape(name)}</code>. Digest <code>{digest_in(document)}</code></p>"
        + saving_link(name, document)
        + embedded_document(f"The sealed certificate of {question.id} (JSON)", document)
    )


def _key_sentences(planned: QuestionPlan) -> list[tuple[bool, str]]:
    if isinstance(planned, CardPlan):
        return protection(planned.certificate)
    if isinstance(planned, HuntPlan | ToldPlan):
        wanted = ("guess_error", "exposure", "epsilon")
        return [(False, claim.sentence) for claim in planned.certificate.claims if claim.measure in wanted]
    return _ladder_sentences(planned)


def _ladder_sentences(planned: LadderPlan) -> list[tuple[bool, str]]:
    levels = len(planned.levels)
    said = []
    for level in planned.levels:
        claim = planned.certificate[f"epsilon_level_{level.level}"]
        who = "everybody" if level.level == levels else ", ".join(level.readers) or "nobody"
        said.append((False, f"{claim.sentence} Seen by {who}."))
    everybody = "_".join(str(level.level) for level in planned.levels)
    for measure in (f"epsilon_coalition_{everybody}" if levels > 1 else "", "recovered"):
        said += [(False, claim.sentence) for claim in planned.certificate.claims if claim.measure == measure]
    return said


def _item(text: str, is_alarm: bool) -> str:
    mark = ' class="warn"' if is_alarm else ""
    return f"<li{mark}>{escape(text)}</li>"
