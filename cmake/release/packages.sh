#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Packs a build, for ./exh release: Debian packages, archives and a container, in BUILD/packages. Fails where
# lintian finds anything to say.
#
#   cmake/release/packages.sh BUILD MAINTAINER
set -euo pipefail
build=${1:?packages.sh BUILD MAINTAINER}
maintainer=${2:?packages.sh BUILD MAINTAINER}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
version=$(sed -n 's/^project(exhaust VERSION \([0-9.]*\) .*/\1/p' "$root/CMakeLists.txt")
# The day of this version, or today while it has none.
day=$(sed -n "s/^## ${version//./\\.} (\([0-9-]*\))\$/\1/p" "$root/CHANGELOG.md")
day=${day:-$(date -u +%F)}
# Of all times in what is packed: the same tree makes the same files.
SOURCE_DATE_EPOCH=$(date -u -d "$day" +%s)
export SOURCE_DATE_EPOCH
out=$build/packages
rm -rf "$out" "$build/documents"
mkdir -p "$out"

# ---- documents -----------------------------------------------------------------------------------

# documents PART PACKAGE: its licence and its changes.
documents() {
  local doc=$build/documents/$1/doc/$2
  mkdir -p "$doc"
  cp "$here/copyright" "$doc/copyright"
  printf '%s (%s) unstable; urgency=medium\n\n  * Exhaust %s: see changelog.gz.\n\n -- %s  %s\n' \
    exhaust "$version" "$version" "$maintainer" "$(date -u -d "$day" -R)" | gzip -9n >"$doc/changelog.Debian.gz"
  gzip -9nc "$root/CHANGELOG.md" >"$doc/changelog.gz"
}
documents programs exhaust
documents development exhaust-dev
mkdir -p "$build/documents/programs/man/man1"
for page in "$here"/man/*.1; do
  gzip -9nc "$page" >"$build/documents/programs/man/man1/$(basename "$page").gz"
done
mkdir -p "$build/documents/programs/lintian/overrides"
cp "$here/lintian-overrides" "$build/documents/programs/lintian/overrides/exhaust"
find "$build/documents" -type d -exec chmod 755 {} + -o -type f -exec chmod 644 {} +

# ---- packages and archives -----------------------------------------------------------------------

umask 022
(cd "$build" && cpack -D CPACK_PACKAGE_CONTACT="$maintainer")
rm -rf "$out/_CPack_Packages"
lintian --allow-root --fail-on error,warning,info --tag-display-limit 0 "$out"/*.deb

# ---- the container -------------------------------------------------------------------------------

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
deb=$out/exhaust_${version}_amd64.deb
# Debian 12 with the compiler that kernels of a processor need.
mmdebstrap --variant=minbase --include=g++,libeigen3-dev \
  --customize-hook="copy-in $deb /tmp" --customize-hook='chroot "$1" dpkg --install /tmp/'"$(basename "$deb")" \
  --customize-hook='rm -r "$1"/tmp/* "$1"/usr/share/doc/* "$1"/usr/share/man/*' \
  bookworm "$work/root.tar" ${EXH_DEBIAN_12:+"$EXH_DEBIAN_12"}
image=$work/layout:$version
umoci init --layout "$work/layout"
umoci new --image "$image"
umoci raw add-layer --image "$image" --history.created "$(date -u -d "$day" +%FT%TZ)" "$work/root.tar"
umoci config --image "$image" --os linux --architecture amd64 --created "$(date -u -d "$day" +%FT%TZ)" \
  --config.entrypoint search --config.cmd --help --config.workingdir /work \
  --config.env PATH=/usr/local/bin:/usr/bin:/bin --config.env HOME=/root \
  --config.label "org.opencontainers.image.version=$version"
skopeo copy "oci:$image" "oci-archive:$out/exhaust-$version-oci.tar:exhaust:$version"

(cd "$out" && sha256sum -- * >SHA256SUMS)
