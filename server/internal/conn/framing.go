package conn

import (
	"encoding/binary"
	"math"
)

// framing follows a stream of WebSocket frames from outside, in pieces of any
// size, to know where no message is under way. Bytes that are no frame are left to the
// WebSocket library to refuse.
type framing struct {
	head [14]byte // of the frame that begins
	have int      // bytes of head
	left int64    // bytes of the payload that are to come
	open bool     // a message has begun and its last fragment has not

	text  int64 // bytes of the message so far
	data  bool  // the payload is of a message
	said  bool  // a message, or more of one, has begun since somebody looked
	small int   // control frames and small pieces of messages, since somebody looked
}

// The first bytes of what a server sends: a text message in one frame, and the closing
// frame.
const (
	textFrame = 0x81
	lastFrame = 0x88
)

// appendHead appends the head of a text message of n bytes.
func appendHead(b []byte, n int) []byte {
	switch {
	case n < 126:
		return append(b, textFrame, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, textFrame, 126), uint16(n))
	default:
		return binary.BigEndian.AppendUint64(append(b, textFrame, 127), uint64(n))
	}
}

// smallPiece is the size below which a piece of a message is a small one.
const smallPiece = 1 << 10

// pass follows the next piece of the stream.
func (f *framing) pass(b []byte) {
	for len(b) > 0 {
		if f.left > 0 {
			n := min(f.left, int64(len(b)))
			f.left -= n
			if f.data {
				f.text += n
			}
			b = b[n:]
			continue
		}
		f.head[f.have] = b[0]
		f.have++
		b = b[1:]
		if f.have >= 2 && f.have == f.size() {
			f.begin()
		}
	}
}

// size is that of a frame's head of which two bytes are there.
func (f *framing) size() int {
	n := 2
	switch f.head[1] & 0x7f {
	case 126:
		n += 2
	case 127:
		n += 8
	}
	if f.head[1]&0x80 != 0 {
		n += 4 // the mask
	}
	return n
}

// begin reads a head that is complete.
func (f *framing) begin() {
	switch n := f.head[1] & 0x7f; n {
	case 126:
		f.left = int64(binary.BigEndian.Uint16(f.head[2:]))
	case 127:
		f.left = int64(min(binary.BigEndian.Uint64(f.head[2:]), math.MaxInt64))
	default:
		f.left = int64(n)
	}
	last, control := f.head[0]&0x80 != 0, f.head[0]&0x08 != 0
	if control || f.left < smallPiece && (f.open || !last) {
		f.small++
	}
	if f.data = !control; f.data {
		f.said = true
		if !f.open {
			f.text = 0
		}
		f.open = !last
	}
	f.have = 0
}

// between reports that every frame that has begun is complete.
func (f *framing) between() bool { return f.have == 0 && f.left == 0 }

// atRest reports that every frame and every message that has begun is complete.
func (f *framing) atRest() bool { return f.between() && !f.open }
