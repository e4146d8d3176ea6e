# `make help` lists the targets. Everything is installed in .venv, from the locks in requirements/.

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
PORT ?= 8000
PYTEST_ARGS ?=
APT ?= apt-get
CHROMIUM ?= chromium

BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
NODE_STAMP := site/node_modules/.installed
CODE := build/site-code/page.js
CODE_SOURCES := $(shell find site/code -name '*.ts') site/bundle.mjs site/tsconfig.json
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
# The locks hold the public index's hashes only, whatever mirrors and wheel folders this machine is set up for.
COMPILE := PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS= CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet \
	--generate-hashes --strip-extras --allow-unsafe --no-emit-index-url --no-emit-find-links --no-emit-trusted-host

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help build test lint format bench mutants fuzz serve lock schema clean venv browser code

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z.]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: venv code ## check, load, cross-check, site: everything in build/
	@$(BIN)/ridgeline build

test: venv browser code lint ## all linters, then all tests, those in the browser included
	@echo "pytest"
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(PYTEST_ARGS)

lint: venv $(NODE_STAMP) ## ruff, mypy, import rules, layout of the records, types of the browser code
	@echo "ruff check"
	@$(BIN)/ruff check --quiet --output-format concise .
	@echo "ruff format --check"
	@$(BIN)/ruff format --check --output-format concise . > build/format.log 2>&1 \
		|| { cat build/format.log; echo "Not formatted: run \`make format\`."; exit 1; }
	@echo "mypy"
	@$(BIN)/mypy --no-error-summary
	@echo "ridgeline format --check"
	@$(BIN)/ridgeline format --check > build/layout.log 2>&1 \
		|| { cat build/layout.log; echo "Not in the records' layout: run \`ridgeline format\`."; exit 1; }
	@echo "tsc"
	@cd site && npm run --silent check
	@echo "import rules"
	@$(BIN)/lint-imports --no-cache > build/lint-imports.log || { cat build/lint-imports.log; exit 1; }

format: venv ## mend what ruff can mend
	@$(BIN)/ruff check --quiet --fix . ; $(BIN)/ruff format .

bench: venv ## speed as ratios to lower bounds: one table, and build/bench.json (FULL=1 with 10,000 records)
	@$(if $(FULL),FULL=1 )$(BIN)/python -m benchmarks

mutants: venv ## make every number wrong, one at a time: what is caught (SAMPLE=5 for a few a record)
	@$(BIN)/python -m benchmarks.mutants $(if $(SAMPLE),--sample $(SAMPLE))
	@$(BIN)/python -m benchmarks.planted $(if $(SAMPLE),--sample $(SAMPLE))

fuzz: venv ## a minute of coverage-guided fuzzing for each reader of strangers' text (SECONDS=60)
	@for target in document numerals formulas figures; do \
		echo "fuzz $$target"; \
		$(BIN)/python -m tests.fuzz $$target -max_total_time=$(or $(SECONDS),60) -max_len=2000 -verbosity=0 -artifact_prefix=build/fuzz- || exit 1; \
	done

serve: venv code ## the site on http://127.0.0.1:$(PORT)
	@$(BIN)/ridgeline site serve --port $(PORT)

code: $(CODE) ## bundle the browser code of the site into build/site-code

$(CODE): $(NODE_STAMP) $(CODE_SOURCES)
	@cd site && npm run --silent build

$(NODE_STAMP): site/package-lock.json site/package.json
	@echo "Installing the locked packages of the browser code in site/node_modules"
	@mkdir -p build
	@cd site && npm ci --ignore-scripts --no-audit --no-fund > ../build/npm.log 2>&1 || { cat ../build/npm.log; exit 1; }
	@touch $@

schema: venv ## write schema/ from the types
	@$(BIN)/ridgeline schema

lock: venv ## compile requirements/*.txt from pyproject.toml (UPGRADE=1 to move the pins below it)
	@$(COMPILE) $(if $(UPGRADE),--upgrade) --output-file requirements/runtime.txt pyproject.toml
	@$(COMPILE) $(if $(UPGRADE),--upgrade) --extra dev --constraint requirements/runtime.txt \
		--output-file requirements/dev.txt pyproject.toml

clean: ## remove everything that the targets made
	rm -rf build $(VENV) tooling/ridgeline.egg-info .hypothesis site/node_modules
	find tooling tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

venv: $(STAMP)
	@mkdir -p build

$(STAMP): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Ridgeline needs Python 3.11 or newer; $(PYTHON) is older. Name another with make PYTHON=..."; exit 1; }
	@echo "Installing the locked environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --require-hashes --requirement requirements/dev.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

browser:
	@mkdir -p build
	@command -v $(CHROMIUM) > /dev/null || { \
		if [ "$$(id -u)" != 0 ]; then \
			echo "The browser tests need Chromium. Install it, for example with: sudo apt-get install chromium"; exit 1; \
		fi; \
		echo "Installing Chromium (log: build/chromium.log)"; \
		{ $(APT) update && DEBIAN_FRONTEND=noninteractive $(APT) install --yes --no-install-recommends chromium fonts-liberation; } \
			> build/chromium.log 2>&1 || { tail -n 20 build/chromium.log; exit 1; }; \
	}
	@command -v java > /dev/null || { \
		if [ "$$(id -u)" != 0 ]; then \
			echo "The check of the site's HTML needs Java. Install it, for example with: sudo apt-get install default-jre-headless"; exit 1; \
		fi; \
		echo "Installing Java for the check of the HTML (log: build/java.log)"; \
		{ $(APT) update && DEBIAN_FRONTEND=noninteractive $(APT) install --yes --no-install-recommends default-jre-headless; } \
			> build/java.log 2>&1 || { tail -n 20 build/java.log; exit 1; }; \
	}
