# Limen: `make run` to try it, `make test` for all tests, `make check` for what a change must pass, `make bench` for figures.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
QUESTION := How does Limen keep a secret from leaving?

.PHONY: run test check lint bench clean help
.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

run: $(VENV)/.base ## start a conversation; without a terminal, one sample question
	@if [ -t 0 ]; then exec $(BIN)/limen chat; else exec $(BIN)/limen ask "$(QUESTION)"; fi

test: $(VENV)/.dev ## run all tests
	@$(BIN)/python -m pytest

check: lint test ## lint, types, layers, then all tests

lint: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

bench: $(VENV)/.dev ## measure, beside a floor in the same run
	@for script in bench/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build src/*.egg-info

$(VENV)/.base: requirements/base.lock pyproject.toml
	@scripts/venv $(PYTHON) $(VENV) requirements/base.lock
	@touch $@

$(VENV)/.dev: requirements/dev.lock pyproject.toml
	@scripts/venv $(PYTHON) $(VENV) requirements/dev.lock
	@touch $(VENV)/.base $@
