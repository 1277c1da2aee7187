#!/usr/bin/env bash
# Builds GNU sed from Debian's sources with strata-cc, by its own configure script, and compares what it prints with the
# sed of this machine. Exit code 77 if the sources cannot be had.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
curl -sSfL --max-time 60 -o sed.tar.xz http://deb.debian.org/debian/pool/main/s/sed/sed_4.9.orig.tar.xz ||
  { echo "skipped: the sources of sed cannot be downloaded"; exit 77; }
tar xf sed.tar.xz
cd sed-4.9
FORCE_UNSAFE_CONFIGURE=1 CC=strata-cc CFLAGS="-O2 -fstrata-quiet" ./configure --disable-i18n --quiet >configure.log
make -j2 >make.log 2>&1 || { tail -20 make.log; exit 1; }
script='s/\([a-z]*\)e\([a-z]*\)/\2-\1/g;/x/d;y/abc/xyz/;2,5p'
/usr/bin/sed "$script" NEWS >wanted
strata perf --json=../perf.json -- sed/sed "$script" NEWS >found
# The table follows what the program prints.
head -n "$(wc -l <wanted)" found | diff - wanted
echo "the same output, $(wc -l <wanted) lines"
