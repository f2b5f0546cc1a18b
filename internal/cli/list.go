package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parse reads a list in YAML or JSON of entries that may hold secrets: its errors do
// not repeat what it read.
func (e entries[T]) parse(data []byte) ([]T, error) {
	var document yaml.Node
	var list []T
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	err := decoder.Decode(&document) // which minds that there is none
	if err == nil && (document.Content[0].Kind != yaml.SequenceNode || !errors.Is(decoder.Decode(&yaml.Node{}), io.EOF)) {
		err = errors.New("the text must be one list")
	}
	if err == nil {
		members := e.members()
		if unknown := unknownMember(&document, members); unknown != nil {
			return nil, fmt.Errorf("line %d: field %s is no member of %s: %s", unknown.Line, unknown.Value, e.one, strings.Join(members, ", "))
		}
		err = document.Decode(&list)
	}
	if err == nil && len(list) != len(document.Content[0].Content) {
		err = errors.New("an entry is nothing") // which decoding leaves out
	}
	if err != nil {
		return nil, errors.New(e.expected)
	}
	return list, nil
}

// unknownMember finds a key in the entries of a list that none has.
func unknownMember(document *yaml.Node, members []string) *yaml.Node {
	for _, entry := range document.Content[0].Content {
		if entry.Kind != yaml.MappingNode {
			continue
		}
		for i := 0; i < len(entry.Content); i += 2 {
			if key := entry.Content[i]; key.Tag != "!!merge" && !slices.Contains(members, key.Value) {
				return key
			}
		}
	}
	return nil
}
