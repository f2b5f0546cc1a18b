package protocol

import (
	"reflect"
	"sync"
)

// longestWord bounds what is looked for among words.
const longestWord = 32

// words are the names, tags and enumerated texts of AG-UI, of which a history has
// several a message: who reads one makes no string of it.
var words = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	add := func(word string) {
		if len(word) <= longestWord {
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

// word is unquote for a token that may well be one of the words.
func word(token []byte) string {
	if len(token) <= longestWord+2 {
		if known, ok := words()[string(token[1:len(token)-1])]; ok {
			return known
		}
	}
	return unquote(token)
}
