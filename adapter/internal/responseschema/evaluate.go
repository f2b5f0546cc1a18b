package responseschema

import (
	"encoding/json"
	"unicode/utf8"
)

// evaluation applies a schema to a payload. A verdict on a node and a value depends on
// nothing else, so where several ways lead to the two it is remembered: whatever a
// schema's references are like, it costs at most its size times the payload's.
type evaluation struct {
	*meter
	verdicts map[verdictKey]verdict
}

type verdictKey struct {
	node, value int32
	marks       bool
}

// verdict is what a node says about a value. Marks, where they were asked for, say
// which items or members of a valid value have been evaluated.
type verdict struct {
	valid bool
	marks []bool
}

// apply judges a value. Marks are asked for by who applies a node in place and has to
// know what it evaluated.
func (e *evaluation) apply(n *node, v *value, marks bool) verdict {
	e.spend(4)
	if n.always != nil {
		return verdict{valid: *n.always}
	}
	key := verdictKey{n.id, v.id, marks}
	remembered := n.shared && v.id > 0
	if remembered {
		if known, ok := e.verdicts[key]; ok {
			return known
		}
		e.spend(stepMemo)
	}
	var result verdict
	result.valid = e.valid(n, v, marks, &result.marks)
	if !result.valid {
		result.marks = nil
	}
	if remembered {
		e.verdicts[key] = result
	}
	return result
}

func (e *evaluation) ok(n *node, v *value) bool { return n == nil || e.apply(n, v, false).valid }

func (e *evaluation) valid(n *node, v *value, wanted bool, marks *[]bool) bool {
	wanted = wanted || n.unevaluatedProperties != nil && v.kind == object || n.unevaluatedItems != nil && v.kind == array
	if wanted && len(v.items) > 0 {
		e.spend(len(v.items) / 2)
		*marks = make([]bool, len(v.items))
	}
	return e.typed(n, v) && e.oneOfTheChoices(n, v) && e.formatted(n, v) && e.ofItsKind(n, v, *marks) &&
		e.inPlace(n, v, *marks) && e.unevaluated(n, v, *marks)
}

func (e *evaluation) typed(n *node, v *value) bool {
	if n.types == 0 || n.types&v.kind != 0 {
		return true
	}
	return n.types&integer != 0 && v.kind == number && e.number(v).isInteger()
}

func (e *evaluation) oneOfTheChoices(n *node, v *value) bool {
	return e.isConstant(n, v) && e.inEnum(n, v)
}

func (e *evaluation) isConstant(n *node, v *value) bool {
	return n.constant == nil || e.same(n.constant, v)
}

func (e *evaluation) inEnum(n *node, v *value) bool {
	if n.texts == nil {
		return true
	}
	if v.kind == text {
		e.spend(len(v.text) / 64)
		return n.texts[v.text]
	}
	for _, choice := range n.enum {
		if e.same(choice, v) {
			return true
		}
	}
	return false
}

// same compares a constant with a value, whatever member it is.
func (e *evaluation) same(constant, v *value) bool {
	unnamed := *v
	unnamed.name = constant.name
	return e.equal(constant, &unnamed)
}

// formatted asks the library, which takes time by the length of a text.
func (e *evaluation) formatted(n *node, v *value) bool {
	if n.format == nil || v.kind != text {
		return true
	}
	e.spend(64 + 4*len(v.text))
	return n.format(v.text)
}

func (e *evaluation) ofItsKind(n *node, v *value, marks []bool) bool {
	switch v.kind {
	case object:
		return e.object(n, v, marks)
	case array:
		return e.array(n, v, marks)
	case text:
		return e.lengthFits(n, v) && e.matches(n.pattern, v.text) && e.content(n, v) == ""
	case number:
		return e.numeric(n, v) == ""
	}
	return true
}

func (e *evaluation) matches(p *pattern, text string) bool {
	if p == nil {
		return true
	}
	e.spend(8 + p.instructions*(len(text)+1))
	return p.re.MatchString(text)
}

