# The project's own tasks. `make help` lists them.
#
#   make TEST=1 ARCH=sdr     sets everything up, builds and simulates lesson 1, prints its result
#   make test                the whole test suite
#
# The virtual environment .venv is a SYSROOT for projects: it has the commands in bin and the make flow in share.

.DEFAULT_GOAL := check
SHELL := /bin/bash
VENV := .venv
PYTHON ?= $(shell command -v python3.11 || command -v python3 || echo python3)
NEEDS := import sys; sys.exit("Python 3.11 or later is needed; this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)
SOURCES := pyproject.toml $(shell find diag fabric tungsten carbide paint share -type f -not -name '*.pyc' 2> /dev/null)
JOBS ?= 2
PYTEST := $(VENV)/bin/python -m pytest -n $(JOBS) --dist worksteal

.PHONY: help install install-test pictures test test-slow lint docs smoke clean lesson

help: ## this list
	@echo "  make TEST=1 ARCH=sdr   lesson 1, built and simulated; TEST='*' runs all rows of test.rc"
	@awk -F ':.*## ' '/^[a-z-]+:.*## /  { printf "  make %-17s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

install: $(VENV)/.installed ## sets up .venv with the commands; does nothing when that is up to date

install-test: $(VENV)/.installed-test

# pip builds in the tree: what an earlier build left there would be installed with it.
$(VENV)/.installed: $(SOURCES)
	@$(PYTHON) -c '$(NEEDS)'
	@[[ -x $(VENV)/bin/python ]] || { echo "setting up $(VENV): numpy, numba and others are fetched, a minute or two"; $(PYTHON) -m venv $(VENV); }
	@$(VENV)/bin/python -c 'import setuptools, sys; sys.exit(int(setuptools.__version__.split(".")[0]) < 77)' 2> /dev/null \
	  || $(VENV)/bin/pip install -q --disable-pip-version-check 'setuptools>=77' wheel
	@rm -rf build *.egg-info
	@$(VENV)/bin/pip install -q --disable-pip-version-check --no-build-isolation .
	@rm -rf build *.egg-info
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	@$(VENV)/bin/pip install -q --disable-pip-version-check --no-build-isolation '.[test]'
	@rm -rf build *.egg-info
	@touch $@

pictures: install ## the pictures in the lessons, drawn anew; installs matplotlib
	@$(VENV)/bin/pip install -q --disable-pip-version-check --no-build-isolation '.[pictures]'
	@rm -rf build *.egg-info
	+@for d in $(patsubst %/plot.py,%,$(wildcard tutorial/*/plot.py)); do echo "$$d:"; name=$${d##*/}; \
	  $(MAKE) -s --no-print-directory -C $$d $(LESSONTOOLS) picture && cp $$d/test-picture/picture.png $$d/$${name#*-}.png || exit 1; done

test: install-test ## the test suite; T="-k map" picks tests, JOBS=4 runs four at a time
	$(PYTEST) $(T)

test-slow: install-test ## random programs by the thousand
	$(PYTEST) -m slow $(T)

lint: install-test ## ruff and mypy --strict
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

docs: install ## the manual as a site in site/; fails on a warning
	@$(VENV)/bin/pip install -q --disable-pip-version-check --no-build-isolation '.[docs]'
	@rm -rf build *.egg-info
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --quiet --strict

smoke: ## wheel and source archive, used from outside the tree; PYTHONS="python3.11 python3.13" names the Pythons
	@.ci/smoke $(LIGHT) $(or $(PYTHONS),$(PYTHON))

clean: cleanup ## removes what builds and tests left, but not .venv
	@for d in $(wildcard tutorial/*/Makefile); do [[ ! -d $(VENV) ]] || $(MAKE) -C $${d%/Makefile} $(LESSONTOOLS) cleanup; done
	rm -rf build dist site *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +

# A row of test.rc names a lesson and a row of the lesson's own test.rc: `make TEST=1` goes by the rows here, as in
# any project, in a directory test-lesson-01; from there the lesson's own `make check` runs.
HERE := $(dir $(lastword $(MAKEFILE_LIST)))
ROOTVENV := $(abspath $(HERE)$(VENV))
LESSONTOOLS := SYSROOT='$(ROOTVENV)' FLUTEMK='$(ROOTVENV)/share/build/flute.mk' TESTMK='$(ROOTVENV)/share/build/test.mk'
TESTGOAL := lesson
TESTSHOW := ^(PASS|FAIL|lesson|result:)
include $(HERE)share/build/test.mk
$(TESTMK_NOW:%=testrow-%): install

lesson:
	+@$(MAKE) --no-print-directory -C ../$(LESSON) TEST='$(or $(ROW),*)' $(LESSONTOOLS) check
