"""Pages for respondents who draw by hand, without JavaScript.

Only questions with a card can be drawn by hand. Others are left out where a study allows gaps, and are otherwise named
as not possible. The study decides who types reports in (`paper` under [collect]): an office, with codes that belong to
no person, or respondents with their own token, which the server then sees together with the report; the page says so.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape

from sfumato.display.tables import scroll_box
from sfumato.errors import InvalidParameter
from sfumato.output.cards import CardWords, spinner_svg
from sfumato.prob.channel import Channel
from sfumato.server.page_parts import Messages, section, sentences, whole_html
from sfumato.study.collect_terms import Mode, Paper
from sfumato.study.collection import Collection
from sfumato.study.handler import Handler
from sfumato.surveys.cards import SpinnerCard, spinner_card

# --- Drawing one question by hand: a table of numbers and reports, and the card as a picture where there is one


# Devices that people have, by number of faces; other numbers are drawn by a phone.
_DEVICES = {
    2: "coin", 4: "two_coins", 6: "die", 8: "die", 10: "die_ten", 12: "die", 20: "die", 36: "two_dice",
    100: "percent_dice", 1000: "three_dice",
}  # fmt: skip
_WORDS = ("draw", "find", "tell", "true_answer", "rule", "safe", "exposes", "either", "name")
# A picture has a wheel for each of two answers.
_WHEELS = 2


def drawing_words(card: SpinnerCard, messages: Messages) -> str:
    """Say how a number is drawn."""
    return messages(f"device.{_DEVICES.get(card.faces, 'any')}", faces=card.faces)


def proving_reports(card: SpinnerCard) -> tuple[str, ...]:
    """Return the reports that only one answer can give: a page must not promise what a card does not keep."""
    givers: dict[str, set[str]] = {}
    for answer, ranges in zip(card.answers, card.ranges, strict=True):
        for _, _, report in ranges:
            givers.setdefault(str(report), set()).add(str(answer))
    return tuple(report for report, answers in givers.items() if len(answers) == 1)


def card_table(card: SpinnerCard, messages: Messages, label: str) -> str:
    """Return the card as a table: a part for each true answer, a line for each range of numbers."""
    heads = "".join(
        f'<th scope="col">{escape(messages(f"paper.{key}"))}</th>' for key in ("true_answer", "number_is", "report_is")
    )
    parts = []
    for answer, ranges in zip(card.answers, card.ranges, strict=True):
        lines = []
        for place, (first, last, report) in enumerate(ranges):
            span = str(first) if first == last else messages("paper.span", first=first, last=last)
            head = f'<th scope="rowgroup" rowspan="{len(ranges)}">{escape(str(answer))}</th>' if place == 0 else ""
            lines.append(f"<tr>{head}<td>{escape(span)}</td><td><strong>{escape(str(report))}</strong></td></tr>")
        parts.append(f"<tbody>{''.join(lines)}</tbody>")
    return scroll_box(
        label,
        f'<table class="card"><caption>{escape(messages("paper.table"))}</caption>'
        f"<thead><tr>{heads}</tr></thead>{''.join(parts)}</table>",
    )


def card_picture(card: SpinnerCard, title: str, messages: Messages) -> str:
    """Return the card as a picture to print; empty where there are more answers than wheels."""
    if len(card.answers) != _WHEELS:
        return ""
    words = CardWords(
        **{name: messages(f"card.{name}") for name in _WORDS},
        quoted=messages("page.quoted"),
        span=messages("paper.span"),
    )
    drawn = spinner_svg(card, title=title, device=drawing_words(card, messages), words=words)
    data = b64encode(drawn.encode()).decode()
    said = f"{drawing_words(card, messages)} {messages('paper.step_find')}"
    alt = escape(messages("paper.card_alt", words=said), quote=True)
    return f'<figure><img src="data:image/svg+xml;base64,{data}" alt="{alt}"></figure>'


# --- A study on paper: questions that can be drawn by hand, who types reports in, and what was typed


LEFT_OUT = "-"
"""What a form sends for a question that is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperQuestion:
    """A question on paper: its card, if it can be drawn by hand, and whether it may be left out."""

    id: str
    text: str
    reports: tuple[str, ...]
    card: SpinnerCard | None
    may_be_left: bool

    @property
    def is_possible(self) -> bool:
        """Whether paper can serve it."""
        return self.card is not None or self.may_be_left


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperForm:
    """All questions of a study as paper has them."""

    collection: Collection
    questions: tuple[PaperQuestion, ...]

    @classmethod
    def of(cls, collection: Collection) -> PaperForm:
        """Work out what can be drawn by hand."""
        return cls(collection=collection, questions=tuple(map(_on_paper, collection.handlers.values())))

    @property
    def is_possible(self) -> bool:
        """Whether the whole study can be answered on paper."""
        drawn = any(one.card is not None for one in self.questions)
        return drawn and all(one.is_possible for one in self.questions)

    @property
    def typed_by(self) -> Paper | None:
        """Who types in what was drawn; None if nothing is typed in."""
        said = self.collection.terms.paper
        return None if said is None or not self.is_possible else Paper(said)

    def name(self, place: int) -> str:
        """The name of a question's field: its place, which says nothing."""
        return f"report-{place + 1}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What was typed in: by field, and which fields are wrong; `code` is a message about the code."""

    fields: Mapping[str, str] = field(default_factory=dict, repr=False)
    wrong: frozenset[str] = frozenset()
    has_wrong_code: bool = False

    @property
    def is_wrong(self) -> bool:
        """Whether anything is."""
        return bool(self.wrong) or self.has_wrong_code


