package server

import (
	"fmt"
	"testing"

	"github.com/aguiws/aguiws/server/internal/ws"
)

// Attaches of one user count together, whichever sockets they come by: attaching to
// threads that nobody has used leaves something in the store too.
func TestAttachLimit(t *testing.T) {
	ts := newTestServer(t, newFake(), &Options{Auth: byToken{"a": {User: "a"}, "b": {User: "b"}}, AttachesPerMinute: 1, AttachBurst: 3})
	dial := func(who string) *client {
		c := ts.connect("/agui/ws", bearer(who, ws.Subprotocol))
		c.expect("ws.hello")
		return c
	}
	for i := range 3 {
		c := dial("a")
		c.send(fmt.Sprintf(`{"type":"ws.attach","id":"a%d","threadId":"t%d"}`, i, i))
		c.expect("ws.attached")
	}
	c := dial("a")
	c.send(`{"type":"ws.attach","id":"a3","threadId":"t3"}`)
	if f := c.expect("ws.error"); f["code"] != "rate_limited" || f["id"] != "a3" || f["retryAfterMs"].(float64) < 1000 {
		t.Errorf("the fourth: %v", f)
	}
	c = dial("b")
	c.send(`{"type":"ws.attach","id":"b","threadId":"t"}`)
	c.expect("ws.attached")
}
