# Every target makes its own virtual environment on first use. `make help` lists them.
# The system's own Python comes first if it will do: distributions build theirs with profile-guided optimisation, and
# the service takes a tenth less of the processor with it (docs/decisions/0018).
PYTHON ?= $(shell for each in /usr/bin/python3 python3; do $$each -c 'import ensurepip, sys; \
	sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$each && break; done)
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
TOOLS  := .tools

# What was compiled is kept, wherever make is run: without that every run of the tests compiles all of them anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo serve test quick lint tools bench installs requirements docs clean

help: ## what can be made
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

$(STAMP): requirements.txt requirements-dev.txt pyproject.toml
	@$(or $(PYTHON),false) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "muster needs Python 3.11 or newer, with venv; set PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(STAMP) ## five simulated machines become a cluster (KEEP=1 leaves the service running)
	@KEEP=$(KEEP) ./scripts/demo $(BIN)/muster

serve: $(STAMP) ## run the service on port 8090 with its data in ./data
	$(BIN)/muster serve

test: $(STAMP) ## every test
	$(BIN)/pytest -n 2 --dist loadgroup $(ARGS)

# A third of the time of these tests is waiting, so two processors have work for three.
quick: $(STAMP) ## the tests to run all the time
	$(BIN)/pytest -m "not slow" -n 3 --dist worksteal $(ARGS)

lint: $(STAMP) ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

tools: $(TOOLS)/bin/coreos-installer $(TOOLS)/bin/nmstatectl ## build the real programs that tests compare with

$(TOOLS)/bin/coreos-installer: CRATE := coreos-installer@0.27.0
$(TOOLS)/bin/nmstatectl: CRATE := nmstatectl@2.2.62
$(TOOLS)/bin/%:
	@command -v cargo >/dev/null || { echo "cargo is absent; building $* needs Rust 1.89 or newer, see https://rustup.rs" >&2; exit 1; }
	CARGO_PROFILE_DEV_DEBUG=0 cargo install --quiet --debug --locked --no-track --root $(TOOLS) $(CRATE)

bench: $(STAMP) ## print the budgets: CPU per call, idle, memory (HOSTS="100 1000", DATABASES="sqlite postgresql")
	$(BIN)/python bench/budgets.py $(if $(HOSTS),--hosts $(HOSTS)) $(if $(DATABASES),--databases $(DATABASES)) $(ARGS)

installs: $(STAMP) ## print what whole installations cost, of 10, 100 and 1000 clusters (CLUSTERS="10 100")
	$(BIN)/python bench/installs.py $(if $(CLUSTERS),--clusters $(CLUSTERS)) $(ARGS)

docs: $(STAMP) ## write the generated tables in docs/ anew
	$(BIN)/python docs/generate.py

requirements: $(STAMP) ## compile the pinned, hashed requirements anew
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 \
		pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 \
		pyproject.toml --group dev -c requirements.txt -o requirements-dev.txt

clean: ## remove what was made
	rm -rf $(VENV) data .pytest_cache .mypy_cache .ruff_cache .hypothesis
