package responseschema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/protocol/problem"
)

// MaxProblems is how many problems are named of one request.
const MaxProblems = problem.Max

// maxShown bounds a value or a name that a message quotes, in bytes.
const maxShown = 60

// explanation names what is wrong with a payload that does not fit, along the schema.
// It is made after the verdict, for as many problems as are named.
type explanation struct {
	*evaluation
	problems problem.List
	path     []string
	seen     map[verdictKey]bool
}

func (x *explanation) add(format string, args ...any) {
	if !x.problems.Full() {
		x.problems.Add(problem.Problem{Pointer: pointer(x.path), Message: fmt.Sprintf(format, args...)})
	}
}

// explain names what n has against v, if anything.
func (x *explanation) explain(n *node, v *value) {
	if x.problems.Full() || n == nil {
		return
	}
	x.spend(4)
	if n.always != nil {
		if !*n.always {
			x.add("not allowed")
		}
		return
	}
	if x.apply(n, v, false).valid {
		return
	}
	if n.shared && v.id > 0 {
		key := verdictKey{n.id, v.id, false}
		if x.seen[key] {
			return
		}
		x.spend(stepMemo)
		x.seen[key] = true
	}
	if !x.typed(n, v) {
		x.add("expected %s, but got %s", n.typeList, v.kind)
		return
	}
	if !x.isConstant(n, v) {
		x.add("value must be %s", shown(n.constant))
	}
	if !x.inEnum(n, v) {
		x.add("value must be one of %s", n.choices)
	}
	if !x.formatted(n, v) {
		x.add("%s is not valid %s", shown(v), cut(n.formatAs))
	}
	switch v.kind {
	case object:
		x.object(n, v)
	case array:
		x.array(n, v)
	case text:
		x.text(n, v)
	case number:
		if problem := x.numeric(n, v); problem != "" {
			x.add("%s", problem)
		}
	}
	x.inPlace(n, v)
	x.unevaluated(n, v)
}

func (x *explanation) under(name string, explain func()) {
	x.path = append(x.path, name)
	explain()
	x.path = x.path[:len(x.path)-1]
}

func (x *explanation) text(n *node, v *value) {
	if !x.lengthFits(n, v) {
		if length := x.length(v); length < n.minLength {
			x.add("length must be >= %d, but got %d", n.minLength, length)
		} else {
			x.add("length must be <= %d, but got %d", n.maxLength, length)
		}
	}
	if !x.matches(n.pattern, v.text) {
		x.add("does not match pattern %s", quoted(n.pattern.re.String()))
	}
	if problem := x.content(n, v); problem != "" {
		x.add("%s", problem)
	}
}

func (x *explanation) object(n *node, v *value) {
	if len(v.items) < n.minProperties {
		x.add("minimum %d properties allowed, but found %d properties", n.minProperties, len(v.items))
	}
	if n.maxProperties >= 0 && len(v.items) > n.maxProperties {
		x.add("maximum %d properties allowed, but found %d properties", n.maxProperties, len(v.items))
	}
	var missing names
	for _, name := range n.required {
		if x.member(v, name) < 0 {
			missing.add(name)
		}
	}
	if missing.count > 0 {
		x.add("missing properties: %s", missing)
	}
	for _, d := range n.dependentRequired {
		if x.member(v, d.name) < 0 {
			continue
		}
		for _, name := range d.required {
			if x.member(v, name) < 0 {
				x.add("property %s is required, if %s property exists", quoted(name), quoted(d.name))
			}
		}
	}
	var refused names
	for i := range v.items {
		if x.problems.Full() {
			return
		}
		m := &v.items[i]
		if n.names != nil {
			x.under(m.name, func() { x.explain(n.names, nameOf(m)) })
		}
		x.eachMember(n, m, func(child *node) bool {
			if child == n.additional && n.closed {
				refused.add(m.name)
			} else {
				x.under(m.name, func() { x.explain(child, m) })
			}
			return true
		})
	}
	if refused.count > 0 {
		x.add("additionalProperties %s not allowed", refused)
	}
}

