package server

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	tapAll()
	// It sleeps for a second before it notices that its pool is closed.
	goleak.VerifyTestMain(m, goleak.Cleanup(holdToBinding), goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}
