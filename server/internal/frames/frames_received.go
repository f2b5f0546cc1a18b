// Package frames reads what clients send, and the events and positions that they are told,
// whatever carries them.
package frames

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/problem"
	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

const (
	MaxID         = 64 // bytes of a frame's id
	MaxMalformed  = 8  // frames that are no JSON object, a socket
	maxFaultBytes = 4 << 10
)

// Frame is what a client sent, checked. A frame with a fault is answered by
// that and has no effect.
type Frame struct {
	ID       string
	Kind     string // "" for an input, else the type of a control frame
	Input    *protocol.RunAgentInput
	ThreadID string
	Label    string
	Commands bool          // the input may answer by a command
	Through  store.Through // how the input has come; "": by a socket
	After    *store.Position
	Window   int    // of an attach; 0: all messages
	Before   string // of a page of messages
	Limit    int

	Fault      *Fault
	RetryAfter time.Duration // over the rate: refused, come back after that
	Last       bool          // the socket closes after the answer

	Account *budget.Account // what the frame holds weight bytes of; nil: it holds nothing
	Weight  int64
	Source  source // nil: nobody waits for that

	Dialect Dialect     // who sends it, as far as its request says
	Aborted atomic.Bool // the client of a plain socket has no use for its run any more
}

// Named is what metrics call the frame: no name that a client made up.
func (f *Frame) Named() string {
	switch {
	case f.Fault != nil:
		return "invalid"
	case f.Input != nil:
		return "input"
	}
	return f.Kind
}

// source is told that so many bytes of its frames have been worked on.
type source interface{ Worked(bytes int64) }

// Done gives back what the frame holds of the process's budget.
func (f *Frame) Done() {
	if f.Account == nil {
		return
	}
	f.Account.Give(f.Weight)
	f.Account = nil
	if f.Source != nil {
		f.Source.Worked(f.Weight)
	}
}

// Fault says why a frame cannot be taken, and where in it.
type Fault struct {
	Code, Message string
	Fields        []problem.Problem
	Retry         time.Duration // the same frame may be sent again after that; 0: it would be refused again
}

// Faultf is a fault with a message that is cut if it is long.
func Faultf(code, format string, args ...any) *Fault {
	msg := fmt.Sprintf(format, args...)
	if len(msg) > maxFaultBytes {
		msg = strings.ToValidUTF8(msg[:maxFaultBytes], "") + " …"
	}
	return &Fault{Code: code, Message: msg}
}

// Laterf is a fault that passes.
func Laterf(after time.Duration, code, format string, args ...any) *Fault {
	f := Faultf(code, format, args...)
	f.Retry = after
	return f
}

// Parse reads a text frame that is valid UTF-8.
func Parse(data []byte) *Frame {
	f := &Frame{}
	document, members, bad := ObjectOf(data)
	if bad != nil {
		f.Fault = Faultf(refusal.CodeMalformed, "%s", bad)
		if bad.Twice {
			f.Fault.Code = refusal.CodeInvalidFrame
		}
		return f
	}
	if id, there := members["id"]; there {
		if f.ID, there = strictjson.Text(id); !there || len(f.ID) > MaxID {
			f.ID = ""
			f.Fault = Faultf(refusal.CodeInvalidFrame, "id: expected a string of at most %d bytes", MaxID)
			return f
		}
	}
	if kind, typed := members["type"]; typed {
		f.Kind, _ = strictjson.Text(kind)
		f.Fault = f.control(members)
	} else {
		f.Fault = f.ReadInput(document)
	}
	if id, ok := strictjson.Text(members["threadId"]); f.Fault != nil && ok && strictjson.IsName(id) {
		f.ThreadID = id // for the answer
	}
	return f
}

