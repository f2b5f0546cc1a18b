package responseschema

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// prune is a schema without what this package cannot check, so that the rest can be: it
// refuses nothing that the schema takes. A part that follows from one that is left out is
// left out with it, for example if it negates that. follow says whether references are
// followed.
func prune(schema []byte, follow bool) ([]byte, error) {
	root, err := document(schema)
	if err != nil {
		return nil, err
	}
	for _, cautious := range []bool{false, true} {
		p := &pruner{places: placesOf(root), follow: follow, cautious: cautious, state: map[string]int{}, exact: map[string]bool{}, defs: map[string]any{}}
		out, exact := p.schema(root, "")
		if p.parts > maxSubschemas {
			return nil, errors.New("too much refers to too much")
		}
		if members, is := out.(map[string]any); is {
			if len(p.defs) > 0 {
				members[p.definitions()] = p.defs
			}
			if p.places.draft != "" {
				members["$schema"] = p.places.draft
			}
		}
		// A schema that refers to itself was taken for exact so far, which holds if all is.
		if exact || cautious {
			return json.Marshal(out)
		}
	}
	return nil, errors.New("unreachable")
}

type pruner struct {
	places   *places
	follow   bool
	cautious bool // what refers to what it is in is not taken for exact
	parts    int
	patterns bounds
	state    map[string]int // of definitions, by their names: 1 under way, 2 done
	exact    map[string]bool
	defs     map[string]any
}

func (p *pruner) definitions() string {
	if p.places.old() {
		return "definitions"
	}
	return "$defs"
}

// pruning is one schema under way.
type pruning struct {
	*pruner
	in    map[string]any
	base  string
	out   map[string]any
	exact bool
}

// schema prunes one schema. It is exact if it means the same as before.
func (p *pruner) schema(node any, base string) (out any, exact bool) {
	if p.parts++; p.parts > maxSubschemas {
		return true, false
	}
	in, is := node.(map[string]any)
	if !is {
		if constant, is := node.(bool); is {
			return constant, true
		}
		return map[string]any{}, false
	}
	s := &pruning{p, in, p.places.baseIn(in, base), map[string]any{}, true}
	if s.references() && p.places.old() {
		return s.out, s.exact // it stands for itself, and what is beside it says nothing
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if check := simple[name]; check != nil {
			if value, ok := check(in[name], in); ok {
				s.out[name] = value
			} else {
				s.exact = false
			}
		}
	}
	if pattern, has := in["pattern"]; has {
		text, is := pattern.(string)
		if is = is && p.runs(text); is {
			s.out["pattern"] = text
		}
		s.exact = s.exact && is
	}
	s.lists()
	s.single()
	s.members()
	s.conditional()
	s.contains()
	if !s.exact {
		// It is not known what other parts have evaluated.
		delete(s.out, "unevaluatedProperties")
		delete(s.out, "unevaluatedItems")
	}
	return s.out, s.exact
}

// runs reports whether a pattern can be carried out, beside those before it.
func (p *pruner) runs(text string) bool {
	before := p.patterns.instructions
	if p.patterns.pattern("pattern", text) == nil {
		return true
	}
	p.patterns.instructions = before
	return false
}

// keep sets a keyword to a pruned schema.
func (s *pruning) keep(name string, node any) {
	out, exact := s.schema(node, s.base)
	s.out[name], s.exact = out, s.exact && exact
}

// list prunes each of a list; nil: it is none.
func (s *pruning) list(node any) (list []any, exact bool) {
	items, is := node.([]any)
	exact = is && len(items) > 0
	for _, item := range items {
		out, same := s.schema(item, s.base)
		list, exact = append(list, out), exact && same
	}
	return list, exact
}

// references follows what refers to another schema of the document; false: nothing does.
func (s *pruning) references() (there bool) {
	for _, name := range references {
		ref, has := s.in[name]
		if !has || s.places.old() && name != "$ref" {
			continue
		}
		there = true
		text, _ := ref.(string)
		to, key, ok := s.places.find(text, s.base, name)
		if !ok || !s.follow {
			s.exact = false
			continue
		}
		s.allOf(map[string]any{"$ref": "#/" + s.definitions() + "/" + s.define(to, key)})
	}
	return there
}

