# Sourced by .ci/run, .ci/full and .ci/affected: what they share.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
export AGUIWS_ARTIFACTS=${AGUIWS_ARTIFACTS:-$PWD/artifacts}
mkdir -p "$AGUIWS_ARTIFACTS"
# Without the checkout's path in them, packages compiled in one clone serve in the next.
export GOFLAGS="-trimpath${GOFLAGS:+ $GOFLAGS}"

began=$SECONDS
table=() # one line a step: result, seconds, name

# step NAME COMMAND… runs the command, prints its seconds, and ends the script if it
# fails. With keep_going=1 the script goes on and fails at its end.
failed=0
step() {
  local name=$1 start=$SECONDS status=0
  shift
  printf '\n== %s\n' "$name"
  # The command runs in a shell of its own: errexit does not hold behind ||.
  set +e
  (set -e; "$@")
  status=$?
  set -e
  local result=ok
  ((status == 0)) || result=FAILED
  table+=("$(printf '%-7s %5d  %s' "$result" $((SECONDS - start)) "$name")")
  printf '== %s: %s, %d s\n' "$name" "$result" $((SECONDS - start))
  if ((status != 0)); then
    failed=1
    ((${keep_going:-0})) || exit 1
  fi
}

summary() {
  printf '\nresult  seconds  step\n'
  ((${#table[@]} == 0)) || printf '%s\n' "${table[@]}"
  printf 'all     %5d\n' $((SECONDS - began))
}
trap summary EXIT

# tools installs the programs that are missing and tells the versions of all.
tools() {
  local missing=()
  command -v redis-server >/dev/null || missing+=(redis-server)
  command -v chromium >/dev/null || command -v chromium-browser >/dev/null || missing+=(chromium)
  ((${#missing[@]} == 0)) || debian "${missing[@]}"
  go version
  node --version
  redis-server --version
}

# debian PACKAGE… installs packages of Debian.
debian() {
  local as_root=()
  ((EUID == 0)) || as_root=(sudo)
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# packages FOLDER… installs the npm packages that the locks of these folders name.
packages() {
  local folder
  for folder; do npm ci --prefix "$folder" --no-progress --no-audit --no-fund; done
}

formatted() {
  local unformatted
  unformatted=$(git ls-files -z '*.go' | xargs -0 gofmt -l)
  [[ -z $unformatted ]] || { echo "gofmt would change: $unformatted" >&2; return 1; }
}

# web checks types, runs the unit tests, and builds the page aside, since others read web/dist
# meanwhile: the committed one must be what its sources make.
web() {
  local built
  built=$(mktemp -d)
  npm --prefix web run build -- --outDir "$built" --emptyOutDir # which checks types first
  diff -rq "$built" web/dist || { echo "web/dist is not what its sources make: run npm --prefix web run build" >&2; return 1; }
  rm -r "$built"
  npm --prefix web test
}
