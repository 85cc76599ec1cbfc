"""What fuzzing found, one minimal file each: it ended in a traceback, a hang or gigabytes before it got a sentence."""

import contextlib
import hashlib
import json
import resource
import sqlite3
import time
from fractions import Fraction

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
import sfumato_check
from fuzz import seeds
from fuzz.mutations import resealed
from fuzz.targets import read_certificate
from sfumato.errors import ClaimRefused, InvalidInput, InvalidLaw, InvalidParameter, SfumatoError, UnreadableFile
from sfumato.files.tables import as_arrow
from sfumato.ledger import Ledger
from sfumato.output import certificate_table
from sfumato.output.noise import query_tables
from sfumato.publications.registry import read_registry
from sfumato.publications.typed_reports import TypedReports
from sfumato.recoverable.query_files import read_query_design, read_query_table
from sfumato.study.file import read_study
from sfumato.workflows.disclosing import check_not_released
from small_studies import small_study

SOON = 5


@contextlib.contextmanager
def soon(most_mb=500):
    """Neither long nor large: in the processor's time, because machines are shared."""
    began, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert time.process_time() - began < SOON
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < most_mb * 1024


def edited_ledger(folder, *statements):
    """A ledger that somebody edited, its chain made again."""
    path = folder / "people.ledger"
    Ledger.create(path, leakage_bits=5).spend(sf.ledger.recoverable("Answers", 1), release_id="a")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as book:
        for statement in statements:
            book.execute(statement)
        digest = "0" * 64
        for number, text in book.execute("SELECT number, CAST(text AS BLOB) FROM records ORDER BY number").fetchall():
            digest = hashlib.sha256(f"{digest}\n".encode() + text).hexdigest()
            book.execute("UPDATE records SET digest = ? WHERE number = ?", (digest, number))
        book.execute("UPDATE head SET digest = ?", (digest,))
    return path


class TestLedgers:
    @pytest.mark.parametrize("charges", ["[]", "7", '"x"', "true", "null"])
    def test_charges_that_are_no_table(self, tmp_path, charges):
        paid = '{"leakage_bits":"1"}'
        new = f"replace(text, '{paid}', '{charges}')"
        change = f"UPDATE records SET text = {new} WHERE number = 1"  # noqa: S608  a file of the test's own
        with pytest.raises(UnreadableFile, match="damaged or changed"):
            Ledger(edited_ledger(tmp_path, change))

    def test_an_amount_of_a_billion_digits(self, tmp_path):
        change = "UPDATE records SET text = replace(text, ':\"1\"', ':\"1e999999999\"') WHERE number = 1"
        with soon(), pytest.raises(UnreadableFile, match="damaged or changed"):
            Ledger(edited_ledger(tmp_path, change))

    def test_a_damaged_byte_of_text(self, tmp_path):
        change = "UPDATE records SET text = CAST(substr(CAST(text AS BLOB), 1, 9) || x'ff' AS TEXT) WHERE number = 1"
        with pytest.raises(UnreadableFile, match="damaged or changed"):
            Ledger(edited_ledger(tmp_path, change))

    def test_a_damaged_byte_of_the_schema(self, tmp_path):
        """SQLite quotes it in its message, and Python cannot decode the message."""
        path = edited_ledger(tmp_path)
        path.write_bytes(path.read_bytes().replace(b"records (number", b"records \xbfnumber"))
        with pytest.raises(UnreadableFile, match="damaged or changed"):
            Ledger(path)


@pytest.mark.parametrize("columns", [[["a"]], [{"a": 1}], ["a", 7], "abc", 7])
def test_books_of_releases_whose_columns_are_no_texts(tmp_path, columns):
    path = tmp_path / "book.json"
    path.write_text(json.dumps({"schema": "sfumato/releases/1", "releases": [{"columns": columns, "release": "x"}]}))
    with pytest.raises(UnreadableFile, match="not a registry of releases"):
        check_not_released(path, ["a"], pa.table({"a": ["x"]}))


def certificate_with(path, change):
    """A certificate of a channel, changed and sealed again."""
    half = Fraction(1, 2)
    document = msgspec.json.decode(sf.certify(sf.Channel([[half, half], [half / 2, 3 * half / 2]])).to_json())
    change(document)
    document["digest"] = "sha256:" + "0" * 64
    path.write_bytes(resealed(msgspec.json.format(msgspec.json.encode(document, order="sorted"), indent=2) + b"\n"))
    return path


