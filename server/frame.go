package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

const (
	maxID         = 64   // bytes of a frame's id
	maxName       = 1024 // bytes of a thread's or a run's id
	maxDepth      = 128  // of nested arrays and objects in a frame
	maxMalformed  = 8    // frames that are no JSON object, a socket
	maxFaultBytes = 4 << 10
)

// Codes of refusals, as BINDING.md lists them. Those of runs that may not
// start come from the runner, except for the ones here.
const (
	codeMalformed      = "malformed_frame"
	codeInvalidFrame   = "invalid_frame"
	codeInvalidInput   = "invalid_input"
	codeTooManyThreads = "too_many_threads"
	codeRateLimited    = "rate_limited"
	codeForbidden      = "forbidden"
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
	runID    string
	after    *store.Position

	fault      *fault
	retryAfter time.Duration // over the rate: refused, come back after that
	last       bool          // the socket closes after the answer
	release    func()
}

// done gives back what the frame holds of the process's budget.
func (f *frame) done() {
	if f.release != nil {
		f.release()
		f.release = nil
	}
}

// fault says why a frame cannot be taken, and where in it.
type fault struct {
	code, message string
	fields        []protocol.Problem
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
		f.fault = bad
		return f
	}
	if id, there := members["id"]; there {
		if f.id, there = text(id); !there || len(f.id) > maxID {
			f.id = ""
			f.fault = faultf(codeInvalidFrame, "id: expected a string of at most %d bytes", maxID)
			return f
		}
	}
	if kind, typed := members["type"]; typed {
		f.kind, _ = text(kind)
		f.fault = f.control(members)
	} else {
		f.fault = f.readInput(document)
	}
	if id, ok := text(members["threadId"]); f.fault != nil && ok && isName(id) {
		f.threadID = id // for the answer
	}
	return f
}

func (f *frame) readInput(document protocol.Document) *fault {
	in, err := document.DecodeInput()
	if err != nil {
		var list []string
		for _, p := range protocol.Problems(err) {
			list = append(list, strings.TrimPrefix(p.Pointer+": "+p.Message, ": "))
		}
		if list == nil {
			list = []string{err.Error()}
		}
		bad := faultf(codeInvalidInput, "not a RunAgentInput: %s", strings.Join(list, "; "))
		bad.fields = protocol.Problems(err)
		return bad
	}
	for _, name := range []struct{ pointer, value string }{{"/threadId", in.ThreadID}, {"/runId", in.RunID}} {
		if !isName(name.value) {
			bad := faultf(codeInvalidInput, "%s: expected 1 to %d bytes", name.pointer, maxName)
			bad.fields = []protocol.Problem{{Pointer: name.pointer, Message: fmt.Sprintf("expected 1 to %d bytes", maxName)}}
			return bad
		}
	}
	delete(in.Extra, "id")
	f.input, f.threadID, f.runID = in, in.ThreadID, in.RunID
	return nil
}

// control reads the members that the control frame has. Members that it does
// not have are ignored.
func (f *frame) control(members map[string]json.RawMessage) *fault {
	name := func(member string, into *string) *fault {
		v, _ := text(members[member])
		if !isName(v) {
			return faultf(codeInvalidFrame, "%s: expected a string of 1 to %d bytes", member, maxName)
		}
		*into = v
		return nil
	}
	switch f.kind {
	case "ws.ping":
		return nil
	case "ws.detach":
		return name("threadId", &f.threadID)
	case "ws.cancel":
		if bad := name("threadId", &f.threadID); bad != nil {
			return bad
		}
		return name("runId", &f.runID)
	case "ws.attach":
		if bad := name("threadId", &f.threadID); bad != nil {
			return bad
		}
		return f.readAfter(members["after"])
	case "":
		return faultf(codeInvalidFrame, "type: expected a string that begins with ws., or no type for an input")
	default:
		return faultf(codeInvalidFrame, "type: %.64q is no frame of a client", f.kind)
	}
}

func (f *frame) readAfter(data json.RawMessage) *fault {
	if data == nil {
		return nil
	}
	wrong := faultf(codeInvalidFrame, "after: expected epoch, a string, and seq, an integer from 0, both or none")
	members, bad := topMembers(data)
	if bad != nil {
		return wrong
	}
	epoch, ok := text(members["epoch"])
	if !ok || !isName(epoch) {
		return wrong
	}
	var seq *int64
	if json.Unmarshal(members["seq"], &seq) != nil || seq == nil || *seq < 0 {
		return wrong
	}
	f.after = &store.Position{Epoch: epoch, Seq: *seq}
	return nil
}

func isName(s string) bool { return s != "" && len(s) <= maxName }

func text(data json.RawMessage) (string, bool) {
	var s *string
	if len(data) == 0 || json.Unmarshal(data, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// topMembers returns the members of the object that data is, without copying
// them. Two members of one name are refused, and so is deep nesting, before
// anything recursive reads the document.
func topMembers(data []byte) (map[string]json.RawMessage, *fault) {
	_, members, bad := objectOf(data)
	return members, bad
}

// objectOf is topMembers with the whole as a document, which is not checked
// again by what reads it.
func objectOf(data []byte) (protocol.Document, map[string]json.RawMessage, *fault) {
	data = bytes.Trim(data, " \t\r\n")
	document, err := protocol.NewDocument(data)
	if err != nil || data[0] != '{' {
		return document, nil, faultf(codeMalformed, "expected one JSON object")
	}
	members := map[string]json.RawMessage{}
	depth, start, name, valued := 0, -1, "", false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '"':
			begin := i
			for i++; data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
			if depth == 1 && !valued {
				name, _ = text(data[begin : i+1])
			}
		case ':':
			if depth == 1 {
				valued, start = true, i+1
			}
		case '{', '[':
			if depth++; depth > maxDepth {
				return document, nil, faultf(codeMalformed, "nested deeper than %d", maxDepth)
			}
		case '}', ']', ',':
			if depth == 1 && valued {
				if _, again := members[name]; again {
					return document, nil, faultf(codeInvalidFrame, "the member %.64q appears twice", name)
				}
				members[name] = json.RawMessage(bytes.TrimSpace(data[start:i]))
				valued = false
			}
			if c != ',' {
				depth--
			}
		}
	}
	return document, members, nil
}
