#!/bin/sh
# Downloads a release of aguiws, verifies its checksum, and installs the binary.
#
#   sh install.sh [VERSION]      the newest release, if no version such as 0.1.0 is named
#
# AGUIWS_BIN   the folder of the binary: /usr/local/bin if it can be written, else ~/.local/bin
# AGUIWS_FROM  where releases lie: https://github.com/aguiws/aguiws/releases
set -eu

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

# Nothing is run before the last line has come: a download may be cut off.
main() {
  from=${AGUIWS_FROM:-https://github.com/aguiws/aguiws/releases}
  case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) fail "there is no installer for $(uname -s): take an archive from $from" ;;
  esac
  case $(uname -m) in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) fail "there is no release for $(uname -m): go install github.com/aguiws/aguiws@latest builds it" ;;
  esac

  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 1' HUP INT TERM

  version=${1:-}
  if [ -z "$version" ]; then
    # The address of the newest release leads to the one with its tag.
    version=$(where "$from/latest")
    version=${version##*/}
  fi
  version=${version#v}
  case $version in
  [0-9]*.[0-9]*.[0-9]*) ;;
  *) fail "there is no release at $from/latest: name a version" ;;
  esac

  archive=aguiws_${version}_${os}_${arch}.tar.gz
  fetch "$from/download/v$version/SHA256SUMS" "$scratch/SHA256SUMS"
  fetch "$from/download/v$version/$archive" "$scratch/$archive"

  # One line, and of this very file.
  want=$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1 }' "$scratch/SHA256SUMS")
  case $want in
  '') fail "SHA256SUMS of $version does not name $archive: nothing was installed" ;;
  *[!0-9a-f]*) fail "SHA256SUMS of $version is not what it should be: nothing was installed" ;;
  esac
  got=$(sha256 "$scratch/$archive")
  [ "$got" = "$want" ] || fail "the checksum of $archive is $got and should be $want: nothing was installed"

  tar -xzf "$scratch/$archive" -C "$scratch" aguiws
  "$scratch/aguiws" version >"$scratch/says" || fail "the binary does not run here: nothing was installed"

  bin=${AGUIWS_BIN:-}
  if [ -z "$bin" ]; then
    bin=/usr/local/bin
    [ -w "$bin" ] || bin=$HOME/.local/bin
  fi
  mkdir -p "$bin"
  # Moved, so that a server that runs keeps the file it has.
  cp "$scratch/aguiws" "$bin/.aguiws.new"
  chmod 0755 "$bin/.aguiws.new"
  mv "$bin/.aguiws.new" "$bin/aguiws"
  echo "$(cat "$scratch/says") is in $bin"
  case :$PATH: in
  *:"$bin":*) ;;
  *) echo "$bin is not in your PATH" ;;
  esac
}

fetch() { # URL FILE
  if command -v curl >/dev/null; then
    curl -fsSL --retry 3 -o "$2" "$1" || fail "$1 cannot be had"
  elif command -v wget >/dev/null; then
    wget -qO "$2" "$1" || fail "$1 cannot be had"
  else
    fail "curl or wget is needed"
  fi
}

where() { # URL: the address to which it leads
  if command -v curl >/dev/null; then
    curl -fsSLI -o /dev/null -w '%{url_effective}' "$1" || fail "$1 cannot be had"
  else
    wget -qS --spider "$1" 2>&1 | awk 'tolower($1) == "location:" { to = $2 } END { print to }'
  fi
}

sha256() { # FILE
  if command -v sha256sum >/dev/null; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  else
    fail "sha256sum or shasum is needed"
  fi
}

main "$@"
