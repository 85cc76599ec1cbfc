"""A study as one HTML page: what was asked and how, who sees what, what the reports say, and what is not promised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

from sfumato.certificates import Certificate
from sfumato.render.chart_parts import CHART_STYLE
from sfumato.render.page_style import checked_page
from sfumato.render.page_texts import number_mark
from sfumato.render.report_estimates import estimates_section
from sfumato.render.report_material import ReportMaterial, gather_material
from sfumato.render.report_rows import epsilon_places
from sfumato.render.report_sections import (
    asked_section,
    budget_section,
    certificates_section,
    disclosure_section,
    limits_section,
    readers_section,
)
from sfumato.render.words import counted
from sfumato.study.estimating import Collected
from sfumato.study.planning import StudyPlan

if TYPE_CHECKING:
    import pyarrow as pa

Section = Callable[[ReportMaterial], str]

# A section is a function from the material to HTML; what does not apply to a study is an empty text and left out.
# New ones are a line here.
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
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> made = sf.publish(study, {"tired": ["no", "yes"] * 50}, insecure_seed=7)
    >>> page = sf.study_report_html(sf.plan(study), [made.reports])
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
