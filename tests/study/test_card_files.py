"""A card in a study file, written short or in the list: read exactly, or refused with a sentence that names the key."""

import contextlib
import json
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damaged_files import mutations
from sfumato.errors import InvalidInput, InvalidParameter, UnknownSchema, UnreadableFile
from sfumato.study import Card, Goal, Study, YesNo, read_study, write_study
from sfumato.study.file import STUDY_LIMIT_BYTES, as_toml
from sfumato.surveys import spinner_card, survey
from study_strategies import cards, lines

HEAD = 'schema = "sfumato/study/2"\nname = "Overtime"\nquestion = "Overtime?"\n'
PROMISE = "guess_error = 0.375\n"
GOOD = HEAD + PROMISE
LISTED = """schema = "sfumato/study/2"
name = "Overtime"
[[questions]]
id = "answer"
kind = "yes-no"
text = "Overtime?"
guess_error = 0.375
"""
FULL = """schema = "sfumato/study/2"
name = "Überstunden"
question = "Unpaid \\"overtime\\"?"
id = "late"
answers = ["nein", "ja"]
outputs = 2
faces = 1_000
delta = 2.5e-1
weight = "9/20"
max_epsilon = 2
expected_share = 0.1
theta_1 = 0.1
theta_2 = 0.2
error = 0.01
confidence = 0.9
"""
TENTH = Fraction(1, 10)


def read(folder, text):
    path = folder / "study.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_study(path)


def read_card(folder, text):
    (card,) = read(folder, text).questions
    return card


@pytest.mark.parametrize("text", [GOOD, LISTED], ids=["short", "listed"])
def test_the_least_card_and_its_defaults(tmp_path, text):
    assert read(tmp_path, text) == Study(
        name="Overtime",
        questions=(
            Card(
                id="answer",
                text="Overtime?",
                answers=("no", "yes"),
                guess_error=Fraction(3, 8),
                weight=Fraction(1, 2),
                max_epsilon=None,
                outputs=3,
                faces=None,
                goal=Goal(confidence=Fraction(19, 20)),
            ),
        ),
    )


def test_every_key_is_read_exactly(tmp_path):
    study = read(tmp_path, "\ufeff" + FULL)
    assert study.name == "Überstunden"
    assert study.questions == (
        Card(
            id="late",
            text='Unpaid "overtime"?',
            answers=("nein", "ja"),
            outputs=2,
            faces=1000,
            guess_error=Fraction(3, 8),
            weight=Fraction(9, 20),
            max_epsilon=Fraction(2),
            goal=Goal(
                expected_share=TENTH, theta_1=TENTH, theta_2=2 * TENTH, error=TENTH**2, confidence=9 * TENTH
            ),
        ),
    )  # fmt: skip


def test_any_one_question_may_be_written_short(tmp_path):
    short = HEAD + "epsilon = 1\nhalf_width = 0.02\n"
    goal = Goal(half_width=Fraction(1, 50))
    assert read_card(tmp_path, short) == YesNo(id="answer", text="Overtime?", epsilon=Fraction(1), goal=goal)
    assert read(tmp_path, HEAD + "[public]\nepsilon = 1\n").public_epsilon == 1
    listed = as_toml(read(tmp_path, HEAD + 'kind = "count"\nhighest = 5\nepsilon = 1\n'))
    assert "[[questions]]" in listed
    assert 'kind = "count"' in listed


def test_the_design_is_the_designers_own(tmp_path):
    assert read_card(tmp_path, GOOD).design().channel == survey(guess_error=Fraction(3, 8)).channel
    limited = read_card(tmp_path, GOOD + "max_epsilon = 1.5\n")
    assert limited.design().channel == survey(guess_error=Fraction(3, 8), max_epsilon=1.5).channel
    played = read_card(tmp_path, GOOD + "faces = 100\nmax_epsilon = 1.5\n")
    assert spinner_card(played.design().channel).faces == 100
    two = read_card(tmp_path, GOOD + "outputs = 2\nexpected_share = 0.9\n")
    assert two.design().channel == survey(guess_error=Fraction(3, 8), outputs=2, theta=Fraction(9, 10)).channel
    both = (read_card(tmp_path, HEAD + promise) for promise in ("delta = 0.25\n", 'guess_error = "3/8"\n'))
    assert next(both) == next(both)


