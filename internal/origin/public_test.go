package origin

import "testing"

func TestParsePublic(t *testing.T) {
	for address, want := range map[string]Public{
		"https://chat.example.com":         {URL: "https://chat.example.com"},
		"https://chat.example.com/":        {URL: "https://chat.example.com"},
		"HTTPS://chat.example.com:8443":    {URL: "https://chat.example.com:8443", Port: "8443"},
		"https://example.com/agents":       {URL: "https://example.com/agents", Base: "/agents"},
		"https://example.com/a/b_c/":       {URL: "https://example.com/a/b_c", Base: "/a/b_c"},
		"https://example.com/?x=1":         {},
		"https://example.com/?":            {},
		"https://example.com/#x":           {},
		"https://example.com/a//b":         {},
		"https://example.com//":            {},
		"https://example.com/../b":         {},
		"https://example.com/a%2Fb":        {},
		"https://example.com/a%22%3E<b>":   {},
		"https://example.com/{tenant}":     {},
		"https://example.com/\u00e4gypten": {},
		"https://[":                        {},
	} {
		got, err := ParsePublic(address)
		if got != want || (err != nil) != (want == Public{}) {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
}
