package server

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

// Subprotocol is the name of the WebSocket binding, version 1.
const Subprotocol = "agui.v1.json"

const (
	maxID         = 64 // bytes of a frame's id
	maxMalformed  = 8  // frames that are no JSON object, a socket
	maxFaultBytes = 4 << 10
)

// Codes of refusals, as docs/binding/codes.md lists them. Those of runs that may not
// start come from the runner, except for the ones here.
const (
	codeMalformed      = "malformed_frame"
	codeInvalidFrame   = "invalid_frame"
	codeInvalidInput   = refusal.CodeInvalidInput
	codeTooManyThreads = "too_many_threads"
	codeRateLimited    = refusal.CodeRateLimited
	codeForbidden      = refusal.CodeForbidden
	codeOverloaded     = "overloaded"
	codeDraining       = "server_draining"
	codeStore          = "store_unavailable"
)

// frame is what a client sent, checked. A frame with a fault is answered by
// that and has no effect.
type frame struct {
	id       string
	kind     string // "" for an input, else the type of a control frame
	input    *protocol.RunAgentInput
	threadID string
	label    string
	commands bool          // the input may answer by a command
	through  store.Through // how the input has come; "": by a socket
	after    *store.Position
	window   int    // of an attach; 0: all messages
	before   string // of a page of messages
	limit    int

	fault      *fault
	retryAfter time.Duration // over the rate: refused, come back after that
	last       bool          // the socket closes after the answer

	account *budget.Account // what the frame holds weight bytes of; nil: it holds nothing
	weight  int64
	sender  *socket // nil: no socket's

	dialect dialect     // who sends it, as far as its request says
	aborted atomic.Bool // the client of a plain socket has no use for its run any more
}

// done gives back what the frame holds of the process's budget.
func (f *frame) done() {
	if f.account == nil {
		return
	}
	f.account.Give(f.weight)
	f.account = nil
	if f.sender != nil {
		f.sender.worked(f.weight)
	}
}

// fault says why a frame cannot be taken, and where in it.
type fault struct {
	code, message string
	fields        []problem.Problem
	retry         time.Duration // the same frame may be sent again after that; 0: it would be refused again
}

func faultf(code, format string, args ...any) *fault {
	msg := fmt.Sprintf(format, args...)
	if len(msg) > maxFaultBytes {
		msg = strings.ToValidUTF8(msg[:maxFaultBytes], "") + " …"
	}
	return &fault{code: code, message: msg}
}

// laterf is a fault that passes.
func laterf(after time.Duration, code, format string, args ...any) *fault {
	f := faultf(code, format, args...)
	f.retry = after
	return f
}

// parseFrame reads a text frame that is valid UTF-8.
func parseFrame(data []byte) *frame {
	f := &frame{}
	document, members, bad := objectOf(data)
	if bad != nil {
		f.fault = faultf(codeMalformed, "%s", bad)
		if bad.Twice {
			f.fault.code = codeInvalidFrame
		}
		return f
	}
	if id, there := members["id"]; there {
		if f.id, there = strictjson.Text(id); !there || len(f.id) > maxID {
			f.id = ""
			f.fault = faultf(codeInvalidFrame, "id: expected a string of at most %d bytes", maxID)
			return f
		}
	}
	if kind, typed := members["type"]; typed {
		f.kind, _ = strictjson.Text(kind)
		f.fault = f.control(members)
	} else {
		f.fault = f.readInput(document)
	}
	if id, ok := strictjson.Text(members["threadId"]); f.fault != nil && ok && strictjson.IsName(id) {
		f.threadID = id // for the answer
	}
	return f
}

func (f *frame) readInput(document protocol.Document) *fault {
	in, err := document.DecodeInput()
	if err != nil {
		var list []string
		for _, p := range problem.Of(err) {
			list = append(list, strings.TrimPrefix(p.Pointer+": "+p.Message, ": "))
		}
		if list == nil {
			list = []string{err.Error()}
		}
		bad := faultf(codeInvalidInput, "not a RunAgentInput: %s", strings.Join(list, "; "))
		bad.fields = problem.Of(err)
		return bad
	}
	for _, name := range []struct{ pointer, value string }{{"/threadId", in.ThreadID}, {"/runId", in.RunID}} {
		if !strictjson.IsName(name.value) {
			bad := faultf(codeInvalidInput, "%s: an id has %s", name.pointer, strictjson.NameRule)
			bad.fields = []problem.Problem{{Pointer: name.pointer, Message: "an id has " + strictjson.NameRule}}
			return bad
		}
	}
	delete(in.Extra, "id")
	f.input, f.threadID, f.label = in, in.ThreadID, in.RunID
	return nil
}

// control reads the members that the control frame has. Members that it does
// not have are ignored.
func (f *frame) control(members map[string]json.RawMessage) *fault {
	name := func(member string, into *string) *fault { return readName(members, member, into) }
	switch f.kind {
	case "ws.ping":
		return nil
	case "ws.detach":
		return name("threadId", &f.threadID)
	case "ws.cancel":
		if bad := name("threadId", &f.threadID); bad != nil {
			return bad
		}
		return name("runId", &f.label)
	case "ws.attach":
		if bad := name("threadId", &f.threadID); bad != nil {
			return bad
		}
		if bad := readCount(members, "window", &f.window); bad != nil {
			return bad
		}
		return f.readAfter(members["after"])
	case "ws.messages":
		if bad := name("threadId", &f.threadID); bad != nil {
			return bad
		}
		return f.readPage(members)
	case "":
		return faultf(codeInvalidFrame, "type: expected a string that begins with ws., or no type for an input")
	default:
		return faultf(codeInvalidFrame, "type: %.64q is no frame of a client", f.kind)
	}
}

// kindAbort is the frame by which clients of plain sockets stop a run.
const kindAbort = "abort"

// parsePlainFrame reads a text frame of a plain socket.
func parsePlainFrame(data []byte) *frame {
	f := parseFrame(data)
	if f.kind == kindAbort {
		_, members, _ := objectOf(data)
		f.fault = readName(members, "runId", &f.label)
	}
	return f
}

func readName(members map[string]json.RawMessage, member string, into *string) *fault {
	v, _ := strictjson.Text(members[member])
	if !strictjson.IsName(v) {
		return faultf(codeInvalidFrame, "%s: an id is a string that has %s", member, strictjson.NameRule)
	}
	*into = v
	return nil
}

func (f *frame) readAfter(data json.RawMessage) *fault {
	if data == nil {
		return nil
	}
	wrong := faultf(codeInvalidFrame, "after: expected epoch, a string, and seq, an integer from 0, both or none")
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
	f.after = &store.Position{Epoch: epoch, Seq: *seq}
	return nil
}

// objectOf reads the members of the object that data is, and the whole as a
// document, whose text nobody checks again.
func objectOf(data []byte) (protocol.Document, map[string]json.RawMessage, *strictjson.Error) {
	data = bytes.Trim(data, " \t\r\n")
	document, err := protocol.NewDocument(data)
	if err != nil {
		return document, nil, strictjson.NoObject()
	}
	members, bad := strictjson.ValidMembers(data)
	return document, members, bad
}
