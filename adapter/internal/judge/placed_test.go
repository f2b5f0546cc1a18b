package judge

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/internal/responseschema"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// written are messages as "u:hi a:hello", each word one; an id may stand before, as in
// "m1/u:hi". c:K is a call and t:K its result, a:text+K a text with a call.
func written(t *testing.T, of string, ids bool) (list []string) {
	t.Helper()
	roles := map[string]string{"u": "user", "a": "assistant", "s": "system", "r": "reasoning", "c": "assistant", "t": "tool"}
	for i, word := range strings.Fields(of) {
		id, rest, has := strings.Cut(word, "/")
		if !has {
			id, rest = "", word
		}
		if ids && id == "" {
			id = fmt.Sprint("h", i)
		}
		kind, text, _ := strings.Cut(rest, ":")
		text, call, calls := strings.Cut(text, "+")
		m := map[string]any{"role": roles[kind], "content": text}
		if roles[kind] == "" {
			t.Fatalf("%s is no message", word)
		}
		switch kind {
		case "c":
			text, call, calls = "", text, true
			delete(m, "content")
		case "t":
			m["toolCallId"], m["content"] = text, "did "+text
		}
		if calls {
			m["toolCalls"] = []any{map[string]any{"id": call, "type": "function", "function": map[string]any{"name": "f", "arguments": "{}"}}}
		}
		if id != "" {
			m["id"] = id
		}
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(data))
	}
	return list
}

func unnamedInput(t *testing.T, run string, messages []string) *protocol.RunAgentInput {
	t.Helper()
	input, err := protocol.DecodeInput(fmt.Appendf(nil, `{"threadId":"t","runId":%q,"messages":[%s]}`, run, strings.Join(messages, ",")))
	if err != nil {
		t.Fatal(err)
	}
	return Named(input)
}

// judgedWords is what becomes of an input: what is new says what it says.
func judgedWords(t *testing.T, view *store.ThreadView, input *protocol.RunAgentInput) string {
	t.Helper()
	digest, err := InputDigest(key, input)
	if err != nil {
		t.Fatal(err)
	}
	judged, err := Read(t.Context(), shown{view}, nil, new(responseschema.Set), key, input)
	if err != nil {
		t.Fatal(err)
	}
	v, err := judged.Judge(t.Context(), "", digest)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range v.Fresh {
		if v.Fresh[i].ID = string(m.Role[:1]) + ":" + m.Content.String(); len(m.ToolCalls) > 0 {
			v.Fresh[i].ID += "+" + m.ToolCalls[0].ID
		}
	}
	words := told(v)
	if v.Behind {
		words += ", behind"
	}
	return words
}

