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

// webhooksValue is a list of targets in YAML or JSON. It never shows what it holds.
type webhooksValue struct{ into *[]webhookTarget }

func (v webhooksValue) Set(text string) error {
	list, err := parseWebhooks([]byte(text))
	if err == nil {
		*v.into = list
	}
	return err
}

func (v webhooksValue) String() string { return "" }

func (v webhooksValue) kind() string { return "list" }

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

// webhookMembers are how a list calls what a target has.
var webhookMembers = []string{"name", "url", "kinds", "tenant", "agents", "secrets", "secret-files", "from"}

func parseWebhooks(data []byte) ([]webhookTarget, error) {
	return parseList[webhookTarget](data, "a target", webhookMembers,
		"expected a list of targets such as [{name: crm, url: https://…, kinds: [interrupt.opened], secrets: [whsec_…]}] in YAML or JSON")
}

// providersValue is a list of providers in YAML or JSON. It never shows what it holds.
type providersValue struct{ into *[]providerEntry }

func (v providersValue) Set(text string) error {
	list, err := parseProviders([]byte(text))
	if err == nil {
		*v.into = list
	}
	return err
}

func (v providersValue) String() string { return "" }

func (v providersValue) kind() string { return "list" }

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

// providerMembers are how a list calls what a provider has.
var providerMembers = []string{"name", "title", "issuer", "authorize-url", "token-url", "revoke-url", "client-id", "client-secret-file", "client-auth", "scopes", "params", "require-iss"}

func parseProviders(data []byte) ([]providerEntry, error) {
	return parseList[providerEntry](data, "a provider", providerMembers,
		"expected a list of providers such as [{name: github, issuer: https://…, client-id: …, client-secret-file: /run/secrets/github, scopes: [repo]}] in YAML or JSON")
}
