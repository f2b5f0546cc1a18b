package canonical

import (
	"bytes"
	"encoding/json"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gowebpki/jcs"
)

func rounded(value []byte) ([]byte, error) { return write(value, asDouble) }

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
		for name, form := range map[string]func([]byte) ([]byte, error){"exact": JSON, "rounded": rounded} {
			got, err := form([]byte(literal))
			if err != nil || string(got) != want {
				t.Errorf("%s %016x: %s became %s, %v, expected %s", name, bits, literal, got, err, want)
			}
		}
	}
}

// TestRoundedIsRFC8785: what Echoes takes for the reading of a client with doubles is
// the form of RFC 8785.
func TestRoundedIsRFC8785(t *testing.T) {
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
		got, err := rounded([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s\nbecame   %s, %v\nexpected %s", in, got, err, want)
		}
	}
	for _, in := range []string{``, `{`, `1,2`, `1] [2`, `{"a":1,"a":2}`, `{"a":1}}`, `"\ud800"`, `nul`, `1e9999999999999999999`} {
		if got, err := JSON([]byte(in)); err == nil {
			t.Errorf("%q became %s", in, got)
		}
	}
}

// TestExact: numbers have the text of their value, whatever doubles make of them, and
// that of RFC 8785 where doubles make nothing else of them.
func TestExact(t *testing.T) {
	for in, want := range map[string]string{
		`1.0`:                                  `1`,
		`-0`:                                   `0`,
		`1E30`:                                 `1e+30`,
		`4.50`:                                 `4.5`,
		`0.1`:                                  `0.1`,
		`9007199254740992`:                     `9007199254740992`,
		`9007199254740993`:                     `9007199254740993`,
		`1e400`:                                `1e400`,
		`10e399`:                               `1e400`,
		`1e-400`:                               `1e-400`,
		`1e999999999`:                          `1e999999999`,
		`0.1000000000000000055511151231257827`: `1000000000000000055511151231257827e-34`,
		`1234567890123456789012345678901234567890`:                        `123456789012345678901234567890123456789e1`,
		`{"b":9007199254740993,"a":["\u0041\/","n1",9007199254740993.0]}`: `{"a":["A/","n1",9007199254740993],"b":9007199254740993}`,
		` {"n\"":"s" , "":{"s":"\\"},"big" : 1e400 }`:                     `{"":{"s":"\\"},"big":1e400,"n\"":"s"}`,
	} {
		if got, err := JSON([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%s\nbecame   %s, %v\nexpected %s", in, got, err, want)
		}
	}
	for _, in := range []string{`{"a":1e400,"a":1e400}`, `["\ud800",1e400]`, `[1e400`} {
		if got, err := JSON([]byte(in)); err == nil {
			t.Errorf("%q became %s", in, got)
		}
	}
}

func TestEchoes(t *testing.T) {
	for _, c := range []struct {
		sent, held string
		want       bool
	}{
		{`{"a":1.0,"b":2}`, `{"b":2,"a":1}`, true},
		{`9007199254740992`, `9007199254740993`, true}, // what a double leaves of it
		{`9007199254740993`, `9007199254740992`, false},
		{`9007199254740993`, `9007199254740993.0`, true},
		{`1e400`, `10e399`, true},
		{`null`, `1e400`, true},
		{`["1e400",null,9007199254740992]`, `["1e400",-1e400,9007199254740993]`, true},
		{`[null,1]`, `[1e400,2]`, false},
		{`1e400`, `null`, false},
		{`text`, `"text"`, false},
		{`null`, `1e99999999999999999999`, false}, // what no text is for is held by nobody
	} {
		if got := Echoes([]byte(c.sent), []byte(c.held)); got != c.want {
			t.Errorf("%s echoes %s: %t", c.sent, c.held, got)
		}
	}
}

func TestDigest(t *testing.T) {
	of := func(text string) string {
		t.Helper()
		d, err := Digest(json.RawMessage(text))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if of(`{"account":9007199254740992}`) == of(`{"account":9007199254740993}`) {
		t.Error("two numbers have one digest")
	}
	if a, b := of(`[1.0,1e400]`), of(`[1,10e399]`); a != b {
		t.Errorf("one value has the digests %s and %s", a, b)
	}
}

// TestHugeNumbersAreCheap: what stands in an exponent is never written out.
func TestHugeNumbersAreCheap(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes large inputs; -short leaves it out")
	}
	long := strings.Repeat("7", 1<<20)
	begun := time.Now()
	for _, in := range []string{`1e999999999`, `-1e-999999999`, long, "0." + long, "1e-" + long, "[" + strings.Repeat("1e999999999,", 1<<16) + "0]"} {
		if out, err := JSON([]byte(in)); len(out) > 2*len(in) {
			t.Errorf("%.20s became %d bytes, %v", in, len(out), err)
		}
	}
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
}

// FuzzCanonical expects one text for one value: the canonical form of the
// canonical form is itself, and says what the original said.
func FuzzCanonical(f *testing.F) {
	f.Add([]byte(`{"b":[1.50,-0,1e21,1e-7],"a":"\u00e9\n/","":{"z":null,"A":true}}`))
	f.Add([]byte(` "\ud83d\ude00" `))
	f.Add([]byte(`[9007199254740993,5e-324]`))
	f.Add([]byte(`{"s\"":["n1e400",1e400,{"":-0.10e-400}]}`))
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
		r, err := rounded(data)
		library, bad := jcs.Transform(append(append([]byte{'['}, data...), ']'))
		if (bad == nil) != (err == nil) || bad == nil && string(library) != "["+string(r)+"]" {
			t.Fatalf("%q became %q, %v, and by the library %q, %v", data, r, err, library, bad)
		}
		var before, after any
		if json.Unmarshal(data, &before) != nil || json.Unmarshal(canonical, &after) != nil {
			if bytes.ContainsAny(data, "eE.") || len(data) > 300 {
				return // numbers that encoding/json has no float64 for
			}
			t.Fatalf("%q or %q cannot be read", data, canonical)
		}
		a, _ := json.Marshal(before)
		b, _ := json.Marshal(after)
		if !bytes.Equal(bytes.ReplaceAll(a, []byte("-0"), []byte("0")), bytes.ReplaceAll(b, []byte("-0"), []byte("0"))) {
			t.Fatalf("%s became %s", a, b)
		}
	})
}

func TestLongArraysAreCheap(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes large inputs; -short leaves it out")
	}
	in := []byte(`{"tags":[` + strings.Repeat("0,", 1<<21) + `0]}`)
	runtime.GC()
	var before, after runtime.MemStats
	peak := uint64(0)
	runtime.ReadMemStats(&before)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := JSON(in); err != nil {
			t.Error(err)
		}
	}()
	looks := time.NewTicker(time.Millisecond) // each of them stops what it looks at
	defer looks.Stop()
	for going := true; going; {
		select {
		case <-done:
			going = false
		case <-looks.C:
		}
		runtime.ReadMemStats(&after)
		peak = max(peak, after.HeapInuse)
	}
	if more := int64(peak) - int64(before.HeapInuse); more > 128<<20 {
		t.Errorf("%d MiB for %d MiB", more>>20, len(in)>>20)
	}
}
