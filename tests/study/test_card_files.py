"""A study file is read exactly or refused with a sentence that names the key; nothing else ever happens."""

import contextlib
import json
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damaged_files import mutations
from sfumato.design import spinner_card, survey
from sfumato.errors import InvalidInput, InvalidParameter, UnknownSchema, UnreadableFile
from sfumato.study import Plan, StudyLimits, Survey, read_survey, write_survey
from sfumato.study.survey_files import STUDY_LIMIT_BYTES

HEAD = 'schema = "sfumato/study/1"\nname = "Overtime"\nquestion = "Overtime?"\n'
LIMITS = "[limits]\nguess_error = 0.375\n"
GOOD = HEAD + LIMITS
FULL = """schema = "sfumato/study/1"
name = "Überstunden"
question = "Unpaid \\"overtime\\"?"
answers = ["nein", "ja"]
outputs = 2
faces = 1_000
[limits]
delta = 2.5e-1
weight = "9/20"
max_epsilon = 2
[plan]
expected_share = 0.1
theta_1 = 0.1
theta_2 = 0.2
error = 0.01
confidence = 0.9
"""


def read(folder, text):
    path = folder / "study.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_survey(path)


def test_the_least_study_and_its_defaults(tmp_path):
    assert read(tmp_path, GOOD) == Survey(
        name="Overtime",
        question="Overtime?",
        answers=("no", "yes"),
        limits=StudyLimits(guess_error=Fraction(3, 8), weight=Fraction(1, 2), max_epsilon=None),
        outputs=3,
        faces=None,
        plan=Plan(confidence=Fraction(19, 20)),
    )


def test_every_key_is_read_exactly(tmp_path):
    study = read(tmp_path, "\ufeff" + FULL)
    assert (study.name, study.question, study.answers) == ("Überstunden", 'Unpaid "overtime"?', ("nein", "ja"))
    assert (study.outputs, study.faces) == (2, 1000)
    assert study.limits == StudyLimits(guess_error=Fraction(3, 8), weight=Fraction(9, 20), max_epsilon=Fraction(2))
    tenth = Fraction(1, 10)
    assert study.plan == Plan(
        expected_share=tenth, theta_1=tenth, theta_2=2 * tenth, error=tenth**2, confidence=9 * tenth
    )


def test_the_design_is_the_designers_own(tmp_path):
    design = read(tmp_path, GOOD).design()
    assert design.channel == survey(guess_error=Fraction(3, 8)).channel
    limited = read(tmp_path, GOOD + "max_epsilon = 1.5\n")
    assert limited.design().channel == survey(guess_error=Fraction(3, 8), max_epsilon=1.5).channel
    played = read(tmp_path, HEAD + "faces = 100\n" + LIMITS + "max_epsilon = 1.5\n").design()
    assert spinner_card(played.channel).faces == 100
    two = read(tmp_path, HEAD + "outputs = 2\n" + LIMITS + "[plan]\nexpected_share = 0.9\n").design()
    assert two.channel == survey(guess_error=Fraction(3, 8), outputs=2, theta=Fraction(9, 10)).channel


shares = st.fractions(0, 1, max_denominator=997)
inner = shares.filter(lambda value: 0 < value < 1)
# Any line of text that is not blank at its ends and holds nothing that moves a cursor.
lines = st.text(
    st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp", "Cn", "Cf")), min_size=1, max_size=30
).filter(lambda text: text == text.strip() and text != "either")


@st.composite
def studies(draw):
    error = draw(st.fractions(Fraction(1, 100), Fraction(49, 100), max_denominator=997))
    limits = StudyLimits(
        guess_error=error,
        weight=draw(st.fractions(error, 1 - error, max_denominator=997).filter(lambda w: error <= w <= 1 - error)),
        max_epsilon=draw(st.none() | st.fractions(Fraction(1, 10), 10, max_denominator=997)),
    )
    goals = st.one_of(
        st.just({}),
        st.fractions(Fraction(1, 500), Fraction(1, 2), max_denominator=997).map(lambda half: {"half_width": half}),
        st.tuples(inner, inner)
        .filter(lambda pair: pair[0] != pair[1])
        .map(lambda pair: {"theta_1": pair[0], "theta_2": pair[1], "error": Fraction(1, 7)}),
    )
    answers = draw(st.lists(lines, min_size=2, max_size=2, unique=True))
    return Survey(
        name=draw(lines),
        question=draw(lines),
        answers=tuple(answers),
        limits=limits,
        outputs=draw(st.sampled_from([2, 3])),
        faces=draw(st.none() | st.integers(2, 10_000)),
        plan=Plan(
            expected_share=draw(shares),
            confidence=draw(st.fractions(Fraction(1, 2), Fraction(99, 100), max_denominator=997)),
            **draw(goals),
        ),
    )


@settings(suppress_health_check=list(HealthCheck), max_examples=150)
@given(study=studies())
def test_written_and_read_back_it_is_the_same_study(tmp_path, study):
    path = tmp_path / "again.toml"
    write_survey(study, path)
    assert read_survey(path) == study


