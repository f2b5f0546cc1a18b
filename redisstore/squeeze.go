package redisstore

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"sync"
)

// What waits for a human is kept small: values that scripts only store and hand
// back are deflated, with a dictionary of what such JSON says again and again.
// A squeezed value begins with a byte that no JSON begins with, so that both
// kinds may lie beside each other.

const squeezed = 0x01

// squeezeEnd is what every deflated value ends with, and is not kept.
var squeezeEnd = []byte{0x00, 0x00, 0xff, 0xff}

// squeezeFrom is the length below which squeezing gains nothing.
const squeezeFrom = 64

// maxUnsqueezed bounds what a value may become.
const maxUnsqueezed = 256 << 20

// squeezeWords is part of the format of what is stored: it may not change. What
// is said most often stands last.
const squeezeWords = `"type":"object","properties":{"additionalProperties":false,"description":"required":["approved"]` +
	`{"approved":{"type":"boolean","description":"Whether the call may be carried out"},` +
	`"editedArgs":{"type":"object","description":"Arguments that replace all of the proposed ones"},"reason":{"type":"string","description":"Why"}},"required":["approved"],"additionalProperties":false}` +
	`"expiresAt":"onExpiry":"keep","parameters":{"forwardedProps":{},"parentRunId":"metadata":{"aguiws":{"` +
	`"toolCalls":[{"id":"","type":"function","function":{"name":"","arguments":"{\"","toolCallId":"call":{"name":"` +
	`{"kind":"answer","position":,"entries":[{"interruptId":"","status":"resolved","payload":{"approved":true}}],"run":"` +
	`{"kind":"step","key":"#1","position":,"result":{"kind":"start","key":"{"kind":"ask","key":"ask#1","position":,"digest":"","calls":[{"ids":["` +
	`{"execution":"","run":"","label":"","items":[{"id":"","interrupt":{"id":"","reason":"tool_call","message":"May the tool be called with these arguments?","responseSchema":{"reason":"input_required","reason":"confirmation","message":"` +
	`{"label":"","execution":"","agent":"","digest":"","messages":["` +
	`{"input":{"threadId":"","runId":"","state":{},"messages":[{"id":"","role":"user","content":"","tools":[],"context":[]},"label":"","now":"2026-","at":0,"begun":1}` +
	`{"id":"","role":"tool","content":"{"id":"","role":"assistant","content":"{"id":"","role":"user","content":"`

var squeezers = sync.Pool{New: func() any {
	w, err := flate.NewWriterDict(io.Discard, flate.DefaultCompression, []byte(squeezeWords))
	if err != nil {
		panic(err) // the level is one of flate's own
	}
	return w
}}

// squeeze makes a value smaller if it can.
func squeeze(value []byte) []byte {
	if len(value) < squeezeFrom {
		return value
	}
	var out bytes.Buffer
	out.Grow(len(value))
	out.WriteByte(squeezed)
	w := squeezers.Get().(*flate.Writer)
	defer squeezers.Put(w)
	w.Reset(&out)
	if _, err := w.Write(value); err != nil {
		return value
	}
	if err := w.Close(); err != nil || out.Len()-len(squeezeEnd) >= len(value) {
		return value
	}
	return bytes.TrimSuffix(out.Bytes(), squeezeEnd)
}

// unsqueeze returns what squeeze was given.
func unsqueeze(value []byte) ([]byte, error) {
	if len(value) == 0 || value[0] != squeezed {
		return value, nil
	}
	r := flate.NewReaderDict(io.MultiReader(bytes.NewReader(value[1:]), bytes.NewReader(squeezeEnd)), []byte(squeezeWords))
	out, err := io.ReadAll(io.LimitReader(r, maxUnsqueezed+1))
	if err == nil && len(out) > maxUnsqueezed {
		err = errors.New("redisstore: a stored value unfolds beyond all bounds")
	}
	return out, err
}

func squeezeAll[S ~[]byte](items []S) [][]byte {
	all := make([][]byte, len(items))
	for i, item := range items {
		all[i] = squeeze(item)
	}
	return all
}
