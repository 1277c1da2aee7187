# shellcheck shell=bash
# What the tests of the annotating compiler share. Arguments: BIN SOURCE WORK.
set -euo pipefail
bin=$1 source=$2 work=$3
export PATH=$bin:$PATH
command -v clang-14 >/dev/null || { echo "skipped: clang-14 is not installed"; exit 77; }
rm -rf "$work"
mkdir -p "$work"
cd "$work"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# expect_equal WHAT WANTED FOUND
expect_equal() { [[ $2 == "$3" ]] || fail "$1: wanted '$2', found '$3'"; }
# field FILE KEY: a number or text of a flat key of JSON, first match.
field() { sed -nE "s/.*\"$2\": \"?([^,\"}]*).*/\1/p" "$1" | head -1; }
