"""What notebooks show of a value.

The view of each type is registered here. A design without a description shows its numbers and its channel.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import singledispatch
from html import escape
from numbers import Real
from typing import Any

from sfumato.certificates.auditing import Audit
from sfumato.certificates.certificate import Certificate
from sfumato.display.tables import Sheet
from sfumato.display.text import epsilon_text, fraction_text
from sfumato.errors import printable_lines
from sfumato.inference.regression.result import Fit
from sfumato.inference.results import QuestionEstimate
from sfumato.ladders.ladder import Ladder
from sfumato.noise.shared_bits_designs import BelievedNoise
from sfumato.numbers.intervals import Interval
from sfumato.output.analyses import comparison_words, crosstab_sheet, fit_sheets, weighted_sheet
from sfumato.output.certificates import heatmap_svg
from sfumato.output.estimates import (
    all_lines,
    contrast_cells,
    contrast_name,
    estimate_column,
    first_column,
    shown_places,
)
from sfumato.output.noise import believed_lines
from sfumato.output.pages import name_of, status_of, value_of
from sfumato.output.plans import totals_rows
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.prob.structured import Circulant
from sfumato.publications.analyses import Comparison, Crosstab, WeightedShares
from sfumato.publications.estimating import Estimates
from sfumato.publications.note import releases_words
from sfumato.publications.reports import Reports
from sfumato.study.planning import StudyPlan
from sfumato.study.question_plans import QuestionPlan
from sfumato.study.study import Study
from sfumato.surveys.cards import SpinnerCard

_MOST_ROWS = 30
# A larger picture would not show more.
_MOST_ENTRIES = 4096


def notebook_html(thing: Any) -> str:
    """Return what a notebook shows of a thing."""
    return printable_lines(_shown(thing))


def html_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a plain table."""
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


@singledispatch
def _shown(thing: Any) -> str:
    """A design: its numbers in a table, and its channel as a picture."""
    if not is_dataclass(thing):
        return f"<pre>{escape(repr(thing))}</pre>"
    held = [(field.name, getattr(thing, field.name)) for field in fields(thing)]
    rows = [(name.replace("_", " "), words) for name, value in held if (words := _words(value))]
    channel = getattr(thing, "channel", None)
    drawn = _picture(channel) if isinstance(channel, Channel | Circulant) else ""
    return f"{_headline(type(thing).__name__)}{html_table(('what', 'value'), rows)}{drawn}"


@_shown.register
def _(thing: Certificate) -> str:
    rows = [(name_of(claim, thing), value_of(claim), status_of(claim), claim.sentence) for claim in thing.claims]
    cited = "<br>".join(escape(str(source)) for source in thing.sources)
    table = html_table(("measure", "value", "status", "in plain words"), rows)
    return f"{_headline(thing.title)}{table}{_paragraphs(thing.notes)}" + f"<p><small>{cited}</small></p>" * bool(cited)


@_shown.register
def _(thing: Audit) -> str:
    return f"{_headline('Audit')}{_paragraphs([thing.sentence])}"


@_shown.register
def _(thing: Study) -> str:
    rows = [
        (question.id, question.kind, question.text, handler.describe())
        for question, handler in zip(thing.questions, thing.handlers, strict=True)
    ]
    readers = [] if thing.public_epsilon is None else [("public", _exact(thing.public_epsilon))]
    readers += [(analyst.name, _exact(analyst.epsilon)) for analyst in thing.analysts]
    readers += [("registrar", "the answers")] if thing.recover else []
    seen = html_table(("reader", "ε of a question"), readers) if readers else ""
    said = [] if thing.population is None else [f"{thing.population:,} people will be asked."]
    said += [f"Releases are paid from {thing.ledger}."] if thing.ledger else []
    table = html_table(("question", "kind", "text", "answers"), rows)
    return f"{_headline(thing.name)}{table}{seen}{_paragraphs(said)}"


@_shown.register
def _(thing: StudyPlan) -> str:
    parts = [_headline(thing.study.name), *map(_shown, thing.questions)]
    header, rows = totals_rows(thing.study)
    return "".join([*parts, "<p>ε that a respondent spends (nats, rounded up)</p>", html_table(header, rows)])


@_shown.register
def _(thing: QuestionPlan) -> str:
    parts = [_headline(f"{thing.question.id}: {thing.question.text}"), _paragraphs([thing.because, *thing.words])]
    if thing.instructions:
        parts.append(f"<ol>{''.join(f'<li>{escape(line)}</li>' for line in thing.instructions)}</ol>")
    if thing.protection:
        parts.append(f"<ul>{''.join(f'<li>{escape(one.sentence)}</li>' for one in thing.protection)}</ul>")
    parts += [_paragraphs([table.title]) + html_table(table.header, table.rows) for table in thing.tables]
    return "".join(parts)


@_shown.register
def _(thing: QuestionEstimate) -> str:
    group = "" if thing.group is None else f" · {thing.group}"
    title = f"{thing.question.text}{group} ({thing.total:,} reports, ε = {epsilon_text(thing.epsilon)})"
    lines, _ = all_lines(thing)
    header = (first_column(thing), estimate_column(thing), f"{100 * thing.confidence:g} % interval")
    table = html_table(header, [(line.name, line.value, line.reach) for line in lines])
    rest = len(thing.labels) - len(shown_places(thing))
    notes = [f"and {rest} rarer answers"] * bool(rest) + list(thing.notes)
    return f"{_headline(title)}{table}{_paragraphs(notes)}"


