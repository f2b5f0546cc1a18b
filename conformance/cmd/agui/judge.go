package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
	"github.com/aguiws/aguiws/protocol/problem"
)

// verdict is the line that is printed for a file.
type verdict interface {
	ok() bool
	named(file string) verdict
}

type documentVerdict struct {
	File     string            `json:"file"`
	OK       bool              `json:"ok"`
	Problems []problem.Problem `json:"problems"`
}

func (v documentVerdict) ok() bool { return v.OK }

func (v documentVerdict) named(file string) verdict {
	v.File = file
	return v
}

type streamVerdict struct {
	File    string `json:"file"`
	OK      bool   `json:"ok"`
	Index   *int   `json:"index,omitempty"` // of the first illegal event
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message,omitempty"`
}

func (v streamVerdict) ok() bool { return v.OK }

func (v streamVerdict) named(file string) verdict {
	v.File = file
	return v
}

func unreadable(command string, err error) verdict {
	if command == "validate" {
		return documentVerdict{Problems: []problem.Problem{{Message: err.Error()}}}
	}
	return streamVerdict{Rule: "unreadable", Message: err.Error()}
}

func known(definition string) error {
	if names := protocol.Definitions(); !slices.Contains(names, definition) {
		return fmt.Errorf("no definition is named %q; there are %s", definition, strings.Join(names, ", "))
	}
	return nil
}

func validate(definition string, data []byte) verdict {
	err := protocol.Validate(definition, data)
	problems := problem.Of(err)
	if problems == nil {
		problems = []problem.Problem{}
	}
	return documentVerdict{OK: err == nil, Problems: problems}
}

func verify(data []byte) verdict {
	events, err := split(data)
	if err != nil {
		return streamVerdict{Rule: "unreadable", Message: err.Error()}
	}
	if broken := order.Verify(events); broken != nil {
		return streamVerdict{Index: &broken.Index, Rule: broken.Rule, Message: broken.Message}
	}
	return streamVerdict{OK: true}
}

// split reads an array of events, or events one after the other.
func split(data []byte) ([]json.RawMessage, error) {
	var events []json.RawMessage
	if data = bytes.TrimSpace(data); len(data) > 0 && data[0] == '[' {
		return events, json.Unmarshal(data, &events)
	}
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var event json.RawMessage
		switch err := d.Decode(&event); {
		case errors.Is(err, io.EOF):
			return events, nil
		case err != nil:
			return nil, fmt.Errorf("event %d: %w", len(events), err)
		}
		events = append(events, event)
	}
}
