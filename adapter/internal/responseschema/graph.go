package responseschema

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// node is a schema as it is applied: what the library made of it, its references
// resolved, in an order that is the same every time.
type node struct {
	id     int32
	shared bool // more than one schema applies it, so that what it says is remembered
	always *bool

	// of any value
	types    kind
	typeList string
	constant *value
	enum     []*value        // but texts
	texts    map[string]bool // of the enum
	choices  string          // the enum, for people
	format   func(any) bool
	formatAs string

	// of the value that the node is applied to
	refs              []*node
	allOf             []*node
	anyOf, oneOf      []*node
	not               *node
	when, then, other *node
	dependent         []named

	// of objects
	minProperties, maxProperties int
	required                     []string
	properties                   map[string]*node
	patterns                     []patterned
	additional                   *node
	closed                       bool // additionalProperties is false
	names                        *node
	dependentRequired            []requirement
	unevaluatedProperties        *node

	// of arrays
	minItems, maxItems       int
	unique                   bool
	prefix                   []*node
	rest                     *node
	contains                 *node
	minContains, maxContains int
	containsEvaluates        bool
	unevaluatedItems         *node

	// of texts
	minLength, maxLength int
	pattern              *pattern
	decode               func(string) ([]byte, error)
	encoding             string
	media                func([]byte) error
	mediaType            string

	// of numbers
	minimum, above, maximum, below, multipleOf *decimal
}

type named struct {
	name string
	node *node
}

type patterned struct {
	pattern *pattern
	node    *node
}

type requirement struct {
	name     string
	required []string
}

type pattern struct {
	re           *regexp.Regexp
	instructions int
}

func newPattern(re *regexp.Regexp) *pattern {
	parsed, _ := syntax.Parse(re.String(), syntax.Perl)
	return &pattern{re: re, instructions: instructions(parsed)}
}

// graph makes the nodes of compiled schemas, each once.
type graph struct {
	nodes map[*jsonschema.Schema]*node
	cost  int
}

// newGraph makes the node of a compiled schema. A schema that applies itself to the
// very value it is applied to never ends, and is refused.
func newGraph(root *jsonschema.Schema) (*node, int, error) {
	g := graph{nodes: map[*jsonschema.Schema]*node{}}
	n := g.node(root)
	state := map[*node]int{}
	for _, n := range g.nodes {
		if endless(n, state) {
			return nil, 0, errors.New("$ref leads back to the schema that it is in, for the same value")
		}
	}
	return n, g.cost, nil
}

func (g *graph) node(s *jsonschema.Schema) *node {
	if s == nil {
		return nil
	}
	if n := g.nodes[s]; n != nil {
		n.shared = true
		return n
	}
	n := &node{id: int32(len(g.nodes) + 1), always: s.Always}
	g.nodes[s] = n
	g.cost += 1000
	g.anyValue(n, s)
	g.inPlace(n, s)
	g.object(n, s)
	g.array(n, s)
	g.leaf(n, s)
	return n
}

func (g *graph) list(schemas []*jsonschema.Schema) []*node {
	nodes := make([]*node, len(schemas))
	for i, s := range schemas {
		nodes[i] = g.node(s)
	}
	return nodes
}

func (g *graph) anyValue(n *node, s *jsonschema.Schema) {
	for _, t := range s.Types {
		n.types |= kindNames[t]
	}
	n.typeList = strings.Join(s.Types, " or ")
	if len(s.Constant) > 0 {
		n.constant = valueOf(s.Constant[0])
	}
	if len(s.Enum) > 0 {
		n.texts = map[string]bool{}
	}
	var choices []string
	for _, item := range s.Enum {
		if t, ok := item.(string); ok {
			n.texts[t] = true
		} else {
			n.enum = append(n.enum, valueOf(item))
		}
		if len(choices) < 20 {
			choices = append(choices, shown(valueOf(item)))
		}
	}
	n.choices = strings.Join(choices, ", ")
	if checkedFormats[s.Format] {
		n.format, n.formatAs = jsonschema.Formats[s.Format], s.Format
	}
}

