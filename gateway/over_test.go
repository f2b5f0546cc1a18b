package gateway

import (
	"errors"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// overSink is a run that takes an event, or nothing any more.
type overSink struct {
	sink
	refuses, over error
}

func (s overSink) Relay(protocol.Event, []byte) error { return s.refuses }
func (s overSink) Emit(...protocol.Event) error       { return s.over }

// What a run that is over refuses is no fault of the agent's.
func TestARunThatIsOverIsNoViolation(t *testing.T) {
	refused, over := errors.New("it fits nothing"), errors.New("the store has gone")
	delta := &protocol.StateDelta{}
	for name, test := range map[string]struct {
		over error
		want bool // it is the run's error
	}{
		"an event that is refused": {nil, false},
		"a run that is over":       {over, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRelay(t.Context(), overSink{refuses: refused, over: test.over}, manners{}, DialectPlain, ids{})
			repaired := 0
			r.repaired = func(string) { repaired++ }
			err := r.relay(delta, nil, protocol.EffectOf(delta))
			if errors.Is(err, over) != test.want || repaired == 1 == test.want {
				t.Errorf("%v, %d repairs", err, repaired)
			}
			raw := &protocol.Raw{}
			if err := r.relay(raw, nil, protocol.EffectOf(raw)); errors.Is(err, over) != test.want {
				t.Errorf("%v", err)
			}
		})
	}
}
