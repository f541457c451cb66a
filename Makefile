# Every target sets up what it needs in .venv; nothing has to be installed first but Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEV := $(VENV)/.dev-installed
BENCH := $(VENV)/.bench-installed

.PHONY: help demo test soak lint type bench bench-plots clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("reasoner needs Python 3.11 or newer; this is %d.%d. Set PYTHON=/path/to/python3.11" % sys.version_info[:2]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(DEV): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(BENCH): $(DEV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	@touch $@

demo: $(DEV)  ## generate a small university, reason over it, ask, explain, delete
	$(BIN)/reasoner demo

test: $(DEV) lint type  ## everything that must hold: lint, types, tests
	$(BIN)/python -m pytest

soak: $(DEV)  ## random programs and updates against the oracle, new ones every time, until stopped or wrong
	while SOAK=1 $(BIN)/python -m pytest tests/test_agreement.py tests/test_nonrepetition.py tests/test_explain.py tests/maintenance; do :; done

lint: $(DEV)  ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

type: $(DEV)  ## mypy --strict
	$(BIN)/mypy

bench: $(BENCH)  ## the figures of the README as ratios against peers, in one run
	$(BIN)/python -m benchmarks

bench-plots: $(BENCH)  ## the benchmarks with curves, drawn as SVG files in build/plots
	$(BIN)/python -m benchmarks four-way break-even --plots build/plots

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
