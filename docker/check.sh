#!/usr/bin/env bash
# Builds the two images of the Dockerfile and tries them, without a container daemon and an image registry:
#   docker/check.sh [--require] [--purge] [--build-only]
# As root, with podman, runc, debootstrap, curl, openssl, node, npm and the repository's packages (npm ci):
#   apt-get install -y --no-install-recommends podman runc debootstrap
# If one of them is missing, it says so and ends with code 0; with --require, with code 1.
# It builds on stand-ins for the images of Debian and of Node, made of Debian's packages and of Node's npm package. They are kept for the
# next run; --purge removes them afterwards. --build-only builds the default image as tanzanite/tanzanite, keeps it and tries nothing.
# The default image holds Debian's own packages, so its sizes are those of the published image.
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
debian_base=localhost/debian-stand-in:$suite
node_base=localhost/node-stand-in:$node-$suite
own_image=localhost/tanzanite-check:$$
azurite_image=localhost/tanzanite-check-with-azurite:$$
build_stage=localhost/tanzanite-check-build:$$
image=$own_image
name=tanzanite-check-$$
origin=http://127.0.0.1:$port
# The build arguments that a release passes.
source_url=https://example.com/tanzanite
revision=$(git -C "$repo" rev-parse HEAD 2>/dev/null || echo unknown)
created=$(date -u +%Y-%m-%dT%H:%M:%SZ)
# The rights of a pod in a cluster: user 1000, only the volume writable, no capabilities.
strict=(--user 1000:1000 --read-only --read-only-tmpfs=false --cap-drop all --security-opt no-new-privileges)
rights=("${strict[@]}")

is_required=false
is_purging=false
is_building_only=false
for flag in "$@"; do
  case $flag in
    --require) is_required=true ;;
    --purge) is_purging=true ;;
    --build-only) is_building_only=true ;;
    *) echo "unknown flag $flag (there are --require, --purge and --build-only)" >&2; exit 2 ;;
  esac
done

say() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }
fail() { say "FAILED: $*" >&2; exit 1; }
now_ms() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }
megabytes() { awk -v bytes="$1" 'BEGIN { printf "%.1f MB", bytes / 1e6 }'; }

# podman gets its own storage, so that the machine's images are not touched. runc and cgroupfs need the fewest rights.
podman_flags=(--root "$dir/$driver" --runroot "$dir/$driver-run" --storage-driver "$driver" --cgroup-manager cgroupfs --runtime runc)
pm() { podman "${podman_flags[@]}" "$@"; }

missing_tools() {
  [ "$(id -u)" = 0 ] || echo 'the rights of root'
  for tool in podman runc debootstrap node npm curl openssl; do command -v "$tool" >/dev/null || echo "$tool"; done
  podman build --help 2>/dev/null | grep -e --build-context >/dev/null || echo 'podman 4.2 or later'
  [ -d "$repo/node_modules/@azure/data-tables" ] || echo 'node_modules (npm ci)'
}

pack_node() {
  mkdir -p "$1/node" "$1/npm"
  (cd "$1" && npm pack --silent "node-linux-$(node -p process.arch)@$node" npm@11 >/dev/null 2>&1) || return 1
  tar -xzf "$1"/node-linux-*.tgz -C "$1/node"
  tar -xzf "$1"/npm-[0-9]*.tgz -C "$1/npm"
}

# The machine's own mirror, if it has one, or Debian's.
mirror_of() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $1" 'Component: main' | head -1; }

# Leaves out what slim images of Debian leave out.
import_image() {
  rm -rf "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/* "$1"/usr/share/{doc,info,lintian,locale,man}/*
  tar -C "$1" -cf - . | pm import --change "CMD [\"$3\"]" \
    --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "$2" >/dev/null 2>&1
}

# A run that was killed may have left debootstrap's mounts.
remove_base_root() {
  findmnt -rno TARGET | { grep "^$dir/base-root/" || true; } | sort -r | xargs -r umount
  rm -rf --one-file-system "$dir/base-root"
}

make_base_images() {
  local root=$dir/base-root packages=$dir/base-packages mirror security packing
  say "base images: Debian $suite, and Node $node on it"
  remove_base_root
  rm -rf "$packages"
  pack_node "$packages" &
  packing=$!
  mirror=$(mirror_of "$suite")
  debootstrap --variant=minbase "$suite" "$root" ${mirror:+"$mirror"} >"$dir/debootstrap.log" 2>&1 ||
    { tail -20 "$dir/debootstrap.log" >&2; fail 'debootstrap'; }
  security=$(mirror_of "$suite-security")
  echo "deb ${security:-http://deb.debian.org/debian-security} $suite-security main" >>"$root/etc/apt/sources.list"
  import_image "$root" "$debian_base" bash

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
  import_image "$root" "$node_base" node
  rm -rf "$root" "$packages"
}