def _on_paper(handler: Handler) -> PaperQuestion:
    question = handler.question
    return PaperQuestion(
        id=question.id,
        text=question.text,
        reports=handler.report_labels or (),
        card=_card(handler) if handler.on_paper else None,
        may_be_left=question.has_gaps,
    )


def _card(handler: Handler) -> SpinnerCard | None:
    """Return the card to draw by; None where the draw is too fine to be made by hand or phone."""
    channel = handler.channel(len(handler.epsilons))
    try:
        return spinner_card(channel) if isinstance(channel, Channel) else None
    except InvalidParameter:
        return None


_NOTHING = Typed()
_WARN, _WRONG = ' class="warn"', ' class="wrong"'


def paper_page(form: PaperForm, messages: Messages, typed: Typed = _NOTHING) -> str:
    """Return the page of instructions, with the form where respondents type for themselves."""
    study, terms = form.collection.study.name, form.collection.terms
    title = messages("paper.title", study=study)
    if not form.is_possible:
        return _whole(messages, title, _impossible(form, messages), "/paper")
    steps = [messages(f"paper.{key}") for key in ("step_draw", "step_find", "step_report")]
    listed = "".join(f"<li>{escape(one)}</li>" for one in steps)
    inside = (
        f'{_faults(form, typed, messages)}<p class="lead">{escape(messages("paper.lead"))}</p>'
        f"{'' if form.typed_by else _note(messages('paper.not_offered'))}"
        f"{section('need', messages('paper.what_title'), sentences([messages('paper.what')]))}"
        f"{section('steps', messages('paper.steps_title'), f'<ol>{listed}</ol>')}"
    )
    asked = "".join(
        _question(form, place, messages, typed, with_field=form.typed_by is Paper.TYPED)
        for place in range(len(form.questions))
    )
    if form.typed_by is Paper.TYPED:
        inside += _form(messages, asked + _sending(form, messages, typed, "/paper"), "/paper")
    else:
        inside += asked
    if form.typed_by is Paper.OFFICE:
        inside += _office(terms.contact or "", messages)
    return _whole(messages, title, inside, "/paper", is_wrong=typed.is_wrong)


def office_page(form: PaperForm, messages: Messages, typed: Typed = _NOTHING) -> str:
    """Return the page on which an office types in a sheet."""
    title = messages("paper.office_form_title", study=form.collection.study.name)
    asked = "".join(
        _question(form, place, messages, typed, with_field=True, with_card=False)
        for place in range(len(form.questions))
    )
    inside = (
        f'{_faults(form, typed, messages)}<p class="lead">{escape(messages("paper.office_form_lead"))}</p>'
        f"{_form(messages, asked + _sending(form, messages, typed, '/paper/office'), '/paper/office')}"
    )
    return _whole(messages, title, inside, "/paper/office", is_wrong=typed.is_wrong)


