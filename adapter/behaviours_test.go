package adapter_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/redisstore/storetest"
)

// behaviour is one of a durable mailbox, and the test that shows it.
type behaviour struct {
	name string
	test func(t *testing.T)
}

func TestMain(m *testing.M) {
	var held []storetest.Behaviour
	for _, l := range byOthers {
		held = append(held, storetest.Behaviour{Name: l.name, Test: l.test})
	}
	goleak.VerifyTestMain(storetest.Keep(m, held))
}

// TestBehaviours shows the behaviours that have a test for themselves.
func TestBehaviours(t *testing.T) {
	for _, lines := range [][]behaviour{recoveryBehaviours, dispatchBehaviours, answerBehaviours, approvalBehaviours} {
		for _, l := range lines {
			t.Run(l.name, func(t *testing.T) {
				storetest.Ran(t)
				l.test(t)
			})
		}
	}
}

// byOthers are the lines that other tests of this package hold, each on a lab.
var byOthers = []behaviour{
	{"what a lost worker claimed is claimed again and carried on", TestTakeoverAtEveryEvent},
	{"what waits behind an active run is run after it", TestQueue},
	{"what cannot be delivered now is given back and tried again, so many times", TestUnknownAgentBecomesADeadLetter},
	{"each way in which an agent fails has its code", TestAgentFails},
	{"stopping all of a thread ends what runs and what waits", TestStopAll},
	{"a superseding input cancels what waits and what runs", TestBusyPolicies},
	{"an answer to an unknown interrupt is refused", TestRefusals},
	{"a resume without messages is a whole input", TestResumeTwice},
	{"an answer names the interrupt", TestRefusals},
	{"a thread keeps its messages across a resume, each once", TestReplayContinuesAfterAnswer},
	{"a new message beside a cancellation of all that is open begins anew", TestSteeringAway},
	{"a second run on a busy thread is a conflict", TestBusyPolicies},
	{"a resume that does not fit what is open is refused and changes nothing", TestRefusals},
	{"an input without answers is refused while interrupts are open", TestRefusals},
	{"an answer after the expiry is refused", TestExpiryPolicies},
	{"wherever a worker is lost, the run goes on and no recorded step runs again", TestTakeoverAtEveryEvent},
	{"a step that was started and not recorded is asked about", TestUncertainStep},
	{"an answer whose continuation could not go on may be given again", TestSameAnswerAfterGiveBack},
}
