package link

import (
	"encoding/binary"
	"math/bits"
)

// The library's inflater makes its window anew for each value, and takes each byte through
// an interface, which is far more work than a small value is. What smallDeflater makes is
// inflated here: blocks with the fixed codes, and copies out of the dictionary, which is as if it
// stood before the value. What else a value may have is left to the library.

// fixedCode is a symbol with the length of its code, or a class of distances.
type fixedCode struct {
	symbol uint16
	bits   uint8
}

// fixedSymbols are by the next nine bits of a value, as they come.
var fixedSymbols = func() (codes [512]fixedCode) {
	for s := range uint32(288) {
		w := bitWriter{}
		w.symbol(s)
		code, n := uint32(w.held), w.n
		if len(w.out) > 0 {
			code, n = code<<8|uint32(w.out[0]), n+8
		}
		for above := uint32(0); above < 1<<(9-n); above++ {
			codes[above<<n|code] = fixedCode{uint16(s), uint8(n)}
		}
	}
	return codes
}()

// span is what a class of lengths or distances begins with, and how many bits say where in it.
type span struct {
	from uint16
	bits uint8
}

// spans are the classes of which so many are equally wide, and from is the first's.
func spans(classes, equal, from int) []span {
	list := make([]span, classes)
	for i := range list {
		bits := max(i/equal-1, 0)
		list[i] = span{uint16(from), uint8(bits)}
		from += 1 << bits
	}
	return list
}

var (
	lengthSpans   = append(spans(28, 4, 3), span{longest, 0})
	distanceSpans = spans(30, 2, 1)
)

// distanceClasses are by the next five bits.
var distanceClasses = func() (classes [32]uint8) {
	for class := range classes {
		classes[bits.Reverse8(uint8(class))>>3] = uint8(class)
	}
	return classes
}()

// inflateSmall inflates a value into a text from a place on, and returns where it ends. Not ok: the
// library is to be asked, which it is as well if the text has no room.
func inflateSmall[V ~string | ~[]byte](text []byte, start int, value V) (end int, ok bool) {
	if len(value) == 0 || value[0]&0b111 != 0b010 { // a block with fixed codes
		return 0, false
	}
	held, n, from := uint64(value[0])>>3, uint(5), 1 // bits, how many, and what comes next of value
	for at := start; ; {
		// There are as many bits as one symbol takes with its copy, or all that come.
		if from+8 <= len(value) {
			held |= bitsAt(value, from) << n
			from += int(63-n) >> 3
			n |= 56
		} else {
			for ; n <= 56 && from < len(value); from++ {
				held |= uint64(value[from]) << n
				n += 8
			}
		}
		code := fixedSymbols[held&511]
		took := uint(code.bits)
		if took > n {
			return 0, false
		}
		held >>= took
		n -= took
		if code.symbol < endOfBlock {
			if at == len(text) {
				return 0, false
			}
			text[at] = byte(code.symbol)
			at++
			continue
		}
		if code.symbol == endOfBlock {
			// What follows is the head of the last block, which has nothing.
			return at, from == len(value) && n >= 3 && n < 3+8 && held&(1<<n-1) == 0b001
		}
		if int(code.symbol) > endOfBlock+len(lengthSpans) {
			return 0, false
		}
		l := lengthSpans[code.symbol-endOfBlock-1]
		length := int(l.from) + int(held&(1<<l.bits-1))
		held >>= l.bits
		class := distanceClasses[held&31]
		if int(class) >= len(distanceSpans) {
			return 0, false
		}
		held >>= 5
		d := distanceSpans[class]
		distance := int(d.from) + int(held&(1<<d.bits-1))
		held >>= d.bits
		took = uint(l.bits) + 5 + uint(d.bits)
		if took > n || distance > at-start+len(dictionary) || length > len(text)-at {
			return 0, false
		}
		n -= took
		if before := distance - (at - start); before > 0 {
			took := copy(text[at:at+length], dictionary[len(dictionary)-before:])
			at, length = at+took, length-took
		}
		if distance >= 8 && len(text)-at >= length+8 { // most are shorter than a call is long
			for i := 0; i < length; i += 8 {
				binary.LittleEndian.PutUint64(text[at+i:], binary.LittleEndian.Uint64(text[at+i-distance:]))
			}
			at += length
		} else if length > 0 {
			repeat(text[at-distance:at+length], distance)
			at += length
		}
	}
}

// bitsAt are the eight bytes at a place.
func bitsAt[V ~string | ~[]byte](s V, at int) uint64 {
	s = s[at : at+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// repeat fills b with what its first bytes are, again and again.
func repeat(b []byte, first int) {
	for n := first; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}
