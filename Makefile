# Everything sets itself up: `make demo` and `make test` work on a fresh clone, with or without uv and Java.

VENV ?= .venv
PYTHON ?= python3
# One more test process than processors: some wait for Java, Chromium or a server. Each begins with neighbouring tests,
# which share models and indexes.
PYTEST_ARGS ?= -n 3 --dist worksteal
DEMO_ARGS ?=

BIN := $(VENV)/bin
UV := $(shell uv --version >/dev/null 2>&1 && echo uv)

# Where a proxy has a certificate authority of its own, the system knows it and Python's bundled list does not.
CERTS := $(firstword $(wildcard /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem))
ifneq ($(CERTS),)
export SSL_CERT_FILE ?= $(CERTS)
export REQUESTS_CA_BUNDLE ?= $(CERTS)
export PIP_CERT ?= $(CERTS)
endif

# Where Python may not keep what it has compiled, each of the tests' many processes compiles torch and all others again.
unexport PYTHONDONTWRITEBYTECODE

# Neither a question nor another program's lock holds the tests up.
APT := DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -qq -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3

.PHONY: demo test lint wheels docs results setup browser pyodide clean help

help:  ## what there is to make
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

demo: $(VENV)/.demo  ## index the bundled collection, compare the rankings, show results
	$(BIN)/pyterrier-quantity experiment $(DEMO_ARGS)

# Each test process has a processor: a second thread of its libraries would wait for the other process.
test: export OMP_NUM_THREADS ?= 1
test: $(VENV)/.test browser pyodide  ## the tests
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(VENV)/.test  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy

wheels: $(VENV)/.test  ## what goes to PyPI, checked, and tried on every Python from 3.10 that is here
	PATH="$(abspath $(BIN)):$$PATH" .ci/wheels

docs: $(VENV)/.test pyodide  ## the documentation site, docs/_build/index.html; any warning is an error
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build

results: $(VENV)/.test  ## the tables of results that are older than the code, a night's work; FOLDER holds the data
	$(BIN)/python experiments/results_pages.py --make $(FOLDER)

setup: $(VENV)/.test  ## the virtual environment with all that tests and linters need

browser:  ## Debian's Chromium, for the tests of pages, which are skipped where it cannot be had
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || [ "$$(id -u)" != 0 ] \
	|| ! command -v apt-get >/dev/null \
	|| { $(APT) update && $(APT) install -y --no-install-recommends chromium chromium-driver; } >/dev/null 2>&1 \
	|| echo "chromium and chromium-driver cannot be installed here: the tests of pages are skipped"

pyodide:  ## Python for browsers, which the playground's page runs; the page goes without where it cannot be had
	@[ -f $(VENV)/pyodide/node_modules/pyodide/pyodide-lock.json ] \
	|| npm install --silent --no-fund --no-audit --prefix $(VENV)/pyodide pyodide@314.0.7 >/dev/null 2>&1 \
	|| echo "npm cannot install pyodide here: the playground is left out"

clean:  ## remove what the demo, the tests and the linters leave
	rm -rf docs/_build docs/api .demo .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info

# Two stamps: the demo installs a light environment, the tests add theirs.
$(VENV)/.demo: setup.cfg pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[pisa]'
	@touch $@

$(VENV)/.test: setup.cfg pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[test]'
	@touch $@ $(VENV)/.demo

ifeq ($(UV),uv)
INSTALL = uv pip install --quiet --python $(BIN)/python

$(BIN)/python:
	uv venv --quiet --allow-existing --seed --python "$$(.ci/find-python $(PYTHON) || echo 3.11)" $(VENV)
else
INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python

$(BIN)/python:
	python=$$(.ci/find-python $(PYTHON)) && "$$python" -m venv $(VENV)
	$(BIN)/python -m pip install --quiet uv
endif
