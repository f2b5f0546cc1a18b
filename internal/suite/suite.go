// Package suite says how much of the tests runs. `go test ./...` runs the first
// part, `.ci/run` adds the gate's lanes, and `.ci/full` adds everything else. The
// environment variable AGUIWS_TESTS selects the part: "" (the default), "gate" or
// "full". An installed tool never selects one.
package suite

import (
	"os"
	"testing"
)

const variable = "AGUIWS_TESTS"

// Gate skips the test unless the gate or the full suite runs.
func Gate(t testing.TB) {
	t.Helper()
	if part := os.Getenv(variable); part != "gate" && part != "full" {
		t.Skip(variable + "=gate or " + variable + "=full runs this test; .ci/run does so")
	}
}

// Full skips the test unless the full suite runs.
func Full(t testing.TB) {
	t.Helper()
	if !IsFull() {
		t.Skip(variable + "=full runs this test; .ci/full does so")
	}
}

// IsFull reports whether the full suite runs.
func IsFull() bool { return os.Getenv(variable) == "full" }

// Operations returns how many operations a random test performs in all: 5,000, and
// 100,000 in the full suite.
func Operations() int {
	if IsFull() {
		return 100_000
	}
	return 5_000
}
