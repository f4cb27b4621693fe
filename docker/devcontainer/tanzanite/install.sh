#!/bin/sh
# Runs once, as root, while the dev container is built. PACKAGE and FLAGS are the options of the feature.
set -eu

data=/var/lib/tanzanite
share=/usr/local/share/tanzanite

command -v npm >/dev/null || { echo 'the feature tanzanite needs Node 20.19 or newer with npm' >&2; exit 1; }
# The SQLite driver is the one package with a script: it fetches its addon, or compiles it.
npm install --global --no-audit --no-fund --allow-scripts=better-sqlite3 "$PACKAGE"

# The folder must belong to the user who works in the container and may not be root.
mkdir -p "$data" "$share"
chown "${_CONTAINER_USER:-root}" "$data"

cat >"$share/start.sh" <<START
#!/bin/sh
tanzanite start $FLAGS >/tmp/tanzanite.log 2>&1 &
exec "\$@"
START
chmod 755 "$share/start.sh"
