package cli

import (
	"reflect"
	"strings"

	"github.com/aguiws/aguiws/server/identity"
)

// entriesValue is a list in YAML or JSON. It never shows what it holds.
type entriesValue[T any] struct {
	into *[]T
	of   entries[T]
}

func (v entriesValue[T]) Set(text string) error {
	list, err := v.of.parse([]byte(text))
	if err == nil {
		*v.into = list
	}
	return err
}

func (v entriesValue[T]) String() string { return "" }
func (v entriesValue[T]) kind() string   { return "list" }

// entries say how errors call an entry of a list, and what the list should look like.
type entries[T any] struct{ one, expected string }

// members are how a list calls what an entry has: each by its yaml tag, or by its name.
func (entries[T]) members() (list []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if name == "" {
			name = strings.ToLower(field.Name)
		}
		list = append(list, name)
	}
	return list
}

// tokenEntries are a list of tokens.
var tokenEntries = entries[identity.Token]{"a token",
	"expected a list of tokens such as [{token: …, user: ann}] in YAML or JSON; expires is a time such as 2030-01-31T00:00:00Z"}

// webhookTarget is an entry of a list of targets.
type webhookTarget struct {
	Name        string   `yaml:"name"`
	URL         string   `yaml:"url"`
	Kinds       []string `yaml:"kinds"`
	Tenant      string   `yaml:"tenant"`
	Agents      []string `yaml:"agents"`
	Secrets     []string `yaml:"secrets"`
	SecretFiles []string `yaml:"secret-files"`
	From        string   `yaml:"from"`
}

var webhookEntries = entries[webhookTarget]{"a target",
	"expected a list of targets such as [{name: crm, url: https://…, kinds: [interrupt.opened], secrets: [whsec_…]}] in YAML or JSON"}

// providerEntry is an entry of a list of providers.
type providerEntry struct {
	Name             string            `yaml:"name"`
	Title            string            `yaml:"title"`
	Issuer           string            `yaml:"issuer"`
	AuthorizeURL     string            `yaml:"authorize-url"`
	TokenURL         string            `yaml:"token-url"`
	RevokeURL        string            `yaml:"revoke-url"`
	ClientID         string            `yaml:"client-id"`
	ClientSecretFile string            `yaml:"client-secret-file"`
	ClientAuth       string            `yaml:"client-auth"`
	Scopes           []string          `yaml:"scopes"`
	Params           map[string]string `yaml:"params"`
	RequireIss       bool              `yaml:"require-iss"`
}

var providerEntries = entries[providerEntry]{"a provider",
	"expected a list of providers such as [{name: github, issuer: https://…, client-id: …, client-secret-file: /run/secrets/github, scopes: [repo]}] in YAML or JSON"}
