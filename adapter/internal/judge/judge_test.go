package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/responseschema"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// shown is a thread as it is read, whatever is asked of it.
type shown struct{ *store.ThreadView }

func (s shown) Read(context.Context, store.ThreadKey, store.ReadQuery) (*store.ThreadView, error) {
	return s.ThreadView, nil
}

var (
	key = store.ThreadKey{Namespace: "n", Thread: "t"}
	now = time.UnixMilli(1_000_000)
)

// thread is a view of one that holds these messages.
func thread(messages ...string) *store.ThreadView {
	view := &store.ThreadView{Thread: key, Now: now, Answers: map[string]json.RawMessage{}}
	for _, m := range messages {
		view.Snapshot.Messages = append(view.Snapshot.Messages, json.RawMessage(m))
	}
	return view
}

// asks suspends the view's thread with these interrupts.
func asks(view *store.ThreadView, items ...store.SuspendedInterrupt) *store.ThreadView {
	return asksFor(view, `{"type":"object","required":["approved"]}`, items...)
}

// asksFor does so for answers of a schema.
func asksFor(view *store.ThreadView, schema string, items ...store.SuspendedInterrupt) *store.ThreadView {
	for i := range items {
		items[i].Interrupt = json.RawMessage(fmt.Sprintf(`{"id":%q,"reason":"confirmation","responseSchema":%s}`, items[i].ID, schema))
	}
	view.Suspension, _ = json.Marshal(store.Suspension{Execution: "x", RunID: "r0", Label: "asked", Items: items})
	return view
}

// answered says that the interrupt was answered so by a run that ended in such an event.
func answered(t *testing.T, view *store.ThreadView, id, entry, end string) *store.ThreadView {
	t.Helper()
	var e protocol.ResumeEntry
	if err := json.Unmarshal([]byte(entry), &e); err != nil {
		t.Fatal(err)
	}
	resume, err := resumeKey(key, e)
	if err != nil {
		t.Fatal(err)
	}
	d := store.Answer{Key: resume, RunID: "r1", Label: "answered", At: 7}
	view.Answers[id], _ = json.Marshal(d)
	view.Run = &store.RunState{ID: "r1", Terminal: json.RawMessage(end)}
	return view
}

// archived says that the message was taken out of the view's thread once.
func archived(view *store.ThreadView, id string) *store.ThreadView {
	view.Archived = map[string]bool{id: true}
	return view
}

func active(view *store.ThreadView) *store.ThreadView {
	view.Active = &store.RunState{ID: "r2"}
	return view
}

// began says that an input of such messages began run r1 under the label that inputs here have.
func began(t *testing.T, view *store.ThreadView, messages ...string) *store.ThreadView {
	t.Helper()
	input, err := protocol.DecodeInput([]byte(fmt.Sprintf(`{"threadId":"t","runId":"label","messages":[%s]}`, strings.Join(messages, ","))))
	if err != nil {
		t.Fatal(err)
	}
	judged, err := Read(t.Context(), shown{thread()}, nil, new(responseschema.Set), key, input)
	if err != nil {
		t.Fatal(err)
	}
	record := store.RunRecord{Label: "label"}
	if record.Digest, err = InputDigest(key, input); err != nil {
		t.Fatal(err)
	}
	judged.Brought(&record)
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	view.Labelled = append(view.Labelled, store.RunState{ID: fmt.Sprint("r", len(view.Labelled)+1), Record: text})
	return view
}

// told is a verdict in words.
func told(v Verdict) string {
	switch {
	case v.Refusal != nil:
		return "refused: " + v.Refusal.Code
	case v.Repeats != nil:
		return "repeats " + v.Repeats.ID
	case v.Queue:
		return "queued"
	case v.Supersede:
		return "supersedes"
	}
	var words []string
	switch {
	case v.Steer:
		words = append(words, "steers")
	case v.Continues != nil:
		words = append(words, "continues")
	default:
		words = append(words, "begins")
	}
	if v.Rewinds {
		words = append(words, fmt.Sprint("keeps ", v.Keep))
	}
	for _, m := range v.Fresh {
		words = append(words, m.ID)
	}
	for _, d := range v.Decisions {
		words = append(words, d.InterruptID+" "+string(d.Status))
	}
	if v.Deadline != 0 {
		words = append(words, fmt.Sprint("by ", v.Deadline))
	}
	return strings.Join(words, ", ")
}

