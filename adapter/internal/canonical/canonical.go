// Package canonical compares JSON values: two texts of one value have one
// canonical form, and other values have others.
package canonical

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/gowebpki/jcs"
)

// form is a value in canonical form.
type form struct {
	// exact is RFC 8785's, except for numbers that RFC 8785 would give another
	// decimal value: they are written as number.Exact has them.
	exact []byte
	// rounded is RFC 8785's itself, in which numbers are those of IEEE 754. The
	// same as exact where no number is beyond that, nil where one has no double.
	rounded []byte
}

func formOf(value []byte) (form, error) {
	if !json.Valid(value) {
		return form{}, errors.New("adapter: canonical JSON: not a JSON value")
	}
	marked, beyond, err := mark(value)
	if err != nil {
		return form{}, fmt.Errorf("adapter: canonical JSON: %w", err)
	}
	if !beyond {
		text, err := transform(value)
		return form{exact: text, rounded: text}, err
	}
	var f form
	if f.exact, err = transform(marked); err != nil {
		return form{}, err
	}
	f.exact = unmark(f.exact)
	f.rounded, _ = transform(value)
	return f, nil
}

// transformWhole writes a value, or several with commas between them.
func transformWhole(value []byte) ([]byte, error) {
	// The library takes objects and arrays only.
	out, err := jcs.Transform(append(append([]byte{'['}, value...), ']'))
	if err != nil {
		return nil, fmt.Errorf("adapter: canonical JSON: %w", err)
	}
	return out[1 : len(out)-1], nil
}

// JSON returns the one text that stands for a JSON value: members sorted and strings
// written as in RFC 8785, numbers by their exact decimal value.
func JSON(value []byte) ([]byte, error) {
	f, err := formOf(value)
	return f.exact, err
}

// Echoes reports whether a client that was sent held may have sent this without a change of
// its own. It is then the same value, or what is left of held in a reader of doubles:
// numbers that no double comes near are null. It is for what clients repeat, never for what
// somebody decides.
func Echoes(sent, held []byte) bool {
	if bytes.Equal(sent, held) {
		return true
	}
	s, err := formOf(sent)
	if err != nil {
		return false
	}
	h, err := formOf(held)
	if err == nil && h.rounded == nil {
		h.rounded, err = transform(rewrite(held, func(out, token []byte) []byte {
			if _, outside := strconv.ParseFloat(string(token), 64); token[0] != '"' && outside != nil {
				token = []byte("null")
			}
			return append(out, token...)
		}))
	}
	return err == nil && (bytes.Equal(s.exact, h.exact) || bytes.Equal(s.exact, h.rounded))
}

// Digest returns what a value that json.Marshal accepts is recognised by: two values
// have one digest if they are equal.
func Digest(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("adapter: digest: %w", err)
	}
	text, err = JSON(text)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
