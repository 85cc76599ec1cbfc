"""The page on clusters is run as a person would: its Python as one program, then its commands."""

import re

from transcripts import ROOT, commands_of, first_difference, prepare, run

PAGE = (ROOT / "docs" / "howto" / "spark.md").read_text(encoding="utf-8")
SCRIPTS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_does_what_it_says(spark_here, tmp_path):
    prepare("fair", tmp_path)
    people = (tmp_path / "answers.csv").read_text(encoding="utf-8").count("\n") - 1
    (tmp_path / "page.py").write_text("".join(SCRIPTS), encoding="utf-8")
    said = run("python page.py", tmp_path)
    assert f"{people:,} reports" in said
    assert f"{people:,} answers, in a table of Spark" in said
    commands = commands_of(PAGE)
    assert commands
    for command, shown in commands:
        difference = first_difference(shown, run(command, tmp_path))
        assert difference is None, f"$ {command}\n{difference}"
    assert (tmp_path / "trial" / "publication.json").exists()
