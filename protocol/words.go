package protocol

import (
	"maps"
	"reflect"
	"sync"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

// words are the names, tags and enumerated texts of AG-UI, of which a history has
// several a message: a reader makes no string of them.
var words = sync.OnceValue(func() map[string]string {
	all := maps.Clone(wire.PatchWords)
	add := func(word string) {
		if len(word) <= wire.LongestWord {
			all[word] = word
		}
	}
	seen := map[*shape]bool{}
	var walk func(s *shape)
	walk = func(s *shape) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		for _, list := range [][]string{s.enum, s.nominal} {
			for _, word := range list {
				add(word)
			}
		}
		walk(s.elem)
		for i := range s.fields {
			add(s.fields[i].name)
			walk(s.fields[i].shape)
		}
	}
	walk(shapeOf(reflect.TypeFor[RunAgentInput]()))
	for name, k := range kinds {
		add(string(name))
		walk(k.shape)
	}
	return all
})
