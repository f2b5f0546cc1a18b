package gateway

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// strict refuses what it does not know, as Python's models do that forbid extra members.
func strict(status int, says string, behind turn) turn {
	return func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
		if in.ProtocolVersion == "" {
			behind(w, r, in)
			return
		}
		w.WriteHeader(status)
		io.WriteString(w, says)
	}
}

// An agent that forbids protocolVersion is asked again without, once, and without from then
// on. Any other refusal stands.
func TestAgentsThatForbidTheVersion(t *testing.T) {
	const forbids = `{"detail":[{"type":"extra_forbidden","loc":["body","protocolVersion"],"msg":"Extra inputs are not permitted"}]}`
	for name, test := range map[string]struct {
		status  int
		says    string
		behind  turn
		code    string // "": it succeeds
		sent    int    // until it has answered twice, or has failed
		repairs string
	}{
		"422":                {status: 422, says: forbids, behind: sends(began, asks(confirm)), sent: 3, repairs: RepairVersion},
		"400":                {status: 400, says: "Unrecognized key: 'protocolVersion'", behind: sends(began, asks(confirm)), sent: 3, repairs: RepairVersion},
		"another member":     {status: 422, says: strings.Replace(forbids, "protocolVersion", "state", 1), code: CodeRefused, sent: 1},
		"named far behind":   {status: 422, says: strings.Repeat("x", maxRefusal) + forbids, code: CodeRefused, sent: 1},
		"another status":     {status: 403, says: forbids, code: CodeRefused, sent: 1},
		"a failure":          {status: 500, says: forbids, code: CodeFailed, sent: 1},
		"without it as well": {status: 422, says: forbids, behind: status(422), code: CodeRefused, sent: 2, repairs: RepairVersion},
		"and named once more": {status: 422, says: forbids, behind: func(w http.ResponseWriter, _ *http.Request, _ *protocol.RunAgentInput) {
			w.WriteHeader(422)
			io.WriteString(w, forbids)
		}, code: CodeRefused, sent: 2, repairs: RepairVersion},
		"and it fails in the answer": {status: 422, says: forbids, behind: sends(began, `{"type":"RUN_ERROR","message":"x","code":"own"}`), code: "own", sent: 2, repairs: RepairVersion},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, nil, strict(test.status, test.says, test.behind))
			end := l.say("go")
			if test.code != "" {
				failedWith(t, end, test.code)
			} else {
				open := interrupted(t, end)
				l.peer.next(strict(test.status, test.says, sends(began, done)))
				succeeded(t, l.answer(resolved(open[0].ID, "true")))
			}
			if n := len(l.peer.runs()); n != test.sent {
				t.Errorf("%d requests", n)
			}
			if got := strings.Join(l.repairs(), " "); got != test.repairs {
				t.Errorf("repaired %s", got)
			}
			failures := 0
			for _, o := range l.requests() {
				if o.Code != "" {
					failures++
				}
			}
			if want := map[bool]int{true: 1}[test.code != ""]; failures != want {
				t.Errorf("%d failures are counted", failures)
			}
			if strings.Contains(l.log.String(), "Extra inputs") {
				t.Errorf("the log has what the agent answered:\n%s", l.log)
			}
		})
	}
}

// An answer that is refused for its protocolVersion is sent once more, and goes once.
func TestAnswersToAgentsThatForbidTheVersion(t *testing.T) {
	l := newLab(t, nil, sends(began, asks(confirm)), strict(422, `protocolVersion`, nil), sends(began, open, word, shut, done))
	asked := interrupted(t, l.say("go"))
	succeeded(t, l.answer(resolved(asked[0].ID, "true")))
	sent := l.peer.runs()
	if len(sent) != 3 || sent[2].in.ProtocolVersion != "" || sent[1].in.RunID != sent[2].in.RunID || asJSON(t, sent[1].in.Resume) != asJSON(t, sent[2].in.Resume) {
		t.Errorf("%d requests, %s", len(sent), sent[len(sent)-1].body)
	}
	l.wellFormed()
}
