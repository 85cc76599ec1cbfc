"""The page on clusters is run as a person would: its Python as one program, and its commands."""

import re
import shlex
import warnings

import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from sfumato.cli import main
from transcripts import ROOT, commands_of, first_difference, prepare, run

PAGE = (ROOT / "docs" / "howto" / "spark.md").read_text(encoding="utf-8")
SCRIPTS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_python_of_the_page(spark, tmp_path, monkeypatch, capsys):
    """The session of the page is the one that there is, whose own program was started in another folder."""
    people = prepared(tmp_path)
    monkeypatch.chdir(tmp_path)
    page = "".join(SCRIPTS).replace('"answers', f'"{tmp_path}/answers')
    exec(compile(page, "page.py", "exec"), {"__name__": "page"})  # noqa: S102  what the page says
    said = capsys.readouterr().out
    assert f"{people:,} reports" in said
    assert f"{people:,} answers, in a table of Spark" in said


def test_the_commands_of_the_page(spark, tmp_path, monkeypatch, capfd):
    with_answers(tmp_path)
    monkeypatch.chdir(tmp_path)
    for command, shown in commands_of(PAGE):
        monkeypatch.setattr("sys.argv", shlex.split(command))
        with warnings.catch_warnings(), pytest.raises(SystemExit) as stop:
            main()
        said = capfd.readouterr()
        assert stop.value.code == 0, said.err
        assert first_difference(shown, f"{said.out}{said.err}") is None
    assert (tmp_path / "trial" / "publication.json").exists()


@pytest.mark.slow
def test_the_commands_of_the_page_where_no_session_is(spark_here, tmp_path):
    """In a process of its own, which starts Spark, and says no more than the page does."""
    with_answers(tmp_path)
    commands = commands_of(PAGE)
    assert commands
    for command, shown in commands:
        difference = first_difference(shown, run(command, tmp_path))
        assert difference is None, f"$ {command}\n{difference}"
    assert (tmp_path / "trial" / "publication.json").exists()


def with_answers(folder):
    """Put the files of the tutorial into a folder, and the answers as the page has written them."""
    prepared(folder)
    (folder / "answers").mkdir()
    pq.write_table(csv.read_csv(folder / "answers.csv"), folder / "answers" / "a.parquet")


def prepared(folder):
    """Put the files of the tutorial into a folder; return how many people answered."""
    prepare("fair", folder)
    return (folder / "answers.csv").read_text(encoding="utf-8").count("\n") - 1
