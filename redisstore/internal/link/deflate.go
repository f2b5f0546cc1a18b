package link

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// The library's deflater clears 640 KiB before each value, and reads the dictionary
// again, which is far more work than a small value is. Small ones are deflated here: one
// block with the fixed codes of RFC 1951, which is what the library mostly comes to for
// so little, and copies out of the dictionary, whose places are known beforehand.

const (
	smallValue = 768 // bytes; the codes of one's own pay for larger values
	hashedTo   = 12  // bits
	shortest   = 4   // bytes that are worth copying
	longest    = 258
	chain      = 24 // places looked at for the longest copy
	endOfBlock = 256
)

// smallDeflater knows where each four bytes have stood: places count from 1, and each
// names the one before it.
type smallDeflater struct {
	text []byte // the dictionary, then the value
	last [1 << hashedTo]uint16
	prev []uint16
}

var smallDeflaters = sync.Pool{New: func() any {
	return &smallDeflater{text: append(make([]byte, 0, len(dictionary)+smallValue), dictionary...),
		prev: append(make([]uint16, 0, len(dictionary)+smallValue), ofDictionary.prev...)[:len(dictionary)+smallValue]}
}}

var ofDictionary = func() *smallDeflater {
	d := &smallDeflater{text: dictionary, prev: make([]uint16, len(dictionary))}
	for at := range len(dictionary) - shortest + 1 {
		d.note(at)
	}
	return d
}()

func (d *smallDeflater) hash(at int) uint32 {
	return binary.LittleEndian.Uint32(d.text[at:]) * 0x9e3779b1 >> (32 - hashedTo)
}

func (d *smallDeflater) note(at int) {
	h := d.hash(at)
	d.prev[at], d.last[h] = d.last[h], uint16(at+1)
}

// find is the longest copy of what stands at a place; 0 bytes: none is worth it.
func (d *smallDeflater) find(at int) (length, distance int) {
	if at+shortest > len(d.text) {
		return 0, 0
	}
	length = shortest - 1
	most := min(longest, len(d.text)-at)
	for from, left := d.last[d.hash(at)], chain; from > 0 && left > 0 && length < most; from, left = d.prev[from-1], left-1 {
		there := int(from) - 1
		if d.text[there+length] != d.text[at+length] {
			continue
		}
		n := 0
		for n < most && d.text[there+n] == d.text[at+n] {
			n++
		}
		if n > length {
			length, distance = n, at-there
		}
	}
	if distance == 0 {
		return 0, 0
	}
	return length, distance
}

// deflate adds the deflated value to out; false: it is no shorter than the value.
func (d *smallDeflater) deflate(out, value []byte) ([]byte, bool) {
	d.text = append(d.text[:len(dictionary)], value...)
	d.last = ofDictionary.last
	w := bitWriter{out: out}
	w.add(0b010, 3) // a block with fixed codes
	at := len(dictionary)
	length, distance := d.find(at)
	for at < len(d.text) {
		if len(w.out) >= len(value) {
			return nil, false
		}
		if at+shortest <= len(d.text) {
			d.note(at)
		}
		// A copy that begins one byte later may be longer.
		laterLength, laterDistance := d.find(at + 1)
		if length == 0 || laterLength > length {
			w.symbol(uint32(d.text[at]))
			at, length, distance = at+1, laterLength, laterDistance
			continue
		}
		w.copy(uint32(length), uint32(distance))
		for at++; length > 1; at, length = at+1, length-1 {
			if at+shortest <= len(d.text) {
				d.note(at)
			}
		}
		length, distance = d.find(at)
	}
	w.symbol(endOfBlock)
	w.add(0b001, 3) // the last block, which has nothing: the rest of it is deflateEnd
	out = w.flush()
	return out, len(out) < len(value)
}

// bitWriter fills bytes from their lowest bit.
type bitWriter struct {
	out  []byte
	held uint64
	n    uint
}

func (w *bitWriter) add(value uint32, n uint) {
	w.held |= uint64(value) << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.out = append(w.out, byte(w.held))
		w.held >>= 8
	}
}

func (w *bitWriter) flush() []byte {
	if w.n > 0 {
		w.out = append(w.out, byte(w.held))
	}
	return w.out
}

// code adds a code, which goes from its highest bit.
func (w *bitWriter) code(value uint32, n uint) { w.add(bits.Reverse32(value)>>(32-n), n) }

// symbol adds a byte, the end of the block, or the class of a length.
func (w *bitWriter) symbol(s uint32) {
	switch {
	case s < 144:
		w.code(0x30+s, 8)
	case s < 256:
		w.code(0x190+s-144, 9)
	case s < 280:
		w.code(s-256, 7)
	default:
		w.code(0xc0+s-280, 8)
	}
}

// copy adds a length from 3 and a distance from 1, each as a class and where it is in it.
func (w *bitWriter) copy(length, distance uint32) {
	if length == longest {
		w.symbol(285)
	} else {
		class, extra, n := classOf(length-3, 4)
		w.symbol(257 + class)
		w.add(extra, n)
	}
	class, extra, n := classOf(distance-1, 2)
	w.code(class, 5)
	w.add(extra, n)
}

// classOf places a number: classes double in width, so many of them being equally wide.
func classOf(value, equal uint32) (class, extra uint32, n uint) {
	if value < 2*equal {
		return value, 0, 0
	}
	n = uint(bits.Len32(value) - bits.Len32(equal))
	return uint32(n)*equal + value>>n, value & (1<<n - 1), n
}
