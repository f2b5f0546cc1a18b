package responseschema

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// FuzzCheck holds that no schema that is accepted, and no payload, takes more than one
// check may. A step takes some 10 ns; the time is held loosely, since machines differ.
func FuzzCheck(f *testing.F) {
	for _, c := range hostile {
		if len(c.schema)+len(c.payload) < 100_000 {
			f.Add([]byte(c.schema), []byte(c.payload))
		}
	}
	f.Add([]byte(branching), []byte(nested(12, "1")))
	f.Add([]byte(`{"$id":"x:y","anyOf":[{"$ref":"#/z"}],"z":{"pattern":"(?=a)","enum":[{"id":1}]}}`), []byte(`"a"`))
	r := invented{rand.New(rand.NewPCG(3, 4))}
	for range 100 {
		f.Add([]byte(r.schema(3)), []byte(r.payload(3)))
	}
	f.Fuzz(func(t *testing.T, schema, payload []byte) {
		if _, err := checkBounds(schema); err != nil {
			return
		}
		started := time.Now()
		problems, steps, allocated, err := spend(t, string(schema), string(payload))
		if took := time.Since(started); took > 2*time.Second {
			t.Errorf("took %v", took)
		}
		holds(t, problems, steps, allocated)
		if err != nil && err != ErrTooComplex {
			t.Fatal(err)
		}
	})
}

// invented makes schemas and payloads that have to do with each other.
type invented struct{ *rand.Rand }

func (r invented) one(of ...string) string { return of[r.IntN(len(of))] }

func (r invented) payload(depth int) string {
	switch r.IntN(7 + min(depth, 1)*4) {
	case 0:
		return "null"
	case 1:
		return r.one("true", "false")
	case 2, 3:
		return r.one("0", "1", "1.0", "2", "2.50", "-3", "1e2", "100", "12345678901234567890", "0.1")
	case 4, 5, 6:
		return strconv.Quote(r.one("", "a", "b", "ab", "aab", "é", "a/b"))
	case 7, 8:
		return listOf(r.IntN(4), func(int) string { return r.payload(depth - 1) })
	}
	return r.members(r.payload, depth)
}

func (r invented) members(value func(int) string, depth int) string {
	return members(r.IntN(4), func(i int) string { return strconv.Quote([]string{"a", "b", "ab", "c"}[i]) + ":" + value(depth-1) })
}

func (r invented) schema(depth int) string {
	if depth <= 0 || r.IntN(12) == 0 {
		return r.one("true", "false", "{}", `{"type":"string"}`, `{"type":["integer","null"]}`, `{"minimum":1}`, `{"$ref":"#/$defs/a"}`, `{"$ref":"#/$defs/b"}`)
	}
	sub := func(int) string { return r.schema(depth - 1) }
	list := func() string { return listOf(1+r.IntN(3), sub) }
	var keywords []string
	seen := map[string]bool{}
	for range 1 + r.IntN(3) {
		name := r.one("type", "const", "enum", "minimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "not", "allOf", "anyOf", "oneOf",
			"if", "then", "else", "properties", "patternProperties", "additionalProperties", "propertyNames", "required", "dependentRequired", "dependentSchemas",
			"unevaluatedProperties", "minProperties", "maxProperties", "prefixItems", "items", "contains", "minContains", "maxContains", "unevaluatedItems", "uniqueItems", "minItems", "maxItems", "$ref")
		if seen[name] {
			continue
		}
		seen[name] = true
		var value string
		switch name {
		case "type":
			value = r.one(`"string"`, `"number"`, `"integer"`, `"object"`, `"array"`, `["object","array"]`, `["null","boolean","integer"]`)
		case "const":
			value = r.payload(1)
		case "enum":
			value = "[" + r.payload(0) + `,"unique",[7,8]]`
		case "minimum", "exclusiveMaximum":
			value = r.one("0", "1.0", "2.5", "12345678901234567889", "1e2")
		case "multipleOf":
			value = r.one("1", "0.5", "3", "1e2")
		case "pattern":
			value = r.one(`"a"`, `"^a+$"`, `"^b?$"`)
		case "allOf", "anyOf", "oneOf", "prefixItems":
			value = list()
		case "properties", "dependentSchemas":
			value = r.members(r.schema, depth)
		case "patternProperties":
			value = `{"^a":` + sub(0) + `,"b$":` + sub(0) + `}`
		case "required":
			value = r.one(`["a"]`, `["a","b"]`, `[]`)
		case "dependentRequired":
			value = `{"a":["b"]}`
		case "uniqueItems":
			value = "true"
		case "$ref":
			value = r.one(`"#/$defs/a"`, `"#/$defs/b"`)
		case "not", "if", "then", "else", "additionalProperties", "propertyNames", "unevaluatedProperties", "items", "contains", "unevaluatedItems":
			value = sub(0)
		default:
			value = r.one("0", "1", "2")
		}
		keywords = append(keywords, strconv.Quote(name)+":"+value)
	}
	return "{" + strings.Join(keywords, ",") + "}"
}

// Schemas and payloads at random are judged as the library judges them, in each draft.
func TestVerdictsAreTheLibrarys(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes large inputs; -short leaves it out")
	}
	r := invented{rand.New(rand.NewPCG(1, 2))}
	compared := map[bool]int{}
	for range 400 {
		root := r.schema(3)
		if !strings.HasPrefix(root, "{\"") {
			continue
		}
		draft := r.one("", "", "", `"$schema":"http://json-schema.org/draft-07/schema#",`, `"$schema":"https://json-schema.org/draft/2019-09/schema",`, `"$schema":"http://json-schema.org/draft-04/schema#",`)
		schema := "{" + draft + `"$defs":{"a":` + r.schema(2) + `,"b":` + r.schema(2) + "}," + root[1:]
		if new(Set).Compile(t.Context(), []byte(schema)) != nil {
			continue
		}
		for range 6 {
			payload := r.payload(3)
			want, known := theirs(t, []byte(schema), []byte(payload))
			if !known {
				continue
			}
			problems, err := new(Set).Check(t.Context(), []byte(schema), []byte(payload))
			if err != nil {
				t.Fatal(err)
			}
			if got := len(problems) == 0; got != want {
				t.Errorf("valid is %v, want %v: %s: %s: %v", got, want, schema, payload, problems)
			}
			if len(problems) == 1 && problems[0].Message == "does not fit the schema" {
				t.Errorf("not explained: %s: %s", schema, payload)
			}
			compared[want]++
		}
	}
	t.Logf("%d valid, %d not", compared[true], compared[false])
	if compared[true] < 300 || compared[false] < 300 {
		t.Error("too few to tell")
	}
}
