"""Reports are counted in a stream, by group if asked, and no refusal repeats what a person reported."""

import io
from collections import Counter

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damaged_files import write_table as write
from sfumato.errors import InvalidInput, InvalidParameter, UnreadableFile
from sfumato.publications import ReportCounts, read_report_counts
from sfumato.publications import typed_reports as reports

KNOWN = ("either", "no", "yes")


COUNTED = ReportCounts(reports=KNOWN, counts=(3, 1, 2))
GOOD = [
    ("csv", "report\neither\neither\neither\nno\nyes\nyes\n", {}),
    ("csv", "\ufeffreport;count\r\nyes;2\r\n\r\nno;1\r\neither;3\r\nno;0", {"count": "count"}),
    ("csv", 'answer\n"either"\neither\n either \nno\nyes\nyes\n\n\n', {}),
    ("csv", "id,report\n1,either\n2,either\n3,either\n4,no\n5,yes\n6,yes\n", {}),
    ("csv", 'r,note,count\nyes,"a\nb",2\nno,"",1\neither,x,3\n', {"column": "r", "count": "count"}),
    ("tsv", "count\treport\n2\tyes\n1\tno\n3\teither\n", {"count": "count"}),
    ("parquet", {"report": ["either"] * 3 + ["no"] + ["yes"] * 2, "id": range(6)}, {}),
    ("parquet", {"x": ["either", "no", "yes"], "count": [3, 1, 2]}, {"count": "count"}),
    (
        "parquet",
        {"x": pa.array(["either", "no", "yes"]).dictionary_encode(), "n": [3, 1, 2]},
        {"column": "x", "count": "n"},
    ),
    ("parquet", {"count": ["either"] * 3 + ["no"] + ["yes"] * 2}, {"column": "count"}),
]


@pytest.mark.parametrize(("extension", "content", "options"), GOOD, ids=range(len(GOOD)))
def test_reports_are_counted(tmp_path, extension, content, options):
    assert read_report_counts(write(tmp_path, extension, content), known=KNOWN, **options) == COUNTED


def test_whole_numbers_are_labels_too(tmp_path):
    path = write(tmp_path, "parquet", {"report": [0, 1, 1], "year": [10, 2, 2]})
    found = read_report_counts(path, known=("0", "1"), group="year")
    assert found.groups == (("2", (0, 2)), ("10", (1, 0)))


rows = st.lists(
    st.tuples(st.sampled_from(KNOWN), st.sampled_from(["a", "b,c", 'd"e', "10", "2", "ä ö"]), st.integers(0, 5)),
    min_size=1,
    max_size=60,
).filter(lambda rows: sum(row[2] for row in rows))


@settings(suppress_health_check=list(HealthCheck), max_examples=60)
@given(rows=rows, chunk=st.integers(1, 20))
def test_csv_and_parquet_agree_with_a_counter(tmp_path, monkeypatch, rows, chunk):
    monkeypatch.setattr(reports, "_CHUNK", chunk)
    monkeypatch.setattr("sfumato.files.parquet._BATCH_ROWS", chunk)
    quoted = "".join(f'{i},"{r}","{g.replace(chr(34), chr(34) * 2)}",{n}\n' for i, (r, g, n) in enumerate(rows))
    columns = {"report": [r for r, _, _ in rows], "place": [g for _, g, _ in rows], "count": [n for *_, n in rows]}
    expected, by_group = Counter(), Counter()
    for report, place, n in rows:
        expected[report] += n
        by_group[place, report] += n
    for path in (
        write(tmp_path, "csv", "id,report,place,count\n" + quoted),
        write(tmp_path, "parquet", columns),
    ):
        found = read_report_counts(path, known=KNOWN, group="place", count="count")
        assert found.counts == tuple(expected[label] for label in KNOWN)
        places = {place for (place, _), n in by_group.items() if n}
        assert found.by_group == {place: tuple(by_group[place, label] for label in KNOWN) for place in places}
        assert found.total == sum(n for *_, n in rows)
        ungrouped = read_report_counts(path, known=KNOWN, count="count")
        assert ungrouped == ReportCounts(reports=KNOWN, counts=found.counts)


