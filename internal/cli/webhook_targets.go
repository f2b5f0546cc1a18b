package cli

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
