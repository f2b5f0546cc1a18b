package formats

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/conformance/internal/command"
)

// tests are run with the command at hand.
type tests struct{ *testing.M }

func (t tests) Run() int { return command.Main(t.M) }

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(tests{m},
		// It sleeps for a second before it notices that its pool is closed.
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}
