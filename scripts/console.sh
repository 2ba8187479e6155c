#!/usr/bin/env bash
# Builds the web console into console/dist, from where the binary takes it. Without Node.js it says so and leaves the
# console out: the server then serves a page that says how to build it.
set -euo pipefail
cd "$(dirname "$0")/../console"

if [ -z "$(type -P npm)" ]; then
  echo "Node.js is missing: the console is left out; with Node.js 20.19 or later, \`make console\` builds it" >&2
  # Who asks for the console alone must hear that there is none.
  [ "${1:-}" = --optional ]
  exit
fi

# Packages are set up anew only when the list of them has changed.
stamp=node_modules/.package-lock.sha256
wanted=$(sha256sum package-lock.json)
if [ "$(cat "$stamp" 2>/dev/null || true)" != "$wanted" ]; then
  # Not `npm ci`: it wants the programs of every platform in the lock, and only this one's are needed. The versions are
  # those of the lock, which stays as it is.
  npm install --no-save --no-audit --no-fund
  echo "$wanted" >"$stamp"
fi
npm run --silent types
npm run --silent check
npm run --silent build
