package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

var validTexts = []string{
	``, ` `, `null`, `nul`, `nulll`, `true`, `tru`, `false`, `0`, `-0`, `-`, `00`, `01`, `1.`, `1.5`, `.5`, `1e`, `1e5`, `1E+5`, `1e-`, `1.5e-07`, `1 2`,
	`""`, `"`, `"a`, `"a"b`, `"\"`, `"\""`, `"\\"`, `"\u12"`, `"\u12`, `"\u123g"`, `"\u12aF"`, `"\x"`, `"\`, `"\u`, "\"\x00\"", "\"\x1f\"", "\"\x7f\xff\"", `"eight888and more of it"`, `"seven77\n and more"`,
	`{}`, `{`, `}`, `{]`, `[}`, `[]`, `[,]`, `[1,]`, `[1 2]`, `[1,2]`, ` [ 1 , 2 ] `, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1,"b"}`, `{,}`, `{"a":{"b":[{"c":[]}]}}`, `{"a":1]`, `{1:2}`, `[[[]]`, `[[]]]`, `[]{}`,
	"\ufeff{}", "\v1", "\f[]", "[\u00a0]",
	strings.Repeat("[", 10000) + strings.Repeat("]", 10000), strings.Repeat("[", 10001) + strings.Repeat("]", 10001),
}

func TestValidIsTheLibrarys(t *testing.T) {
	for _, text := range validTexts {
		for _, around := range []string{text, " " + text + "\n", `{"name":` + text + `}`, `[` + text + `,"a text of some length"]`} {
			if got, want := Valid([]byte(around)), json.Valid([]byte(around)); got != want {
				t.Errorf("%.80q: %v, encoding/json says %v", around, got, want)
			}
		}
	}
}

func FuzzValidIsTheLibrarys(f *testing.F) {
	for _, text := range validTexts {
		if len(text) < 1000 {
			f.Add([]byte(text))
		}
	}
	f.Add([]byte(`{"threadId":"t","messages":[{"id":"a","role":"user","content":"Grüße, 世界, and \\u00e9 \\ud83d\\ude00"}],"resume":[1.5e-7,-0,null]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, want := Valid(text), json.Valid(text); got != want {
			t.Errorf("%v, encoding/json says %v", got, want)
		}
	})
}
