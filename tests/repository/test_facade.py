"""What `sf.<tab>` offers: every kind of question, and an example, run here, for each function and class."""

import doctest
import inspect
import tempfile
import warnings

import pytest

import sfumato as sf
from sfumato.study.ways import kinds

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
