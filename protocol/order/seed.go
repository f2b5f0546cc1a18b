package order

import (
	"fmt"
	"maps"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// Resume makes s the order of a stream in the midst of a run: held is what its peer holds
// by then, and has open, ended are the subagents of the run that have ended. These alone
// tell what the stream said before; the role or name with which an item was opened that has
// closed is not known.
func (s *Sequence) Resume(held *fold.Fold, ended []string) error {
	threadID, runID, active := held.Run()
	if !active {
		return fmt.Errorf("protocol: no run of thread %q is open to resume", threadID)
	}
	*s = Sequence{}
	s.SeedFold(held)
	for i, e := range append([]protocol.Event{&protocol.RunStarted{ThreadID: threadID, RunID: runID}}, held.Openings()...) {
		if err := s.Check(e); err != nil {
			return err
		}
		if i > 0 {
			continue
		}
		for _, id := range ended {
			s.subagents[id] = false
		}
	}
	return nil
}

// seed is what the peer of a sequence holds before a run, without what the run has said
// anew. Clones share the fold.
type seed struct {
	held *fold.Fold // nil: nothing
	anew map[entity]bool
}

func (s *seed) clone() seed { return seed{s.held, maps.Clone(s.anew)} }

func (s *seed) owner(e entity) (protocol.Owner, bool) {
	if s.held == nil || s.anew[e] {
		return protocol.Owner{}, false
	}
	if e.family == protocol.FamilyToolCall {
		return s.held.CallOwner(e.id)
	}
	if role, ok := s.held.Role(e.id); !ok || familyOf(role) != e.family {
		return protocol.Owner{}, false
	}
	return s.held.Owner(e.id)
}

func (s *seed) drop(e entity) {
	if s.held == nil {
		return
	}
	if s.anew == nil {
		s.anew = map[entity]bool{}
	}
	s.anew[e] = true
}
