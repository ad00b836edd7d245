# serve · unit · test · lint · bench · bench-start · walks · bundle · wheels · docs · npm · vsix · release · pictures · conformance · clean
#
# Every target sets up what it needs; the second time that takes seconds.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
BUNDLE := siteserver/webagent_site/bundle
NODE_MODULES := browser_bundle/node_modules
NPM_MODULES := npm/node_modules
NPM_BUILT := npm/webagent-page/bundle/bundle.json
VSCODE := editors/vscode

PROJECTS := pyproject.toml core/pyproject.toml siteserver/pyproject.toml devserver/pyproject.toml
SOURCES := $(shell find core/webagent -type f -not -path '*/__pycache__/*') \
           $(shell find browser_bundle/src browser_bundle/build browser_bundle/licenses -type f) \
           site_template/webagents.md

NPM_SOURCES := $(shell find npm -name node_modules -prune -o -path 'npm/*/src/*' -type f -print) \
               npm/build.mjs scripts/npm_bundle.py docs/design/contracts.md

# Tests wait for browsers and servers now and then, so one more of them runs than there are cores.
WORKERS := $(shell cores=$$(getconf _NPROCESSORS_ONLN); echo $$((cores < 4 ? cores + 1 : 4)))
# Files in the order of tests/conftest.py: the longest first.
PARALLEL := --dist loadfile --no-loadscope-reorder --numprocesses

# Each of some hundred Python processes would compile our sources anew, and each worker all tests.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help serve unit test lint bench bench-start walks bundle wheels docs npm vsix release pictures conformance setup chromium firefox redis clean

help:
	@echo 'make serve        set everything up and serve site_template'
	@echo 'make unit         run what needs neither a browser nor a server process, for every save'
	@echo 'make test         set everything up, a Chromium included, and run the tests'
	@echo 'make lint         ruff, mypy, import-linter, tsc, oxlint'
	@echo 'make bundle       build what the page downloads'
	@echo 'make wheels       build the wheels into dist/, and list their sizes'
	@echo 'make docs         build the site of the documentation into dist/docs, and check its links'
	@echo 'make npm          build the packages of npm into dist/'
	@echo 'make vsix         build the extension for Visual Studio Code into dist/'
	@echo 'make release      build and check everything that is published into dist/; it publishes nothing'
	@echo 'make pictures     take the pictures of the documentation from the real shop'
	@echo 'make bench        measure against the peers, as ratios'
	@echo 'make bench-start  measure the start in the page alone'
	@echo 'make walks        count the files that a call passes through'
	@echo 'make conformance  the big suites'
	@echo 'make clean        remove everything that make has made'

# Ctrl-C is how it ends, and not a failure of make.
serve: setup bundle
	@trap : INT; $(BIN)/webagent-dev serve site_template || test $$? -eq 130

unit: setup $(NODE_MODULES)/.package-lock.json
	@echo 'unit: the page (TypeScript), core and servers'
	@(cd browser_bundle && npm run --silent test) & page=$$!; \
	$(BIN)/pytest -m 'not process and not bundle and not hostile and not conformance' \
		$(PARALLEL) 4 tests/core tests/siteserver tests/devserver; \
	status=$$?; wait $$page && exit $$status

# On a busy machine a browser can be slower than a test waits for it; hence the second try.
test: setup chromium redis $(NPM_BUILT) $(VSCODE)/node_modules/.package-lock.json
	@echo 'test: the page and the packages of npm (TypeScript), core, servers and the whole path'
	@(cd browser_bundle && npm run --silent test && cd ../npm && npm run --silent test) & page=$$!; \
	$(BIN)/pytest -m 'not conformance' $(PARALLEL) $(WORKERS); status=$$?; wait $$page || exit; \
	if [ $$status -eq 1 ]; then \
		echo 'test: what failed once more, with nothing else at the same time'; \
		$(BIN)/pytest -m 'not conformance' --last-failed --last-failed-no-failures none --maxfail 3; \
		status=$$?; \
	fi; \
	exit $$status

