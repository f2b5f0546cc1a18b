package cli

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