func (e *evaluation) length(v *value) int {
	e.spend(len(v.text) / 16)
	return utf8.RuneCountInString(v.text)
}

func (e *evaluation) lengthFits(n *node, v *value) bool {
	if n.minLength < 0 && n.maxLength < 0 {
		return true
	}
	length := e.length(v)
	return length >= n.minLength && (n.maxLength < 0 || length <= n.maxLength)
}

// content answers with the keyword that a text does not fit.
func (e *evaluation) content(n *node, v *value) string {
	if n.decode == nil && n.media == nil {
		return ""
	}
	e.spend(len(v.text))
	content := []byte(v.text)
	if n.decode != nil {
		var err error
		if content, err = n.decode(v.text); err != nil {
			return "value is not " + n.encoding + " encoded"
		}
	}
	if n.media != nil && (n.decode != nil || n.encoding == "") && !json.Valid(content) {
		return "value is not of mediatype " + n.mediaType
	}
	return ""
}

// numeric answers with what a number is not.
func (e *evaluation) numeric(n *node, v *value) string {
	if n.minimum == nil && n.above == nil && n.maximum == nil && n.below == nil && n.multipleOf == nil {
		return ""
	}
	d := e.number(v)
	switch {
	case n.minimum != nil && d.cmp(*n.minimum) < 0:
		return "must be >= " + n.minimum.String() + " but found " + cut(v.text)
	case n.above != nil && d.cmp(*n.above) <= 0:
		return "must be > " + n.above.String() + " but found " + cut(v.text)
	case n.maximum != nil && d.cmp(*n.maximum) > 0:
		return "must be <= " + n.maximum.String() + " but found " + cut(v.text)
	case n.below != nil && d.cmp(*n.below) >= 0:
		return "must be < " + n.below.String() + " but found " + cut(v.text)
	}
	if n.multipleOf != nil {
		e.spend(stepsToDivide(len(d.digits)))
		if !d.isMultipleOf(*n.multipleOf) {
			return cut(v.text) + " not multipleOf " + n.multipleOf.String()
		}
	}
	return ""
}

// eachMember says which nodes a node applies to a member, until one says stop. It
// reports whether the member has been evaluated, and whether it was not stopped.
func (e *evaluation) eachMember(n *node, m *value, fn func(*node) bool) (evaluated, all bool) {
	e.spend(2 + len(m.name)/64)
	if p := n.properties[m.name]; p != nil {
		evaluated = true
		if !fn(p) {
			return true, false
		}
	}
	for _, p := range n.patterns {
		if e.matches(p.pattern, m.name) {
			evaluated = true
			if !fn(p.node) {
				return true, false
			}
		}
	}
	if !evaluated && n.additional != nil {
		return true, fn(n.additional)
	}
	return evaluated, true
}

func (e *evaluation) object(n *node, v *value, marks []bool) bool {
	if len(v.items) < n.minProperties || n.maxProperties >= 0 && len(v.items) > n.maxProperties {
		return false
	}
	for _, name := range n.required {
		if e.member(v, name) < 0 {
			return false
		}
	}
	for _, d := range n.dependentRequired {
		if e.member(v, d.name) < 0 {
			continue
		}
		for _, name := range d.required {
			if e.member(v, name) < 0 {
				return false
			}
		}
	}
	for i := range v.items {
		m := &v.items[i]
		if n.names != nil && !e.ok(n.names, nameOf(m)) {
			return false
		}
		evaluated, all := e.eachMember(n, m, func(child *node) bool { return e.ok(child, m) })
		if !all {
			return false
		}
		if marks != nil && evaluated {
			marks[i] = true
		}
	}
	return true
}

// nameOf is a member's name as a value. It has no id: nothing about it is remembered.
func nameOf(m *value) *value { return &value{kind: text, text: m.name} }

func (e *evaluation) member(v *value, name string) int {
	e.spend(4 + len(name)/8)
	return v.member(name)
}

func (n *node) item(i int) *node {
	if i < len(n.prefix) {
		return n.prefix[i]
	}
	return n.rest
}

