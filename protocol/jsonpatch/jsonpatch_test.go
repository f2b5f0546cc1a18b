package jsonpatch

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestApply(t *testing.T) {
	const nested = `{"a":{"x":[1,{"y":null}]},"l":[1,2,3],"big":9007199254740993,"sp":[ 1.50 ]}`
	for _, test := range []struct{ name, doc, ops, want, err string }{
		{"nothing", nested, `[]`, nested, ""},
		{"absent document", ``, `[{"op":"add","path":"/a","value":1}]`, `{"a":1}`, ""},
		{"add a member", `{"a":1}`, `[{"op":"add","path":"/b","value":{"c":[]}}]`, `{"a":1,"b":{"c":[]}}`, ""},
		{"add over a member", `{"a":1,"b":2}`, `[{"op":"add","path":"/a","value":null}]`, `{"a":null,"b":2}`, ""},
		{"add an element", `{"l":[1,2]}`, `[{"op":"add","path":"/l/1","value":9}]`, `{"l":[1,9,2]}`, ""},
		{"add at the end", `{"l":[1,2]}`, `[{"op":"add","path":"/l/2","value":9},{"op":"add","path":"/l/-","value":8}]`, `{"l":[1,2,9,8]}`, ""},
		{"add past the end", `{"l":[1,2]}`, `[{"op":"add","path":"/l/3","value":9}]`, ``, "past the end"},
		{"add to a missing parent", `{}`, `[{"op":"add","path":"/a/b","value":9}]`, ``, "no such member"},
		{"add to a scalar", `{"a":1}`, `[{"op":"add","path":"/a/b","value":9}]`, ``, "place to add to does not exist"},
		{"add the whole", `{"a":1}`, `[{"op":"add","path":"","value":7}]`, `7`, ""},
		{"index with a zero", `{"l":[1,2]}`, `[{"op":"remove","path":"/l/01"}]`, ``, "no index"},
		{"index with a sign", `{"l":[1,2]}`, `[{"op":"remove","path":"/l/-1"}]`, ``, "no index"},
		{"index of many digits", `{"l":[1,2]}`, `[{"op":"remove","path":"/l/99999999999999999999"}]`, ``, "no index"},
		{"remove", nested, `[{"op":"remove","path":"/a/x/1/y"},{"op":"remove","path":"/l/0"}]`, `{"a":{"x":[1,{}]},"l":[2,3],"big":9007199254740993,"sp":[ 1.50 ]}`, ""},
		{"remove and add again", `{"a":1,"b":2}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":3}]`, `{"b":2,"a":3}`, ""},
		{"remove nothing", `{}`, `[{"op":"remove","path":"/a"}]`, ``, "no such member"},
		{"remove the whole", `{}`, `[{"op":"remove","path":""}]`, ``, "cannot be removed"},
		{"replace", `{"a":1,"b":2}`, `[{"op":"replace","path":"/a","value":[]}]`, `{"a":[],"b":2}`, ""},
		{"replace the whole", `{"a":1}`, `[{"op":"replace","path":"","value":"x"}]`, `"x"`, ""},
		{"replace nothing", `{}`, `[{"op":"replace","path":"/a","value":1}]`, ``, "no such member"},
		{"move", `{"a":{"b":1},"l":[5]}`, `[{"op":"move","from":"/a/b","path":"/l/0"}]`, `{"a":{},"l":[1,5]}`, ""},
		{"move inside an array", `[1,2,3]`, `[{"op":"move","from":"/0","path":"/2"}]`, `[2,3,1]`, ""},
		{"move to itself", `{"a":1}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1}`, ""},
		{"move into itself", `{"a":{}}`, `[{"op":"move","from":"/a","path":"/a/b"}]`, ``, "into itself"},
		{"move to the whole", `{"a":[1]}`, `[{"op":"move","from":"/a","path":""}]`, `[1]`, ""},
		{"move beside a prefix", `{"a":1}`, `[{"op":"move","from":"/a","path":"/ab"}]`, `{"ab":1}`, ""},
		{"copy", `{"a":{"b":1}}`, `[{"op":"copy","from":"/a","path":"/c"},{"op":"replace","path":"/c/b","value":2}]`, `{"a":{"b":1},"c":{"b":2}}`, ""},
		{"copy the whole", `{"a":1}`, `[{"op":"copy","from":"","path":"/b"}]`, `{"a":1,"b":{"a":1}}`, ""},
		{"test", nested, `[{"op":"test","path":"/a","value":{"x":[1.0,{"y":null}]}},{"op":"test","path":"/l/1","value":2e0}]`, nested, ""},
		{"test order and escapes", `{"a":{"b":1,"c":"é"}}`, `[{"op":"test","path":"/a","value":{"c":"\u00e9","b":1}}]`, `{"a":{"b":1,"c":"é"}}`, ""},
		{"test nothing for null", `{}`, `[{"op":"test","path":"/a","value":null}]`, ``, "no such member"},
		{"test another", `{"a":"1"}`, `[{"op":"test","path":"/a","value":1}]`, ``, "another one"},
		{"test large integers", `{"a":9007199254740993}`, `[{"op":"test","path":"/a","value":9007199254740992}]`, ``, "another one"},
		{"test large integers, one with a point", `{"a":9007199254740993}`, `[{"op":"test","path":"/a","value":9007199254740992.0}]`, ``, "another one"},
		{"test beyond a double", `{"a":1e400}`, `[{"op":"test","path":"/a","value":10e399}]`, `{"a":1e400}`, ""},
		{"test below a double", `{"a":1e-400}`, `[{"op":"test","path":"/a","value":0.0}]`, ``, "another one"},
		{"escaped pointers", `{"a/b":1,"m~n":2,"":3}`, `[{"op":"remove","path":"/a~1b"},{"op":"test","path":"/m~0n","value":2},{"op":"test","path":"/","value":3}]`, `{"m~n":2,"":3}`, ""},
		{"~01 is ~1", `{"~1":1,"/":2}`, `[{"op":"remove","path":"/~01"}]`, `{"/":2}`, ""},
		{"all or nothing", `{"a":1}`, `[{"op":"remove","path":"/a"},{"op":"test","path":"/b","value":1}]`, ``, "operation 1"},
		{"unknown operation", `{}`, `[{"op":"zap","path":""}]`, ``, "no operation"},
		{"names are exact", `{}`, `[{"op":"add","path":"/a","value":1,"Value":2,"from":7}]`, `{"a":1}`, ""},
		{"no document", `{`, `[]`, ``, "not JSON"},
		{"no patch", `{}`, `{}`, ``, "array of operations"},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc, ops := json.RawMessage(test.doc), json.RawMessage(test.ops)
			got, err := Apply(doc, ops)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got %s, %v, expected %q", got, err, test.err)
				}
			} else if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v\nwant %s", got, err, test.want)
			}
			if string(doc) != test.doc || string(ops) != test.ops {
				t.Error("the arguments changed")
			}
		})
	}
}

