// Package wire reads and sends what goes between the gateway and an agent, within bounds:
// streams of Server-Sent Events and bodies of requests.
package wire

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// ErrEventTooLarge says that an event is over the bound of its stream.
var ErrEventTooLarge = errors.New("gateway: an event is too large")

// Reader takes a stream of Server-Sent Events apart, within bounds. Libraries drop an
// event that the stream ends behind, which agents send, and make a string of each that
// would have to be copied once more for the log.
type Reader struct {
	from    io.Reader
	max     int    // bytes of an event
	large   *Room  // for one that is large; nil: there is room for any
	buf     []byte // what was read; what is not taken yet begins at at
	at      int
	scanned int // of buf, without the end of a line
	skipLF  bool
	begun   bool
	event   []byte // data of the event that has begun; nil: none has
	shared  []byte // where small events lie, one behind the other
	Cut     bool   // the event that was returned last had no end
}

// Buffer is how many bytes are read at once, at least.
const Buffer = 4 << 10

// NewReader reads events of at most max bytes; large nil: there is room for any.
func NewReader(from io.Reader, max int, large *Room) *Reader {
	return &Reader{from: from, max: max, large: large, buf: make([]byte, 0, Buffer)}
}

// Next returns the data of the next event that has any; the slice is the caller's, who has
// no more use for a large one that came before. The error is io.EOF at the end,
// ErrEventTooLarge, that of the room, or from's.
func (s *Reader) Next() ([]byte, error) {
	s.shrink()
	for {
		line, err := s.line()
		if err != nil {
			if event := s.event; err == io.EOF && len(event) > 0 {
				s.event, s.Cut = nil, true
				return event, nil
			}
			return nil, err
		}
		if len(line) == 0 {
			if event := s.event; len(event) > 0 {
				s.event = nil
				return event, nil
			}
			s.event = nil
			continue
		}
		name, value, _ := bytes.Cut(line, colon)
		if string(name) != "data" {
			continue // event, id and retry say nothing that AG-UI's data does not
		}
		value = bytes.TrimPrefix(value, space)
		if len(s.event)+len(value) > s.max {
			return nil, ErrEventTooLarge
		}
		if len(s.event)+len(value) > LargeBytes {
			if err := s.large.enter(); err != nil {
				return nil, err
			}
		}
		if s.event == nil {
			s.event = s.keep(value)
		} else {
			s.event = append(append(s.event, '\n'), value...)
		}
	}
}

// shrink lets go of what a large event took.
func (s *Reader) shrink() {
	if rest := s.buf[s.at:]; cap(s.buf) > 2*LargeBytes && len(rest) <= LargeBytes {
		s.buf = append(make([]byte, 0, max(len(rest), Buffer)), rest...)
		s.scanned -= s.at
		s.at = 0
	}
	if cap(s.buf) <= 2*LargeBytes {
		s.large.leave()
	}
}

// Close lets others read.
func (s *Reader) Close() { s.large.leave() }

var (
	colon = []byte(":")
	space = []byte(" ")
	bom   = []byte("\ufeff")
)

// Small events share memory: one that is kept keeps those beside it, 4 KiB at most, and they
// are let go of together where a thread's latest are held. A run that says little takes
// little.
const (
	leastShared = 512
	mostShared  = 4 << 10
)

// keep is a copy that nothing else writes to.
func (s *Reader) keep(value []byte) []byte {
	if len(value) > mostShared/8 {
		return bytes.Clone(value)
	}
	if len(value) >= cap(s.shared)-len(s.shared) {
		s.shared = make([]byte, 0, min(max(2*cap(s.shared), leastShared), mostShared))
	}
	begin := len(s.shared)
	s.shared = append(s.shared, value...)
	return s.shared[begin:len(s.shared):len(s.shared)]
}

// line returns the next line without its end, which is LF, CR LF or CR. It is good until
// the next call. The rest of the stream at its end is a line too.
func (s *Reader) line() ([]byte, error) {
	for {
		if s.skipLF && s.at < len(s.buf) {
			s.skipLF = false
			if s.buf[s.at] == '\n' {
				s.at++
				s.scanned = max(s.scanned, s.at)
			}
		}
		if end := endOfLine(s.buf[s.scanned:]); end >= 0 {
			end += s.scanned
			line := s.buf[s.at:end]
			s.skipLF = s.buf[end] == '\r'
			s.at = end + 1
			s.scanned = s.at
			return s.whole(line)
		}
		s.scanned = len(s.buf)
		if err := s.fill(); err != nil {
			if err == io.EOF && s.at < len(s.buf) {
				line := s.buf[s.at:]
				s.at, s.scanned = len(s.buf), len(s.buf)
				return s.whole(line)
			}
			return nil, err
		}
	}
}

// whole judges a line, and leaves the mark of byte order out that a stream may begin with.
func (s *Reader) whole(line []byte) ([]byte, error) {
	if len(line) > s.max+len(field) {
		return nil, ErrEventTooLarge
	}
	if !s.begun {
		s.begun = true
		line = bytes.TrimPrefix(line, bom)
	}
	return line, nil
}

// field is what a line has beside an event's data.
const field = "data: "

func endOfLine(text []byte) int {
	lf := bytes.IndexByte(text, '\n')
	if lf >= 0 {
		text = text[:lf]
	}
	if cr := bytes.IndexByte(text, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// fill reads more, into room that it makes.
func (s *Reader) fill() error {
	if s.at > 0 {
		n := copy(s.buf, s.buf[s.at:])
		s.buf, s.at = s.buf[:n], 0
		s.scanned = n
	}
	room := s.max + len(field) + 1 - len(s.buf)
	if room <= 0 {
		return ErrEventTooLarge
	}
	if len(s.buf) == cap(s.buf) {
		if len(s.buf) >= LargeBytes {
			if err := s.large.enter(); err != nil {
				return err
			}
		}
		s.buf = slices.Grow(s.buf, min(len(s.buf), room))
	}
	const idle = 100
	for range idle {
		n, err := s.from.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		if n > 0 {
			return nil // an error comes again
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}
