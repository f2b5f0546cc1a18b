package responseschema

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aguiws/aguiws/protocol/problem"
)

const (
	valid = iota
	invalid
	tooComplex
)

// spend checks a payload with the whole budget at once, and tells what it took.
func spend(t testing.TB, schema, payload string) (problems []problem.Problem, steps int, allocated uint64, err error) {
	t.Helper()
	root, _ := compilePart([]byte(schema), nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := &meter{ctx: t.Context(), limit: maxSteps, until: time.Now().Add(time.Hour)}
	err = within(func() { problems = check(m, root, []byte(payload)) })
	runtime.ReadMemStats(&after)
	return problems, m.spent, after.TotalAlloc - before.TotalAlloc, err
}

// holds fails when a check went over what one may take.
func holds(t testing.TB, problems []problem.Problem, steps int, allocated uint64) {
	t.Helper()
	if steps > 2*maxSteps {
		t.Errorf("%d steps", steps)
	}
	if allocated > 32<<20 {
		t.Errorf("%d bytes were allocated", allocated)
	}
	if len(problems) > 20 {
		t.Errorf("%d problems", len(problems))
	}
	for _, p := range problems {
		for _, s := range []string{p.Pointer, p.Message} {
			if len(s) > 200 || strings.ContainsAny(s, "\n\r\x00") || !utf8.ValidString(s) {
				t.Errorf("no line: %.300q", s)
			}
		}
	}
}

const branching = `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/a"}},{"type":"array","minItems":1,"items":{"$ref":"#/$defs/a"}}]}}}`

func nested(depth int, inner string) string {
	return strings.Repeat("[", depth) + inner + strings.Repeat("]", depth)
}

func listOf(n int, item func(int) string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item(i))
	}
	b.WriteByte(']')
	return b.String()
}

func members(n int, member func(int) string) string {
	l := listOf(n, member)
	return "{" + l[1:len(l)-1] + "}"
}

func always(s string) func(int) string { return func(int) string { return s } }

// chained is a schema in which each definition applies the next one twice.
func chained(n int) string {
	defs := members(n, func(i int) string {
		return fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1)
	})
	return `{"$ref":"#/$defs/d0","$defs":` + strings.TrimSuffix(defs, "}") + fmt.Sprintf(`,"d%d":{"type":"string"}}}`, n)
}

