# Every target sets up what it needs in .venv; nothing has to be installed first but Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEV := $(VENV)/.dev-installed
BENCH := $(VENV)/.bench-installed
DOCS := $(VENV)/.docs-installed

.PHONY: help demo test storage-servers soak siege fuzz crash differential history mutation lint type bench bench-quick bench-spark bench-plots coverage docs docs-generate clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("reasoner needs Python 3.11 or newer; this is %d.%d. Set PYTHON=/path/to/python3.11" % sys.version_info[:2]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(DEV): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(BIN)/reasoner spark-setup --optional --quiet
	@$(BIN)/python -m tests.browser.install
	@touch $@

$(BENCH): $(DEV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	@touch $@

$(DOCS): $(DEV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,docs]'
	@touch $@

demo: $(DEV)  ## generate a small university, reason over it, ask, explain, delete
	$(BIN)/reasoner demo $(if $(ENGINE),--engine $(ENGINE))

test: $(DEV) lint type  ## everything that must hold: lint, types, tests, the code of the pages, coverage
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder -p tests.statement_coverage

storage-servers: $(DEV)  ## build servers of S3 and HDFS for tests/storage, into a cache; needs Go and Maven
	$(BIN)/python -m tests.storage.servers

soak: $(DEV)  ## random programs and updates against the oracle, new ones every time, until wrong, stopped or MINUTES=60 over; ENGINE=spark
	$(BIN)/python -m tests.soak $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED)) $(if $(ENGINE),--steps-only --engine $(ENGINE))

siege: $(DEV)  ## hostile requests against a server on loopback beside honest ones: REQUESTS=10000, SEED=
	$(BIN)/python -m tests.siege $(if $(REQUESTS),--requests $(REQUESTS)) $(if $(SEED),--seed $(SEED))

fuzz: $(DEV)  ## mutated inputs for everything that reads, until INPUTS=1000000 in all or MINUTES= over; SEED= runs one again
	$(BIN)/python -m tests.campaigns.fuzz $(if $(INPUTS),--inputs $(INPUTS)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED))

crash: $(DEV)  ## kills, lost writes, damaged files and full disks, until done or MINUTES= over; ENGINE=spark, SEED= runs one again
	$(BIN)/python -m tests.campaigns.crash $(if $(MINUTES),--minutes $(MINUTES)) $(if $(ENGINE),--engine $(ENGINE)) $(if $(SEED),--seed $(SEED))

differential: $(DEV)  ## random queries against pyoxigraph and in other ways, until QUERIES=100000 in all or MINUTES= over; ENGINE=spark
	$(BIN)/python -m tests.campaigns.differential $(if $(QUERIES),--queries $(QUERIES)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(ENGINE),--engine $(ENGINE)) $(if $(SEED),--seed $(SEED))

history: $(DEV)  ## CLIENTS=50 of one server for SECONDS=60, and whether what they saw is one history
	$(BIN)/python -m tests.campaigns.history $(if $(CLIENTS),--clients $(CLIENTS)) $(if $(SECONDS),--seconds $(SECONDS))

mutation: $(DEV)  ## changes of the code of rules and maintenance that a test should notice: SAMPLE=20
	$(BIN)/python -m tests.campaigns.mutation $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(MINUTES),--minutes $(MINUTES))

lint: $(DEV)  ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

type: $(DEV)  ## mypy --strict
	$(BIN)/mypy

bench: $(BENCH)  ## the figures of the README as ratios against peers, in one run
	$(BIN)/python -m benchmarks

bench-quick: $(BENCH)  ## whether anything became 25 % slower than recorded in benchmarks/recorded.json
	$(BIN)/python -m benchmarks --group regression --repeat 2

bench-spark: $(BENCH)  ## the figures of the Spark engine and the distributed loader
	$(BIN)/python -m benchmarks --group spark

bench-plots: $(BENCH)  ## curves over data, rules, classes and updates, drawn as SVG files in build/plots
	$(BIN)/python -m benchmarks scaling four-way break-even --plots build/plots

coverage: $(DEV)  ## the same statements and branches as a report to look at, in build/coverage; tracing takes three times as long
	$(BIN)/python -m pytest --cov --cov-branch --cov-report=html:build/coverage

docs: $(DOCS)  ## the documentation as a site in build/site; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "open build/site/index.html"

docs-generate: $(DEV)  ## write the page of commands and the pictures anew
	$(BIN)/python -m docs.generate.cli_page
	$(BIN)/python -m docs.generate.pictures

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
