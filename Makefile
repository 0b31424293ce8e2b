# `make` lists what there is to do. Python 3.11 or later, Rust, a C compiler and make are all it takes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv pip

# cargo and maturin share one folder, and both build for the Python of the environment.
export CARGO_TARGET_DIR ?= $(CURDIR)/kernel/target
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
unexport CONDA_PREFIX

CARGO_KERNEL := --manifest-path kernel/Cargo.toml
KERNEL := $(shell find kernel -name target -prune -o -type f -print)

LOWEST_TESTS := tests/test_mission.py tests/test_storage.py tests/text/test_counts.py tests/text/test_model.py tests/tables/kinds

.DEFAULT_GOAL := help
.PHONY: help demo test check bench docs figures notebooks explore fuzz audit wheel lowest format constraints clean

help: ## list these targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 18

demo: $(VENV)/.built ## train on the demo corpus, predict, explain
	$(BIN)/python -m banbury demo

test: $(VENV)/.built ## every test: the kernel's, the package's, the examples in docstrings
	cargo test --release $(CARGO_KERNEL)
	$(BIN)/pytest -q

check: $(VENV)/.built ## style, types, import layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	cargo fmt --check $(CARGO_KERNEL)
	cargo clippy $(CARGO_KERNEL) --all-targets --all-features -- -D warnings

bench: $(VENV)/.built ## how fast it is, against its peers
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/places.py

docs: $(VENV)/.built ## the documentation as a site, in site/: open site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

figures: $(VENV)/.built ## write the figures of benchmarks/results/*.json into the documents that name them
	$(BIN)/python docs/making/recorded.py

notebooks: $(VENV)/.built ## run the notebooks of docs/notebooks and store their outputs
	$(BIN)/python docs/making/notebooks.py

explore: $(VENV)/.built ## the property tests, with examples drawn anew; EXPLORE=tests/text for some of them
	$(BIN)/pytest -q --hypothesis-profile=explore -m hypothesis $(EXPLORE)

fuzz: $(VENV)/.built ## attack files, readers, mail and texts for some minutes; FUZZ="--seconds 3600" for longer
	$(BIN)/python tests/fuzzing.py $(FUZZ)

audit: $(VENV)/.built ## an SBOM, and known advisories where they can be looked up
	$(BIN)/python deploy/audit.py

wheel: $(VENV)/.built ## a wheel that needs no compiler, and the source, in dist/
	rm -rf dist
	$(BIN)/maturin build --release --quiet --out dist
	$(BIN)/maturin sdist --out dist
	@ls -l dist

lowest: wheel ## the tests of the core with the oldest releases that pyproject.toml allows
	$(PYTHON) -m venv $(VENV)/lowest
	$(UV) install -q -p $(VENV)/lowest -r constraints-lowest.txt dist/*.whl
	$(VENV)/lowest/bin/python -m pytest -q -p no:cacheprovider $(LOWEST_TESTS)

format: $(VENV)/.installed ## put the code in its standard form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	cargo fmt $(CARGO_KERNEL)

constraints: $(VENV)/.installed ## pin the newest releases in constraints.txt, the oldest in constraints-lowest.txt
	head -1 constraints.txt > $(VENV)/constraints.txt
	$(UV) compile -q pyproject.toml --group dev --upgrade --no-header --no-annotate >> $(VENV)/constraints.txt
	mv $(VENV)/constraints.txt constraints.txt
	head -1 constraints-lowest.txt > $(VENV)/constraints.txt
	$(UV) compile -q pyproject.toml --group lowest --extra serve --extra parquet --extra plot --extra sklearn \
		--resolution lowest-direct --no-header --no-annotate >> $(VENV)/constraints.txt
	mv $(VENV)/constraints.txt constraints-lowest.txt

clean: ## remove what these targets made
	rm -rf $(VENV) dist kernel/target src/banbury/_kernel*.so
	rm -rf site .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q -c constraints.txt uv
	$(UV) install -q -r constraints.txt
	touch $@

# An editable install: Python sources are used where they are, only the kernel is built.
$(VENV)/.built: $(VENV)/.installed $(KERNEL)
	$(BIN)/maturin develop --release --uv -q
	touch $@
