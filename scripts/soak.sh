#!/usr/bin/env bash
# What takes too long for `make test`: kills, random histories and random worlds by the thousand.
# TIDEGATE_SOAK=N multiplies all of it, also by a part such as 0.05; TIDEGATE_PROFILE=test runs what `make test` built.
set -euo pipefail
cd "$(dirname "$0")/.."

times=${TIDEGATE_SOAK:-1}
seed=${SEED:-$RANDOM}
profile=${TIDEGATE_PROFILE:-release}

# $1 times what was asked for, at least 1.
so_many() {
  awk -v count="$1" -v times="$times" 'BEGIN { n = int(count * times); print n < 1 ? 1 : n }'
}

# A part with its name, a sign of life twice a minute, and how long it took.
part() {
  local name=$1 start=$SECONDS outcome=0
  shift
  echo "== $name"
  (while sleep 30; do echo "== $name: $((SECONDS - start)) s so far"; done) &
  local sign=$!
  env "$@" || outcome=$?
  kill "$sign" 2>/dev/null || true
  if [ "$outcome" -ne 0 ]; then
    echo "== $name failed after $((SECONDS - start)) s; SEED=$seed repeats it" >&2
    exit 1
  fi
  echo "== $name: ok after $((SECONDS - start)) s"
}

tests=(cargo test --locked --profile "$profile")
echo "seed $seed"
part "kills under load" TIDEGATE_KILLS="$(so_many 2000)" "${tests[@]}" -p tidegate-server --test kill -- --nocapture
part "random histories" TIDEGATE_HISTORIES="$(so_many 200)" "${tests[@]}" -p tidegate-server --test log
part "random requests" FUZZ_REQUESTS="$(so_many 30000)" SEED="$seed" "${tests[@]}" -p tidegate-server --test fuzz
part "random worlds" TIDEGATE_PROPS_TIMES="$(so_many 50)" TIDEGATE_PROPS_SEED="$seed" "${tests[@]}" -p tidegate-props
part "random scenarios" CASES="$(so_many 5000)" SEED="$seed" "${tests[@]}" -p tidegate-sim --test random_runs
part "the checker's worlds" WORLDS="$(so_many 2000)" "${tests[@]}" -p tidegate-check --test random
