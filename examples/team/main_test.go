package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// terminal is what is logged, by several goroutines.
type terminal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *terminal) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *terminal) times(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), what)
}

func TestTeam(t *testing.T) {
	for name, test := range map[string]struct {
		answer, says string
		published    int
	}{
		"approved": {`{"approved":true}`, "It is published.", 1},
		"declined": {`{"approved":false}`, "It stays a draft.", 0},
	} {
		t.Run(name, func(t *testing.T) {
			logged := new(terminal)
			log.SetOutput(logged)
			defer log.SetOutput(os.Stderr)
			ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
			defer stop()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer http.DefaultClient.CloseIdleConnections()
			served := make(chan error, 1)
			go func() { served <- serve(ctx, listener) }()
			defer func() {
				stop()
				if err := <-served; err != nil {
					t.Error(err)
				}
				if n := logged.times("publishing "); n != test.published {
					t.Errorf("published %d times", n)
				}
			}()
			c, err := client.Dial(ctx, "ws://"+listener.Addr().String()+"/agui/ws", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			thread, err := c.Follow(ctx, "news", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := thread.Say("the flowers").Wait(ctx); err != nil {
				t.Fatal(err)
			}
			// The question is the writer's; it is answered at the lead's thread.
			answerWhatIsOpen(ctx, t, "http://"+listener.Addr().String(), test.answer)
			for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
				messages := thread.View().Messages
				if last := messages[len(messages)-1].Content.String(); last == test.says {
					return
				}
			}
			t.Errorf("it says %+v", thread.View().Messages)
		})
	}
}

// answerWhatIsOpen waits for the one question of the inbox, and answers it at the thread "news".
func answerWhatIsOpen(ctx context.Context, t *testing.T, url, payload string) {
	t.Helper()
	var inbox struct {
		Items []struct {
			ThreadID   string
			Interrupts []struct{ ID string }
		}
	}
	for ; len(inbox.Items) == 0; time.Sleep(time.Millisecond) {
		call(ctx, t, "GET", url+"/v1/inbox", "", &inbox)
	}
	asked := inbox.Items[0]
	var resolved struct{ ThreadID string }
	call(ctx, t, "POST", url+"/v1/threads/news/interrupts/resolve",
		`{"entries":[{"interruptId":"`+asked.Interrupts[0].ID+`","status":"resolved","payload":`+payload+`}]}`, &resolved)
	if len(inbox.Items) != 1 || asked.ThreadID == "news" || resolved.ThreadID != asked.ThreadID {
		t.Errorf("the inbox has %+v, and it is resolved at %+v", inbox, resolved)
	}
}

func call(ctx context.Context, t *testing.T, method, url, body string, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(answer.Body); err != nil || answer.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %d %s, %v", method, url, answer.StatusCode, text.String(), err)
	}
	if err := json.Unmarshal(text.Bytes(), into); err != nil {
		t.Fatal(err)
	}
}
