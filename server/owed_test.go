package server

import "testing"

// What a socket is owed for a thread that it has detached from meanwhile is not told.
func TestDebtOfAThreadThatIsNotFollowed(t *testing.T) {
	ts := newTestServer(t, newFake(), nil)
	c := ts.dial()
	c.send(`{"type":"ws.ping"}`)
	c.wants(`{"type":"ws.pong","positions":{}}`)
	ts.mu.Lock()
	for s := range ts.sockets {
		s.(*socket).answers.(*fullSession).owe("t", [][]byte{[]byte(`{"type":"CUSTOM","name":"x","value":1}`)})
	}
	ts.mu.Unlock()
	c.send(`{"type":"ws.ping"}`)
	c.wants(`{"type":"ws.pong","positions":{}}`)
}
