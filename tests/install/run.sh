#!/usr/bin/env bash
# Installs Strata into a scratch folder, builds the example plugin against the installation, outside of the source tree,
# and runs it. usage: run.sh CMAKE BUILD_FOLDER CXX_COMPILER SCRATCH_FOLDER
set -euo pipefail
cmake=$1
build=$2
compiler=$3
scratch=$4

rm -rf "$scratch"
mkdir -p "$scratch/elsewhere"
# The blank is part of the test.
prefix="$scratch/a prefix"
"$cmake" --install "$build" --prefix "$prefix" >"$scratch/install.log"

for file in bin/strata share/strata/examples/crossing/scenario.yaml include/strata/base/plugin.hpp \
  include/strata/world/system.hpp lib/cmake/strata/strataConfig.cmake; do
  [[ -e $prefix/$file ]] || {
    echo "not installed: $file"
    exit 1
  }
done
if find "$prefix" -path '*/test/*' -o -name '*.so' -not -path '*/lib/strata/*' -o -name CMakeCache.txt | grep .; then
  echo "installed, but should not be: see above"
  exit 1
fi

# The program finds its own data, from any folder.
cd "$scratch/elsewhere"
strata="$prefix/bin/strata"
"$strata" list >/dev/null
"$strata" check "$prefix/share/strata/examples/crossing"
"$strata" run crossing --quiet --out "$scratch/run-crossing"

# A plugin as a user would build it.
cp -r "$prefix/share/strata/examples/custom_system" "$scratch/plugin"
"$cmake" -S "$scratch/plugin" -B "$scratch/plugin/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >"$scratch/configure.log"
"$cmake" --build "$scratch/plugin/build"
if grep -rq "$(readlink -f "$build")/\(src\|bin\)" "$scratch/plugin/build/build.ninja"; then
  echo "the plugin was built against the build folder instead of the installation"
  exit 1
fi
"$strata" run "$scratch/plugin/scenario.yaml" --quiet --out "$scratch/run-plugin" --json="$scratch/plugin.json"
grep -q '"hash": *"[0-9a-f]\{16\}"' "$scratch/plugin.json"
