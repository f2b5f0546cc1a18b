package link

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"slices"
	"sync"
)

// Values that wait for a human are kept small: those that scripts only store and hand back
// are deflated, with a dictionary of what such JSON says again and again. A compressed
// value begins with a byte that no JSON begins with, so that both kinds may lie beside each
// other.

const compressed = 0x01

// deflateEnd is what every deflated value ends with, and is not kept.
const deflateEnd = "\x00\x00\xff\xff"

// compressFrom is the length below which compressing gains nothing.
const compressFrom = 64

// maxDecompressed bounds what a value may become.
const maxDecompressed = 256 << 20

// dictionary is part of the format of what is stored: it may not change. The text that is
// said most often stands last.
var dictionary = []byte(`"type":"object","properties":{"additionalProperties":false,"description":"required":["approved"]` +
	`{"approved":{"type":"boolean","description":"Whether the call may be carried out"},` +
	`"editedArgs":{"type":"object","description":"Arguments that replace all of the proposed ones"},"reason":{"type":"string","description":"Why"}},"required":["approved"],"additionalProperties":false}` +
	`"expiresAt":"onExpiry":"keep","parameters":{"forwardedProps":{},"parentRunId":"metadata":{"aguiws":{"` +
	`"toolCalls":[{"id":"","type":"function","function":{"name":"","arguments":"{\"","toolCallId":"call":{"name":"` +
	`{"kind":"answer","position":,"entries":[{"interruptId":"","status":"resolved","payload":{"approved":true}}],"run":"` +
	`{"kind":"step","key":"#1","position":,"result":{"kind":"start","key":"{"kind":"ask","key":"ask#1","position":,"digest":"","calls":[{"ids":["` +
	`{"execution":"","run":"","label":"","items":[{"id":"","interrupt":{"id":"","reason":"tool_call","message":"May the tool be called with these arguments?","responseSchema":{"reason":"input_required","reason":"confirmation","message":"` +
	`{"label":"","execution":"","agent":"","digest":"","messages":["` +
	`{"input":{"threadId":"","runId":"","state":{},"messages":[{"id":"","role":"user","content":"","tools":[],"context":[]},"label":"","now":"2026-","at":0,"begun":1}` +
	`{"id":"","role":"tool","content":"{"id":"","role":"assistant","content":"{"id":"","role":"user","content":"`)

var compressors = sync.Pool{New: func() any {
	w, err := flate.NewWriterDict(io.Discard, flate.DefaultCompression, dictionary)
	if err != nil {
		panic(err) // the level is one of flate's own
	}
	return w
}}

