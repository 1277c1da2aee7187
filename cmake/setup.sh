# shellcheck shell=bash
# What ./strata and ./check share: packages, configuration, building. To be sourced; needs $root, the source folder.
# Everything here talks on stderr, because stdout belongs to the program that runs afterwards.

root=${root:?}
assume_yes=${assume_yes:-}

say() { printf 'strata: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 2
}

# missing_packages GROUP...: prints the packages of these groups that are not installed, on one line.
missing_packages() {
  local group package wanted=() missing=() installed
  while read -r group package; do
    [[ " $* " == *" $group "* ]] && wanted+=("$package")
  done < <(grep -v '^#' "$root/cmake/packages.txt")
  # shellcheck disable=SC2016 # the braces belong to dpkg-query
  installed=$(dpkg-query -W -f '${binary:Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null |
    grep ' installed$' || true)
  for package in "${wanted[@]}"; do
    grep -qE "^${package//+/\\+}(:| )" <<<"$installed" || missing+=("$package")
  done
  echo "${missing[*]}"
}

# install_packages optional|required GROUP...: installs what is missing; asks first on a terminal.
# Returns 1 if optional packages stay missing, exits if required ones do.
install_packages() {
  local need=$1 missing answer sudo=() packages
  shift
  if ! command -v dpkg-query >/dev/null; then
    say "this is not a Debian system; the libraries of cmake/packages.txt must be there already"
    return 0
  fi
  missing=$(missing_packages "$@")
  [[ -n $missing ]] || return 0
  read -ra packages <<<"$missing"
  local command="apt-get install -y --no-install-recommends $missing"

  say "missing Debian packages: $missing"
  if [[ -z $assume_yes && ${CI:-} != true && -t 0 && -t 2 ]]; then
    read -r -p "strata: install them now? [Y/n] " answer >&2 || answer=n
    case ${answer,,} in
      "" | y | yes) ;;
      *)
        [[ $need == optional ]] && return 1
        die "nothing installed; do it yourself with: sudo $command"
        ;;
    esac
  fi

  if ((EUID != 0)); then
    command -v sudo >/dev/null || {
      say "cannot install: not root, and there is no sudo. As root, run: $command"
      [[ $need == optional ]] && return 1
      exit 2
    }
    sudo=(sudo)
    [[ -t 0 ]] || sudo=(sudo -n)
  fi
  # A stale package list is the usual reason for a failed download, so it is renewed first; offline it may fail.
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update >&2 </dev/null ||
    say "could not renew the list of packages; trying with the old one"
  if ! "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "${packages[@]}" >&2 </dev/null; then
    say "could not install the packages. To try by hand: sudo apt-get update && sudo $command"
    [[ $need == optional ]] && return 1
    exit 2
  fi
}

# Number of compilers to run at once: one per core, and about 1 GB of memory for each.
build_jobs() {
  local jobs memory_gb
  jobs=${STRATA_JOBS:-$(nproc)}
  memory_gb=$(awk '/^MemAvailable:/ { print int($2 / 1000000) }' /proc/meminfo 2>/dev/null || echo "$jobs")
  ((memory_gb < 1)) && memory_gb=1
  echo $((jobs < memory_gb ? jobs : memory_gb))
}

# is_configured FOLDER: true if ninja can run there, and the folder was made for this place.
is_configured() {
  [[ -e $1/build.ninja ]] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$1/CMakeCache.txt" 2>/dev/null
}

# configure FOLDER [CMAKE ARGUMENT]...: quiet unless it fails. A folder that was copied or moved is started afresh.
configure() {
  local folder=$1
  shift
  is_configured "$folder" || rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
  mkdir -p "$folder"
  if ! cmake -S "$root" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" >"$folder/configure.log" 2>&1; then
    cat "$folder/configure.log" >&2
    say "the configuration failed, see above"
    return 1
  fi
}

# build FOLDER TARGET...: progress on a terminal, otherwise only what goes wrong.
build() {
  local folder=$1 jobs
  shift
  jobs=$(build_jobs)
  if [[ -t 2 ]]; then
    ninja -C "$folder" -j "$jobs" "$@" >&2 </dev/null
  else
    ninja -C "$folder" -j "$jobs" --quiet "$@" 2>&1 </dev/null | sed '/^ninja: no work to do\.$/d' >&2
  fi
}