BAD = [
    ("", UnreadableFile, "is empty"),
    (b"\xff\xfe", UnreadableFile, "not UTF-8"),
    ("report\nyes\n", UnreadableFile, "line 1, column 7.*comes before the reports"),
    (GOOD + "x = " + "[" * 5000, UnreadableFile, "too deeply"),
    (GOOD + "weight = " + "9" * 5000, UnreadableFile, "not a study in TOML"),
    (GOOD.replace("study/1", "study/2"), UnknownSchema, "sfumato/study/2.*Upgrade"),
    (GOOD.replace("study/1", "channel/1"), UnknownSchema, "sfumato/study/1"),
    (GOOD.split("\n", 1)[1], UnknownSchema, "sfumato/study/1"),
    ("colour = 1\n" + GOOD, UnreadableFile, "'colour'.*Use only: schema, name, question, answers"),
    (GOOD + "epsilon = 1\n", UnreadableFile, r"\[limits\].*'epsilon'.*guess_error, delta, weight, max_epsilon"),
    (GOOD + "[plan]\nn = 5\n", UnreadableFile, r"\[plan\].*'n'.*expected_share, half_width"),
    (HEAD, UnreadableFile, "lacks the key limits"),
    (GOOD.replace('name = "Overtime"\n', ""), UnreadableFile, "lacks the key name"),
    (HEAD + "limits = 3\n", UnreadableFile, r"limits must be a table.*\[limits\]"),
    (HEAD.replace('"Overtime"', "3") + LIMITS, InvalidParameter, "name must be text"),
    (HEAD.replace('"Overtime"', "3.5") + LIMITS, InvalidParameter, "name must be text"),
    (HEAD.replace('"Overtime"', '" "') + LIMITS, InvalidParameter, "name must not be empty"),
    (HEAD.replace('"Overtime?"', '"a\\nb"') + LIMITS, InvalidParameter, "question holds a line break"),
    (HEAD.replace('"Overtime?"', '"a\\u202Eb"') + LIMITS, InvalidParameter, "question holds a line break or a control"),
    (HEAD.replace('"Overtime?"', f'"{"a" * 2001}"') + LIMITS, InvalidParameter, "2001 characters and may have 2000"),
    (HEAD + 'answers = "no"\n' + LIMITS, InvalidParameter, "answers must be a list of two"),
    (HEAD + 'answers = ["no", "yes", "?"]\n' + LIMITS, InvalidParameter, "answers must be a list of two"),
    (HEAD + 'answers = ["no", "no"]\n' + LIMITS, InvalidParameter, "two different texts"),
    (HEAD + 'answers = ["no", "either"]\n' + LIMITS, InvalidParameter, "'either'"),
    (HEAD + "answers = [0, 1]\n" + LIMITS, InvalidParameter, "answers must be text"),
    (HEAD + "outputs = 4\n" + LIMITS, InvalidParameter, "outputs=4"),
    (HEAD + "outputs = 3.0\n" + LIMITS, InvalidParameter, "outputs must be a whole number"),
    (HEAD + "outputs = true\n" + LIMITS, InvalidParameter, "outputs must be a whole number"),
    (HEAD + "outputs = 2\n" + LIMITS, InvalidParameter, "outputs=2 needs expected_share"),
    (HEAD + "faces = 1\n" + LIMITS, InvalidParameter, "faces=1"),
    (HEAD + f"faces = {10**30}\n" + LIMITS, InvalidParameter, "faces is too large"),
    (HEAD + "[limits]\n", InvalidParameter, "either guess_error or delta"),
    (GOOD + "delta = 0.25\n", InvalidParameter, "either guess_error or delta"),
    (HEAD + "[limits]\ndelta = 1\n", InvalidParameter, "delta=1 must lie strictly between 0 and 1"),
    (HEAD + "[limits]\ndelta = 0.0\n", InvalidParameter, "delta=0 must lie strictly between 0 and 1"),
    (HEAD + "[limits]\nguess_error = 0.5\n", InvalidParameter, "guess_error=0.5 must lie strictly"),
    (HEAD + "[limits]\nguess_error = -0.1\n", InvalidParameter, r"guess_error=-0.1 must lie in \[0, 1\]"),
    (HEAD + "[limits]\nguess_error = nan\n", InvalidParameter, "guess_error is not finite"),
    (HEAD + "[limits]\nguess_error = inf\n", InvalidParameter, "guess_error is not finite"),
    (HEAD + "[limits]\nguess_error = 1e-300\n", InvalidParameter, "guess_error has more digits"),
    (HEAD + '[limits]\nguess_error = "much"\n', InvalidParameter, "guess_error is not a number"),
    (HEAD + '[limits]\nguess_error = "1/0"\n', InvalidParameter, "guess_error divides by zero"),
    (HEAD + "[limits]\nguess_error = [0.1]\n", InvalidParameter, "guess_error must be a number"),
    (HEAD + "[limits]\nguess_error = 2025-01-01\n", InvalidParameter, "guess_error must be a number"),
    (GOOD + "weight = 0.2\n", InvalidParameter, r"weight=0.2 must lie in \[a, 1-a\] = \[0.375, 0.625\]"),
    (GOOD + "max_epsilon = 0\n", InvalidParameter, "max_epsilon=0 must be a positive"),
    (GOOD + "max_epsilon = 30\n", InvalidParameter, "max_epsilon=30"),
    (GOOD + "[plan]\nexpected_share = 10\n", InvalidParameter, r"expected_share=10 must lie in \[0, 1\]"),
    (GOOD + "[plan]\nhalf_width = 0.9\n", InvalidParameter, "half_width=0.9"),
    (GOOD + "[plan]\nhalf_width = 0.1\ntheta_1 = 0.1\ntheta_2 = 0.2\n", InvalidParameter, "one of the two"),
    (GOOD + "[plan]\ntheta_1 = 0.1\n", InvalidParameter, "both theta_1 and theta_2"),
    (GOOD + "[plan]\ntheta_1 = 0.1\ntheta_2 = 0.1\n", InvalidParameter, "nothing to tell apart"),
    (GOOD + "[plan]\ntheta_1 = 0.0\ntheta_2 = 0.1\n", InvalidParameter, "theta_1=0 must lie strictly"),
    (GOOD + "[plan]\ntheta_1 = 0.1\ntheta_2 = 0.2\nerror = 0.7\n", InvalidParameter, "error=0.7"),
    (GOOD + "[plan]\nerror = 0.1\n", InvalidParameter, "error belongs to a test"),
    (GOOD + "[plan]\nconfidence = 0.2\n", InvalidParameter, "confidence"),
    (GOOD + "[plan]\nconfidence = 1\n", InvalidParameter, "confidence"),
]


