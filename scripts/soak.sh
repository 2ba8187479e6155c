#!/usr/bin/env bash
# What takes too long for `make test`: kills, random histories and random worlds by the thousand.
# TIDEGATE_SOAK=N multiplies all of it.
set -euo pipefail
cd "$(dirname "$0")/.."

times=${TIDEGATE_SOAK:-1}
seed=${SEED:-$RANDOM}
echo "seed $seed"

TIDEGATE_KILLS=$((2000 * times)) cargo test --locked --release -p tidegate-server --test kill -- --nocapture
TIDEGATE_HISTORIES=$((200 * times)) cargo test --locked --release -p tidegate-server --test log
TIDEGATE_PROPS_TIMES=$((50 * times)) TIDEGATE_PROPS_SEED=$seed cargo test --locked --release -p tidegate-props
CASES=$((5000 * times)) SEED=$seed cargo test --locked --release -p tidegate-sim --test random_runs
WORLDS=$((2000 * times)) cargo test --locked --release -p tidegate-check --test random