// Compress makes a value smaller if it can.
func Compress(value []byte) []byte {
	if len(value) < compressFrom {
		return value
	}
	if len(value) <= smallValue {
		d := smallDeflaters.Get().(*smallDeflater)
		defer smallDeflaters.Put(d)
		if out, smaller := d.deflate(append(make([]byte, 0, len(value)+4), compressed), value); smaller {
			return out
		}
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
	return bytes.TrimSuffix(out.Bytes(), []byte(deflateEnd))
}

// stream is a deflated value, with the end that is not kept. It counts what has been read:
// to move a string along would tell the collector of each byte.
type stream struct {
	value string
	at    int
}

func (s *stream) Read(p []byte) (int, error) {
	n := 0
	if s.at < len(s.value) {
		n = copy(p, s.value[s.at:])
	} else if end := s.at - len(s.value); end < len(deflateEnd) {
		n = copy(p, deflateEnd[end:])
	} else {
		return 0, io.EOF
	}
	s.at += n
	return n, nil
}

// ReadByte makes stream what flate reads from without a buffer of its own.
func (s *stream) ReadByte() (byte, error) {
	if s.at < len(s.value) {
		s.at++
		return s.value[s.at-1], nil
	}
	var b [1]byte
	_, err := s.Read(b[:])
	return b[0], err
}

// UnfoldRoom is as many bytes as most values have.
const UnfoldRoom = 16 << 10

// decompressor keeps what reading a value needs, which is more than most values.
type decompressor struct {
	stream stream
	flate  io.ReadCloser
	text   []byte // as much of a value as most have
}

var decompressors = sync.Pool{New: func() any {
	d := &decompressor{text: make([]byte, UnfoldRoom)}
	d.flate = flate.NewReaderDict(&d.stream, dictionary)
	return d
}}

// decompress returns what compress was given. Before it takes so many bytes more it asks
// room, if that is not nil.
func decompress(value string, room func(bytes int64) error) ([]byte, error) {
	return decompressIn(nil, value, room)
}

// decompressIn is decompress into a slab; nil: into a slice of its own.
func decompressIn(slab *Slab, value string, room func(bytes int64) error) ([]byte, error) {
	if len(value) == 0 || value[0] != compressed {
		return append(slab.room(len(value)), value...), nil
	}
	d := decompressors.Get().(*decompressor)
	defer func() {
		d.stream = stream{}
		decompressors.Put(d)
	}()
	if n, ok := inflateSmall(d.text, 0, value[1:]); ok {
		if room != nil {
			if full := room(int64(n)); full != nil {
				return nil, full
			}
		}
		return append(slab.room(n), d.text[:n]...), nil
	}
	return d.inflate(slab, value, room)
}

// Unfold appends to a text what Compress was given. Behind that is room for another value.
func Unfold[V ~string | ~[]byte](text []byte, value V, room *Room) ([]byte, error) {
	if len(value) == 0 || value[0] != compressed {
		return append(text, value...), nil
	}
	at := len(text)
	text = slices.Grow(text, UnfoldRoom)
	if end, ok := inflateSmall(text[:cap(text)], at, value[1:]); ok {
		if room != nil {
			if full := room.take(int64(end - at)); full != nil {
				return nil, full
			}
		}
		return text[:end], nil
	}
	one, err := decompress(string(value), room.asker())
	return append(text, one...), err
}

// inflate is decompressIn by the library.
func (d *decompressor) inflate(slab *Slab, value string, room func(bytes int64) error) ([]byte, error) {
	d.stream = stream{value: value[1:]}
	if err := d.flate.(flate.Resetter).Reset(&d.stream, dictionary); err != nil {
		return nil, err
	}
	var r io.Reader = d.flate
	if room != nil {
		r = &roomReader{r, room}
	}
	n, first := 0, d.text
	for n < len(first) {
		read, err := r.Read(first[n:])
		n += read
		if err == io.EOF {
			return append(slab.room(n), first[:n]...), nil
		}
		if err != nil {
			return nil, err
		}
	}
	rest, err := io.ReadAll(io.LimitReader(r, maxDecompressed-int64(n)+1))
	if err != nil {
		return nil, err
	}
	if n+len(rest) > maxDecompressed {
		return nil, errors.New("redisstore: a stored value unfolds beyond all bounds")
	}
	return slices.Concat(first[:n], rest), nil
}

// Slab is memory for values that are read together and let go together: one object holds
// many. A value that is kept keeps its neighbours.
type Slab struct {
	free []byte
	last int // how large its last piece was
}

// These bound a piece of a slab. A value that would take half of one has its own.
const (
	firstSlab = 4 << 10
	lastSlab  = 32 << 10
)

// room is an empty slice with room for n bytes, and for no more.
func (s *Slab) room(n int) []byte {
	if s == nil || n > lastSlab/2 {
		return make([]byte, 0, n)
	}
	if cap(s.free) < n {
		s.last = max(n, min(max(2*s.last, firstSlab), lastSlab))
		s.free = make([]byte, 0, s.last)
	}
	room := s.free[:0:n]
	s.free = s.free[n:n:cap(s.free)]
	return room
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

// Decompress returns what Compress was given.
func Decompress(value string) ([]byte, error) { return decompress(value, nil) }

// CompressAll is Compress for each of some values.
func CompressAll[S ~[]byte](items []S) [][]byte {
	all := make([][]byte, len(items))
	for i, item := range items {
		all[i] = Compress(item)
	}
	return all
}
