#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Runs the two commands of the README where nothing is prepared: a Debian 12 chroot that holds git
# and a clone of this repository (HEAD: commit first), and no other package than a minimal system.
# Prints what each step took. Needs root and debootstrap.
#
#   tests/e2e/fresh_debian.sh [--mirror URL] [--base-only] [DIR]
#
# DIR (default /tmp/deb12) holds the chroot. A base that is already there is used again, without
# what earlier runs installed. The mirror is the first Debian one in this machine's apt sources.
set -euo pipefail

suite=bookworm
mirror=""
base_only=0
dir=/tmp/deb12
while (($#)); do
  case $1 in
    --mirror) mirror=${2:?--mirror needs a URL}; shift 2 ;;
    --base-only) base_only=1; shift ;;
    -h | --help) sed -n '4,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "fresh_debian: unknown option '$1'; there are --mirror URL and --base-only" >&2; exit 2 ;;
    *) dir=$1; shift ;;
  esac
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
base=$dir/base
system=$dir/system
die() { echo "fresh_debian: $*" >&2; exit 1; }
((EUID == 0)) || die "needs root (debootstrap and chroot do)"
command -v debootstrap >/dev/null || die "needs debootstrap: apt-get install debootstrap"

# The first mirror in this machine's own sources that serves the suite, in both formats apt knows.
find_mirror() {
  local files=() file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    [[ -r $file ]] && files+=("$file")
  done
  awk -v suite="$suite" '
    function stanza() {
      if (serves && uri != "") print uri
      serves = 0; uri = ""
    }
    FNR == 1 || NF == 0 { stanza() }
    /^[ \t]*#/ { next }
    $1 == "deb" { for (i = 2; i < NF; ++i) if ($(i + 1) == suite && $i ~ /^https?:/) print $i }
    $1 == "URIs:" && $2 ~ /^https?:/ { uri = $2 }
    $1 == "Suites:" { for (i = 2; i <= NF; ++i) if ($i == suite) serves = 1 }
    END { stanza() }
  ' "${files[@]}" </dev/null | head -n 1
}

# Without this a proxy that the machine needs would be missing inside.
copy_network_settings() {
  local target=$1
  cp /etc/resolv.conf "$target/etc/resolv.conf"
  cp /etc/hosts "$target/etc/hosts"
  local file
  for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*proxy*; do
    [[ -e $file ]] && cp "$file" "$target$file"
  done
  return 0
}

# Everything that is mounted lives in a mount namespace of its own and is gone with the command.
inside() {
  # shellcheck disable=SC2016
  unshare --mount --pid --fork -- sh -c '
    mount -t proc proc "$1/proc" || exit 1
    root=$1; shift
    exec chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"
  ' sh "$system" "$@"
}

timed() {
  local what=$1 begin=$SECONDS
  shift
  echo "== $what"
  "$@" || die "failed after $((SECONDS - begin)) s: $what"
  echo "== $((SECONDS - begin)) s: $what"
}

# debootstrap takes its proxy from the environment, apt from its settings.
if [[ -z ${http_proxy:-} ]]; then
  eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
  [[ -z ${http_proxy:-} ]] || export http_proxy
fi

if [[ ! -e $base/.complete ]]; then
  [[ -n $mirror ]] || mirror=$(find_mirror)
  [[ -n $mirror ]] || die "no mirror of $suite in the apt sources: give one with --mirror URL"
  rm -rf "$base"
  mkdir -p "$base"
  timed "debootstrap $suite, minimal" \
    debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$base" "$mirror"
  touch "$base/.complete"
fi
((base_only)) && { echo "the base is in $base"; exit 0; }

rm -rf "$system"
cp -a "$base" "$system"
copy_network_settings "$system"
git clone --quiet --bare "$root" "$system/srv/exhaust.git"
inside git clone --quiet /srv/exhaust.git /root/exhaust
begin=$SECONDS
timed "./exh search --kernel matmul (set-up, build, 60 s of search)" \
  inside /root/exhaust/exh search --kernel matmul
echo "== $((SECONDS - begin)) s from nothing to the first winner"
timed "./exh search --kernel matmul --budget 1s (second call)" \
  inside /root/exhaust/exh search --kernel matmul --budget 1s
timed "./exh test (set-up for tests, build, tests)" inside /root/exhaust/exh test
