package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log"
	"net"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/adaptertest"
	"github.com/aguiws/aguiws/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestApproval(t *testing.T) {
	defer log.SetOutput(os.Stderr)
	for name, test := range map[string]struct {
		answer, says string
		times        int
		sent         string // of the mail
	}{
		"approved": {`{"approved":true}`, "Sent.", 1, "Dear customer, thank you for: the flowers"},
		"edited":   {`{"approved":true,"editedArgs":{"to":"ann@example.com","body":"Dear Ann"}}`, "Sent.", 1, "Dear Ann"},
		"declined": {`{"approved":false}`, "I have not sent it.", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var sent bytes.Buffer
			log.SetOutput(&sent)
			b := adaptertest.New(t, adapter.AgentFunc(clerk))
			run := b.Send("the flowers")
			run = b.Answer(run.Interrupts()[0], json.RawMessage(test.answer))
			if run.Text() != test.says || strings.Count(sent.String(), "sending ") != test.times || !strings.Contains(sent.String(), test.sent) {
				t.Errorf("it says %q, and sent: %s", run.Text(), sent.String())
			}
		})
	}
}

// Wherever the worker dies, the mail is sent once.
func TestMailIsSentOnce(t *testing.T) {
	defer log.SetOutput(os.Stderr)
	adaptertest.EachCrash(t, func(t testing.TB) {
		var sent bytes.Buffer
		log.SetOutput(&sent)
		b := adaptertest.New(t, adapter.AgentFunc(clerk))
		run := b.Send("the flowers")
		run = b.Approve(run.Interrupts()...)
		if n := strings.Count(sent.String(), "sending "); run.Text() != "Sent." || n != 1 {
			t.Errorf("it says %q, and %d mails were sent", run.Text(), n)
		}
	})
}

func TestServe(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- serve(ctx, listener, "") }()
	defer func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	c, err := client.Dial(ctx, "ws://"+listener.Addr().String()+"/agui/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	thread, err := c.Follow(ctx, "mail", nil)
	if err != nil {
		t.Fatal(err)
	}
	if end, err := thread.Say("the flowers").Wait(ctx); err != nil || len(client.Asked(end)) != 1 {
		t.Fatalf("asked %+v, %v", client.Asked(end), err)
	}
}
