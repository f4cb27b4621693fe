#!/usr/bin/env bash
# Runs schemathesis over both descriptions against the built emulator. Arguments are passed on, such as `--max-examples 200`.
# This is not a part of `npm test`: it tries random requests and takes minutes. It needs `npm run build` and schemathesis 4, from PyPI,
# on the path.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v schemathesis > /dev/null; then
  echo 'skipped: schemathesis is not installed (pip install schemathesis)'
  exit 0
fi

log=$(mktemp)
node dist/cli.js start --tablePort 0 --inMemoryPersistence --log-format json > "$log" 2>&1 &
emulator=$!
trap 'kill "$emulator"; rm -rf "$log" .schemathesis' EXIT
for _ in $(seq 100); do
  origin=$(grep -o 'http://127\.0\.0\.1:[0-9]*' "$log" | head -n 1 || true)
  [ -n "$origin" ] && break
  sleep 0.1
done
[ -n "$origin" ] || { cat "$log" >&2; exit 1; }

# Checks that do not apply to this service are left out: it answers 501 for what it does not support, 200 for unknown options, and 405
# without Allow.
checks=status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance
options=(--phases examples,coverage,fuzzing --checks "$checks,nothing_fails" --continue-on-failure)
options+=(--generation-with-security-parameters false --generation-database none)
export SCHEMATHESIS_HOOKS=test/schemathesis/hooks.py PYTHONPATH=.

result=0
schemathesis run openapi/table-service.yaml --url "$origin/devstoreaccount1" "${options[@]}" "$@" || result=1
schemathesis run openapi/control-plane.yaml --url "$origin" "${options[@]}" "$@" || result=1
exit "$result"
