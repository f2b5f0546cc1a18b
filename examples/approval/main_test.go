package main

import (
	"bytes"
	"context"
	"log"
	"net"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestApproval(t *testing.T) {
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
			defer log.SetOutput(os.Stderr)
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
				if strings.Count(sent.String(), "sending ") != test.times || !strings.Contains(sent.String(), test.sent) {
					t.Errorf("sent: %s", sent.String())
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
			end, err := thread.Say("the flowers").Wait(ctx)
			if err != nil {
				t.Fatal(err)
			}
			asked := client.Asked(end)
			if len(asked) != 1 || asked[0].Reason != protocol.ReasonToolCall {
				t.Fatalf("asked: %+v", asked)
			}
			if _, err := thread.Answer(client.Resolve(asked[0], test.answer)).Wait(ctx); err != nil {
				t.Fatal(err)
			}
			messages := thread.View().Messages
			if last := messages[len(messages)-1].Content.String(); last != test.says {
				t.Errorf("it says %q", last)
			}
		})
	}
}
