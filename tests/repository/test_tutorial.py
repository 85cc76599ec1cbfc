"""Pages with commands are run from their first command to their last, and the commands print what the pages say."""

import pytest

from transcripts import ROOT, commands_of, first_difference, marked_pages, masked, prepare, run

TUTORIAL = ROOT / "docs" / "tutorial.md"
PAGES = marked_pages()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_print_what_the_page_shows(page, tmp_path, shell):
    prepare(PAGES[page], tmp_path)
    commands = commands_of(page.read_text(encoding="utf-8"))
    assert commands
    for command, shown in commands:
        difference = first_difference(shown, run(command, tmp_path, shell))
        assert difference is None, f"$ {command}\n{difference}"


def test_the_pages_that_should_be_run_are():
    names = {page.relative_to(ROOT).as_posix() for page in PAGES}
    assert {"docs/tutorial.md", "docs/howto/hand_out_keys.md", "docs/howto/size_a_sample.md"} <= names
    assert "docs/howto/grow_a_publication.md" in names
    assert {"docs/howto/read_a_certificate.md", "docs/howto/keep_a_budget.md", "docs/howto/calibrate_noise.md"} <= names


def test_the_tutorial_takes_every_step_of_the_demo():
    """The demo's own commands stand in the tutorial, in the demo's order."""
    demo = (ROOT / "demo" / "demo.py").read_text(encoding="utf-8")
    steps = [line.split('"')[1] for line in demo.splitlines() if line.strip().startswith('run("')]
    assert [step.split()[0] for step in steps] == ["plan", "publish", "open", "recover", "verify", "report"]
    typed = [command.removeprefix("sfumato ") for command, _ in commands_of(TUTORIAL.read_text(encoding="utf-8"))]
    places = [next((i for i, command in enumerate(typed) if command.startswith(step)), None) for step in steps]
    assert None not in places, f"the tutorial leaves out: {steps[places.index(None)]}"
    assert places == sorted(places)


def test_the_study_in_the_tutorial_is_the_one_of_the_demo():
    assert f"```toml\n{(ROOT / 'demo' / 'fair.toml').read_text(encoding='utf-8')}```" in TUTORIAL.read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("shown", "agrees"),
    [
        (["one", "two", "three"], True),
        (["one", "…", "three"], True),
        (["…", "three"], True),
        (["one", "…"], True),
        (["one", "three"], False),
        (["one", "two"], False),
        (["two", "…", "one", "…"], False),
        (["one", "two", "three", "four"], False),
        (["one", "…", "four"], False),
    ],
)
def test_what_is_shown_must_be_printed_in_order(shown, agrees):
    assert (first_difference(shown, ["one", "", "two", "three"]) is None) == agrees


def test_only_what_chance_decides_is_masked():
    row = "│ yes    │ 32.1 % │ 30.9 to 33.4 % │ ··········─●······················ │"
    other = "│ yes    │  9.8 % │   8.0 to 11 % │ ··──●─···························· │"
    assert masked(row) == masked(other)
    assert masked(row) != masked(row.replace("yes", "no"))
    assert masked("  had an affair  32.2  30.0 (28.1 to 31.9)") == masked("had an affair  32.2  31 (28.1 to 33)")
    assert masked("│ press │ 1 │ 4,827 │") != masked("│ press │ 1 │ 4,828 │")
    assert masked("  ε 1  █████  4,827") != masked("  ε 1  ██████  4,827")
    assert masked("  ε 1  █████  4,827") != masked("  ε 1  █████  4,828")
    assert masked("│ yes, 89d70161… │") == masked("│ yes, 0a348a0a… │")
    assert masked("press: press.affair.89d70161.key") == masked("press: press.affair.0a348a0a.key")
    assert masked("press: press.affair.89d70161.key") != masked("press: press.affair.key")
