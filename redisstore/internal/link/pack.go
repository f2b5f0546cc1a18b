package link

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Lists of strings travel and rest as each string's length, a colon, and the
// string: exact for any bytes, and simple enough for a script.

// Pack adds items to a packed list.
func Pack[S ~string | ~[]byte](dst []byte, items ...S) []byte {
	for _, s := range items {
		dst = strconv.AppendInt(dst, int64(len(s)), 10)
		dst = append(dst, ':')
		dst = append(dst, s...)
	}
	return dst
}

var errPacked = errors.New("redisstore: a packed list is damaged")

// Unpack reads a packed list.
func Unpack(s string) ([]string, error) {
	var items []string
	for s != "" {
		size, rest, ok := strings.Cut(s, ":")
		n, err := strconv.Atoi(size)
		if !ok || err != nil || n < 0 || n > len(rest) {
			return nil, errPacked
		}
		items = append(items, rest[:n])
		s = rest[n:]
	}
	return items, nil
}

// PackArray packs the elements of a JSON array, each as it is written.
func PackArray(array json.RawMessage) ([]byte, error) {
	if len(bytes.TrimSpace(array)) == 0 {
		return nil, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(array, &items); err != nil {
		return nil, err
	}
	return Pack(nil, items...), nil
}
