package link

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestCompression(t *testing.T) {
	long := `{"id":"b2f0e1d4-0c6b-4f57-8f19-000000000001","role":"user","content":"Please pay the invoice of March."}`
	for name, value := range map[string]string{
		"nothing": "", "short": `{"a":1}`, "a message": long, "large": "[" + strings.Repeat(long+",", 5000) + "1]",
		"what cannot be smaller": "\x00\xff\x17" + strings.Repeat("\xf1\x9d\x03\x8e", 16),
	} {
		stored := Compress([]byte(value))
		got, err := decompress(string(stored), nil)
		if err != nil || string(got) != value {
			t.Errorf("%s: %v, %d bytes of %d", name, err, len(got), len(value))
		}
		if len(stored) > len(value) {
			t.Errorf("%s: %d bytes became %d", name, len(value), len(stored))
		}
	}
	if n := len(Compress([]byte(long))); n > len(long)*2/3 {
		t.Errorf("a message of %d bytes takes %d", len(long), n)
	}
}

// What is cut off is not taken for a shorter value.
func TestCompressedAndCutOff(t *testing.T) {
	for _, times := range []int{3, 300} {
		value := strings.Repeat(`{"id":"b2f0e1d4","role":"user","content":"Please pay."}`, times)
		whole := string(Compress([]byte(value)))
		for n := 1; n < len(whole); n++ {
			if got, err := decompress(whole[:n], nil); err == nil && string(got) != value {
				t.Errorf("%d of %d bytes became %q", n, len(whole), got)
			}
		}
	}
}

// library is what the library makes of a value that is compressed.
func library(stored string) ([]byte, error) {
	return decompressors.Get().(*decompressor).inflate(nil, stored, nil)
}

// What is deflated here is read by the library, whatever copies and bytes it is made of, and
// read here without it. What is damaged is nothing else to the one than to the other.
func TestSmallValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		value := make([]byte, 0, smallValue)
		for want := random.IntN(smallValue); len(value) < want; {
			n := min(1+random.IntN(1+random.IntN(300)), want-len(value))
			switch from := random.IntN(len(dictionary)); {
			case len(value) > 0 && random.IntN(2) == 0: // a copy, which may reach into itself
				for at := random.IntN(len(value)); n > 0; at, n = at+1, n-1 {
					value = append(value, value[at])
				}
			case random.IntN(2) == 0:
				value = append(value, dictionary[from:min(from+n, len(dictionary))]...)
			default:
				for range min(n, 20) {
					value = append(value, byte(random.IntN(256)))
				}
			}
		}
		if len(value) > 0 && value[0] == compressed {
			continue // nothing that is JSON
		}
		stored := Compress(value)
		if got, err := decompress(string(stored), nil); err != nil || !bytes.Equal(got, value) {
			t.Fatalf("%q: %q, %v", value, got, err)
		}
		if len(stored) > len(value) {
			t.Fatalf("%d bytes became %d", len(value), len(stored))
		}
		if len(stored) == 0 || stored[0] != compressed {
			continue
		}
		if n, ok := inflateSmall(make([]byte, smallValue), 0, stored[1:]); !ok || n != len(value) {
			t.Fatalf("%q of %d bytes is left to the library: %d, %v", stored, len(value), n, ok)
		}
		ahead := value[:min(len(value), random.IntN(60))]
		if text, err := Unfold(slices.Clone(ahead), stored, nil); err != nil || !bytes.Equal(text, slices.Concat(ahead, value)) {
			t.Fatalf("behind %q: %q, %v, not %q", ahead, text, err, value)
		}
		if got, err := library(string(stored)); err != nil || !bytes.Equal(got, value) {
			t.Fatalf("the library: %q: %q, %v", value, got, err)
		}
		stored[1+random.IntN(len(stored)-1)] ^= 1 << random.IntN(8)
		sameAsTheLibrary(t, string(stored))
	}
}