class TestCertificates:
    @pytest.mark.parametrize("value", ["3" * 400, "-" + "7" * 4000, "1/" + "3" * 400])
    def test_a_fraction_beyond_floats_is_shown_and_refused(self, tmp_path, value):
        def change(document):
            next(c for c in document["claims"] if isinstance(c["value"], str))["value"] = value

        path = certificate_with(tmp_path / "c.json", change)
        assert "≈" in certificate_text(path)
        with pytest.raises(ClaimRefused):
            read_certificate(path)

    @pytest.mark.parametrize("ends", [(0.0, 1e308), (1e19, 1e30), (-1e308, 1e308)])
    def test_an_end_beyond_the_digits_of_decimals(self, tmp_path, ends):
        def change(document):
            for claim in document["claims"]:
                if isinstance(claim["value"], dict):
                    claim["value"] = {"lower": ends[0], "upper": ends[1]}

        path = certificate_with(tmp_path / "c.json", change)
        assert "e308" in certificate_text(path) or "e30" in certificate_text(path)
        with pytest.raises(ClaimRefused):
            read_certificate(path)

    def test_unrelated_denominators_of_thousands_of_digits(self, tmp_path):
        """Adding them took minutes; what cannot be read back is not certified either."""
        rows = [[Fraction(i, 10**900 + 2 * x + 1) for i in range(1, 21)] for x in range(20)]
        rows = [[*row, 1 - sum(row)] for row in rows]

        def change(document):
            document["subject"]["channel"] = {
                "kind": "dense",
                "inputs": list(range(20)),
                "outputs": list(range(21)),
                "rows": [" ".join(map(str, row)) for row in rows],
            }

        path = certificate_with(tmp_path / "c.json", change)
        with soon(), pytest.raises(UnreadableFile, match="no common denominator"):
            sf.Certificate.read(path)
        with soon(), pytest.raises(InvalidLaw, match="no common denominator"):
            sf.certify(sf.Channel(rows))

    @pytest.mark.parametrize(
        "data",
        [
            b'{"schema": "sfumato/certificate/channel/1", "notes": ["\xff"]}',
            b'{"schema": "sfumato/certificate/channel/1", "subject": ' + b"[" * 900 + b"]" * 900 + b"}",
            b"[" * 100_000,
            b'{"digest": "sha256:' + b"0" * 64 + b'", "schema": "sfumato/certificate/channel/1", "subject": \xff}',
        ],
        ids=["no text", "nested", "only nested", "no text under a seal"],
    )
    def test_no_text_and_lists_in_lists(self, tmp_path, data):
        for number, found in enumerate((data, resealed(data))):
            path = tmp_path / f"{number}.json"
            path.write_bytes(found)
            with pytest.raises(SfumatoError):
                read_certificate(path)


def certificate_text(path):
    from rich.console import Console

    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: PTH123, SIM115
    with console.file:
        console.print(certificate_table(sf.Certificate.read(path)))
        return console.export_text()


def test_the_checker_reads_one_spelling_of_a_year():
    """To Python, 2009.0 is 2009."""
    document = json.loads(seeds.certificates()[0])
    next(iter(document["sources"].values()))["year"] += 0.0
    plain = msgspec.json.format(msgspec.json.encode(document, order="sorted"), indent=2) + b"\n"
    assert sfumato_check.answer(seeds.certificates()[0])["exit_code"] == sfumato_check.EXIT_CHECKED
    found = sfumato_check.answer(resealed(plain))
    assert (found["exit_code"], found["because"]) == (
        sfumato_check.EXIT_REFUSED, "the sources are not the works that the claims cite",
    )  # fmt: skip


@pytest.mark.parametrize("seen", [{}, {"registrar": "answers"}, {"public": "answers"}])
def test_a_record_that_does_not_say_what_everybody_sees(tmp_path, seen):
    document = json.loads(seeds.released()[0])
    del document["seal"]
    document["releases"][0]["seen"] = seen
    plain = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    document["seal"] = hashlib.sha256(plain).hexdigest()
    path = tmp_path / "releases.json"
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    with pytest.raises(UnreadableFile, match="not a registry of releases, or it is damaged"):
        read_registry(seeds.record_study(), registry=path)


class TestDesigns:
    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("privacy", "9" * 400), ("converse", "9" * 400), ("converse", "0"), ("privacy", "-1/2"), ("name", 7),
            ("rho", "9" * 400), ("probabilities", ["9" * 400] * 4),
        ],
    )  # fmt: skip
    def test_numbers_that_cannot_be(self, tmp_path, key, value):
        document = {**json.loads(seeds.designs()[0]), key: value}
        (tmp_path / "d.json").write_text(json.dumps(document))
        with pytest.raises(UnreadableFile, match="damaged, or was changed by hand"):
            read_query_design(tmp_path / "d.json")

    def test_a_name_does_not_clear_the_screen(self, tmp_path):
        document = {**json.loads(seeds.designs()[0]), "name": "\x1b[2JVerified"}
        (tmp_path / "d.json").write_text(json.dumps(document))
        shown = query_tables(read_query_design(tmp_path / "d.json"))
        assert "\x1b" not in str(shown[0])

    def test_a_table_of_no_rows(self, tmp_path):
        (tmp_path / "q.csv").write_text("value,tell\n")
        with pytest.raises(InvalidInput, match="lists no value"):
            read_query_table(tmp_path / "q.csv")


