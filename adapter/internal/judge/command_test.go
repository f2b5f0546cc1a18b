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

// An answer that came as a command is an entry for what it answers, and is judged as one.
// What answers nothing stays what it was.
func TestCommand(t *testing.T) {
	const (
		approval = `{"type":"object","properties":{"approved":{"type":"boolean"}},"required":["approved"]}`
		words    = `{"type":"string"}`
		yes      = `{"interruptId":"i","status":"resolved","payload":{"approved":true}}`
		decided  = `{"interruptId":"i","status":"resolved","payload":{"decisions":[{"type":"approve"}]}}`
		said     = `{"id":"u","role":"user","content":"pay"}`
		asked    = `{"id":"a","role":"assistant","content":"A?"}`
		next     = `{"id":"b","role":"assistant","content":"B?"}`
	)
	i, j := store.SuspendedInterrupt{ID: "i"}, store.SuspendedInterrupt{ID: "j"}
	one := func() *store.ThreadView { return asksFor(thread(), approval, i) }
	both := func() *store.ThreadView { return asksFor(thread(), approval, i, j) }
	bare := func() *store.ThreadView {
		view := asks(thread(), i)
		view.Suspension = json.RawMessage(strings.ReplaceAll(string(view.Suspension), `"responseSchema":`, `"ignored":`))
		return view
	}
	// listing is a question without a schema, of another reason, with these answers.
	listing := func(answers string) *store.ThreadView {
		view := bare()
		view.Suspension = json.RawMessage(strings.ReplaceAll(string(view.Suspension), `"reason":"confirmation"`, `"reason":"langgraph:interrupt","metadata":{"answers":`+answers+`}`))
		return view
	}
	const (
		truths   = `[{"label":"Yes","payload":true},{"label":"No","payload":false}]`
		reviewed = `[{"label":"Approve","payload":{"decisions":[{"type":"approve"}]}},{"label":"Reject","payload":{"decisions":[{"type":"reject"}]}}]`
		colours  = `[{"label":"Red","payload":1},{"label":"Blue","payload":2}]`
	)
	listed := func(answers string) string {
		return `"interruptEvent":{"id":"i","metadata":{"answers":` + answers + `}}`
	}
	const ofI, ofBoth = `"interruptEvent":{"id":"i","reason":"confirmation"}`, `"interruptEvent":{"id":"i","interrupts":[{"id":"i"},{"id":"j"}]}`
	for name, c := range map[string]struct {
		view   *store.ThreadView
		sent   string // messages
		props  string
		want   string
		answer string // to the first
	}{
		"with what was shown":                  {view: one(), props: `{"command":{"resume":{"approved":true},` + ofI + `}}`, want: "continues, i resolved", answer: `{"approved":true}`},
		"to the only question":                 {view: one(), props: `{"command":{"resume":{"approved":false}}}`, want: "continues, i resolved", answer: `{"approved":false}`},
		"a truth as approval":                  {view: one(), props: `{"command":{"resume":true}}`, want: "continues, i resolved", answer: `{"approved":true}`},
		"a word as approval":                   {view: one(), props: `{"command":{"resume":" No "}}`, want: "continues, i resolved", answer: `{"approved":false}`},
		"a word where a text is wanted":        {view: asksFor(thread(), words, i), props: `{"command":{"resume":"yes"}}`, want: "continues, i resolved", answer: `"yes"`},
		"a word where nothing is said":         {view: bare(), props: `{"command":{"resume":"yes"}}`, want: "continues, i resolved", answer: `{"approved":true}`},
		"a word under any reason":              {view: listing(`null`), props: `{"command":{"resume":"no"}}`, want: "continues, i resolved", answer: `{"approved":false}`},
		"a word for a truth":                   {view: listing(truths), props: `{"command":{"resume":"No"}}`, want: "continues, i resolved", answer: `false`},
		"a truth that is listed":               {view: listing(truths), props: `{"command":{"resume":true}}`, want: "continues, i resolved", answer: `true`},
		"a word for a decision":                {view: listing(reviewed), props: `{"command":{"resume":"yes"}}`, want: "continues, i resolved", answer: `{"decisions":[{"type":"approve"}]}`},
		"a label":                              {view: listing(reviewed), props: `{"command":{"resume":"reject"}}`, want: "continues, i resolved", answer: `{"decisions":[{"type":"reject"}]}`},
		"a word that is listed":                {view: listing(`[{"label":"yes","payload":"yes"},{"label":"no","payload":"no"}]`), props: `{"command":{"resume":"yes"}}`, want: "continues, i resolved", answer: `"yes"`},
		"a word that none is":                  {view: listing(colours), props: `{"command":{"resume":"yes"}}`, want: "continues, i resolved", answer: `"yes"`},
		"a word that two are":                  {view: listing(`[{"label":"Yes","payload":1},{"label":"Accept","payload":2},{"label":"yes ","payload":3}]`), props: `{"command":{"resume":"yes"}}`, want: "continues, i resolved", answer: `"yes"`},
		"another text":                         {view: listing(truths), props: `{"command":{"resume":"tomorrow"}}`, want: "continues, i resolved", answer: `"tomorrow"`},
		"a text that is an object, no schema":  {view: listing(truths), props: `{"command":{"resume":"{\"day\":1}"}}`, want: "continues, i resolved", answer: `"{\"day\":1}"`},
		"a text that is an object, confirmed":  {view: bare(), props: `{"command":{"resume":"{\"approved\": true}"}}`, want: "continues, i resolved", answer: `{"approved":true}`},
		"a word for a decision, again":         {view: answered(t, thread(), "i", decided, `{"type":"RUN_FINISHED"}`), props: `{"command":{"resume":"yes",` + listed(reviewed) + `}}`, want: "repeats r1"},
		"another word, again":                  {view: answered(t, thread(), "i", decided, `{"type":"RUN_FINISHED"}`), props: `{"command":{"resume":"no",` + listed(reviewed) + `}}`, want: "refused: interrupt_conflict"},
		"text that is the object":              {view: one(), props: `{"command":{"resume":"{\"approved\": true}"}}`, want: "continues, i resolved", answer: `{"approved":true}`},
		"text that is an object twice":         {view: one(), props: `{"command":{"resume":"{\"approved\":1,\"approved\":true}"}}`, want: "refused: interrupt_payload_invalid"},
		"text that is an object too deep":      {view: one(), props: `{"command":{"resume":"{\"approved\":true,\"x\":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}"}}`, want: "refused: interrupt_payload_invalid"},
		"no yes":                               {view: one(), props: `{"command":{"resume":"sure"}}`, want: "refused: interrupt_payload_invalid"},
		"null cancels":                         {view: one(), props: `{"command":{"resume":null,` + ofI + `}}`, want: "continues, i cancelled"},
		"null cancels all":                     {view: both(), props: `{"command":{"resume":null,` + ofBoth + `}}`, want: "continues, i cancelled, j cancelled"},
		"one answer to two questions":          {view: both(), props: `{"command":{"resume":{"approved":true},` + ofBoth + `}}`, want: "refused: interrupts_uncovered"},
		"an answer to each":                    {view: both(), props: `{"command":{"resume":{"j":null,"i":true},` + ofBoth + `}}`, want: "continues, i resolved, j cancelled", answer: `{"approved":true}`},
		"without saying to which":              {view: both(), props: `{"command":{"resume":{"j":{"approved":false},"i":true}}}`, want: "continues, i resolved, j resolved", answer: `{"approved":true}`},
		"with what was said before it":         {view: asks(thread(said, asked), i), sent: said + "," + asked, props: `{"command":{"resume":true}}`, want: "continues, i resolved", answer: `{"approved":true}`},
		"with what its user said alone":        {view: asks(thread(said, asked), i), sent: said, props: `{"command":{"resume":true}}`, want: "continues, i resolved", answer: `{"approved":true}`},
		"to what was asked since":              {view: asks(thread(said, asked, next), i), sent: said + "," + asked, props: `{"command":{"resume":true}}`, want: "refused: interrupts_pending"},
		"to what was asked since, by its name": {view: asks(thread(said, asked, next), i), sent: said + "," + asked, props: `{"command":{"resume":true,` + ofI + `}}`, want: "continues, i resolved", answer: `{"approved":true}`},
		"of another thread's question":         {view: one(), props: `{"command":{"resume":{"approved":true},"interruptEvent":{"id":"elsewhere"}}}`, want: "refused: interrupts_pending"},
		"of another thread's, nothing is open": {view: thread(), props: `{"command":{"resume":{"approved":true},"interruptEvent":{"id":"elsewhere"}}}`, want: "begins"},
		"of the application's own, untouched":  {view: thread(), props: `{"command":{"resume":"go","interruptEvent":"weather?"}}`, want: "begins"},
		"no answer in it":                      {view: one(), props: `{"command":{"interruptEvent":{"id":"i"}}}`, want: "refused: interrupts_pending"},
		"in other letters":                     {view: one(), props: `{"command":{"Resume":true}}`, want: "refused: interrupts_pending"},
		"in these and in other letters":        {view: one(), props: `{"command":{"resume":false,"Resume":true},"Command":{"resume":true}}`, want: "continues, i resolved", answer: `{"approved":false}`},
		"of another shape":                     {view: one(), props: `{"command":["resume"]}`, want: "refused: interrupts_pending"},
		"the same again":                       {view: answered(t, thread(), "i", yes, `{"type":"RUN_FINISHED"}`), props: `{"command":{"resume":{"approved":true},` + ofI + `}}`, want: "repeats r1"},
		"the same again in other words":        {view: answered(t, thread(), "i", yes, `{"type":"RUN_FINISHED"}`), props: `{"command":{"resume":"yes",` + ofI + `}}`, want: "repeats r1"},
		"another one afterwards":               {view: answered(t, thread(), "i", yes, `{"type":"RUN_FINISHED"}`), props: `{"command":{"resume":"no",` + ofI + `}}`, want: "refused: interrupt_conflict"},
		"the same again under another question": {
			view: answered(t, asksFor(thread(), approval, j), "i", yes, `{"type":"RUN_FINISHED"}`), props: `{"command":{"resume":{"approved":true},` + ofI + `}}`, want: "repeats r1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			input, err := protocol.DecodeInput([]byte(fmt.Sprintf(`{"threadId":"t","runId":"l","messages":[%s],"forwardedProps":%s}`, c.sent, c.props)))
			if err != nil {
				t.Fatal(err)
			}
			digest, err := InputDigest(key, input)
			if err != nil {
				t.Fatal(err)
			}
			command := CommandOf(input)
			judged, err := Read(t.Context(), shown{c.view}, nil, new(responseschema.Set), key, input, command.Named()...)
			if err != nil {
				t.Fatal(err)
			}
			if command != nil {
				if err := judged.Take(t.Context(), command, digest); err != nil {
					t.Fatal(err)
				}
			}
			verdict, err := judged.Judge(t.Context(), BusyQueue, digest)
			if err != nil {
				t.Fatal(err)
			}
			if got := told(verdict); got != c.want {
				t.Fatalf("%s\nwant %s", got, c.want)
			}
			if c.answer != "" && string(verdict.Decisions[0].Payload) != c.answer {
				t.Errorf("it answers %s, want %s", verdict.Decisions[0].Payload, c.answer)
			}
			if string(input.ForwardedProps) != c.props || len(input.Resume) > 0 {
				t.Errorf("what was sent is %s now", input.ForwardedProps)
			}
		})
	}
}
