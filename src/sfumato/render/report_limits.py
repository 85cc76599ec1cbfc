"""What the claims of a study do not say, in sentences that apply to the study at hand."""

from __future__ import annotations

from sfumato.render.report_material import ReportMaterial
from sfumato.render.words import epsilon_text
from sfumato.study.part_notes import PartNote
from sfumato.study.ways.no_answer import gap_sentences

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
    said += [(text, False) for text in dict.fromkeys(text for way in study.ways for text in way.limits())]
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
