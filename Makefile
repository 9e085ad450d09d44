# Two commands do everything: `make run` and `make test`. See README.md.
VENV := .venv
BIN := $(VENV)/bin
INPUTS := pyproject.toml constraints.txt scripts/setup scripts/requirements.py
WORKERS ?= 4  # tests often wait for something, so more of them run side by side than there are cores
SIDE_BY_SIDE := -n $(WORKERS) --dist worksteal
# Units and contracts: what takes seconds, without whole turns, terminals, the escape suite and real models.
FAST_TESTS := $(addprefix tests/,architecture contracts models policies protocol sandboxes session settings tools test_lmc.py) \
	--ignore=tests/models/embedded --ignore=tests/models/test_llama_cpp.py
PAGE := src/interpreter/server/page/index.html
PAGE_SOURCES := $(shell find web -name node_modules -prune -o -type f ! -name events.ts ! -name visible-table.ts -print)
PROTOCOL := $(shell find src/interpreter/protocol -name "*.py")
export ASK

.PHONY: run serve page test test-server test-voice test-escape test-conformance test-litellm test-integrations test-nightly test-desktop test-miniwob check types-and-floors format bench bench-small bench-dabench constraints clean help

help:
	@echo 'make run                start the interpreter        make run ASK="..."   ask one thing'
	@echo 'make serve              the same as a web page'
	@echo 'make test               set up and run all tests    make check           format, lint, types, floors, tests'
	@echo 'make test FAST=1        the third of them that needs a minute, while you work on something'
	@echo 'make test-escape        try to get out of the sandbox, as root and as an ordinary user'
	@echo 'make page               build the web page (needs Node 20 and npm)'
	@echo 'make bench              print the benchmarks        make format          format the code'

run: $(VENV)/.run
	@[ "$$(uname)" != Linux ] || command -v bwrap >/dev/null || scripts/system-packages bubblewrap || echo 'setup: going on with the weaker sandbox meanwhile' >&2
	@export REPLOOP_DOWNLOAD=1; if [ -n "$$ASK" ]; then exec $(BIN)/interpreter -y --once -- "$$ASK"; else exec $(BIN)/interpreter; fi

# The same in a web page, on this machine; the page is built once, for which npm is installed where it is missing.
serve: $(VENV)/.run $(PAGE)
	@export REPLOOP_DOWNLOAD=1; exec $(BIN)/interpreter serve

test: $(VENV)/.test $(VENV)/.system $(PAGE) .peers/.done
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) $(if $(FAST),$(FAST_TESTS)) $(PYTEST)

# Every way out of the sandbox that we know, tried as root and as an ordinary user (for the former, start it as root);
# among the ordinary tests each of them is tried as one of the two.
test-escape: $(VENV)/.test $(VENV)/.system
	ESCAPE=all $(BIN)/python -m pytest $(SIDE_BY_SIDE) tests/escape $(PYTEST)

# All that the Model Context Protocol's own suite requires; a few of its scenarios are among the ordinary tests.
test-conformance: $(VENV)/.test .peers/.done
	CONFORMANCE=all $(BIN)/python -m pytest -rs tests/mcp/test_conformance.py $(PYTEST)

# Apart, because LiteLLM alone is larger than everything else together.
test-litellm: $(VENV)/.litellm
	$(BIN)/python -m pytest tests/models/test_litellm_bridge.py $(PYTEST)

# Eighty times as many random programs, and kills at 25 times as many moments: for a night.
test-nightly: $(VENV)/.test $(VENV)/.system
	RANDOM_PROGRAMS=2000 KILLS=100 $(BIN)/python -m pytest tests/checkpoints/test_random_programs.py \
		tests/checkpoints/test_random_tools.py tests/checkpoints/test_kills.py $(PYTEST)
	$(MAKE) test-server

