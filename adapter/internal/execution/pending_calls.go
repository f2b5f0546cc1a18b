package execution

import "slices"

// pendingCalls are calls without a result, in the order in which they were made. Adding
// one, and taking one out, costs the same however many there are.
type pendingCalls struct {
	ids []string // with those that are gone; what is in it is not written again
	at  map[string]int
}

func pendingOf(ids []string) pendingCalls {
	var p pendingCalls
	for _, id := range ids {
		p.add(id)
	}
	return p
}

func (p *pendingCalls) add(id string) {
	if _, ok := p.at[id]; ok {
		return
	}
	if p.at == nil {
		p.at = map[string]int{}
	}
	p.at[id] = len(p.ids)
	p.ids = append(p.ids, id)
}

func (p *pendingCalls) remove(id string) {
	if _, ok := p.at[id]; !ok {
		return
	}
	delete(p.at, id)
	if len(p.ids) > 2*len(p.at) {
		p.compact()
	}
}

// compact lets go of what is gone.
func (p *pendingCalls) compact() {
	kept := make([]string, 0, 2*len(p.at))
	for i, id := range p.ids {
		if at, ok := p.at[id]; ok && at == i {
			p.at[id] = len(kept)
			kept = append(kept, id)
		}
	}
	p.ids = kept
}

// list is all of them. It stays as it is.
func (p *pendingCalls) list() []string {
	if len(p.ids) > len(p.at) {
		p.compact()
	}
	return slices.Clip(p.ids)
}