class TestTables:
    @pytest.mark.parametrize("data", [b"\na\xc3;b\n", b"\n2\ty\n", b"\r\nx,\xff\n"])
    def test_a_blank_first_line(self, tmp_path, data):
        """The next line was taken for names, and its bytes for text."""
        (tmp_path / "t.csv").write_bytes(data)
        with pytest.raises(UnreadableFile, match="the first line is blank"):
            as_arrow(tmp_path / "t.csv")

    @pytest.mark.parametrize("extension", ["csv", "parquet"])
    def test_a_name_that_no_sentence_could_repeat(self, tmp_path, extension):
        path = tmp_path / f"t.{extension}"
        if extension == "csv":
            path.write_text("x" * 5000 + ",b\n1,2\n")
        else:
            pq.write_table(pa.table({"x" * 5000: [1]}), path)
        with pytest.raises(UnreadableFile, match="a name of more than 300 characters") as refused:
            as_arrow(path)
        assert len(str(refused.value)) < 500

    def test_a_long_label_twice(self, tmp_path):
        (tmp_path / "c.csv").write_text(f"x,a,b\n{'y' * 900},1,0\n{'y' * 900},1,0\n")
        with pytest.raises(InvalidLaw, match="twice") as refused:
            sf.Channel.read(tmp_path / "c.csv")
        assert len(str(refused.value)) < 400

    def test_a_hundred_million_rows_in_a_few_kilobytes(self, tmp_path):
        path = tmp_path / "t.parquet"
        once = pa.DictionaryArray.from_arrays(pa.array(np.zeros(2**20, dtype=np.int8)), ["x"])
        with pq.ParquetWriter(path, pa.schema({"q": once.type}), compression="zstd") as writer:
            for _ in range(24):
                writer.write_table(pa.table({"q": once}))
        assert path.stat().st_size < 100_000
        with soon(50), pytest.raises(UnreadableFile, match="stands for more than"):
            as_arrow(path)

    def test_one_cell_of_gigabytes(self, tmp_path):
        path = tmp_path / "t.parquet"
        plain = {"compression": "zstd", "use_dictionary": False, "write_statistics": False}
        pq.write_table(pa.table({"q": ["y" * (140 << 20)]}), path, **plain)
        assert path.stat().st_size < 100_000
        with soon(50), pytest.raises(UnreadableFile, match="stands for more than"):
            as_arrow(path)


@pytest.mark.parametrize(("start", "part", "end"), [("", "a.", "a=1"), ("", '"a" . ', "a=1"), ("x={", "a.", "a=1}")])
def test_a_key_of_many_parts(tmp_path, start, part, end):
    """The parser's time is quadratic in them."""
    key = start + 50_000 * part + end
    (tmp_path / "s.toml").write_text(f'schema = "sfumato/study/2"\nname = "x"\n{key}\n')
    with soon(), pytest.raises(UnreadableFile, match=r"line 3: has a key of more than 16 parts"):
        read_study(tmp_path / "s.toml")


def test_dots_in_texts_are_no_keys(tmp_path):
    text = "Wait ...................... and see? e.g. a. b. c. " + "St. Mary, " * 100
    (tmp_path / "s.toml").write_text(
        f'schema = "sfumato/study/2"\nname = "x"\nquestion = "{text.strip()}"\nguess_error = 0.375\n'
    )
    assert read_study(tmp_path / "s.toml").questions[0].text == text.strip()


def test_a_count_of_more_reports_than_there_are_people(tmp_path):
    """Exact tails grow with the square root of the reports: half a billion terms, a hundred times over."""
    for count, refused in ((10**8, False), (10**15, True)):
        (tmp_path / "t.csv").write_text(f"debt,region,n\nyes,hill,{count}\nno,hill,400\n")
        found = TypedReports.read(small_study(), tmp_path / "t.csv", count="n")
        with soon(), pytest.raises(InvalidParameter, match="likelihood ratio") if refused else contextlib.nullcontext():
            sf.estimate_reports(found)
        sf.estimate_reports(found, method="likelihood ratio")
