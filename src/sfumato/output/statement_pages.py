"""The statement for an ethics board and the interviewer's script as pages to print.

Each page is one file without scripts that loads nothing. Lines are left free for what the software does not know:
dates, names, signatures.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from sfumato.certificates.pages import checked_page, digest_in
from sfumato.display.pages import inline_svg
from sfumato.display.tables import scroll_box
from sfumato.output.cards import spinner_svg
from sfumato.output.report import plain_table
from sfumato.output.statements import AskedQuestion, Statement, is_by_hand, statement_of
from sfumato.study.file import fingerprint
from sfumato.study.planning import StudyPlan
from sfumato.study.question_plans import QuestionPlan, Said, risk_sentences, risk_table

_STYLE = """
body{max-width:48rem}h2{margin:1.5rem 0 .4rem}
.lines{display:grid;grid-template-columns:1fr 1fr;gap:0 2.5rem;margin-top:1.2rem}
.lines p,.line{border-bottom:1px solid var(--ink);padding-top:1.5rem;margin:0}
blockquote{margin:.5rem 0;padding:.5rem 1rem;border-left:4px solid var(--mark);background:var(--pane)}
.box::before{content:"☐ "}.digest{font-size:.8rem}
@page{size:A4;margin:12mm 15mm}
@media print{body{font-size:9.2pt;line-height:1.32}h1{font-size:14pt}h2{font-size:10.5pt;margin:.7em 0 .2em}
h3{font-size:9.5pt;margin:.4em 0 .1em}p,ul,ol,blockquote{margin:.25em 0}ul.plain li,ol li{margin:.1em 0}
table{font-size:8.4pt}th,td{padding:.12rem .3rem}.wide{margin:.2rem 0}footer{margin-top:.6em;font-size:7.5pt}
.lead{margin:.1em 0 .4em}.lines{margin-top:.2em}.lines p,.line{padding-top:1.4em}.new{break-before:page}
figure{margin:.4em 0}figure svg{max-height:165mm;margin:0 auto;padding:0}.digest{font-size:7pt}
p.caption{font-size:8.4pt}}
"""


_WARN = ' class="warn"'
_REPLIES = (
    (
        "Why so complicated?",
        "So that your answer stays yours. The chances are known, so all reports together still say how many hold it.",
    ),
    (
        "Can you find out my answer?",
        "The consent text says in numbers what a single report can tell. It is the same for everybody.",
    ),
    ("What if I do not want to?", "Then you do not take part. Nobody writes down why."),
)
_UNTRUE = (
    "What if the card makes me say what is not true?",
    "Then you did it right. That it happens is what protects everybody.",
)


def statement_html(plan: StudyPlan) -> str:
    """Return the statement for an ethics board or a data protection officer."""
    found = statement_of(plan)
    parts = [
        ("asked", "What is asked, and what a respondent risks", _questions(plan, found)),
        ("kept", "What is kept, and for how long", _list(found.kept)),
        ("readers", "Who sees what", _readers(found)),
        ("limits", "What cannot be promised", _said(found.not_promised)),
        ("check", "How to check it", _certificates(plan)),
    ]
    title = f"Data protection statement: {plan.study.name}"
    return checked_page(
        title,
        f'<header><h1>{escape(title)}</h1><p class="lead">For an ethics board or a data protection officer. Every '
        f"number follows from how reports are drawn, and is rounded against the study.</p></header>"
        f"<main>{_sections(parts)}{_signatures()}</main>",
        _STYLE,
        footer=_footer(plan),
        certificates=[planned.certificate for planned in plan.questions],
    )


def script_html(plan: StudyPlan) -> str:
    """Return the interviewer's script: what to say and do, the cards, and the consent text on a page of its own."""
    found = statement_of(plan)
    title = f"Interviewer's script: {plan.study.name}"
    asked = "".join(_script(planned, one) for planned, one in zip(plan.questions, found.asked, strict=True))
    parts = [
        ("before", "Before you begin", _list(_before(plan), ordered=True)),
        ("questions", "The questions", asked),
        ("asked", "If you are asked", _answers(plan)),
    ]
    return checked_page(
        title,
        f"<header><h1>{escape(title)}</h1></header><main>{_sections(parts)}{_consent(found)}</main>",
        _STYLE,
        footer=_footer(plan),
        certificates=[planned.certificate for planned in plan.questions],
    )


def _sections(parts: Iterable[tuple[str, str, str]]) -> str:
    return "".join(
        f'<section aria-labelledby="{anchor}"><h2 id="{anchor}">{escape(title)}</h2>{inside}</section>'
        for anchor, title, inside in parts
    )


def _questions(plan: StudyPlan, found: Statement) -> str:
    made = []
    for planned, one in zip(plan.questions, found.asked, strict=True):
        table = ""
        if planned.risk is not None:
            told = risk_table(planned.risk)
            numbers = len(told.header) - told.words
            label = f"{told.title}: {one.id}"
            table = f'<p class="caption">{escape(told.title)}.</p>' + scroll_box(
                label, plain_table(told.header, told.rows, numbers=numbers)
            )
        made.append(
            f"<h3>{escape(one.text)}</h3><p>{escape(one.answers)} {escape(one.how)}</p>{_said(one.risks)}{table}"
        )
    return "".join(made) + (f"<p>{escape(found.together)}</p>" if found.together else "")


