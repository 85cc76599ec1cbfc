"""The text of a first study file, with comments that say what every key means and how to add to it."""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.files.toml_tables import toml_text, toml_value
from sfumato.study.studies import Study
from sfumato.study.study_files import SCHEMA
from sfumato.study.ways import Missing, Question
from sfumato.study.ways.no_answer import gap_sentences, no_answer_entries

_COLUMN = 38
_MORE = """
# Another question: take away the first # of each line, and change the words. Every id names a column of the answers.
#
# [[questions]]
# id = "transport"
# text = "How do you get to work?"
# kind = "one-of-many"                 # one of a list
# answers = ["on foot", "bicycle", "car", "bus or train"]
# epsilon = 1                          # this question's own ceiling: nobody sees it sharper
# missing = "hidden"
#
# [[questions]]
# id = "children"
# text = "How many children do you have?"
# kind = "count"                       # a whole number
# lowest = 0
# highest = 6
# points = 2                           # rounded at random to so many values; 2 is best for a mean, 7 shows each number
# epsilon = 1
# missing = "hidden"
"""


def first_file(study: Study) -> str:
    """Return a commented file of a study with one question; reading it gives the same study."""
    (question,) = study.questions
    lines = [
        _line(f"schema = {toml_text(SCHEMA)}", "how this file is to be read"),
        f"name = {toml_text(study.name)}",
        "# population = 1000                   # how many will be asked: `sfumato plan` then says how exact it gets",
    ]
    if study.public_epsilon is not None:
        lines += _levels(study)
    return "\n".join([*lines, *_question(question)]) + "\n" + _MORE


def _levels(study: Study) -> list[str]:
    public = study.public_epsilon or Fraction(1)
    lines = [
        "",
        "[public]",
        "# What everybody sees of each answer without a key: 0.5 is strong privacy, 1 usual, 2 mild. Over several",
        "# questions it adds up.",
        f"epsilon = {toml_value(public)}",
        "",
        "[registrar]",
        "# With true, a registrar gets a key that gives the answers themselves back.",
        f"recover = {toml_value(study.recover)}",
    ]
    if not study.analysts:
        return [
            *lines,
            "",
            "# Somebody who may see more gets a key, and an epsilon above the public's:",
            "#",
            "# [[analysts]]",
            '# name = "ministry"',
            f"# epsilon = {math.ceil(public) + 1}",
        ]
    lines += ["", "# Each analyst gets a key and sees every answer as sharply as their epsilon says."]
    for analyst in study.analysts:
        lines += ["[[analysts]]", f"name = {toml_text(analyst.name)}", f"epsilon = {toml_value(analyst.epsilon)}", ""]
    return lines[:-1]


def _question(question: Question) -> list[str]:
    return [
        "",
        "[[questions]]",
        _line(f"id = {toml_text(question.id)}", "names the column with the answers"),
        f"text = {toml_text(question.text)}",
        _line(f"kind = {toml_text(question.kind)}", question.HEADLINE),
        *(_line(entry, comment) for entry, comment in question.first_lines()),
        *_no_answer(question),
    ]


def _no_answer(question: Question) -> list[str]:
    """Say what an empty cell means, and what may be written instead."""
    found = [_line(f"{key} = {toml_value(value)}", "") for key, value in no_answer_entries(question).items()]
    if question.missing is None:
        return found
    said = gap_sentences(question)[-1]
    other = {
        Missing.HIDDEN: '"public" leaves the cell empty for everybody to see, and counts those who answered.',
        Missing.PUBLIC: 'Texts that mean no answer are listed: missing_codes = ["NA"]',
    }[Missing(question.missing)]
    return [f"# {said}", f"# {other}", *found]


def _line(entry: str, comment: str) -> str:
    if not entry:
        return f"# {comment}"
    return f"{entry:{_COLUMN}} # {comment}" if comment else entry