func (e *evaluation) array(n *node, v *value, marks []bool) bool {
	if len(v.items) < n.minItems || n.maxItems >= 0 && len(v.items) > n.maxItems {
		return false
	}
	if n.unique {
		if _, _, twice := e.twins(v); twice {
			return false
		}
	}
	for i := range v.items {
		child := n.item(i)
		if child == nil {
			break
		}
		if !e.ok(child, &v.items[i]) {
			return false
		}
		if marks != nil {
			marks[i] = true
		}
	}
	return n.contains == nil || e.containsFits(n, e.containing(n, v, marks))
}

// containing counts the items that contains holds for.
func (e *evaluation) containing(n *node, v *value, marks []bool) int {
	matched := 0
	for i := range v.items {
		if e.ok(n.contains, &v.items[i]) {
			matched++
			if marks != nil && n.containsEvaluates {
				marks[i] = true
			}
		}
	}
	return matched
}

func (e *evaluation) containsFits(n *node, matched int) bool {
	return matched >= n.minContains && (n.maxContains < 0 || matched <= n.maxContains)
}

// twins finds the first item that another one before it equals.
func (e *evaluation) twins(v *value) (first, second int, found bool) {
	seen := make(map[string]int)
	var key []byte
	for i := range v.items {
		e.spend(2 * stepValue)
		key = e.key(key[:0], &v.items[i])
		if j, ok := seen[string(key)]; ok {
			return j, i, true
		}
		seen[string(key)] = i
	}
	return 0, 0, false
}

// inPlace applies what applies to the value itself, and gathers the marks of what holds.
func (e *evaluation) inPlace(n *node, v *value, marks []bool) bool {
	holds := func(child *node) bool {
		result := e.apply(child, v, marks != nil)
		e.merge(marks, result.marks)
		return result.valid
	}
	for _, ref := range n.refs {
		if !holds(ref) {
			return false
		}
	}
	if n.not != nil && e.ok(n.not, v) {
		return false
	}
	for _, child := range n.allOf {
		if !holds(child) {
			return false
		}
	}
	if len(n.anyOf) > 0 && !e.anyHolds(n, holds, marks != nil) || len(n.oneOf) > 0 && !e.oneHolds(n, holds) {
		return false
	}
	if n.when != nil {
		branch := n.other
		if holds(n.when) {
			branch = n.then
		}
		if branch != nil && !holds(branch) {
			return false
		}
	}
	if v.kind == object {
		for _, d := range n.dependent {
			if e.member(v, d.name) >= 0 && !holds(d.node) {
				return false
			}
		}
	}
	return true
}

// anyHolds applies anyOf: each of it when its marks are wanted, else until one holds.
func (e *evaluation) anyHolds(n *node, holds func(*node) bool, all bool) bool {
	found := false
	for _, child := range n.anyOf {
		if found = holds(child) || found; found && !all {
			return true
		}
	}
	return found
}

func (e *evaluation) oneHolds(n *node, holds func(*node) bool) bool {
	found := 0
	for _, child := range n.oneOf {
		if holds(child) {
			found++
		}
		if found > 1 {
			return false
		}
	}
	return found == 1
}

func (e *evaluation) merge(marks, found []bool) {
	if marks == nil || found == nil {
		return
	}
	e.spend(len(marks) / 8)
	for i, mark := range found {
		marks[i] = marks[i] || mark
	}
}

func (e *evaluation) unevaluated(n *node, v *value, marks []bool) bool {
	left := n.left(v)
	if left == nil {
		return true
	}
	for i := range v.items {
		e.spend(1)
		if marks[i] {
			continue
		}
		if !e.ok(left, &v.items[i]) {
			return false
		}
		marks[i] = true
	}
	return true
}

// left is the node for what nothing else has evaluated.
func (n *node) left(v *value) *node {
	switch v.kind {
	case object:
		return n.unevaluatedProperties
	case array:
		return n.unevaluatedItems
	}
	return nil
}
