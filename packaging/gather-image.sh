#!/bin/sh
# Gathers what the container holds: <directory>/root, and <directory>/owned for what its user may write to.
#   sh packaging/gather-image.sh <directory> <directory of the packages>
set -eu
root=$1/root
owned=$1/owned
node=$(command -v node)
mkdir -p "$root/usr/local/bin" "$root/opt" "$root/etc/ssl/certs" "$root/workspace" "$owned/var/lib/contextd" "$owned/home/node" "$owned/tmp"
cp -L "$node" "$root/usr/local/bin/node"
cp "$(dirname "$node")/../LICENSE" "$root/usr/local/LICENSE"
# Names for debuggers are a sixth of it.
strip "$root/usr/local/bin/node"
cp -R "$2/contextd" "$root/opt/contextd"
mkdir "$root/opt/contextd/node_modules"
cp -R "$2"/contextd-onnxruntime-* "$root/opt/contextd/node_modules/"
# The libraries that Node.js, the parser and the runtime of the model ask for, and those by which names of hosts are looked up.
directory=$(dirname "$(ldd "$node" | sed -n 's/.*=> \(.*libc\.so\.6\) .*/\1/p')")
native=$(find "$root/opt" -name '*.node' -o -name '*.so.1')
for library in $(ldd "$node" $native | sed -n 's/^[^/]*\(\/[^ ]*\) (.*/\1/p') "$directory/libresolv.so.2"; do
  case $library in "$root"/*) continue ;; esac
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
printf 'root:x:0:0:root:/:/none\nnode:x:1000:1000:node:/home/node:/none\n' > "$root/etc/passwd"
printf 'hosts: files dns\n' > "$root/etc/nsswitch.conf"
chmod 0700 "$owned/var/lib/contextd"
