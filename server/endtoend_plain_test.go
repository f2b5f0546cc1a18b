package server

import (
	"encoding/json"
	"testing"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
)

// The repeat of a resume whose continuation is still under way ends under the
// requested runId, also live.
func TestEndToEndPlainRepeatInMidRun(t *testing.T) {
	ts, p, _ := underWay(t)
	waiting := ts.connect("/agui/ws", plainMode)
	waiting.send(says("r2", "/say mine"))
	ts.awaitQueued()
	c := ts.connect("/agui/ws", plainMode)
	c.send(says("r1", slow))
	sequence := &order.Sequence{}
	for ended := false; !ended; p.rest() {
		e, err := protocol.Decode(c.read())
		if err != nil {
			t.Fatal(err)
		}
		if err := sequence.Check(e); err != nil {
			t.Fatal(err)
		}
		_, ended = e.(*protocol.RunFinished)
	}
	if f := waiting.expect("RUN_STARTED"); f["runId"] != "r2" {
		t.Errorf("the queued run begins with %v", f)
	}
	for waiting.expectAny()["type"] != "RUN_FINISHED" {
	}
}

func (c *client) expectAny() map[string]any {
	c.t.Helper()
	var f map[string]any
	if err := json.Unmarshal(c.read(), &f); err != nil {
		c.t.Fatal(err)
	}
	return f
}