def paper_thanks(form: PaperForm, reports: Mapping[str, int | None], secret: bytes, messages: Messages) -> str:
    """Return what is said once the reports are kept: what was sent, and the secret that takes it back."""
    said = []
    for one in form.questions:
        report = reports[one.id]
        if report is None:
            said.append(messages("paper.sent_left", question=one.text))
        else:
            shown = messages("page.quoted", text=one.reports[report])
            said.append(messages("paper.sent", question=one.text, report=shown))
    listed = "".join(f"<li>{escape(one)}</li>" for one in said)
    keep = (
        f"<p>{escape(messages('paper.secret_text'))}</p>"
        f'<p><span class="label">{escape(messages("thanks.secret"))}</span></p>'
        f'<p><code class="secret">{secret.hex()}</code></p>'
    )
    return _whole(
        messages,
        messages("paper.sent_title"),
        f'<ul class="plain">{listed}</ul>{section("keep", messages("thanks.keep_title"), keep)}',
        "/paper",
    )


def closed_page(messages: Messages) -> str:
    """Return what is said once a study is closed."""
    told = f"<p><strong>{escape(messages('problem.closed'))}</strong></p><p>{escape(messages('paper.closed_way'))}</p>"
    return _whole(messages, messages("problem.title"), f'<div class="note">{told}</div>', "/paper")


def _whole(messages: Messages, title: str, inside: str, path: str, *, is_wrong: bool = False) -> str:
    heading = f"{messages('fault.label')} {title}" if is_wrong else title
    return whole_html(
        messages,
        title=heading,
        main=f"<h1>{escape(title)}</h1>{inside}",
        path=path,
        links=(
            (messages.path("/"), messages("page.front")),
            (messages.path("/certificate"), messages("page.certificate")),
        ),
    )


def _impossible(form: PaperForm, messages: Messages) -> str:
    named = "".join(f"<li>{escape(one.text)}</li>" for one in form.questions if one.card is None)
    return (
        f"<h2>{escape(messages('paper.cannot_title'))}</h2><p>{escape(messages('paper.cannot'))}</p>"
        f'<ul class="plain">{named}</ul>'
        f"{sentences([messages('paper.cannot_reason'), messages('paper.cannot_instead')])}"
    )


def _note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'


def _question(
    form: PaperForm, place: int, messages: Messages, typed: Typed, *, with_field: bool, with_card: bool = True
) -> str:
    question, number = form.questions[place], place + 1
    head = f'<p class="kicker">{escape(messages("paper.question", place=number))}</p>'
    if question.card is None:
        inside = f"<p>{escape(messages('paper.left_out'))}</p>"
    else:
        inside = _instructions(question, number, messages) if with_card else ""
        if with_field:
            inside += _field(form, place, messages, typed, by_office=not with_card)
        elif form.typed_by is Paper.OFFICE:
            inside += _boxes(form, place, messages)
    title = f'{head}<h2 id="question-{number}">{escape(question.text)}</h2>'
    return f'<section class="asked" aria-labelledby="question-{number}">{title}{inside}</section>'


def _instructions(question: PaperQuestion, number: int, messages: Messages) -> str:
    card = question.card
    if card is None:
        return ""
    proving = proving_reports(card)
    named = messages("card.either").join(messages("page.quoted", text=one) for one in proving)
    honest = messages("paper.exposes", reports=named) if proving else messages("paper.nobody_knows")
    label = f"{messages('paper.table')}: {messages('paper.question', place=number)}"
    return (
        f"<p><strong>{escape(messages('paper.device'))}</strong> {escape(drawing_words(card, messages))}</p>"
        f"{card_table(card, messages, label)}{card_picture(card, question.text, messages)}"
        f"<p{_WARN if proving else ''}>{escape(honest)}</p>"
    )


def _choices(question: PaperQuestion, messages: Messages) -> list[tuple[str, str]]:
    """What may be reported: the value of a field, and what it says."""
    found = [(str(value), label) for value, label in enumerate(question.reports)]
    return [*found, (LEFT_OUT, messages("paper.left"))] if question.may_be_left else found


def _boxes(form: PaperForm, place: int, messages: Messages) -> str:
    """Boxes to tick on the sheet."""
    items = "".join(f'<li class="box">{escape(label)}</li>' for _, label in _choices(form.questions[place], messages))
    legend = escape(messages("paper.report_legend", place=place + 1))
    return f'<p class="label">{legend}</p><ul class="boxes">{items}</ul>'


