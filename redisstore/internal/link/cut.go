package link

import (
	"strings"
	"unicode/utf8"
)

// titleSize is what a record can hold without costing several times as much:
// longer values make Redis store it as a table.
const titleSize = 60

// CutTitle is a title as it is kept.
func CutTitle(title string) string { return Cut(title, titleSize) }

// Cut makes a text valid and short enough, at the end of a character.
func Cut(text string, size int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= size {
		return text
	}
	for !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}
