package adapter_test

import (
	"testing"

	"github.com/aguiws/aguiws/adapter"
)

// What a mode is said to come to is one that the store is taken for, and comes to itself.
func TestChosenMode(t *testing.T) {
	for _, tt := range []struct {
		mode    adapter.Mode
		durable bool
		want    adapter.Mode
	}{
		{adapter.ModeAuto, true, adapter.ModeDurable}, {adapter.ModeAuto, false, adapter.ModeAuto}, {adapter.ModeDurable, true, adapter.ModeDurable},
		{adapter.ModeBlocking, true, adapter.ModeBlocking}, {adapter.ModeBlocking, false, adapter.ModeBlocking},
	} {
		chosen, why := tt.mode.Chosen(tt.durable)
		again, same := chosen.Chosen(tt.durable)
		if chosen != tt.want || why == "" || again != chosen || same != why {
			t.Errorf("%q, %t: %q, %q, then %q, %q", tt.mode, tt.durable, chosen, why, again, same)
		}
	}
}
