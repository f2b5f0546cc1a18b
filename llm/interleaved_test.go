package llm

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/llm/chat"
)

// Whatever way the pieces of calls are told apart, and however they are mixed with each
// other and with text, each call's own order is enough.
func FuzzInterleavedCalls(f *testing.F) {
	for seed := range uint64(1500) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		want, pieces := interleaved(r)
		to := newTold(t)
		w := newWriter(to)
		var said string
		for _, p := range pieces {
			var chunk chat.Chunk
			if err := json.Unmarshal([]byte(`{"choices":[{"delta":{`+p+`}}]}`), &chunk); err != nil {
				t.Fatal(err)
			}
			said += chunk.Choices[0].Delta.Content.Text
			if failed, err := w.take(chunk); failed != nil || err != nil {
				t.Fatalf("%+v %v of %s", failed, err, strings.Join(pieces, "\n"))
			}
		}
		w.turn.Finish = "tool_calls"
		if failed := w.incomplete(); failed != nil {
			t.Fatalf("%+v of %s", failed, strings.Join(pieces, "\n"))
		}
		if err := w.close(); err != nil {
			t.Fatal(err)
		}
		got := callsOf(t, w.gathered(), to)
		slices.Sort(got) // a name that comes late makes its call a later one
		if slices.Sort(want); !slices.Equal(got, want) || w.turn.Text != said {
			t.Fatalf("got %q, %q, want %q, %q of %s", got, w.turn.Text, want, said, strings.Join(pieces, "\n"))
		}
	})
}

// interleaved makes calls and a stream of them.
func interleaved(r *rand.Rand) (calls, stream []string) {
	const (
		byIndex = iota // with or without ids
		byID           // at one index or none
		byEnd          // at one index or none, one behind the other
	)
	way, index := r.IntN(3), r.IntN(2) == 0
	repeats, late, named := r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0
	queues := make([][]string, 1+r.IntN(5))
	for i := range queues {
		name := []string{"note", "mail", "clock"}[r.IntN(3)]
		args := arguments(r, way == byIndex)
		calls = append(calls, name+" "+args)
		if args == "{}" && r.IntN(2) == 0 && way == byIndex {
			args = ""
		}
		queues[i] = []string{}
		for k, part := range parts(r, args, way != byEnd && late) {
			var of []string
			switch {
			case way == byIndex:
				of = append(of, fmt.Sprintf(`"index":%d`, i))
			case index:
				of = append(of, `"index":0`)
			}
			if way == byID || way == byIndex && named && (k == 0 || repeats) {
				of = append(of, fmt.Sprintf(`"id":"id_%d"`, i))
			} else if r.IntN(4) == 0 {
				of = append(of, `"id":null`)
			}
			function := `"arguments":` + string(part)
			if first := way != byEnd && late; k == 0 && !first || k == 1 && first {
				function += fmt.Sprintf(`,"name":%q`, name)
			}
			queues[i] = append(queues[i], piece(strings.Join(of, ","), function))
		}
	}
	for len(queues) > 0 {
		at := 0
		if way != byEnd {
			at = r.IntN(len(queues))
		}
		stream = append(stream, queues[at][0])
		if queues[at] = queues[at][1:]; len(queues[at]) == 0 {
			queues = slices.Delete(queues, at, at+1)
		}
		if r.IntN(5) == 0 {
			stream = append(stream, []string{`"content":"\n"`, `"content":"so"`, `"reasoning":"hm"`, `"content":null`}[r.IntN(4)])
		}
	}
	return calls, stream
}

// arguments are an object, which may be one without members.
func arguments(r *rand.Rand, bare bool) string {
	if bare && r.IntN(4) == 0 {
		return "{}"
	}
	return []string{`{"n":1}`, `{ "n" : [ {}, [] , "}" ] }`, `{"text":"a \"quote\" \\"}`, `{"a":{"b":{"c":null}}, "é": "]"}`}[r.IntN(4)]
}

// parts cuts arguments into the JSON of strings, the first of which may have to be empty.
func parts(r *rand.Rand, args string, empty bool) (list [][]byte) {
	if empty {
		list = append(list, []byte(`""`))
	}
	runes := []rune(args)
	for first := true; first || len(runes) > 0; first = false {
		n := min(len(runes), r.IntN(5))
		if !first {
			n = max(n, 1)
		}
		text, err := json.Marshal(string(runes[:n]))
		if err != nil {
			panic(err)
		}
		list, runes = append(list, text), runes[n:]
	}
	return list
}
