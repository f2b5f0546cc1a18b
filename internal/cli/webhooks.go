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
