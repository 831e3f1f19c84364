# Needs make and a Python of 3.11 or newer; everything else goes into .venv from the locks.
SHELL := /bin/sh
PORT ?= 8000
HOST ?= 127.0.0.1
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	"$$p" -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && { echo "$$p"; break; }; done)

# `make test PYTHON=python3.12` has an environment of its own, .venv-3.12, beside the one that serves.
ifneq ($(and $(filter check test test-all environment,$(MAKECMDGOALS)),$(filter environment command,$(origin PYTHON))),)
VENV ?= .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
endif
VENV ?= .venv
RUN := $(VENV)/bin
INSTALL := $(RUN)/python -m pip install --quiet --disable-pip-version-check --require-hashes

# Compiled files make every later start quicker, also where the environment says otherwise.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help up check test test-all environment prepared lint format bench predictions s3 bertscore messages pictures docs wheel lock clean

help: ## Show a line per target
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

up: $(VENV)/.core ## Serve web and worker on http://127.0.0.1:8000 (PORT=8123 changes the port)
	@exec $(RUN)/python manage.py up --host $(HOST) --port $(PORT)

# What needs neither a database nor another server, but for the tests that take long.
CHECKED := tests/rules tests/schemas tests/facts tests/columns tests/importers tests/predictions tests/scorers \
	tests/pages/charts tests/test_contracts.py tests/test_docs.py tests/test_joining.py \
	tests/test_names.py tests/translation/test_texts.py

check: lint ## Check format, types and contracts, and run the tests that need no server, in a minute
	$(RUN)/python -m pytest --quiet --numprocesses 2 --dist worksteal --hypothesis-profile check \
		-m "not slow and not embedded" $(CHECKED)

test: ## Check everything and run the tests, in about ten minutes
	@$(MAKE) --no-print-directory --jobs 2 VENV=$(VENV) lint prepared
	$(RUN)/python -m tests.run

test-all: ## Run every test there is, on SQLite and on PostgreSQL, and with PyTorch
	@$(MAKE) --no-print-directory --jobs 2 VENV=$(VENV) lint prepared
	$(RUN)/python -m tests.run --everything

environment: $(VENV)/.dev

prepared: $(VENV)/.dev
	$(RUN)/python -m tests.prepare

lint: $(VENV)/.dev ## Check formatting, types and import contracts
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports
	cd client && $(abspath $(RUN))/lint-imports

format: $(VENV)/.dev ## Put the code in shape
	$(RUN)/ruff check --fix --exit-zero .
	$(RUN)/ruff format .
	$(RUN)/python docs/decisions_index.py

bench: $(VENV)/.dev ## Run the benchmarks
	$(RUN)/python -m benchmarks

predictions: $(VENV)/.predictions ## Install what challenges with files of predictions need

s3: $(VENV)/.s3 ## Install what keeps files in an S3 bucket (STORAGE_URL)

bertscore: $(VENV)/.bertscore ## Install PyTorch and what else the text metric BERTSCORE needs

messages: $(VENV)/.dev ## Collect the texts to translate and compile the catalogues; needs GNU gettext
	$(RUN)/python manage.py makemessages
	$(RUN)/python manage.py compilemessages --ignore '.venv*'

pictures: $(VENV)/.dev ## Take the pictures of README.md and docs/ anew, of the demo with Chromium
	$(RUN)/python -m tests.helpers.pictures

docs: $(VENV)/.dev ## Build the documentation into build/docs, and check its links
	$(RUN)/python -m sphinx --quiet --fresh-env --fail-on-warning --keep-going --nitpicky \
		--builder html --conf-dir docs . build/docs
	@echo "build/docs/index.html"

wheel: $(VENV)/.dev ## Build the wheels of server and client into dist/
	$(RUN)/python -m hatchling build --target wheel
	cd client && $(abspath $(RUN))/python -m hatchling build --target wheel --directory ../dist

# With hashes and without the address of an index, as packages may come through a mirror.
UV_LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --no-header pyproject.toml --extra text --extra scripts

lock: $(VENV)/.core ## Resolve the dependencies again and write the locks
	$(RUN)/$(UV_LOCK) --extra predictions --extra s3 --group test --group qa --group docs --output-file requirements-dev.lock
	$(RUN)/$(UV_LOCK) --constraint requirements-dev.lock --output-file requirements.lock
	$(RUN)/$(UV_LOCK) --extra predictions --constraint requirements-dev.lock \
		--output-file requirements-predictions.lock
	$(RUN)/$(UV_LOCK) --extra s3 --constraint requirements-dev.lock --output-file requirements-s3.lock
	$(RUN)/$(UV_LOCK) --extra bertscore --constraint requirements-dev.lock \
		--constraint requirements-torch.txt --no-emit-package torch \
		--output-file requirements-bertscore.lock
	$(RUN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --no-header client/pyproject.toml \
		--constraint requirements-dev.lock --output-file client/requirements.lock
	@! grep -nE '(https?|file)://' *.lock client/*.lock

clean: ## Remove the virtual environments and all caches; var/ stays
	rm -rf $(VENV) .venv-* .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/pip:
	@test -n "$(PYTHON)" || { echo "No Python of 3.11 or newer found: install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV) || { echo "On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@touch $@

$(VENV)/.core: requirements.lock $(VENV)/bin/pip
	@echo "Installing the product from requirements.lock"
	@$(INSTALL) -r requirements.lock
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/bin/pip
	@echo "Installing product and tools from requirements-dev.lock"
	@$(INSTALL) -r requirements-dev.lock
	@touch $@ $(VENV)/.core $(VENV)/.predictions $(VENV)/.s3

$(VENV)/.predictions: requirements-predictions.lock $(VENV)/bin/pip
	@echo "Installing scikit-learn, pandas and pyarrow from requirements-predictions.lock"
	@$(INSTALL) -r requirements-predictions.lock
	@touch $@

$(VENV)/.s3: requirements-s3.lock $(VENV)/bin/pip
	@echo "Installing django-storages and boto3 from requirements-s3.lock"
	@$(INSTALL) -r requirements-s3.lock
	@touch $@

# The lock has everything that PyTorch needs but PyTorch itself, whose builds differ.
$(VENV)/.bertscore: requirements-bertscore.lock requirements-torch.txt $(VENV)/bin/pip
	@echo "Installing BERTScore and PyTorch from requirements-bertscore.lock and requirements-torch.txt"
	@$(INSTALL) --no-deps -r requirements-bertscore.lock
	@$(RUN)/python -m pip install --quiet --disable-pip-version-check -r requirements-torch.txt
	@touch $@