// ReadInput reads an input into the frame.
func (f *Frame) ReadInput(document protocol.Document) *Fault {
	in, err := document.DecodeInput()
	if err != nil {
		var list []string
		for _, p := range problem.Of(err) {
			list = append(list, strings.TrimPrefix(p.Pointer+": "+p.Message, ": "))
		}
		if list == nil {
			list = []string{err.Error()}
		}
		bad := Faultf(refusal.CodeInvalidInput, "not a RunAgentInput: %s", strings.Join(list, "; "))
		bad.Fields = problem.Of(err)
		return bad
	}
	for _, name := range []struct{ pointer, value string }{{"/threadId", in.ThreadID}, {"/runId", in.RunID}} {
		if !strictjson.IsName(name.value) {
			bad := Faultf(refusal.CodeInvalidInput, "%s: an id has %s", name.pointer, strictjson.NameRule)
			bad.Fields = []problem.Problem{{Pointer: name.pointer, Message: "an id has " + strictjson.NameRule}}
			return bad
		}
	}
	delete(in.Extra, "id")
	f.Input, f.ThreadID, f.Label = in, in.ThreadID, in.RunID
	return nil
}

// control reads the members that the control frame has. Members that it does
// not have are ignored.
func (f *Frame) control(members map[string]json.RawMessage) *Fault {
	name := func(member string, into *string) *Fault { return readName(members, member, into) }
	switch f.Kind {
	case "ws.ping":
		return nil
	case "ws.detach":
		return name("threadId", &f.ThreadID)
	case "ws.cancel":
		if bad := name("threadId", &f.ThreadID); bad != nil {
			return bad
		}
		return name("runId", &f.Label)
	case "ws.attach":
		if bad := name("threadId", &f.ThreadID); bad != nil {
			return bad
		}
		if bad := readCount(members, "window", &f.Window); bad != nil {
			return bad
		}
		return f.readAfter(members["after"])
	case "ws.messages":
		if bad := name("threadId", &f.ThreadID); bad != nil {
			return bad
		}
		return f.readPage(members)
	case "":
		return Faultf(refusal.CodeInvalidFrame, "type: expected a string that begins with ws., or no type for an input")
	default:
		return Faultf(refusal.CodeInvalidFrame, "type: %.64q is no frame of a client", f.Kind)
	}
}

// KindAbort is the frame by which clients of plain sockets stop a run.
const KindAbort = "abort"

// ParsePlain reads a text frame of a plain socket.
func ParsePlain(data []byte) *Frame {
	f := Parse(data)
	if f.Kind == KindAbort {
		_, members, _ := ObjectOf(data)
		f.Fault = readName(members, "runId", &f.Label)
	}
	return f
}

func readName(members map[string]json.RawMessage, member string, into *string) *Fault {
	v, _ := strictjson.Text(members[member])
	if !strictjson.IsName(v) {
		return Faultf(refusal.CodeInvalidFrame, "%s: an id is a string that has %s", member, strictjson.NameRule)
	}
	*into = v
	return nil
}

func (f *Frame) readAfter(data json.RawMessage) *Fault {
	if data == nil {
		return nil
	}
	wrong := Faultf(refusal.CodeInvalidFrame, "after: expected epoch, a string, and seq, an integer from 0, both or none")
	members, bad := strictjson.Members(data)
	if bad != nil {
		return wrong
	}
	epoch, ok := strictjson.Text(members["epoch"])
	if !ok || !strictjson.IsName(epoch) {
		return wrong
	}
	var seq *int64
	if json.Unmarshal(members["seq"], &seq) != nil || seq == nil || *seq < 0 {
		return wrong
	}
	f.After = &store.Position{Epoch: epoch, Seq: *seq}
	return nil
}

// ObjectOf reads the members of the object that data is, and the whole as a
// document, whose text nobody checks again.
func ObjectOf(data []byte) (protocol.Document, map[string]json.RawMessage, *strictjson.Error) {
	data = bytes.Trim(data, " \t\r\n")
	document, err := protocol.NewDocument(data)
	if err != nil {
		return document, nil, strictjson.NoObject()
	}
	members, bad := strictjson.ValidMembers(data)
	return document, members, bad
}
