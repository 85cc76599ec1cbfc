"""An error names the option in the command, and the parameter in Python; what is typed wrongly is said in a line."""

import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.cli.app import command_tree
from sfumato.cli.help import ALIASES, naming_of, running_verb, words_of
from sfumato.errors import InvalidParameter, Place, UnreadableFile

COMMAND = command_tree()


def all_parameters(command=COMMAND):
    yield from (parameter.name for parameter in command.params)
    for inner in getattr(command, "commands", {}).values():
        yield from all_parameters(inner)


def said(error, line):
    return words_of(error, COMMAND, line.split())


def test_a_parameter_becomes_the_option_of_the_verb():
    error = InvalidParameter(
        "must be a positive finite number", parameter="budget_bits", value=0.0, way_out="Raise `budget_bits`."
    )
    assert said(error, "noise gaussian --budget-bits 0") == (
        "--budget-bits 0 must be a positive finite number. Raise --budget-bits."
    )
    assert str(error) == "budget_bits=0.0 must be a positive finite number. Raise `budget_bits`."


def test_an_argument_is_named_in_capitals():
    error = UnreadableFile("has no rows", parameter="data", way_out="Hand `data` with rows, or another `column`.")
    assert said(error, "noise mean a.csv") == "DATA has no rows. Hand DATA with rows, or another --column."


def test_what_the_verb_does_not_have_stays():
    error = InvalidParameter("must be at least 2", parameter="size", value=1, way_out="Raise `size`.")
    assert said(error, "certify a.csv") == "size=1 must be at least 2. Raise `size`."


def test_the_unit_is_that_of_the_option():
    error = UnreadableFile(
        "is too little", parameter="limit_bytes", value=3_000_000, way_out="Raise `limit_bytes`.", place=Place(file="a")
    )
    assert said(error, "certify a") == "file a: --limit-mb 3 is too little. Raise --limit-mb."
    assert str(error) == "file a: limit_bytes=3000000 is too little. Raise `limit_bytes`."


def test_a_key_of_a_file_keeps_its_name():
    """`weight` in line 4 of a study is not the option --weight."""
    error = InvalidParameter("must be positive", parameter="weight", value=0, place=Place(file="s.toml", line=4))
    assert said(error, "plan s.toml") == str(error) == "file s.toml, line 4: weight=0 must be positive."


@pytest.mark.parametrize(
    ("line", "path", "rest"),
    [
        ("noise mean a --low 0", "sfumato noise mean", ("a", "--low", "0")),
        ("publish keys", "sfumato publish", ("keys",)),
        ("--version keys show x", "sfumato keys show", ("x",)),
        ("keys splt", "sfumato keys", ("splt",)),
        ("", "sfumato", ()),
    ],
)
def test_the_verb_is_found_in_the_arguments(line, path, rest):
    running = running_verb(COMMAND, line.split())
    assert (running.path, running.rest) == (path, rest)


def test_every_alias_leads_to_an_option_that_some_verb_has():
    known = set(all_parameters())
    for name, options in ALIASES.items():
        assert known.intersection(options), f"{name} leads to {options}, which no verb has"


def test_aliases_give_way_to_a_name_that_the_verb_has():
    assert naming_of(running_verb(COMMAND, ["open"]).verb)("keys") == "--key"
    assert naming_of(running_verb(COMMAND, ["publish"]).verb)("keys") == "--keys"


def test_the_command_and_the_library_say_the_same_thing_in_their_own_words(monkeypatch, capsys):
    def refuse(**_):
        raise InvalidParameter("must be positive", parameter="budget_bits", value=0.0, way_out="Raise `budget_bits`.")

    for home in ("sfumato.noise", "sfumato.noise.gaussian_designs"):
        monkeypatch.setattr(f"{home}.gaussian", refuse)
    with pytest.raises(InvalidParameter, match=r"^budget_bits=0.0 must be positive\. Raise `budget_bits`\.$"):
        sf.noise.gaussian(bound=1, budget_bits=0)
    monkeypatch.setattr("sys.argv", ["sfumato", "noise", "gaussian", "--bound", "1", "--budget-bits", "0"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    assert capsys.readouterr().err == "InvalidParameter: --budget-bits 0 must be positive. Raise --budget-bits.\n"


def test_an_argument_of_a_real_verb_is_named(sfumato):
    done = sfumato("new", "nowhere/study.toml", "--yes")
    assert done.returncode == 2
    assert done.stderr.startswith("InvalidParameter: FILE 'nowhere/study.toml' lies in a folder that does not exist.")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("publsh", "UsageError: sfumato has no verb publsh. Did you mean publish? See `sfumato --help`."),
        ("keys zzz", "UsageError: sfumato keys has no verb zzz. See `sfumato keys --help`."),
        ("verify", "UsageError: sfumato verify needs CERTIFICATE. See `sfumato verify --help`."),
        ("keys show", "UsageError: sfumato keys show needs FILES. See `sfumato keys show --help`."),
        ("noise gaussian", "UsageError: sfumato noise gaussian needs --budget-bits NUMBER. See"),
        ("certify a --prir 1", "UsageError: sfumato certify has no option --prir. Did you mean --prior? See"),
        ("certify a b", "UsageError: sfumato certify has no place for b. See"),
        ("certify a --prior", "UsageError: --prior needs a value: --prior TEXT. See"),
        ("certify a --json=1", "UsageError: --json takes no value. See"),
        ("certify a --limit-mb x", "InvalidParameter: --limit-mb x must be a whole number ≥ 1. See"),
        ("certify a --limit-mb=0", "InvalidParameter: --limit-mb 0 must be a whole number ≥ 1. See"),
        ("noise gaussian --budget-bits x", "InvalidParameter: --budget-bits x must be a number. See"),
        ("keys split a --at x -o b", "InvalidParameter: --at must be a whole number. See"),
        ("disclose a -o b --samples x", "InvalidParameter: --samples x must be one of rows, columns. See"),
        ("--nosuch", "UsageError: sfumato has no option --nosuch. See `sfumato --help`."),
    ],
)
def test_what_is_typed_wrongly_is_said_in_a_line(sfumato, line, sentence):
    done = sfumato(*line.split(), COLUMNS="80")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(sentence)
    assert done.stderr.count("\n") == 1
    assert "│" not in done.stderr


@pytest.mark.parametrize("line", ["", "keys"])
def test_without_a_verb_the_help_is_shown(sfumato, line):
    done = sfumato(*line.split())
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: sfumato")
    assert "Verbs:" in done.stderr


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("estimate reports.parquet --plot full/e.svg", "--plot full/e.svg"),
        ("estimate reports.parquet -o full/e.svg", "--out full/e.svg"),
        ("new full/e.svg", "FILE full/e.svg"),
        ("estimate reports.parquet", "path='full/e.svg'"),
    ],
)
def test_a_file_that_could_not_be_written_is_named_by_its_own_option(line, word):
    """A verb may read one file and write several; only the name tells which of them is meant."""
    error = InvalidParameter(
        "could not be written: No space left on device", parameter="path", value="full/e.svg", way_out="Make room."
    )
    said = words_of(error, command_tree(), line.split())
    assert said.replace("'full/e.svg'", "full/e.svg").startswith(word.replace("'full/e.svg'", "full/e.svg"))
