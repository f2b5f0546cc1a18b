package canonical

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"testing"
)

// TestCanonicalNumbers holds the sample numbers of RFC 8785, appendix B.
func TestCanonicalNumbers(t *testing.T) {
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0",
		0x8000000000000000: "0",
		0x0000000000000001: "5e-324",
		0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308",
		0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992",
		0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22",
		0x44b52d02c7e14af6: "1e+23",
		0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000",
		0x444b1ae4d6e2ef4f: "999999999999999900000",
		0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7",
		0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332",
		0x41b3de4355555554: "333333333.33333325",
		0x41b3de4355555555: "333333333.3333333",
		0x41b3de4355555556: "333333333.3333334",
		0x41b3de4355555557: "333333333.33333343",
		0xbecbf647612f3696: "-0.0000033333333333333333",
		0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		literal := strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
		got, err := JSON([]byte(literal))
		if err != nil || string(got) != want {
			t.Errorf("%016x: %s became %s, %v, expected %s", bits, literal, got, err, want)
		}
	}
}

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		// Section 3.2.2 and 3.2.3 of the RFC.
		`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
		  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`: `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		// Names are sorted by UTF-16 code units.
		`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`: "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}",
		` "text" `:                     `"text"`,
		` null `:                       `null`,
		`-0`:                           `0`,
		`1.0`:                          `1`,
		`[]`:                           `[]`,
		`{}`:                           `{}`,
		`[{"b":[],"a":{"d":1,"c":2}}]`: `[{"a":{"c":2,"d":1},"b":[]}]`,
	} {
		got, err := JSON([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s\nbecame   %s, %v\nexpected %s", in, got, err, want)
		}
	}
	for _, in := range []string{``, `{`, `1,2`, `1] [2`, `{"a":1,"a":2}`, `{"a":1}}`, `"\ud800"`, `nul`, `1e999`} {
		if got, err := JSON([]byte(in)); err == nil {
			t.Errorf("%q became %s", in, got)
		}
	}
}

// FuzzCanonical expects one text for one value: the canonical form of the
// canonical form is itself, and says what the original said.
func FuzzCanonical(f *testing.F) {
	f.Add([]byte(`{"b":[1.50,-0,1e21,1e-7],"a":"\u00e9\n/","":{"z":null,"A":true}}`))
	f.Add([]byte(` "\ud83d\ude00" `))
	f.Add([]byte(`[9007199254740993,5e-324]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		canonical, err := JSON(data)
		if err != nil {
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q is not JSON and became %q", data, canonical)
		}
		again, err := JSON(canonical)
		if err != nil || !bytes.Equal(again, canonical) {
			t.Fatalf("%q became %q, then %q, %v", data, canonical, again, err)
		}
		var before, after any
		if json.Unmarshal(data, &before) != nil || json.Unmarshal(canonical, &after) != nil {
			t.Fatalf("%q or %q cannot be read", data, canonical)
		}
		a, _ := json.Marshal(before)
		b, _ := json.Marshal(after)
		if !bytes.Equal(bytes.ReplaceAll(a, []byte("-0"), []byte("0")), bytes.ReplaceAll(b, []byte("-0"), []byte("0"))) {
			t.Fatalf("%s became %s", a, b)
		}
	})
}
