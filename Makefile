# Everything runs in .venv, made on first use from python3 and the exact versions in constraints.txt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench
JOBS ?= 2
# Tests start the program hundreds of times: compiled modules are kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all versions engines check format javascript docs tools frozen measure bench fuzz attack soak wheel mutants clean

demo: $(VENV)/.demo
	$(BIN)/python examples/demo.py

# What to run before a commit: everything that matters, within four minutes on two cores, in a bare clone as well.
# ROOM=io runs the tests of one room: those in tests/io, and the examples in the docstrings of temporacle/io.
LEFT := slow or corpora or browser
PYTEST_OPTIONS := -n $(JOBS) --dist worksteal
test: $(VENV)/.test
	$(BIN)/pytest $(PYTEST_OPTIONS) -m "not ($(LEFT))" $(if $(ROOM),tests/$(ROOM) $(wildcard temporacle/$(ROOM) temporacle/$(ROOM).py))

# What `make test` leaves out: long comparisons, faults, browsers, and corpora in ../shared where they are.
# `make test test-all` runs every test once.
test-all: $(VENV)/.test
	$(BIN)/pytest $(PYTEST_OPTIONS) -m "$(LEFT)"

# Other versions of Python, where they are installed: the tests of laws and scores, and every command once.
# COMPUTED=tests runs all that `make test` runs.
VERSIONS ?= 3.12 3.13 3.14
COMPUTED ?= tests/laws tests/scoring tests/commands/test_every_command.py
versions: $(VERSIONS:%=version-%)

version-%:
	@python=$$(ls $$HOME/.pyenv/versions/$*.*/bin/python 2>/dev/null | tail -n 1); \
	python=$${python:-$$(command -v python$*)}; \
	if [ -z "$$python" ]; then echo "Python $*: not installed, not tested"; exit 0; fi; \
	echo "Python $*: tested with $$($$python --version)"; \
	$$python -m venv $(VENV)-$* && \
	$(VENV)-$*/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[test,figures]" && \
	$(VENV)-$*/bin/pytest $(PYTEST_OPTIONS) -m "not ($(LEFT))" $(COMPUTED)

# Functions of users inside Dask, joblib, datasets and Spark (which needs Java), in an environment of their own.
engines:
	$(PYTHON) -m venv $(VENV)-engines
	$(VENV)-engines/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[test]" datasets joblib
	-$(VENV)-engines/bin/python -m pip install --quiet --disable-pip-version-check pyspark
	$(VENV)-engines/bin/pytest -m "" -rs --durations=0 tests/runner/test_other_engines.py

check: $(VENV)/.check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory javascript

format: $(VENV)/.check
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@$(MAKE) --no-print-directory javascript SCRIPT=format

# Form, types and tests of the JavaScript, with the exact versions in package.json. SCRIPT names one of its scripts.
# Without Node.js, or if npm cannot install the tools, one line says that nothing was checked.
SCRIPT ?= check
javascript:
	@if ! command -v node >/dev/null || ! command -v npm >/dev/null; then \
		echo "JavaScript: not checked, Node.js (node and npm) is not installed"; \
	elif ! $(MAKE) --silent node_modules/.ready; then \
		echo "JavaScript: not checked, npm could not install the tools that package.json names"; \
	else \
		npm run --silent $(SCRIPT); \
	fi

node_modules/.ready: package.json
	npm install --no-package-lock --no-audit --no-fund --fetch-retries=0 --loglevel=error
	touch $@

# The site, in build/site. A link that leads nowhere ends it.
docs: $(VENV)/.docs
	$(BIN)/python -m bench.site
	$(BIN)/zensical build --strict --clean

# The servers with the real Label Studio, and with a second reader of XMI, in an environment of their own.
TOOLS := .venv-tools
tools:
	test -e $(TOOLS) || $(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check label-studio==1.23.2 dkpro-cassis selenium --editable ".[serve]"
	$(TOOLS)/bin/python -m bench.tools

# Compare all answers with the frozen ones; QUICK=--quick takes a sample.
frozen: $(VENV)/.test
	$(BIN)/python -m bench.frozen --jobs $(JOBS) $(QUICK)

measure: $(VENV)/.test
	$(BIN)/python -m bench.measure

bench: $(BENCH)/.ready
	$(BENCH)/bin/python -m bench

# Long runs: SECONDS for each fuzz target, MINUTES for all of the soak. Without atheris fuzzing is blind.
SECONDS ?= 120
MINUTES ?= 60

fuzz: $(VENV)/.fuzz
	$(BIN)/python -m fuzz --seconds $(SECONDS)

# The table of docs/reliability.md with tries and survivors: at most ATTACK_SECONDS for each row.
ATTACK_SECONDS ?= 60

attack: $(VENV)/.test
	$(BIN)/python -m fuzz.attack --seconds $(ATTACK_SECONDS)

# The wheel in dist, from the sdist: built twice, and installed into an empty environment under each Python that is there.
WHEEL_VERSIONS ?= 3.11 3.12 3.13
wheel: $(VENV)/.test
	$(BIN)/python -m bench.wheel $(WHEEL_VERSIONS)

# Change one thing in each line of MODULES and see whether a test of TESTS fails; continues where it stopped.
MODULES ?= temporacle/reasoner
TESTS ?= tests/reasoner tests/laws tests/checker/test_verify.py tests/tasks tests/editing tests/hostile/test_solver_distrust.py

mutants: $(VENV)/.fuzz
	$(BIN)/python -m fuzz.mutants $(MODULES) --tests $(TESTS) --jobs $(JOBS)

soak: $(VENV)/.test
	$(BIN)/python -m fuzz.soak --minutes $(MINUTES)

clean:
	rm -rf $(VENV) $(VENV)-3.* $(VENV)-engines $(TOOLS) $(BENCH) node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# One stamp per set of extras; each is renewed when the project's requirements change.
$(VENV)/.demo: EXTRAS :=
$(VENV)/.test: EXTRAS := [test,figures,browser,docs]
$(VENV)/.check: EXTRAS := [check,figures,browser]
$(VENV)/.fuzz: EXTRAS := [fuzz]
$(VENV)/.docs: EXTRAS := [docs,figures]
$(VENV)/.%: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".$(EXTRAS)"
	touch $@

# The peers ask for older versions of what constraints.txt names, so they are measured in an environment of their own.
$(BENCH)/.ready: pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[bench,peers]"
	touch $@