# The build reaches this machine's registry, certificate authority and npm cache through mounts, so the Dockerfile need not name them.
# Layers are not kept, because storing them takes longer than all that they save; only the stage `build`, which both images need, is kept
# as an image of its own. The arguments are further flags of podman build.
run_build() {
  local authority cache mounts=(--volume "$dir/npmrc:/usr/local/etc/npmrc:ro")
  cache=$(npm config get cache 2>/dev/null || true)
  if [ -d "$cache" ]; then mounts+=(--volume "$cache:/root/.npm"); fi
  authority=$(npm config get cafile 2>/dev/null || true)
  [ -f "$authority" ] || authority=${NODE_EXTRA_CA_CERTS:-}
  printf '%s\n' "registry=$(npm config get registry 2>/dev/null)" prefer-offline=true >"$dir/npmrc"
  if [ -f "$authority" ]; then
    echo 'cafile=/run/authority.crt' >>"$dir/npmrc"
    mounts+=(--volume "$authority:/run/authority.crt:ro")
  fi
  pm build --isolation chroot --format docker --layers=false "${mounts[@]}" \
    --build-arg "NODE_IMAGE=$node_base" --build-arg "DEBIAN_IMAGE=$debian_base" "$@" "$repo" >"$dir/build.log" 2>&1 ||
    { tail -30 "$dir/build.log" >&2; fail "the build; all of it is in $dir/build.log"; }
}

build_image() {
  run_build --build-context "build=container-image://$build_stage" \
    --build-arg "SOURCE_URL=$source_url" --build-arg "REVISION=$revision" --build-arg "CREATED=$created" -t "$image" "$@"
}

# The size of the layers, which is the size that a registry shows.
say_size() {
  size=$(pm image inspect --format '{{.Size}}' "$image")
  say "image $(megabytes "$size")"
}

# The default image holds the same files as the published image, so the size limits here apply to both.
expect_size() {
  local packed
  packed=$(pm save "$image" 2>/dev/null | gzip | wc -c)
  say "  $(megabytes "$packed") compressed"
  [ "$size" -le "$1" ] || fail "the image is larger than $(megabytes "$1")"
  [ "$packed" -le "$2" ] || fail "the compressed image is larger than $(megabytes "$2")"
}

# Scanners and registries read these labels of a release.
expect_labels() {
  local name expected found
  for name in title description version licenses base.name source url documentation revision created; do
    found=$(pm image inspect --format "{{index .Labels \"org.opencontainers.image.$name\"}}" "$image")
    case $name in
      source | url) expected=$source_url ;;
      documentation) expected=$source_url#readme ;;
      revision) expected=$revision ;;
      created) expected=$created ;;
      base.name) expected=$1 ;;
      *) expected=$found ;;
    esac
    [ -n "$found" ] && [ "$found" = "$expected" ] || fail "label $name is '$found', not '$expected'"
  done
  say '  all of its labels are set'
}

# Root must own the file system, and no other user may write to the files that run.
expect_root_owned() {
  local folder found
  folder=$(pm image mount "$image")
  found=$(find "$folder" -xdev \( ! -user 0 -o -perm /022 ! -type l ! -perm -1000 \) ! -path "$folder/data*" ! -path "$folder/workspace*" ! -path "$folder/authority*" \
    ! -path "$folder/home/node*" ! -path "$folder/var/local" ! -path "$folder/var/mail" ! -path "$folder/run/lock" -print | head -5)
  [ -z "$found" ] || fail "these are not root's alone: $found"
  [ "$(stat -c '%u %g %a' "$folder/data" "$folder/workspace" "$folder/authority" | sort -u)" = '1000 0 775' ] || fail 'who owns /data, /workspace and /authority'
  [ "$(stat -c %a "$folder/tmp")" = 1777 ] || fail 'the rights of /tmp'
  pm image unmount "$image" >/dev/null
}

# The arguments up to -- are options of podman run; those after -- follow the image's name.
start_container() {
  local processes files options=()
  files=$(ulimit -Hn)
  processes=$(ulimit -Hu)
    # podman lowers its own limit to 32768 before it sets the container's limit. Without rights it could not raise its own again.
  if [ "$processes" = unlimited ] || [ "$processes" -gt 32768 ]; then processes=32768; fi
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  say "podman run ${options[*]} IMAGE $*"
  pm run -d --name "$name" --ulimit "nofile=$files:$files" --ulimit "nproc=$processes:$processes" \
    "${rights[@]}" --volume "$name:/data" \
    "${options[@]}" "$image" "$@" >/dev/null 2>"$dir/run.log" ||
    { cat "$dir/run.log" >&2; fail 'podman run'; }
  await_health
}

