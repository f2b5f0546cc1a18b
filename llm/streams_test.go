package llm

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/llm/chat"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
	"github.com/aguiws/aguiws/protocol/order"
)

// told gathers events, and holds them to the order and the fold of clients.
type told struct {
	t      *testing.T
	ids    int
	order  order.Sequence
	fold   *fold.Fold
	events []string
}

func newTold(t *testing.T) *told {
	to := &told{t: t, fold: fold.New(nil, nil)}
	if err := to.Emit(&protocol.RunStarted{ThreadID: "t", RunID: "r"}); err != nil {
		t.Fatal(err)
	}
	return to
}

func (to *told) NewID() string {
	to.ids++
	return fmt.Sprintf("id-%d", to.ids)
}

func (to *told) Emit(events ...protocol.Event) error {
	for _, e := range events {
		if err := to.order.Check(e); err != nil {
			to.t.Fatalf("%v, behind %v", err, to.events)
		}
		if err := to.fold.Apply(e); err != nil {
			to.t.Fatal(err)
		}
		to.events = append(to.events, string(e.Type()))
	}
	return nil
}

// said is what a client holds in the end: calls in their order, and text.
func (to *told) said() (calls []string, text string) {
	for _, m := range to.fold.Messages() {
		if m.Role == protocol.RoleAssistant {
			text += m.Content.String()
		}
		for _, c := range m.ToolCalls {
			calls = append(calls, c.Function.Name+" "+c.Function.Arguments)
		}
	}
	return calls, text
}

// callsOf are the calls of a turn. Clients have to have the same ones.
func callsOf(t *testing.T, got turn, to *told) []string {
	t.Helper()
	var calls []string
	for _, c := range got.Calls {
		calls = append(calls, c.Name+" "+c.Arguments)
	}
	if shown, _ := to.said(); !slices.Equal(shown, calls) {
		t.Errorf("clients have %q, the agent %q", shown, calls)
	}
	if err := to.Emit(&protocol.RunFinished{ThreadID: "t", RunID: "r", Outcome: &protocol.RunOutcome{Type: protocol.OutcomeSuccess}}); err != nil {
		t.Error(err)
	}
	return calls
}

// recorded is an endpoint that answers by one stream.
type recorded string

func (r recorded) RoundTrip(q *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 200, Request: q, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(string(r))),
	}, nil
}

// streamOf is a stream of deltas with an end.
func streamOf(finish string, deltas ...string) recorded {
	var b strings.Builder
	for _, d := range deltas {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":null}]}\n\n", d)
	}
	fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", finish)
	return recorded(b.String())
}

// piece is a piece of a tool call: the members before its function, the function's.
func piece(of, function string) string {
	if of != "" {
		of += ","
	}
	return `"tool_calls":[{` + of + `"function":{` + function + `}}]`
}

