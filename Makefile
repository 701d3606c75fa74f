# One command for each thing a developer does. `make help` lists them; CONTRIBUTING.md explains.
#
# Paths are relative, so that a folder with blanks in its name works. Swift's package manager uses
# every core by itself and one build folder, so targets run one after the other under `make -j` too.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := all
.NOTPARALLEL:
MAKEFLAGS += --no-builtin-rules

SWIFT ?= $(shell scripts/find-swift 2>/dev/null)
# Where `make serve` keeps its data, and where it listens.
DATA ?= ./data
LISTEN ?= 127.0.0.1:8080
# Where `make install` copies the program.
PREFIX ?= /usr/local
# Every target of a fuzz run: its length, and the seed of a run to repeat (default: a random one).
SECONDS ?= 60
SEED ?=
# The name that `make image` gives to the container image. BUILD_IMAGE and RUNTIME_IMAGE name what it
# is built on; without them both are made out of this machine.
IMAGE ?= holdfast

export SWIFT

.PHONY: all help setup setup-test setup-bench build debug install serve test test-clients test-package soak bench fuzz docs site lint \
    format tsan deb tarball image try-deb test-packaging clean

all: build lint test ## Build, lint and test (the default)

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## Install missing system packages (as root or through sudo)
	@scripts/setup

setup-test:
	@scripts/setup test

setup-bench:
	@scripts/setup bench

build: setup ## Build everything for release
	scripts/build release

debug: setup ## Build everything for debugging, with the tests
	scripts/build debug --build-tests

install: setup ## Build the program and copy it to PREFIX/bin (PREFIX=/usr/local)
	scripts/build release --product holdfast
	install -D -m 755 .build/release/holdfast "$(DESTDIR)$(PREFIX)/bin/holdfast"

serve: setup ## Serve ./data on 127.0.0.1:8080 (DATA=, LISTEN=; SAMPLE=world fills an empty store)
	scripts/build release --product holdfast
	@exec .build/release/holdfast serve --data "$(DATA)" --listen "$(LISTEN)" $(if $(SAMPLE),--sample "$(SAMPLE)")

test: setup-test ## Run every test (TESTS=name runs the Swift tests that match)
	@scripts/run-tests $(if $(TESTS),--filter "$(TESTS)")

test-clients: ## Generate clients in several languages from a store's document, and run them (needs Java)
	@scripts/setup clients
	scripts/build debug --product holdfast
	HOLDFAST_BINARY=.build/debug/holdfast SWIFT="$(SWIFT)" Tests/clients/run

test-package: setup-test ## Build and run a program outside that uses the Swift library, in three forms
	HOLDFAST_SOAK=1 SWIFT="$(SWIFT)" Tests/package/run

soak: setup ## Kill the server under load, scroll a large table, then all randomised tests with new seeds
	@scripts/setup package
	scripts/build release --product holdfast
	HOLDFAST_BINARY=.build/release/holdfast Tests/soak/run
	HOLDFAST_SOAK=1 HOLDFAST_BINARY=.build/release/holdfast Tests/packaging/run
	HOLDFAST_SOAK=1 HOLDFAST_BINARY=.build/release/holdfast Tests/console/run
	scripts/build debug --build-tests
	HOLDFAST_SOAK=1 "$(SWIFT)" test --skip-build --disable-xctest
	HOLDFAST_SOAK=1 SWIFT="$(SWIFT)" Tests/package/run

bench: setup-bench ## Measure against the references on this machine
	scripts/build release
	.build/bench-tools/bin/python Benchmarks/bench.py

fuzz: setup ## Compare with the reference under random operations (SECONDS=60 SEED=)
	scripts/build release --product HoldfastFuzz
	.build/release/HoldfastFuzz --seconds "$(SECONDS)" $(if $(SEED),--seed "$(SEED)")

docs: setup site ## Make the Swift library's reference, .build/docs/Holdfast.doccarchive, and the site of these pages
	scripts/build debug --target Holdfast
	@scripts/make-docs

site: ## Make the documentation site, .build/docs/site (checks the links)
	@scripts/setup docs
	@.build/site-tools/bin/python scripts/make-site

lint: setup ## Check format, layers, sizes, scripts and the library's checklist
	@scripts/lint

format: ## Format the Swift sources in place
	"$(SWIFT)" format format --in-place --parallel --recursive Package.swift Sources Tests Examples Benchmarks

tsan: setup ## Run the library's tests under the thread sanitizer (TESTS=name runs others that match)
	@scripts/run-sanitized $(if $(TESTS),"$(TESTS)")

deb: ## Make the Debian package in .build/dist
	@scripts/setup package
	scripts/build release --product holdfast
	@scripts/make-deb

tarball: ## Make a tarball of the program, its pages and its unit in .build/dist
	@scripts/setup package
	scripts/build release --product holdfast
	@scripts/make-tarball

try-deb: deb ## Install the Debian package on a minimal Debian 12 and 13 and use it, as root
	scripts/try-deb .build/dist/*.deb .build/trial

test-packaging: ## Make the Debian package and the tarball, and compare them with the program
	@scripts/setup package
	scripts/build release --product holdfast
	HOLDFAST_SOAK=1 HOLDFAST_BINARY=.build/release/holdfast Tests/packaging/run

image: ## Build the container image with buildah and try it, as root (IMAGE=holdfast)
	@scripts/setup image
	@scripts/build-image "$(IMAGE)"

clean: ## Remove what was built (data stays)
	rm -rf .build
