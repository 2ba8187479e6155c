#!/usr/bin/env bash
# Sets up what the examples need: a Python environment with JAX (for CPUs) and JupyterLab in target/examples. Python's
# own module for that is installed by apt-get where it is missing. What is there already is left as it is.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=target/examples
# Small changes of these may change results and pages: they are named exactly.
packages=("jax[cpu]==0.10.2" "jupyterlab==4.6.6")
stamp="$environment/installed"

if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "${packages[*]}" ]; then
  echo "$environment is complete: ${packages[*]}"
  exit 0
fi
if ! command -v python3 >/dev/null; then
  echo "python3 is not installed" >&2
  exit 1
fi
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  echo "Python cannot make environments: installing python3-venv by apt-get"
  as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  "${as_root[@]}" apt-get update
  "${as_root[@]}" apt-get install --yes --no-install-recommends python3-venv
fi
echo "making $environment with ${packages[*]}: about 600 MB"
mkdir -p target
python3 -m venv --clear "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check --no-compile --prefer-binary "${packages[@]}"
echo "${packages[*]}" >"$stamp"
echo "done; --env PATH=\"\$PWD/$environment/bin:\$PATH\" lets a workload use it"
