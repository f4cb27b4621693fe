#!/usr/bin/env bash
# Builds the two images of the Dockerfile and tries them, with no container daemon and no image registry:
#   docker/check.sh [--require] [--purge]
# As root, with podman, runc, debootstrap, curl, openssl, node, npm and the repository's packages (npm ci):
#   apt-get install -y --no-install-recommends podman runc debootstrap
# Where one of them is missing it says so and ends with code 0; with --require, with code 1.
# The base image is a stand-in made of Debian and of Node's npm package, kept for the next run; --purge removes it afterwards.
#
# CHECK_DIR     everything it writes              ~/.cache/tanzanite-container-check
# CHECK_PORT    port on the loopback interface    18620, and the two above it for blobs and queues
# CHECK_NODE    major version of Node inside      24
# CHECK_DRIVER  storage driver of podman          overlay (vfs needs twice the space)
set -euo pipefail

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dir=${CHECK_DIR:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/tanzanite-container-check}
port=${CHECK_PORT:-18620}
node=${CHECK_NODE:-24}
driver=${CHECK_DRIVER:-overlay}
suite=bookworm
base=localhost/node-stand-in:$node
own_image=localhost/tanzanite-check:$$
azurite_image=localhost/tanzanite-check-with-azurite:$$
image=$own_image
name=tanzanite-check-$$
origin=http://127.0.0.1:$port

is_required=false
is_purging=false
for flag in "$@"; do
  case $flag in
    --require) is_required=true ;;
    --purge) is_purging=true ;;
    *) echo "unknown flag $flag (there are --require and --purge)" >&2; exit 2 ;;
  esac
done

say() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }
fail() { say "FAILED: $*" >&2; exit 1; }
now_ms() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }
megabytes() { awk -v bytes="$1" 'BEGIN { printf "%.1f MB", bytes / 1e6 }'; }

# Storage of its own, so that nothing of the machine's images is touched. runc and cgroupfs do with the fewest rights.
pm() {
  podman --root "$dir/$driver" --runroot "$dir/$driver-run" --storage-driver "$driver" \
    --cgroup-manager cgroupfs --runtime runc "$@"
}

missing_tools() {
  [ "$(id -u)" = 0 ] || echo 'the rights of root'
  for tool in podman runc debootstrap node npm curl openssl; do command -v "$tool" >/dev/null || echo "$tool"; done
  [ -d "$repo/node_modules/@azure/data-tables" ] || echo 'node_modules (npm ci)'
}

pack_node() {
  mkdir -p "$1/node" "$1/npm"
  (cd "$1" && npm pack --silent "node-linux-$(node -p process.arch)@$node" npm@11 >/dev/null 2>&1) || return 1
  tar -xzf "$1"/node-linux-*.tgz -C "$1/node"
  tar -xzf "$1"/npm-[0-9]*.tgz -C "$1/npm"
}

