# `make demo` and `make test` set up what they need; all of it goes into .venv and .run.
# Only Python 3.11+ and make are needed. PYTHON=python3.12 picks the interpreter.

PYTHON ?= python3
BROKER ?= embedded
ARGS ?=
SEED ?= 1
MINUTES ?= 5
RUN := .venv/bin/python -m
READY := .venv/ready
PIP := --quiet --disable-pip-version-check
COMPILE := .run/lock/bin/pip-compile --quiet --allow-unsafe \
    --generate-hashes --strip-extras --no-header --no-annotate \
    --no-emit-index-url --no-emit-find-links --no-emit-trusted-host

.DEFAULT_GOAL := help
.PHONY: help setup demo test chaos lint proto kafka bench lock clean

help: ## Print this list.
	@awk -F ':[^#]*## ' '/^[a-z]+:[^#]*## / { printf "  make %-9s%s\n", $$1, $$2 }' \
	    $(firstword $(MAKEFILE_LIST))

setup: $(READY) ## Make .venv with everything in it, as requirements.lock says.

demo: setup ## Play, settle and replay both games: BROKER=embedded (default) or apache.
	@$(RUN) services.demo --broker $(BROKER) $(ARGS)

test: setup ## Run all tests; ARGS="-k name" for some. Apache Kafka's need a JDK 17+ and Maven.
	$(RUN) pytest -n 2 --dist loadfile --no-loadscope-reorder $(ARGS)

chaos: setup ## Faults from SEED for MINUTES, judged: .run/chaos/chaos-report.md (JDK 17+, Maven).
	@$(RUN) tests.chaos --seed $(SEED) --minutes $(MINUTES) $(ARGS)

lint: setup ## Check style, types, import contracts, generated code, and the schema (Node.js).
	$(RUN) ruff check .
	$(RUN) mypy
	.venv/bin/lint-imports --no-logo
	.venv/bin/python proto/generate.py --check
	.venv/bin/python proto/buf.py

proto: setup ## Generate pitledger/pb from proto/.
	.venv/bin/python proto/generate.py

kafka: setup ## Run Apache Kafka on port 9092 in the foreground (JDK 17+, Maven).
	@$(RUN) services.broker.apache $(ARGS)

bench: setup ## Measure, beside what else one would use.
	@$(RUN) bench $(ARGS)

lock: ## Write the lock files anew (network); ARGS=--upgrade takes the newest versions.
	$(PYTHON) -m venv --clear .run/lock
	.run/lock/bin/python -m pip install $(PIP) pip-tools==7.6.2
	$(COMPILE) --all-build-deps --all-extras -o requirements.lock $(ARGS) pyproject.toml
	$(COMPILE) --all-build-deps -c requirements.lock -o deploy/requirements.lock pyproject.toml
	$(COMPILE) -o bench/requirements.lock $(ARGS) bench/requirements.in

clean: ## Remove all that was made here, .venv and the broker's data too.
	rm -rf .venv .run build *.egg-info proto/node_modules
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "Pitledger needs Python 3.11 or newer; $(PYTHON) is" \
	    "$$($(PYTHON) -V 2>&1 | tail -n 1). Another one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "setting up .venv (some 100 MB the first time)"
	@.venv/bin/python -c '' 2>/dev/null || $(PYTHON) -m venv --clear .venv
	@.venv/bin/python -m pip install $(PIP) --require-hashes --only-binary=:all: \
	    -r requirements.lock
	@.venv/bin/python -m pip install $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@
