# The one door: every task is a word here, and its work a small script in scripts/.

.DEFAULT_GOAL := help
.PHONY: help run test test-long test-operations check build lint format fuzz sanitize bench bench-scale pictures clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Install what is missing, build, and serve http://localhost:8080 with the demo team
	@scripts/run

test: ## Install what is missing and run the tests: Swift, PostgreSQL, browsers (about fifteen minutes)
	@scripts/test

test-long: ## Run what takes longer: kills, floods, full sizes, the fuzzer, sanitizers, the bench in small, test-operations (about an hour)
	@scripts/test-long

test-operations: ## Run what operators do: restarts, failover, poolers, the last release beside this one (about twenty minutes)
	@scripts/test-operations

check: ## Look before a commit: lint, build, most of the tests
	@scripts/check

build: ## Build the release binary
	@scripts/build

lint: ## Check the format, the length of files, and the rules of scripts/rules
	@scripts/lint

format: ## Format the Swift sources in place
	@swift format --in-place --recursive Sources Tests Package.swift fuzz/Sources/Fuzz fuzz/Package.swift

fuzz: ## Feed readers and whole endpoints with made-up input, a minute and five minutes each
	@scripts/fuzz

sanitize: ## Run the Swift tests under AddressSanitizer and ThreadSanitizer
	@scripts/sanitize

bench: ## Measure Pippin beside the limits of this machine (about fifteen minutes)
	@scripts/bench

bench-scale: ## Measure the console with a million users and ten million audit events (about an hour)
	@scripts/bench-scale

pictures: ## Take the pictures of the documentation anew
	@scripts/pictures

.PHONY: snapshots
snapshots: ## Take what the pages answer now as what they should
	@scripts/snapshots

clean: ## Remove what was built (never .pippin/, which holds data)
	@rm -rf .build .venv
