#!/usr/bin/env bash
# Does what a tutorial says: saves its files and runs its commands, in a folder of their own.
#   run.sh STRATA TUTORIAL.md WORKDIR
# Fences: ```yaml file=NAME saves the block; ```sh run runs it and wants success; ```sh fails=N wants exit code N.
set -euo pipefail
strata=$1 tutorial=$2 work=$3
rm -rf "$work"
mkdir -p "$work/bin"
ln -s "$strata" "$work/bin/strata"
export PATH=$work/bin:$PATH
cd "$work"

kind= argument= block= commands=0
finish() {
  case $kind in
    file) printf '%s' "$block" >"$argument" ;;
    run | fails)
      commands=$((commands + 1))
      wanted=0
      [[ $kind == fails ]] && wanted=$argument
      code=0
      bash -e -c "$block" || code=$?
      if [[ $code != "$wanted" ]]; then
        printf 'exit code %s instead of %s:\n%s' "$code" "$wanted" "$block" >&2
        exit 1
      fi
      ;;
  esac
}
while IFS= read -r line || [[ -n $line ]]; do
  if [[ -n $kind && $line == '```' ]]; then
    finish
    kind=
  elif [[ -n $kind ]]; then
    block+=$line$'\n'
  elif [[ $line =~ ^'```'[a-z+]+\ file=(.+)$ ]]; then
    kind=file argument=${BASH_REMATCH[1]} block=
  elif [[ $line =~ ^'```sh run'$ ]]; then
    kind=run argument= block=
  elif [[ $line =~ ^'```sh fails='([0-9]+)$ ]]; then
    kind=fails argument=${BASH_REMATCH[1]} block=
  elif [[ $line =~ ^'```'. ]]; then
    kind=text argument= block=
  fi
done <"$tutorial"
((commands > 0)) || { echo "no command found in $tutorial" >&2; exit 1; }
echo "$commands commands did what $tutorial says"
