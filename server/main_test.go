package server

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	tapAll()
	goleak.VerifyTestMain(m, goleak.Cleanup(holdToBinding))
}
