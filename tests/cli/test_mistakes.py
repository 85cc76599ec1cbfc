"""Every mistake of the page is made, and gets the sentence that stands there; nothing is written, no answer told."""

import shlex

import pytest

from cli.mistakes import MISTAKES, PAGE, SECRET, calm, page, prepared

ROWS = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]


def held(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def sentence_of(mistake):
    """What the page says of a mistake."""
    (row,) = [row for row in ROWS if row.startswith((f"| {mistake.title} |", f"| {mistake.title}<br>"))]
    return row.rpartition(" | ")[2].removesuffix(" |").replace("\\|", "|").replace("&lt;", "<")


def test_there_are_sixty_over_many_verbs():
    assert len(MISTAKES) >= 60
    assert len({mistake.title for mistake in MISTAKES}) == len(MISTAKES)
    assert len({shlex.split(mistake.command)[1] for mistake in MISTAKES}) >= 10


def test_the_page_is_made_of_them():
    assert PAGE.read_text(encoding="utf-8") == page({one.title: sentence_of(one) for one in MISTAKES})


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.title)
def test_a_mistake_gets_its_sentence(sfumato, tmp_path, mistake):
    prepared(mistake, tmp_path, sfumato)
    before = held(tmp_path)
    done = sfumato(*shlex.split(mistake.command)[1:])
    assert done.returncode == mistake.code, done.stderr
    assert done.stdout == ""
    assert calm(done.stderr.strip()) == sentence_of(mistake)
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr
    assert SECRET not in done.stderr
    assert held(tmp_path) == before, "something was written"
