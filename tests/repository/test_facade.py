"""What `sf.<tab>` offers: every kind of question, and an example, run here, for each function and class."""

import doctest
import inspect
import tempfile
import warnings
from fractions import Fraction

import pytest

import sfumato as sf
from sfumato.study.kinds.registry import kinds

OFFERED = [name for name in sf.__all__ if inspect.isclass(getattr(sf, name)) or inspect.isfunction(getattr(sf, name))]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    """Examples write into folders that `tempfile` makes."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", OFFERED)
def test_the_example_of_a_name_runs_as_printed(name):
    thing = getattr(sf, name)
    text = inspect.getdoc(thing) or ""
    example = doctest.DocTestParser().get_doctest(text, {}, f"sf.{name}", None, 0)
    assert example.examples, f"sf.{name} has no example"
    if inspect.isfunction(thing):
        assert any(f"sf.{name}(" in one.source for one in example.examples), f"the example does not call sf.{name}"
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # simulations say that they are
        assert runner.run(example).failed == 0


def test_every_kind_of_question_is_offered():
    for classes in kinds().values():
        for one in classes:
            assert getattr(sf, one.__name__, None) is one, f"sf.{one.__name__}"
            assert one.__name__ in dir(sf)


def test_names_are_sorted_and_lead_where_the_types_say():
    assert sf.__all__ == sorted(sf.__all__)
    for name in sf.__all__:
        assert getattr(sf, name) is not None


@pytest.fixture(scope="module")
def habits():
    """Reports on two questions, one of which is about several options, and a public column."""
    smokes = sf.YesNo(id="smokes", text="Smokes?", epsilon=Fraction(3))
    reads = sf.Several(id="reads", text="Reads?", options=("papers", "books", "walls"), epsilon=Fraction(3))
    answers = {"smokes": ["no", "yes"] * 100, "reads": ["papers", "books;walls"] * 100, "town": ["a", "b"] * 100}
    return sf.publish(
        sf.Study(name="Habits", questions=(smokes, reads)), answers, keep=["town"], insecure_seed=7
    ).reports


# The errors that docstrings name, of calls that no other test makes: they are the errors that are raised.
RAISED = {
    "asked_options": (lambda reports: sf.workflows.asked_options(reports, "smokes"), "InvalidParameter"),
    "compare": (lambda reports: sf.compare(reports, "sleeps", by="town"), "InvalidParameter"),
    "crosstab": (lambda reports: sf.crosstab(reports, "smokes", "sleeps"), "InvalidParameter"),
    "raw_shares": (lambda reports: sf.workflows.raw_shares(reports, "sleeps"), "InvalidParameter"),
    "weighted_shares": (lambda reports: sf.workflows.weighted_shares(reports, "sleeps"), "InvalidParameter"),
    "release_noise": (
        lambda _: sf.release_noise(
            sf.noise.gaussian(low=0, high=1, budget_bits=1), 7, out="noise.json", insecure_seed=7
        ),
        "InvalidParameter",
    ),
}


@pytest.mark.parametrize("name", RAISED)
def test_an_error_that_a_docstring_names_is_raised(habits, name):
    call, error = RAISED[name]
    assert f"{error}:" in inspect.getdoc(getattr(sf if name in sf.__all__ else sf.workflows, name))
    with pytest.raises(getattr(sf.errors, error)):
        call(habits)
