package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

const ownCaps = `{"transport":{"websocket":true,"resumable":true},"tools":{"supported":true},"identity":{"name":"far"},"custom":{"aguiws":{"unanswered":"refuse"}}}`

// What an agent says of itself is told, but for what this server does in its place.
func TestSaidCapabilities(t *testing.T) {
	for said, want := range map[string]string{
		``: `{"transport":{"websocket":true,"resumable":true},"identity":{"name":"far"},"state":{"persistentState":true},"custom":{"aguiws":{"unanswered":"refuse"}}}`,
		`{"identity":{"name":"X","description":"d"},"transport":{"streaming":true,"httpBinary":true},"state":{"deltas":true,"persistentState":false},"tools":{"supported":false},"humanInTheLoop":{"interrupts":true},"x":1,"custom":{"aguiws":{"unanswered":"cancel"},"y":2}}`://
		`{"identity":{"name":"X","description":"d"},"transport":{"websocket":true,"resumable":true},"state":{"deltas":true,"persistentState":true},"tools":{"supported":false},"humanInTheLoop":{"interrupts":true},"x":1,"custom":{"aguiws":{"unanswered":"refuse"},"y":2}}`,
		`{"x":"` + strings.Repeat("x", maxCapabilities) + `"}`: "",
	} {
		var caps *protocol.AgentCapabilities
		if said != "" {
			caps = sayCaps(t, said)
		}
		got, err := withSaid(json.RawMessage(ownCaps), caps)
		if (err == nil) != (want != "") || err == nil && !sameJSON(t, got, []byte(want)) {
			t.Errorf("%.200s became %s, %v", said, got, err)
		}
	}
}

func sayCaps(t *testing.T, text string) *protocol.AgentCapabilities {
	t.Helper()
	caps := new(protocol.AgentCapabilities)
	if err := json.Unmarshal([]byte(text), caps); err != nil {
		t.Error(err)
	}
	return caps
}

// An agent is asked by one at a time, seldom, and holds nobody up.
func TestCapabilitiesAreAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, answer, fails := 0, `{"identity":{"name":"one"}}`, error(nil)
		takes := 100 * time.Millisecond
		a := newAskedCapabilities("far", func(ctx context.Context) (*protocol.AgentCapabilities, error) {
			asked++
			select {
			case <-time.After(takes):
				return sayCaps(t, answer), fails
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}, json.RawMessage(ownCaps), slog.New(slog.DiscardHandler))
		name := func() string {
			var c protocol.AgentCapabilities
			began := time.Now()
			if err := json.Unmarshal(a.get(t.Context()), &c); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took > capabilitiesPatience {
				t.Errorf("somebody waited %v", took)
			}
			return c.Identity.Name
		}
		want := func(says string, times int) {
			t.Helper()
			if got := name(); got != says || asked != times {
				t.Errorf("it is %s, asked %d times; want %s, %d", got, asked, says, times)
			}
		}

		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { name() })
		}
		all.Wait()
		want("one", 1)
		answer = `{"identity":{"name":"two"}}`
		time.Sleep(capabilitiesAge - time.Second)
		want("one", 1)
		time.Sleep(time.Second)
		want("two", 2)

		// What was said stands while nothing is said, and nobody waits for it again at once.
		fails = errors.New("away")
		time.Sleep(capabilitiesAge)
		want("two", 3)
		want("two", 3)
		time.Sleep(capabilitiesPause)
		takes = time.Hour
		all.Go(func() { name() })
		synctest.Wait()
		began := time.Now()
		want("two", 4)
		if took := time.Since(began); took > 0 {
			t.Errorf("who could be told what was said waited %v", took)
		}
		all.Wait()
	})
}

func TestCapabilitiesOfTheSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		a := newAskedCapabilities("far", func(ctx context.Context) (*protocol.AgentCapabilities, error) {
			asked++
			<-ctx.Done()
			return nil, ctx.Err()
		}, json.RawMessage(ownCaps), slog.New(slog.DiscardHandler))
		gone, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, leave)
		a.get(gone)
		for range 3 {
			if got := string(a.get(t.Context())); !strings.Contains(got, `"name":"far"`) {
				t.Errorf("got %s", got)
			}
		}
		if asked != 2 {
			t.Errorf("it was asked %d times: once for who left, once for all others", asked)
		}
	})
}

// The upstream's description is the one that CopilotKit's pages show.
func TestCapabilitiesAreTold(t *testing.T) {
	ts := newTestServer(t, newFake(), &Options{Agents: []string{"far"}, Identities: map[string]protocol.IdentityCapabilities{"far": {Name: "far"}},
		Capabilities: map[string]func(context.Context) (*protocol.AgentCapabilities, error){"far": func(context.Context) (*protocol.AgentCapabilities, error) {
			return sayCaps(t, `{"identity":{"name":"Weather","description":"knows the weather"}}`), nil
		}}})
	var info struct {
		Agents map[string]struct {
			Description  string
			Capabilities struct{ Identity struct{ Name string } }
		}
	}
	if err := json.NewDecoder(ts.ask("GET", "/copilotkit/info", "").resp.Body).Decode(&info); err != nil {
		t.Fatal(err)
	}
	if far := info.Agents["far"]; far.Description != "knows the weather" || far.Capabilities.Identity.Name != "Weather" {
		t.Errorf("%+v", info)
	}
	if _, _, body := ts.get("/agui/far/capabilities", nil, ""); !strings.Contains(fmt.Sprint(body), "knows the weather") {
		t.Errorf("%v", body)
	}
	c := ts.connect("/agui/far/ws", nil)
	if hello := c.expect("ws.hello"); !strings.Contains(fmt.Sprint(hello), "knows the weather") {
		t.Errorf("%v", hello)
	}
}
