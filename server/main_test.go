package server

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	tapAll()
	// A pool whose server does not answer looks for it once a second, also after Close.
	goleak.VerifyTestMain(m, goleak.Cleanup(holdToBinding), goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}
