PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: help demo setup test check package package-from-index docs bench clean

help:
	@echo "make demo    learn the graphs of the procedures that ship with tgml"
	@echo "make test    run the tests"
	@echo "make check   run ruff, mypy and import-linter"
	@echo "make package build the wheel, and try it in empty environments, alone and with each extra"
	@echo "make package-from-index   the same with pip and a package index, on each Python there is"
	@echo "make docs    build the documentation as a site, into site"
	@echo "make bench   run the benchmarks on the data that TGML_DATA points at"
	@echo "make setup   create .venv with every extra and the development tools"
	@echo "make clean   remove .venv and all output"

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	touch $@

# The demonstration needs torch and nothing else beyond the core.
$(VENV)/.demo: $(VENV)/.created pyproject.toml constraints.txt
	$(PIP) --editable '.[torch]'
	touch $@

$(VENV)/.setup: $(VENV)/.created pyproject.toml constraints.txt
	$(PIP) --editable '.[torch,text,stats,draw,serve,logs,cluster]' --requirement requirements-dev.txt
	touch $@ $(VENV)/.demo

demo: $(VENV)/.demo
	$(BIN)/tgml demo --output demo-output

setup: $(VENV)/.setup

test: $(VENV)/.setup
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2 --dist loadgroup

check: $(VENV)/.setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

package: $(VENV)/.setup
	$(BIN)/python -m pytest tests/packaging -m wheel

package-from-index: $(VENV)/.setup
	$(BIN)/python -m pytest tests/packaging -m network

docs: $(VENV)/.setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/.setup
	mkdir -p bench-output
	$(BIN)/tgml bench paper --output bench-output
	$(BIN)/tgml bench figures --output bench-output/figures
	$(BIN)/tgml bench captaincook4d --json bench-output/captaincook4d.json
	$(BIN)/tgml bench captaincook4d-unfiltered --json bench-output/captaincook4d-unfiltered.json
	$(BIN)/tgml bench assembly101-o --json bench-output/assembly101-o.json
	$(BIN)/tgml bench epic-tent-o --json bench-output/epic-tent-o.json
	$(BIN)/tgml bench perturbation --output bench-output
	$(BIN)/tgml bench unseen --json bench-output/unseen.json
	$(BIN)/tgml bench understanding --json bench-output/understanding.json
	$(BIN)/tgml bench fusion-weights --json bench-output/fusion-weights.json
	$(BIN)/tgml bench synthetic --output bench-output
	$(BIN)/tgml bench calibration --output bench-output
	$(BIN)/tgml bench speed --json bench-output/speed.json
	$(BIN)/tgml bench monitor --json bench-output/monitor.json
	$(BIN)/tgml bench captaincook4d-trials --json bench-output/captaincook4d-trials.json
	$(BIN)/tgml bench assembly101-trials --json bench-output/assembly101-trials.json
	$(BIN)/tgml bench synthetic-trials --json bench-output/synthetic-trials.json
	$(BIN)/tgml bench monitor-uncertain --json bench-output/monitor-uncertain.json
	$(BIN)/tgml bench smoother --json bench-output/smoother.json
	$(BIN)/tgml bench alignment --json bench-output/alignment.json
	$(BIN)/tgml bench recogniser --json bench-output/recogniser.json
	$(BIN)/tgml bench draw --json bench-output/draw.json
	$(BIN)/tgml bench serve --json bench-output/serve.json
	$(BIN)/tgml bench scale --json bench-output/scale.json
	$(BIN)/tgml bench scaling --json bench-output/scaling.json

clean:
	rm -rf $(VENV) demo-output bench-output test-output site
