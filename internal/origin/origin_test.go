package origin

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{ // "" is none
		"https://app.example":                 "https://app.example",
		"https://app.example:443":             "https://app.example",
		"HTTPS://App.Example.":                "https://app.example",
		"http://app.example:443":              "http://app.example:443",
		"http://[::1]:81":                     "http://[::1]:81",
		"http://[0:0::1]":                     "http://[::1]",
		"http://127.0.0.2:5173":               "http://127.0.0.2:5173",
		"http://my_app.example":               "http://my_app.example",
		"capacitor://localhost":               "capacitor://localhost",
		"chrome-extension://abcdefgh":         "chrome-extension://abcdefgh",
		"tauri://localhost:3":                 "tauri://localhost:3",
		"http://app.example:":                 "http://app.example",
		"null":                                "",
		"":                                    "",
		"https://":                            "",
		"https:///x":                          "",
		"https://app.example/":                "",
		"https://app.example/x":               "",
		"https://app.example?x":               "",
		"https://ann@app.example":             "",
		"https://app.example:0":               "",
		"https://app.example:65536":           "",
		"https://app.example:+1":              "",
		"https://app.example:80:80":           "",
		"https://[::1":                        "",
		"https://::1":                         "",
		"https://[fe80::1%eth0]":              "",
		"https://[127.0.0.1]":                 "",
		"https://127.1":                       "",
		"https://0x7f.0.0.1":                  "",
		"https://2130706433":                  "",
		"https://a%2eexample":                 "",
		"https://a b":                         "",
		"https://.":                           "",
		"https://a..example":                  "",
		"https://b\u00fccher.example":         "",
		"1http://app.example":                 "",
		"http ://app.example":                 "",
		"https://" + strings.Repeat("a", 300): "",
	} {
		o, ok := Parse(text)
		if got := o.String(); ok != (want != "") || ok && got != want {
			t.Errorf("%q is %q, %v; want %q", text, got, ok, want)
		}
	}
}

func TestLocal(t *testing.T) {
	for text, want := range map[string]bool{
		"http://localhost": true, "http://LOCALHOST.:1": true, "https://localhost:3000": true, "http://127.0.0.1:1": true, "http://127.9.9.9": true, "http://[::1]:1": true, "http://[::ffff:127.0.0.1]": true,
		"http://localhost.evil.example": false, "http://evil.localhost": false, "http://127.0.0.1.evil.example": false, "http://0.0.0.0:1": false, "http://192.168.0.1": false,
		"http://[::]": false, "capacitor://localhost": false, "http://localhos": false,
	} {
		if o, ok := Parse(text); !ok || o.Local() != want {
			t.Errorf("%s: %v, %v", text, o.Local(), ok)
		}
	}
}

func TestAllows(t *testing.T) {
	set, err := ParseSet([]string{"https://app.example/", "http://app.example:8443", "http://localhost:5173", "https://127.0.0.1:*", "HTTP://[2001:DB8::1]:*", "capacitor://localhost"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"https://app.example": true, "https://APP.example.:443": true, "http://app.example:8443": true, "http://[2001:db8::1]": true, "http://[2001:db8::1]:9": true, "capacitor://localhost": true,
		"http://localhost:5173": true, "http://127.0.0.1:5173": true, "http://[::1]:5173": true, "https://localhost:1": true, "https://[::1]": true,
		"http://app.example": false, "https://app.example:8443": false, "https://app.example.evil": false, "https://x.app.example": false, "http://localhost:5174": false,
		"http://evil.localhost:5173": false, "https://[2001:db8::1]": false, "http://[2001:db8::2]": false, "ionic://localhost": false, "capacitor://localhost:1": false, "capacitor://127.0.0.1": false,
	} {
		if o, ok := Parse(text); !ok || set.Allows(o) != want {
			t.Errorf("%s: %v, %v", text, set.Allows(o), ok)
		}
	}
	if got := set[3].String() + " " + set[0].String() + " " + set[4].String(); got != "https://127.0.0.1:* https://app.example http://[2001:db8::1]:*" {
		t.Error(got)
	}
}

// What could match no page is refused, with what was meant.
func TestParseSetRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"*":                            "every origin must be named",
		"null":                         "origin null",
		"file:///tmp/page.html":        "origin null",
		"":                             "not an origin",
		"localhost:5173":               "did you mean http://localhost:5173?",
		"localhost:*":                  "did you mean http://localhost:*?",
		"127.0.0.1:5173/":              "did you mean http://127.0.0.1:5173?",
		"[::1]:5173":                   "did you mean http://[::1]:5173?",
		"::1":                          "did you mean http://[::1]?",
		"http://::1":                   "did you mean http://[::1]?",
		"app.example.com":              "did you mean https://app.example.com?",
		"//app.example.com":            "did you mean https://app.example.com?",
		"https://app.example.com/chat": "did you mean https://app.example.com?",
		"http://localhost:*/x":         "did you mean http://localhost:*?",
		"https://ann:pw@app.example":   "did you mean https://app.example?",
		"wss://app.example:1":          "did you mean https://app.example:1?",
		"ws://localhost:*":             "did you mean http://localhost:*?",
		"https://*.example.com":        "only the port may be *",
		"http://*:5173":                "only the port may be *",
		"https://b\u00fccher.example":  "xn--",
		"https://127.1":                "not an origin",
		"http://localhost:99999":       "not an origin",
		"http://localhost:51*":         "not an origin",
		"http://localhost:1:*":         "not an origin",
		"https://":                     "not an origin",
	} {
		_, err := ParseSet([]string{"https://ok.example", text})
		if err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), `"`+strings.ToValidUTF8(text, "")) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"https://app.example", "http://[::1]:81", "http://localhost:*", "null", "a://b:1/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if o, ok := Parse(text); ok {
			if again, ok := Parse(o.String()); !ok || again != o {
				t.Errorf("%q is %q, which is %q", text, o, again)
			}
		}
		if set, err := ParseSet([]string{text}); err == nil {
			if again, err := ParseSet([]string{set[0].String()}); err != nil || again[0] != set[0] {
				t.Errorf("%q is %q, which is %v, %v", text, set[0], again, err)
			}
		}
	})
}
