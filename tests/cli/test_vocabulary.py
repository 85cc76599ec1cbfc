"""One vocabulary: one name a thing, the same in the study file, in the command and in Python."""

import inspect

import pytest

import sfumato as sf
from cli.verb_tree import verbs
from sfumato.files.layouts import DataFile
from sfumato.study.ways import kinds
from sfumato.study.ways.goals import GOAL_NAMES

VERBS = dict(verbs())
OPTIONS = {
    verb: {option.name: option for option in command.params if option.name != "help"} for verb, command in VERBS.items()
}
# Words of earlier versions, each of which meant a thing that has another name elsewhere.
BANNED = {"output", "seed", "bits", "share", "against", "recover_probability"}
# What the command has instead of a parameter: files in place of secrets, megabytes in place of bytes.
COMMAND_ONLY = {
    "dictionary",
    "master",
    "allow_unprotected",
    "passphrase_file",
    "private_key",
    "unprotected",
    "to",
    "json",
    "markdown",
    "quiet",
    "limit_mb",
    "plot",
}
IDS = {
    "budget spend": {"name": "--id"},
    "publish": {"id_column": "--id"},
    "amend": {"id_column": "--id"},
    "erase": {"person": "--id"},
}
STEPS = {
    "publish": sf.publish,
    "disclose": sf.disclose_table,
    "query answer": sf.answer_query,
    "estimate": sf.estimate_reports,
    "weights": sf.report_weights,
    "amend": sf.amend,
    "erase": sf.erase,
    "combine": sf.combine,
}


def test_no_old_word_is_an_option():
    found = {(verb, name) for verb, options in OPTIONS.items() for name in set(options) & BANNED}
    # There it is what it always is in a quantile, and the parameter of `private_quantile`.
    assert found == {("noise quantile", "share")}


def test_an_option_is_spelled_as_its_parameter():
    for verb, options in OPTIONS.items():
        for name, option in options.items():
            long = [word for word in option.opts if word.startswith("--")]
            # `--id` names a release, a column of ids or a person, `--key` is given once for each of the keys,
            # `--question` for each question.
            expected = IDS.get(verb, {})
            if long:
                assert long[0] == expected.get(name, f"--{name.replace('_', '-')}"), verb


def test_one_name_has_one_short_form_and_one_type_everywhere():
    seen = {}
    for verb, options in OPTIONS.items():
        for name, option in options.items():
            if not option.opts[0].startswith("-"):
                continue
            short = tuple(word for word in option.opts if len(word) == 2)
            # These mean a list for one verb and a single thing for another.
            if name in {"question", "column", "name", "channel", "study", "epsilon", "confidence"}:
                continue
            before = seen.setdefault(name, (verb, short))
            assert before[1] == short, f"--{name} is {short} for {verb} and {before[1]} for {before[0]}"


def test_every_verb_that_writes_calls_it_out():
    for verb, options in OPTIONS.items():
        if "out" in options:
            assert options["out"].opts == ["--out", "-o"], verb


@pytest.mark.parametrize("verb", STEPS)
def test_the_command_and_python_take_the_same_words(verb):
    known = set(inspect.signature(STEPS[verb]).parameters) | set(inspect.signature(DataFile).parameters)
    plural = {"question": "questions", "row": "rows", "person": "ids", "ids_file": "ids"}
    for name in OPTIONS[verb]:
        if name in COMMAND_ONLY or (verb == "estimate" and name in {"out", "contrasts", "between"}):
            continue
        assert plural.get(name, name) in known, f"{verb} --{name} is no parameter of sf.{STEPS[verb].__name__}"


def test_the_goals_and_limits_of_a_plan_are_the_keys_of_the_file():
    keys = {key.name for several in kinds().values() for one in several for key in one.KEYS}
    options = set(OPTIONS["plan"]) - {
        "study",
        "question",
        "json",
        "markdown",
        "plot",
        "card",
        "out",
        "statement",
        "script",
    }
    assert options <= keys
    assert set(GOAL_NAMES) <= options


def test_the_seed_and_the_budget_are_called_the_same_in_python():
    for step in (sf.publish, sf.disclose_table, sf.answer_query, sf.release_noise):
        assert {"insecure_seed", "ledger", "study"} <= set(inspect.signature(step).parameters)
    assert "budget_bits" in inspect.signature(sf.account.Ledger.create).parameters
    assert "budget_bits" in inspect.signature(sf.account.information).parameters
    assert "budget_bits" in inspect.signature(sf.design.gaussian).parameters