var hostile = map[string]struct {
	schema, payload string
	want            int
}{
	"a branch each level":        {branching, nested(100, "1"), invalid},
	"a branch each level, valid": {branching, nested(100, ""), valid},
	"branches by oneOf": {`{"$ref":"#/$defs/a","$defs":{"a":{"oneOf":[{"properties":{"x":{"$ref":"#/$defs/a"},"k":{"const":1}}},{"properties":{"x":{"$ref":"#/$defs/a"},"k":{"const":2}},"required":["k"]}]}}}`,
		strings.Repeat(`{"k":2,"x":`, 60) + "{}" + strings.Repeat("}", 60), valid},
	"a doubling at each definition":      {chained(25), `"x"`, valid},
	"a doubling, wrong":                  {chained(25), `1`, invalid},
	"dynamic references":                 {`{"$dynamicAnchor":"n","anyOf":[{"type":"array","items":{"$dynamicRef":"#n"}},{"type":"array","contains":{"$dynamicRef":"#n"}}]}`, nested(100, "1"), invalid},
	"zeros for texts":                    {`{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}}}}`, `{"tags":` + listOf(50_000, always("0")) + `}`, invalid},
	"millions of zeros for texts":        {`{"type":"array","items":{"type":"string"}}`, listOf(1_900_000, always("0")), tooComplex},
	"a pattern times a text":             {`{"type":"string","pattern":"(a?){1000}b$"}`, `"` + strings.Repeat("a", 1<<20) + `"`, tooComplex},
	"a pattern on names":                 {`{"patternProperties":{"(a?){500}b$":true,"(x+x+)+y":true}}`, members(2000, func(i int) string { return fmt.Sprintf(`"%s%d":1`, strings.Repeat("a", 50), i) }), tooComplex},
	"many patterns, many names":          {`{"patternProperties":` + members(200, func(i int) string { return fmt.Sprintf(`"^p%d":true`, i) }) + `}`, members(20_000, func(i int) string { return fmt.Sprintf(`"q%d":1`, i) }), tooComplex},
	"a plain pattern on a long text":     {`{"pattern":"^a"}`, `"` + strings.Repeat("a", 300_000) + `"`, valid},
	"a huge exponent":                    {`{"type":"integer","minimum":1,"multipleOf":7}`, `1e999999999`, invalid},
	"a huge exponent that fits":          {`{"type":"integer","minimum":1,"multipleOf":5}`, `1e999999999`, valid},
	"a tiny number":                      {`{"minimum":0,"exclusiveMinimum":0,"maximum":1}`, `1e-999999999`, valid},
	"an exponent that nothing counts to": {`{"minimum":0}`, `1e99999999999999999999`, tooComplex},
	"huge exponents told apart":          {`{"uniqueItems":true,"enum":[1,2,[3]]}`, `[1e999999999,1e999999998]`, invalid},
	"a number of a megabyte":             {`{"multipleOf":3}`, strings.Repeat("3", 1<<20), tooComplex},
	"a number of a megabyte, compared":   {`{"minimum":3,"type":"integer"}`, strings.Repeat("3", 1<<20), valid},
	"equal items at the end":             {`{"uniqueItems":true}`, listOf(30_000, func(i int) string { return fmt.Sprint(i % 29_999) }), invalid},
	"large items that differ at the end": {`{"uniqueItems":true}`, listOf(50, func(i int) string { return listOf(1000, func(j int) string { return fmt.Sprint(j / 999 * i) }) }), valid},
	"unique at each level":               {`{"uniqueItems":true,"items":{"$ref":"#"}}`, nested(120, `"`+strings.Repeat("x", 100_000)+`"`), tooComplex},
	"a large constant":                   {`{"items":{"const":` + listOf(5000, always("0")) + `}}`, listOf(20, always(listOf(5000, always("0")))), valid},
	"an enum of lists":                   {`{"items":{"enum":` + listOf(900, func(i int) string { return fmt.Sprintf("[0,0,0,0,%d]", i) }) + `}}`, listOf(10_000, always("[0,0,0,0,899]")), tooComplex},
	"an enum of many texts":              {`{"items":{"enum":` + listOf(5000, func(i int) string { return fmt.Sprintf(`"e%d"`, i) }) + `}}`, listOf(20_000, always(`"e4999"`)), valid},
	"a long name over many children":     {`{"additionalProperties":{"items":{"type":"string"}}}`, `{"` + strings.Repeat("n", 1<<20) + `":` + listOf(20_000, always("0")) + `}`, invalid},
	"long names that are refused":        {`{"additionalProperties":false}`, members(100, func(i int) string { return fmt.Sprintf(`"%s%d":0`, strings.Repeat("n", 10_000), i) }), invalid},
	"long names that are wrong":          {`{"propertyNames":{"maxLength":3}}`, members(100, func(i int) string { return fmt.Sprintf(`"%s%d":0`, strings.Repeat("n", 10_000), i) }), invalid},
	"a long text that is wrong":          {`{"const":"x"}`, `"` + strings.Repeat(`\n\u0000é`, 100_000) + `"`, invalid},
	"much that is required":              {`{"required":` + listOf(4000, func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `}`, `{}`, invalid},
	"much that depends":                  {`{"dependentRequired":{"a":` + listOf(4000, func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `}}`, `{"a":1}`, invalid},
	"what is left, over and over":        {`{"allOf":` + listOf(900, always(`{"minProperties":1}`)) + `,"unevaluatedProperties":false}`, members(20_000, func(i int) string { return fmt.Sprintf(`"p%d":1`, i) }), tooComplex},
	"what is left":                       {`{"anyOf":[{"prefixItems":[true]},{"prefixItems":[true,true]}],"unevaluatedItems":{"type":"string"}}`, listOf(10_000, always("1")), invalid},
	"contents":                           {`{"$schema":"http://json-schema.org/draft-07/schema#","contentEncoding":"base64","contentMediaType":"application/json"}`, `"` + strings.Repeat("W1tb", 100_000) + `"`, invalid},
	"formats of long texts":              {`{"$schema":"http://json-schema.org/draft-07/schema#","format":"uri"}`, `"` + strings.Repeat("a", 3<<20) + `"`, tooComplex},
	"a depth of thousands":               {`{"items":{"$ref":"#"}}`, nested(600, "1"), tooComplex},
	"a long text to count":               {`{"minLength":3000000}`, `"` + strings.Repeat("é", 1_500_000) + `"`, invalid},
	"many wrong branches":                {`{"items":{"anyOf":` + listOf(500, func(i int) string { return fmt.Sprintf(`{"const":%d}`, i) }) + `}}`, listOf(2000, always("-1")), invalid},
}

func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	for name, c := range hostile {
		t.Run(name, func(t *testing.T) {
			if odd, err := checkBounds([]byte(c.schema)); odd != nil || err != nil {
				t.Fatal(err)
			}
			started := time.Now()
			problems, steps, allocated, err := spend(t, c.schema, c.payload)
			t.Logf("%d steps, %d KiB, %v", steps, allocated>>10, time.Since(started))
			got := valid
			switch {
			case errors.Is(err, ErrTooComplex):
				got = tooComplex
			case err != nil:
				t.Fatal(err)
			case len(problems) > 0:
				got = invalid
			}
			if got != c.want {
				t.Errorf("got %d, want %d: %v", got, c.want, problems)
			}
			holds(t, problems, steps, allocated)
			if text, _ := json.Marshal(problems); len(text) > 8<<10 {
				t.Errorf("%d bytes of problems", len(text))
			}
		})
	}
}

// What would cost too much is refused where it is asked, and the error names the bound.
func TestCompileRefuses(t *testing.T) {
	for name, c := range map[string]struct{ schema, says string }{
		"much":       {`{"const":"` + strings.Repeat("x", 70_000) + `"}`, "bytes"},
		"parts":      {`{"enum":` + listOf(10_001, always("0")) + `}`, "parts"},
		"schemas":    {`{"allOf":` + listOf(2001, always("{}")) + `}`, "schemas"},
		"references": {`{"allOf":` + listOf(501, always(`{"$ref":"#/$defs/a"}`)) + `,"$defs":{"a":{}}}`, "$ref"},
		"depth":      {strings.Repeat(`{"not":`, 40) + `{}` + strings.Repeat(`}`, 40), "deep"},
		"nothing":    {``, ""},
		"two":        {`{}{}`, "more than one"},
	} {
		t.Run(name, func(t *testing.T) {
			err := new(Set).Compile(t.Context(), []byte(c.schema))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v", err)
			}
			if text := strings.TrimPrefix(err.Error(), "adapter: response schema: "); len(text) > 200 || strings.Contains(text, "\n") {
				t.Errorf("no line: %q", text)
			}
		})
	}
}

