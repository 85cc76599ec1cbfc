"""Study files: reading, writing, the fingerprint, the first commented file and the JSON Schema.

A study of one question has a short form: `question = "…"` in place of the list, with the keys of that question beside
it. A refusal names the file, the line where there is one, the key, and a valid value.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from sfumato.errors import InvalidInput, Place, UnknownSchema, UnreadableFile
from sfumato.files.disk import read_bytes, write_atomically
from sfumato.files.documents import check_schema, is_tables, line_of, parse_toml, plain_value, toml_text, toml_value
from sfumato.files.texts import decode_text
from sfumato.keys.shares import Kem
from sfumato.study.cells import IDENTIFIER, NO_ANSWER_KEYS, Missing, gap_sentences, no_answer_entries
from sfumato.study.collect_terms import (
    COLLECT_KEYS,
    KEY_FILE,
    CollectTerms,
    Mode,
    Paper,
    key_entry,
    key_file,
    read_terms,
)
from sfumato.study.fields import (
    LONGEST,
    MOST_EPSILON,
    Key,
    as_flag,
    as_number,
    as_text,
    as_texts,
    as_whole,
    check_table,
    line_schema,
    number_key,
)
from sfumato.study.kinds.registry import HEADING, kinds, read_question
from sfumato.study.question import Question
from sfumato.study.readers import Analyst
from sfumato.study.study import MOST_ANALYSTS, MOST_QUESTIONS, DisclosedColumns, Study

T = TypeVar("T")

SCHEMA = "sfumato/study/2"
# A hundred thousand answers of forty letters.
STUDY_LIMIT_BYTES = 2**23
SHORT = "question"
"""The key by which one question is written short."""
SHORT_ID = "answer"

STUDY_KEYS = (
    "schema",
    "name",
    "population",
    "questions",
    "analysts",
    "public",
    "registrar",
    "disclosure",
    "budget",
    "collect",
)
ANALYST_KEYS = ("name", "epsilon")


def read_study(path: str | Path, *, limit_bytes: int = STUDY_LIMIT_BYTES) -> Study:
    """Read a study; whatever is wrong is refused with a sentence that names line and key.

    Returns:
        The study.

    Raises:
        UnreadableFile: it is no TOML, or not there.
        InvalidParameter: a key or a value cannot be used; the line is named.

    >>> import pathlib, tempfile
    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "study.toml"
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> sf.write_study(study, path)
    >>> sf.read_study(path) == study
    True
    """
    text = decode_text(read_bytes(path, limit_bytes=limit_bytes), path)
    document = parse_toml(text, path)
    try:
        check_schema(document, path, kind="study", version=2)
    except UnknownSchema as error:
        raise error.at(Place(file=str(path), line=line_of(text, "", 0, "schema"), key="schema")) from None
    try:
        return study_from(document, Path(path).parent)
    except InvalidInput as error:
        if error.place is not None and error.place.file is not None:  # in a file that the study names
            raise
        found = error.at(_in_file(error.place, text, path, is_short=SHORT in document))
        if SHORT in document and found.parameter == "text" and error.place and error.place.table == "questions":
            found.parameter = SHORT  # as it is called there
        raise found from None


def write_study(study: Study, path: str | Path) -> None:
    """Write a study so that reading it gives the same study; files that it names are written beside it.

    >>> import pathlib, tempfile
    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "study.toml"
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> sf.write_study(study, path)
    >>> path.read_text().splitlines()[1]
    'name = "Rest"'
    """
    write_beside(study, Path(path).parent)
    write_atomically(path, as_toml(study))


def write_beside(study: Study, folder: Path) -> None:
    """Write the files that reports of a study are read with into the folder where they are looked for."""
    for question in study.questions:
        for name, data in question.files_beside().items():
            if not (folder / name).exists():
                write_atomically(folder / name, data())


def fingerprint(study: Study) -> str:
    """Return 64 digits that differ whenever anything declared in the study does.

    Reports and keys carry it, so that they are read with the study that they were made for.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> other = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(2)),))
    >>> len(sf.study.fingerprint(study)), sf.study.fingerprint(study) == sf.study.fingerprint(other)
    (64, False)
    """
    return sha256(json.dumps(as_document(study), sort_keys=True).encode()).hexdigest()


def as_document(study: Study) -> dict[str, Any]:
    """Return the study as nested tables of texts, whole numbers and lists; decimals are exact text."""
    return {key: plain_value(value) for key, value in _tables(study, key_files=False).items()}


def as_toml(study: Study) -> str:
    """Return the study as a file."""
    document = _tables(study)
    lines = [f"{key} = {toml_value(value)}" for key, value in document.items() if not is_tables(value)]
    for name, value in document.items():
        for table in value if is_tables(value) and isinstance(value, list) else [value] if is_tables(value) else []:
            lines += ["", f"[[{name}]]" if isinstance(value, list) else f"[{name}]"]
            lines += [f"{key} = {toml_value(entry)}" for key, entry in table.items()]
    return "\n".join(lines) + "\n"


def study_from(document: Mapping[str, object], folder: Path | None = None, *, at_once: bool = True) -> Study:
    """Build a study from nested tables; an error knows the table and key it is about.

    Files that it names are found from a folder, and read `at_once` or when they are needed.
    """
    if SHORT in document:
        document = _written_out(document)
    with _about("", 0, document):
        check_table(document, "the study", STUDY_KEYS, ("name", "questions"))
        name = as_text(document["name"], "name")
        population = as_whole(document["population"], "population") if "population" in document else None
    public = _section(document, "public", ("epsilon",))
    registrar = _section(document, "registrar", ("recover", KEY_FILE))
    with _about("registrar", 0, registrar):
        recover = as_flag(registrar.get("recover", False), "recover")
        registrar_key = key_file(registrar)
    with _about("public", 0, public):
        public_epsilon = as_number(public["epsilon"], "epsilon") if "epsilon" in public else None
    disclosure = _read_disclosure(document)
    budget = _section(document, "budget", ("ledger",))
    with _about("budget", 0, budget):
        ledger = as_text(budget["ledger"], "ledger") if "ledger" in budget else None
    collect = _read_collect(document)
    read = functools.partial(read_question, folder=folder, at_once=at_once)
    questions = tuple(_each(document["questions"], "questions", read))
    analysts = tuple(_each(document.get("analysts", []), "analysts", _read_analyst))
    with _about("", 0, document):
        return Study(
            name=name,
            population=population,
            questions=questions,
            analysts=analysts,
            public_epsilon=public_epsilon,
            recover=recover,
            disclosure=disclosure,
            ledger=ledger,
            collect=collect,
            registrar_key=registrar_key,
        )


def _written_out(document: Mapping[str, object]) -> dict[str, object]:
    """Put the keys of a single question into a table of their own."""
    with _about("", 0, document):
        if "questions" in document:
            raise UnreadableFile(
                "stands beside the list of questions",
                parameter=SHORT,
                way_out="Write one question as `question`, or all of them under [[questions]].",
            )
        if "text" in document:
            raise UnreadableFile(
                "is what `question` says already", parameter="text", way_out="Write the question once, as `question`."
            )
        own = dict.fromkeys(key.name for classes in kinds().values() for one in classes for key in one.KEYS)
        shared = (key.name for key in NO_ANSWER_KEYS)
        known = (*(key for key in STUDY_KEYS if key != "questions"), SHORT, "id", "kind", *own, *shared)
        check_table(document, "a study of one question", known, ("name",))
    mine = {key: value for key, value in document.items() if key not in STUDY_KEYS and key != SHORT}
    asked = {"id": SHORT_ID, "kind": "yes-no", **mine, "text": document[SHORT]}
    return {key: value for key, value in document.items() if key in STUDY_KEYS} | {"questions": [asked]}


def _tables(study: Study, *, key_files: bool = True) -> dict[str, Any]:
    document: dict[str, Any] = {"schema": SCHEMA, "name": study.name}
    if study.population is not None:
        document["population"] = study.population
    if study.public_epsilon is not None:
        document["public"] = {"epsilon": study.public_epsilon}
    registrar = {"recover": True} if study.recover else {}
    if registrar or (key_files and study.registrar_key is not None):
        document["registrar"] = registrar | key_entry(study.registrar_key, shown=key_files)
    if study.disclosure is not None:
        document["disclosure"] = {"protect": list(study.disclosure.protect)}
        if study.disclosure.about is not None:
            document["disclosure"]["about"] = study.disclosure.about
    if study.ledger is not None:
        document["budget"] = {"ledger": study.ledger}
    if study.collect is not None:
        document["collect"] = study.collect.entries()
    if study.analysts:
        document["analysts"] = [
            {"name": a.name, "epsilon": a.epsilon} | key_entry(a.public_key, shown=key_files) for a in study.analysts
        ]
    document["questions"] = [_question_table(question) for question in study.questions]
    return document


def _question_table(question: Question) -> dict[str, Any]:
    heading = dict(zip(HEADING, (question.id, question.text, question.kind), strict=True))
    return {**heading, **question.entries(), **no_answer_entries(question)}


def _read_disclosure(document: Mapping[str, object]) -> DisclosedColumns | None:
    if "disclosure" not in document:
        return None
    table = _section(document, "disclosure", ("protect", "about"))
    with _about("disclosure", 0, table):
        check_table(table, "[disclosure]", ("protect", "about"), ("protect",))
        return DisclosedColumns(
            protect=as_texts(table["protect"], "protect"),
            about=as_text(table["about"], "about") if "about" in table else None,
        )


def _read_analyst(table: dict[str, object]) -> Analyst:
    check_table(table, "an analyst", (*ANALYST_KEYS, KEY_FILE), ANALYST_KEYS)
    return Analyst(
        name=as_text(table["name"], "name"),
        epsilon=as_number(table["epsilon"], "epsilon"),
        public_key=key_file(table),
    )


def _read_collect(document: Mapping[str, object]) -> CollectTerms | None:
    if "collect" not in document:
        return None
    table = _section(document, "collect", COLLECT_KEYS)
    with _about("collect", 0, table):
        return read_terms(table)


def _each(value: object, name: str, read: Callable[[dict[str, object]], T]) -> Iterable[T]:
    for index, table in enumerate(value if isinstance(value, list) else [value]):
        with _about(name, index, table if isinstance(table, dict) else {}):
            if not isinstance(value, list) or not isinstance(table, dict):
                raise UnreadableFile(
                    "must be a list of tables", parameter=name, way_out=f"Write [[{name}]] above each."
                )
            yield read(table)


def _section(document: Mapping[str, object], name: str, known: tuple[str, ...]) -> dict[str, object]:
    value = document.get(name, {})
    with _about(name, 0, value if isinstance(value, dict) else {}):
        if not isinstance(value, dict):
            raise UnreadableFile(
                "must be a table", parameter=name, way_out=f"Write [{name}] on a line of its own, its keys below."
            )
        check_table(value, f"[{name}]", known, ())
    return value


@contextmanager
def _about(table: str, index: int, keys: Iterable[str]) -> Iterator[None]:
    """Let an error know the table that it is about, and the key if it names one; what it knows already stays."""
    try:
        yield
    except InvalidInput as error:
        if error.place is not None:
            raise
        key = error.parameter if error.parameter in set(keys) else None
        raise error.at(Place(table=table, index=index, key=key)) from None


def _in_file(place: Place | None, text: str, path: str | Path, *, is_short: bool) -> Place:
    """Find the line of a table and key."""
    if place is None:
        return Place(file=str(path))
    table, key = place.table, place.key
    if is_short and table == "questions":
        table, key = "", SHORT if key in {None, "text"} else key
    line = line_of(text, table, place.index, key)
    if line is None and key is not None:
        line = line_of(text, key, 0, None)  # an unknown table
    return Place(file=str(path), line=line, table=place.table, index=place.index, key=place.key)


# --- The text of a first study file
# Comments explain each key and how to add to the file.


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


# --- The JSON Schema of study files
# For editors that complete and check TOML. It is made from the reader's own tables of keys and is published as
# `docs/reference/study.schema.json`. It describes single keys; rules that join several keys are checked by the reader.


_KEY_WORDS = (
    "The file of the public key that devices seal draws for, from the study's folder. Make it with `sfumato keys pair`."
)
DRAFT = "https://json-schema.org/draft/2020-12/schema"
_HEADING: dict[str, Any] = {
    "id": {
        "description": (
            "Names the question, and the column that holds its answers; not `row` or `part`, which name rows."
        ),
        "type": "string",
        "pattern": f"^{IDENTIFIER.pattern}$",
    },
    "text": {"description": "The question, as respondents read it.", **line_schema(LONGEST["text"])},
}


def _text_schema(words: str, most: int) -> Any:
    return {"description": words, **line_schema(most)}


def _epsilon_schema(words: str) -> Any:
    return number_key("epsilon", words, 0.001, MOST_EPSILON).described()


def _table_schema(words: str, properties: dict[str, Any], needed: tuple[str, ...] = ()) -> Any:
    made = {"description": words, "type": "object", "properties": properties, "additionalProperties": False}
    return {**made, "required": list(needed)} if needed else made


SECTIONS: dict[str, Any] = {
    "schema": {"description": "How the file is to be read.", "const": SCHEMA},
    "name": _text_schema("Name of the study.", LONGEST["name"]),
    "population": {
        "description": "How many will be asked; the plan then says how exact it gets.",
        "type": "integer",
        "minimum": 1,
        "maximum": 10**12,
    },
    "public": _table_schema(
        "What everybody sees without a key.",
        {"epsilon": _epsilon_schema("In nats: 0.5 is strong privacy, 1 usual, 2 mild.")},
    ),
    "registrar": _table_schema(
        "Who may get the answers back.",
        {
            "recover": {"description": "With true, a registrar's key recovers the answers.", "type": "boolean"},
            KEY_FILE: _text_schema(_KEY_WORDS, LONGEST[KEY_FILE]),
        },
    ),
    "disclosure": _table_schema(
        "Columns of which only the whole is told.",
        {
            "protect": {
                "description": "The columns that the release tells nothing about, each on its own.",
                "type": "array",
                "items": _text_schema("A column.", LONGEST["name"]),
                "uniqueItems": True,
                "minItems": 2,
            },
            "about": _text_schema("Tell most about this column.", LONGEST["name"]),
        },
        ("protect",),
    ),
    "budget": _table_schema(
        "Where releases are paid for.",
        {
            "ledger": _text_schema(
                "The ledger that every release of this study is debited to, from the study's folder. Make it with "
                "`sfumato budget init`.",
                LONGEST["ledger"],
            )
        },
    ),
    "collect": _table_schema(
        "How reports are collected over the web, by `sfumato serve`.",
        {
            "mode": {
                "description": "Whether a report can be linked to its person; anonymous where nothing is said.",
                "enum": list(Mode),
            },
            "recover": {
                "description": "With true, devices also send the registrar what gives the answers back.",
                "type": "boolean",
            },
            "kem": {
                "description": "How what analysts open is sealed; x25519 where nothing is said.",
                "enum": list(Kem),
            },
            "paper": {
                "description": "Who types in what was drawn by hand: an office, with one-time codes for sheets without "
                "names; or respondents with their token, which the server then sees with the report. Nobody where "
                "nothing is said.",
                "enum": list(Paper),
            },
            "asked_by": _text_schema("Who asks, for the first page that respondents see.", LONGEST["text"]),
            "about": _text_schema("What it is for, for that page.", LONGEST["text"]),
            "contact": _text_schema("Whom to ask, and where sheets of paper are returned to.", LONGEST["text"]),
        },
    ),
    "analysts": {
        "description": "Who gets a key, and how much it shows.",
        "type": "array",
        "maxItems": MOST_ANALYSTS,
        "items": {
            "type": "object",
            "properties": {
                "name": _text_schema("Names the analyst's key files: letters, digits, - and _.", LONGEST["name"]),
                "epsilon": _epsilon_schema("What this analyst sees of each question, in nats."),
                KEY_FILE: _text_schema(_KEY_WORDS, LONGEST[KEY_FILE]),
            },
            "required": list(ANALYST_KEYS),
            "additionalProperties": False,
        },
    },
}
"""What each key of a study may look like, but for its questions."""


def study_schema() -> dict[str, Any]:
    """Return the schema of study files as a document: with a list of questions, or with one written short."""
    listed = {
        "description": "What is asked, one table a question.",
        "type": "array",
        "minItems": 1,
        "maxItems": MOST_QUESTIONS,
        "items": {"oneOf": [_question_schema(one) for beside in kinds().values() for one in beside]},
    }
    properties = {key: listed if key == "questions" else SECTIONS[key] for key in STUDY_KEYS}
    short = {"description": "The only question, written short.", **line_schema(LONGEST["text"])}
    keys = {key.name: key for beside in kinds().values() for one in beside for key in (*one.KEYS, *NO_ANSWER_KEYS)}
    beside = {name: key.described() for name, key in sorted(keys.items())}
    return {
        "$schema": DRAFT,
        "title": f"Sfumato study file ({SCHEMA})",
        "type": "object",
        "properties": {**beside, "id": _HEADING["id"], "kind": {"enum": list(kinds())}, **properties, SHORT: short},
        "required": ["schema", "name"],
        "oneOf": [
            {"required": ["questions"], "not": {"anyOf": [{"required": [key]} for key in (SHORT, *beside)]}},
            {"required": [SHORT], "not": {"required": ["questions"]}},
        ],
        "additionalProperties": False,
    }


def study_schema_text() -> str:
    """Return the schema as the published file has it."""
    return json.dumps(study_schema(), ensure_ascii=False, indent=2) + "\n"


def _question_schema(one: type[Question]) -> dict[str, Any]:
    """The keys of a class; classes that share a kind differ by the keys that they need and lack."""
    keys: tuple[Key, ...] = (*one.KEYS, *NO_ANSWER_KEYS)
    document: dict[str, Any] = {
        "title": f"{one.KIND} ({one.HEADLINE})",
        "type": "object",
        "properties": {**_HEADING, "kind": {"const": one.KIND}, **{key.name: key.described() for key in keys}},
        "required": ["id", "text", "kind", *(key.name for key in keys if key.is_needed)],
        "additionalProperties": False,
    }
    if one.ONE_OF:
        document["oneOf"] = [{"required": [name]} for name in one.ONE_OF]
    return document
