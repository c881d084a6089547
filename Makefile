# make run           set up, and play the shipped bots' tournament
# make test          run the tests that aren't marked slow; make test-slow, the slow ones; make test-both, both at once
# make test-thorough run everything that the other tests take samples of
# make docs          build the site in build/site/html; make docs-pictures, its pictures, from real runs
# make reference     write the tables of docs/reference from the code
# make check         lint, types and layers
# make debug         run the engine's tests on a core that stops at an index out of bounds or an overflow
# make lowest        play with the lowest versions of what pyproject.toml requires; make newest, with the newest
# make constraints   raise the versions that development and CI use
# make package-test  build sdist and wheel, install, and play from them; make wheel, the wheel in dist/
# make bench         run the measurements of benchmarks/README.md; make bench-peers, of other frameworks
# make build         set up, and compile the core; make clean, remove what was made
# PYTHON=python3.12 chooses the interpreter; another than python3 has an environment of its own.

PYTHON ?= python3
VENV := .venv$(if $(filter-out python3,$(PYTHON)),-$(subst /,_,$(patsubst /%,%,$(PYTHON))))
BIN := $(VENV)/bin
SOURCES := $(shell find engine -name "*.pyx" -o -name "*.pxd" -o -name "*.h")
CORE := $(subst /,.,$(basename $(filter %.pyx,$(SOURCES))))
DEBUG_TESTS := $(addprefix tests/, engine/test_von_neumann_poker.py engine/test_two_card_draw.py \
  worker/test_messages.py)
INSTALL := $(BIN)/python .ci/install
PYTEST := $(BIN)/python -m pytest
NEW_PYTHON = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tournament needs Python 3.11 or newer")'
# What a command says is shown only if it fails.
quietly = { $(1); } > $(VENV)/$(@F).log 2>&1 || { cat $(VENV)/$(@F).log; exit 1; }

# Set-up compiles the core while it downloads packages. A make that this one calls has its share already.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += --jobs=2
endif
# Without bytecode, which some images forbid, each of thousands of processes compiles what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test test-slow test-both test-thorough check lint types debug lowest newest constraints package-test wheel docs reference docs-pictures bench bench-peers build clean

# The lines at the top of this file; `make` alone prints them, too.
help:
	@sed -n 's/^# \(make .*\|PYTHON=.*\)/\1/p' Makefile

# The shipped bots in compiled languages are in C, whose library takes half the time of C++'s.
run:
	@$(NEW_PYTHON)
	@$(MAKE) --no-print-directory build $(VENV)/library_of_c
	@$(BIN)/tournament run von_neumann_poker

# One process more than cores: many tests wait for processes that start or end.
test: WHICH := not slow and not package and not thorough
test-slow: WHICH := slow and not package and not thorough
test-both: WHICH := not package and not thorough
test-thorough: WHICH := thorough
test-thorough: $(VENV)/kaggle
test test-slow test-both test-thorough: build $(VENV)/libraries $(VENV)/tools $(VENV)/collected
	@echo "Running the tests (a few minutes, thorough ones half an hour; longer when the compiler builds its libraries first)"
	@$(PYTEST) -m '$(WHICH)' --dist loadgroup --no-loadscope-reorder \
	  --numprocesses $$(($$(nproc) + 1)) --maxprocesses 4 --durations 15

package-test: build $(VENV)/libraries $(VENV)/tools
	@echo "Building the package and playing from it"
	@$(PYTEST) -m package tests/test_package.py

# In an environment of its own, with the core that is in place.
lowest newest: build $(VENV)/libraries
	@echo "Installing the $@ versions, and playing with them"
	@$(PYTHON) -m venv --clear $(VENV)-$@
	@$(call quietly, ENGINE_LATER=1 $(VENV)-$@/bin/python .ci/install --editable '.[serve]' packaging \
	  --resolution $(if $(filter lowest,$@),lowest-direct,highest))
	@$(call quietly, $(VENV)-$@/bin/python -m tests.lowest_versions)
	@head -1 $(VENV)/$@.log

# The versions that development and CI use; of every Python that the package allows.
constraints: $(VENV)/compilers
	@$(BIN)/python -m uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 --extra serve \
	  --extra openspiel --group dev --no-annotate --no-header --no-emit-find-links --output-file .ci/constraints.txt

