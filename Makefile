# Everything runs in .venv, made on first use from python3 and the exact versions in constraints.txt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench
JOBS ?= 2

.PHONY: demo test quick versions check format bench fuzz soak mutants clean

demo: $(VENV)/.demo
	$(BIN)/python examples/demo.py

test: $(VENV)/.test
	$(BIN)/pytest -n $(JOBS) --dist worksteal

quick: $(VENV)/.test
	$(BIN)/pytest -n $(JOBS) --dist worksteal -m "not slow"

# Other versions of Python, where they are installed: the tests of laws and numbers, without the long ones.
# COMPUTED=tests runs all of them.
VERSIONS ?= 3.12 3.13
COMPUTED ?= tests/laws tests/scoring
versions: $(VERSIONS:%=version-%)

version-%:
	@python=$$(ls $$HOME/.pyenv/versions/$*.*/bin/python 2>/dev/null | tail -n 1); \
	python=$${python:-$$(command -v python$*)}; \
	if [ -z "$$python" ]; then echo "Python $*: not installed, not tested"; exit 0; fi; \
	echo "Python $*: tested with $$($$python --version)"; \
	$$python -m venv $(VENV)-$* && \
	$(VENV)-$*/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[test]" && \
	$(VENV)-$*/bin/pytest -n $(JOBS) --dist worksteal -m "not slow" $(COMPUTED)

check: $(VENV)/.check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.check
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(BENCH)/.ready
	$(BENCH)/bin/python -m bench

# Long runs: SECONDS for each fuzz target, MINUTES for all of the soak. Without atheris fuzzing is blind.
SECONDS ?= 120
MINUTES ?= 60

fuzz: $(VENV)/.fuzz
	$(BIN)/python -m fuzz --seconds $(SECONDS)

# Change one thing in each line of MODULES and see whether a test of TESTS fails; continues where it stopped.
MODULES ?= temporacle/reasoner
TESTS ?= tests/reasoner tests/laws tests/test_certificates.py tests/test_verify.py tests/test_check_task.py tests/tasks tests/hostile/test_solver_distrust.py

mutants: $(VENV)/.fuzz
	$(BIN)/python -m fuzz.mutants $(MODULES) --tests $(TESTS) --jobs $(JOBS)

soak: $(VENV)/.test
	$(BIN)/python -m fuzz.soak --minutes $(MINUTES)

clean:
	rm -rf $(VENV) $(VENV)-3.* $(BENCH) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# One stamp per set of extras; each is renewed when the project's requirements change.
$(VENV)/.demo: EXTRAS :=
$(VENV)/.test: EXTRAS := [test,figures,browser]
$(VENV)/.check: EXTRAS := [check,figures,browser]
$(VENV)/.fuzz: EXTRAS := [fuzz]
$(VENV)/.%: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".$(EXTRAS)"
	touch $@

# The peers ask for older versions of what constraints.txt names, so they are measured in an environment of their own.
$(BENCH)/.ready: pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[bench,peers]"
	touch $@
