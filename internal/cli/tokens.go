package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// tokensValue is a list of tokens in YAML or JSON. It never shows what it holds.
type tokensValue struct{ into *[]token }

func (v tokensValue) Set(text string) error {
	list, err := parseTokens([]byte(text))
	if err == nil {
		*v.into = list
	}
	return err
}

func (v tokensValue) String() string { return "" }
func (v tokensValue) kind() string   { return "list" }

// token is an entry of a list of tokens.
type token struct {
	Token     string    `yaml:"token"`
	SHA256    string    `yaml:"sha256"`
	Tenant    string    `yaml:"tenant"`
	User      string    `yaml:"user"`
	Namespace string    `yaml:"namespace"`
	Scopes    []string  `yaml:"scopes"`
	Expires   time.Time `yaml:"expires"`
}

// members are how a list calls what a token has.
var members = []string{"token", "sha256", "tenant", "user", "namespace", "scopes", "expires"}

// parseTokens reads a list of tokens. Its errors do not repeat what it read.
func parseTokens(data []byte) ([]token, error) {
	var document yaml.Node
	var list []token
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	err := decoder.Decode(&document) // which minds that there is none
	if err == nil && (document.Content[0].Kind != yaml.SequenceNode || !errors.Is(decoder.Decode(&yaml.Node{}), io.EOF)) {
		err = errors.New("no list, or more than one")
	}
	if err == nil {
		if unknown := unknownMember(&document); unknown != nil {
			return nil, fmt.Errorf("line %d: field %s is no member of a token: %s", unknown.Line, unknown.Value, strings.Join(members, ", "))
		}
		err = document.Decode(&list)
	}
	if err == nil && len(list) != len(document.Content[0].Content) {
		err = errors.New("an entry is nothing") // which decoding leaves out
	}
	if err != nil {
		return nil, errors.New("expected a list of tokens such as [{token: …, user: ann}] in YAML or JSON; expires is a time such as 2030-01-31T00:00:00Z")
	}
	return list, nil
}

// unknownMember finds a key in the entries of a list that no token has.
func unknownMember(document *yaml.Node) *yaml.Node {
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
