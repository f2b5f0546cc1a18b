package responseschema

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Of a schema that cannot be checked whole, the rest is: what is wrong is refused, and what
// may be right is not.
func TestWhatCanBeCheckedIs(t *testing.T) {
	form := func(extra, more string) string {
		return `{` + more + `"type":"object","properties":{"n":{"type":"number"},"x":` + extra + `},"required":["n"]}`
	}
	const fits, lacks = `{"n":1,"x":"a"}`, `{"x":"a"}`
	for name, c := range map[string]struct {
		schema       string
		valid, wrong []string
	}{
		"a look-ahead":                 {form(`{"type":"string","pattern":"^(?=.*[A-Z]).{8,}$"}`, ""), []string{fits}, []string{lacks, `{"n":1,"x":2}`, `{"n":"1"}`}},
		"an escape":                    {form(`{"pattern":"^[\\u4e00-\\u9fff]+$"}`, ""), []string{fits}, []string{lacks}},
		"many of something":            {form(`{"pattern":"^[a-z]{1,2000}$"}`, ""), []string{fits}, []string{lacks}},
		"a pattern that repeats":       {form(`{"pattern":"((a?){100}){100}"}`, ""), []string{fits}, []string{lacks}},
		"patterns that add up":         {form(`{"anyOf":`+listOf(100, always(`{"pattern":"(a?){100}"}`))+`}`, ""), []string{fits}, []string{lacks}},
		"an id":                        {form(`true`, `"$id":"https://example.com/order.json",`), []string{fits}, []string{lacks}},
		"an id that is referred to":    {`{"$id":"https://example.com/a.json","$defs":{"b":{"$id":"b.json","$defs":{"c":{"type":"string"}}}},"properties":{"x":{"$ref":"b.json#/$defs/c"},"y":{"$ref":"https://example.com/b.json#/$defs/c"}}}`, []string{`{"x":"a","y":"b"}`}, []string{`{"x":1}`, `{"y":1}`}},
		"another dialect":              {form(`true`, `"$schema":"https://spec.openapis.org/oas/3.1/dialect/base",`), []string{fits}, []string{lacks}},
		"a file":                       {form(`{"$ref":"file:///etc/passwd"}`, ""), []string{fits}, []string{lacks}},
		"a reference elsewhere":        {form(`{"$ref":"https://example.com/x.json","type":"string"}`, ""), []string{fits}, []string{lacks, `{"n":1,"x":2}`}},
		"a reference to nothing":       {form(`{"$ref":"#/$defs/nothing"}`, ""), []string{fits}, []string{lacks}},
		"words in an example":          {form(`{"type":"object"}`, `"examples":[{"id":"u1","$ref":"x","pattern":"("}],`), []string{`{"n":1,"x":{}}`}, []string{lacks, fits}},
		"words in a default":           {form(`{"type":"object","default":{"pattern":"("}}`, ""), []string{`{"n":1,"x":{}}`}, []string{lacks, fits}},
		"words in a constant":          {form(`{"const":{"id":"1","$ref":"y"}}`, ""), []string{`{"n":1,"x":{"id":"1","$ref":"y"}}`}, []string{lacks, fits}},
		"words in an extension":        {form(`true`, `"x-ui":{"$id":7,"$schema":"?","minItems":1e30},`), []string{fits}, []string{lacks}},
		"members of these names":       {`{"properties":{"id":{"type":"string"},"pattern":{"type":"integer"},"$ref":{"type":"boolean"}}}`, []string{`{"id":"a","pattern":1,"$ref":true}`}, []string{`{"id":1}`, `{"pattern":"a"}`, `{"$ref":"a"}`}},
		"no type":                      {form(`{"type":"strange","maxLength":1}`, ""), []string{fits}, []string{lacks, `{"n":1,"x":"ab"}`}},
		"a huge bound":                 {form(`{"minimum":1e999999999,"maximum":3}`, ""), []string{`{"n":1,"x":2}`}, []string{lacks, `{"n":1,"x":4}`}},
		"a huge number in an enum":     {form(`{"enum":[1e999999999]}`, ""), []string{fits}, []string{lacks}},
		"a count that is none":         {form(`{"minLength":-1,"maxLength":1}`, ""), []string{fits}, []string{`{"n":1,"x":"ab"}`}},
		"a loop":                       {`{"$ref":"#","type":"object"}`, []string{`{}`}, []string{`1`}},
		"a loop by two":                {`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a","type":"object"}`, []string{`{}`}, []string{`1`}},
		"two anchors":                  {`{"$defs":{"a":{"$dynamicAnchor":"x"},"b":{"$dynamicAnchor":"x"}},"items":{"$dynamicRef":"#x"},"type":"array"}`, []string{`[1]`}, []string{`1`}},
		"what refers to itself":        {`{"$id":"x:y","type":"object","properties":{"of":{"$ref":"#"},"s":{"type":"string","pattern":"(?=a)"}}}`, []string{`{"of":{"of":{"s":"b"}}}`}, []string{`{"of":{"of":1}}`, `{"of":{"s":1}}`}},
		"an older draft":               {`{"$schema":"http://json-schema.org/draft-07/schema#","$id":"x:y","definitions":{"m":{"type":"string","format":"email"}},"properties":{"a":{"$ref":"#/definitions/m","minLength":99},"b":{"items":[{"type":"string"}],"additionalItems":false}}}`, []string{`{"a":"a@b.c","b":["x"]}`}, []string{`{"a":"no"}`, `{"b":[1]}`, `{"b":["x",1]}`}},
		"the oldest":                   {`{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://x/y","additionalProperties":false,"properties":{"n":{"minimum":1,"exclusiveMinimum":true},"s":{"pattern":"(?=a)"}}}`, []string{`{"n":2,"s":"b"}`}, []string{`{"n":1}`, `{"z":1}`}},
		"negated":                      {`{"type":"string","not":{"pattern":"(?=b)"}}`, []string{`"a"`, `"b"`}, []string{`1`}},
		"negated twice":                {`{"type":"string","not":{"not":{"pattern":"(?=b)"}}}`, []string{`"a"`, `"b"`}, []string{`1`}},
		"one of":                       {`{"oneOf":[{"type":"string","pattern":"(?=a)"},{"type":"string","maxLength":3},{"type":"integer"}]}`, []string{`"aaaa"`, `"b"`, `1`}, []string{`true`, `1.5`}},
		"one of, and any of":           {`{"anyOf":[{"type":"string"},{"type":"integer"}],"oneOf":[{"pattern":"(?=a)"},{"type":"string"}]}`, []string{`"a"`, `1`}, []string{`true`}},
		"if":                           {`{"if":{"pattern":"(?=a)"},"then":{"type":"integer"},"else":{"type":"boolean"},"maxLength":2}`, []string{`"a"`, `1`, `true`}, []string{`"abc"`}},
		"contained":                    {`{"contains":{"type":"string","pattern":"(?=a)"},"maxContains":1}`, []string{`["a"]`, `["a","b"]`}, []string{`[1]`}},
		"what is additional":           {`{"properties":{"n":{"type":"integer"}},"patternProperties":{"(?=x)":{"type":"string"}},"additionalProperties":false}`, []string{`{"x":"a"}`, `{"n":1}`, `{"y":1}`}, []string{`{"n":"a"}`}},
		"what is left":                 {`{"anyOf":[{"properties":{"a":true},"required":["a"]},{"properties":{"b":{"pattern":"(?=x)"}}}],"unevaluatedProperties":false,"type":"object"}`, []string{`{"a":1,"b":"y"}`, `{"b":"y"}`}, []string{`1`}},
		"nothing that can be":          {`{"type":7}`, []string{`1`, `"a"`, `null`}, nil},
		"nothing that is its kind":     {`{"properties":[1],"required":"a","items":7,"anyOf":{},"enum":3,"maxLength":1}`, []string{`1`, `{}`, `[1]`}, []string{`"ab"`}},
		"a metaschema of its own":      {`{"$schema":"https://json-schema.org/draft/2020-12/meta/format-assertion","type":"string"}`, []string{`"a"`}, []string{`1`}},
		"a pattern for what's a regex": {`{"$schema":"http://json-schema.org/draft-07/schema#","$id":"x:y","type":"string","format":"regex"}`, []string{`"(?=a)"`}, []string{`1`}},
	} {
		t.Run(name, func(t *testing.T) {
			var s Set
			if err := s.Compile(t.Context(), []byte(c.schema)); err != nil {
				t.Fatal(err)
			}
			check := func(payloads []string, valid bool) {
				for _, payload := range payloads {
					problems, err := s.Check(t.Context(), []byte(c.schema), []byte(payload))
					if err != nil || (len(problems) == 0) != valid {
						t.Errorf("%s: %v %v", payload, problems, err)
					}
				}
			}
			check(c.valid, true)
			check(c.wrong, false)
		})
	}
}

