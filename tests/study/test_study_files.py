"""A study file reads back as it was written, or is refused with a sentence that names file, line and way out."""

from dataclasses import fields, replace
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings

from sample_files import FULL, GOOD
from sfumato.errors import InvalidInput, UnknownSchema
from sfumato.files.documents import line_of
from sfumato.study import Analyst, AskIf, Card, Count, OneOfMany, Study, YesNo, fingerprint, read_study, write_study
from sfumato.study.file import as_document, as_toml, study_from
from study_strategies import studies


def read(folder, text):
    path = folder / "study.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_study(path)


def test_everything_is_read(tmp_path):
    assert read(tmp_path, GOOD) == Study(
        name="Marriage survey",
        population=6366,
        public_epsilon=Fraction(1, 2),
        recover=True,
        analysts=(Analyst(name="ministry", epsilon=Fraction(2)), Analyst(name="university", epsilon=Fraction(1))),
        questions=(
            YesNo(id="affair", text="Have you had an affair?"),
            OneOfMany(
                id="occupation",
                text="What is your occupation?",
                answers=("student", "farming", "white-collar", "teacher", "managerial", "professional"),
            ),
            Count(id="children", text="How many children do you have?", highest=6, points=4),
            Card(id="faith", text="Are you religious?", guess_error=Fraction(3, 8), max_epsilon=Fraction(2)),
        ),
    )


def test_inline_tables_and_dotted_keys_are_the_same_study(tmp_path):
    text = """schema = "sfumato/study/2"
name = "Short"
public.epsilon = "1/3"
registrar = { recover = false }
questions = [{ id = "a", text = "A?", kind = "yes-no" }]
"""
    assert read(tmp_path, text) == Study(
        name="Short", public_epsilon=Fraction(1, 3), questions=(YesNo(id="a", text="A?"),)
    )


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(study=studies())
def test_what_is_written_reads_back(tmp_path_factory, study):
    path = tmp_path_factory.mktemp("study") / "study.toml"
    write_study(study, path)
    again = read_study(path)
    assert again == study
    assert fingerprint(again) == fingerprint(study)
    assert study_from(as_document(study)) == study
    assert as_toml(again) == path.read_text(encoding="utf-8")


OTHER = {
    "name": "Else", "population": 11, "public_epsilon": Fraction(2, 5), "recover": False, "analysts": (), "id": "other",
    "text": "Else?", "epsilon": Fraction(3, 4), "faces": 200, "outputs": 2, "random_bits": Fraction(3), "lowest": -3,
    "highest": 15, "points": 3, "longest": 9, "keep": 21, "guess_error": Fraction(3, 10), "weight": Fraction(1, 2),
    "max_epsilon": Fraction(3), "expected_share": Fraction(1, 4), "half_width": Fraction(1, 50),
    "theta_1": Fraction(1, 9), "theta_2": Fraction(1, 6), "error": Fraction(1, 30), "confidence": Fraction(9, 10),
    "missing": "public", "ask_if": AskIf(column="country", answers=("FR",)),
    "rho": Fraction(4, 5), "tell": ("u", "v", "v"), "probabilities": (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)),
}  # fmt: skip


def changed_studies():
    """Yield FULL with every single field of it and of its parts changed, one at a time."""
    for name in ("name", "population", "public_epsilon", "recover", "analysts"):
        yield name, replace(FULL, **{name: OTHER[name]})
    yield "questions", replace(FULL, questions=FULL.questions[1:])
    yield "order of questions", replace(FULL, questions=FULL.questions[::-1])
    for name in ("name", "epsilon"):
        value = {"name": "b", "epsilon": Fraction(3)}[name]
        yield f"analyst {name}", replace(FULL, analysts=(replace(FULL.analysts[0], **{name: value}),))
    for place, question in enumerate(FULL.questions):
        for made in changed_questions(question):
            questions = (*FULL.questions[:place], made, *FULL.questions[place + 1 :])
            yield f"{question.id}: {made}", replace(FULL, questions=questions)


def changed_questions(question):
    for field in fields(question):
        if field.name == "answers":
            yield replace(question, answers=("p", "q") if len(question.answers) == 2 else ("x", "z", "y"))
        elif field.name == "aliases":
            yield replace(question, aliases={getattr(question, "answers", ("5",))[0]: ("stands for it",)})
        elif field.name == "goal":
            tested = ("theta_1", "theta_2", "error") if question.goal.is_test else ("half_width",)
            for name in ("expected_share", "confidence", *tested):
                yield replace(question, goal=replace(question.goal, **{name: OTHER[name]}))
        elif field.name == "missing_codes":
            yield replace(question, missing="public", missing_codes=("NA",))
        else:
            yield replace(question, **{field.name: OTHER[field.name]})