make_base_image() {
  local root=$dir/base-root packages=$dir/base-packages mirror packing
  say "base image: Debian $suite and Node $node"
  rm -rf "$root" "$packages"
  pack_node "$packages" &
  packing=$!
  # The machine's own mirror where it has one, Debian's otherwise.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $suite" 'Component: main' | head -1)
  debootstrap --variant=minbase "$suite" "$root" ${mirror:+"$mirror"} >"$dir/debootstrap.log" 2>&1 ||
    { tail -20 "$dir/debootstrap.log" >&2; fail 'debootstrap'; }
  # As slim images of Debian have it.
  rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,info,lintian,locale,man}/*

  wait "$packing" || fail "npm pack of Node $node and npm"
  local local_root=$root/usr/local
  mkdir -p "$local_root/lib/node_modules"
  cp -a "$packages/node/package/bin/node" "$local_root/bin/"
  cp -a "$packages/node/package/include/." "$local_root/include/"
  cp -a "$packages/npm/package" "$local_root/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$local_root/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$local_root/bin/npx"
  chown -R 0:0 "$local_root"
  chroot "$root" sh -c 'groupadd -g 1000 node && useradd -u 1000 -g node -m node'

  tar -C "$root" -cf - . | pm import --change 'CMD ["node"]' \
    --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "$base" >/dev/null 2>&1
  rm -rf "$root" "$packages"
}

# This machine's registry and certificate authority reach the build as mounted files: the Dockerfile knows neither.
# The words are further flags of podman build.
build_image() {
  local authority mounts=(--volume "$dir/npmrc:/usr/local/etc/npmrc:ro")
  authority=$(npm config get cafile 2>/dev/null || true)
  [ -f "$authority" ] || authority=${NODE_EXTRA_CA_CERTS:-}
  echo "registry=$(npm config get registry 2>/dev/null)" >"$dir/npmrc"
  if [ -f "$authority" ]; then
    echo 'cafile=/run/authority.crt' >>"$dir/npmrc"
    mounts+=(--volume "$authority:/run/authority.crt:ro")
  fi
  pm build --isolation chroot --format docker --layers=false "${mounts[@]}" \
    --build-arg "NODE_IMAGE=$base" -t "$image" "$@" "$repo" >"$dir/build.log" 2>&1 ||
    { tail -30 "$dir/build.log" >&2; fail "the build; all of it is in $dir/build.log"; }
}

# Sizes with the stand-in, which comes close to the base image that the Dockerfile names but is not it.
say_sizes() {
  local size base_size packed own folder
  size=$(pm image inspect --format '{{.Size}}' "$image")
  base_size=$(pm image inspect --format '{{.Size}}' "$base")
  packed=$(pm save "$image" 2>/dev/null | gzip | wc -c)
  folder=$(pm image mount "$image")
  own=$(tar -C "$folder" -cf - app | gzip | wc -c)
  pm image unmount "$image" >/dev/null
  say "image $(megabytes "$size"), of which $(megabytes $((size - base_size))) on top of the stand-in base"
  say "gzipped $(megabytes "$packed"), of which $(megabytes "$own") on top of the stand-in base"
}

# As strict as a cluster would be: user 1000, nothing writable but the volume, no capabilities. The options of
# podman run up to --, then the words that follow the image's name.
start_container() {
  local processes files options=()
  files=$(ulimit -Hn)
  processes=$(ulimit -Hu)
  # podman lowers its own limit to this before it sets the container's, and a limit cannot be raised again without rights.
  if [ "$processes" = unlimited ] || [ "$processes" -gt 32768 ]; then processes=32768; fi
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  say "podman run ${options[*]} IMAGE $*"
  pm run -d --name "$name" --ulimit "nofile=$files:$files" --ulimit "nproc=$processes:$processes" \
    --user 1000:1000 --read-only --read-only-tmpfs=false --cap-drop all --security-opt no-new-privileges --volume "$name:/data" \
    "${options[@]}" "$image" "$@" >/dev/null 2>"$dir/run.log" ||
    { cat "$dir/run.log" >&2; fail 'podman run'; }
  await_health
}

# By its exit code alone: without systemd podman complains that it cannot repeat the check.
await_health() {
  local started
  started=$(now_ms)
  until pm healthcheck run "$name" >"$dir/health.log" 2>&1; do
    [ $(($(now_ms) - started)) -lt 60000 ] ||
      { cat "$dir/health.log" >&2; pm logs "$name" >&2; fail 'HEALTHCHECK does not pass within 60 s'; }
    sleep 0.05
  done
  say "  HEALTHCHECK passes $(($(now_ms) - started)) ms later"
}

stop_container() {
  local code asked
  asked=$(now_ms)
  pm stop -t 10 "$name" >/dev/null 2>&1
  asked=$(($(now_ms) - asked))
  code=$(pm inspect --format '{{.State.ExitCode}}' "$name")
  pm logs "$name" >"$dir/container.log" 2>&1
  [ "$code" = 0 ] || { cat "$dir/container.log" >&2; fail "SIGTERM ended it with code $code"; }
  grep -q 'successfully closed' "$dir/container.log" || fail 'it did not close in order'
  pm rm "$name" >/dev/null 2>&1
  say "  SIGTERM closes it in order, $asked ms, code 0"
}

expect_no_rights() {
  local status
  status=$(pm exec "$name" cat /proc/1/status)
  for line in 'Uid: 1000 1000 1000 1000' 'CapEff: 0000000000000000' 'NoNewPrivs: 1'; do
    tr '\t' ' ' <<<"$status" | grep -qx "$line" || fail "its first process is not of $line"
  done
  if pm exec "$name" node -e 'require("fs").writeFileSync("/app/x", "")' >/dev/null 2>&1; then fail '/app is writable'; fi
  say '  it runs as user 1000, without capabilities, on a read-only root'
}

# Blobs and queues, by Azurite, answer what is not signed with 403, and the ready lines are there that others wait for.
expect_azurite() {
  local code service
  for service in 1 2; do
    code=$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$((port + service))/devstoreaccount1?comp=list" || true)
    [ "$code" = 403 ] || { pm logs "$name" >&2; fail "port $((port + service)) answers $code instead of 403"; }
  done
  expect_ready_lines
}

expect_ready_lines() {
  local service lines
  # Read whole: podman fails where grep ends before it has written everything.
  lines=$(pm logs "$name" 2>&1)
  for service in Blob Queue Table; do
    grep -q "^Azurite $service service is successfully listening at http" <<<"$lines" ||
      { echo "$lines" >&2; fail "there is no ready line of Azurite $service"; }
  done
  say '  blobs, queues and tables are ready'
}

# A command of the image that ends by itself.
expect_output() {
  local expected=$1 output
  shift
  output=$(pm run --rm --network none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 "$image" "$@" 2>"$dir/run.log") ||
    { cat "$dir/run.log" >&2; fail "podman run IMAGE $*"; }
  grep -q -- "$expected" <<<"$output" || { echo "$output" >&2; fail "podman run IMAGE $* does not say $expected"; }
  say "podman run IMAGE $*: ${output%%$'\n'*}"
}

clean_up() {
  pm rm -f -t 2 "$name" >/dev/null 2>&1 || true
  pm volume rm -f "$name" >/dev/null 2>&1 || true
  pm rmi -f "$own_image" "$azurite_image" >/dev/null 2>&1 || true
  # What an interrupted build or import left behind.
  pm image prune -f >/dev/null 2>&1 || true
  rm -rf "$dir/base-root" "$dir/base-packages" "$dir/npmrc" "$dir/tls" "$dir/settings"
  if $is_purging; then
    pm rmi -f "$base" >/dev/null 2>&1 || true
    umount "$dir/$driver/overlay" 2>/dev/null || true
    rm -rf "$dir"
  fi
}

missing=$(missing_tools)
if [ -n "$missing" ]; then
  echo "container check skipped, it lacks: ${missing//$'\n'/, }"
  if $is_required; then exit 1; fi
  exit 0
fi

mkdir -p "$dir"
trap clean_up EXIT
for taken in "$port" "$((port + 1))" "$((port + 2))"; do
  if curl -s -o /dev/null "http://127.0.0.1:$taken"; then fail "port $taken is in use; choose another with CHECK_PORT"; fi
done
pm image exists "$base" 2>/dev/null || make_base_image

say 'build'
build_image
say_sizes

expect_output 'point' tanzanite explain "PartitionKey eq 'a' and RowKey eq 'b'"
expect_output "$(node -p 'require(process.argv[1]).version' "$repo/package.json")" --version

# In a network of its own it may listen as it does by itself.
start_container --network none --
stop_container
start_container --network none -- --tablePort 11002 --inMemoryPersistence
stop_container

mkdir -p "$dir/tls"
openssl req -x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=localhost \
  -keyout "$dir/tls/key.pem" -out "$dir/tls/cert.pem" 2>/dev/null
chmod 644 "$dir/tls/key.pem"
start_container --network none --volume "$dir/tls:/tls:ro" -- --cert /tls/cert.pem --key /tls/key.pem --silent
stop_container

local_only=(--tableHost 127.0.0.1 --tablePort "$port")
start_container --network host -- "${local_only[@]}"
expect_no_rights
node "$repo/docker/probe.mjs" write "$origin"
say '  the SDK creates a table, inserts, carries out a transaction and queries'
stop_container

start_container --network host -- azurite-table -l /data "${local_only[@]}"
node "$repo/docker/probe.mjs" read "$origin"
say '  what was written before the stop is there'
stop_container

# By variables alone, with the data where they say.
start_container --network host --env TANZANITE_TABLE_HOST=127.0.0.1 --env "TANZANITE_TABLE_PORT=$port" \
  --env TANZANITE_LOCATION=/data --env TANZANITE_LOG_LEVEL=warn --env TANZANITE_PARTITION_TARGET=500 --
node "$repo/docker/probe.mjs" read "$origin"
say '  what was written before the stop is there'
stop_container

# By a settings file alone.
mkdir -p "$dir/settings"
echo "{\"tableHost\": \"127.0.0.1\", \"tablePort\": $port, \"location\": \"/data\"}" >"$dir/settings/tanzanite.json"
start_container --network host --volume "$dir/settings:/settings:ro" --env TANZANITE_CONFIG=/settings/tanzanite.json --
node "$repo/docker/probe.mjs" read "$origin"
say '  what was written before the stop is there'
stop_container

# As Testcontainers' modules for Azurite start it.
start_container --network host --entrypoint azurite -- \
  --blobHost 0.0.0.0 --queueHost 0.0.0.0 --location /data --debug /data/debug.log "${local_only[@]}"
node "$repo/docker/probe.mjs" read "$origin"
say '  what was written before the stop is there'
stop_container
# The image with Azurite, as strict; the data is that of the other one.
say 'build with Azurite'
image=$azurite_image
build_image --target with-azurite
say_sizes
start_container --network none --
expect_ready_lines
stop_container
with_azurite=("${local_only[@]}" --blobHost 127.0.0.1 --blobPort "$((port + 1))" --queueHost 127.0.0.1 --queuePort "$((port + 2))")
start_container --network host -- azurite --location /data "${with_azurite[@]}"
expect_no_rights
expect_azurite
node "$repo/docker/probe.mjs" read "$origin"
say '  what was written in the other image is there'
stop_container
say 'container check passed'