// What a schema at random takes is taken as well when some of its patterns are written so
// that they cannot be checked, and most of what it refuses is refused.
func TestPrunedTakesWhatTheWholeTakes(t *testing.T) {
	r := invented{rand.New(rand.NewPCG(5, 6))}
	odd := strings.NewReplacer(`"^a+$"`, `"^(?=a)a+$"`, `"^a":`, `"^(?=a)":`, `"pattern":"a"`, `"pattern":"(?=a)"`)
	refused, taken := 0, 0
	for range 600 {
		root := r.schema(3)
		if !strings.HasPrefix(root, `{"`) {
			continue
		}
		draft := r.one("", "", `"$schema":"http://json-schema.org/draft-07/schema#",`, `"$schema":"https://json-schema.org/draft/2019-09/schema",`)
		schema := "{" + draft + `"$defs":{"a":` + r.schema(2) + `,"b":` + r.schema(2) + "}," + root[1:]
		part := odd.Replace(schema)
		if part == schema {
			continue
		}
		for range 6 {
			payload := r.payload(3)
			valid, known := theirs(t, []byte(schema), []byte(payload))
			if !known {
				continue
			}
			problems, err := new(Set).Check(t.Context(), []byte(part), []byte(payload))
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case valid && len(problems) > 0:
				t.Fatalf("refused %v: %s: %s", problems, part, payload)
			case !valid && len(problems) > 0:
				refused++
			case !valid:
				taken++
			}
		}
	}
	t.Logf("of what is wrong %d was refused, %d taken", refused, taken)
	if refused < 2*taken || refused < 200 {
		t.Errorf("of what is wrong %d was refused, %d taken", refused, taken)
	}
}
