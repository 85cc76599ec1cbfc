"""The published JSON Schema is the one that the code makes, and refuses what the reader refuses."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator

from sfumato.errors import InvalidInput
from sfumato.study.cells import NO_ANSWER_KEYS
from sfumato.study.file import SECTIONS, STUDY_KEYS, as_toml, read_study, study_schema, study_schema_text
from sfumato.study.kinds.registry import HEADING, kinds
from sfumato.study.planning import plan_study
from study_strategies import studies

ROOT = Path(__file__).parents[2]
VALIDATOR = Draft202012Validator(study_schema())

GOOD = """schema = "sfumato/study/2"
name = "Poll"
[public]
epsilon = "1/2"
[[analysts]]
name = "ministry"
epsilon = 2
[[questions]]
id = "a"
text = "A?"
kind = "yes-no"
[[questions]]
id = "b"
text = "B?"
kind = "count"
highest = 5
"""


def test_the_published_file_is_what_the_code_makes():
    """If not: write sfumato.study.file.study_schema_text() into the file."""
    assert (ROOT / "docs" / "reference" / "study.schema.json").read_text(encoding="utf-8") == study_schema_text()


def test_it_is_a_schema():
    Draft202012Validator.check_schema(study_schema())
    assert json.loads(study_schema_text()) == study_schema()


def keys_of_questions():
    """Each key of a question with its words, and the kinds that have it."""
    found = {}
    for kind, classes in kinds().items():
        for one in classes:
            for key in (*one.KEYS, *NO_ANSWER_KEYS):
                found.setdefault((key.name, key.words), {})[kind] = None
    return {words: tuple(where) for words, where in found.items()}


def test_every_key_of_the_reader_is_described_and_no_other():
    described = {
        name for entry in study_schema()["properties"]["questions"]["items"]["oneOf"] for name in entry["properties"]
    }
    assert described == {name for name, _ in keys_of_questions()} | set(HEADING)
    assert set(STUDY_KEYS) == set(SECTIONS) | {"questions"}
    assert set(study_schema()["properties"]) == described - {"text"} | set(STUDY_KEYS) | {"question"}
    words = [text for _, text in keys_of_questions()]
    assert all(text.endswith(".") for text in (*words, *(entry["description"] for entry in SECTIONS.values())))


def rows_of_the_reference():
    """Each key as the reference has to say it, in the words of the schema."""
    for key, entry in SECTIONS.items():
        inner = entry.get("items", entry).get("properties")
        head = f"[[{key}]]" if "items" in entry else f"[{key}]"
        if inner is None:
            yield f"| `{key}` | {entry['description']} |"
        else:
            yield from (f"| `{head}` `{name}` | {part['description']} |" for name, part in inner.items())
    for (name, words), where in keys_of_questions().items():
        is_shared = name in {key.name for key in NO_ANSWER_KEYS}
        yield f"| `{name}` | {'all' if is_shared else ', '.join(where)} | {words} |"


@pytest.mark.parametrize("row", list(rows_of_the_reference()))
def test_the_reference_has_every_key(row):
    page = (ROOT / "docs" / "reference" / "files.md").read_text(encoding="utf-8")
    assert row in page.splitlines()


def test_the_study_in_the_reference_is_one(tmp_path):
    page = (ROOT / "docs" / "reference" / "files.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    assert len(plan_study(read_study(tmp_path / "study.toml")).questions) == 4
    VALIDATOR.validate(tomllib.loads(text))


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(study=studies())
def test_valid_studies_validate(study):
    VALIDATOR.validate(tomllib.loads(as_toml(study)))


BAD = {
    "an unknown key": ("[public]", "colour = 1\n[public]"),
    "an unknown key of a question": ('id = "a"', 'id = "a"\ncolour = 1'),
    "a key of another kind": ('kind = "yes-no"', 'kind = "yes-no"\nhighest = 5'),
    "an unknown key of an analyst": ('name = "ministry"', 'name = "ministry"\nrole = "boss"'),
    "an unknown key of the public": ("[public]", "[public]\ncolour = 1"),
    "an unknown kind": ('kind = "yes-no"', 'kind = "maybe"'),
    "no kind": ('kind = "yes-no"', ""),
    "a kind that is a number": ('kind = "yes-no"', "kind = 1"),
    "a missing id": ('id = "a"', ""),
    "a missing highest": ("highest = 5", ""),
    "a missing epsilon": ("epsilon = 2", ""),
    "no name": ('name = "Poll"', ""),
    "another schema": ('"sfumato/study/2"', '"sfumato/study/9"'),
    "text for a whole number": ("highest = 5", 'highest = "5"'),
    "a decimal for a whole number": ("highest = 5", "highest = 5.5"),
    "a number for text": ('text = "A?"', "text = 7"),
    "true for a number": ("epsilon = 2", "epsilon = true"),
    "words for a number": ('epsilon = "1/2"', 'epsilon = "a half"'),
    "a fraction by zero": ('epsilon = "1/2"', 'epsilon = "1/0"'),
    "an epsilon out of range": ("epsilon = 2", "epsilon = 21"),
    "an id with a blank": ('id = "a"', 'id = "a b"'),
    "an id that names rows": ('id = "a"', 'id = "row"'),
    "an id that names parts": ('id = "a"', 'id = "Part"'),
    "three answers to yes/no": ('kind = "yes-no"', 'kind = "yes-no"\nanswers = ["a", "b", "c"]'),
    "two equal answers": ('kind = "yes-no"', 'kind = "yes-no"\nanswers = ["a", "a"]'),
    "two promises": ('kind = "yes-no"', 'kind = "yes-no"\nguess_error = 0.3\nepsilon = 1'),
    "a limit without its promise": ('kind = "yes-no"', 'kind = "yes-no"\nmax_epsilon = 2'),
    "two guess errors": ('kind = "yes-no"', 'kind = "yes-no"\nguess_error = 0.3\ndelta = 0.4'),
    "a test without a card": ('kind = "yes-no"', 'kind = "yes-no"\ntheta_1 = 0.1\ntheta_2 = 0.2'),
    "a question beside the list": ('name = "Poll"', 'name = "Poll"\nquestion = "Q?"'),
    "a key of a question beside the list": ('name = "Poll"', 'name = "Poll"\nguess_error = 0.3'),
    "a long question": ('text = "A?"', f'text = "{"x" * 2001}"'),
}


SHORT = """schema = "sfumato/study/2"
name = "Poll"
question = "A?"
guess_error = "3/8"
"""
BAD_SHORT = {
    "an unknown key": ("guess_error", "colour = 1\nguess_error"),
    "an unknown kind": ("guess_error", 'kind = "maybe"\nguess_error'),
    "an id with a blank": ("guess_error", 'id = "a b"\nguess_error'),
    "a number for text": ('"A?"', "7"),
    "words for a number": ('"3/8"', '"some"'),
    "no question": ('question = "A?"\n', ""),
    "its text twice": ("guess_error", 'text = "B?"\nguess_error'),
}


def check_both_refuse(path, good, old, new):
    assert old in good
    path.write_text(good)
    read_study(path)
    VALIDATOR.validate(tomllib.loads(good))
    text = good.replace(old, new, 1)
    path.write_text(text)
    assert not VALIDATOR.is_valid(tomllib.loads(text))
    with pytest.raises(InvalidInput):
        read_study(path)


@pytest.mark.parametrize("case", BAD)
def test_schema_and_reader_refuse_the_same(tmp_path, case):
    check_both_refuse(tmp_path / "study.toml", GOOD, *BAD[case])


@pytest.mark.parametrize("case", BAD_SHORT)
def test_they_do_of_a_question_written_short(tmp_path, case):
    check_both_refuse(tmp_path / "study.toml", SHORT, *BAD_SHORT[case])
