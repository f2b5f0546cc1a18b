package canonical

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gowebpki/jcs"
)

// JSON returns the JSON value in the canonical form of RFC 8785, by which
// two texts of the same value are equal. Numbers are those of IEEE 754.
func JSON(value []byte) ([]byte, error) {
	if !json.Valid(value) {
		return nil, errors.New("adapter: canonical JSON: not a JSON value")
	}
	// The library takes objects and arrays only.
	out, err := jcs.Transform(append(append([]byte{'['}, value...), ']'))
	if err != nil {
		return nil, fmt.Errorf("adapter: canonical JSON: %w", err)
	}
	return out[1 : len(out)-1], nil
}

// Digest hashes the canonical form of a value that json.Marshal accepts.
func Digest(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("adapter: digest: %w", err)
	}
	canonical, err := JSON(text)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}
