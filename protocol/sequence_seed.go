package protocol

import "maps"

// seed is what the peer of a sequence holds before a run, without what the run has said
// anew. Clones share the fold.
type seed struct {
	held *Fold // nil: nothing
	anew map[entity]bool
}

func (s *seed) clone() seed { return seed{s.held, maps.Clone(s.anew)} }

func (s *seed) owner(e entity) (owner, bool) {
	if s.held == nil || s.anew[e] {
		return owner{}, false
	}
	m := s.held.log.find(e.id)
	if e.family == FamilyToolCall {
		m = s.held.log.callAt(e.id)
	} else if m != nil && familyOf(m.Role) != e.family {
		m = nil
	}
	if m == nil {
		return owner{}, false
	}
	return ownerOf(m.SubagentRunID), true
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