// TestApplyAsClientsDo holds the reasons for which patches are applied here
// and not by a library.
func TestApplyAsClientsDo(t *testing.T) {
	file, err := os.ReadFile("testdata/patches.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var parts []json.RawMessage
		if err := json.Unmarshal([]byte(line), &parts); err != nil || len(parts) < 2 {
			t.Fatalf("%s: %v", line, err)
		}
		cases++
		got, err := Apply(parts[0], parts[1])
		switch {
		case len(parts) == 2 && err == nil:
			t.Errorf("%sis not refused, but makes %s", line, got)
		case len(parts) == 3 && (err != nil || string(got) != string(parts[2])):
			t.Errorf("%smakes %s, %v", line, got, err)
		}
	}
	if cases == 0 {
		t.Error("no cases")
	}
}

func TestApplyBoundsCopies(t *testing.T) {
	doubling := strings.Repeat(`{"op":"copy","from":"","path":"/x"},`, 60)
	if _, err := Apply([]byte(`{}`), []byte("["+strings.TrimSuffix(doubling, ",")+"]")); err != nil {
		t.Errorf("replacing a copy of little is refused: %v", err)
	}
	doubling = strings.Repeat(`{"op":"copy","from":"","path":"/-"},`, 60)
	if _, err := Apply([]byte(`[1]`), []byte("["+strings.TrimSuffix(doubling, ",")+"]")); err == nil || !strings.Contains(err.Error(), "copies more than") {
		t.Error(err)
	}
}

func FuzzApply(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,2]}}`), []byte(`[{"op":"move","from":"/a/b/0","path":"/a/c"},{"op":"copy","from":"","path":"/d"},{"op":"test","path":"/a/c","value":1.0}]`))
	f.Add([]byte(`[[],{"":0}]`), []byte(`[{"op":"add","path":"/1/~0~1","value":"\u00e9"},{"op":"remove","path":"/0"},{"op":"replace","path":"","value":null}]`))
	f.Fuzz(func(t *testing.T, doc, ops []byte) {
		before := string(doc)
		out, err := Apply(doc, ops)
		if string(doc) != before {
			t.Fatal("the document changed")
		}
		if err == nil && !json.Valid(out) {
			t.Fatalf("%s and %s make %q", doc, ops, out)
		}
	})
}
