#!/usr/bin/env bash
# What the build and the tests use beside Rust: installs what is missing, and says so. On Debian only; elsewhere it
# names what is missing, and ends with an error.
set -euo pipefail

# Command and the package of Debian that has it.
tools="
make make
cc gcc
curl curl
kill procps
script bsdutils
stty coreutils
unshare util-linux
chromium chromium
"

missing=()
while read -r tool package; do
  if [ -n "$tool" ] && [ -z "$(type -P "$tool")" ]; then
    missing+=("$package")
  fi
done <<<"$tools"
# The C compiler finds nothing without the headers of the C library.
if [ -n "$(type -P cc)" ] && ! echo '#include <stdio.h>' | cc -E - >/dev/null 2>&1; then
  missing+=(libc6-dev)
fi
if [ ${#missing[@]} -gt 0 ]; then
  if [ -z "$(type -P apt-get)" ]; then
    echo "missing here: ${missing[*]} (named as Debian has them); please install them" >&2
    exit 1
  fi
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
  fi
  echo "installing what is missing: ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
if [ -z "$(type -P npm)" ]; then
  echo "missing here: Node.js 20.19 or later, for the console; https://nodejs.org has it" >&2
  exit 1
fi
if [ -z "$(type -P cargo)" ]; then
  echo "missing here: Rust; https://rustup.rs installs it, rust-version in Cargo.toml says which" >&2
  exit 1
fi
