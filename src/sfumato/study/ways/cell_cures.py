"""What to do about cells that are no answer: the cure is chosen by how they are written, and never repeats one.

Whatever is proposed here is read once it is done; a test applies every cure.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from sfumato.files.toml_tables import toml_value
from sfumato.study.ways.cells import number_text

_EMPTY = frozenset(
    {
        *("na", "n/a", "#n/a", "nan", "null", "none", "nil", ".", "..", "-", "--", "?", "missing", "unknown"),
        *("dk", "don't know", "refused", "no answer", "not asked", "not applicable", "prefer not to say"),
        *("-1", "-7", "-8", "-9", "-77", "-88", "-99", "-999", "77", "88", "99", "777", "888", "999", "9999"),
    }
)
"""What stands for no answer in tables of R, pandas, SQL, SPSS, Stata, of spreadsheets and surveys; in small letters."""
_NO = ("no", "No", "NO", "n", "N", "false", "FALSE", "0")
_YES = ("yes", "Yes", "YES", "y", "Y", "true", "TRUE", "1")
_TRUTHS = frozenset(map(str.lower, _NO + _YES))
_MOST_SHOWN = 12
_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:([.,'’ \u00a0\u202f])[0-9]{3})(?:\1[0-9]{3})*(?:[.,][0-9]+)?")
_AMOUNT = r"[0-9]+(?:[.,][0-9]+)?"
_WITH_UNIT = re.compile(rf"[^0-9+-]{{0,4}}[+-]?{_AMOUNT}\s*[^0-9\s]{{1,20}}|[^0-9\s+-]{{1,4}}\s*{_AMOUNT}")


def answer_cure(texts: Collection[str], answers: tuple[str, ...]) -> str:
    """Say what to do about texts that are none of the answers."""
    found = [_empty_cure(texts), _truth_cure(texts, answers), _case_cure(texts, answers)]
    told = " ".join(cure for cure in found if cure)
    return told or (
        "Correct it, add the answer to the study, or say what stands for an answer: aliases = "
        f"{{ {toml_value({answers[0]: ['…']})[2:-2]} }}."
    )


def number_cure(texts: Collection[str], lowest: object, highest: object, *, whole: bool) -> str:
    """Say what to do about texts that are no number of a range."""
    values = [number_text(text) for text in texts]
    found = [_empty_cure(texts)]
    if whole and any(value is not None and "." in value for value in values):
        found.append(
            'Round it to a whole number yourself, or ask with kind = "number", which takes decimals. A point between '
            "thousands is to be left out."
        )
    if any(_COMMA.fullmatch(text) for text in texts):
        found.append("If decimals have a comma, declare it with `decimal`; between thousands leave it out.")
    elif any(value is None and _THOUSANDS.fullmatch(text) for text, value in zip(texts, values, strict=True)):
        found.append("Write numbers without anything between thousands: 1234.")
    elif any(value is None and _WITH_UNIT.fullmatch(text) for text, value in zip(texts, values, strict=True)):
        found.append("Write the number alone, without a unit, a sign of currency or %.")
    if any(value is not None and (not whole or "." not in value) for value in values):
        found.append(f"Correct what is not from {lowest} to {highest}, or widen the range in the study.")
    return " ".join(cure for cure in found if cure) or (
        "Correct it, or say what stands for a number: aliases = " + toml_value({str(highest): ["…"]}) + "."
    )


def _empty_cure(texts: Collection[str]) -> str:
    if not any(text.lower() in _EMPTY for text in texts):
        return ""
    return 'If a text such as NA or -9 stands for no answer, declare it: missing = "hidden", missing_codes = ["NA"].'


def _truth_cure(texts: Collection[str], answers: tuple[str, ...]) -> str:
    if len(answers) != 2 or not any(text.lower() in _TRUTHS for text in texts):
        return ""
    first, second = answers
    if first.lower() in map(str.lower, _YES):
        no, yes = second, first
    elif first.lower() in map(str.lower, _NO) or second.lower() in map(str.lower, _YES):
        no, yes = first, second
    else:
        return (
            "If 0 and 1, or true and false, stand for the answers, say which: "
            f"aliases = {toml_value({first: ['0', 'false'], second: ['1', 'true']})}, or the other way round."
        )
    spellings = {
        no: [text for text in _NO if text not in answers],
        yes: [text for text in _YES if text not in answers],
    }
    return f"If such texts stand for the answers, say so in the study: aliases = {toml_value(spellings)}."


def _case_cure(texts: Collection[str], answers: tuple[str, ...]) -> str:
    if _truth_cure(texts, answers):
        return ""
    spellings = {answer: _spellings(answer, answers) for answer in answers}
    variants = {text for found in spellings.values() for text in found}
    lowered = {answer.casefold() for answer in answers}
    if not any(text.casefold() in lowered for text in texts):
        return ""
    if not variants & set(texts) or len(answers) > _MOST_SHOWN:
        return "Some differ from an answer in capital letters only: write them as the study does."
    return (
        "Some differ from an answer in capital letters only: write them as the study does, or declare them: aliases = "
        f"{toml_value({answer: found for answer, found in spellings.items() if found})}."
    )


def _spellings(answer: str, answers: tuple[str, ...]) -> list[str]:
    """Return an answer in small letters, in capitals, and with one at its beginning or at each word's."""
    found = (answer.lower(), answer.upper(), answer[:1].upper() + answer[1:].lower(), answer.title())
    return [text for text in dict.fromkeys(found) if text not in answers]