wheel: build $(VENV)/libraries $(VENV)/tools
	@echo "Building the wheel (two minutes)"
	@$(call quietly, PATH="$$PWD/$(BIN):$$PATH" .ci/wheel $(BIN)/python)
	@ls dist/*.whl

check: types lint

types: $(VENV)/tools
	@echo "Checking types"
	@$(BIN)/mypy

# Layers, and stubs against the compiled core, too.
lint: build $(VENV)/tools
	@echo "Checking format, lint, layers and stubs"
	@$(BIN)/ruff format --check . && $(BIN)/ruff check .
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cython-lint engine
	@$(call quietly, $(BIN)/lint-imports && $(PYTEST) -p no:cacheprovider tests/engine/test_layers.py)
	@$(BIN)/stubtest --ignore-missing-stub --concise $(CORE)

# The fast core stays in its place; this one is in build/debug.
debug: build $(VENV)/libraries $(VENV)/tools
	@echo "Compiling the checked core"
	@$(call quietly, ENGINE_DEBUG=1 $(BIN)/python setup.py --quiet build_ext \
	  --build-lib build/checked --build-temp build/debug_objects)
	@rm -rf build/debug && mkdir build/debug
	@find engine -name "*.py" -o -name "*.so" | xargs cp --parents -t build/debug && cp -r build/checked/. build/debug
	@echo "Testing it"
	@LD_PRELOAD="$$(gcc -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=build/debug \
	  $(BIN)/python -P -m pytest --import-mode=append -p no:cacheprovider --numprocesses 2 $(DEBUG_TESTS)

docs: build $(VENV)/tools $(VENV)/libraries
	@echo "Building the site"
	@$(BIN)/python -m docs.tools.site

reference docs-pictures: build $(VENV)/libraries $(VENV)/tools
	@$(BIN)/python -m docs.tools.$(@:docs-%=%)

bench: build $(VENV)/libraries
	@$(BIN)/python -m benchmarks

# In an environment of their own: they need other versions than this project.
bench-peers: build $(VENV)/libraries $(VENV)-peers/installed
	@$(BIN)/python -m benchmarks.peers $(VENV)-peers/bin/python

$(VENV)-peers/installed: | $(VENV)/compilers
	@echo "Installing other frameworks to compare with (a few minutes, once)"
	@$(PYTHON) -m venv --clear $(@D)
	@$(call quietly, $(@D)/bin/python .ci/install --resolution highest 'axelrod<4.14' 'pettingzoo[classic]' \
	  kaggle-environments open_spiel pokerkit)
	@touch $@

build: $(VENV)/installed $(VENV)/built

# The compiled core is rebuilt when a source of it changes, also while it is built.
$(VENV)/built: $(VENV)/compilers $(SOURCES) setup.py
	@echo "Compiling the game core (a minute and a half, once)"
	@touch $@.begun
	@$(call quietly, $(BIN)/python setup.py --quiet build_ext --inplace)
	@mv $@.begun $@

# What bots in C and C++ are linked with, once on a machine.
$(VENV)/libraries $(VENV)/library_of_c: $(VENV)/installed
	@echo "Building the compiler's libraries, unless this machine has them (a minute, once)"
	@$(call quietly, $(BIN)/python -m tournament.artifacts.libraries $(if $(filter %_c,$@),c))
	@touch $@

# Read once, so that not each worker of the tests has to prepare their assertions.
$(VENV)/collected: build $(VENV)/tools
	@$(call quietly, $(PYTEST) --collect-only -qq)
	@touch $@

$(VENV)/tools: $(VENV)/installed
	@echo "Installing the tools for tests, checks and pages"
	@$(call quietly, $(INSTALL) --group dev)
	@touch $@

# An engine of Kaggle's, which an example adapts: what it asks for is gigabytes for other games.
$(VENV)/kaggle: $(VENV)/tools
	@$(call quietly, $(INSTALL) --no-deps kaggle-environments==1.33.2)
	@touch $@

$(VENV)/installed: $(VENV)/compilers pyproject.toml .ci/constraints.txt
	@echo "Downloading packages (half a minute, once)"
	@$(call quietly, ENGINE_LATER=1 $(INSTALL) --no-build-isolation --editable '.[serve]')
	@touch $@

$(VENV)/compilers:
	@missing=$$(.ci/missing $(PYTHON)); test -z "$$missing" || { \
	  echo "this machine lacks $$missing; run: $(if $(filter-out 0,$(shell id -u)),sudo )apt-get install $$missing"; exit 1; }
	@$(NEW_PYTHON)
	@echo "Setting up $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
	@$(call quietly, $(INSTALL) 'setuptools>=77' 'cython>=3.1' 'numpy>=2')
	@touch $@

clean:
	rm -rf .venv* build dist *.egg-info
	find engine -name "*.c" -delete -o -name "*.so" -delete
