package wire

import (
	"io"
	"testing"
)

// A body can be read again until the request is sent, and is let go of then.
func TestPayloadIsLetGoOf(t *testing.T) {
	p := NewPayload([]byte("body"))
	for range 2 {
		r := p.Reader()
		if text, err := io.ReadAll(r); err != nil || string(text) != "body" {
			t.Errorf("%q %v", text, err)
		}
		r.Close()
		r.Close()
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%d %v", n, err)
		}
	}
	last := p.Reader()
	p.Sent()
	if p.bytes == nil {
		t.Error("it is gone while it is read")
	}
	last.Close()
	if p.bytes != nil || p.Size() != 4 {
		t.Error("it is held when nobody reads it")
	}
}
