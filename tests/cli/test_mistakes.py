"""Ten mistakes that people who run surveys make: each gets one or two sentences that name what to change.

The exit code is 2, nothing is written, no traceback is shown and no answer is repeated.
"""

import re
import shlex

import pytest

SECRET = "zebra"  # noqa: S105  an answer that nobody may see
STUDY = """\
schema = "sfumato/study/2"
name = "Housing"
[public]
epsilon = 1
[registrar]
recover = true
[[questions]]
id = "moved"
text = "Have you moved?"
kind = "yes-no"
[[questions]]
id = "mood"
text = "How are you?"
kind = "one-of-many"
answers = ["good", "fair", "poor"]
[[questions]]
id = "rooms"
text = "How many rooms?"
kind = "count"
highest = 10
"""
ANSWERS = "region,moved,mood,rooms\nnorth,no,good,3\nnorth,yes,fair,4\nsouth,no,poor,5\nsouth,yes,good,2\n"
PUBLISH = "publish answers.csv --study study.toml --out reports.parquet --keys keys --unprotected"

# What was done: the command, what is changed in the study and in the answers, and what the sentence names.
MISTAKES = {
    "a column is called otherwise than its question": (PUBLISH, {}, {"mood": "Mood"}, "column 'mood'"),
    "an answer is not in the list": (PUBLISH, {}, {"fair": SECRET}, "column mood, row 2"),
    "a word stands for a number": (PUBLISH, {}, {"fair,4": f"fair,{SECRET}"}, "column rooms, row 2"),
    "a row has too many cells": (PUBLISH, {}, {"fair": f"fair, {SECRET}"}, "row 2 has 5 cells"),
    "a key of the study is mistyped": (PUBLISH, {"answers =": "answer ="}, {}, "answer is not a key"),
    "a percentage stands for a number": (PUBLISH, {"epsilon = 1": 'epsilon = "50%"'}, {}, "epsilon"),
    "a question is kept in public": (PUBLISH + " --keep moved", {}, {}, "--keep 'moved'"),
    "there is no folder for the keys": (PUBLISH.replace(" --keys keys", ""), {}, {}, "--keys"),
    "the answers are given as the study": ("plan answers.csv", {}, {}, "file answers.csv, line 1"),
    "the encoding is mistyped": (PUBLISH + " --encoding latin1252", {}, {}, "--encoding 'latin1252'"),
}


def changed(text, changes):
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_a_sentence_and_no_answer_is_told(sfumato, tmp_path, mistake):
    command, in_study, in_answers, named = MISTAKES[mistake]
    files = {"study.toml": changed(STUDY, in_study), "answers.csv": changed(ANSWERS, in_answers)}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = sfumato(*shlex.split(command))
    said = done.stderr.strip()
    assert done.returncode == 2, said
    assert done.stdout == ""
    assert named in said
    assert len(re.findall(r"[.!?](?=\s|$)", said)) <= 2, said
    assert "Traceback" not in said
    assert SECRET not in said
    assert {path.name for path in tmp_path.iterdir()} == set(files), "something was written"
