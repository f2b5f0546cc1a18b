package main

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestForm(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- serve(ctx, listener) }()
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

	for name, test := range map[string]struct {
		form, confirmed, says string
	}{
		"booked":     {`{"city":"Oslo","nights":3,"breakfast":true}`, `{"approved":true}`, "Booked: Oslo, 3 nights, 606 euros."},
		"thought of": {`{"city":"Turin","nights":1}`, `{"approved":false}`, "Then I book nothing."},
		"cancelled":  {"", "", "Then I book nothing."},
	} {
		t.Run(name, func(t *testing.T) {
			thread, err := c.Follow(ctx, name, nil)
			if err != nil {
				t.Fatal(err)
			}
			end, err := thread.Say("a room, please").Wait(ctx)
			form := only(t, end, err)
			if test.form == "" {
				_, err = thread.Answer(client.Withdraw(form)).Wait(ctx)
			} else {
				end, err = thread.Answer(client.Resolve(form, test.form)).Wait(ctx)
				_, err = thread.Answer(client.Resolve(only(t, end, err), test.confirmed)).Wait(ctx)
			}
			if err != nil {
				t.Fatal(err)
			}
			messages := thread.View().Messages
			if last := messages[len(messages)-1].Content.String(); last != test.says {
				t.Errorf("it says %q", last)
			}
		})
	}

	t.Run("what does not fit is refused, and asked still", func(t *testing.T) {
		thread, err := c.Follow(ctx, "wrong", nil)
		if err != nil {
			t.Fatal(err)
		}
		end, err := thread.Say("a room, please").Wait(ctx)
		form := only(t, end, err)
		var refused *client.RefusedError
		if _, err := thread.Answer(client.Resolve(form, `{"city":"Atlantis","nights":0}`)).Wait(ctx); !errors.As(err, &refused) || len(refused.Fields) != 2 {
			t.Fatalf("refused: %v", err)
		}
		end, err = thread.Answer(client.Resolve(form, `{"city":"Lisbon","nights":2}`)).Wait(ctx)
		if asked := only(t, end, err); !strings.Contains(asked.Message, "220 euros") {
			t.Errorf("it asks %q", asked.Message)
		}
	})
}

// only is the one question that a run has ended with.
func only(t *testing.T, end *protocol.RunFinished, err error) protocol.Interrupt {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	asked := client.Asked(end)
	if len(asked) != 1 {
		t.Fatalf("asked: %+v", asked)
	}
	return asked[0]
}
