package adapter

import (
	"encoding/json"
	"errors"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// The bounds of one JSON Patch: deltas come from agents, and a short list of
// copies can otherwise grow a document without end.
const (
	maxPatchOps  = 1000
	maxPatchCopy = 8 << 20
)

var patchOptions = &jsonpatch.ApplyOptions{
	SupportNegativeIndices:   false,
	AccumulatedCopySizeLimit: maxPatchCopy,
	EnsurePathExistsOnAdd:    false,
}

// ApplyPatch applies a JSON Patch (RFC 6902) to a document, all of it or
// nothing. A nil document is {}.
func ApplyPatch(doc, ops json.RawMessage) (out json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("adapter: json patch: %v", p)
		}
	}()
	if len(doc) == 0 {
		doc = json.RawMessage("{}")
	}
	patch, err := jsonpatch.DecodePatch(ops)
	if err != nil {
		return nil, fmt.Errorf("adapter: json patch: %w", err)
	}
	if len(patch) > maxPatchOps {
		return nil, errors.New("adapter: json patch: too many operations")
	}
	out, err = patch.ApplyWithOptions(doc, patchOptions)
	if err != nil {
		return nil, fmt.Errorf("adapter: json patch: %w", err)
	}
	return out, nil
}