// define prunes a definition once, and returns its name.
func (s *pruning) define(to place, key string) string {
	name := s.places.nameOf(key)
	if s.state[name] == 0 {
		s.state[name] = 1
		s.defs[name], s.pruner.exact[name] = s.schema(to.node, to.base)
		s.state[name] = 2
	}
	if s.state[name] == 1 {
		s.exact = s.exact && !s.cautious
	} else {
		s.exact = s.exact && s.pruner.exact[name]
	}
	return name
}

// allOf adds a schema that has to hold as well.
func (s *pruning) allOf(schema map[string]any) {
	if len(s.out) == 0 && schema["$ref"] != nil {
		s.out = schema
		return
	}
	all, _ := s.out["allOf"].([]any)
	s.out["allOf"] = append(all, schema)
}

func (s *pruning) lists() {
	for _, name := range []string{"allOf", "anyOf", "oneOf", "prefixItems"} {
		node, has := s.in[name]
		if !has || name == "prefixItems" && s.places.beforePrefix() {
			continue
		}
		list, exact := s.list(node)
		s.exact = s.exact && exact
		switch {
		case len(list) == 0:
		case name == "allOf":
			all, _ := s.out["allOf"].([]any)
			s.out["allOf"] = append(all, list...)
		case name == "oneOf" && !exact:
			s.allOf(map[string]any{"anyOf": list}) // more than one may seem to hold
		default:
			s.out[name] = list
		}
	}
	if items, is := s.in["items"].([]any); is {
		if !s.places.beforePrefix() {
			s.exact = false
		} else if list, exact := s.list(items); len(list) > 0 {
			s.out["items"], s.exact = list, s.exact && exact
		}
	}
}

func (s *pruning) single() {
	for _, name := range []string{"items", "additionalItems", "additionalProperties", "propertyNames", "unevaluatedProperties", "unevaluatedItems"} {
		if node, has := s.in[name]; has {
			if _, list := node.([]any); !list {
				s.keep(name, node)
			}
		}
	}
	if node, has := s.in["not"]; has {
		if out, exact := s.schema(node, s.base); exact {
			s.out["not"] = out
		} else {
			s.exact = false
		}
	}
}

// members prunes what has a schema for each name.
func (s *pruning) members() {
	for _, keyword := range []string{"properties", "patternProperties", "dependentSchemas", "dependencies"} {
		node, has := s.in[keyword]
		if !has {
			continue
		}
		members, is := node.(map[string]any)
		s.exact = s.exact && is
		kept := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if keyword == "patternProperties" && !s.runs(name) {
				// It is not known what the pattern matches, so neither is what is
				// additional.
				s.exact = false
				delete(s.out, "additionalProperties")
				continue
			}
			if texts, list := members[name].([]any); list && keyword == "dependencies" {
				if value, ok := textList(texts, nil); ok {
					kept[name] = value
				} else {
					s.exact = false
				}
				continue
			}
			out, exact := s.schema(members[name], s.base)
			kept[name], s.exact = out, s.exact && exact
		}
		s.out[keyword] = kept
	}
}

func (s *pruning) conditional() {
	when, has := s.in["if"]
	if !has {
		return
	}
	out, exact := s.schema(when, s.base)
	if !exact {
		s.exact = false
		return
	}
	s.out["if"] = out
	for _, name := range []string{"then", "else"} {
		if node, has := s.in[name]; has {
			s.keep(name, node)
		}
	}
}

func (s *pruning) contains() {
	node, has := s.in["contains"]
	if !has {
		return
	}
	before := s.exact
	s.exact = true
	s.keep("contains", node)
	if !s.exact {
		delete(s.out, "maxContains") // more may seem to hold
	}
	s.exact = s.exact && before
}