func (x *explanation) array(n *node, v *value) {
	if len(v.items) < n.minItems {
		x.add("minimum %d items required, but found %d items", n.minItems, len(v.items))
	}
	if n.maxItems >= 0 && len(v.items) > n.maxItems {
		x.add("maximum %d items required, but found %d items", n.maxItems, len(v.items))
	}
	if n.unique {
		if first, second, twice := x.twins(v); twice {
			x.add("items at index %d and %d are equal", first, second)
		}
	}
	for i := range v.items {
		child := n.item(i)
		if child == nil || x.problems.Full() {
			break
		}
		x.under(strconv.Itoa(i), func() { x.explain(child, &v.items[i]) })
	}
	if n.contains == nil {
		return
	}
	if matched := x.containing(n, v, nil); matched < n.minContains {
		x.add("contains: valid must be >= %d, but got %d", n.minContains, matched)
	} else if n.maxContains >= 0 && matched > n.maxContains {
		x.add("contains: valid must be <= %d, but got %d", n.maxContains, matched)
	}
}

func (x *explanation) inPlace(n *node, v *value) {
	for _, ref := range n.refs {
		x.explain(ref, v)
	}
	if n.not != nil && x.ok(n.not, v) {
		x.add("not failed")
	}
	for _, child := range n.allOf {
		x.explain(child, v)
	}
	x.anyOf(n, v)
	x.oneOf(n, v)
	if n.when != nil {
		if x.ok(n.when, v) {
			x.explain(n.then, v)
		} else {
			x.explain(n.other, v)
		}
	}
	if v.kind == object {
		for _, d := range n.dependent {
			if x.member(v, d.name) >= 0 {
				x.explain(d.node, v)
			}
		}
	}
}

func (x *explanation) anyOf(n *node, v *value) {
	for _, child := range n.anyOf {
		if x.ok(child, v) {
			return
		}
	}
	for _, child := range n.anyOf {
		x.explain(child, v)
	}
}

func (x *explanation) oneOf(n *node, v *value) {
	var holding []int
	for i, child := range n.oneOf {
		if x.ok(child, v) {
			holding = append(holding, i)
		}
		if len(holding) == 2 {
			x.add("valid against schemas at indexes %d and %d", holding[0], holding[1])
			return
		}
	}
	if len(holding) == 0 {
		for _, child := range n.oneOf {
			x.explain(child, v)
		}
	}
}

// unevaluated explains what is left, when all else holds: what holds marks what it
// evaluated.
func (x *explanation) unevaluated(n *node, v *value) {
	left := n.left(v)
	if left == nil || len(v.items) == 0 {
		return
	}
	marks := make([]bool, len(v.items))
	x.spend(len(v.items))
	if !x.ofItsKind(n, v, marks) || !x.evaluation.inPlace(n, v, marks) {
		return
	}
	for i := range v.items {
		if marks[i] || x.problems.Full() {
			continue
		}
		name := v.items[i].name
		if v.kind == array {
			name = strconv.Itoa(i)
		}
		x.under(name, func() { x.explain(left, &v.items[i]) })
	}
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// pointer writes a path as RFC 6901 has it.
func pointer(path []string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteByte('/')
		pointerEscape.WriteString(&b, name)
	}
	return b.String()
}

// names are the first few of a list that may be long.
type names struct {
	shown []string
	count int
}

func (l *names) add(name string) {
	if l.count++; l.count <= 5 {
		l.shown = append(l.shown, quoted(name))
	}
}

func (l names) String() string {
	list := strings.Join(l.shown, ", ")
	if more := l.count - len(l.shown); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// shown is a value for people.
func shown(v *value) string {
	switch v.kind {
	case text:
		return quoted(v.text)
	case null:
		return "null"
	case array, object:
		return "that " + v.kind.String()
	}
	return cut(v.text)
}

func quoted(s string) string { return strconv.Quote(cut(s)) }

// cut shortens what is quoted.
func cut(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}