def test_the_fingerprint_changes_with_every_field(tmp_path):
    found = {fingerprint(FULL): "FULL"}
    for what, study in changed_studies():
        digest = fingerprint(study)
        assert digest not in found, f"{what} has the fingerprint of {found.get(digest)}"
        found[digest] = what
        write_study(study, tmp_path / "s.toml")
        assert read_study(tmp_path / "s.toml") == study
    assert len(found) >= 45


# What is replaced in GOOD, by what, the line that must be named, and words of the refusal and of the way out.
BAD = [
    ('schema = "sfumato/study/2"', 'schema = "sfumato/study/3"', 1, "sfumato/study/2", "Upgrade"),
    ('schema = "sfumato/study/2"', 'schema = "sfumato/study/1"', 1, "older than sfumato/study/2", "Write"),
    ('schema = "sfumato/study/2"', 'schema = "acme/study"', 1, "schema", "Add it"),
    ('schema = "sfumato/study/2"', "schema = 2", 1, "schema", "Add it"),
    ('name = "Marriage survey"', 'name = ""', 2, "name must not be empty", "plain text"),
    ('name = "Marriage survey"', "name = 5", 2, "name must be text", "quotes"),
    ('name = "Marriage survey"', 'name = "two\\nlines"', 2, "control character", "one line"),
    ('name = "Marriage survey"', 'nmae = "Marriage survey"', 2, "nmae is not a key of the study", "Use only: schema"),
    ("population = 6366", "population = 0", 3, "population=0", "Move"),
    ("population = 6366", "population = 63.66", 3, "population must be a whole number", "without quotes"),
    ("population = 6366", 'population = "many"', 3, "whole number", "without quotes"),
    ("[public]\nepsilon = 0.5", "[public]\nepsilon = 0", 6, "[0.001, 20]", "smaller is more private"),
    ("[public]\nepsilon = 0.5", '[public]\nepsilon = "half"', 6, "not a number", "Write it like"),
    ("[public]\nepsilon = 0.5", "[public]\nepsilon = nan", 6, "not finite", "Check how"),
    ("[public]\nepsilon = 0.5", "[public]\neps = 0.5", 6, "eps is not a key of [public]", "Use only: epsilon"),
    ("[public]\nepsilon = 0.5", "[public]\nepsilon = 3", 13, "would see less than the public", "Raise one"),
    ("[public]\nepsilon = 0.5\n", "public = 0.5\n\n", 5, "must be a table", "Write [public]"),
    ("[public]\nepsilon = 0.5\n", "\n\n", 11, "a study with analysts", "Give [public] epsilon"),
    ("recover = true", 'recover = "yes"', 9, "true or false", "without quotes"),
    ("recover = true", "recovers = true", 9, "recovers is not a key of [registrar]", "Use only: recover"),
    ('name = "ministry"', 'name = "the ministry"', 12, "letters, digits", "names the file"),
    ('name = "ministry"', 'name = "Registrar"', 12, "not 'registrar'", "names the file"),
    ('name = "ministry"', 'name = "University"', 16, "same name", "Rename one"),
    ('name = "ministry"', f'name = "{"é" * 60}"', 12, "100 bytes", "Shorten it"),
    ('name = "ministry"\n', "# no name\n", 11, "lacks the key name", "Add it"),
    ("epsilon = 2.0", "epsilon = 21", 13, "epsilon=21", "Around 1 is usual"),
    ("epsilon = 1.0", "epsilon = 1,0", 17, "at line 17", "Correct it there"),
    ('[[analysts]]\nname = "ministry"', '[analysts]\nname = "ministry"', 15, "at line 15", "Correct it there"),
    ('id = "affair"', 'id = "1st"', 20, "begin with a letter", "names the column"),
    ('id = "affair"', 'id = "Children"', 32, "same id", "Rename one"),
    ('id = "affair"\n', "\n", 19, "lacks the key id", "Add it"),
    ('text = "Have you had an affair?"', 'text = " "', 21, "must not be empty", "plain text"),
    ('text = "Have you had an affair?"', f'text = "{"x" * 2001}"', 21, "2001 characters", "Shorten it"),
    ('kind = "yes-no"\n\n', 'kind = "yes/no"\n\n', 22, "kind is none of", "Write one of these"),
    ('kind = "yes-no"\n\n', "kind = 1\n\n", 22, "kind must be text", "quotes"),
    ('kind = "yes-no"\n\n', "\n\n", 19, "needs a kind", "'count'"),
    ('kind = "yes-no"\n\n', 'kind = "yes-no"\nfaces = 6\n', 23, "faces belongs to a card", "guess_error"),
    ('kind = "yes-no"\n\n', 'kind = "yes-no"\nweight = 0.4\n', 23, "weight belongs to a card", "Give one of the two"),
    ('kind = "yes-no"\n\n', 'kind = "yes-no"\nanswers = ["no", "no"]\n', 23, "two different texts", "Give for"),
    ('kind = "yes-no"\n\n', 'kind = "yes-no"\npoints = 2\n', 23, "points is not a key of a question", "Use only: id"),
    ('           "teacher", ', '           "teacher", "farming", ', 28, "same answer twice", "List each once"),
    ('           "teacher", ', '           "teacher", 7, ', 28, "answers must be text", "quotes"),
    ('"professional"]', '"professional"', 31, "at line 31", "Correct it there"),
    ("highest = 6", "highest = 0", 35, "highest must be above `lowest`", "Give the range"),
    ("highest = 6", "highest = 6.5", 35, "whole number", "without quotes or point"),
    ("highest = 6\n", "\n", 31, "needs highest", "Add it"),
    ("points = 4", "points = 5", 36, "do not spread evenly", "Move `highest`"),
    ("points = 4", "points = 1", 36, "points=1", "Move `points`"),
    ("points = 4", "points = 4\npoints = 4", 37, "at line 37", "Correct it there"),
    ("guess_error = 0.375", "guess_error = 0.6", 42, "guess_error", ""),
    ("guess_error = 0.375", "guess_error = 37.5", 42, "[0, 1]", "Write a share"),
    ("guess_error = 0.375", 'guess_error = "37,5"', 42, "decimal comma", "Write a point"),
    ("guess_error = 0.375", "guess_error = 0.375\nepsilon = 1", 43, "does not go with `guess_error`", "Delete one"),
    ("guess_error = 0.375", "guess_error = 0.375\ndelta = 0.25", 43, "delta belongs to a card", "Give one of the two"),
    ('kind = "yes-no"\n\n', 'kind = "yes-no"\ntheta_1 = 0.1\n', 23, "theta_1 belongs to a card", "Give one of the two"),
    ("guess_error = 0.375", "guess_error = 0.375\nhalf_width = 2", 43, "half_width=2", "Write a share"),
    ('kind = "yes-no"\n\n', 'kind = "yes-no"\nepsilon = 1\ntheta_1 = 0.1\n', 23, "does not go with `theta_1`", ""),
    ("max_epsilon = 2\n", "max_epsilon = -1\n", 43, "max_epsilon=-1", "leave out `max_epsilon`"),
    ("max_epsilon = 2\n", "outputs = 2\n", 43, "outputs=2 needs `expected_share`", "use three outputs"),
    ("max_epsilon = 2\n", 'max_epsilon = "2', 43, "at end of document", "Correct it there"),
]  # fmt: skip


