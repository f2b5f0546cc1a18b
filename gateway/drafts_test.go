package gateway

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Answers that are given one by one, as an inbox does, are drafts until all are there: the
// agent hears of none, and then of all at once. Each is on record as what was asked.
func TestDraftsStayHere(t *testing.T) {
	l := newLab(t, nil, sends(began, asks(confirm+","+form)), sends(began, open, word, shut, done))
	open := interrupted(t, l.say("go"))
	give := func(entry protocol.ResumeEntry) operate.Answered {
		t.Helper()
		a, err := l.runner.Answer(l.ctx(), l.key, "tenant", "ann", "answer", []protocol.ResumeEntry{entry}, store.Origin{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := give(resolved(open[1].ID, `{"n":"many"}`)); a.Admitted.Refusal == nil || a.Admitted.Refusal.Code != adapter.CodePayloadInvalid {
		t.Errorf("a draft that does not fit: %+v", a)
	}
	for _, n := range []string{`{"n":1}`, `{"n":2}`} {
		if a := give(resolved(open[1].ID, n)); len(a.Missing) != 1 || a.Missing[0] != open[0].ID {
			t.Errorf("%+v", a)
		}
	}
	if n := len(l.peer.runs()); n != 1 {
		t.Fatalf("%d requests while an answer is missing", n)
	}
	if a := give(cancelled(open[0].ID)); a.Admitted.Disposition != admission.Started {
		t.Fatalf("%+v", a)
	}
	succeeded(t, l.untilEnd())
	l.wellFormed()
	sent := l.peer.runs()
	if len(sent) != 2 || asJSON(t, sent[1].in.Resume) != `[{"interruptId":"up-1","status":"cancelled"},{"interruptId":"up-2","status":"resolved","payload":{"n":2}}]` {
		t.Errorf("%d requests, the last with %s", len(sent), sent[len(sent)-1].body)
	}
	page, err := l.runner.Decisions(l.ctx(), store.DecisionQuery{AllTenants: true, Thread: &l.key})
	if err != nil || len(page.Decisions) != 2 {
		t.Fatalf("%+v %v", page, err)
	}
	for _, d := range page.Decisions {
		if text := string(d.Body); !strings.Contains(text, "Sure?") && !strings.Contains(text, `{"n":2}`) {
			t.Errorf("on record is %s", text)
		}
	}
}
