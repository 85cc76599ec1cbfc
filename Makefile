# Two commands matter to a newcomer: `make demo` and `make test`. Both set up what they need.
PYTHON := .venv/bin/python

.PHONY: help demo serve server spark test suite suite-here suite-spark suite-compiled test-slow test-all test-wheel test-oldest mutants lint style types format bench papers browser corpus architecture docs release setup clean

# Compiled modules are kept: hundreds of tests start a process of their own.
unexport PYTHONDONTWRITEBYTECODE

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

demo: setup  ## one real survey: plan, publish, open by degrees, recover, verify, report
	@$(PYTHON) demo/demo.py

serve: server  ## a live study with simulated respondents: open the dashboard and see it move
	@$(PYTHON) demo/serve.py

# Several workers use all cores; threads of their own would only stand in each other's way.
suite test-slow: export OPENBLAS_NUM_THREADS = 1

# The same examples of every property each time, so that a change is judged by what it changes.
suite: export SFUMATO_EXAMPLES = ci

# Types are judged while the tests run.
test: spark style  ## linters, types and every test that takes less than a minute
	@tools/system-packages
	@$(MAKE) --no-print-directory -j 3 types suite

# Spark is started once, in a process of its own beside the others.
suite: suite-here suite-spark

# Each test begins with what its neighbours have made already, and whoever is done first takes over from the others.
suite-here: suite-compiled
	@tools/in-memory $(PYTHON) -m pytest -q -n 3 --dist worksteal -m "not slow" --ignore tests/engines/spark

suite-spark: suite-compiled
	@tools/in-memory $(PYTHON) -m pytest -q -m "not slow" tests/engines/spark > build/spark.txt 2>&1; \
	  status=$$?; cat build/spark.txt; exit $$status

# The first collection compiles all tests, once for all workers.
suite-compiled:
	@mkdir -p build
	@$(PYTHON) -m pytest --collect-only -q > build/collected.txt || { tail -n 40 build/collected.txt; exit 1; }

test-slow: spark .venv/.docs  ## the long soaks
	@$(PYTHON) -m pytest -q -m slow
	@SFUMATO_EXAMPLES=thorough $(PYTHON) -m pytest -q -n 2 --dist worksteal -m "hypothesis and not slow"

test-all: setup  ## the suite on every Python from 3.11 to 3.13 found here
	@tools/system-packages
	@tools/test-all

test-wheel: setup  ## build wheel and sdist; the wheel does the README's study in an empty environment
	@tools/test-wheel

test-oldest: setup  ## the suite on the oldest dependencies that are allowed
	@tools/test-oldest

mutants: setup  ## plant bugs one at a time in a copy of the tree, and see which test catches each
	@$(PYTHON) tools/mutants

corpus: setup  ## compare what is computed with the record in tests/corpus
	@$(PYTHON) tools/corpus check

lint: style types

style: setup
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check --quiet .

types: setup
	@$(PYTHON) -m mypy

format: setup  ## let ruff lay out the code
	@$(PYTHON) -m ruff format .
	@$(PYTHON) -m ruff check --fix .

bench: spark  ## speed, as ratios within one run
	@$(PYTHON) tools/bench

papers: setup  ## the five papers' figures and numbers beside the print, into build/papers
	@$(PYTHON) -m reproduce

architecture: setup  ## the packages, their sizes and the modules that a verb runs, into docs/architecture.md
	@$(PYTHON) tools/architecture --write

docs: .venv/.docs  ## the site, into build/site: searchable, and no request leaves it
	@$(PYTHON) tools/build-site

release: setup  ## build, test and tag: make release VERSION=0.2.0 (first: tools/release 0.2.0 --prepare)
	@tools/release "$(VERSION)"

browser:  ## build what runs in browsers into the package, where it is committed
	@tools/system-packages
	@cd browser && node build.mjs

setup: .venv/.ready

server: .venv/.server

.venv/.server: pyproject.toml tools/setup
	@tools/setup "" .venv dev,server

# Spark is large, and the demo does without it.
spark: .venv/.spark

.venv/.spark: pyproject.toml tools/setup
	@tools/setup "" .venv dev,spark,server

.venv/.docs: pyproject.toml tools/setup
	@tools/setup "" .venv dev,docs

.venv/.ready: pyproject.toml tools/setup
	@tools/setup

clean:  ## forget the environments
	rm -rf .venv .venv-*