def _field(form: PaperForm, place: int, messages: Messages, typed: Typed, *, by_office: bool) -> str:
    question, name = form.questions[place], form.name(place)
    chosen = typed.fields.get(name)
    choices = _choices(question, messages)
    legend = messages("paper.office_legend" if by_office else "paper.report_legend", place=place + 1)
    helped = messages("paper.office_help" if by_office else "paper.report_help")
    buttons = "".join(
        f'<label class="choice"><input type="radio" name="{name}" value="{value}" required'
        f"{' checked' if value == chosen else ''}> <span>{escape(label)}</span></label>"
        for value, label in choices
    )
    is_wrong = name in typed.wrong
    fault = messages("paper.fault_report", place=place + 1)
    told = f'<p class="fault" id="{name}-fault">{_faulty(fault, messages)}</p>' if is_wrong else ""
    described = f"{name}-help{f' {name}-fault' if is_wrong else ''}"
    return (
        f'<fieldset id="{name}" aria-describedby="{described}"{_WRONG if is_wrong else ""}>'
        f"<legend>{escape(legend)}</legend>"
        f'<p class="help" id="{name}-help">{escape(helped)}</p>{told}'
        f'<div class="choices">{buttons}</div></fieldset>'
    )


def _form(messages: Messages, inside: str, path: str) -> str:
    return f'<form method="post" action="{escape(messages.path(path))}" autocomplete="off" novalidate>{inside}</form>'


def _sending(form: PaperForm, messages: Messages, typed: Typed, path: str) -> str:
    """The code, what it links, and the button."""
    by_office = path != "/paper"
    helped = messages("paper.office_code_help" if by_office else "welcome.token_help")
    told = []
    if not by_office:
        told.append(messages("paper.typed_panel" if form.collection.mode is Mode.PANEL else "paper.typed_linked"))
    if form.collection.receivers:
        told.append(messages("paper.typed_public"))
    is_wrong = typed.has_wrong_code
    fault = (
        f'<p class="fault" id="code-fault">{_faulty(messages("paper.fault_code"), messages)}</p>' if is_wrong else ""
    )
    described = f"code-help{' code-fault' if is_wrong else ''}"
    code = (
        f'<div class="field{" wrong" if is_wrong else ""}"><label for="code">'
        f"{escape(messages('paper.code_office' if by_office else 'paper.code'))}</label>"
        f'<p class="help" id="code-help">{escape(helped)}</p>{fault}'
        f'<input id="code" name="token" type="text" required autocomplete="off" autocapitalize="characters" '
        f'spellcheck="false" maxlength="80" aria-describedby="{described}"></div>'
    )
    linked = sentences(told)
    button = f'<p class="actions"><button class="button" type="submit">{escape(messages("paper.send"))}</button></p>'
    title = messages("paper.office_code_title" if by_office else "paper.typed_title")
    return section("send", title, f"{linked}{code}{button}")


def _office(contact: str, messages: Messages) -> str:
    where = escape(messages("paper.office_where", contact=contact))
    inside = (
        f'<p>{escape(messages("paper.office"))}</p><p class="note">{where}</p>'
        f"<p>{escape(messages('paper.office_types'))}</p>"
        f'<p class="screen"><a href="{escape(messages.path("/paper/office"))}">'
        f"{escape(messages('paper.office_link'))}</a></p>"
    )
    return section("return", messages("paper.office_title"), inside)


def _faults(form: PaperForm, typed: Typed, messages: Messages) -> str:
    """List what is wrong at the top, each with a link to where it is."""
    if not typed.is_wrong:
        return ""
    items = [
        (form.name(place), messages("paper.fault_report", place=place + 1))
        for place in range(len(form.questions))
        if form.name(place) in typed.wrong
    ]
    if typed.has_wrong_code:
        items.append(("code", messages("paper.fault_code")))
    listed = "".join(f'<li><a href="#{name}">{escape(text)}</a></li>' for name, text in items)
    return (
        f'<div class="faults" role="alert" aria-labelledby="faults"><h2 id="faults">'
        f"{escape(messages('paper.fault_title'))}</h2><ul>{listed}</ul></div>"
    )


def _faulty(text: str, messages: Messages) -> str:
    return f'<span class="unseen">{escape(messages("fault.label"))} </span>{escape(text)}'