@pytest.mark.parametrize("case", BAD, ids=[f"{i}: {new[:40]!r}" for i, (_, new, *_) in enumerate(BAD)])
def test_a_refusal_names_file_line_and_way_out(tmp_path, case):
    old, new, line, sentence, way_out = case
    assert old in GOOD
    with pytest.raises(InvalidInput) as refused:
        read(tmp_path, GOOD.replace(old, new, 1))
    said = str(refused.value)
    assert str(tmp_path / "study.toml") in said
    assert f"line {line}" in said.replace(",", " ").replace(":", " "), said
    assert sentence in said
    assert way_out in said
    assert "\n" not in said
    assert said.count("file ") <= 1 + said.count("the file ") + said.count("study file ") + said.count("a file")
    assert said.endswith(".")


def test_what_has_no_line(tmp_path):
    for text, word in (
        ("", "empty"),
        ('schema = "sfumato/study/2"\nname = "x"\n', "lacks the key questions"),
        ('name = "x"\n', "schema"),
        (b"\xff\xfe", "UTF-8"),
    ):
        with pytest.raises(InvalidInput, match=word):
            read(tmp_path, text)
    with pytest.raises(UnknownSchema, match="sfumato/study/2"):
        read(tmp_path, 'schema = ["sfumato/study/2"]\n')


def test_lines_are_found_past_strings_and_lists_that_look_like_tables():
    text = '''name = """
[[questions]]
id = "no"
"""  # [[questions]]
list = ["[public]", # a ] comment
  "x"]
[[ questions ]]
  "id" = 'a # b'
[other]
id = 1
[["questions"]]
id = "c"
'''
    assert line_of(text, "questions", 0, None) == 7
    assert line_of(text, "questions", 0, "id") == 8
    assert line_of(text, "questions", 1, "id") == 12
    assert line_of(text, "questions", 1, "text") == 11
    assert line_of(text, "questions", 2, "id") is None
    assert line_of(text, "", 0, "list") == 5
    assert line_of(text, "public", 0, "epsilon") is None
    assert line_of(text.replace("\n", "\r\n"), "questions", 1, "id") == 12
