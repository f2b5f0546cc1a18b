package adapter_test

import (
	"testing"

	"github.com/aguiws/aguiws/adapter/runner"
)

// What a mode is said to come to is one that the store is taken for, and comes to itself.
func TestChosenMode(t *testing.T) {
	for _, tt := range []struct {
		mode    runner.Mode
		durable bool
		want    runner.Mode
	}{
		{runner.ModeAuto, true, runner.ModeDurable}, {runner.ModeAuto, false, runner.ModeAuto}, {runner.ModeDurable, true, runner.ModeDurable},
		{runner.ModeBlocking, true, runner.ModeBlocking}, {runner.ModeBlocking, false, runner.ModeBlocking},
	} {
		chosen, why := tt.mode.Chosen(tt.durable)
		again, same := chosen.Chosen(tt.durable)
		if chosen != tt.want || why == "" || again != chosen || same != why {
			t.Errorf("%q, %t: %q, %q, then %q, %q", tt.mode, tt.durable, chosen, why, again, same)
		}
	}
}
