package journal

import (
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
)

// These bound what a run record tells of steps: it lies on the run's line, which is read
// often.
const (
	maxRanSteps    = 16
	maxRanStepName = 48
)

// RanSteps has the steps that a run has run so far, by name, in the order of their first.
type RanSteps store.RunSummary

// Add notes a step that was recorded, and how long it took. at zero: by a worker that was lost,
// nobody knows when.
func (r *RanSteps) Add(key string, failed bool, at time.Time, took time.Duration) {
	name := stepName(key)
	step := (*store.RanStep)(nil)
	for i := range r.Steps {
		if r.Steps[i].Name == name {
			step = &r.Steps[i]
		}
	}
	if step == nil {
		if len(r.Steps) == maxRanSteps {
			r.More++
			return
		}
		r.Steps = append(r.Steps, store.RanStep{Name: name})
		step = &r.Steps[len(r.Steps)-1]
	}
	step.Count++
	if failed {
		step.Failed++
	}
	step.Took += took.Milliseconds()
	if !at.IsZero() {
		step.Last = at.UnixMilli()
		if step.First == 0 && step.Count == 1 {
			step.First = step.Last
		}
	}
}

// stepName is a step's name without its ordinal, as a run record tells it.
func stepName(key string) string {
	if i := strings.LastIndexByte(key, '#'); i > 0 {
		key = key[:i]
	}
	return node.ShortText(strings.ToValidUTF8(key, "\uFFFD"), maxRanStepName)
}
