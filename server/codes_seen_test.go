package server

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"sync"

	"github.com/aguiws/aguiws/internal/bindingschema"
)

// seen is what the tests of this package have had from servers, by what
// docs/binding calls it: see codes_test.go.
var seen = struct {
	sync.Mutex
	what  map[string]bool
	wrong map[string]bool // control frames that do not fit their schema, by what is wrong
}{what: map[string]bool{}, wrong: map[string]bool{}}

func saw(format string, args ...any) {
	seen.Lock()
	defer seen.Unlock()
	seen.what[fmt.Sprintf(format, args...)] = true
}

// tapAll has what clients read that use Go's default transport looked at.
func tapAll() { tapTransport(http.DefaultTransport.(*http.Transport)) }

func tapTransport(t *http.Transport) {
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return tap(c), nil
	}
}

// tap notes what is read from a client's end of a connection.
func tap(c net.Conn) net.Conn { return &tapped{Conn: c} }

type tapped struct {
	net.Conn
	held   []byte // of the part that is not complete
	socket bool
	opened bool // whether it is a socket has been decided
	text   []byte
}

func (c *tapped) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.held = append(c.held, b[:n]...)
	if !c.opened && bytes.Contains(c.held, []byte("\r\n\r\n")) {
		if c.opened = true; bytes.HasPrefix(c.held, []byte("HTTP/1.1 101 ")) {
			_, c.held, _ = bytes.Cut(c.held, []byte("\r\n\r\n"))
			c.socket = true
		}
	}
	if c.socket {
		c.frames()
	} else if c.opened {
		c.answers()
	}
	return n, err
}

// frames takes the complete frames of what is held.
func (c *tapped) frames() {
	for len(c.held) >= 2 {
		opcode, size, head := c.held[0]&0xf, int(c.held[1]&0x7f), 2
		switch size {
		case 126:
			head = 4
		case 127:
			head = 10
		}
		if len(c.held) < head {
			return
		}
		switch head {
		case 4:
			size = int(binary.BigEndian.Uint16(c.held[2:]))
		case 10:
			size = int(binary.BigEndian.Uint64(c.held[2:]))
		}
		if len(c.held) < head+size {
			return
		}
		payload := c.held[head : head+size]
		switch opcode {
		case 0, 1:
			if c.text = append(c.text, payload...); c.held[0]&0x80 != 0 {
				sawFrame(c.text)
				c.text = c.text[:0]
			}
		case 8:
			if size >= 2 {
				saw("close %d", binary.BigEndian.Uint16(payload))
			}
		}
		c.held = c.held[head+size:]
	}
}

func sawFrame(text []byte) {
	if !bytes.Contains(text, []byte(`"type":"ws.`)) && !bytes.Contains(text, []byte(`"type":"RUN_ERROR"`)) {
		return
	}
	var f struct{ Type, Code, Disposition, Reason string }
	if json.Unmarshal(text, &f) != nil {
		return
	}
	switch f.Type {
	case "RUN_ERROR":
		saw("RUN_ERROR %s", f.Code)
		return
	case "ws.error":
		saw("ws.error %s", f.Code)
	case "ws.run":
		saw("disposition %s", f.Disposition)
	case "ws.attached":
		if f.Reason != "" {
			saw("reason %s", f.Reason)
		}
	}
	saw("frame %s", f.Type)
	if err := bindingFrames().Check(bindingschema.Server, text); err != nil {
		seen.Lock()
		defer seen.Unlock()
		seen.wrong[fmt.Sprintf("%s does not fit frames.schema.json: %v", f.Type, err)] = true
	}
}

var (
	refusedAnswer = regexp.MustCompile(`^HTTP/1\.1 (\d+) [^\n]*\n(?:[^\r\n]+\r?\n)*\r?\n(?:[0-9a-f]+\r\n)?\{"code":"([a-z_]+)"`)
	brokenOff     = regexp.MustCompile(`data: \{"type":"RUN_ERROR"[^\n]*"code":"([a-z_]+)"`)
	nextAnswer    = []byte("HTTP/1.1 ")
)

// answersKept bounds what is held of a stream to find what spans two reads.
const answersKept = 64 << 10

// answers looks at what is held of answers over HTTP, again at each read: what
// was seen stays seen.
func (c *tapped) answers() {
	if next := bytes.LastIndex(c.held, nextAnswer); next > 0 {
		c.held = c.held[next:]
	}
	// Those of the control API are listed in its own description.
	if m := refusedAnswer.FindSubmatch(c.held); m != nil && !bytes.Contains(c.held, []byte("application/problem+json")) {
		saw("%s %s", m[1], m[2])
	}
	for _, m := range brokenOff.FindAllSubmatch(c.held, -1) {
		saw("stream %s", m[1])
	}
	if len(c.held) > answersKept {
		c.held = append([]byte(nil), c.held[len(c.held)-answersKept/2:]...)
	}
}
