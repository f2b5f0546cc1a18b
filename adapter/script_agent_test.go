package adapter_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// scripted is a lab with the script agent, and its effects file.
func scripted(t *testing.T, configure ...func(*runner.Options)) (*lab, func() []map[string]any) {
	path := filepath.Join(t.TempDir(), "effects")
	return newLab(t, script.New(script.Options{Effects: path}), configure...), func() []map[string]any {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		var lines []map[string]any
		for line := range strings.Lines(string(text)) {
			var l map[string]any
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, l)
		}
		return lines
	}
}

// What each command says in one run.
func TestScriptCommands(t *testing.T) {
	for message, want := range map[string]string{
		"what can you do?":   "I am the script agent, and I ask before I act: try “Send an email to ada@example.com”. Everything else that I understand begins with a slash, and /help lists it.",
		"/help":              "I understand /say TEXT, /slow N MS, /tool NAME JSON, /delete NAME, /parallel N, /form, /date, /confirm TEXT, /twice, /expire SECONDS, /fail TEXT, /panic, /state JSON, /effect, /think TEXT, /delegate TEXT, /activity, /frontend NAME JSON, /login PROVIDER SCOPES, /report ROWS, /steps N MS, /sleep SECONDS, /event NAME or /call TEXT. Or attach a picture or a file.",
		"/say one two":       "one two",
		"/slow 3 1":          "1 2 3 ",
		"/effect":            "The effect took place.",
		`/state {"count":1}`: "The state is set.",
		"/slow x":            "Usage: /slow N MS, with N up to 10000 deltas, up to 60000 milliseconds apart.",
		"/steps 2 0":         "All 2 steps are done.",
		"/sleep x":           "Usage: /sleep SECONDS.",
		"/event a b":         "Usage: /event NAME, with letters, digits, dots, dashes and underscores.",
		"/call":              "Usage: /call TEXT.",
		"/steps x":           "Usage: /steps N MS, with N up to 1000 steps of up to 60000 milliseconds.",
		"/delete":            "Usage: /delete NAME.",
		"/tool":              "Usage: /tool NAME JSON, with a JSON object of arguments.",
		"/tool pay [1]":      "Usage: /tool NAME JSON, with a JSON object of arguments.",
		"/parallel 0":        "Usage: /parallel N, with N from 1 to 50.",
		"/expire soon":       "Usage: /expire SECONDS.",
		"/state 1":           "Usage: /state JSON, with a JSON object.",
	} {
		t.Run(message, func(t *testing.T) {
			l, _ := scripted(t)
			succeeded(t, l.say(message))
			l.wellFormed()
			if got := l.texts(); !slices.Equal(got, []string{want}) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// What is attached is told by its kind, name, type and size, unless a command stands beside it.
func TestScriptTellsWhatCame(t *testing.T) {
	data := func(kind protocol.PartType, mime, value, metadata string) protocol.Part {
		return protocol.Part{Type: kind, Source: &protocol.Source{Type: protocol.SourceData, Value: value, MimeType: mime}, Metadata: []byte(metadata)}
	}
	text := protocol.Part{Type: protocol.PartText, Text: "Look."}
	for want, content := range map[string]*protocol.Content{
		"I have got a picture named a.png, of type image/png, 4 bytes; and a file, of type application/pdf, 1 bytes.": protocol.PartsOf(text,
			data(protocol.PartImage, "image/png", "AAAAAA==", `{"filename":"a.png"}`), data(protocol.PartDocument, "application/pdf", "AA==", "")),
		"I have got a video, by reference.":                                protocol.PartsOf(protocol.Part{Type: protocol.PartVideo, Source: &protocol.Source{Type: protocol.SourceURL, Value: "https://example.org/"}}),
		"I have got a recording, of type audio/mpeg, which is not base64.": protocol.PartsOf(data(protocol.PartAudio, "audio/mpeg", "?", "")),
		"one": protocol.PartsOf(protocol.Part{Type: protocol.PartText, Text: "/say one"}, data(protocol.PartImage, "image/png", "AA==", "")),
	} {
		l, _ := scripted(t)
		l.submit(&protocol.RunAgentInput{Messages: protocol.Messages{{ID: "m", Role: protocol.RoleUser, Content: content}}})
		succeeded(t, l.untilEnd())
		if got := l.texts(); !slices.Equal(got, []string{want}) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestScriptFails(t *testing.T) {
	l, _ := scripted(t)
	if e := failedWith(t, l.say("/fail no luck"), adapter.CodeAgentError); e.Message != "no luck" {
		t.Errorf("message %q", e.Message)
	}
	failedWith(t, l.say("/panic"), adapter.CodeAgentError)
	succeeded(t, l.say("/say still here"))
}

func TestScriptState(t *testing.T) {
	l, _ := scripted(t)
	events := l.say(`/state {"count":1}`)
	if got := show(events); !strings.Contains(got, "STATE_SNAPSHOT STATE_DELTA") {
		t.Errorf("events %s", got)
	}
	f := fold.New(nil, nil)
	for _, e := range events {
		f.Apply(e)
	}
	if got := string(f.State()); got != `{"count":1,"steps":["snapshot","delta"]}` {
		t.Errorf("state %s", got)
	}
}

// What each command that asks comes to by its answers, the latest of which are last. The effects
// have one line for each call that was carried out, with what the human allowed.
func TestScriptAsks(t *testing.T) {
	yes, no := []string{`{"approved":true}`}, []string{`{"approved":false,"reason":"too much"}`}
	for name, test := range map[string]struct {
		message string
		answers [][]string // to what each run asks; "": cancelled
		said    string
		results []string // of the calls, in order
		args    []string // of the effects
	}{
		"approved": {`/tool pay {"amount":10}`, [][]string{yes}, "I have called pay.", []string{`{"executed":true,"args":{"amount":10}}`}, []string{`{"amount":10}`}},
		"deleted": {`/delete staging`, [][]string{yes}, "The database staging is deleted.",
			[]string{`{"executed":true,"args":{"force":true,"name":"staging"}}`}, []string{`{"force":true,"name":"staging"}`}},
		"edited": {`/tool pay {"amount":10}`, [][]string{{`{"approved":true,"editedArgs":{"amount":7}}`}}, "I have called pay.",
			[]string{`{"executed":true,"args":{"amount":7}}`}, []string{`{"amount":7}`}},
		"declined":  {`/tool pay {"amount":10}`, [][]string{no}, "pay was declined, so I have not called it.", []string{`{"declined":true,"executed":false,"reason":"too much"}`}, nil},
		"cancelled": {`/tool pay {"amount":10}`, [][]string{{""}}, "The question about pay was cancelled, so I have not called it.", nil, nil},
		"parallel": {"/parallel 3", [][]string{{yes[0], no[0], ""}},
			"I have called task_1. task_2 was declined, so I have not called it. The question about task_3 was cancelled, so I have not called it.",
			[]string{`{"executed":true,"args":{"number":1}}`, `{"declined":true,"executed":false,"reason":"too much"}`}, []string{`{"number":1}`}},
		"form":    {"/form", [][]string{{`{"quarter":"Q1","year":2025,"revenue":1.5}`}}, "Thank you. The revenue of Q1 2025 was 1.5.\n\n```json\n" + `{"quarter":"Q1","year":2025,"revenue":1.5}` + "\n```", nil, nil},
		"twice":   {"/twice", [][]string{{"true"}, {"true"}}, "Asked twice, answered twice.", nil, nil},
		"confirm": {"/confirm Deploy?", [][]string{{"true"}}, "Confirmed.", nil, nil},
		"expire":  {"/expire 60", [][]string{{""}}, "Cancelled.", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			l, effects := scripted(t)
			events := l.say(test.message)
			for _, answers := range test.answers {
				if open := interrupts(t, events); len(open) != len(answers) || len(effects()) != 0 {
					t.Fatalf("asked %+v, effects %v", open, effects())
				}
				var entries []protocol.ResumeEntry
				for i, open := range interrupts(t, events) {
					entry := cancelled(open.ID)
					if answers[i] != "" {
						entry = resolved(open.ID, answers[i])
					}
					entries = append(entries, entry)
				}
				events = l.answer(entries...)
			}
			succeeded(t, events)
			l.wellFormed()
			if got := l.texts(); got[len(got)-1] != test.said {
				t.Errorf("said %q", got)
			}
			if got := l.contents(protocol.RoleTool); !slices.Equal(got, test.results) {
				t.Errorf("results %q", got)
			}
			var args []string
			for _, line := range effects() {
				text, _ := json.Marshal(line["args"])
				if args = append(args, string(text)); line["key"] == "" {
					t.Errorf("no key: %v", line)
				}
			}
			if !slices.Equal(args, test.args) {
				t.Errorf("effects %q", args)
			}
		})
	}
}

// A time that ran out is told as that, and as nobody's doing.
func TestScriptExpiry(t *testing.T) {
	for command, want := range map[string]string{
		`/tool pay {"amount":10}`: "Nobody answered in time about pay, so I have not called it.",
		"/confirm Deploy?":        "Nobody answered in time.",
		"/twice":                  "Nobody answered in time.",
		"/form":                   "Nobody filled in the form in time.",
	} {
		l, effects := scripted(t, func(o *runner.Options) { o.MaxPark, o.OnExpiry = time.Hour, adapter.ExpiryCancel })
		interrupts(t, l.say(command))
		l.forward(2 * time.Hour)
		succeeded(t, l.untilEnd())
		if got := l.texts(); got[len(got)-1] != want || len(effects()) != 0 {
			t.Errorf("%s: said %q", command, got)
		}
	}
}

func TestScriptFormIsChecked(t *testing.T) {
	l, _ := scripted(t)
	open := interrupts(t, l.say("/form"))
	for _, bad := range []string{`{}`, `{"quarter":"Q5","year":2025,"revenue":1}`, `{"quarter":"Q1","year":1999,"revenue":1}`, `{"quarter":"Q1","year":2025.5,"revenue":1}`} {
		a := l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, bad)}})
		if a.Disposition != admission.Refused || a.Refusal.Code != adapter.CodePayloadInvalid {
			t.Errorf("%s: %s", bad, a.Disposition)
		}
	}
}

// The sentences that the page offers, in its languages, and what is said at their end when all is agreed to.
func TestScriptSentences(t *testing.T) {
	const agreed, figures = `{"approved":true}`, `{"quarter":"Q1","year":2025,"revenue":1.5}`
	const email, form, dinner = "The email to ada@example.com is on its way.", "Thank you. The revenue of Q1 2025 was 1.5.", "The table at Casa Lucia is booked. The invitation is sent. The deposit of 80 euros is paid."
	for said, want := range map[string]struct {
		answer, reply string
	}{
		"Send an email to ada@example.com":     {agreed, email},
		"Sende eine E-Mail an ada@example.com": {agreed, email},
		"Fill in a form with me":               {figures, form},
		"Gemeinsam ein Formular ausfüllen":     {figures, form},
		"Plan a dinner for four":               {agreed, dinner},
		"Plane ein Abendessen für vier":        {agreed, dinner},
	} {
		t.Run(said, func(t *testing.T) {
			l, _ := scripted(t)
			var answers []protocol.ResumeEntry
			for _, open := range interrupts(t, l.say(said)) {
				answers = append(answers, resolved(open.ID, want.answer))
			}
			succeeded(t, l.answer(answers...))
			if got := l.texts(); got[len(got)-1] != want.reply {
				t.Errorf("said %q", got)
			}
		})
	}
}

// A chat that begins with a command alone is called after what was asked in it, and then after what
// it is about next.
func TestScriptTitle(t *testing.T) {
	l, _ := scripted(t)
	called := func(want string) {
		t.Helper()
		threads, _, err := l.runner.Threads(l.ctx(), store.ThreadQuery{Namespace: l.key.Namespace})
		if err != nil || len(threads) != 1 || threads[0].Title != want {
			t.Fatalf("%+v %v, want %q", threads, err, want)
		}
	}
	open := interrupts(t, l.say("/form"))
	called("/form")
	succeeded(t, l.answer(resolved(open[0].ID, `{"quarter":"Q1","year":2025,"revenue":1.5}`)))
	called("Please fill in the quarterly figures")
	open = interrupts(t, l.say("/parallel 3"))
	called("Please fill in the quarterly figures")
	var approvals []protocol.ResumeEntry
	for _, each := range open {
		approvals = append(approvals, resolved(each.ID, `{"approved":true}`))
	}
	succeeded(t, l.answer(approvals...))
	called("Task 1, number 1, and 2 more")
	l.say("Plan a dinner for four")
	called("Plan a dinner for four")
}

// renamed is a store in which somebody renames a thread before an input begins that was judged.
type renamed struct {
	store.Store
	to string
}

func (r *renamed) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	if r.to != "" {
		_, _ = r.SetTitle(ctx, b.Thread, r.to)
	}
	return r.Store.Begin(ctx, b)
}

