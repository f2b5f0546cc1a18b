package operate

import (
	"fmt"
	"slices"
	"testing"
)

// What waits below a thread is named in one order and so many at most, and all is counted.
func TestWaitsAreBounded(t *testing.T) {
	var near, far []string
	for i := range MaxWaits - 1 {
		near = append(near, fmt.Sprintf("near%02d", i))
		far = append(far, fmt.Sprintf("far%02d", i))
	}
	var top TreeThread
	top.waitFor(near...)
	top.waitFor(far...)
	top.waitFor("farther")
	if want := append(slices.Clone(near), far[0]); !slices.Equal(top.Waits, want) {
		t.Errorf("%v, want %v", top.Waits, want)
	}
	if want := len(near) + len(far) + 1; top.WaitsCount != want {
		t.Errorf("%d wait, and %d are told", want, top.WaitsCount)
	}
}
