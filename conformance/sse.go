package conformance

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"

	agui "github.com/aguiws/aguiws/client"
)

// events reads Server-Sent Events as AG-UI's own client does: lines end with LF,
// and an empty line ends an event.
func (h *httpConn) events(body io.Reader, x *exchange) error {
	lines := bufio.NewReaderSize(io.LimitReader(body, 2*readLimit), 64<<10)
	var data []byte
	var id string
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			if len(bytes.TrimSpace(line)) > 0 || len(data) > 0 {
				h.c.wrong(ruleHTTP, "the body ends in the middle of an event: %s", clip(append(data, line...), 200))
			}
			return err
		}
		line = line[:len(line)-1]
		if bytes.HasSuffix(line, []byte("\r")) {
			h.c.wrong(ruleHTTP, "a line ends with CR LF, which clients that split on LF LF do not see")
			line = line[:len(line)-1]
		}
		name, value, _ := strings.Cut(string(line), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case len(line) == 0 && data != nil:
			h.took(data, id, x)
			data, id = nil, ""
		case len(line) == 0 && id != "":
			if at, ok := positionOf(id); ok { // where the stream stands, without an event
				h.c.stand(at)
			}
			id = ""
		case len(line) == 0:
		case name == "data" && data == nil:
			data = []byte(value)
		case name == "data":
			data = append(append(data, '\n'), value...)
		case name == "id":
			id = value
		}
	}
}

// took hands one event on.
func (h *httpConn) took(data []byte, id string, x *exchange) {
	said := string(data)
	if id != "" {
		said += "   id: " + id
	}
	h.c.trace.add(h.c.name, "<", clip([]byte(said), 64<<10))
	at, counted := positionOf(id)
	if !counted {
		x.event(data, 0)
		return
	}
	if before := h.c.standing(); before != nil && before.Epoch == at.Epoch && at.Seq <= before.Seq && x.run == "" && !x.untilLive {
		h.c.wrong(ruleCounting, "the event %d follows the event %d", at.Seq, before.Seq)
	}
	x.event(data, at.Seq)
	h.c.stand(at)
}

// positionOf reads an event's id as this project writes it, EPOCH:SEQ. Those of other
// servers mean something else.
func positionOf(id string) (agui.Position, bool) {
	epoch, number, ok := strings.Cut(id, ":")
	seq, err := strconv.ParseInt(number, 10, 64)
	return agui.Position{Epoch: epoch, Seq: seq}, ok && err == nil
}
