# Everything a newcomer needs: `make demo`, then `make test`. Only Python 3.11 and make are needed.

PYTHON ?= python3
VENV ?= .venv
RUN := $(VENV)/bin/python
DEMO := fixtures/built/good/mapinspect.toml
MEASURED := fixtures/built/qemu/mapinspect.toml

.PHONY: demo test lint check fixtures golden docs bench clean

# The environment is made again when the dependencies change.
$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: $(VENV)/.installed ## audit the firmware shipped in fixtures/, then a build that was measured
	$(RUN) -m mapinspect check --config $(DEMO)
	$(RUN) -m mapinspect check --config $(MEASURED)

test: $(VENV)/.installed ## run the tests
	$(RUN) -m pytest -n auto

lint: $(VENV)/.installed ## style and types
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

check: lint test ## what must pass before a commit

fixtures: $(VENV)/.installed ## rebuild fixtures/built with the toolchains present, and compare
	$(RUN) fixtures/rebuild.py

golden: $(VENV)/.installed ## rewrite tests/golden; read the diff before you commit it
	$(RUN) -m pytest tests --update-golden -q

docs: $(VENV)/.installed ## rewrite the generated parts of README.md and CHECKS.md
	$(RUN) -m tests.docs

bench: $(VENV)/.installed ## measure, side by side in one run
	$(RUN) -m tests.benchmarks

clean: ## remove the environment and caches
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
