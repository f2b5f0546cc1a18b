package number

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"
)

func TestExact(t *testing.T) {
	for number, want := range map[string]string{
		"0": "0", "-0": "0", "0.000": "0", "0e999999999999999999999999": "0",
		"1": "1", "1.0": "1", "1e0": "1", "10e-1": "1", "0.1E+1": "1", "1e000": "1",
		"-1.50": "-15e-1", "100": "1e2", "1e400": "1e400", "10E399": "1e400",
		"9007199254740993": "9007199254740993", "9007199254740993.0": "9007199254740993", "9007199254740992": "9007199254740992",
		"0.1000000000000000055511151231257827": "1000000000000000055511151231257827e-34",
		"1e999999999":                          "1e999999999",
	} {
		if got, ok := Exact(number); !ok || got != want {
			t.Errorf("%s is %s, %t, want %s", number, got, ok, want)
		}
	}
	for _, number := range []string{"1e9223372036854775807", "1e-9223372036854775808", "1e99999999999999999999"} {
		if got, ok := Exact(number); ok {
			t.Errorf("%s is %s", number, got)
		}
	}
}

// A text as long as a message may be, and an exponent that nobody could write out,
// cost what reading them costs.
func TestExactIsCheap(t *testing.T) {
	long := strings.Repeat("9", 4<<20)
	begun := time.Now()
	for _, number := range []string{"1e999999999", long, "0." + long, "1e" + long, long + "e-999999999"} {
		Exact(number)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("five numbers took %s", took)
	}
}

// FuzzExact expects that the text is the number, and that it is its own.
func FuzzExact(f *testing.F) {
	for _, seed := range []string{"1.0", "-0.00120e-3", "9007199254740993", "1e30", "0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, number string) {
		if !json.Valid([]byte(number)) || strings.Trim(number, "-+.eE0123456789") != "" || len(number) > 100 {
			return
		}
		text, ok := Exact(number)
		if !ok {
			return
		}
		if again, ok := Exact(text); !ok || again != text {
			t.Fatalf("%s is %s, and that is %s, %t", number, text, again, ok)
		}
		for _, text := range []string{text, strings.ToLower(number)} {
			if _, exponent, _ := strings.Cut(text, "e"); len(exponent) > 4 {
				return // more than big.Rat has
			}
		}
		x, okX := new(big.Rat).SetString(number)
		y, okY := new(big.Rat).SetString(text)
		if !okX || !okY || x.Cmp(y) != 0 {
			t.Fatalf("%s is not %s", number, text)
		}
	})
}
