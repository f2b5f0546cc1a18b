package protocol

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aguiws/aguiws/protocol/problem"
)

// Small documents must not become large ones in memory, whatever is wrong with
// them.
func TestInputsDoNotExplode(t *testing.T) {
	const size = 1 << 20
	repeated := func(before, unit, after string) string {
		n := (size - len(before) - len(after)) / (len(unit) + 1)
		return before + strings.Repeat(unit+",", n-1) + unit + after
	}
	named := func(before, after string) string {
		var b strings.Builder
		b.WriteString(before)
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, `"%x":0,`, i)
		}
		return strings.TrimSuffix(b.String(), ",") + after
	}
	const begin = `{"threadId":"t","runId":"r",`
	for name, document := range map[string]string{
		"messages that are none":   repeated(begin+`"messages":[`, `0`, `]}`),
		"messages without roles":   repeated(begin+`"messages":[`, `{}`, `]}`),
		"messages":                 repeated(begin+`"messages":[`, `{"id":"","role":"user","content":""}`, `]}`),
		"parts":                    repeated(begin+`"messages":[{"id":"m","role":"user","content":[`, `{"type":"text","text":""}`, `]}]}`),
		"tool calls without ids":   repeated(begin+`"messages":[{"id":"m","role":"assistant","toolCalls":[`, `{}`, `]}]}`),
		"tools without names":      repeated(begin+`"tools":[`, `{}`, `]}`),
		"context":                  repeated(begin+`"context":[`, `{"description":"","value":""}`, `]}`),
		"answers":                  repeated(begin+`"resume":[`, `{"interruptId":"","status":"cancelled"}`, `]}`),
		"state":                    repeated(begin+`"state":[`, `{"a":0}`, `]}`),
		"a name again and again":   repeated(begin+`"state":{`, `"a":0`, `}}`),
		"state of many names":      named(begin+`"state":{`, `}}`),
		"metadata of many names":   named(begin+`"tools":[{"name":"","description":"","metadata":{`, `}}]}`),
		"members that are unknown": named(begin, `}`),
		"depth":                    begin + `"state":` + strings.Repeat("[", size/2) + strings.Repeat("]", size/2) + `}`,
		"wrong below a long name": begin + `"` + strings.Repeat("n", size/2) + `":0,"tools":` + repeated(`[{"`+strings.Repeat("n", size/2)+`":[`, `{}`, `]},`) +
			strings.Repeat(`{"parameters":7},`, 100) + `{}]}`,
		"long names that are wrong": begin + `"messages":[{"role":"` + strings.Repeat("é\\n", size/4) + `"},` + strings.Repeat(`{"role":"x\\u0000y"},`, 100) + `{}]}`,
		"depth, and wrong":          begin + `"tools":` + strings.Repeat(`[{"a":0,"a":`, 400) + "0" + strings.Repeat("}]", 400) + strings.Repeat(" ", size) + `}`,
	} {
		var before, after runtime.MemStats
		data := []byte(document)
		runtime.ReadMemStats(&before)
		_, err := DecodeInput(data)
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(50*len(data)+1<<20); got > most {
			t.Errorf("%s: %d bytes make %d", name, len(data), got)
		}
		if n := len(problem.Of(err)); n > problem.Max {
			t.Errorf("%s: %d problems are named", name, n)
		}
		for _, p := range problem.Of(err) {
			for _, s := range []string{p.Pointer, p.Message} {
				if len(s) > 200 || !utf8.ValidString(s) || strings.ContainsAny(s, "\n\x00") {
					t.Errorf("%s: no line: %.300q", name, s)
				}
			}
		}
	}
}