// sameAsTheLibrary holds that a value is read here as the library reads it.
func sameAsTheLibrary(t *testing.T, stored string) {
	t.Helper()
	got, err := decompress(stored, nil)
	if text, wrong := Unfold([]byte("ahead"), stored, nil); (err == nil) != (wrong == nil) || err == nil && string(text) != "ahead"+string(got) {
		t.Fatalf("%q: %q, %v; in a text: %q, %v", stored, got, err, text, wrong)
	}
	if want, wrong := library(stored); (err == nil) != (wrong == nil) || !bytes.Equal(got, want) {
		t.Fatalf("%q: %q, %v; the library: %q, %v", stored, got, err, want, wrong)
	}
}

// Storing a small value takes what it has become.
func TestCompressingAllocatesTheValueOnly(t *testing.T) {
	if raced {
		t.Skip("the race detector empties pools")
	}
	value := []byte(`{"id":"b2f0e1d4-0c6b-4f57-8f19-000000000001","role":"user","content":"Please pay the invoice of March."}`)
	if n := testing.AllocsPerRun(200, func() { _ = Compress(value) }); n > 1 {
		t.Errorf("%v objects", n)
	}
}

// Reading a value takes as many bytes as it has.
func TestDecompressingAllocatesTheValueOnly(t *testing.T) {
	if raced {
		t.Skip("the race detector empties pools")
	}
	value := []byte(`{"id":"b2f0e1d4-0c6b-4f57-8f19-000000000001","role":"user","content":"Please pay the invoice of March."}`)
	stored := string(Compress(value))
	if n := testing.AllocsPerRun(200, func() { _, _ = decompress(stored, nil) }); n > 1 {
		t.Errorf("%v objects", n)
	}
}

// What was stored before is read with the same dictionary for ever.
func TestCompressedLongAgo(t *testing.T) {
	const stored = "\x01\x82\xaaH2J3H5L1\xd15H6K\xd25I35\u05f5H3\xb4\xd45@\x00C<\xa6\x04\xe4\xa4&\x16\xa7*\x14@\x13Ef^Y~fr*\xa8p\xf3M,J\xce\xd0S\xaa\x05\x04"
	if got, err := decompress(stored, nil); err != nil || !bytes.HasPrefix(got, []byte(`{"id":"`)) {
		t.Errorf("%q %v", got, err)
	}
}

// Values that are read together take one object for many, and each has room for itself alone.
func TestSlab(t *testing.T) {
	var slab Slab
	text := strings.Repeat("x", 100)
	all := make([]json.RawMessage, 0, 1000)
	r := Reply{Items: slices.Repeat([]any{text}, cap(all))}
	if n := testing.AllocsPerRun(5, func() {
		slab, all, r.at = Slab{}, all[:0], 0
		for r.More() {
			all = append(all, r.JSONIn(&slab))
		}
	}); !raced && n > 40 {
		t.Errorf("%v objects for 1,000 values", n)
	}
	for i := range all {
		all[i] = append(all[i][:50], "y"...)
		if more := append(all[i][:100], "z"...); i+1 < len(all) && string(all[i+1]) != text || len(more) != 101 {
			t.Fatalf("value %d reaches into the next one, %q", i, all[i+1])
		}
	}
	for _, n := range []int{lastSlab / 2, lastSlab/2 + 1, 3 * lastSlab, 1, 0} {
		if room := slab.room(n); len(room) != 0 || cap(room) != n {
			t.Errorf("%d bytes of room, not %d", cap(room), n)
		}
	}
}

func FuzzDecompress(f *testing.F) {
	f.Add([]byte(`{"id":"x"}`))
	f.Add(Compress([]byte(strings.Repeat(`{"id":"x"}`, 20))))
	f.Add([]byte{compressed})
	f.Fuzz(func(t *testing.T, stored []byte) {
		if len(stored) > 0 && stored[0] == compressed {
			sameAsTheLibrary(t, string(stored))
		}
		value, err := decompress(string(stored), nil)
		if err != nil || len(value) > 0 && value[0] == compressed {
			return // nothing that is JSON
		}
		back, err := decompress(string(Compress(value)), nil)
		if err != nil || !bytes.Equal(back, value) {
			t.Fatalf("%q %v", back, err)
		}
	})
}