# The server killed in 50 random moments, a connection cut 200 times, more random requests: minutes.
test-server: $(VENV)/.test $(VENV)/.system
	SERVER_KILLS=50 SERVER_CUTS=200 SERVER_EXAMPLES=50 $(BIN)/python -m pytest tests/server --timeout 1200 $(PYTEST)

# Every kind of MiniWoB++ task with five seeds instead of one, and the whole matrix of typing.
test-desktop: $(VENV)/.test $(VENV)/.system
	MINIWOB_SEEDS=5 TYPING_TRIES=20 $(BIN)/python -m pytest tests/desktop $(PYTEST)

test-miniwob: $(VENV)/.test $(VENV)/.system
	MINIWOB_SEEDS=5 $(BIN)/python -m pytest tests/desktop/test_miniwob.py $(PYTEST)

# All sentences that are said and heard again, through all channels: an hour of one core.
test-voice: $(VENV)/.test $(VENV)/.system $(PAGE)
	ALL_SENTENCES=1 $(BIN)/python -m pytest -rs tests/voice tests/server/test_audio.py tests/server/page/test_voice.py \
		tests/terminal/test_voice.py $(PYTEST)

# CrewAI brings 130 packages, some at odds with ours, so its adapter is tested in a place of its own.
test-integrations:
	@[ -x .venv-integrations/bin/python ] || python3 -m venv .venv-integrations
	.venv-integrations/bin/python -m pip install -q --upgrade 'pip>=25.1'
	.venv-integrations/bin/python -m pip install -q --group integrations -e .
	.venv-integrations/bin/python -m pytest -rs tests/docs -k crewai

check: $(VENV)/.test $(VENV)/.system
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(MAKE) -j 2 types-and-floors test

types-and-floors: $(VENV)/.test
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

page: $(PAGE)

bench: $(VENV)/.test $(VENV)/.system $(PAGE)
	$(BIN)/python -m bench

# Questions about data for the built-in model, and a single shot of it beside ours: minutes for each.
bench-dabench: $(VENV)/.bench $(VENV)/.system
	$(BIN)/python -m bench.small dabench $(N) $(SMALL)

bench-small: $(VENV)/.bench $(VENV)/.system
	$(BIN)/python -m bench.small everyday $(N) $(SMALL)

constraints: $(VENV)/.test
	$(BIN)/python scripts/pin.py

$(VENV)/.run: $(INPUTS)
	@scripts/setup $@ local data server

$(VENV)/.test: $(INPUTS)
	@scripts/setup $@ test check
	@touch $(VENV)/.run

$(VENV)/.bench: $(INPUTS)
	@scripts/setup $@ test check bench
	@touch $(VENV)/.run $(VENV)/.test

$(VENV)/.litellm: $(INPUTS)
	@scripts/setup $@ test check litellm
	@touch $(VENV)/.run $(VENV)/.test

$(VENV)/.system: scripts/test-packages.txt scripts/system-packages
	@scripts/system-packages $$(cat scripts/test-packages.txt)
	@touch $@

# The page is shipped in the wheel and not committed; its versions are pinned in web/package.json.
web/node_modules/.installed: web/package.json
	@command -v npm >/dev/null || scripts/system-packages npm
	@echo 'setup: installing what builds the page (once)' >&2
	@cd web && npm install --no-package-lock --no-audit --no-fund --silent
	@touch $@

$(PAGE): $(VENV)/.run web/node_modules/.installed $(PAGE_SOURCES) $(PROTOCOL) scripts/event_types.py scripts/visible_table.py
	@$(BIN)/python scripts/event_types.py
	@$(BIN)/python scripts/visible_table.py
	@cd web && npm run --silent build

# Other implementations of the protocols that we speak; without them their tests say that they were skipped.
.peers/.done: scripts/peers
	@scripts/peers || echo 'setup: other implementations could not be installed; their tests are skipped' >&2

clean:
	rm -rf $(VENV) .peers web/node_modules src/interpreter/server/page build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
