package frames

import (
	"bytes"
	"encoding/json"
)

// Encode writes a control frame. A text that an agent made, such as an interrupt, keeps its
// characters: nothing is escaped for HTML.
func Encode(frame any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(frame); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