func TestToolCallsAreStreamedInManyWays(t *testing.T) {
	const (
		name = `"name":"note"`
		open = `"arguments":"{\"n\":"`
		ends = `"arguments":"1}"`
		all  = `"arguments":"{\"n\":1}"`
		also = `"arguments":"{\"n\":2}"`
		none = `"arguments":""`
		one  = `note {"n":1}`
		two  = `note {"n":2}`
	)
	for _, c := range []struct {
		form   string
		deltas []string
		calls  []string
		text   string
		fails  string // in the detail of the failure
	}{
		{"OpenAI's", []string{
			piece(`"index":0,"id":"a","type":"function"`, name+","+none), piece(`"index":0`, open), piece(`"index":0`, ends),
			piece(`"index":1,"id":"b","type":"function"`, name+","+none), piece(`"index":1`, also),
		}, []string{one, two}, "", ""},
		{"by turns", []string{
			piece(`"index":0,"id":"a"`, name+","+open), piece(`"index":1,"id":"b"`, name+","+open),
			piece(`"index":0`, ends), piece(`"index":1`, `"arguments":"2}"`),
		}, []string{one, two}, "", ""},
		{"two calls in one piece", []string{
			`"tool_calls":[{"index":0,"id":"a","function":{` + name + `,` + open + `}},{"index":1,"id":"b","function":{` + name + `,` + also + `}}]`,
			piece(`"index":0`, ends),
		}, []string{one, two}, "", ""},
		{"one index, ids by turns", []string{
			piece(`"index":0,"id":"a"`, name+","+open), piece(`"index":0,"id":"b"`, name+","+open),
			piece(`"index":0,"id":"a"`, ends), piece(`"index":0,"id":"b"`, `"arguments":"2}"`),
		}, []string{one, two}, "", ""},
		{"one index, an id each", []string{piece(`"index":0,"id":"a"`, name+","+all), piece(`"index":0,"id":"b"`, name+","+also)}, []string{one, two}, "", ""},
		{"one id, an index each", []string{piece(`"index":0,"id":"a"`, name+","+all), piece(`"index":1,"id":"a"`, name+","+also)}, []string{one, two}, "", ""},
		{"no ids, one index", []string{piece(`"index":0`, name+","+all), piece(`"index":0`, name+","+also)}, []string{one, two}, "", ""},
		{"no ids, no index", []string{piece("", name+","+all), piece("", name+","+also)}, []string{one, two}, "", ""},
		{"no ids, no index, in pieces", []string{
			piece("", name+","+none), piece("", open), piece("", ends), piece("", name+","+none), piece("", also),
		}, []string{one, two}, "", ""},
		{"no ids, no index, equal calls", []string{piece("", name+","+all), piece("", name+","+all)}, []string{one, one}, "", ""},
		{"null id and index", []string{piece(`"index":null,"id":null`, name+","+all), piece(`"index":null,"id":null`, name+","+also)}, []string{one, two}, "", ""},
		{"null name and arguments", []string{
			piece(`"index":0,"id":"a"`, name+`,"arguments":null`), piece(`"index":0,"id":null`, `"name":null,`+open), piece(`"index":0`, `"name":"",`+ends),
		}, []string{one}, "", ""},
		{"a new id with each piece", []string{
			piece(`"index":0,"id":"a"`, name+","+open), piece(`"index":0,"id":"b"`, `"arguments":"1"`), piece(`"index":0,"id":"c"`, `"arguments":"}"`),
		}, []string{one}, "", ""},
		{"a new id and the name with each piece", []string{
			piece(`"index":0,"id":"a"`, name+","+open), piece(`"index":0,"id":"b"`, name+","+ends),
		}, []string{one}, "", ""},
		{"the name with each piece", []string{piece(`"index":0`, name+","+open), piece(`"index":0`, name+","+ends)}, []string{one}, "", ""},
		{"id and name with each piece", []string{piece(`"index":0,"id":"a"`, name+","+none), piece(`"index":0,"id":"a"`, name+","+open), piece(`"index":0,"id":"a"`, name+","+ends)}, []string{one}, "", ""},
		{"the name late", []string{piece(`"index":0,"id":"a"`, none), piece(`"index":0`, name+","+none), piece(`"index":0`, all)}, []string{one}, "", ""},
		{"id and name late", []string{piece(`"index":0`, `"arguments":""`), piece(`"index":0,"id":"a"`, name), piece(`"index":0`, all)}, []string{one}, "", ""},
		{"arguments before the name", []string{piece(`"index":0,"id":"a"`, open), piece(`"index":0`, name), piece(`"index":0`, ends)}, []string{one}, "", ""},
		{"the index with the first piece alone", []string{piece(`"index":0,"id":"a"`, name), piece("", open), piece("", ends)}, []string{one}, "", ""},
		{"an id that comes with the second call", []string{
			piece("", name+","+all), piece(`"id":"b"`, none), piece(`"id":"b"`, name), piece(`"id":"b"`, also),
		}, []string{one, two}, "", ""},
		{"an empty piece behind the end", []string{piece(`"index":0,"id":"a"`, name+","+all), piece(`"index":0,"id":"b"`, none)}, []string{one}, "", ""},
		{"the whole call again at the end", []string{piece(`"index":0,"id":"a"`, name+","+open), piece(`"index":0,"id":"a"`, ends), piece(`"index":0,"id":"a"`, name+","+all)}, []string{one}, "", ""},
		{"arguments as an object", []string{piece(`"index":0,"id":"a"`, name+`,"arguments":{"n":1}`), piece(`"index":1,"id":"b"`, name+`,"arguments":{}`)}, []string{one, "note {}"}, "", ""},
		{"no arguments", []string{piece(`"index":0,"id":"a"`, name), piece(`"index":1,"id":"b"`, `"name":"clock",`+none), piece(`"index":2,"id":"c"`, name+","+all)}, []string{"note {}", "clock {}", one}, "", ""},
		{"brackets and quotes in strings", []string{
			piece(`"index":0`, name+`,"arguments":"{\"s\":\"}\\\""`), piece(`"index":0`, `"arguments":"{\",\"l\":[{}]"`), piece(`"index":0`, `"arguments":"}"`), piece(`"index":0`, name+","+all),
		}, []string{`note {"s":"}\"{","l":[{}]}`, one}, "", ""},
		{"a line break in a call", []string{piece(`"index":0,"id":"a"`, name+","+open), `"content":"\n"`, piece(`"index":0`, ends)}, []string{one}, "\n", ""},
		{"text around and in calls", []string{
			`"content":"A"`, piece(`"index":0,"id":"a"`, name+","+open), `"content":"B"`, piece(`"index":1,"id":"b"`, name+","+open),
			`"content":"C"`, `"reasoning":"hm"`, piece(`"index":0`, ends), `"content":"D"`, piece(`"index":1`, `"arguments":"2}"`), `"content":"E"`,
		}, []string{one, two}, "ABCDE", ""},
		{"text in a piece", []string{`"content":"A",` + piece(`"index":0,"id":"a"`, name+","+open), `"content":"",` + piece(`"index":0`, ends)}, []string{one}, "A", ""},
		{"content in parts", []string{
			`"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]`, `"content":[{"type":"text","text":"A"},{"type":"text","text":"B"},{"type":"reference","reference_ids":[1]}]`,
			`"content":null,` + piece("", name+","+all),
		}, []string{one}, "AB", ""},
		{"function_call", []string{`"function_call":{` + name + `,` + none + `}`, `"function_call":{` + open + `}`, `"function_call":{` + ends + `}`}, []string{one}, "", ""},

		{"both ways at once", []string{`"function_call":{` + name + `,` + all + `}`, piece(`"index":0,"id":"a"`, name+","+all)}, nil, "", "both tool_calls and a function_call"},
		{"never a name", []string{piece(`"index":0,"id":"a"`, all)}, nil, "", "has no name"},
		{"never a call", []string{`"content":"I call."`}, nil, "", "no tool call has come"},
		{"a name twice, no ids", []string{piece(`"index":0`, name+","+none), piece(`"index":0`, name+","+none)}, nil, "", "one tool call or two"},
		{"a name behind a whole call, no ids", []string{piece(`"index":0`, name+","+all), piece(`"index":0`, name+","+none)}, nil, "", "one tool call or two"},
		{"a name twice, arguments that are no object", []string{piece(`"index":0`, name+`,"arguments":"null"`), piece(`"index":0`, name+`,"arguments":"null"`)}, nil, "", "one tool call or two"},
		{"a name with and without arguments", []string{piece(`"index":0,"id":"a"`, name+","+none), piece(`"index":0,"id":"b"`, name+","+all)}, nil, "", "one tool call or two"},
		{"two calls by turns, no ids, one index", []string{piece(`"index":0`, name+","+open), piece(`"index":0`, name+","+all), piece(`"index":0`, ends)}, nil, "", "that has not ended"},
		{"two tools by turns, no ids, one index", []string{piece(`"index":0`, name+","+open), piece(`"index":0`, `"name":"clock",`+none)}, nil, "", "that has not ended"},
		{"an id with two names", []string{piece(`"index":0,"id":"a"`, name+","+open), piece(`"index":0,"id":"a"`, `"name":"clock",`+ends)}, nil, "", "two names"},
		{"an id with two arguments", []string{piece(`"index":0,"id":"a"`, name+","+all), piece(`"index":0,"id":"a"`, name+","+also)}, nil, "", "after their end"},
		{"more behind the end", []string{piece(`"index":0,"id":"a"`, name+","+all), piece(`"index":0`, ends)}, nil, "", "after their end"},
		{"an id that comes back", []string{piece(`"index":0,"id":"a"`, name+","+open), piece(`"index":0,"id":"b"`, `"arguments":"{"`), piece(`"index":0,"id":"a"`, ends)}, nil, "", "comes back"},
		{"one of two calls without an end", []string{piece(`"index":0,"id":"a"`, name+","+open), piece(`"index":0,"id":"b"`, name+","+all)}, nil, "", "have no end"},
		{"an index that is a text", []string{piece(`"index":"first"`, name+","+all)}, nil, "", "index"},
	} {
		t.Run(c.form, func(t *testing.T) {
			agent, err := New(Options{Model: "m", Client: &http.Client{Transport: streamOf("tool_calls", c.deltas...)}})
			if err != nil {
				t.Fatal(err)
			}
			to := newTold(t)
			got, err := agent.ask(context.Background(), to, chat.Request{})
			if err != nil {
				t.Fatal(err)
			}
			calls := callsOf(t, got, to)
			if c.fails != "" {
				if got.Failure == nil || got.Failure.Code != CodeTruncated || !strings.Contains(got.Failure.Detail, c.fails) {
					t.Errorf("failed by %+v, calls %q", got.Failure, calls)
				}
				return
			}
			if got.Failure != nil || !slices.Equal(calls, c.calls) || got.Text != c.text {
				t.Errorf("calls %q, text %q, failure %+v", calls, got.Text, got.Failure)
			}
			if _, text := to.said(); text != c.text {
				t.Errorf("clients have the text %q", text)
			}
		})
	}
}
