package store

import "testing"

func TestTerminalStates(t *testing.T) {
	for state, want := range map[DispatchState]bool{
		DispatchQueued: false, DispatchClaimed: false,
		DispatchAcked: true, DispatchCancelled: true, DispatchSuperseded: true, DispatchDeadLetter: true,
	} {
		if state.Terminal() != want {
			t.Errorf("%s: %t", state, !want)
		}
	}
}
