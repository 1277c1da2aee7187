#!/usr/bin/env bash
# Tests the scripts ./strata and ./check on a project that builds in no time and whose program is a script.
# usage: run.sh SOURCE_FOLDER SCRATCH_FOLDER
set -uo pipefail
source_folder=$1
scratch=$2
failures=0

expect() { # expect NAME EXPECTED GOT
  if [[ $2 != "$3" ]]; then
    printf 'FAILED %s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3"
    ((++failures))
  fi
}

# A project with the real scripts; the blanks in its name are part of the test.
rm -rf "$scratch"
project="$scratch/a folder/strata"
mkdir -p "$project/src/app" "$project/cmake"
cp "$source_folder"/{strata,check} "$project/"
cp "$source_folder/cmake/setup.sh" "$project/cmake/"
echo "build bash" >"$project/cmake/packages.txt"
cat >"$project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(mini LANGUAGES NONE)
enable_testing()
file(GLOB parts CONFIGURE_DEPENDS src/app/*.sh)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
add_custom_command(OUTPUT bin/strata DEPENDS ${parts} VERBATIM
  COMMAND bash -n ${parts}
  COMMAND sh -c "cat \"$@\" > bin/strata && chmod +x bin/strata" sh ${parts})
add_custom_target(programs ALL DEPENDS bin/strata)
add_test(NAME good COMMAND true)
add_test(NAME bad COMMAND test -e ${CMAKE_BINARY_DIR}/fixed)
add_test(NAME slow COMMAND false)
set_tests_properties(good bad PROPERTIES LABELS fast)
set_tests_properties(slow PROPERTIES LABELS slow)
END
# shellcheck disable=SC2016 # the program prints these
printf '#!/bin/bash\nprintf "[%%s]" "$PWD" "$@"\n' >"$project/src/app/1.sh"
unset CI
cd /

# The first run builds; only the program writes to stdout.
expect "first run" "[/]" "$("$project/strata" 2>"$scratch/err" </dev/null)"
expect "arguments" "[/][a b][--yes][*]" "$("$project/strata" "a b" --yes "*" 2>&1)"
expect "--yes first is ours" "[/][run]" "$("$project/strata" --yes run 2>&1)"
expect "quiet when built" "[/]" "$("$project/strata" 2>&1)"
ln -s "$project/strata" "$scratch/link"
ln -s link "$scratch/link2"
expect "through links" "[$scratch]" "$(cd "$scratch" && ./link2 2>&1)"

# It rebuilds when a file changed, came or went, and not otherwise.
echo 'printf "changed"' >>"$project/src/app/1.sh"
expect "changed file" "[/]changed" "$("$project/strata" 2>/dev/null)"
echo 'printf "new"' >"$project/src/app/2.sh"
touch -d 2001-01-01 "$project/src/app/2.sh"
expect "new file with an old date" "[/]changednew" "$("$project/strata" 2>/dev/null)"
rm "$project/src/app/2.sh"
expect "removed file" "[/]changed" "$("$project/strata" 2>/dev/null)"
before=$(stat -c %Y.%Z "$project/build/bin/strata")
"$project/strata" >/dev/null 2>&1
expect "no needless build" "$before" "$(stat -c %Y.%Z "$project/build/bin/strata")"

# The exit code is that of the program.
echo 'exit 7' >>"$project/src/app/1.sh"
"$project/strata" >/dev/null 2>&1
expect "exit code of the program" 7 $?

# A failing build ends with 2, shows why on stderr, and does not run the old program.
cp "$project/src/app/1.sh" "$scratch/good.sh"
echo 'if' >>"$project/src/app/1.sh"
output=$("$project/strata" 2>"$scratch/err")
expect "exit code of a failed build" 2 $?
expect "stdout of a failed build" "" "$output"
expect "reason of a failed build" 1 "$(grep -c 'syntax error' "$scratch/err")"
cp "$scratch/good.sh" "$project/src/app/1.sh"

# Several at once build once and all run.
touch "$project/src/app/1.sh"
for turn in 1 2 3 4; do "$project/strata" "$turn" >"$scratch/out.$turn" 2>/dev/null & done
wait
expect "four at once" "[/][1]changed[/][2]changed[/][3]changed[/][4]changed" "$(cat "$scratch"/out.[1-4])"

# A moved folder is built again.
mv "$scratch/a folder" "$scratch/another folder"
project="$scratch/another folder/strata"
expect "moved" "[/]changed" "$("$project/strata" 2>/dev/null)"

# Missing packages that cannot be installed: named, with the command, exit code 2.
if command -v dpkg-query >/dev/null; then
  mkdir -p "$scratch/bin"
  printf '#!/bin/sh\nexit 100\n' >"$scratch/bin/apt-get"
  printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/sudo"
  chmod +x "$scratch/bin/"*
  echo "build no-such-package-of-strata" >>"$project/cmake/packages.txt"
  touch "$project/src/app/1.sh"
  PATH="$scratch/bin:$PATH" "$project/strata" >/dev/null 2>"$scratch/err" </dev/null
  expect "exit code without a package" 2 $?
  expect "names the package" 1 "$(grep -c 'missing Debian packages: no-such-package-of-strata$' "$scratch/err")"
  expect "names the command" 1 "$(grep -c 'apt-get install .*no-such-package-of-strata' "$scratch/err")"
  echo "build bash" >"$project/cmake/packages.txt"
fi

# ./check counts, and says so in its last line.
output=$("$project/check" 2>/dev/null)
expect "check fails" 1 $?
expect "check counts a failure" "2 passed, 1 failed" "$(tail -n 1 <<<"$output")"
touch "$project/build/fixed"
output=$("$scratch/another folder/strata/check" 2>/dev/null)
expect "check passes" 0 $?
expect "check counts" "3 passed, 0 failed" "$(tail -n 1 <<<"$output")"
output=$("$project/check" --only slow 2>/dev/null)
expect "check --only" "1 passed, 1 failed" "$(tail -n 1 <<<"$output")"
echo 'if' >>"$project/src/app/1.sh"
output=$("$project/check" 2>/dev/null)
expect "check with a broken build" "0 passed, 1 failed" "$(tail -n 1 <<<"$output")"
"$project/check" --only nonsense >/dev/null 2>&1
expect "unknown stage" 2 $?
"$project/check" --nonsense >/dev/null 2>&1
expect "unknown argument" 2 $?
"$project/check" --help | grep -q '^usage' || expect "help" usage nothing

((failures == 0)) && echo "all fine"
exit $((failures > 0))