ANSWER = "hasdisease"
BAD = [
    ("csv", "", {}, "is empty"),
    ("csv", "report\n\n", {}, "holds no reports.*Write one a row"),
    ("csv", "report,count\nyes,0\n", {"count": "count"}, "holds no reports"),
    (
        "csv",
        f"report\nyes\n\n{ANSWER}\n",
        {},
        "line 4: the line holds a report that the design never gives.*'either', 'no', 'yes'",
    ),
    (
        "csv",
        f'note,report\n"a\nb",yes\nx,{ANSWER}\n',
        {},
        "line 4: the line holds a report that the design never gives",
    ),
    ("csv", "id,report\n1,yes\n2,\n", {}, "line 3: the line holds no report.*drop the line"),
    ("csv", f"id,report\n1,yes\n{ANSWER},yes,no\n", {}, "line 3: the line has another number of cells"),
    ("csv", "yes\nno\n", {}, "line 1: this is a report and no header"),
    ("csv", f"{ANSWER},b\nyes,1\n", {}, "has no column 'report'.*`column`"),
    ("csv", "report\nyes\n", {"column": "r"}, "column='r' is not a column of this file"),
    ("csv", "report\nyes\n", {"group": "region"}, "group='region' is not a column of this file"),
    ("csv", "report,report\nyes,no\n", {}, "two columns of the same name"),
    ("csv", f"report,g\nyes,{ANSWER}\nyes,\n", {"group": "g"}, "line 3: the line names no group.*Fill it in"),
    (
        "csv",
        f"report,count\nyes,{ANSWER}\n",
        {"count": "count"},
        "line 2: the line has a column count that must be a whole number",
    ),
    (
        "csv",
        "report,count\nyes,3\nyes,-1\n",
        {"count": "count"},
        "line 3: the line has a column count that must be a whole number",
    ),
    (
        "csv",
        "report,count\nyes,1.5\n",
        {"count": "count"},
        "line 2: the line has a column count that must be a whole number",
    ),
    ("csv", f'report\n"{ANSWER}\n', {}, "is not a table.*Close every quote"),
    ("csv", b"report\n\xff" + ANSWER.encode(), {}, "not UTF-8"),
    ("parquet", {"report": ["yes", "no", ANSWER, ANSWER]}, {}, "row 3 holds a report that the design never gives"),
    ("parquet", {"report": ["yes", None]}, {}, "row 2 has an empty cell"),
    ("parquet", {"report": ["yes"], "count": [-1]}, {"count": "count"}, "count must hold whole numbers"),
    ("parquet", {"report": ["yes"], "count": [1.5]}, {"count": "count"}, "column count is of type double"),
    ("parquet", {"report": [1.5]}, {}, "column report is of type double"),
    ("parquet", {ANSWER: ["yes"], "b": ["no"]}, {}, "has no column 'report'"),
    ("parquet", {"report": ["yes", "no"], "g": ["a", " "]}, {"group": "g"}, "row 2 names no group"),
    ("parquet", {"report": pa.array([], pa.string())}, {}, "holds no reports"),
]


