package conformance

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/coder/websocket"

	agui "github.com/aguiws/aguiws/client"
)

// send carries out what a client does.
func (t *trial) send(ctx context.Context, c *client, line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if verb == "drop" {
		if c.conn != nil {
			c.conn.close()
			c.conn = nil
		}
		return nil
	}
	how := dialing{Subprotocols: []string{subprotocol}}
	if verb == "open" && rest != "" {
		data, err := t.vars.json(rest)
		if err != nil {
			return err
		}
		how = dialing{}
		if err := json.Unmarshal(data, &how); err != nil {
			return err
		}
	}
	if err := t.connect(c, how); err != nil {
		return err
	}
	switch verb {
	case "open":
		return nil
	case "run", "resume", "input", "again", "raw":
		return t.ask(c, verb, rest)
	case "follow", "continue":
		x := &exchange{c: c, items: newQueue[item]()}
		var after *agui.Position
		if verb == "continue" {
			if after = c.standing(); after == nil {
				return failf("client %s was never told a position", c.name)
			}
		} else {
			c.forget()
		}
		c.current = x
		thread := t.vars["thread"].(string)
		if rest != "" {
			thread = t.vars.text(rest)
		}
		return c.conn.follow(thread, after, x)
	case "stand":
		epoch, seq, _ := strings.Cut(rest, ":")
		n, err := strconv.ParseInt(seq, 10, 64)
		c.stand(agui.Position{Epoch: epoch, Seq: n})
		return err
	case "request":
		line := t.vars.text(rest)
		h, ok := c.conn.(*httpConn)
		switch _, address, _ := strings.Cut(line, " "); {
		case ok:
		case !isURL(address):
			return errCannot
		default: // beside the socket
			h = openHTTP(ctx, c, t.target)
			defer h.close()
		}
		x := &exchange{c: c, items: newQueue[item]()}
		c.current = x
		h.request(line, x)
		return nil
	case "cancel":
		return c.conn.cancel(t.vars["thread"].(string), t.vars.text("$"+rest))
	case "frame":
		data, err := t.vars.json(rest)
		if err != nil {
			return err
		}
		return t.socket(c, websocket.MessageText, data)
	case "text":
		return t.socket(c, websocket.MessageText, []byte(t.vars.text(rest)))
	case "large":
		var size int
		if _, err := fmt.Sscan(rest, &size); err != nil {
			return err
		}
		return t.socket(c, websocket.MessageText, []byte(strings.Repeat(" ", size)))
	case "burst", "attach-many":
		return t.many(c, verb, rest)
	case "binary":
		data, err := hex.DecodeString(rest)
		if err != nil {
			return err
		}
		return t.socket(c, websocket.MessageBinary, data)
	case "invalid-utf8":
		return t.socket(c, websocket.MessageText, []byte("{\"type\":\"\xff\xfe\"}"))
	}
	return fmt.Errorf("a client cannot %q", verb)
}

func (t *trial) socket(c *client, kind websocket.MessageType, data []byte) error {
	type sender interface {
		send(websocket.MessageType, []byte) error
	}
	s, ok := c.conn.(sender)
	if !ok {
		return errCannot
	}
	return s.send(kind, data)
}

// many sends N frames at once: pings, or requests to follow $thread-0, $thread-1, …
func (t *trial) many(c *client, verb, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	for i := range n {
		request := map[string]any{"type": "ws.ping", "id": "n" + strconv.Itoa(i)}
		if verb == "attach-many" {
			request = map[string]any{"type": "ws.attach", "threadId": fmt.Sprintf("%s-%d", t.vars["thread"], i)}
		}
		if err := t.socket(c, websocket.MessageText, encode(request)); err != nil {
			return err
		}
	}
	return nil
}