func TestJudge(t *testing.T) {
	const (
		one         = `{"id":"m1","role":"user","content":"one"}`
		two         = `{"id":"m2","role":"assistant","content":"two"}`
		three       = `{"id":"m3","role":"user","content":"three"}`
		later       = `{"id":"m4","role":"user","content":"four"}`
		edited      = `{"id":"m1","role":"user","content":"won"}`
		fourth      = `{"id":"m3","role":"user","content":"four"}`
		other       = `{"id":"m2","role":"assistant","content":"too"}`
		empties     = `{"id":"m1","role":"user","content":""}`
		parts       = `{"id":"m1","role":"user","content":[{"type":"text","text":"o"},{"type":"text","text":"ne"}]}`
		drawn       = `{"id":"m1","role":"user","content":[{"type":"text","text":"one"},{"type":"image","source":{"type":"url","value":"https://a/1"}}]}`
		redrawn     = `{"id":"m1","role":"user","content":[{"type":"text","text":"one"},{"type":"image","source":{"type":"url","value":"https://a/2"}}]}`
		undrawn     = `{"id":"m1","role":"user","content":"one"}`
		system      = `{"id":"s","role":"system","content":"it is Monday"}`
		dated       = `{"id":"s","role":"system","content":"it is Tuesday"}`
		yes         = `{"interruptId":"i","status":"resolved","payload":{"approved":true}}`
		no          = `{"interruptId":"i","status":"resolved","payload":{"approved":false}}`
		nothing     = `{"interruptId":"i","status":"cancelled"}`
		empty       = `{"interruptId":"i","status":"resolved","payload":{}}`
		alsoYes     = `{"interruptId":"j","status":"resolved","payload":{"approved":true}}`
		even        = `{"interruptId":"i","status":"resolved","payload":9007199254740992}`
		odd         = `{"interruptId":"i","status":"resolved","payload":9007199254740993}`
		oddToo      = `{"interruptId":"i","status":"resolved","payload":9007199254740993.0}`
		huge        = `{"interruptId":"i","status":"resolved","payload":1e400}`
		hugeToo     = `{"interruptId":"i","status":"resolved","payload":10e399}`
		huger       = `{"interruptId":"i","status":"resolved","payload":1e401}`
		finished    = `{"type":"RUN_FINISHED"}`
		failed      = `{"type":"RUN_ERROR"}`
		otherOne    = `{"id":"m1","role":"user","content":"another"}`
		pictured    = `{"id":"m1","role":"user","content":[{"type":"image","source":{"type":"url","value":"https://a/1"}}]}`
		picturedToo = `{"id":"m1","role":"user","content":[{"type":"image","source":{"type":"url","value":"https://a/2"}}]}`
	)
	i, j := store.SuspendedInterrupt{ID: "i"}, store.SuspendedInterrupt{ID: "j"}
	late, soon := i, i
	late.ExpiresAt, soon.ExpiresAt = now.UnixMilli()-1, now.UnixMilli()+5
	for name, c := range map[string]struct {
		view     *store.ThreadView
		busy     Busy
		messages []string
		resume   []string
		cancels  bool // what is open, by a message
		want     string
	}{
		"a message begins a run":                       {view: thread(), messages: []string{one}, want: "begins, m1"},
		"what the thread holds is not new":             {view: thread(one, two), messages: []string{one, two, three}, want: "begins, m3"},
		"a prefix takes the tail back":                 {view: thread(one, two, three), messages: []string{one}, want: "begins, keeps 1"},
		"an edit takes back what follows":              {view: thread(one, two, three), messages: []string{edited}, want: "begins, keeps 0, m1"},
		"so does the last of a history":                {view: thread(one, two, three), messages: []string{one, two, fourth}, want: "begins, keeps 2, m3"},
		"a history is what the edit is in":             {view: thread(one, two, three), messages: []string{edited, two, three, later}, want: "begins, keeps 0, m1, m2, m3, m4"},
		"the first edit counts":                        {view: thread(one, two, three), messages: []string{edited, fourth}, want: "begins, keeps 0, m1, m3"},
		"another picture is an edit":                   {view: thread(drawn, two), messages: []string{redrawn}, want: "begins, keeps 0, m1"},
		"the same in parts is none":                    {view: thread(one, two, three), messages: []string{parts, two, three, later}, want: "begins, m4"},
		"a picture that is not told is none":           {view: thread(drawn, two, three), messages: []string{undrawn, two, three, later}, want: "begins, m4"},
		"nothing at all is none":                       {view: thread(one, two, three), messages: []string{empties, two, three, later}, want: "begins, m4"},
		"an answer is not edited":                      {view: thread(one, two, three), messages: []string{one, other, three, later}, want: "begins, m4"},
		"nor is an instruction":                        {view: thread(system, one, two), messages: []string{dated, one, two, later}, want: "begins, m4"},
		"an edit does not go with an answer":           {view: asks(thread(one, two), i), messages: []string{edited, two}, resume: []string{yes}, want: "continues, i resolved"},
		"an edit wants an answer":                      {view: asks(thread(one, two), i), messages: []string{edited}, want: "refused: interrupts_pending"},
		"or turns away":                                {view: asks(thread(one, two), i), messages: []string{edited}, cancels: true, want: "steers, keeps 0, m1, i cancelled"},
		"also from the second question":                {view: archived(asks(thread(one, two), i), "m1"), messages: []string{edited}, cancels: true, want: "steers, keeps 0, m1, i cancelled"},
		"an edit takes the place of a run":             {view: active(thread(one)), busy: BusySupersede, messages: []string{edited}, want: "supersedes"},
		"an input again repeats":                       {view: began(t, thread(one), one), messages: []string{one}, want: "repeats r1"},
		"before its message is there too":              {view: began(t, thread(), one), messages: []string{one}, want: "repeats r1"},
		"without its message too":                      {view: began(t, thread(one, two), one), want: "repeats r1"},
		"not with another text":                        {view: began(t, thread(one, two), one), messages: []string{otherOne}, want: "refused: invalid_input"},
		"nor with another picture":                     {view: began(t, thread(one, two), pictured), messages: []string{picturedToo}, want: "refused: invalid_input"},
		"nor while it waits":                           {view: began(t, active(thread()), one), messages: []string{otherOne}, want: "refused: invalid_input"},
		"an earlier one of the name is the same":       {view: began(t, began(t, thread(one, two), one), otherOne), messages: []string{one}, want: "repeats r1"},
		"a new message is no repeat":                   {view: began(t, thread(one, two), one), messages: []string{one, two, three}, want: "begins, m3"},
		"no messages take nothing back":                {view: thread(one, two), want: "begins"},
		"behind a run it is queued":                    {view: active(thread()), messages: []string{one}, want: "queued"},
		"behind a run it is refused where that is so":  {view: active(thread()), busy: BusyReject, messages: []string{one}, want: "refused: thread_busy"},
		"or takes its place":                           {view: active(thread()), busy: BusySupersede, messages: []string{one}, want: "supersedes"},
		"an open interrupt wants an answer":            {view: asks(thread(), i), messages: []string{one}, want: "refused: interrupts_pending"},
		"an answer continues":                          {view: asks(thread(), i), resume: []string{yes}, want: "continues, i resolved"},
		"a cancelled one too":                          {view: asks(thread(), i), resume: []string{nothing}, want: "continues, i cancelled"},
		"with a message it turns away":                 {view: asks(thread(), i), messages: []string{one}, resume: []string{nothing}, want: "steers, m1, i cancelled"},
		"all are answered or none":                     {view: asks(thread(), i, j), resume: []string{yes}, want: "refused: interrupts_uncovered"},
		"in the order in which they were asked":        {view: asks(thread(), i, j), resume: []string{alsoYes, yes}, want: "continues, i resolved, j resolved"},
		"two entries for one are none":                 {view: asks(thread(), i), resume: []string{yes, yes}, want: "refused: invalid_input"},
		"what was never asked cannot be answered":      {view: asks(thread(), i), resume: []string{yes, alsoYes}, want: "refused: interrupt_unknown"},
		"an answer fits what was asked":                {view: asks(thread(), i), resume: []string{empty}, want: "refused: interrupt_payload_invalid"},
		"what cannot be checked of a schema is not":    {view: asksFor(thread(), `{"minItems":1e30}`, i), resume: []string{yes}, want: "continues, i resolved"},
		"such a question is cancelled":                 {view: asksFor(thread(), `{"minItems":1e30}`, i), resume: []string{nothing}, want: "continues, i cancelled"},
		"an expired one is not resolved":               {view: asks(thread(), late), resume: []string{yes}, want: "refused: interrupt_expired"},
		"an expired one is cancelled":                  {view: asks(thread(), late), resume: []string{nothing}, want: "continues, i cancelled"},
		"one that will expire is answered before that": {view: asks(thread(), soon), resume: []string{yes}, want: "continues, i resolved, by 1000005"},
		"the same answer repeats":                      {view: answered(t, thread(), "i", yes, finished), resume: []string{yes}, want: "repeats r1"},
		"another one does not":                         {view: answered(t, thread(), "i", yes, finished), resume: []string{no}, want: "refused: interrupt_conflict"},
		"nor does a cancelled one":                     {view: answered(t, thread(), "i", yes, finished), resume: []string{nothing}, want: "refused: interrupt_conflict"},
		"unless the run has failed":                    {view: answered(t, thread(), "i", yes, failed), resume: []string{nothing}, want: "repeats r1"},
		"an old answer beside a message is set aside":  {view: answered(t, thread(), "i", yes, finished), messages: []string{one}, resume: []string{yes}, want: "begins, m1"},
		"an old answer beside a new one is set aside":  {view: answered(t, asks(thread(), j), "i", yes, finished), resume: []string{yes, alsoYes}, want: "continues, j resolved"},
		"the same number repeats":                      {view: answered(t, thread(), "i", odd, finished), resume: []string{odd}, want: "repeats r1"},
		"however it is written":                        {view: answered(t, thread(), "i", odd, finished), resume: []string{oddToo}, want: "repeats r1"},
		"another one does not, a double or not":        {view: answered(t, thread(), "i", odd, finished), resume: []string{even}, want: "refused: interrupt_conflict"},
		"either way":                                   {view: answered(t, thread(), "i", even, finished), resume: []string{odd}, want: "refused: interrupt_conflict"},
		"what no double holds repeats":                 {view: answered(t, thread(), "i", huge, finished), resume: []string{hugeToo}, want: "repeats r1"},
		"what no double holds either does not":         {view: answered(t, thread(), "i", huge, finished), resume: []string{huger}, want: "refused: interrupt_conflict"},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf(`{"threadId":"t","runId":"label","messages":[%s],"resume":[%s]}`, strings.Join(c.messages, ","), strings.Join(c.resume, ","))
			input, err := protocol.DecodeInput([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			digest, err := InputDigest(key, input)
			if err != nil {
				t.Fatal(err)
			}
			judged, err := Read(t.Context(), shown{c.view}, nil, new(responseschema.Set), key, input)
			if err != nil {
				t.Fatal(err)
			}
			judged.CancelsUnanswered = c.cancels
			verdict, err := judged.Judge(t.Context(), c.busy, digest)
			if err != nil {
				t.Fatal(err)
			}
			if got := told(verdict); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// What an input repeats has its label, and the numbers of its forwardedProps.
func TestInputDigest(t *testing.T) {
	of := func(text string) string {
		t.Helper()
		input, err := protocol.DecodeInput([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		d, err := InputDigest(key, input)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	input := func(resume, props string) string {
		return fmt.Sprintf(`{"threadId":"t","runId":"l","messages":[],"resume":[%s],"forwardedProps":%s}`, resume, props)
	}
	const odd, even = `{"interruptId":"i","status":"resolved","payload":9007199254740993}`, `{"interruptId":"i","status":"resolved","payload":9007199254740992}`
	first := of(input(odd, `{"n":9007199254740993}`))
	for text, same := range map[string]bool{
		input(odd, `{"n":9007199254740993.0}`): true,
		input(odd, `{"n":9007199254740992}`):   false,
		input(even, `{"n":9007199254740993}`):  false,
	} {
		if d := of(text); (d == first) != same {
			t.Errorf("%s: %s and %s", text, d, first)
		}
	}
}

// A frontend that reads numbers as doubles is recognised, and what the thread holds
// stays as it is.
func TestRecognisedByDoubles(t *testing.T) {
	const (
		held    = `{"id":"m1","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"pay","arguments":"{\"account\":9007199254740993}"}}]}`
		rounded = `{"id":"x","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"pay","arguments":"{\"account\":9007199254740992}"}}]}`
		other   = `{"id":"x","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"pay","arguments":"{\"account\":9007199254740994}"}}]}`
	)
	for sent, want := range map[string]string{rounded: "m1", other: "x"} {
		input, err := protocol.DecodeInput([]byte(`{"threadId":"t","runId":"l","messages":[` + sent + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		judged, err := Read(t.Context(), shown{thread(held)}, nil, new(responseschema.Set), key, input)
		if err != nil {
			t.Fatal(err)
		}
		if got := judged.Input.Messages[0]; got.ID != want || want == "m1" && !strings.Contains(got.ToolCalls[0].Function.Arguments, "993") {
			t.Errorf("%s was taken for %+v", sent, got)
		}
	}
}
