package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/webhook"
)

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
func (v webhooksValue) kind() string   { return "list" }

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

// targets are those of the settings, with the secrets of their files.
func (s *settings) targets() ([]webhook.Target, error) {
	var targets []webhook.Target
	for _, each := range s.webhooks {
		t, err := each.target()
		if err != nil {
			return nil, fmt.Errorf("%s: target %q: %w", s.named("webhooks"), each.Name, err)
		}
		targets = append(targets, t)
	}
	if err := webhook.CheckTargets(targets, s.privateHosts()); err != nil {
		return nil, fmt.Errorf("%s: %w", s.named("webhooks"), err)
	}
	return targets, nil
}

func (t *webhookTarget) target() (webhook.Target, error) {
	to := webhook.Target{Name: t.Name, URL: t.URL, Tenant: t.Tenant, Agents: t.Agents, FromStart: t.From == "start"}
	if t.From != "" && t.From != "now" && t.From != "start" {
		return to, fmt.Errorf("from is now or start, and not %q", t.From)
	}
	for _, kind := range t.Kinds {
		to.Kinds = append(to.Kinds, store.NoticeKind(kind))
	}
	if slices.Contains(t.Agents, "default") {
		return to, errors.New("no agent is called default: name the agent that is the default one, as in agents: [script]")
	}
	to.Secrets = append(to.Secrets, t.Secrets...)
	for _, path := range t.SecretFiles {
		data, err := os.ReadFile(path)
		if err != nil {
			return to, err
		}
		to.Secrets = append(to.Secrets, strings.TrimSpace(string(data)))
	}
	return to, nil
}

// privateHosts are in lower case, as names are compared.
func (s *settings) privateHosts() (list []string) {
	for _, host := range s.webhookPrivate {
		list = append(list, strings.ToLower(host))
	}
	return list
}
