# The commands of the house. `make help` lists them.

# Where the server of `make serve` keeps everything.
DATA := $(CURDIR)/target/tidegate

.DEFAULT_GOAL := help
.PHONY: help run serve build console test soak bench lint man

help: ## List these commands
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

run: build ## Build, then play the worked example on a real server, and end
	@cargo run --quiet --release --bin tidegate -- demo --fast

serve: build ## Build, then start a server with 128 virtual GPUs to play with
	@echo "In another terminal: export TIDEGATE_DATA=$(DATA) PATH=$(CURDIR)/target/release:\$$PATH" >&2
	@TIDEGATE_DATA=$(DATA) cargo run --quiet --release --bin tidegate -- serve --executor virtual --virtual-gpus 16x8

build: ## Build the release binary, target/release/tidegate, with the console if Node.js is there
	@scripts/console.sh --optional
	@cargo build --release --bin tidegate

console: ## Build the web console into console/dist
	@scripts/console.sh

test: ## Format, lints, build, all tests and the worked example, each with its time
	@scripts/test.sh

soak: ## Kills and random histories by the thousand; TIDEGATE_SOAK=N multiplies them, 0.05 is minutes
	@scripts/soak.sh

bench: build ## Measure decisions, the service and real processes; TIDEGATE_TRACES=DIR adds cluster traces
	@cargo run --release -p tidegate-bench

lint: ## Format check and lints only
	@scripts/test.sh fmt clippy

man: ## Write the man pages to target/man
	@cargo run --quiet --bin tidegate -- man target/man
