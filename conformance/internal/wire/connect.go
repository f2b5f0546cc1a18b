package wire

import (
	"context"
	"encoding/json"
	"time"

	"github.com/coder/websocket"
)

// live connects, again and again, until the tab is closed.
func (tab *Tab) live() {
	defer close(tab.done)
	wait := backoffFirst
	for attempt := 0; tab.ctx.Err() == nil; attempt++ {
		url := tab.urls[attempt%len(tab.urls)]
		sock, err := tab.dial(url)
		if err == nil {
			wait = backoffFirst
			for err == nil {
				err = tab.receive(sock)
			}
			tab.lost(sock, url, err)
		}
		pause := time.NewTimer(wait)
		select {
		case <-tab.ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
		wait = min(2*wait, backoffMost)
	}
}

func (tab *Tab) dial(url string) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(tab.ctx, dialPatience)
	defer cancel()
	sock, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: []string{subprotocol}})
	if err != nil {
		return nil, err
	}
	sock.SetReadLimit(readLimit)
	if sock.Subprotocol() != subprotocol {
		tab.t.Errorf("tab %s: the server selected the subprotocol %q", tab.name, sock.Subprotocol())
	}
	tab.mu.Lock()
	tab.sock = sock
	tab.mu.Unlock()
	return sock, nil
}

// receive takes one frame.
func (tab *Tab) receive(sock *websocket.Conn) error {
	kind, data, err := sock.Read(tab.ctx)
	if err != nil {
		return err
	}
	tab.mu.Lock()
	defer tab.mu.Unlock()
	if kind != websocket.MessageText {
		tab.wrong("a frame that is no text")
	}
	if err := tab.take(data); err != nil {
		return err
	}
	tab.change()
	return nil
}

// lost notes that nothing sent on the socket can be answered any more.
func (tab *Tab) lost(sock *websocket.Conn, url string, why error) {
	_ = sock.CloseNow()
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.sock = nil
	tab.parted = append(tab.parted, Parting{url, tab.warned, int(websocket.CloseStatus(why))})
	tab.warned = false
	tab.view.lost()
	for _, in := range tab.inputs {
		in.frame = ""
	}
	tab.change()
}

// send writes a frame if there is a socket; what is lost is sent again after the
// next attach by whoever wants it. The lock is held.
func (tab *Tab) send(frame any) {
	if tab.sock == nil {
		return
	}
	data, err := json.Marshal(frame)
	if err != nil {
		tab.wrong("%v", err)
		return
	}
	ctx, cancel := context.WithTimeout(tab.ctx, dialPatience)
	defer cancel()
	if err := tab.sock.Write(ctx, websocket.MessageText, data); err != nil {
		_ = tab.sock.CloseNow()
	}
}
