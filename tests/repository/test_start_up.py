"""Which libraries and modules a start loads; seconds are measured by bench/startup.py."""

import ast
import os
import subprocess
import sys
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from sfumato.cli.app import VERBS
from sfumato.lazy import modules_in, names_on_demand

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "sfumato"
STUBS = sorted(SOURCE.rglob("__init__.pyi"))
HEAVY = {"scipy", "numba", "pyarrow", "matplotlib", "pydantic", "cryptography", "highspy", "constriction"}
LOADED = """
import atexit, sys
atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))
from sfumato.cli import main
main()
"""


def modules_of(*words):
    done = subprocess.run([sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=True)
    return done.stderr.split()


def loaded_by(*words):
    return {name.partition(".")[0] for name in modules_of(*words)}


def readme_study(folder):
    text = (ROOT / "README.md").read_text()
    path = folder / "study.toml"
    path.write_text(text.partition("```toml\n")[2].partition("```")[0])
    return path


def test_the_version_is_printed_without_loading_a_library():
    assert not loaded_by("--version") & (HEAVY | {"numpy", "rich", "typer", "msgspec"})


def test_help_needs_no_arithmetic():
    assert not loaded_by("--help") & (HEAVY | {"numpy", "rich", "msgspec"})


@pytest.mark.parametrize("words", [("--help",), ("-h",)])
def test_the_first_page_of_help_imports_no_verb(words):
    homes = {f"sfumato.cli.{verb.module}" for verb in VERBS.values()}
    assert not homes & set(modules_of(*words))
    assert "sfumato.cli.verify" in homes & set(modules_of("verify", "--help")), "the test sees modules of verbs"


def test_a_plan_and_its_verification_do_without_the_heavy_libraries(tmp_path):
    study = readme_study(tmp_path)
    assert not loaded_by("plan", str(study), "-o", str(tmp_path)) & HEAVY
    assert not loaded_by("verify", str(tmp_path / "way.certificate.json")) & HEAVY


# What draws, what compiles, what estimates from reports, and what reads or writes publications and key files.
NOT_FOR_A_PLAN = {
    *("sampling.compiling", "sampling.noise", "ladders.shift_kernel", "ladders.mask_kernel"),
    *("inference.joint_tables", "inference.weighted_estimates", "inference.heavy_hitters", "inference.regression"),
    *("keys.key_files", "keys.key_documents", "keys.draw_coding", "files.public_tables", "engines", "server"),
    *("publications.reports", "publications.part", "publications.place", "publications.estimating"),
    *("publications.opening", "publications.key_folder", "workflows.publishing", "workflows.reading"),
}


def test_a_plan_loads_nothing_that_estimates_draws_or_publishes(tmp_path):
    loaded = modules_of("plan", str(readme_study(tmp_path)))
    assert not {f"sfumato.{name}" for name in NOT_FOR_A_PLAN} & set(loaded)
    assert "sfumato.study.ladder_questions" in loaded  # the test sees modules


@pytest.mark.parametrize("name", sorted(NOT_FOR_A_PLAN))
def test_what_a_plan_does_not_load_is_a_module(name):
    path = SOURCE.joinpath(*name.split("."))
    assert path.is_dir() or path.with_suffix(".py").is_file()


@pytest.mark.parametrize(("given", "found"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")])
def test_the_command_starts_no_threads_for_matrices_unless_it_is_asked_to(given, found):
    code = "import atexit, os; atexit.register(lambda: print(os.environ['OPENBLAS_NUM_THREADS']))\n"
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"} | given
    done = subprocess.run(
        [sys.executable, "-c", f"{code}from sfumato.cli import main; main()", "--help"],
        capture_output=True, text=True, check=True, env=environment,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == found


def test_the_command_runs_as_a_module_too():
    done = subprocess.run([sys.executable, "-m", "sfumato", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("sfumato ")


FIRST_LOOP = """
import sys
import numpy as np
import sfumato as sf
sf.mechanisms.CyclicResponse.within(size=6, epsilon=1.0).privatize([0, 1, 2])
print("scipy.linalg" in sys.modules)
import numba
from numba.np import arraymath, linalg
product = numba.njit(lambda a, b: np.dot(a, b))(np.eye(2), np.full((2, 2), 3.0))
print(product.tolist(), arraymath.ensure_blas is linalg.ensure_blas, "scipy.linalg" in sys.modules)
"""


def test_the_first_loop_is_loaded_without_linear_algebra_and_matrices_of_others_are_still_multiplied():
    done = subprocess.run([sys.executable, "-c", FIRST_LOOP], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False", "[[3.0, 3.0], [3.0, 3.0]] True True"]


def test_all_loops_are_compiled_by_the_one_that_is_ready():
    named = [path.name for path in SOURCE.rglob("*.py") if "\nimport numba\n" in path.read_text()]
    assert named == ["compiling.py"]


def test_the_test_sees_what_is_loaded():
    assert "typer" in loaded_by("--help")


def package_of(stub):
    return ".".join(("sfumato", *stub.parent.relative_to(SOURCE).parts))


@pytest.mark.parametrize("stub", STUBS, ids=package_of)
def test_a_package_has_the_names_of_its_stub(stub):
    """The stub is read by a pattern; the syntax tree says the same, and so does its own `__all__`."""
    text, package = stub.read_text(), package_of(stub)
    tree = ast.parse(text)
    imported = {
        alias.name: node.module for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert modules_in(text) == imported
    written = next(node.value for node in tree.body if isinstance(node, ast.Assign))
    module = import_module(package)
    assert module.__all__ == ast.literal_eval(written)
    assert set(module.__all__) == set(imported) <= set(dir(module))
    for name, home in imported.items():
        expected = import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)
        assert getattr(module, name) is expected


@pytest.mark.parametrize("stub", STUBS, ids=package_of)
def test_no_name_of_a_package_is_hidden_by_a_module_of_it(stub):
    """Importing a module sets it in its package under its own name, where it would hide a lazy name."""
    modules = {path.stem for path in stub.parent.iterdir()}
    package = package_of(stub)
    assert not {name for name, home in modules_in(stub.read_text()).items() if home != package} & modules


def test_a_package_refuses_names_that_it_does_not_have(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "a_package", ModuleType("a_package"))
    (tmp_path / "__init__.pyi").write_text("from fractions import Fraction\n")
    attribute, names = names_on_demand("a_package", str(tmp_path / "__init__.py"))
    assert attribute("Fraction") is Fraction
    assert "Fraction" in names()
    with pytest.raises(AttributeError, match="'a_package' has no attribute 'magic'"):
        attribute("magic")
