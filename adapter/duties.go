package adapter

import (
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/protocol"
)

// AnotherResolves returns the interrupt as one that, with runner.Options.SeparateDuties, must
// be resolved by somebody else than whose messages led to it. Tool calls are so without
// it, and Run.Confirm takes it as a mark. Clients see it in the interrupt's metadata.
func AnotherResolves(i protocol.Interrupt) protocol.Interrupt {
	return lifecycle.WithOwn(i, judge.AnotherKey, true)
}
