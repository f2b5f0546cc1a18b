package cli

import "time"

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
	return parseList[token](data, "a token", members, "expected a list of tokens such as [{token: …, user: ann}] in YAML or JSON; expires is a time such as 2030-01-31T00:00:00Z")
}