@pytest.mark.parametrize(("extension", "content", "options", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_reports_are_refused_without_repeating_one(tmp_path, extension, content, options, sentence):
    path = write(tmp_path, extension, content)
    with pytest.raises(UnreadableFile, match=f"(?s){sentence}") as refusal:
        read_report_counts(path, known=KNOWN, **options)
    assert str(path) in str(refusal.value)
    assert ANSWER not in str(refusal.value)
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None


def test_the_line_is_right_in_a_later_chunk(tmp_path, monkeypatch):
    monkeypatch.setattr(reports, "_CHUNK", 7)
    monkeypatch.setattr("sfumato.files.parquet._BATCH_ROWS", 7)
    rows = ["yes"] * 1000 + ["maybe"] + ["no", "maybe"] * 9
    with pytest.raises(UnreadableFile, match="line 1002: the line holds"):
        read_report_counts(write(tmp_path, "csv", "report\n" + "\n".join(rows)), known=KNOWN)
    with pytest.raises(UnreadableFile, match="row 1001 holds"):
        read_report_counts(write(tmp_path, "parquet", {"report": rows}), known=KNOWN)


def test_json_and_strange_extensions_are_refused(tmp_path):
    with pytest.raises(InvalidParameter, match="Give a table as CSV"):
        read_report_counts(write(tmp_path, "json", "[]"), known=KNOWN)
    with pytest.raises(InvalidParameter, match="extension"):
        read_report_counts(write(tmp_path, "docx", ""), known=KNOWN)
    path = write(tmp_path, "csv", "report\nyes\n")
    with pytest.raises(InvalidParameter, match="column and `group` are both 'report'"):
        read_report_counts(path, known=KNOWN, column="report", group="report")


def workbook(tmp_path, *rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "typed.xlsx")
    return tmp_path / "typed.xlsx"


def test_a_workbook_is_counted_like_the_text_it_shows(tmp_path):
    rows = [["place", "report", "n"], ["north", "yes", 3], ["south", " no ", 2], ["north", "yes", 1]]
    csv = write(tmp_path, "csv", "".join(",".join(map(str, row)) + "\n" for row in rows))
    path = workbook(tmp_path, *rows)
    seen = []
    found = read_report_counts(path, known=KNOWN, group="place", count="n", progress=seen.append)
    assert found == read_report_counts(csv, known=KNOWN, group="place", count="n")
    assert sum(seen) == path.stat().st_size
    with pytest.raises(UnreadableFile, match=r"row 2 holds a report that the design never gives") as refused:
        read_report_counts(workbook(tmp_path, ["report"], ["yes"], ["secret"]), known=KNOWN)
    assert "secret" not in str(refused.value)
    gaps = workbook(tmp_path, ["report", "who"], ["yes", "a"], [None, "b"])
    with pytest.raises(UnreadableFile, match="row 2 holds no report"):
        read_report_counts(gaps, known=KNOWN, column="report")
    assert read_report_counts(gaps, known=KNOWN, column="report", is_nobody=lambda _: False).total == 1


def test_a_file_of_spss_is_counted(tmp_path):
    frame = pd.DataFrame({"report": [1.0, 0.0, 1.0]})
    labels = {"report": {0: "no", 1: "yes"}}
    pyreadstat.write_sav(frame, tmp_path / "typed.sav", variable_value_labels=labels)
    found = read_report_counts(tmp_path / "typed.sav", known=KNOWN)
    assert dict(zip(found.reports, found.counts, strict=True))["yes"] == 2


def test_an_identifier_is_no_group(tmp_path, monkeypatch):
    monkeypatch.setattr(reports, "MOST_GROUPS", 50)
    people = [str(i) for i in range(51)]
    for path in (
        write(tmp_path, "csv", "report,who\n" + "".join(f"yes,{i}\n" for i in people)),
        write(tmp_path, "parquet", {"report": ["yes"] * 51, "who": people}),
    ):
        with pytest.raises(UnreadableFile, match=r"more than 50 groups.*identifier"):
            read_report_counts(path, known=KNOWN, group="who")


def test_progress_adds_up_to_the_file_and_the_limit_holds(tmp_path, monkeypatch):
    monkeypatch.setattr(reports, "_CHUNK", 100)
    csv = write(tmp_path, "csv", "report\n" + "yes\n" * 50_000)
    parquet = write(tmp_path, "parquet", {"report": ["yes"] * 200_000})
    for path in (csv, parquet):
        steps = []
        read_report_counts(path, known=KNOWN, progress=steps.append)
        assert len(steps) > 1
        assert 0.99 <= sum(steps) / path.stat().st_size <= 1
        with pytest.raises(UnreadableFile, match="at most 100 are read"):
            read_report_counts(path, known=KNOWN, limit_bytes=100)


def parquet_bytes(columns):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


VALID = {
    "csv": [b"report,g,count\nyes,a,1\nno,b,2\n", b'report\n"yes"\neither\n'],
    "parquet": [parquet_bytes({"report": ["yes", "no"] * 9, "g": ["a", "b"] * 9, "count": [1, 2] * 9})],
}


@pytest.mark.parametrize("extension", VALID)
def test_any_bytes_are_counted_or_refused(tmp_path, extension):
    path = tmp_path / f"x.{extension}"

    @settings(suppress_health_check=list(HealthCheck))
    @given(
        data=st.data(),
        original=st.sampled_from(VALID[extension]),
        group=st.sampled_from([None, "g"]),
        count=st.sampled_from([None, "count"]),
    )
    def check(data, original, group, count):
        mutated = bytearray(original)
        for _ in range(data.draw(st.integers(0, 4))):
            place = data.draw(st.integers(0, len(mutated) - 1))
            mutated[place : place + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=3))
        path.write_bytes(bytes(mutated) or b"x")
        try:
            found = read_report_counts(path, known=KNOWN, group=group, count=count)
        except InvalidInput:
            return
        assert found.total > 0
        assert group is None or sum(map(sum, found.by_group.values())) == found.total

    check()