// A name that somebody gave a chat stays, though it looks like a command.
func TestGivenTitlesStay(t *testing.T) {
	for name, c := range map[string]struct{ begins, before, meanwhile, want string }{
		"a sentence":   {"/say A few words.", "/standup", "", "/standup"},
		"another name": {"/activity", "/standup", "", "/standup"},
		"meanwhile":    {"/activity", "", "Planning", "Planning"},
		"none":         {"/activity", "", "", "Quite other words"},
	} {
		t.Run(name, func(t *testing.T) {
			st := &renamed{}
			l := newLabOn(t, func(s store.Store) store.Store { st.Store = s; return st }, script.New(script.Options{}))
			l.say(c.begins)
			if c.before != "" {
				if _, err := l.runner.SetTitle(l.ctx(), l.key, c.before); err != nil {
					t.Fatal(err)
				}
			}
			st.to = c.meanwhile
			l.say("/say Quite other words.")
			threads, _, err := l.runner.Threads(l.ctx(), store.ThreadQuery{Namespace: l.key.Namespace})
			if err != nil || len(threads) != 1 || threads[0].Title != c.want {
				t.Errorf("%+v %v, want %q", threads, err, c.want)
			}
		})
	}
}

// Half a minute goes by in it.
func TestScriptCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := scripted(t)
		succeeded(t, l.say("Count to sixty"))
		if got := l.texts(); !strings.HasPrefix(got[0], "1 2 3 ") || !strings.HasSuffix(got[0], " 59 60 ") {
			t.Errorf("said %q", got)
		}
	})
}

