package adapter_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/redisstore/storetest"
)

// line is a behaviour of a durable mailbox, by its number in the list that
// redisstore/storetest checks, and the test that holds it.
type line struct {
	name string
	test func(t *testing.T)
}

func TestMain(m *testing.M) {
	var held []storetest.Held
	for _, l := range byOthers {
		held = append(held, storetest.Held{Name: l.name, Test: l.test})
	}
	goleak.VerifyTestMain(storetest.Keep(m, "adapter", held...))
}

// TestSeeds holds the lines that have a test for themselves.
func TestSeeds(t *testing.T) {
	for _, lines := range [][]line{recoveryLines, deliveryLines, answerLines, callLines} {
		for _, l := range lines {
			t.Run(l.name, func(t *testing.T) {
				storetest.Ran(t)
				l.test(t)
			})
		}
	}
}

// byOthers are the lines that other tests of this package hold, each on a lab.
var byOthers = []line{
	{"M131 what a lost worker claimed is claimed again and carried on", TestTakeoverAtEveryEvent},
	{"M140 what waits behind an active run is run after it", TestQueue},
	{"M142 what cannot be delivered now is given back and tried again, so many times", TestUnknownAgentBecomesADeadLetter},
	{"M143 each way in which an agent fails has its code", TestAgentFails},
	{"M153 M154 interrupting a thread ends what runs and what waits", TestInterruptThread},
	{"M155 a superseding input cancels what waits and what runs", TestBusyPolicies},
	{"M172 an answer to an unknown interrupt is refused", TestRefusals},
	{"M176 a resume without messages is a whole input", TestResumeTwice},
	{"S6 an answer names the interrupt", TestRefusals},
	{"S12 a thread keeps its messages across a resume, each once", TestReplayContinuesAfterAnswer},
	{"S15 a new message beside a cancellation of all that is open begins anew", TestSteeringAway},
	{"S20 a second run on a busy thread is a conflict", TestBusyPolicies},
	{"N3 a resume that does not fit what is open is refused and changes nothing", TestRefusals},
	{"N4 an input without answers is refused while interrupts are open", TestRefusals},
	{"N5 an answer after the expiry is refused", TestExpiryPolicies},
	{"N6 wherever a worker is lost, the run goes on and no recorded step runs again", TestTakeoverAtEveryEvent},
	{"N6 a step that was started and not recorded is asked about", TestUncertainStep},
	{"N7 an answer whose continuation could not go on may be given again", TestSameAnswerAfterGiveBack},
}
