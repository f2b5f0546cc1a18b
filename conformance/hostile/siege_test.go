package hostile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

const (
	attackerToken, attackerAddress = "attacker-0123456789", "203.0.113.7"
	victimToken, victimAddress     = "victim-0123456789", "198.51.100.20"
	tokens                         = `[{token: ` + attackerToken + `, user: eve, tenant: evil}, {token: ` + victimToken + `, user: ann, tenant: acme}]`
	// stock is the thread that the attacker has filled.
	stock = "stock"
	// advance is how long an attacker may take to be at its limit. A server that
	// stops it keeps it from there for ever.
	advance = 8 * time.Second
)

// siege is a server and who attacks it.
type siege struct {
	t      *testing.T
	server *command.Server
	redis  *redistest.Server

	ctx     context.Context
	end     context.CancelFunc
	working sync.WaitGroup
	reached chan struct{} // takes one from whoever has got as far as it may

	before  int64         // written to the log before the attack
	ended   chan struct{} // has one of each connection of nobody that was ended
	held    int           // connections of nobody
	answers []answered
}

// lay starts a server as the way wants it.
func lay(t *testing.T, w way) *siege {
	t.Helper()
	list := filepath.Join(t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(list, []byte(tokens), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &siege{t: t, redis: redistest.Start(t, redistest.Options{}), reached: make(chan struct{}, 1<<10)}
	opts := command.Options{Redis: s.redis.URL()}
	if w.asking {
		t.Setenv(asksFor, "1")
		var err error
		if opts.Binary, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	} else {
		opts.Args = append([]string{
			"--auth", "tokens", "--token-file", list, "--trusted-proxies", "127.0.0.1",
			"--max-inputs", "6000", "--drain-timeout", "30s",
		}, w.args...)
	}
	s.server = command.Start(t, opts)
	s.ctx, s.end = context.WithCancel(t.Context())
	t.Cleanup(s.lift)
	for n := range w.fill {
		s.fill(n)
	}
	s.before = s.server.Written()
	s.guard()
	return s
}

// lift ends the attack.
func (s *siege) lift() {
	s.end()
	s.working.Wait()
}

// guard ends an attack that has been shown to succeed before it takes the machine.
func (s *siege) guard() {
	s.working.Go(func() {
		look := time.NewTicker(50 * time.Millisecond)
		defer look.Stop()
		for {
			select {
			case <-s.ctx.Done():
				return
			case <-look.C:
			}
			if now, _ := s.server.Resident(); now > ceiling+768*mib {
				s.end()
			}
		}
	})
}

// repeat has n attackers do something again and again, and waits until each of them
// has got as far as it may.
func (s *siege) repeat(n int, do func(ctx context.Context, reached func())) {
	for range n {
		var once sync.Once
		reached := func() { once.Do(func() { s.reached <- struct{}{} }) }
		s.working.Go(func() {
			for s.ctx.Err() == nil {
				do(s.ctx, reached)
				select {
				case <-s.ctx.Done():
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
	}
	deadline := time.After(advance)
	for range n {
		select {
		case <-s.reached:
		case <-deadline:
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// fill puts an input that is nearly as large as one may be.
func (s *siege) fill(n int) {
	s.t.Helper()
	status, text := s.post(s.ctx, attackerToken, attackerAddress, "/agui", large(stock, n))
	if status != http.StatusOK || !strings.Contains(text, `"type":"RUN_FINISHED"`) {
		s.t.Fatalf("filling a thread: %d %.300s", status, text)
	}
}

// large is an input of nearly 4 MiB.
func large(thread string, n int) string {
	return input(thread, fmt.Sprintf("r%d", n), fmt.Sprintf("m%d", n), strings.Repeat("x", 3900<<10))
}

func input(thread, run, message, text string) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":%q,"messages":[{"id":%q,"role":"user","content":%q}]}`, thread, run, message, text)
}

// post sends a body and reads what comes; a status of 0 is none.
func (s *siege) post(ctx context.Context, token, address, path, body string) (status int, text string) {
	return s.request(ctx, http.MethodPost, token, address, path, strings.NewReader(body))
}

func (s *siege) request(ctx context.Context, method, token, address, path string, body io.Reader) (status int, text string) {
	r, err := http.NewRequestWithContext(ctx, method, s.server.URL()+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("X-Forwarded-For", address)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	var all bytes.Buffer
	_, err = all.ReadFrom(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, all.String()
}
