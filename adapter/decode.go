package adapter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/aguiws/aguiws/protocol/number"
)

// decode is json.Unmarshal that keeps the text of numbers: in what is any they become
// json.Number, for which a float64 could be another number.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one JSON value")
	}
	return nil
}

// holds fails when a value that was decoded from the data holds another number than
// the data has in its place, as a float64 may.
func holds(value any, data []byte) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var sent, held any
	if err := errors.Join(decode(data, &sent), decode(text, &held)); err != nil {
		return err
	}
	return sameNumbers(sent, held, "")
}

func sameNumbers(sent, held any, at string) error {
	switch sent := sent.(type) {
	case map[string]any:
		held, _ := held.(map[string]any)
		for name := range sent {
			if err := sameNumbers(sent[name], held[name], at+"/"+name); err != nil {
				return err
			}
		}
	case []any:
		held, _ := held.([]any)
		for i := range min(len(sent), len(held)) {
			if err := sameNumbers(sent[i], held[i], fmt.Sprint(at, "/", i)); err != nil {
				return err
			}
		}
	case json.Number:
		held, ok := held.(json.Number)
		if !ok {
			return nil
		}
		x, okX := number.Exact(sent.String())
		y, okY := number.Exact(held.String())
		if !okX || !okY || x != y {
			return fmt.Errorf("%s the number %.40s would become %.40s", at, sent, held)
		}
	}
	return nil
}
