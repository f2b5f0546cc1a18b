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
// A compressed value begins with a byte that no JSON begins with, so that both
// kinds may lie beside each other.

const compressed = 0x01

// deflateEnd is what every deflated value ends with, and is not kept.
var deflateEnd = []byte{0x00, 0x00, 0xff, 0xff}

// compressFrom is the length below which compressing gains nothing.
const compressFrom = 64

// maxDecompressed bounds what a value may become.
const maxDecompressed = 256 << 20

// dictionary is part of the format of what is stored: it may not change. What
// is said most often stands last.
const dictionary = `"type":"object","properties":{"additionalProperties":false,"description":"required":["approved"]` +
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

var compressors = sync.Pool{New: func() any {
	w, err := flate.NewWriterDict(io.Discard, flate.DefaultCompression, []byte(dictionary))
	if err != nil {
		panic(err) // the level is one of flate's own
	}
	return w
}}

// compress makes a value smaller if it can.
func compress(value []byte) []byte {
	if len(value) < compressFrom {
		return value
	}
	var out bytes.Buffer
	out.Grow(len(value))
	out.WriteByte(compressed)
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	w.Reset(&out)
	if _, err := w.Write(value); err != nil {
		return value
	}
	if err := w.Close(); err != nil || out.Len()-len(deflateEnd) >= len(value) {
		return value
	}
	return bytes.TrimSuffix(out.Bytes(), deflateEnd)
}

// decompress returns what compress was given. Before it takes so many bytes more it asks
// room, if that is not nil.
func decompress(value []byte, room func(bytes int64) error) ([]byte, error) {
	if len(value) == 0 || value[0] != compressed {
		return value, nil
	}
	r := flate.NewReaderDict(io.MultiReader(bytes.NewReader(value[1:]), bytes.NewReader(deflateEnd)), []byte(dictionary))
	limited := io.LimitReader(r, maxDecompressed+1)
	if room != nil {
		limited = &roomReader{limited, room}
	}
	out, err := io.ReadAll(limited)
	if err == nil && len(out) > maxDecompressed {
		err = errors.New("redisstore: a stored value unfolds beyond all bounds")
	}
	return out, err
}

// roomReader asks for room for what it brings.
type roomReader struct {
	io.Reader
	room func(bytes int64) error
}

func (r *roomReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if full := r.room(int64(n)); full != nil {
		return 0, full
	}
	return n, err
}

func compressAll[S ~[]byte](items []S) [][]byte {
	all := make([][]byte, len(items))
	for i, item := range items {
		all[i] = compress(item)
	}
	return all
}