# Reads only the exit code: without systemd, podman complains that it cannot repeat the check. The pauses grow, because the checks of
# a container that starts slowly would take more processor time than its start.
await_health() {
  local started pause_ms=50
  started=$(now_ms)
  until pm healthcheck run "$name" >"$dir/health.log" 2>&1; do
    [ $(($(now_ms) - started)) -lt 60000 ] ||
      { cat "$dir/health.log" >&2; pm logs "$name" >&2; fail 'HEALTHCHECK does not pass within 60 s'; }
    sleep "$(printf '0.%03d' "$pause_ms")"
    pause_ms=$((pause_ms < 500 ? pause_ms * 2 : 800))
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

# Each argument must be a line in the status of the container's first process.
expect_line() {
  local status line
  status=$(pm exec "$name" cat /proc/1/status | tr '\t' ' ')
  for line in "$@"; do grep -qx "$line" <<<"$status" || fail "its first process is not of $line"; done
}

expect_no_rights() {
  expect_line 'Uid: 1000 1000 1000 1000' 'CapEff: 0000000000000000' 'NoNewPrivs: 1'
  if pm exec "$name" sh -c 'echo >/app/x' >/dev/null 2>&1; then fail '/app is writable'; fi
  say '  it runs as user 1000, without capabilities, on a read-only root'
}

# Azurite answers unsigned requests for blobs and queues with 403, and the log has the ready lines that other tools wait for.
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
    # Reads the entire log first: podman fails if grep ends before podman has written everything.
  lines=$(pm logs "$name" 2>&1)
  for service in Blob Queue Table; do
    grep -q "^Azurite $service service is successfully listening at http" <<<"$lines" ||
      { echo "$lines" >&2; fail "there is no ready line of Azurite $service"; }
  done
  say '  blobs, queues and tables are ready'
}

# The argument is `all`, or `tables` for the modules that use only the table service.
expect_modules() {
  say "modules of Testcontainers, Aspire and compose files: $1"
  node "$repo/docker/check-modules.mjs" "$1" "$name" "$image" podman "${podman_flags[@]}" 2>"$dir/modules.log" ||
    { cat "$dir/modules.log" >&2; fail 'a module'; }
}

# Runs a command of the image that ends by itself, and looks for a text in its output.
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
  pm rmi -f "$own_image" "$azurite_image" "$build_stage" >/dev/null 2>&1 || true
    # Layers that an interrupted build or import left behind.
  pm image prune -f >/dev/null 2>&1 || true
  remove_base_root || true
  rm -rf "$dir/base-packages" "$dir/npmrc" "$dir/tls" "$dir/settings"
  if $is_purging; then
    pm rmi -f "$node_base" "$debian_base" >/dev/null 2>&1 || true
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
{ pm image exists "$debian_base" && pm image exists "$node_base"; } 2>/dev/null || make_base_images

say 'build'
run_build --target build -t "$build_stage"
build_image
if $is_building_only; then
  pm tag "$image" docker.io/tanzanite/tanzanite:latest
  say 'built docker.io/tanzanite/tanzanite:latest'
  exit 0
fi
say_size
expect_size 150000000 60000000
expect_labels "$debian_base"
expect_root_owned

expect_output 'point' tanzanite explain "PartitionKey eq 'a' and RowKey eq 'b'"
expect_output "$(node -p 'require(process.argv[1]).version' "$repo/package.json")" --version

# In a network without other containers it may listen on all addresses, which is its default.
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

# As root, with the capabilities that docs/containers.md names, and a key that only root may read: Testcontainers copies keys with these
# rights.
chmod 600 "$dir/tls/key.pem"
rights=(--cap-drop all --cap-add chown --cap-add setgid --cap-add setuid)
start_container --network none --volume "$dir/tls:/tls:ro" -- --cert /tls/cert.pem --key /tls/key.pem
expect_line 'Uid: 1000 1000 1000 1000' 'Gid: 1000 1000 1000 1000' 'CapEff: 0000000000000000'
say '  it has given up root'
stop_container
rights=("${strict[@]}")

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

# Started by environment variables only, with the data in the folder that they name.
start_container --network host --env TANZANITE_TABLE_HOST=127.0.0.1 --env "TANZANITE_TABLE_PORT=$port" \
  --env TANZANITE_LOCATION=/data --env TANZANITE_LOG_LEVEL=warn --env TANZANITE_PARTITION_TARGET=500 --
node "$repo/docker/probe.mjs" read "$origin"
say '  what was written before the stop is there'
stop_container

# Started by a settings file only.
mkdir -p "$dir/settings"
echo "{\"tableHost\": \"127.0.0.1\", \"tablePort\": $port, \"location\": \"/data\"}" >"$dir/settings/tanzanite.json"
start_container --network host --volume "$dir/settings:/settings:ro" --env TANZANITE_CONFIG=/settings/tanzanite.json --
node "$repo/docker/probe.mjs" read "$origin"
say '  what was written before the stop is there'
stop_container

# Started by Azurite's name, with the arguments of Azurite's own image.
start_container --network host --entrypoint azurite -- \
  --blobHost 0.0.0.0 --queueHost 0.0.0.0 --location /data --debug /data/debug.log "${local_only[@]}"
node "$repo/docker/probe.mjs" read "$origin"
say '  what was written before the stop is there'
stop_container
expect_modules tables

# The image with Azurite has the same few rights, and uses the data of the default image.
say 'build with Azurite'
image=$azurite_image
build_image --target with-azurite
say_size
expect_labels "$node_base"
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
expect_modules all
say 'container check passed'
