package chat

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// These bound what an endpoint may send for one answer, told in chunks of some hundred
// bytes each.
const (
	maxBody = 256 << 20
	maxLine = 1 << 20
)

// ErrTooLong ends an answer that would not end.
var ErrTooLong = errors.New("the endpoint's answer is longer than it may be")

// bound bounds what is read of an answer.
func bound(response *http.Response) {
	left := maxBody
	if response.StatusCode >= 400 {
		left = maxLine
	}
	response.Body = &bounded{ReadCloser: response.Body, left: left}
}

// bounded is a body of lines.
type bounded struct {
	io.ReadCloser
	left, line int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.left -= n
	if at := bytes.LastIndexByte(p[:n], '\n'); at >= 0 {
		b.line = n - at - 1
	} else {
		b.line += n
	}
	if b.left < 0 || b.line > maxLine {
		return 0, ErrTooLong
	}
	return n, err
}
