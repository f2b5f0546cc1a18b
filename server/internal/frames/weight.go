package frames

import "bytes"

const (
	// memberWeight is about what a member of an object takes when it was read, beside
	// its text.
	memberWeight = 96
	// ControlWeight is what a frame takes that is no input: ids, and what is wrong.
	ControlWeight = 8 << 10
	// lightText is so short that its members need not be counted.
	lightText = 2 << 10
)

// Weigh is about what a document takes while it is read and afterwards, and as much
// again, which the collector has not come to yet.
func Weigh(document []byte) int64 {
	n := int64(len(document))
	if n <= lightText {
		return 16 * n
	}
	return 2 * (n + memberWeight*members(document))
}

// members counts what may be members of objects in a text that need not be JSON.
func members(text []byte) (n int64) {
	for {
		i := bytes.IndexAny(text, `":`)
		if i < 0 {
			return n
		}
		if text[i] == ':' {
			n++
			text = text[i+1:]
			continue
		}
		if text = text[i+1:]; len(text) == 0 {
			return n
		}
		text = pastString(text)
	}
}

// pastString is what comes behind a string of which text is all but the first quote.
func pastString(text []byte) []byte {
	for {
		i := bytes.IndexByte(text, '"')
		if i < 0 {
			return nil
		}
		escapes := 0
		for at := i - 1; at >= 0 && text[at] == '\\'; at-- {
			escapes++
		}
		text = text[i+1:]
		if escapes%2 == 0 {
			return text
		}
	}
}