func TestNumbersAreExact(t *testing.T) {
	for _, c := range []struct {
		schema, payload string
		valid           bool
	}{
		{`{"maximum":1e400}`, `1e400`, true},
		{`{"exclusiveMaximum":1e400}`, `1e400`, false},
		{`{"maximum":1e400}`, `10000000001e390`, false},
		{`{"type":"integer"}`, `1e400`, true},
		{`{"type":"integer"}`, `10.0e-1`, true},
		{`{"type":"integer"}`, `1.5`, false},
		{`{"type":"integer"}`, `0e-999999999`, true},
		{`{"maximum":9007199254740992}`, `9007199254740993`, false},
		{`{"const":9007199254740993}`, `9007199254740992`, false},
		{`{"const":1}`, `1.0`, true},
		{`{"enum":[100]}`, `1e2`, true},
		{`{"minimum":1234567890123456789012345678901234567890}`, `1234567890123456789012345678901234567889`, false},
		{`{"minimum":1234567890123456789012345678901234567890}`, `1234567890123456789012345678901234567890`, true},
		{`{"multipleOf":0.1}`, `0.30000000000000000000000000000000000000001`, false},
		{`{"multipleOf":0.1}`, `1e400`, true},
		{`{"multipleOf":3}`, `1e400`, false},
		{`{"multipleOf":7}`, `1234567890123456789012345678901234567891`, false},
		{`{"multipleOf":2.5}`, `-7.5`, true},
		{`{"minimum":-0.5}`, `-0.50000000000000000001`, false},
		{`{"minimum":0}`, `-0.0`, true},
		{`{"uniqueItems":true}`, `[1,1.0]`, false},
		{`{"uniqueItems":true}`, `[9007199254740993,9007199254740992]`, true},
	} {
		problems, err := new(Set).Check(t.Context(), []byte(c.schema), []byte(c.payload))
		if err != nil || (len(problems) == 0) != c.valid {
			t.Errorf("%s, %s: %v %v", c.schema, c.payload, problems, err)
		}
	}
}

