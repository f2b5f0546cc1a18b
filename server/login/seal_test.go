package login

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
)

func keyOf(b byte) string { return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, 32)) }

func sealerOf(t testing.TB, keys ...string) *Sealer {
	t.Helper()
	s, err := ParseKeys("# the latest first\n\n" + strings.Join(keys, "\n") + "\n")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSealer(t *testing.T) {
	one := sealerOf(t, keyOf(1))
	sealed := one.Seal([]byte("token"), "ann")
	if bytes.Contains(sealed, []byte("token")) || bytes.Equal(sealed, one.Seal([]byte("token"), "ann")) {
		t.Error("what is sealed is in clear, or twice the same")
	}
	rotated := sealerOf(t, keyOf(2), keyOf(1))
	for name, tt := range map[string]struct {
		by     *Sealer
		sealed []byte
		of     string
		opens  bool
		old    bool
	}{
		"its own key":           {one, sealed, "ann", true, false},
		"rotated":               {rotated, sealed, "ann", true, true},
		"sealed by the new key": {rotated, rotated.Seal([]byte("token"), "ann"), "ann", true, false},
		"the new one alone":     {sealerOf(t, keyOf(2)), sealed, "ann", false, false},
		"of somebody else":      {one, sealed, "bob", false, false},
		"another version":       {one, append([]byte{9}, sealed[1:]...), "ann", false, false},
		"nothing":               {one, nil, "ann", false, false},
	} {
		text, old, err := tt.by.Open(tt.sealed, tt.of)
		if (err == nil) != tt.opens || tt.opens && string(text) != "token" || old != tt.old {
			t.Errorf("%s: %q, old %t, %v", name, text, old, err)
		}
	}
	for i := range sealed {
		tampered := bytes.Clone(sealed)
		tampered[i] ^= 1
		if _, _, err := one.Open(tampered, "ann"); err == nil {
			t.Errorf("byte %d may be changed", i)
		}
		if _, _, err := one.Open(sealed[:i], "ann"); err == nil {
			t.Errorf("%d bytes are enough", i)
		}
	}
}

func TestKeysThatAreNone(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "short", base64.StdEncoding.EncodeToString([]byte("sixteen bytes...")), keyOf(1) + "\nSECRET-4711"} {
		if s, err := ParseKeys(text); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	s := sealerOf(f, keyOf(1))
	f.Add([]byte{sealVersion})
	f.Add(s.Seal([]byte("x"), ""))
	f.Fuzz(func(t *testing.T, sealed []byte) {
		if text, _, err := s.Open(sealed, ""); err == nil && string(text) != "x" {
			t.Errorf("%q opens", sealed)
		}
	})
}
