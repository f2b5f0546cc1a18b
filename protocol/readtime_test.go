package protocol

import (
	"strings"
	"testing"
	"time"
)

func TestReadTime(t *testing.T) {
	const ten = "2026-11-28T10:00:00Z"
	for text, want := range map[string]string{
		// Told as they came.
		ten: ten, "2026-11-28T10:00:00.123456789Z": "", "2026-11-28T11:00:00+01:00": "", "2026-11-28T11:00:00.5-01:30": "",
		// Without an offset they are in UTC.
		"2026-11-28T10:00:00": ten, "2026-11-28 10:00:00": ten, "2026-11-28T10:00:00.123456": "2026-11-28T10:00:00.123456Z", "2026-11-28": "2026-11-28T00:00:00Z", "2026-11-28T10:00": ten, "2026-11-28T10": ten,
		// In other letters, and other forms.
		"2026-11-28t10:00:00z": ten, "20261128T100000Z": ten, "20261128T1000": ten, "20261128T10Z": ten, "20261128": "2026-11-28T00:00:00Z", " 2026-11-28T10:00Z ": ten,
		"2026-W48-6T10:00:00Z": ten, "2026W486T100000Z": ten, "2026-W48": "2026-11-23T00:00:00Z", "2026-332T10:00:00Z": ten, "2026332T10Z": ten, "2027-W53-1": "!", "2026-W53-1": "2026-12-28T00:00:00Z",
		"+002026-11-28T10:00:00Z": ten,
		// Fractions.
		"2026-11-28T10:00:00,5Z": "2026-11-28T10:00:00.5Z", "2026-11-28T10:00:00.1234567891234Z": "2026-11-28T10:00:00.123456789Z", "2026-11-28T10:00.5Z": "2026-11-28T10:00:30Z", "2026-11-28T10:00:00.Z": "!",
		// Offsets.
		"2026-11-28T11:00:00+0100": ten, "2026-11-28T11:00:00+01": ten, "2026-11-28T11:00:00 +0100": ten, "2026-11-28T09:00:00−01:00": ten, "2026-11-28 10:00:00 UTC": ten, "2026-11-28 10:00:00 +0000 UTC": ten,
		"2026-11-28T11:00+01:00[Europe/Paris]": ten, "2026-11-28T11:00:00+01:00:00": ten, "2026-11-28T10:00:00GMT": ten,
		// The last second.
		"2026-11-28T24:00:00Z": "2026-11-29T00:00:00Z", "2026-11-28T23:59:60Z": "2026-11-29T00:00:00Z", "2026-11-28T24:30:00Z": "!", "2026-11-28T25:00:00Z": "!",
		// None.
		"": "-", "  ": "-", "0001-01-01T00:00:00Z": "-", "0001-01-01T00:00:00": "-", "0001-01-01": "-", "1970-01-01T00:00:00Z": "-", "1969-12-31T23:00:00+01:00": "-", "9999-12-31T23:59:59-02:00": "-", "+012026-11-28": "-",
		"9999-12-31T23:59:59.9999999": "9999-12-31T23:59:59.9999999Z",
		// No times.
		"tomorrow": "!", "2026-11-31": "!", "2026-13-01": "!", "2026-00-10": "!", "2025-02-29": "!", "2026-366": "!", "2026-000": "!", "2026-11-28T": "!", "2026-11-28T10:00:00X": "!", "2026-11-28T10:60:00Z": "!",
		"2026-11-28T10:00:00+24:00": "!", "10:00": "!", "1764324000": "!", "2026-11-28T10:00:00+": "!", "28.11.2026": "!", "2026-1-2": "!", "P1D": "!", "é": "!", "2026-11-28Té": "!", "2026": "!", "-002026-11-28": "!",
		strings.Repeat("0", 300): "!", "2026-11-28T10:00:00." + strings.Repeat("1", 300) + "Z": "!",
	} {
		at, told, err := ReadTime(text)
		switch {
		case want == "!":
			if err == nil {
				t.Errorf("%q is %v", text, at)
			}
			continue
		case want == "-":
			if err != nil || !at.IsZero() || told != "" {
				t.Errorf("%q is %v, told as %q: %v", text, at, told, err)
			}
			continue
		case want == "":
			want = text
		}
		if err != nil || told != want {
			t.Errorf("%q is told as %q, want %q: %v", text, told, want, err)
		}
		if same, bad := time.Parse(time.RFC3339, told); bad != nil || !same.Equal(at) {
			t.Errorf("%q is %v, and told as %q", text, at, told)
		}
	}
}

func FuzzReadTime(f *testing.F) {
	f.Add("2026-W48-6T10:00:00,5+0100")
	f.Add("20261128T100000Z")
	f.Fuzz(func(t *testing.T, text string) {
		at, told, err := ReadTime(text)
		if err != nil || at.IsZero() {
			if told != "" {
				t.Errorf("%q is told as %q", text, told)
			}
			return
		}
		again, same, err := ReadTime(told)
		if err != nil || !again.Equal(at) || same != told {
			t.Errorf("%q is %v, told as %q, which is %v, %q: %v", text, at, told, again, same, err)
		}
		if plain, err := time.Parse(time.RFC3339, text); err == nil && !strings.Contains(text, ":60") && !plain.Equal(at) {
			t.Errorf("%q is %v, and by Go %v", text, at, plain)
		}
	})
}
