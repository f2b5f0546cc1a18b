package gateway

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

func TestRun(t *testing.T) {
	l := newLab(t, nil, sends(began, open, word, shut,
		`{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN","result":{"n":1.50},"metadata":{"a":[1]}}`))
	end := succeeded(t, l.say("go"))
	if string(end.Result) != `{"n":1.50}` || asJSON(t, end.Metadata) != `{"a":[1]}` || l.said() != "hi" {
		t.Errorf("%s %v %q", end.Result, end.Metadata, l.said())
	}
	l.wellFormed()
	if repairs := l.repairs(); len(repairs) > 0 {
		t.Errorf("repaired %v", repairs)
	}
	sent := l.peer.runs()
	if len(sent) != 1 || len(sent[0].in.Messages) != 1 || sent[0].in.ThreadID == "thread" || sent[0].header.Get("Accept") != "text/event-stream" {
		t.Errorf("sent %s", sent[0].body)
	}
	if o := l.requests(); len(o) != 1 || o[0].Code != "" || o[0].Events != 5 || o[0].Bytes == 0 || o[0].FirstEvent <= 0 {
		t.Errorf("observed %+v", o)
	}
	if s := l.up.Status(); s.Requests != 1 || s.Failed != 0 || s.InFlight != 0 || s.LastSuccess.IsZero() {
		t.Errorf("%+v", s)
	}
	// The thread has one name for the agent, and the history is the store's.
	succeeded(t, l.say("more"))
	again := l.peer.runs()[1].in
	if again.ThreadID != sent[0].in.ThreadID || again.RunID == sent[0].in.RunID || len(again.Messages) != 3 {
		t.Errorf("sent %s", l.peer.runs()[1].body)
	}
}

// Each way to fail has its code, with what came before it in the log; for times see
// TestTimeouts.
func TestFailures(t *testing.T) {
	then := func(first turn, next turn) turn {
		return func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
			first(w, r, in)
			next(w, r, in)
		}
	}
	begun := sends(began, open, word)
	for name, test := range map[string]struct {
		options Options
		turn    turn
		code    string
		says    string
		said    string
	}{
		"400":                 {turn: status(400), code: CodeRefused, says: "400 Bad Request"},
		"401":                 {turn: status(401), code: CodeRefused, says: "401"},
		"429":                 {turn: status(429), code: CodeRefused, says: "429"},
		"500":                 {turn: status(500), code: CodeFailed, says: "500"},
		"503":                 {turn: status(503), code: CodeFailed, says: "503"},
		"a redirect":          {turn: status(307, "Location", "http://127.0.0.1:1/"), code: CodeRefused, says: "redirects are not followed"},
		"JSON":                {turn: status(200, "Content-Type", "application/json"), code: CodeContentType, says: `"application/json"`},
		"no content":          {turn: status(204), code: CodeContentType},
		"an unknown encoding": {turn: status(200, "Content-Type", "text/event-stream", "Content-Encoding", "br"), code: CodeContentType, says: "br"},
		"nothing":             {turn: sends(), code: CodeTruncated, says: "before it sent an event"},
		"no end":              {turn: begun, code: CodeTruncated, says: "after event 3", said: "hi"},
		"half an event": {turn: then(begun, func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
			w.Write([]byte(`data: {"type":"TEXT_`))
		}), code: CodeTruncated, says: "event 4", said: "hi"},
		"a large event":        {options: Options{MaxEventBytes: 1000}, turn: then(begun, sends(`{"type":"RAW","event":"`+strings.Repeat("x", 2000)+`"}`)), code: CodeTooLarge, says: "event 4 of the agent is larger than 1000 bytes, the upstream's max-event", said: "hi"},
		"a line without end":   {options: Options{MaxEventBytes: 1000}, turn: then(begun, func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) { w.Write(make([]byte, 5000)) }), code: CodeTooLarge, said: "hi"},
		"a large run":          {options: Options{MaxRunBytes: 5000}, turn: then(begun, endless), code: CodeTooLarge, says: "5000 bytes, the upstream's max-run"},
		"no JSON":              {turn: then(begun, sends("hello")), code: "agent_protocol_violation", says: "event 4", said: "hi"},
		"no event":             {turn: then(begun, sends(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"a"}`)), code: "agent_protocol_violation", says: `"delta" is required`, said: "hi"},
		"out of order":         {turn: then(begun, sends(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"b","delta":"x"}`)), code: "agent_protocol_violation", says: "event 4 of the agent: it breaks not-open", said: "hi"},
		"its own error":        {turn: then(begun, sends(`{"type":"RUN_ERROR","message":"no money","code":"broke"}`)), code: "broke", says: "no money", said: "hi"},
		"its own long code":    {turn: then(begun, sends(`{"type":"RUN_ERROR","message":"x","code":"`+strings.Repeat("ä", 50000)+`"}`)), code: strings.Repeat("ä", 32), said: "hi"},
		"its own error, first": {turn: sends(`{"type":"RUN_ERROR","message":"no money"}`), code: "agent_error", says: "no money"},
		"cancelled there":      {turn: then(begun, sends(`{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN","outcome":{"type":"cancelled"}}`)), code: CodeFailed, said: "hi"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, &test.options, test.turn)
			end := failedWith(t, l.say("go"), test.code)
			if !strings.Contains(end.Message, test.says) || strings.Contains(end.Message, "secret") || strings.Contains(end.Message, l.peer.URL) {
				t.Errorf("said %q", end.Message)
			}
			if test.said != "" && l.said() != test.said {
				t.Errorf("said %q", l.said())
			}
			l.wellFormed()
			if n := len(l.peer.runs()); n != 1 {
				t.Errorf("%d requests", n)
			}
			// A thread goes on.
			l.peer.next(sends(began, done))
			succeeded(t, l.say("again"))
			if o := l.requests(); len(o) != 2 || o[0].Code != test.code && o[0].Code != "agent_error" {
				t.Errorf("observed %+v", o)
			}
		})
	}
}

func endless(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
	for r.Context().Err() == nil {
		write(w, in, word)
	}
}

func TestUnavailable(t *testing.T) {
	l := newLab(t, nil, sends(began, done))
	l.peer.Close()
	end := failedWith(t, l.say("go"), CodeUnavailable)
	if strings.Contains(end.Message, "127.0.0.1") {
		t.Errorf("said %q", end.Message)
	}
	if s := l.up.Status(); s.LastCode != CodeUnavailable || s.Failed != 1 {
		t.Errorf("%+v", s)
	}
}
