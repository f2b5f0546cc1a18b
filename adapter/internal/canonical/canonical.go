// Package canonical compares JSON values: two texts of one value have one
// canonical form, and other values have others.
package canonical

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// JSON returns the one text that stands for a JSON value: members sorted and strings
// written as in RFC 8785, numbers by their exact decimal value.
func JSON(value []byte) ([]byte, error) { return write(value, exactly) }

// Echoes reports whether a client that was sent held may have sent this without a change of
// its own. It is then the same value, or what is left of held in a reader of doubles:
// numbers that no double comes near are null. It is for what clients repeat, never for what
// somebody decides.
func Echoes(sent, held []byte) bool {
	if bytes.Equal(sent, held) {
		return true
	}
	s, err := JSON(sent)
	if err != nil {
		return false
	}
	h, err := JSON(held)
	if err != nil {
		return false
	}
	if bytes.Equal(s, h) {
		return true
	}
	h, err = write(held, asDoubleOrNull)
	return err == nil && bytes.Equal(s, h)
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
