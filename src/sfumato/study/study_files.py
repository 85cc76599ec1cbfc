"""Studies on disk: TOML with one schema, read by one reader.

A study of one question may be written short: `question = "…"` in place of the list, with the keys of that question
beside it. A refusal names the file, the line where there is one, the key, and what to write instead.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from sfumato.errors import InvalidInput, Place, UnknownSchema, UnreadableFile
from sfumato.files import read_bytes, write_atomically
from sfumato.files.csv_tables import decode_text
from sfumato.files.json_documents import check_schema
from sfumato.files.toml_lines import line_of
from sfumato.files.toml_tables import is_tables, parse_toml, plain_value, toml_value
from sfumato.study.audience import Analyst
from sfumato.study.collect_terms import COLLECT_KEYS, KEY_FILE, CollectTerms, key_entry, key_file, read_terms
from sfumato.study.studies import DisclosedColumns, Study
from sfumato.study.ways import HEADING, kinds, read_question
from sfumato.study.ways.keys import as_flag, as_number, as_text, as_texts, as_whole, check_table
from sfumato.study.ways.no_answer import NO_ANSWER_KEYS, no_answer_entries
from sfumato.study.ways.question import Question

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
        line = line_of(text, key, 0, None)  # a table that nobody knows
    return Place(file=str(path), line=line, table=place.table, index=place.index, key=place.key)
