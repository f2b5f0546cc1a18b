package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readFile sets what has not been set yet.
func (s *settings) readFile(path string, table []setting) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(document.Content) == 0 {
		return nil // nothing but comments
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: expected settings, each on a line of its own: lease: 5s", path, root.Line)
	}
	seen := map[string]bool{}
	var wrong []error
	for i := 0; i < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		from := fmt.Sprintf("%s:%d: %s", path, key.Line, key.Value)
		at := slices.IndexFunc(table, func(each setting) bool { return each.name == key.Value })
		switch {
		case at < 0:
			wrong = append(wrong, fmt.Errorf("%s: there is no such setting%s", from, suggest(key.Value, names(table))))
			continue
		case seen[key.Value]:
			wrong = append(wrong, fmt.Errorf("%s: is set twice", from))
			continue
		}
		seen[key.Value] = true
		into := table[at].value
		if s.from[key.Value] != "" {
			// It is checked all the same: a mistake must not wait for the day
			// when the flag is gone.
			into = newSettings().table()[at].value
		}
		text, err := textOf(node)
		if err == nil {
			err = into.Set(text)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", from, err))
		}
		if s.from[key.Value] == "" {
			s.from[key.Value] = from
		}
	}
	return errors.Join(wrong...)
}

// textOf writes a value of the file as a flag would have it.
func textOf(node *yaml.Node) (string, error) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch {
	case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
		return "", errors.New("has no value")
	case node.Kind == yaml.ScalarNode:
		return node.Value, nil
	case node.Kind == yaml.SequenceNode && !slices.ContainsFunc(node.Content, func(n *yaml.Node) bool { return n.Kind != yaml.ScalarNode }):
		var list []string
		for _, each := range node.Content {
			list = append(list, each.Value)
		}
		return strings.Join(list, ","), nil
	case node.Kind == yaml.SequenceNode:
		data, err := yaml.Marshal(node)
		return string(data), err
	default:
		return "", errors.New("expected a value or a list")
	}
}
