package adapter_test

import (
	"testing"

	"go.uber.org/goleak"
)

// behaviour is one of a durable mailbox, and the test that shows it.
type behaviour struct {
	name string
	test func(t *testing.T)
}

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// TestBehaviours shows the behaviours that have a test for themselves.
func TestBehaviours(t *testing.T) {
	for _, lines := range [][]behaviour{recoveryBehaviours, dispatchBehaviours, answerBehaviours, approvalBehaviours} {
		for _, l := range lines {
			t.Run(l.name, l.test)
		}
	}
}
