package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"time"
)

// patience is how long an answer may take until a sample has failed.
const patience = 30 * time.Second

// socket is as little of a WebSocket client as will do, so that clients take little of the
// machine from what is measured.
type socket struct {
	net.Conn
	buf  []byte
	got  int // of buf, that was read
	from int // of it, that was handed out
	sum  int // bytes of texts
	// pinged is called at each ping, where there is one.
	pinged func()
}

// dialSocket opens one; its buffer grows with what comes.
func dialSocket(addr, path, protocol string, buffer int) (*socket, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	request := "GET " + path + " HTTP/1.1\r\nHost: " + addr + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
	if protocol != "" {
		request += "Sec-WebSocket-Protocol: " + protocol + "\r\n"
	}
	s := &socket{Conn: c, buf: make([]byte, buffer)}
	if _, err = c.Write([]byte(request + "\r\n")); err == nil {
		err = s.shake()
	}
	if err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("handshake at %s: %w", path, err)
	}
	return s, nil
}

func (s *socket) shake() error {
	for {
		if err := s.more(); err != nil {
			return err
		}
		if end := bytes.Index(s.buf[:s.got], []byte("\r\n\r\n")); end >= 0 {
			if !bytes.HasPrefix(s.buf, []byte("HTTP/1.1 101 ")) {
				return fmt.Errorf("%q", s.buf[:end])
			}
			s.from = end + 4
			return nil
		}
	}
}

// more reads once.
func (s *socket) more() error {
	if s.from > 0 {
		s.got = copy(s.buf, s.buf[s.from:s.got])
		s.from = 0
	}
	if s.got == len(s.buf) {
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	n, err := s.Read(s.buf[s.got:])
	s.got += n
	if n > 0 {
		return nil
	}
	return err
}

// whole is the next text that has been read whole, or nil. Pings are answered.
func (s *socket) whole() ([]byte, error) {
	for {
		p := s.buf[s.from:s.got]
		if len(p) < 2 {
			return nil, nil
		}
		size, head := int(p[1]&0x7f), 2
		switch {
		case size == 126 && len(p) >= 4:
			size, head = int(binary.BigEndian.Uint16(p[2:])), 4
		case size == 127 && len(p) >= 10:
			size, head = int(binary.BigEndian.Uint64(p[2:])), 10
		case size >= 126:
			return nil, nil
		}
		if len(p) < head+size {
			return nil, nil
		}
		s.from += head + size
		body := p[head : head+size]
		switch p[0] & 15 {
		case 0, 1, 2:
			s.sum += size
			return body, nil
		case 8:
			return nil, fmt.Errorf("it was closed: %q", body)
		case 9:
			if err := s.frame(10, body); err != nil {
				return nil, err
			}
			if s.pinged != nil {
				s.pinged()
			}
		}
	}
}

// frame sends one, masked with zeros, which leaves it as it is.
func (s *socket) frame(kind byte, body []byte) error {
	b := []byte{0x80 | kind}
	switch n := len(body); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	_, err := s.Write(append(append(b, 0, 0, 0, 0), body...))
	return err
}

func (s *socket) send(format string, args ...any) error {
	return s.frame(1, fmt.Appendf(nil, format, args...))
}

// next is the next text, valid until the one after it.
func (s *socket) next() ([]byte, error) {
	for {
		if text, err := s.whole(); text != nil || err != nil {
			return text, err
		}
		if err := s.more(); err != nil {
			return nil, err
		}
	}
}

// until is the next text that holds a mark. What says that something went wrong is an error.
func (s *socket) until(mark string) ([]byte, error) {
	if err := s.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	for {
		text, err := s.next()
		switch {
		case err != nil:
			return nil, fmt.Errorf("before %s: %w", mark, err)
		case bytes.Contains(text, []byte(mark)):
			return text, nil
		case bytes.Contains(text, []byte(`"ws.error"`)) || bytes.Contains(text, []byte(`"RUN_ERROR"`)):
			return nil, fmt.Errorf("before %s: %s", mark, text)
		}
	}
}
