package responseschema

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// places are what a document can be referred to by: its own schemas. It looks for nothing
// else, and fetches nothing.
type places struct {
	base      string           // in the root
	draft     string           // one that the library knows; "": the latest
	resources map[string]place // by their URIs
	anchors   map[string]place // by URI#name
	dynamic   map[string]int   // how many anchors of the name resolve dynamically
	recurs    bool             // an anchor does that is not the root's
	known     []string         // what was referred to, in order
}

// place is a schema in the document, and what references around it are relative to.
type place struct {
	node any
	base string
}

// notSchemas are keywords whose values are data, whatever is in them.
var notSchemas = []string{"const", "enum", "default", "examples", "example"}

func placesOf(root any) *places {
	p := &places{resources: map[string]place{}, anchors: map[string]place{}, dynamic: map[string]int{}}
	members, _ := root.(map[string]any)
	if draft, _ := members["$schema"].(string); knownDraft(draft) {
		p.draft = draft
	}
	p.base = p.baseIn(members, "")
	p.resources[""] = place{root, ""}
	p.visit(root, "")
	return p
}

// old reports whether what is beside a $ref says nothing.
func (p *places) old() bool { return strings.Contains(p.draft, "/draft-0") }

// beforePrefix reports whether items may be a list.
func (p *places) beforePrefix() bool { return p.old() || strings.Contains(p.draft, "2019-09") }

func (p *places) idOf(members map[string]any) string {
	name := "$id"
	if strings.Contains(p.draft, "draft-04") {
		name = "id"
	}
	id, _ := members[name].(string)
	return id
}

// baseIn is what references in a schema are relative to, by the base around it.
func (p *places) baseIn(members map[string]any, base string) string {
	id := p.idOf(members)
	if id == "" || strings.HasPrefix(id, "#") {
		return base
	}
	own, _, _ := strings.Cut(resolved(base, id), "#")
	return own
}

func (p *places) visit(node any, base string) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			p.visit(item, base)
		}
	case map[string]any:
		around := base
		base = p.baseIn(node, around)
		if _, taken := p.resources[base]; !taken {
			p.resources[base] = place{node, around}
		}
		for _, keyword := range []string{"$id", "$anchor", "$dynamicAnchor"} {
			name, _ := node[keyword].(string)
			if keyword == "$id" {
				var anchor bool
				if name, anchor = strings.CutPrefix(p.idOf(node), "#"); !anchor {
					continue
				}
			}
			if name == "" {
				continue
			}
			if keyword == "$dynamicAnchor" {
				p.dynamic[name]++
			}
			if _, taken := p.anchors[base+"#"+name]; !taken {
				p.anchors[base+"#"+name] = place{node, around}
			}
		}
		if on, _ := node["$recursiveAnchor"].(bool); on && base != p.base {
			p.recurs = true
		}
		for _, name := range slices.Sorted(maps.Keys(node)) {
			if !slices.Contains(notSchemas, name) {
				p.visit(node[name], base)
			}
		}
	}
}

// find is the schema that a reference leads to, and what tells it apart.
func (p *places) find(ref, base, keyword string) (to place, key string, ok bool) {
	uri, fragment, _ := strings.Cut(resolved(base, ref), "#")
	if strings.HasPrefix(ref, "#") {
		uri, fragment = base, ref[1:]
	}
	from, ok := p.resources[uri]
	if text, err := url.PathUnescape(fragment); err == nil {
		fragment = text
	}
	key = uri + "#" + fragment
	switch {
	case !ok || keyword == "$recursiveRef" && p.recurs || keyword == "$dynamicRef" && p.dynamic[fragment] > 1:
		return place{}, "", false
	case fragment == "":
		return from, key, true
	case !strings.HasPrefix(fragment, "/"):
		to, ok = p.anchors[key]
		return to, key, ok
	}
	for _, step := range strings.Split(fragment[1:], "/") {
		if from, ok = p.below(from, strings.NewReplacer("~1", "/", "~0", "~").Replace(step)); !ok {
			return place{}, "", false
		}
	}
	return from, key, true
}

// below is a member or an item.
func (p *places) below(from place, step string) (place, bool) {
	switch node := from.node.(type) {
	case map[string]any:
		child, has := node[step]
		return place{child, p.baseIn(node, from.base)}, has
	case []any:
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(node) {
			return place{}, false
		}
		return place{node[i], from.base}, true
	}
	return place{}, false
}

// nameOf is the name of a definition for what was referred to.
func (p *places) nameOf(key string) string {
	i := slices.Index(p.known, key)
	if i < 0 {
		i = len(p.known)
		p.known = append(p.known, key)
	}
	return "r" + strconv.Itoa(i)
}

func resolved(base, ref string) string {
	from, err := url.Parse(base)
	if err != nil {
		return ref
	}
	to, err := from.Parse(ref)
	if err != nil {
		return ref
	}
	return to.String()
}
