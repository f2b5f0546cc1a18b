package protocol

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

// Validate checks a document exactly: what it accepts is what the schema of
// AG-UI 1.1 accepts, and the names of definitions are the schema's. "Event" is
// any event. The error is a *problem.Error that names the places, or says that
// there is no such definition.
//
// It is for what is produced. A document from a newer peer may be more than this; Decode
// and DecodeInput read that.
func Validate(definition string, data []byte) error {
	d, ok := definitions()[definition]
	if !ok {
		return fmt.Errorf("protocol: no definition is named %q; there are %s", definition, strings.Join(Definitions(), ", "))
	}
	r, bad := newReader(data, true)
	if bad != nil {
		return bad
	}
	d(&r)
	return r.Err()
}

// Definitions returns the names that Validate knows, sorted.
func Definitions() []string {
	return slices.Sorted(maps.Keys(definitions()))
}

// ValidateEvent is Validate for any event.
func ValidateEvent(data []byte) error { return Validate("Event", data) }

func (r *reader) anyEvent() {
	name, bad := r.eventType()
	if bad != nil {
		r.Problems.Add(bad.Problems[0])
		return
	}
	k := kinds[name]
	if k == nil {
		r.Push(wire.Step{Name: "type"})
		r.Fail("%q is not the type of an event", name)
		r.Pop()
		return
	}
	r.object(k.shape, reflect.Value{}, "type")
}

func (r *reader) event(k *kind) {
	name, bad := r.eventType()
	switch {
	case bad != nil:
		r.Problems.Add(bad.Problems[0])
	case name != k.name:
		r.Push(wire.Step{Name: "type"})
		r.Fail("expected %q, found %q", k.name, name)
		r.Pop()
	default:
		r.object(k.shape, reflect.Value{}, "type")
	}
}
