package protocol

import "maps"

// foldIndex finds places by id. Clones share its layers, newest last, each less than
// half as large as the one before it, so that there are few.
type foldIndex struct {
	layers []map[string]Place
	own    map[string]Place
}

func (x *foldIndex) get(id string) (Place, bool) {
	if place, ok := x.own[id]; ok {
		return place, true
	}
	for i := len(x.layers) - 1; i >= 0; i-- {
		if place, ok := x.layers[i][id]; ok {
			return place, true
		}
	}
	return 0, false
}

func (x *foldIndex) set(id string, place Place) {
	if x.own == nil {
		x.own = map[string]Place{}
	}
	x.own[id] = place
}

// freeze makes a layer of what is new, and one of those that are of a size.
func (x *foldIndex) freeze() {
	if len(x.own) == 0 {
		x.own = nil // an empty map must not become one of two folds
		return
	}
	top, size, n := x.own, len(x.own), len(x.layers)
	for n > 0 && len(x.layers[n-1]) <= 2*size {
		n--
		size += len(x.layers[n])
	}
	if n < len(x.layers) {
		top = make(map[string]Place, size)
		for _, older := range x.layers[n:] {
			maps.Copy(top, older)
		}
		maps.Copy(top, x.own)
	}
	x.layers = append(x.layers[:n:n], top)
	x.own = nil
}
