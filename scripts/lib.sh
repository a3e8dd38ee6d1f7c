# Shared by the scripts beside it; sourced, never run. The caller has `set -euo pipefail`.
# shellcheck shell=bash

# The oldest Swift that can build the package (Package.swift: swift-tools-version).
swift_major=6
swift_minor=2

# Symlinks are resolved first, so that a script can be run from any directory and through a link.
root=$(cd -P -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)

# How messages name the script.
me=scripts/$(basename -- "$0")

# Says one line on standard error.
note() { printf '%s: %s\n' "$me" "$*" >&2; }

# Says why it cannot go on, and ends.
fail() {
  note "$@"
  exit 1
}

# True if this swift runs and is new enough. Sets found_version either way.
swift_is_new_enough() {
  local output
  found_version=
  output=$("$1" --version 2>/dev/null) || return 1
  [[ $output =~ Swift\ version\ (([0-9]+)\.([0-9]+)[0-9.]*) ]] || return 1
  found_version=${BASH_REMATCH[1]}
  local major=${BASH_REMATCH[2]} minor=${BASH_REMATCH[3]}
  ((major > swift_major || (major == swift_major && minor >= swift_minor)))
}

# Puts the first Swift that is new enough in front of PATH, or says how to get one and ends.
find_swift() {
  local candidate seen='' candidates=()
  candidate=$(command -v swift || true)
  if [[ -n $candidate ]]; then candidates+=("$candidate"); fi
  candidates+=(
    /opt/swift/usr/bin/swift /usr/libexec/swift/bin/swift /usr/libexec/swift/*/bin/swift
    "${SWIFTLY_BIN_DIR:-${HOME:-/root}/.local/share/swiftly/bin}/swift"
  )
  for candidate in "${candidates[@]}"; do
    [[ -x $candidate ]] || continue
    if swift_is_new_enough "$candidate"; then
      PATH=$(dirname -- "$candidate"):$PATH
      export PATH
      return 0
    fi
    seen+=" $candidate (${found_version:-does not run})"
  done
  {
    if [[ -n $seen ]]; then
      printf '%s: Swift %s.%s or newer is needed; found only:%s\n' "$me" $swift_major $swift_minor "$seen"
    else
      printf '%s: Swift %s.%s or newer is needed; none was found\n' "$me" $swift_major $swift_minor
    fi
    printf '  Get it in one of these ways, then run %s again:\n' "$me"
    printf '  - swiftly, the toolchain installer: see https://www.swift.org/install/linux/\n'
    printf '  - the archive for Debian 12 from the same page, unpacked to /opt/swift\n'
    printf '  - the image swift:6.3-bookworm, as in the Dockerfile of this repository\n'
  } >&2
  exit 1
}