func TestPayloadsThatShareABudget(t *testing.T) {
	var s Set
	var b Budget
	payload := []byte(listOf(25_000, always("0")))
	for i := range 10 {
		if _, err := s.CheckWithin(t.Context(), &b, []byte(`{"items":true}`), payload); err != nil {
			if err != ErrTooComplex || i == 0 {
				t.Fatal(i, err)
			}
			return
		}
	}
	t.Error("ten payloads took no more than one may")
}

func TestCheckEndsWithItsContext(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	var s Set
	schema := []byte(branching)
	if err := s.Compile(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	m := &meter{ctx: gone, limit: maxSteps, until: time.Now().Add(time.Hour)}
	root := s.kept(sha256.Sum256(schema))
	if err := within(func() { check(m, root, []byte(nested(100, "1"))) }); err != context.Canceled || m.spent > 2*pollEvery {
		t.Errorf("%v after %d steps", err, m.spent)
	}
}

// Checks that take long wait for each other, and for no longer than who asked; the
// others do not wait.
func TestSmallChecksWaitForNobody(t *testing.T) {
	for range cap(large) {
		large <- struct{}{}
	}
	var s Set
	schema := []byte(`{"items":{"type":"number"}}`)
	s.compiled = nil
	root, size, err := compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	s.keep(&compiled{key: sha256.Sum256(schema), root: root, size: size})
	if problems, err := s.Check(t.Context(), schema, []byte(`[1,2]`)); err != nil || problems != nil {
		t.Error(problems, err)
	}
	ctx, leave := context.WithTimeout(t.Context(), time.Millisecond)
	defer leave()
	if _, err := s.Check(ctx, schema, []byte(listOf(50_000, always("0")))); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	for range cap(large) {
		<-large
	}
	if problems, err := s.Check(t.Context(), schema, []byte(listOf(50_000, always("0")))); err != nil || problems != nil {
		t.Error(problems, err)
	}
}

func TestSetKeepsWhatWasUsedLast(t *testing.T) {
	var s Set
	key := func(i int) [sha256.Size]byte { return sha256.Sum256([]byte{byte(i)}) }
	for i := range 5 {
		s.keep(&compiled{key: key(i), root: &node{}, size: maxCompiled / 4})
		s.kept(key(0))
	}
	for i, want := range []bool{true, false, true, true, true} {
		if got := s.kept(key(i)) != nil; got != want {
			t.Errorf("schema %d is kept: %v", i, got)
		}
	}
	if s.size > maxCompiled || len(s.compiled) != s.used.Len() {
		t.Errorf("%d bytes, %d and %d schemas", s.size, len(s.compiled), s.used.Len())
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct{ schema, payload, want string }{
		{`{"properties":{"a/b":{"items":{"type":"string"}}}}`, `{"a/b":["x",1]}`, `/a~1b/1 expected string, but got number`},
		{`{"required":["a","b"]}`, `{}`, ` missing properties: "a", "b"`},
		{`{"additionalProperties":false}`, `{"x":1}`, ` additionalProperties "x" not allowed`},
		{`{"enum":["a",null,1]}`, `2`, ` value must be one of "a", null, 1`},
		{`{"anyOf":[{"type":"string"},{"minimum":3.50}]}`, `2`, ` expected string, but got number; must be >= 3.5 but found 2`},
		{`{"unevaluatedProperties":false,"properties":{"a":true}}`, `{"a":1,"b":2}`, `/b not allowed`},
		{`{"contains":{"const":1}}`, `[2]`, ` contains: valid must be >= 1, but got 0`},
		{`{"not":{}}`, `2`, ` not failed`},
		{`{"oneOf":[true,true]}`, `2`, ` valid against schemas at indexes 0 and 1`},
		{`{"if":{"const":1},"then":{"const":2},"else":{"const":3}}`, `2`, ` value must be 3`},
		{`{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, `/ab length must be <= 1, but got 2`},
		{`{"pattern":"^a"}`, `"b"`, ` does not match pattern "^a"`},
		{`{}`, `{`, ` is not JSON`},
		{`{"type":"string"}`, ``, ` expected string, but got null`},
	} {
		problems, err := new(Set).Check(t.Context(), []byte(c.schema), []byte(c.payload))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range problems {
			got = append(got, p.Pointer+" "+p.Message)
		}
		if text := strings.Join(got, ";"); text != c.want {
			t.Errorf("%s, %s: %q", c.schema, c.payload, text)
		}
	}
}
