#!/usr/bin/env bash
# The parts of `make test`, in order, each with its time. With arguments: only the parts named.
set -euo pipefail
cd "$(dirname "$0")/.."

example=scenarios/worked-example.tide

part_tools() { scripts/tools.sh; }
part_fmt() { cargo fmt --all --check; }
part_clippy() { cargo clippy --locked --workspace --all-targets -- -D warnings; }
part_build() { cargo build --locked --workspace --all-targets; }
part_tests() { cargo test --locked --workspace; }

# The binary that `build` has made. Asked for by itself, cargo would build it anew: without what only tests need.
tidegate="${CARGO_TARGET_DIR:-target}/debug/tidegate"

# The programs of examples/ on a real server. Setting them up needs the network the first time.
part_examples() { scripts/examples.sh && cargo test --locked --workspace --test examples; }

# The console: its own checks, then a real browser against the debug binary. Setting it up needs the network the first
# time.
part_console() {
  scripts/console.sh &&
    part_build &&
    (cd console && npm run --silent format:check && npm run --silent unit && npm run --silent flows)
}

# What a user sees must be what the file says: the text below `----`.
part_example() {
  local expected
  expected=$(sed '1,/^----$/d' "$example")
  if [ -z "$expected" ]; then
    echo "$example: no expected output below ----" >&2
    return 1
  fi
  part_build && "$tidegate" simulate "$example" | diff <(printf '%s\n' "$expected") -
}

# Seconds with one decimal since $1, a value of EPOCHREALTIME.
seconds_since() {
  local tenths=$(((${EPOCHREALTIME/[.,]/} - ${1/[.,]/}) / 100000))
  printf '%d.%d s' $((tenths / 10)) $((tenths % 10))
}

all=(tools fmt clippy build tests example examples console)
report=()
begin=$EPOCHREALTIME
for part in "${@:-${all[@]}}"; do
  if ! declare -F "part_$part" >/dev/null; then
    echo "no part '$part'; the parts are: ${all[*]}" >&2
    exit 2
  fi
  echo "== $part"
  start=$EPOCHREALTIME
  # `set -e` is off inside an `if`: a part's status is that of its last command.
  if "part_$part"; then
    report+=("$(printf '%-8s ok      %s' "$part" "$(seconds_since "$start")")")
  else
    echo "== $part failed after $(seconds_since "$start")" >&2
    exit 1
  fi
done
echo
printf '%s\n' "${report[@]}"
echo "all      ok      $(seconds_since "$begin")"