// Messages without ids are found in the thread by their place and by what they say: nothing
// of a repeated history is new, whoever trims it, and nothing is taken back but by who goes
// back.
func TestMessagesWithoutIDs(t *testing.T) {
	for name, c := range map[string]struct{ held, sent, want string }{
		"the first":        {"", "u:hi", "begins, u:hi"},
		"a history":        {"u:hi a:hello", "u:hi a:hello u:bye", "begins, u:bye"},
		"only what is new": {"u:hi a:hello", "u:bye", "begins, u:bye"},
		"the same again, by who sends what is new": {"u:go a:ok", "u:go", "begins, u:go"},
		"the same again, with the history":         {"u:go a:ok", "u:go a:ok u:go", "begins, u:go"},
		"and again":                                {"u:go a:ok u:go a:ok", "u:go a:ok u:go a:ok u:go", "begins, u:go"},
		"and again, trimmed":                       {"u:go a:ok u:go a:ok u:go a:ok", "u:go a:ok u:go", "begins, u:go"},
		"two equal ones in a row":                  {"u:go u:go a:ok", "u:go u:go a:ok u:x", "begins, u:x"},
		"the second of them":                       {"u:go", "u:go u:go", "begins, u:go"},
		"what nobody answered, again":              {"u:hi a:hello u:go", "u:go", "begins"},
		"with its history":                         {"u:hi a:hello u:go", "u:hi a:hello u:go", "begins"},
		"and more":                                 {"u:hi a:hello u:go", "u:hi a:hello u:go u:on", "begins, u:on"},
		"the first of what nobody answered":        {"u:a u:b", "u:a", "begins, u:a"},
		"a history without its front":              {"u:a a:b u:c a:d", "u:c a:d u:e", "begins, u:e"},
		"without a question":                       {"u:a a:b u:c a:d", "a:d u:e", "begins, u:e"},
		"with a summary in place of its front":     {"u:a a:b u:c a:d", "a:sum u:c a:d u:e", "begins, a:sum, u:e"},
		"with that summary again":                  {"u:a a:b u:c a:d a:sum u:e a:f", "a:sum u:c a:d u:e a:f u:g", "begins, u:g"},
		"an edited last message":                   {"u:a a:b u:c a:d", "u:a a:b u:x", "begins, keeps 2, u:x"},
		"an edit beside an earlier one like it":    {"u:a a:b u:a a:c", "u:a a:b u:x", "begins, keeps 2, u:x"},
		"an edit that may be a trimmed history":    {"u:a a:b u:a a:b", "u:a a:b u:x", "begins, u:x"},
		"the last answer anew":                     {"u:a a:b u:c a:d", "u:a a:b u:c", "begins, keeps 3"},
		"half an answer":                           {"u:a a:hello", "u:a a:hel u:b", "begins, u:b, behind"},
		"half an answer in the history":            {"u:a a:hello u:b a:c", "u:a a:hel u:b a:c u:d", "begins, u:d, behind"},
		"an answer that nobody gave":               {"u:a a:b", "u:a a:x u:c", "begins, keeps 1, a:x, u:c"},
		"a conversation of elsewhere":              {"", "u:a a:b u:c", "begins, u:a, a:b, u:c"},
		"an instruction in front":                  {"s:be u:a a:b", "s:be u:a a:b u:c", "begins, u:c"},
		"an instruction each time":                 {"s:be u:a a:b", "s:be u:c", "begins, u:c"},
		"another instruction":                      {"s:be u:a a:b", "s:do u:a a:b u:c", "begins, s:do, u:c"},
		"a call":                                   {"u:a c:k t:k a:b", "u:a c:k t:k a:b u:c", "begins, u:c"},
		"a call that is answered":                  {"u:a c:k", "u:a c:k t:k", "begins, t:did k"},
		"a call of elsewhere":                      {"u:a a:b", "u:a a:b c:k u:c", "begins, a:+k, u:c"},
		"a text with the call, told apart":         {"u:a a:so c:k t:k a:b", "u:a a:so+k t:k a:b u:c", "begins, u:c"},
		"a text apart from the call":               {"u:a a:so+k t:k a:b", "u:a a:so c:k t:k a:b u:c", "begins, u:c"},
		"no calls at all":                          {"u:a c:k t:k a:b", "u:a a:b u:c", "begins, u:c"},
		"reasoning":                                {"u:a r:hm a:b", "u:a r:hm a:b u:c", "begins, u:c"},
		"nothing that was said":                    {"u:a a:b", "u:a a: a:b u:c", "begins, u:c"},
		"answers with ids":                         {"u:a a:b u:c a:d", "u:a h1/a:b u:c h3/a:d u:e", "begins, u:e"},
		"users with ids":                           {"u:a a:b u:c a:d", "h0/u:a a:b h2/u:c a:d n/u:e", "begins, u:e"},
		"an id that is not there":                  {"u:a a:b", "u:a a:b x/u:a", "begins, u:a"},
		"an edit under an id beside none":          {"u:a a:b u:c a:d", "u:a a:b h2/u:x", "begins, keeps 2, u:x"},
	} {
		t.Run(name, func(t *testing.T) {
			input := unnamedInput(t, "r", written(t, c.sent, false))
			if got := judgedWords(t, thread(written(t, c.held, true)...), input); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// What is sent again is a repeat, whatever the thread has come to since; in another run it
// is not. What waits in the queue is known there.
func TestRepeatsWithoutIDs(t *testing.T) {
	for name, c := range map[string]struct{ held, sent, since, run, want string }{
		"a message":                   {"", "u:hi", "a:hello", "r", "repeats r0"},
		"with its history":            {"u:a a:b", "u:a a:b u:c", "a:d u:e a:f", "r", "repeats r0"},
		"before it is answered":       {"u:a a:b", "u:c", "", "r", "repeats r0"},
		"the same words as before":    {"u:go a:ok", "u:go", "a:ok", "r", "repeats r0"},
		"the same words in a new run": {"u:go a:ok", "u:go", "a:ok", "s", "begins, u:go"},
		"what went on unanswered":     {"u:go", "u:go", "a:ok", "r", "repeats r0"},
	} {
		t.Run(name, func(t *testing.T) {
			sent := written(t, c.sent, false)
			input := unnamedInput(t, "r", sent)
			held := written(t, c.held, true)
			judged, err := Read(t.Context(), shown{thread(held...)}, nil, new(responseschema.Set), key, input)
			if err != nil {
				t.Fatal(err)
			}
			digest, err := InputDigest(key, input)
			if err != nil {
				t.Fatal(err)
			}
			v, err := judged.Judge(t.Context(), "", digest)
			if err != nil {
				t.Fatal(err)
			}
			record := store.RunRecord{Label: "r", Digest: digest}
			judged.Brought(&record)
			for _, m := range v.Fresh {
				data, err := m.MarshalJSON()
				if err != nil {
					t.Fatal(err)
				}
				held = append(held, string(data))
			}
			for i, m := range written(t, c.since, false) {
				held = append(held, strings.Replace(m, "{", fmt.Sprintf(`{"id":"since%d",`, i), 1))
			}
			after := thread(held...)
			if c.run == "r" {
				data, err := json.Marshal(record)
				if err != nil {
					t.Fatal(err)
				}
				after.Labelled = []store.RunState{{ID: "r0", Record: data}}
			}
			if got := judgedWords(t, after, unnamedInput(t, c.run, sent)); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
	queue := func(words string) *store.ThreadView {
		view := active(thread(written(t, "u:a", true)...))
		record := store.RunRecord{Label: "q"}
		for _, m := range unnamedInput(t, "q", written(t, words, false)).Messages {
			record.Messages = append(record.Messages, m.ID)
		}
		data, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		view.Queue = []store.QueuedRun{{ID: "q0", Record: data}}
		return view
	}
	for sent, want := range map[string]string{"u:a u:b u:c": "u:c", "u:b": "", "u:c": "u:c", "u:a u:c": "u:c"} {
		judged, err := Read(t.Context(), shown{queue("u:b")}, nil, new(responseschema.Set), key, unnamedInput(t, "r", written(t, sent, false)))
		if err != nil {
			t.Fatal(err)
		}
		var fresh []string
		for _, m := range judged.freshMessages(judged.queuedMessages()) {
			fresh = append(fresh, "u:"+m.Content.String())
		}
		if got := strings.Join(fresh, " "); got != want {
			t.Errorf("%s behind a queued message: %q is new, want %q", sent, got, want)
		}
	}
}

// An id follows from the run, the place and the words, and from nothing else.
func TestGivenIDs(t *testing.T) {
	ids := func(run, words string) (ids []string) {
		for _, m := range unnamedInput(t, run, written(t, words, false)).Messages {
			if !strings.HasPrefix(m.ID, givenPrefix) || !isGiven(m) {
				t.Errorf("%s has id %s", words, m.ID)
			}
			ids = append(ids, m.ID)
		}
		return ids
	}
	first := ids("r", "u:a u:a")
	if again := ids("r", "u:a u:a"); first[0] != again[0] || first[1] != again[1] || first[0] == first[1] {
		t.Errorf("%q, and again %q", first, again)
	}
	for _, other := range []string{ids("s", "u:a")[0], ids("r", "u:b")[0], ids("r", "s:a")[0]} {
		if other == first[0] {
			t.Errorf("%s is given twice", other)
		}
	}
	kept := &protocol.RunAgentInput{RunID: "r", Messages: protocol.Messages{{ID: "m", Role: protocol.RoleUser}}}
	if Named(kept) != kept {
		t.Error("an input with ids is another")
	}
}
