package fold

import "maps"

// index finds what is known of a key, such as the place of an id. Clones share its
// layers, newest last, each less than half as large as the one before it, so that there
// are few.
type index[K comparable, V any] struct {
	layers []map[K]V
	own    map[K]V
}

func (x *index[K, V]) get(key K) (value V, ok bool) {
	if value, ok = x.own[key]; ok {
		return value, true
	}
	for i := len(x.layers) - 1; i >= 0; i-- {
		if value, ok = x.layers[i][key]; ok {
			return value, true
		}
	}
	return value, false
}

func (x *index[K, V]) set(key K, value V) {
	if x.own == nil {
		x.own = map[K]V{}
	}
	x.own[key] = value
}

// clone returns an index that goes on independently.
func (x *index[K, V]) clone() index[K, V] {
	x.freeze()
	return *x
}

// freeze makes a layer of what is new, and one of those that are of a size.
func (x *index[K, V]) freeze() {
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
		top = make(map[K]V, size)
		for _, older := range x.layers[n:] {
			maps.Copy(top, older)
		}
		maps.Copy(top, x.own)
	}
	x.layers = append(x.layers[:n:n], top)
	x.own = nil
}