@st.composite
def studies(draw):
    return Study(name=draw(lines), questions=(draw(cards("answer")),))


def written_short(text):
    """The same file with its only question beside the name."""
    return text.replace("[[questions]]\n", "").replace("\ntext = ", "\nquestion = ")


@settings(suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_written_and_read_back_it_is_the_same_study(tmp_path, data):
    try:
        study = data.draw(studies())
    except InvalidParameter:  # limits that no card can keep
        return
    write_study(study, tmp_path / "again.toml")
    assert read_study(tmp_path / "again.toml") == study
    assert read(tmp_path, written_short(as_toml(study))) == study


NO_LINE = None
# The file, the class of the refusal, the line that it names, and its words.
BAD = [
    ("", UnreadableFile, NO_LINE, "is empty"),
    (b"\xff\xfe", UnreadableFile, NO_LINE, "not UTF-8"),
    ("report\nyes\n", UnreadableFile, 1, "line 1, column 7.*comes before the reports"),
    (GOOD + "x = " + "[" * 5000, UnreadableFile, NO_LINE, "too deeply"),
    (GOOD + "weight = " + "9" * 5000, UnreadableFile, NO_LINE, "this is not TOML"),
    (GOOD.replace("study/2", "study/3"), UnknownSchema, 1, "sfumato/study/3.*newer.*Upgrade"),
    (GOOD.replace("study/2", "study/1"), UnknownSchema, 1, "sfumato/study/1.*older.*Write the file again"),
    (GOOD.replace("study/2", "channel/1"), UnknownSchema, 1, "sfumato/study/2"),
    (GOOD.split("\n", 1)[1], UnknownSchema, NO_LINE, "sfumato/study/2"),
    (
        "colour = 1\n" + GOOD,
        UnreadableFile,
        1,
        "colour is not a key of a study.*Use only: schema, name.*question, id",
    ),
    (GOOD + "epsilon = 1\n", InvalidParameter, 5, "epsilon does not go with `guess_error`.*Delete one"),
    (GOOD.replace("question =", "popluation = 5\nquestion ="), UnreadableFile, 3, "popluation is not a key of a study"),
    (GOOD + "[limits]\nguess_error = 0.1\n", UnreadableFile, 5, "limits is not a key.*Use only"),
    (GOOD + "[[questions]]\n", UnreadableFile, 3, "question stands beside the list.*under \\[\\[questions\\]\\]"),
    (GOOD + 'text = "Late?"\n', UnreadableFile, 5, "text is what `question` says already"),
    (HEAD, InvalidParameter, 3, "question 'answer' promises nothing.*guess_error for a card"),
    (GOOD.replace('name = "Overtime"\n', ""), UnreadableFile, NO_LINE, "lacks the key name"),
    (HEAD.replace('"Overtime"', "3") + PROMISE, InvalidParameter, 2, "name must be text"),
    (HEAD.replace('"Overtime"', "3.5") + PROMISE, InvalidParameter, 2, "name must be text"),
    (HEAD.replace('"Overtime"', '" "') + PROMISE, InvalidParameter, 2, "name must not be empty"),
    (HEAD.replace('"Overtime?"', "3") + PROMISE, InvalidParameter, 3, "question must be text"),
    (HEAD.replace('"Overtime?"', '"a\\nb"') + PROMISE, InvalidParameter, 3, "question holds a line break"),
    (HEAD.replace('"Overtime?"', '"a\\u202Eb"') + PROMISE, InvalidParameter, 3, "question holds a line break or a"),
    (
        HEAD.replace('"Overtime?"', f'"{"a" * 2001}"') + PROMISE,
        InvalidParameter,
        3,
        "2001 characters and may have 2000",
    ),
    (HEAD + 'answers = "no"\n' + PROMISE, InvalidParameter, 4, "answers must be a list of texts"),
    (HEAD + 'answers = ["no", "yes", "?"]\n' + PROMISE, InvalidParameter, 4, "answers .*two different texts"),
    (HEAD + 'answers = ["no", "no"]\n' + PROMISE, InvalidParameter, 4, "two different texts"),
    (HEAD + 'answers = ["no", "either"]\n' + PROMISE, InvalidParameter, 4, "'either'"),
    (HEAD + "answers = [0, 1]\n" + PROMISE, InvalidParameter, 4, "answers must be text"),
    (HEAD + "outputs = 4\n" + PROMISE, InvalidParameter, 4, "outputs=4"),
    (HEAD + "outputs = 3.0\n" + PROMISE, InvalidParameter, 4, "outputs must be a whole number"),
    (HEAD + "outputs = true\n" + PROMISE, InvalidParameter, 4, "outputs must be a whole number"),
    (HEAD + "outputs = 2\n" + PROMISE, InvalidParameter, 4, "outputs=2 needs `expected_share`"),
    (HEAD + "faces = 1\n" + PROMISE, InvalidParameter, 4, "faces=1"),
    (HEAD + f"faces = {10**30}\n" + PROMISE, InvalidParameter, 4, "faces is too large"),
    (HEAD + "weight = 0.4\n", InvalidParameter, 4, "weight belongs to a card.*either `guess_error` or `delta`"),
    (HEAD + "theta_1 = 0.1\n", InvalidParameter, 4, "theta_1 belongs to a card.*either `guess_error` or `delta`"),
    (GOOD + "delta = 0.25\n", InvalidParameter, 5, "delta belongs to a card.*either `guess_error` or `delta`"),
    (HEAD + "delta = 1\n", InvalidParameter, 4, "delta=1 must lie strictly between 0 and 1"),
    (HEAD + "delta = 0.0\n", InvalidParameter, 4, "delta=0 must lie strictly between 0 and 1"),
    (HEAD + "guess_error = 0.5\n", InvalidParameter, 4, "guess_error=0.5 must lie strictly"),
    (HEAD + "guess_error = -0.1\n", InvalidParameter, 4, r"guess_error=-0.1 must lie in \[0, 1\]"),
    (HEAD + "guess_error = nan\n", InvalidParameter, 4, "guess_error is not finite"),
    (HEAD + "guess_error = inf\n", InvalidParameter, 4, "guess_error is not finite"),
    (HEAD + "guess_error = 1e-300\n", InvalidParameter, 4, "guess_error has more digits"),
    (HEAD + 'guess_error = "much"\n', InvalidParameter, 4, "guess_error is not a number"),
    (HEAD + 'guess_error = "1/0"\n', InvalidParameter, 4, "guess_error divides by zero"),
    (HEAD + "guess_error = [0.1]\n", InvalidParameter, 4, "guess_error must be a number"),
    (HEAD + "guess_error = 2025-01-01\n", InvalidParameter, 4, "guess_error must be a number"),
    (GOOD + "weight = 0.2\n", InvalidParameter, 5, r"weight=0.2 must lie in \[a, 1-a\] = \[0.375, 0.625\]"),
    (GOOD + "max_epsilon = 0\n", InvalidParameter, 5, "max_epsilon=0 must be a positive"),
    (GOOD + "max_epsilon = 30\n", InvalidParameter, 5, "max_epsilon=30"),
    (GOOD + "expected_share = 10\n", InvalidParameter, 5, r"expected_share=10 must lie in \[0, 1\]"),
    (GOOD + "half_width = 0.9\n", InvalidParameter, 5, "half_width=0.9"),
    (GOOD + "theta_1 = 0.1\ntheta_2 = 0.2\nhalf_width = 0.1\n", InvalidParameter, 7, "two different goals.*one of"),
    (GOOD + "theta_1 = 0.1\n", InvalidParameter, 5, "both `theta_1` and `theta_2`"),
    (GOOD + "theta_1 = 0.1\ntheta_2 = 0.1\n", InvalidParameter, 6, "nothing to tell apart"),
    (GOOD + "theta_1 = 0.0\ntheta_2 = 0.1\n", InvalidParameter, 5, "theta_1=0 must lie strictly"),
    (GOOD + "theta_1 = 0.1\ntheta_2 = 0.2\nerror = 0.7\n", InvalidParameter, 7, "error=0.7"),
    (GOOD + "error = 0.1\n", InvalidParameter, 5, "error belongs to a test"),
    (GOOD + "confidence = 0.2\n", InvalidParameter, 5, "confidence"),
    (GOOD + "confidence = 1\n", InvalidParameter, 5, "confidence"),
]


@pytest.mark.parametrize(("text", "kind", "line", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_cards_are_refused_by_name_and_line(tmp_path, text, kind, line, sentence):
    with pytest.raises(kind, match=f"(?s){sentence}") as refusal:
        read(tmp_path, text)
    said = str(refusal.value)
    assert said.startswith(f"file {tmp_path / 'study.toml'}{':' if line is None else f', line {line}:'} "), said
    assert said.rstrip(']"').endswith((".", "yes"))


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (text, line, sentence)
        for text, _, line, sentence in BAD
        if isinstance(text, str) and text.startswith(HEAD) and line is not None and "question" not in sentence
    ],
)
def test_the_same_is_refused_in_a_list(tmp_path, text, line, sentence):
    """The keys of the question move under [[questions]], and the line moves with them."""
    listed = HEAD.replace("question =", '[[questions]]\nid = "answer"\nkind = "yes-no"\ntext =') + text[len(HEAD) :]
    with pytest.raises(InvalidInput, match=f"(?s){sentence}") as refusal:
        read(tmp_path, listed)
    assert refusal.value.place.line == line + 3


def test_a_large_file_is_refused_before_it_is_read(tmp_path):
    with pytest.raises(UnreadableFile, match=f"at most {STUDY_LIMIT_BYTES}"):
        read(tmp_path, GOOD + "# " + "x" * STUDY_LIMIT_BYTES)


def read_or_refuse(path):
    try:
        study = read_study(path)
    except InvalidInput:
        return False
    assert isinstance(study, Study)
    return True


def test_the_originals_are_read(tmp_path):
    """Else the mutations would start from refusals, and show nothing."""
    for text in (GOOD, FULL, LISTED):
        path = tmp_path / "study.toml"
        path.write_text(text)
        assert read_or_refuse(path)


@settings(suppress_health_check=list(HealthCheck))
@given(
    data=st.one_of(
        mutations([GOOD.encode(), FULL.encode(), LISTED.encode()]),
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
OWN = ["answers", "outputs", "faces", "guess_error", "delta", "weight", "max_epsilon", "epsilon", "kind", "id", "x"]
GOALS = ["expected_share", "half_width", "theta_1", "theta_2", "error", "confidence"]


@settings(suppress_health_check=list(HealthCheck))
@given(
    top=st.dictionaries(st.sampled_from(["name", "text"]), values),
    own=st.dictionaries(st.sampled_from(OWN), values),
    goal=st.dictionaries(st.sampled_from(GOALS), values),
    is_short=st.booleans(),
)
def test_any_document_with_our_keys_is_read_or_refused(tmp_path, top, own, goal, is_short):
    """Random bytes are hardly ever TOML; here every document is, with a schema that fits."""
    path = tmp_path / "study.toml"
    top = {"name": '"n"', "text": '"q"'} | top
    own = own or {"guess_error": "0.375"}
    head = {"name": top["name"]} | ({"question": top["text"]} if is_short else {})
    rest = ({} if is_short else {"id": '"a"', "kind": '"yes-no"', "text": top["text"]}) | own | goal
    tables = [("", head), ("" if is_short else "[[questions]]\n", rest)]
    text = 'schema = "sfumato/study/2"\n' + "".join(
        above + "".join(f"{key} = {value}\n" for key, value in table.items()) for above, table in tables
    )
    path.write_text(text, encoding="utf-8", errors="replace")
    if read_or_refuse(path):
        with contextlib.suppress(InvalidInput):
            read_study(path).handlers[0].certificate()
