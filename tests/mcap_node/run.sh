#!/usr/bin/env bash
# run.sh SAMPLE FOLDER: installs the npm packages into FOLDER, writes recordings there and reads them with @mcap/core.
set -euo pipefail
source_folder=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
sample=$1
folder=$2

for program in node npm; do
  command -v "$program" >/dev/null || {
    echo "skipped: $program is missing; install it with: apt-get install nodejs npm"
    exit 77
  }
done

mkdir -p "$folder"
cp "$source_folder"/{package.json,package-lock.json,read.mjs} "$folder"
cd "$folder"
# Installed once; again when the list of packages changed.
if ! cmp -s package-lock.json node_modules/.installed; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  cp package-lock.json node_modules/.installed
fi
rm -rf recordings
"$sample" recordings
node read.mjs recordings/*.mcap