def _readers(found: Statement) -> str:
    items = "".join(f"<li><strong>{escape(who)}</strong>: {escape(what)}</li>" for who, what in found.readers)
    return (
        f'<ul class="plain">{items}</ul><p>ε is how much a report can favour one answer over another, at most '
        f"e<sup>ε</sup> times. Smaller is more private.</p>"
    )


def _certificates(plan: StudyPlan) -> str:
    items = "".join(
        f'<li><code>{escape(one.question.id)}</code>: <code class="digest">'
        f"{digest_in(one.certificate.to_json())}</code></li>"
        for one in plan.questions
    )
    return (
        "<p>The numbers follow from how reports are drawn, which the sealed certificate of each question states. The "
        "certificates are in the data of this page, and <code>sfumato verify</code> works them out again. Digests:</p>"
        f'<ul class="plain">{items}</ul>'
    )


def _signatures() -> str:
    names = ("For the study: name, date", "For the board: name, date", "Signature", "Signature")
    lines = "".join(f"<p>{name}:</p>" for name in names)
    return f'<section aria-label="Signatures" class="lines">{lines}</section>'


def _footer(plan: StudyPlan) -> str:
    return f"<p>Study <code>{escape(fingerprint(plan.study))}</code>. Made by Sfumato from the study file.</p>"


def _before(plan: StudyPlan) -> list[str]:
    said = ["Let the respondent read the consent text, or read it aloud. Go on only if they agree."]
    if any(is_by_hand(planned) for planned in plan.questions):
        said.append("Have at hand the card, what is needed to draw, and paper for the reports.")
        said.append("Sit so that you cannot see the draw, and say so.")
    return said


def _script(planned: QuestionPlan, one: AskedQuestion) -> str:
    say = f"<h3>Question “{escape(one.id)}”. Say:</h3><blockquote>{escape(one.text)}</blockquote>"
    card = planned.card
    if card is None:
        return (
            f"{say}<p>{escape(one.answers)} Write the answer down as it is given. It is changed by chance "
            f"before it is published; until then keep the list locked away.</p>"
        )
    reports = list(dict.fromkeys(str(report) for ranges in card.ranges for _, _, report in ranges))
    named = ", ".join(f"“{escape(report)}”" for report in reports)
    steps = [
        "Give the respondent the card and let them read it. Say: “Do not tell me your number or your answer.”",
        f"Turn away. Say: “{card.device} Keep the number to yourself, and find it on the wheel of your true answer.”",
        "Ask: “What does the card tell you to say?”",
    ]
    rules = [
        "If they tell you their number or their answer, do not write it down. Ask for the report only.",
        "If they mix something up before they speak, let them draw again. Once they have said a report, it stands.",
        "Do not comment on a report, and do not ask whether it is true.",
    ]
    told = () if planned.risk is None else risk_sentences(planned.risk)
    alarms = [said for said in told if said.is_alarm]
    if alarms:
        rules.append("Do not promise that a report gives nothing away:")
    picture = inline_svg(spinner_svg(card, title=one.text), f"The card. {' '.join(card.lines())}")
    return (
        f"{say}{_list(steps, ordered=True)}<p>Write down one of: <strong>{named}</strong>, and nothing "
        f"else.</p>{_list(rules)}{_said(alarms)}"
        f'<figure class="new">{picture}'
        f"<figcaption>The card, to cut out and hand over.</figcaption></figure>"
    )


def _answers(plan: StudyPlan) -> str:
    pairs = list(_REPLIES)
    if any(is_by_hand(planned) for planned in plan.questions):
        pairs.append(_UNTRUE)
    return "<dl>" + "".join(f"<dt><strong>{a}</strong></dt><dd>{b}</dd>" for a, b in pairs) + "</dl>"


def _consent(found: Statement) -> str:
    lines = "".join(f"<p>{escape(line)}</p>" for line in found.consent)
    return (
        f'<section aria-labelledby="consent" class="new"><h2 id="consent">Consent</h2>{lines}'
        f'<p class="line">Responsible for the survey, and whom to ask:</p>'
        f'<p class="box">I have understood this and take part.</p><p class="box">I do not take part.</p>'
        f'<div class="lines"><p>Date:</p><p>Initials:</p></div></section>'
    )


def _said(said: Iterable[Said]) -> str:
    items = "".join(f"<li{_WARN if one.is_alarm else ''}>{escape(one.sentence)}</li>" for one in said)
    return f'<ul class="plain">{items}</ul>' if items else ""


def _list(lines: Iterable[str], *, ordered: bool = False) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ol>{items}</ol>" if ordered else f'<ul class="plain">{items}</ul>'
