# The commands of the house. `make help` lists them.

EXAMPLE := scenarios/worked-example.tide

.DEFAULT_GOAL := help
.PHONY: help run build test soak bench lint man

help: ## List these commands
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

run: build ## Build, then simulate the worked example
	@cargo run --quiet --release --bin tidegate -- simulate $(EXAMPLE)

build: ## Build the release binary, target/release/tidegate
	@cargo build --release --bin tidegate

test: ## Format, lints, build, all tests and the worked example, each with its time
	@scripts/test.sh

soak: ## Kills and random histories by the thousand; TIDEGATE_SOAK=N multiplies them
	@scripts/soak.sh

bench: ## Measure decisions; TIDEGATE_TRACES=DIR adds the replay of cluster traces
	@cargo run --release -p tidegate-bench

lint: ## Format check and lints only
	@scripts/test.sh fmt clippy

man: ## Write the man pages to target/man
	@cargo run --quiet --bin tidegate -- man target/man
