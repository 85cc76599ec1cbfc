"""The docstrings that the reference is made of: every public name has one, and its examples run as printed."""

import doctest
import inspect
import re
from importlib import import_module

import pytest

import sfumato as sf

PACKAGES = [name for name in sf.__all__ if inspect.ismodule(getattr(sf, name))]
FRONT = [name for name in sf.__all__ if name not in PACKAGES]  # their examples are run by test_facade.py


def public_things(package):
    """The classes and functions that a package offers, or that a single file defines; constants are not called."""
    module = getattr(sf, package)
    listed = getattr(module, "__all__", None)
    if listed is None:
        listed = [name for name, it in vars(module).items() if getattr(it, "__module__", None) == module.__name__]
    for name in sorted(listed):
        it = getattr(module, name)
        thing = inspect.unwrap(it) if callable(it) else it
        if not name.startswith("_") and (inspect.isclass(thing) or inspect.isfunction(thing)):
            yield name, thing


def is_an_error(thing):
    """An error is raised for people; the sentence it is raised with is its example."""
    return inspect.isclass(thing) and issubclass(thing, BaseException)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_a_docstring_with_an_example(package):
    for name, thing in public_things(package):
        said = inspect.getdoc(thing) or ""
        assert re.search(r"\w", said), f"sf.{package}.{name} has no docstring"
        assert ">>>" in said or is_an_error(thing), f"sf.{package}.{name} has no example"


@pytest.mark.parametrize("package", PACKAGES)
def test_examples_run_as_printed(package, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for name, thing in public_things(package):
        said = inspect.getdoc(thing) or ""
        if name not in FRONT and ">>>" in said:
            known = vars(import_module(thing.__module__)).copy()
            example = doctest.DocTestParser().get_doctest(said, known, f"sf.{package}.{name}", None, 0)
            assert runner.run(example).failed == 0


def test_every_function_of_the_facade_says_what_it_gives_and_refuses():
    writes = {"write_reports", "write_study"}  # what goes wrong with writing is the system's word
    for name in FRONT:
        if inspect.isfunction(thing := inspect.unwrap(getattr(sf, name))):
            said = inspect.getdoc(thing)
            raised = re.search(r"^Raises:\n((?: +.*\n?)+)", said, re.MULTILINE)
            assert raised or name in writes, f"sf.{name} does not say what it raises"
            for error in re.findall(r"^ {4}(\w+):", raised.group(1), re.MULTILINE) if raised else ():
                assert issubclass(getattr(sf.errors, error), sf.errors.SfumatoError)
