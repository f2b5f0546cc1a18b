package gateway

import (
	"strconv"
	"testing"

	"github.com/aguiws/aguiws/adapter/admission"
)

// A gateway that stands in front of itself is found out.
func TestHops(t *testing.T) {
	for came, want := range map[string]string{"": "1", "1": "2", "7": "8", "8": "", "65535": "", "-1": "1", "many": "1", "99999999999999999999": ""} {
		l := newLab(t, nil, sends(began, done))
		in := user("go")
		in.ThreadID, in.RunID = l.key.Thread, "run"
		if _, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in, Headers: map[string]string{HopsHeader: came}}); err != nil {
			t.Fatal(err)
		}
		end := l.untilEnd()
		sent := l.peer.runs()
		if want == "" {
			failedWith(t, end, CodeRefused)
			if len(sent) > 0 {
				t.Errorf("%q: it was sent", came)
			}
			continue
		}
		succeeded(t, end)
		if got := sent[0].header.Get(HopsHeader); got != want {
			t.Errorf("%q becomes %q", came, got)
		}
	}
	// Who sets it is not believed.
	l := newLab(t, &Options{Header: map[string][]string{HopsHeader: {strconv.Itoa(maxHops)}}}, sends(began, done))
	succeeded(t, l.say("go"))
	if got := l.peer.runs()[0].header.Get(HopsHeader); got != "1" {
		t.Errorf("sent %q", got)
	}
}