@pytest.mark.parametrize(("text", "kind", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_studies_are_refused_by_name(tmp_path, text, kind, sentence):
    with pytest.raises(kind, match=f"(?s){sentence}") as refusal:
        read(tmp_path, text)
    assert "study.toml" in str(refusal.value)
    assert str(refusal.value).rstrip(']"').endswith((".", "yes"))


def test_a_large_file_is_refused_before_it_is_read(tmp_path):
    with pytest.raises(UnreadableFile, match="at most 65536"):
        read(tmp_path, GOOD + "# " + "x" * STUDY_LIMIT_BYTES)


def read_or_refuse(path):
    try:
        study = read_survey(path)
    except InvalidInput:
        return False
    assert isinstance(study, Survey)
    return True


def test_the_originals_are_read(tmp_path):
    """Else the mutations would start from refusals, and show nothing."""
    for text in (GOOD, FULL):
        path = tmp_path / "study.toml"
        path.write_text(text)
        assert read_or_refuse(path)


@settings(suppress_health_check=list(HealthCheck), max_examples=300)
@given(
    data=st.one_of(
        mutations([GOOD.encode(), FULL.encode()]),
        st.binary(max_size=200),
        st.text(max_size=100).map(lambda t: t.encode("utf-8", "replace")),
    )
)
def test_any_bytes_are_read_or_refused(tmp_path, data):
    path = tmp_path / "study.toml"
    path.write_bytes(data)
    read_or_refuse(path)


values = st.one_of(
    st.integers().map(str),
    st.floats().map(repr),
    st.booleans().map(lambda value: str(value).lower()),
    st.text(max_size=5).map(json.dumps),
    st.sampled_from(["[]", "{}", '["no", "yes"]', "0.375", "0.1", '"1/3"', "1979-05-27", "[[1]]", "1e-9"]),
)


@settings(suppress_health_check=list(HealthCheck), max_examples=300)
@given(
    top=st.dictionaries(st.sampled_from(["name", "question", "answers", "outputs", "faces", "x"]), values),
    limits=st.dictionaries(st.sampled_from(["guess_error", "delta", "weight", "max_epsilon", "x"]), values),
    plan=st.dictionaries(
        st.sampled_from(["expected_share", "half_width", "theta_1", "theta_2", "error", "confidence"]), values
    ),
)
def test_any_document_with_our_keys_is_read_or_refused(tmp_path, top, limits, plan):
    """Random bytes are hardly ever TOML; here every document is, with a schema that fits."""
    path = tmp_path / "study.toml"
    top = {"name": '"n"', "question": '"q"'} | top
    limits = limits or {"guess_error": "0.375"}
    tables = [("", top), ("\n[limits]\n", limits), ("\n[plan]\n", plan)]
    text = 'schema = "sfumato/study/1"\n' + "".join(
        head + "".join(f"{key} = {value}\n" for key, value in table.items()) for head, table in tables
    )
    path.write_text(text, encoding="utf-8", errors="replace")
    if read_or_refuse(path):
        with contextlib.suppress(InvalidInput):
            read_survey(path).design()
