# Needs Python 3.11 to 3.13 with venv, and make. All that is installed goes into .venv.
PYTHON ?= python3
# The parser that `make check` judges: a registered name, a module, or ./file.py:attribute.
TARGET ?= reference
# More for pytest, as in `make test ARGS="-k retry"`.
ARGS ?=

BIN := .venv/bin
INSTALLED := .venv/.installed

.DEFAULT_GOAL := help
.PHONY: help install check test lint format long mutants bench clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s  %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

install: $(INSTALLED)  ## put the project and all it needs into .venv (again only when pyproject.toml changed)

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; (3, 11) <= sys.version_info < (3, 14) or sys.exit("$(PYTHON) is Python %d.%d; this project needs 3.11 to 3.13: type `make $(MAKECMDGOALS) PYTHON=python3.12`" % sys.version_info[:2])'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,libraries,fuzz,distributed]'
	@touch $@

check: $(INSTALLED)  ## run the suite on a parser: TARGET=reference, or another
	$(BIN)/pytest --target=$(TARGET) -n auto $(ARGS)

test: $(INSTALLED)  ## run all tests of the project itself
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder --timeout=300 --timeout-method=thread $(ARGS) tests

lint: $(INSTALLED)  ## ruff and mypy
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(INSTALLED)  ## let ruff repair what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

long: $(INSTALLED)  ## what needs longer than CI gives: twenty seeds at default effort, and mutants, into reports/
	$(BIN)/python tools/long.py --loaded --effort smoke
	$(BIN)/python tools/long.py
	$(BIN)/chunkproof mutants --effort default --seeds 20 --output reports/mutants.md
	$(BIN)/python tools/diagnoses.py
	$(BIN)/python tools/campaigns.py
	$(BIN)/python tools/mutate_reference.py

mutants: $(INSTALLED)  ## judge each small change of the reference parser by all rules, into reports/
	$(BIN)/python tools/mutate_reference.py

bench: $(INSTALLED)  ## the speed of the suite on this machine, and that of a campaign into reports/
	$(BIN)/python tools/bench.py
	$(BIN)/python tools/bench_campaign.py

clean:  ## remove .venv, caches and builds
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis dist build
