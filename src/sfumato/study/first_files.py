"""The text of a first study file, with comments that say what every key means and how to add to it."""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.study.questions import Count, FreeText, Question, YesNo
from sfumato.study.studies import Study, has_card
from sfumato.study.study_files import SCHEMA
from sfumato.study.toml_tables import decimal_text, toml_number, toml_text

_KINDS = {
    "yes-no": "two answers",
    "one-of-many": "one of a list",
    "count": "a whole number",
    "text": "any short text",
    "recoverable": "a part is told",
}
_MORE = """
# Another question: take away the first # of each line, and change the words. Every id names a column of the answers.
#
# [[questions]]
# id = "transport"
# text = "How do you get to work?"
# kind = "one-of-many"                 # one of a list
# answers = ["on foot", "bicycle", "car", "bus or train", "prefer not to answer"]
# epsilon = 1                          # this question's own ceiling: nobody sees it sharper
#
# [[questions]]
# id = "children"
# text = "How many children do you have?"
# kind = "count"                       # a whole number
# lowest = 0
# highest = 6
# points = 2                           # rounded at random to so many values; 2 is best for a mean, 7 shows each number
# epsilon = 1
"""


def first_file(study: Study) -> str:
    """Return a commented file of a study with one question; reading it gives the same study."""
    (question,) = study.questions
    lines = [
        f"schema = {toml_text(SCHEMA):28}  # how this file is to be read",
        f"name = {toml_text(study.name)}",
        "# population = 1000                   # how many will be asked: `sfumato plan` then says how exact it gets",
    ]
    if not has_card(question):
        lines += _levels(study)
    return "\n".join([*lines, *_question(question)]) + "\n" + _MORE


def _levels(study: Study) -> list[str]:
    public = toml_number(decimal_text(study.public_epsilon or Fraction(1)))
    lines = [
        "",
        "[public]",
        "# What everybody sees of each answer without a key: 0.5 is strong privacy, 1 usual, 2 mild. Over several",
        "# questions it adds up.",
        f"epsilon = {public}",
        "",
        "[registrar]",
        "# With true, a registrar gets a key that gives the answers themselves back.",
        f"recover = {'true' if study.recover else 'false'}",
    ]
    if study.analysts:
        lines += ["", "# Each analyst gets a key and sees every answer as sharply as their epsilon says."]
    else:
        lines += [
            "",
            "# Somebody who may see more gets a key, and an epsilon above the public's:",
            "#",
            "# [[analysts]]",
            '# name = "ministry"',
            f"# epsilon = {math.ceil(study.public_epsilon or 1) + 1}",
        ]
    for analyst in study.analysts:
        epsilon = toml_number(decimal_text(analyst.epsilon))
        lines += ["[[analysts]]", f"name = {toml_text(analyst.name)}", f"epsilon = {epsilon}", ""]
    return lines[:-1] if study.analysts else lines


def _question(question: Question) -> list[str]:
    lines = [
        "",
        "[[questions]]",
        f"id = {toml_text(question.id):32}  # names the column with the answers",
        f"text = {toml_text(question.text)}",
    ]
    if isinstance(question, Count):
        return [
            *lines,
            f"kind = {toml_text(question.kind):30}  # {_KINDS[question.kind]}",
            f"lowest = {question.lowest}",
            f"highest = {question.highest}",
            f"points = {question.points:<28}  # rounded at random to so many values; 2 is best for a mean",
        ]
    if isinstance(question, FreeText):
        return [
            *lines,
            f"kind = {toml_text(question.kind):30}  # {_KINDS[question.kind]}",
            f"longest = {question.longest:<27}  # bytes",
            f"keep = {question.keep:<30}  # so many of the most frequent are looked for",
        ]
    lines += [
        f"kind = {toml_text(question.kind):30}  # {_KINDS[question.kind]}",
        f"answers = {toml_text(list(question.answers))}"
        + ('  # "no" first; the share of the second is estimated' if isinstance(question, YesNo) else ""),
    ]
    if isinstance(question, YesNo) and question.limits is not None:
        lines += [
            "# Asked with a card: the best guess of an answer stays wrong at least this often (0.5 is a coin toss).",
            f"guess_error = {toml_number(decimal_text(question.limits.guess_error))}",
            "# Under this promise alone, some reports prove their answer. With a limit on ε none does:",
            "# max_epsilon = 2",
            "# faces = 1000                       # then the draw is made in so many steps, by phone",
            "# expected_share = 0.1               # what you expect, and",
            "# half_width = 0.02                  # how exact it should get: the plan says how many to ask",
        ]
    return lines
