# Two commands matter to a newcomer: `make demo` and `make test`. Both set up what they need.
PYTHON := .venv/bin/python

.PHONY: help demo spark test test-slow test-all mutants lint format bench setup clean

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

demo: setup  ## one real survey: plan, publish, open by degrees, recover, verify, report
	@$(PYTHON) demo/demo.py

# Two workers use both cores; threads of their own would only stand in each other's way.
test test-slow: export OPENBLAS_NUM_THREADS = 1

test: spark lint  ## linters, types and every test that takes less than a minute
	@tools/system-packages
	@$(PYTHON) -m pytest -q -n 2 -m "not slow"

test-slow: spark  ## the long soaks
	@$(PYTHON) -m pytest -q -m slow

test-all: setup  ## the suite on every Python from 3.11 to 3.13 found here
	@tools/system-packages
	@tools/test-all

mutants: setup  ## plant bugs one at a time in a copy of the tree, and see which test catches each
	@$(PYTHON) tools/mutants

lint: setup
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check --quiet .
	@$(PYTHON) -m mypy

format: setup  ## let ruff lay out the code
	@$(PYTHON) -m ruff format .
	@$(PYTHON) -m ruff check --fix .

bench: spark  ## speed, as ratios within one run
	@for file in bench/*.py; do $(PYTHON) $$file || exit 1; done

setup: .venv/.ready

# Spark is large, and the demo does without it.
spark: .venv/.spark

.venv/.spark: pyproject.toml tools/setup
	@tools/setup "" .venv dev,spark

.venv/.ready: pyproject.toml tools/setup
	@tools/setup

clean:  ## forget the environments
	rm -rf .venv .venv-*
