#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Puts what programs are linked with into FOLDER, of glibc 2.31 from Debian 11: mmdebstrap fetches the packages
# of its C library and checks their signatures.
#
#   cmake/release/glibc_2_31.sh FOLDER
#
# EXH_DEBIAN_11 is a mirror that has Debian 11, where the usual one does not.
set -euo pipefail
out=${1:?glibc_2_31.sh FOLDER}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mmdebstrap --quiet --variant=extract --include=libc6-dev bullseye "$work/root.tar" ${EXH_DEBIAN_11:+"$EXH_DEBIAN_11"}
mkdir "$work/root" "$work/lib"
tar -C "$work/root" -xf "$work/root.tar" --wildcards './lib/x86_64-linux-gnu/*' './usr/lib/x86_64-linux-gnu/*'
for name in crt1.o Scrt1.o crti.o crtn.o libc_nonshared.a; do
  cp -L "$work/root/usr/lib/x86_64-linux-gnu/$name" "$work/lib"
done
for name in libc.so.6 libm.so.6 libmvec.so.1 libpthread.so.0 libdl.so.2 librt.so.1 ld-linux-x86-64.so.2; do
  cp -L "$work/root/lib/x86_64-linux-gnu/$name" "$work/lib"
done
for name in libm.so.6 libmvec.so.1 libpthread.so.0 libdl.so.2 librt.so.1; do
  ln -s "$name" "$work/lib/${name%.*}"
done
# As in Debian, but found from this folder.
echo 'GROUP ( libc.so.6 libc_nonshared.a AS_NEEDED ( ld-linux-x86-64.so.2 ) )' >"$work/lib/libc.so"
grep -q 'GNU C Library .* 2\.31' <(strings "$work/lib/libc.so.6") || { echo "glibc_2_31: this is not glibc 2.31" >&2; exit 1; }
mkdir -p "$(dirname "$out")"
rm -rf "$out"
mv "$work/lib" "$out"
chmod 755 "$out"
