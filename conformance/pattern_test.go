package conformance

import (
	"testing"
)

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		pattern, value string
		ok             bool
	}{
		{`{"a":1}`, `{"a":1.0,"b":2}`, true},
		{`{"a":1}`, `{"a":"1"}`, false},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":"$none"}`, `{"b":1}`, true},
		{`{"a":"$none"}`, `{"a":null}`, false},
		{`{"a":"$_"}`, `{"a":null}`, true},
		{`{"a":"$_"}`, `{}`, false},
		{`[1,2]`, `[1,2,3]`, false},
		{`[1,2,"..."]`, `[1,2,3]`, true},
		{`[1,2,"..."]`, `[1]`, false},
		{`["...",{"a":1},"..."]`, `[0,{"a":1},2]`, true},
		{`["...",{"a":1},"..."]`, `[0,{"a":2},2]`, false},
		{`"$known"`, `"value"`, true},
		{`"$known"`, `"other"`, false},
		{`"a $known"`, `"a value"`, true},
		{`{"$known":1}`, `{"value":1}`, true},
		{`["$x","$x"]`, `["same","same"]`, true},
		{`["$x","$x"]`, `["one","other"]`, false},
		{`"~^v.l"`, `"value"`, true},
		{`"~^v.l"`, `"a value"`, false},
		{`"~1"`, `1`, false},
		{`12345678901234567890`, `12345678901234567891`, false},
		{`1e400`, `10e399`, true},
		{`null`, `null`, true},
		{`null`, `{}`, false},
	} {
		pattern, err := decode([]byte(test.pattern))
		if err != nil {
			t.Fatal(err)
		}
		value, err := decode([]byte(test.value))
		if err != nil {
			t.Fatal(err)
		}
		if err := (vars{"known": "value"}).match(pattern, value, ""); (err == nil) != test.ok {
			t.Errorf("%s against %s: %v", test.pattern, test.value, err)
		}
	}
}

// What does not match binds nothing.
func TestFailedMatchBindsNothing(t *testing.T) {
	tr := &trial{vars: vars{}}
	value, _ := decode([]byte(`{"a":"x","b":"y"}`))
	pattern, _ := decode([]byte(`{"a":"$name","b":"z"}`))
	if tr.same("T", pattern, item{kind: "T", value: value}) == nil {
		t.Fatal("it matches")
	}
	if _, bound := tr.vars["name"]; bound {
		t.Error("the name is bound")
	}
}

func TestFill(t *testing.T) {
	v := vars{"name": "an \"id\"", "list": []any{"a"}}
	got, err := v.json(`{"x":"$name","y":"to $name","z":"$list","w":"$unknown"}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"w":"$unknown","x":"an \"id\"","y":"to an \"id\"","z":["a"]}`; string(got) != want {
		t.Errorf("got %s", got)
	}
}
