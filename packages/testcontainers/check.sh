#!/usr/bin/env bash
# Runs the tests of both modules with the image of this repository, over the socket of podman:
#   packages/testcontainers/check.sh [node] [python]
# It needs what docker/check.sh needs. The module for Node also needs Node 22.22 or newer, or the path of such a Node in CHECK_NODE_BIN.
# If DOCKER_HOST is set, the tests use the engine there and its image tanzanite/tanzanite:latest.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(cd "$here/../.." && pwd)
dir=${CHECK_DIR:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/tanzanite-container-check}
driver=${CHECK_DRIVER:-overlay}
work=$(mktemp -d)
service=
trap '[ -z "$service" ] || kill "$service"; rm -rf "$work"' EXIT

# Each test removes its container, so Testcontainers need not start its clean-up container Ryuk.
export TESTCONTAINERS_RYUK_DISABLED=true

serve_podman() {
  "$repo/docker/check.sh" --require --build-only
    # Limits that a process may set without extra rights.
  printf '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]\n' >"$work/containers.conf"
  CONTAINERS_CONF=$work/containers.conf podman --root "$dir/$driver" --runroot "$dir/$driver-run" --storage-driver "$driver" \
    --cgroup-manager cgroupfs --runtime runc system service --time 0 "unix://$work/podman.sock" &
  service=$!
  until [ -S "$work/podman.sock" ]; do
    kill -0 "$service" || exit 1
    sleep 0.1
  done
  export DOCKER_HOST=unix://$work/podman.sock
    # These settings also work if this machine is itself a container.
  export TESTCONTAINERS_HOST_OVERRIDE=127.0.0.1 TESTCONTAINERS_CONNECTION_MODE=docker_host
}

# Both modules have the layout of Testcontainers' repositories. What they import from there comes from published packages here.
check_node() {
  local module=$work/node/packages/modules/tanzanite helper=$work/node/packages/testcontainers/src/utils
  mkdir -p "$module" "$helper"
  cp -r "$here/node/packages/modules/tanzanite/src" "$module/"
  echo '{ "private": true }' >"$work/node/package.json"
  echo 'export const getImage = () => "tanzanite/tanzanite:latest";' >"$helper/test-helper.ts"
  echo 'export default { test: { globals: true, sequence: { concurrent: true } } };' >"$work/node/vitest.config.mjs"
  cd "$work/node"
  npm install --silent --ignore-scripts --no-audit --no-fund testcontainers@12 @azure/data-tables@13 vitest@4
  "${CHECK_NODE_BIN:-node}" node_modules/vitest/vitest.mjs run
}

check_python() {
  local packages
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install -q --disable-pip-version-check 'testcontainers>=4.15' azure-data-tables pytest mypy
  packages=$("$work/venv/bin/python" -c 'import testcontainers, os; print(os.path.dirname(testcontainers.__path__[0]))')
  cp -r "$here/python/src/testcontainers/community/tanzanite" "$packages/testcontainers/community/"
  cd "$here/python"
  "$work/venv/bin/python" -B -m pytest -q -p no:cacheprovider --import-mode=importlib tests
  "$work/venv/bin/python" docs/modules/tanzanite_example.py
  cd "$work"
  "$work/venv/bin/python" -m mypy --strict -p testcontainers.community.tanzanite
}

[ $# -gt 0 ] || set -- node python
for module in "$@"; do
  case $module in node | python) ;; *) echo "check: there is no module $module; name node or python" >&2; exit 2 ;; esac
done
[ -n "${DOCKER_HOST:-}" ] || serve_podman
for module in "$@"; do (check_"$module"); done