@_shown.register
def _(thing: Estimates) -> str:
    return "".join(map(_shown, thing))


@_shown.register
def _(thing: Reports) -> str:
    """The study, the level of each question, and the first rows."""
    note = thing.note
    head = [(name, note.study.question(name).text, _seen_at(thing, name)) for name in note.questions]
    rows = thing.table.slice(0, 5).to_pylist()
    names = list(thing.table.column_names)
    warning = f"<p><strong>{escape(note.source)}</strong></p>" if note.insecure else ""
    warning += f"<p>{escape(releases_words(note))}</p>" if note.earlier else ""
    return (
        f"<p><strong>{escape(note.study.name)}</strong>: {len(thing):,} reports</p>{warning}"
        + html_table(("question", "text", "seen at"), head)
        + html_table(names, [[str(row[name]) for name in names] for row in rows])
    )


@_shown.register
def _(thing: Fit) -> str:
    return "".join(map(_sheet, fit_sheets([thing])))


@_shown.register
def _(thing: Crosstab) -> str:
    return _sheet(crosstab_sheet(thing))


@_shown.register
def _(thing: WeightedShares) -> str:
    return _sheet(weighted_sheet(thing))


@_shown.register
def _(thing: Comparison) -> str:
    rows = [(f"{one.first} minus {one.second}", contrast_name(one), *contrast_cells(one)) for one in thing.contrasts]
    table = html_table(("compared", "of", "difference", "interval"), rows)
    return f"{_shown(thing.estimates)}{table}{_paragraphs(comparison_words(thing))}"


@_shown.register
def _(thing: Ladder) -> str:
    last = len(thing.levels)
    rows = [
        (f"{level}, the public one" if level == last else str(level), epsilon_text(epsilon), fraction_text(odds))
        for level, (epsilon, odds) in enumerate(zip(thing.epsilons, thing.odds, strict=True), start=1)
    ]
    back = "With the key of level 0 the answers come back." if thing.recover_answers else ""
    title = f"A ladder: {thing.size} answers, {last} levels, {thing.modulus} reports"
    return f"{_headline(title)}{html_table(('level', 'ε', 'odds'), rows)}{_paragraphs([back])}"


@_shown.register
def _(thing: Channel) -> str:
    exact = "exact" if thing.exact else "float64"
    return f"{_headline(f'A channel: {thing.shape[0]} inputs, {thing.shape[1]} outputs, {exact}')}{_picture(thing)}"


@_shown.register
def _(thing: Circulant) -> str:
    return f"{_headline(repr(thing).strip('<>'))}{heatmap_svg(thing)}"


@_shown.register
def _(thing: Distribution) -> str:
    shown = list(zip(thing.labels, thing.probabilities, strict=True))[:_MOST_ROWS]
    rows = [(str(label), _words(mass)) for label, mass in shown]
    rest = len(thing.labels) - len(shown)
    return html_table(("value", "probability"), rows) + _paragraphs([f"and {rest} more"] * bool(rest))


@_shown.register
def _(thing: BelievedNoise) -> str:
    lines = believed_lines(thing)
    return f"{_headline(thing.certificate.title)}{html_table(('what', 'how much'), lines)}"


@_shown.register
def _(thing: SpinnerCard) -> str:
    return f"{_headline('A card')}<ul>{''.join(f'<li>{escape(line)}</li>' for line in thing.lines())}</ul>"


def _sheet(sheet: Sheet) -> str:
    return f"{_headline(sheet.title)}{html_table(sheet.header, sheet.rows)}{_paragraphs(sheet.notes)}"


def _headline(text: str) -> str:
    return f"<p><strong>{escape(text)}</strong></p>"


def _paragraphs(lines: Iterable[str]) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in lines if line)


def _picture(channel: Channel | Circulant) -> str:
    small = isinstance(channel, Circulant) or channel.shape[0] * channel.shape[1] <= _MOST_ENTRIES
    return heatmap_svg(channel) if small else ""


def _words(value: Any) -> str:
    """Write what fits into a cell; nothing for what does not."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction):
        return fraction_text(value)
    if isinstance(value, Interval):
        return f"{value.lower:.6g} to {value.upper:.6g}"
    if isinstance(value, Real):
        return f"{float(value):.6g}"
    if isinstance(value, str):
        return value
    if is_dataclass(value) and not isinstance(value, type) and not isinstance(value, Certificate):
        inside = [(field.name, getattr(value, field.name)) for field in fields(value)]
        return ", ".join(f"{name} {words}" for name, held in inside if (words := _words(held)))
    return ""


def _exact(value: Fraction) -> str:
    return epsilon_text(float(value))


def _seen_at(reports: Reports, name: str) -> str:
    handler, level = reports.note.handler(name), reports.note.column(name).level
    return "answers" if level == 0 else f"ε = {epsilon_text(handler.epsilons[level - 1])}"