func (g *graph) inPlace(n *node, s *jsonschema.Schema) {
	// The schema is one resource, and its anchors are there once: what is dynamic
	// resolves to where it points.
	for _, ref := range []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.DynamicRef} {
		if ref != nil {
			n.refs = append(n.refs, g.node(ref))
		}
	}
	n.not = g.node(s.Not)
	n.allOf, n.anyOf, n.oneOf = g.list(s.AllOf), g.list(s.AnyOf), g.list(s.OneOf)
	n.when, n.then, n.other = g.node(s.If), g.node(s.Then), g.node(s.Else)
	for _, name := range slices.Sorted(maps.Keys(s.Dependencies)) {
		switch d := s.Dependencies[name].(type) {
		case *jsonschema.Schema:
			n.dependent = append(n.dependent, named{name, g.node(d)})
		case []string:
			n.dependentRequired = append(n.dependentRequired, requirement{name, d})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
		n.dependent = append(n.dependent, named{name, g.node(s.DependentSchemas[name])})
	}
	for _, name := range slices.Sorted(maps.Keys(s.DependentRequired)) {
		n.dependentRequired = append(n.dependentRequired, requirement{name, s.DependentRequired[name]})
	}
}

func (g *graph) object(n *node, s *jsonschema.Schema) {
	n.minProperties, n.maxProperties, n.required = s.MinProperties, s.MaxProperties, s.Required
	if len(s.Properties) > 0 {
		n.properties = make(map[string]*node, len(s.Properties))
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			n.properties[name] = g.node(s.Properties[name])
		}
	}
	byText := func(a, b *regexp.Regexp) int { return strings.Compare(a.String(), b.String()) }
	for _, re := range slices.SortedFunc(maps.Keys(s.PatternProperties), byText) {
		p := newPattern(re)
		g.cost += 100 * p.instructions
		n.patterns = append(n.patterns, patterned{p, g.node(s.PatternProperties[re])})
	}
	switch a := s.AdditionalProperties.(type) {
	case bool:
		n.additional, n.closed = constantNode(a), !a
	case *jsonschema.Schema:
		n.additional = g.node(a)
	}
	n.names = g.node(s.PropertyNames)
	n.unevaluatedProperties = g.node(s.UnevaluatedProperties)
}

func (g *graph) array(n *node, s *jsonschema.Schema) {
	n.minItems, n.maxItems, n.unique = s.MinItems, s.MaxItems, s.UniqueItems
	n.prefix, n.rest = g.list(s.PrefixItems), g.node(s.Items2020)
	switch items := s.Items.(type) { // before 2020-12
	case *jsonschema.Schema:
		n.rest = g.node(items)
	case []*jsonschema.Schema:
		n.prefix = g.list(items)
		switch a := s.AdditionalItems.(type) {
		case bool:
			n.rest = constantNode(a)
		case *jsonschema.Schema:
			n.rest = g.node(a)
		}
	}
	n.contains, n.minContains, n.maxContains, n.containsEvaluates = g.node(s.Contains), s.MinContains, s.MaxContains, s.ContainsEval
	n.unevaluatedItems = g.node(s.UnevaluatedItems)
}

func (g *graph) leaf(n *node, s *jsonschema.Schema) {
	n.minLength, n.maxLength = s.MinLength, s.MaxLength
	if s.Pattern != nil {
		n.pattern = newPattern(s.Pattern)
		g.cost += 100 * n.pattern.instructions
	}
	if s.Draft == jsonschema.Draft7 { // it asserts them, the later ones annotate
		n.decode, n.encoding = jsonschema.Decoders[s.ContentEncoding], s.ContentEncoding
		n.media, n.mediaType = jsonschema.MediaTypes[s.ContentMediaType], s.ContentMediaType
	}
	n.minimum, n.above = decimalOf(s.Minimum), decimalOf(s.ExclusiveMinimum)
	n.maximum, n.below = decimalOf(s.Maximum), decimalOf(s.ExclusiveMaximum)
	n.multipleOf = decimalOf(s.MultipleOf)
}

func constantNode(allows bool) *node { return &node{always: &allows} }

// valueOf is a constant of a schema.
func valueOf(constant any) *value {
	text, _ := json.Marshal(constant)
	v, _ := parse(&meter{limit: 1 << 40, poll: 1 << 40}, text)
	return v
}

// inPlaceOf lists the nodes that a node applies to the value it is applied to.
func (n *node) inPlaceOf() []*node {
	nodes := slices.Concat(n.refs, n.allOf, n.anyOf, n.oneOf, []*node{n.not, n.when, n.then, n.other})
	for _, d := range n.dependent {
		nodes = append(nodes, d.node)
	}
	return nodes
}

// endless reports whether a node applies itself in place. State is 1 for those under
// way, and 2 for those that end.
func endless(n *node, state map[*node]int) bool {
	if n == nil || state[n] == 2 {
		return false
	}
	if state[n] == 1 {
		return true
	}
	state[n] = 1
	for _, next := range n.inPlaceOf() {
		if endless(next, state) {
			return true
		}
	}
	state[n] = 2
	return false
}
