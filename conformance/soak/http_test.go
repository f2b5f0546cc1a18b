package soak

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/wire"
)

// httpLimit bounds what is done without a tab.
const httpLimit = wire.Patience + 30*time.Second

// message is an input with one message, and nothing of what the thread has.
func (c *chat) message(text string) (run, input string) {
	content, err := json.Marshal(text)
	if err != nil {
		c.t.Fatal(err)
	}
	run = uuid.NewString()
	return run, fmt.Sprintf(`{"threadId":%q,"runId":%q,"protocolVersion":"1.0","messages":[{"id":%q,"role":"user","content":%s}]}`,
		c.thread, run, uuid.NewString(), content)
}

// heard waits until the tabs have seen the end of a run that none of them asked
// for: one that spoke before would take it back.
func (c *chat) heard(run string) {
	c.t.Helper()
	for _, tab := range c.tabs {
		tab.Await("the end of run "+run, func(v wire.View) bool {
			return slices.ContainsFunc(v.Runs(), func(r wire.Run) bool { return r.ID == run && r.End != nil })
		})
	}
}

// post has a run over HTTP, and asks for it again.
func (c *chat) post() {
	run, input := c.message("/slow 10 4")
	first := request(c.t, http.MethodPost, c.url()+"/agui", input, http.StatusOK)
	again := request(c.t, http.MethodPost, c.url()+"/agui", input, http.StatusOK)
	for _, stream := range []string{first, again} {
		if !strings.Contains(stream, `"type":"RUN_FINISHED"`) {
			c.t.Errorf("a run over HTTP was\n%s", stream)
		}
	}
	c.heard(run)
}

// follow reads a thread over HTTP while a run goes on, and leaves in its middle,
// or at its end when it came too late.
func (c *chat) follow() {
	ctx, cancel := context.WithTimeout(c.t.Context(), httpLimit)
	defer cancel()
	in := c.tab().Say("/slow 40 5")
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url()+"/agui/threads/"+c.thread+"/events?follow=1", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Close = true
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 4<<20)
	for found := false; !found; {
		if !lines.Scan() {
			c.t.Fatalf("a follower's stream ended: %v", lines.Err())
		}
		found = strings.Contains(lines.Text(), "TEXT_MESSAGE_CONTENT") || strings.Contains(lines.Text(), "RUN_FINISHED")
	}
	cancel()
	c.succeed(in)
}

// plain has a run over a socket without a subprotocol.
func (c *chat) plain() {
	ctx, cancel := context.WithTimeout(c.t.Context(), httpLimit)
	defer cancel()
	sock, err := client.Open(ctx, c.nodes[c.chance.IntN(len(c.nodes))].server.Socket(), &client.DialOptions{Subprotocols: []string{}})
	if err != nil {
		c.t.Fatal(err)
	}
	defer sock.CloseNow()
	run, input := c.message("/slow 10 4")
	if err := sock.Write(ctx, websocket.MessageText, []byte(input)); err != nil {
		c.t.Fatal(err)
	}
	for ended := false; !ended; {
		f, err := sock.Receive(ctx)
		if err != nil {
			c.t.Fatal(err)
		}
		ended = f.Type == "RUN_FINISHED"
		if f.Type == "RUN_ERROR" {
			c.t.Errorf("a run over a plain socket ended with %s", f.Data)
			return
		}
	}
	_ = sock.Close(websocket.StatusNormalClosure, "")
	c.heard(run)
}