lint: setup $(NODE_MODULES)/.package-lock.json $(NPM_MODULES)/.package-lock.json
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python scripts/house.py --check
	@$(BIN)/python scripts/english.py --check
	@$(BIN)/python scripts/version.py
	@cd browser_bundle && npm run --silent lint
	@cd npm && npm run --silent lint
	@echo 'lint: all well'

bench: setup chromium bundle
	@$(BIN)/python -m tests.bench

bench-start: setup chromium bundle
	@$(BIN)/python -m tests.bench start

walks: setup bundle
	@$(BIN)/python -m tests.bench.walks --check

conformance: setup chromium firefox redis docs $(NPM_BUILT)
	@echo 'conformance: CommonMark, the SDK of the format, tsc over many manifests, every Python at hand, native WebMCP, Firefox, the suites of MCP, the packages of npm in fresh projects, many examples of each property'
	@$(BIN)/pytest -m 'conformance or hypothesis' --hypothesis-profile many $(PARALLEL) $(WORKERS)

wheels: setup bundle
	@rm -f dist/*.whl
	@for project in core siteserver devserver; do \
		(cd $$project && ../$(BIN)/python -m hatchling build -t wheel -d ../dist >/dev/null) || exit; \
	done
	@wc -c dist/*.whl
	@echo 'wheels: done; next: pip install dist/*.whl'

docs: setup bundle $(VENV)/docs
	@$(BIN)/python scripts/docs.py

npm: setup $(NPM_BUILT)
	@mkdir -p dist && cd npm && npm pack --silent --workspaces --pack-destination ../dist

vsix: $(VSCODE)/node_modules/.package-lock.json
	@mkdir -p dist
	@cd $(VSCODE) && npm run --silent check && npm run --silent build && npm run --silent package

pictures: setup chromium bundle
	@$(BIN)/python -m tests.e2e.pictures

release: setup $(NPM_BUILT) $(VSCODE)/node_modules/.package-lock.json
	@$(BIN)/python scripts/release.py

bundle: setup $(BUNDLE)/bundle.json

setup: $(VENV)/ready

chromium: setup
	@$(BIN)/python -m tests.chromium --install

firefox: setup
	@$(BIN)/python -m tests.firefox --install

redis: setup
	@$(BIN)/python -m tests.redis_server --install

$(VENV)/ready: $(PROJECTS) lock.txt
	@sh scripts/need.sh "$(PYTHON)"
	@echo "setup: $$(grep -c == lock.txt) Python packages into $(VENV), which takes some minutes"
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check \
		--require-hashes --requirement lock.txt
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check \
		--no-deps --no-build-isolation \
		--editable core --editable siteserver --editable devserver --editable .
	@touch $@

$(VENV)/docs: docs_site/lock.txt $(VENV)/ready
	@echo 'setup: the generator of the documentation into $(VENV)'
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check \
		--require-hashes --requirement docs_site/lock.txt
	@touch $@

%/node_modules/.package-lock.json: %/package.json %/package-lock.json
	@sh scripts/need.sh "$(PYTHON)"
	@echo 'setup: Node packages into $*/node_modules'
	@cd $* && npm ci --silent --ignore-scripts
	@touch $@

$(NPM_MODULES)/.package-lock.json: npm/package.json npm/package-lock.json $(wildcard npm/*/package.json)
	@sh scripts/need.sh "$(PYTHON)"
	@echo 'setup: Node packages into $(NPM_MODULES)'
	@cd npm && npm ci --silent --ignore-scripts
	@touch $@

$(NPM_BUILT): $(BUNDLE)/bundle.json $(NPM_SOURCES) $(NPM_MODULES)/.package-lock.json
	@node npm/build.mjs --python $(BIN)/python

$(BUNDLE)/bundle.json: $(SOURCES) browser_bundle/wheels.txt core/pyproject.toml \
		$(NODE_MODULES)/.package-lock.json $(VENV)/ready
	@node browser_bundle/build/bundle.mjs $(BUNDLE) --python $(BIN)/python

clean:
	rm -rf $(VENV) $(NODE_MODULES) $(NPM_MODULES) $(VSCODE)/node_modules
	rm -rf $(BUNDLE) browser_bundle/.cache .cache dist $(VSCODE)/dist
	rm -rf npm/*/dist npm/webagent-page/bundle npm/webagent-page/types
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
