package wire

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

// frame is any control frame of the server.
type frame struct {
	Type        string
	ID          string
	ThreadID    string
	RunID       string
	Epoch       string
	Seq         int64
	Uncounted   int
	Recovered   bool
	Reason      string
	ActiveRunID string
	Interrupts  []protocol.Interrupt
	Queued      []struct{ RunID string }
	Disposition string
	Of          string
	Stopped     bool
	Code        string
	Message     string
	Binding     string
	Positions   map[string]int64
}

var errStartAgain = errors.New("wire: the connection is of no use")

// take handles one text frame. The lock is held.
func (tab *Tab) take(data []byte) error {
	var kind struct{ Type string }
	if err := json.Unmarshal(data, &kind); err != nil {
		tab.wrong("not a JSON object: %.200s", data)
		return nil
	}
	if !strings.HasPrefix(kind.Type, "ws.") {
		tab.event(data)
		return nil
	}
	var f frame
	if err := json.Unmarshal(data, &f); err != nil {
		tab.wrong("%v in %.200s", err, data)
		return nil
	}
	if tab.view.block.left > 0 {
		tab.wrong("%s, and %d uncounted events are still due", f.Type, tab.view.block.left)
	}
	if f.ThreadID != "" && f.ThreadID != tab.thread {
		tab.wrong("%s about the thread %q", f.Type, f.ThreadID)
	}
	switch f.Type {
	case "ws.hello":
		if f.Binding != "agui.v1" {
			tab.wrong("ws.hello with the binding %q", f.Binding)
		}
		tab.attach()
	case "ws.attached":
		tab.view.attached(tab, &f)
	case "ws.stream":
		tab.view.stream(tab, &f)
	case "ws.live":
		if f.Seq != tab.view.at || f.Seq < tab.view.seq {
			tab.wrong("ws.live at %d, and the socket is at %d", f.Seq, tab.view.at)
		}
		tab.view.restate = false
		tab.caughtUp()
	case "ws.pong":
		if at, there := f.Positions[tab.thread]; !there || at != tab.view.at {
			tab.wrong("ws.pong with the positions %v", f.Positions)
		}
	case "ws.run":
		tab.answered(&f)
	case "ws.cancelled", "ws.detached", "ws.store":
	case "ws.goaway":
		tab.warned = true
	case "ws.error":
		if f.Code != "store_unavailable" && f.Code != "rate_limited" {
			tab.wrong("ws.error %s: %s", f.Code, f.Message)
		}
		return errStartAgain
	default:
		tab.wrong("a frame %s", f.Type)
	}
	return nil
}

type after struct {
	Epoch string `json:"epoch"`
	Seq   int64  `json:"seq"`
}

// attach asks for what the tab has missed.
func (tab *Tab) attach() {
	request := struct {
		Type     string `json:"type"`
		ID       string `json:"id"`
		ThreadID string `json:"threadId"`
		After    *after `json:"after,omitempty"`
	}{Type: "ws.attach", ID: tab.frameID(), ThreadID: tab.thread}
	if tab.view.held {
		request.After = &after{tab.view.epoch, tab.view.seq}
	}
	tab.view.asking, tab.view.asked = true, tab.view.seq
	tab.view.live = false
	tab.send(request)
}

func (tab *Tab) frameID() string {
	tab.next++
	return "f" + strconv.Itoa(tab.next)
}

// caughtUp sends what has not been answered.
func (tab *Tab) caughtUp() {
	tab.view.live = true
	for _, in := range tab.inputs {
		if in.frame == "" && in.end == nil {
			tab.submit(in)
		}
	}
}

// later sends an input again that the server asked to send again.
func (tab *Tab) later(in *Input) {
	in.frame = "later"
	in.disposition = ""
	time.AfterFunc(50*time.Millisecond, func() {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		if in.frame == "later" && !tab.closed {
			in.frame = ""
			if tab.view.live {
				tab.submit(in)
			}
		}
	})
}
