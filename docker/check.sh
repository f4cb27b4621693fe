#!/usr/bin/env bash
# Builds the Dockerfile and tries the image, with no container daemon and no image registry:
#   docker/check.sh [--require] [--purge]
# As root, with podman, runc, debootstrap, node and npm:
#   apt-get install -y --no-install-recommends podman runc debootstrap
# Where one of them is missing it says so and ends with code 0; with --require, with code 1.
# The base image is a stand-in made of Debian and of Node's npm package, kept for the next run; --purge removes it afterwards.
#
# CHECK_DIR     everything it writes              ~/.cache/tanzanite-container-check
# CHECK_PORT    port on the loopback interface    18620
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
image=localhost/tanzanite-check:$$
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
megabytes() { awk -v bytes="$1" 'BEGIN { printf "%.0f MB", bytes / 1e6 }'; }

# Storage of its own, so that nothing of the machine's images is touched. runc and cgroupfs do with the fewest rights.
pm() {
  podman --root "$dir/$driver" --runroot "$dir/$driver-run" --storage-driver "$driver" \
    --cgroup-manager cgroupfs --runtime runc "$@"
}

missing_tools() {
  [ "$(id -u)" = 0 ] || echo 'the rights of root'
  for tool in podman runc debootstrap node npm curl; do command -v "$tool" >/dev/null || echo "$tool"; done
}

make_base_image() {
  local root=$dir/base-root packages=$dir/base-packages mirror
  say "base image: Debian $suite and Node $node"
  rm -rf "$root" "$packages"
  mkdir -p "$packages/node" "$packages/npm"
  # The machine's own mirror where it has one, Debian's otherwise.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $suite" 'Component: main' | head -1)
  debootstrap --variant=minbase "$suite" "$root" ${mirror:+"$mirror"} >"$dir/debootstrap.log" 2>&1 ||
    { tail -20 "$dir/debootstrap.log" >&2; fail 'debootstrap'; }
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*

  (cd "$packages" && npm pack --silent "node-linux-$(node -p process.arch)@$node" npm@11 >/dev/null 2>&1) ||
    fail "npm pack of Node $node and npm"
  tar -xzf "$packages"/node-linux-*.tgz -C "$packages/node"
  tar -xzf "$packages"/npm-[0-9]*.tgz -C "$packages/npm"
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
    --build-arg "NODE_IMAGE=$base" -t "$image" "$repo" >"$dir/build.log" 2>&1 ||
    { tail -30 "$dir/build.log" >&2; fail "the build; all of it is in $dir/build.log"; }
}

# As strict as a cluster would be: the image's own user, nothing writable but the volume, no capabilities.
start_container() {
  local processes files started
  files=$(ulimit -Hn)
  processes=$(ulimit -Hu)
  # podman lowers its own limit to this before it sets the container's, and a limit cannot be raised again without rights.
  if [ "$processes" = unlimited ] || [ "$processes" -gt 32768 ]; then processes=32768; fi
  started=$(now_ms)
  pm run -d --name "$name" --network host --ulimit "nofile=$files:$files" --ulimit "nproc=$processes:$processes" \
    --read-only --read-only-tmpfs=false --cap-drop all --security-opt no-new-privileges --volume "$name:/data" \
    "$image" --tableHost 127.0.0.1 --tablePort "$port" >/dev/null 2>"$dir/run.log" ||
    { cat "$dir/run.log" >&2; fail 'podman run'; }
  until curl -s -o "$dir/answer" "$origin/devstoreaccount1"; do
    [ $(($(now_ms) - started)) -lt 20000 ] || { pm logs "$name" >&2; fail 'no answer within 20 s'; }
    sleep 0.02
  done
  say "it answers $(($(now_ms) - started)) ms after podman run"
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
  say "SIGTERM closes it in order, $asked ms, code 0"
}

clean_up() {
  pm rm -f -t 2 "$name" >/dev/null 2>&1 || true
  pm volume rm -f "$name" >/dev/null 2>&1 || true
  pm rmi -f "$image" >/dev/null 2>&1 || true
  # What an interrupted build or import left behind.
  pm image prune -f >/dev/null 2>&1 || true
  rm -rf "$dir/base-root" "$dir/base-packages" "$dir/npmrc" "$dir/answer"
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
if curl -s -o /dev/null "$origin"; then fail "port $port is in use; choose another with CHECK_PORT"; fi
pm image exists "$base" 2>/dev/null || make_base_image

say 'build'
build_image
size=$(pm image inspect --format '{{.Size}}' "$image")
base_size=$(pm image inspect --format '{{.Size}}' "$base")
say "image $(megabytes "$size"), of which the base $(megabytes "$base_size")"

start_container
# By its exit code alone: without systemd podman complains that it cannot repeat the check.
pm healthcheck run "$name" >/dev/null 2>&1 || fail 'HEALTHCHECK'
say 'HEALTHCHECK passes'
user=$(pm exec "$name" node -p 'process.getuid()')
[ "$user" = 1000 ] || fail "it runs as user $user"
if pm exec "$name" node -e 'require("fs").writeFileSync("/app/x", "")' >/dev/null 2>&1; then fail '/app is writable'; fi
say "it runs as user $user on a read-only root"
node "$repo/docker/probe.mjs" write "$origin"
stop_container

start_container
node "$repo/docker/probe.mjs" read "$origin"
say 'what was written before the stop is there'
stop_container
say 'container check passed'
