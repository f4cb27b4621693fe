#!/bin/sh
# unpack-base.sh FOLDER ARCHITECTURE: makes the root of the image from packages of Debian. dpkg unpacks the packages and configures none,
# so the script works for either architecture, in Debian or in an image made from Debian.
set -eu
root=$1
arch=$2
dpkg --add-architecture "$arch"
apt-get update

# The licence of libgcc-s1 is in a package with the version of GCC in its name.
gcc=$(apt-cache show "libgcc-s1:$arch" | sed -n 's/^Depends:.*\(gcc-[0-9]*-base\).*/\1/p' | head -1)
cd "$(mktemp -d)"
# The executable needs the libraries. Health checks of compose files and of Testcontainers call a shell and `nc`. Those in busybox are not
# enough: its `nc` does not accept -z, and its shell calls busybox's own `nc` even if another is on the path.
chmod 755 .
for name in base-files "$gcc" libc6 libgcc-s1 libstdc++6 busybox-static dash netcat-openbsd libbsd0 libmd0; do
  apt-get download "$name:$arch"
done
apt-get download ca-certificates tzdata

mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64"
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done
# Scanners read this folder to learn which packages an image without dpkg contains.
mkdir -p "$root/var/lib/dpkg/status.d"
for file in *.deb; do
  dpkg-deb --fsys-tarfile "$file" | tar -xf - -C "$root" --keep-directory-symlink --no-same-owner
  dpkg-deb -f "$file" >"$root/var/lib/dpkg/status.d/$(dpkg-deb -f "$file" Package)"
done

# Leaves out what slim images of Debian leave out, except the licences, and the converters of iconv, which nothing here calls.
find "$root/usr/share/doc" ! -type d ! -name copyright -delete
find "$root/usr/share/doc" -type d -empty -delete
for path in share/man share/lintian share/gdb share/bug share/info share/base-files lib/*/gconv lib/*/audit; do
  # shellcheck disable=SC2086
  rm -rf "$root"/usr/$path
done

mkdir -p "$root/etc/ssl/certs" "$root/usr/local/bin"
cat "$root"/usr/share/ca-certificates/mozilla/*.crt >"$root/etc/ssl/certs/ca-certificates.crt"
rm -rf "$root/usr/share/ca-certificates"
ln -s nc.openbsd "$root/usr/bin/nc"
ln -sf dash "$root/usr/bin/sh"
for applet in '[' awk base64 basename cat chmod chown clear cmp cp cut date dd df diff dirname du echo egrep env expr false \
  fgrep find free grep groups gunzip gzip head hexdump hostname id install ip kill less ln ls md5sum mkdir mktemp more mount mv netstat \
  nproc nslookup od pidof ping printf ps pwd readlink realpath rm rmdir sed seq sha256sum sleep sort stat stty sync tail tar tee test \
  time timeout top touch tr true umount uname uniq unzip uptime vi watch wc wget which whoami xargs xxd yes zcat; do
  [ -e "$root/usr/bin/$applet" ] || ln -s busybox "$root/usr/bin/$applet"
done

printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' 'tanzanite:x:1000:1000::/nonexistent:/bin/sh' \
  'nobody:x:65534:65534:nobody:/nonexistent:/bin/false' >"$root/etc/passwd"
printf '%s\n' root:x:0: tanzanite:x:1000: nogroup:x:65534: >"$root/etc/group"
printf '%s\n' 'passwd: files' 'group: files' 'hosts: files dns' >"$root/etc/nsswitch.conf"
install -d -m 1777 "$root/tmp" "$root/var/tmp"
install -d -m 0700 "$root/root"
