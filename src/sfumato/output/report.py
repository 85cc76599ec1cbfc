"""The report page of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from sfumato.certificates.certificate import Certificate
from sfumato.certificates.pages import checked_page, digest_in, number_mark
from sfumato.display.charts import CHART_STYLE
from sfumato.display.tables import scroll_box
from sfumato.display.text import counted, epsilon_text
from sfumato.output.accounts import charge_rows
from sfumato.output.plans import coalition_words
from sfumato.output.report_estimates import epsilon_mark, epsilon_places, estimates_section
from sfumato.output.report_material import ReportMaterial, gather_material
from sfumato.publications.estimating import Collected
from sfumato.publications.note import PartNote, releases_words
from sfumato.study.cells import gap_sentences
from sfumato.study.planning import StudyPlan, release_of_reports
from sfumato.study.question_plans import QuestionPlan
from sfumato.study.study import totals_rows

if TYPE_CHECKING:
    import pyarrow as pa


# --- What the claims of a study do not cover, in sentences that apply to the study at hand


_AGAIN = (
    "The same people asked again, in another study or at another time, spend more. This page knows of this study only."
)
_HANDED_ON = (
    "A key that is handed on shows its new holder what its owner sees. Keys are nested, so readers together see what "
    "the best key shows and no more; nothing protects against a key that was given away."
)
_REGISTRAR = "The registrar's keys give back every answer. Whoever holds them sees all."
_SAMPLE = (
    "Estimates are of those who answered. That they stand for a larger population is up to how they were chosen, and "
    "intervals take them for a random sample of it."
)
_TOGETHER = "Each interval holds by itself at its confidence; several at once hold together less often."
_TOOK_PART = "That somebody took part, and columns that were kept as they were, are public."
_MACHINE = (
    "The claims are about how reports are drawn. They say nothing of the machine that drew them, of logs, or of what "
    "else is known about a respondent."
)


def stated_limits(material: ReportMaterial) -> list[tuple[str, bool]]:
    """Return each sentence, and whether it is an alarm."""
    plan, study = material.plan, material.plan.study
    said: list[tuple[str, bool]] = []
    if material.insecure:
        said.append((f"{material.source}: none of the promises on this page holds for these reports.", True))
    if len(study.questions) > 1:
        said.append((_sum_words(epsilon_text(plan.totals[0].epsilon)), False))
    said.append((_AGAIN, False))
    if study.analysts:
        said.append((_HANDED_ON, False))
    if study.recover:
        said.append((_REGISTRAR, True))
    amended = sum(part.present for part in amendments_of(material))
    if amended:
        said.append((_amended_words(amended), True))
    said += [
        (f"{question.id}: {text}", question.has_gaps)
        for question in study.questions
        for text in gap_sentences(question)
    ]
    said += [(text, False) for text in dict.fromkeys(text for handler in study.handlers for text in handler.limits())]
    return [*said, *((text, False) for text in (_SAMPLE, _TOGETHER, _TOOK_PART, _MACHINE))]


def amendments_of(material: ReportMaterial) -> list[PartNote]:
    """Return the amendments among the reports of a page, each once."""
    found = {part.id: part for file in material.files for part in file.note.parts if part.amends is not None}
    return list(found.values())


def _amended_words(rows: int) -> str:
    return (
        f"Answers of {rows:,} rows were amended, some perhaps only as cover: everybody sees which, outside any ε, and "
        f"of two answers which one is true now. These people spent the ε of the amended questions again."
    )


def _sum_words(total: str) -> str:
    return (
        f"Every ε of a single question is about that question alone. Over all questions they add up: everybody sees "
        f"ε = {total} of a respondent, and no smaller sum is promised."
    )


# --- Sections that need no reports: the questions, the readers, the certificates, the limits


def asked_section(material: ReportMaterial) -> str:
    """Each question with its answers, and how it was asked."""
    study = material.plan.study
    return "".join(
        _asked(planned, handler.describe())
        for planned, handler in zip(material.plan.questions, study.handlers, strict=True)
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
    """What a release discloses about whole rows, from its certificate; empty where nothing was released."""
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


Section = Callable[[ReportMaterial], str]

# A section is a function from the material to HTML. A section that does not apply returns an empty text and is left
# out. A new section is a line here.
SECTIONS: tuple[tuple[str, str, Section], ...] = (
    ("asked", "What was asked, and how", asked_section),
    ("readers", "Who sees how much", readers_section),
    ("estimates", "What the reports say", estimates_section),
    ("whole", "What the data say as a whole", disclosure_section),
    ("certificates", "Certificates", certificates_section),
    ("budget", "What it cost each person", budget_section),
    ("limits", "Limits of the claim", limits_section),
)


def study_report_html(
    plan: StudyPlan,
    reports: Sequence[Collected],
    *,
    confidence: float = 0.95,
    group: str | None = None,
    truth: pa.Table | None = None,
    disclosed: Certificate | None = None,
    sections: Sequence[tuple[str, str, Section]] | None = None,
) -> str:
    """Return the page for the public reports of a study and files opened from them, side by side.

    `truth`, an Arrow table of the answers, marks the true shares; such a page is for simulations and not for release.

    Returns:
        The page, complete in itself.

    Raises:
        InvalidParameter: reports are not of this study.
        UnreadableFile: a file is damaged, of another kind, or not there.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> from sfumato.output.report import study_report_html
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> made = sf.publish(study, {"tired": ["no", "yes"] * 50}, insecure_seed=7)
    >>> page = study_report_html(sf.plan(study), [made.reports])
    >>> "What the reports say" in page
    True
    """
    material = gather_material(plan, reports, confidence=confidence, group=group, truth=truth, disclosed=disclosed)
    chosen = SECTIONS if sections is None else sections
    made = [(anchor, title, make(material)) for anchor, title, make in chosen]
    shown = [(anchor, title, inside) for anchor, title, inside in made if inside]
    links = "".join(f'<li><a href="#{anchor}">{escape(title)}</a></li>' for anchor, title, _ in shown)
    body = "".join(
        f'<section aria-labelledby="{anchor}"><h2 id="{anchor}">{escape(title)}</h2>{inside}</section>'
        for anchor, title, inside in shown
    )
    return checked_page(
        plan.study.name,
        f"<header><h1>{escape(plan.study.name)}</h1>{_lead(material)}{_alarms(material)}</header>"
        f'<nav aria-label="Contents"><ul class="plain">{links}</ul></nav><main>{body}</main>',
        CHART_STYLE,
        footer=_footer(material),
        certificates=[planned.certificate for planned in plan.questions] + ([] if disclosed is None else [disclosed]),
        places=epsilon_places(plan),
    )


def _lead(material: ReportMaterial) -> str:
    note, asked = material.files[0].note, counted(len(material.plan.study.questions), "question")
    epoch = f", epoch {note.epoch}" if note.epoch else ""
    rows = number_mark(note.rows, "count")
    return f'<p class="lead">{rows} private reports on {asked}{epoch}.</p>'


def _alarms(material: ReportMaterial) -> str:
    said = []
    if material.insecure:
        said.append(f"{material.source}. Anyone can repeat the draws and undo these reports; do not release them.")
    if material.truths:
        said.append("True shares were added from a table of answers. This page is for a simulation, not for release.")
    return "".join(f'<p class="alarm" role="note">{escape(line)}</p>' for line in said)


def _footer(material: ReportMaterial) -> str:
    print_of = material.files[0].note.fingerprint
    return f"<p>Study <code>{escape(print_of)}</code>. Draws: {escape(material.source)}.</p>"
