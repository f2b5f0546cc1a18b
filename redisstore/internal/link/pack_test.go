package link

import (
	"bytes"
	"slices"
	"testing"
)

func FuzzPack(f *testing.F) {
	f.Add([]byte("a"), []byte(""), "1:a0:")
	f.Add([]byte("1:\x00"), []byte("\xff:"), "9:x")
	f.Fuzz(func(t *testing.T, a, b []byte, s string) {
		got, err := Unpack(string(Pack(nil, a, b)))
		if err != nil || len(got) != 2 || got[0] != string(a) || got[1] != string(b) {
			t.Errorf("%q %q came back as %q, %v", a, b, got, err)
		}
		if items, err := Unpack(s); err == nil {
			if again, _ := Unpack(string(Pack(nil, items...))); !slices.Equal(again, items) {
				t.Errorf("%q: %q, then %q", s, items, again)
			}
		}
	})
}

func TestPackArrayKeepsEveryByteOfItsElements(t *testing.T) {
	got, err := PackArray([]byte(" [ {\"a\":\"\\u00e9\\ud83d\"} , 1.0 ] "))
	if want := `20:{"a":"\u00e9\ud83d"}3:1.0`; err != nil || !bytes.Equal(got, []byte(want)) {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{"{}", "[", "1"} {
		if _, err := PackArray([]byte(bad)); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
