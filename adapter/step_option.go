package adapter

import (
	"context"
	"encoding/json"

	"github.com/aguiws/aguiws/adapter/store"
)

// StepOption says more about a step.
type StepOption struct {
	given  []any
	goesOn bool
	first  func(ctx context.Context) error
	about  *store.StepAbout
}

// maxAbout bounds the arguments that are kept of what a step is about, in bytes.
const maxAbout = 4 << 10

// StepAbout is what a step is about, for those who are asked what became of it. Its fields:
// go doc store.StepAbout.
type StepAbout = store.StepAbout

// About says of a step what those are told who are asked what became of it: see
// ReasonUncertainStep. Arguments of more than 4 KiB are left out.
func About(about StepAbout) StepOption {
	if len(about.Args) > maxAbout || !json.Valid(about.Args) {
		about.Args = nil
	}
	return StepOption{about: &about}
}

// Given says what a step is given, in values that json.Marshal accepts. Their
// digest is journaled before the step's function is called, and compared at
// replay: the same step with something else is another path. Values are equal
// that are equal as JSON, whatever the order of their members.
func Given(values ...any) StepOption { return StepOption{given: values} }

// GoesOn says that a step goes on with what this call of the agent holds and another worker
// could not, such as an open connection. A worker that drains does not hand the run back
// before such a step, nor does an operator's pause take effect there.
func GoesOn() StepOption { return StepOption{goesOn: true} }

// First is called before the step's function, where that is called, and before the step's
// start is journaled: it waits for what the function needs, and has no effect. A worker
// that dies in it has begun nothing. Its error, a GiveBackError say, is what Step returns,
// and nothing is recorded of the step.
func First(fn func(ctx context.Context) error) StepOption { return StepOption{first: fn} }

// StepManner is what its options say of a step.
type StepManner struct {
	Idempotent bool
	Given      string // digest of what the step is given; "": nothing
	GoesOn     bool
	First      []func(ctx context.Context) error
	About      *store.StepAbout
}

func mannerOf(idempotent bool, options []StepOption) (StepManner, error) {
	m := StepManner{Idempotent: idempotent}
	for _, o := range options {
		m.GoesOn = m.GoesOn || o.goesOn
		if o.about != nil {
			m.About = o.about
		}
		if o.first != nil {
			m.First = append(m.First, o.first)
		}
	}
	var err error
	m.Given, err = givenDigest(options)
	return m, err
}
