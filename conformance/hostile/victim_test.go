package hostile

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/client"
)

const (
	// beats are how often the victim does in a window what it does.
	beats = 25
	// patience is after what it goes away.
	patience = 20 * time.Second
	// pace keeps it below the limits of its own.
	pace = 60 * time.Millisecond
)

// victim is a user who does little, and wants to be let.
type victim struct {
	s     *siege
	count int
}

func newVictim(s *siege) *victim { return &victim{s: s} }

func (v *victim) leave() { http.DefaultClient.CloseIdleConnections() }

// work is a window: it returns the victim's p99, and fails the test when something
// is refused.
func (v *victim) work() time.Duration {
	t := v.s.t
	t.Helper()
	ctx := t.Context()
	socket, err := v.open(ctx)
	if err != nil {
		t.Errorf("the victim gets no socket: %v", err)
		return patience
	}
	defer socket.CloseNow()
	var took []time.Duration
	paced := time.NewTicker(pace)
	defer paced.Stop()
	for range beats {
		for what, do := range map[string]func(context.Context) error{
			"POST /agui": v.post, "an input on its socket": func(ctx context.Context) error { return v.send(ctx, socket) },
		} {
			began := time.Now()
			bounded, cancel := context.WithTimeout(ctx, patience)
			err := do(bounded)
			cancel()
			if err != nil {
				t.Errorf("the victim's %s: %v", what, err)
				return patience
			}
			took = append(took, time.Since(began))
		}
		bounded, cancel := context.WithTimeout(ctx, patience)
		status, text := v.s.request(bounded, http.MethodGet, victimToken, victimAddress, "/readyz", nil)
		cancel()
		if status != http.StatusOK {
			t.Errorf("the victim's GET /readyz: %d %.300s", status, text)
			return patience
		}
		<-paced.C
	}
	slices.Sort(took)
	return took[(len(took)*99+99)/100-1]
}

func (v *victim) say() (thread, body string) {
	v.count++
	thread = fmt.Sprintf("small-%d", v.count)
	return thread, input(thread, "r", "m", "/say hi")
}

func (v *victim) post(ctx context.Context) error {
	_, body := v.say()
	status, text := v.s.post(ctx, victimToken, victimAddress, "/agui", body)
	if status != http.StatusOK || !strings.Contains(text, `"type":"RUN_FINISHED"`) {
		return fmt.Errorf("%d %.300s", status, text)
	}
	return nil
}

func (v *victim) open(ctx context.Context) (*client.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return client.Open(ctx, v.s.server.Socket(), &client.DialOptions{
		Subprotocols: []string{}, // plain mode
		Header:       http.Header{"Authorization": {"Bearer " + victimToken}, "X-Forwarded-For": {victimAddress}},
	})
}

func (v *victim) send(ctx context.Context, socket *client.Conn) error {
	_, body := v.say()
	if err := socket.Write(ctx, websocket.MessageText, []byte(body)); err != nil {
		return err
	}
	for {
		f, err := socket.Receive(ctx)
		switch {
		case err != nil:
			return err
		case f.Type == "RUN_FINISHED":
			return nil
		case f.Type == "RUN_ERROR":
			return fmt.Errorf("%s", f.Data)
		}
	}
}