func TestScriptShows(t *testing.T) {
	for message, want := range map[string]string{
		"/think it over": "RUN_STARTED REASONING_START REASONING_MESSAGE_START REASONING_MESSAGE_CONTENT REASONING_MESSAGE_END REASONING_END",
		"/delegate a b": "RUN_STARTED SUBAGENT_STARTED STEP_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_CONTENT " +
			"TEXT_MESSAGE_END STEP_FINISHED SUBAGENT_FINISHED",
		"/activity":    "RUN_STARTED ACTIVITY_SNAPSHOT ACTIVITY_DELTA",
		"/say one two": "RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END",
	} {
		t.Run(message, func(t *testing.T) {
			l, _ := scripted(t)
			events := l.say(message)
			succeeded(t, events)
			l.wellFormed()
			if got := show(events); !strings.HasPrefix(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// A call for the frontend stays open: the run succeeds and names it, and the
// tool message answers it in the next run.
func TestScriptFrontend(t *testing.T) {
	l, _ := scripted(t)
	events := l.say(`/frontend pick {"from":3}`)
	succeeded(t, events)
	pending := events[len(events)-1].(*protocol.RunFinished).Outcome.PendingToolCallIDs
	if len(pending) != 1 {
		t.Fatalf("pending %q", pending)
	}
	l.submit(&protocol.RunAgentInput{Messages: protocol.Messages{{
		ID: "answer", Role: protocol.RoleTool, ToolCallID: pending[0], Content: protocol.Text("two"),
	}}})
	succeeded(t, l.untilEnd())
	l.wellFormed()
	texts := l.texts()
	if got := texts[len(texts)-1]; got != "The frontend answered pick: two" {
		t.Errorf("said %q", got)
	}
}
