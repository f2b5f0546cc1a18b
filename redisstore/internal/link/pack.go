package link

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
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
func Unpack(s string) (items []string, err error) {
	for item := ""; s != ""; items = append(items, item) {
		if item, s, err = unpackOne(s); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// unpackOne is the first item, and what follows it.
func unpackOne[S ~string | ~[]byte](s S) (item, rest S, err error) {
	n, i := 0, 0
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9' && n <= len(s); i++ {
		n = 10*n + int(s[i]-'0')
	}
	if i == 0 || i == len(s) || s[i] != ':' || n > len(s)-i-1 {
		return item, rest, errPacked
	}
	return s[i+1 : i+1+n], s[i+1+n:], nil
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
