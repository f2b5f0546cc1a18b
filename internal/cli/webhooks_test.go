package cli

import (
	"io"
	"strings"
	"testing"
)

const secret4711 = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"

// Targets come from the settings or a file, their secrets too, and a mistake is told
// without what is secret.
func TestTargetsOfWebhooks(t *testing.T) {
	one := func(more string) string {
		return `[{name: crm, url: "https://93.184.216.34/k-4711", ` + more + `}]`
	}
	kept := write(t, "secret", secret4711+"\n")
	for text, says := range map[string]string{
		one("secrets: [" + secret4711 + "]"):                                        "",
		one("secret-files: [" + kept + "], kinds: [run.ended], from: start"):        "",
		one("secret-files: [/does/not/exist]"):                                      `target "crm": open /does/not/exist`,
		one("from: k-4712"):                                                         `from is now or start`,
		one("secrets: [" + secret4711 + "], agents: [default]"):                     "no agent is called default: name the agent",
		one("kinds: [run]"):                                                         `there is no kind "run"`,
		one("secrets: [k-4711]"):                                                    "secret 1 of 1",
		one(""):                                                                     "a target needs a secret",
		`[{name: crm, url: "http://localhost/k-4711", secrets: [k-4711]}]`:          "secret 1 of 1", // that host is named
		`[{name: crm, url: "https://ann:k-4711@h", secrets: [` + secret4711 + `]}]`: "names a user",
	} {
		args := []string{"--webhooks", text}
		s, err := readSettings(append(args, "--webhook-private", "LocalHost"), env(), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		targets, err := s.targets()
		switch {
		case says == "" && (err != nil || len(targets) != 1 || targets[0].Secrets[0] != secret4711):
			t.Errorf("%s: %v", text, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), args[0]+": ")):
			t.Errorf("%s: %v", text, err)
		case err != nil && strings.Contains(err.Error(), "4711"):
			t.Errorf("a secret is told: %v", err)
		}
	}
	out, err := checked(t, "--webhooks", `[{name: crm, url: "https://93.184.216.34/k-4711", agents: [script, clerk], secrets: [`+secret4711+`]}, {name: in, url: "https://localhost/", secrets: [`+secret4711+`]}]`)
	if err != nil {
		t.Error(err)
	}
	wantLines(t, out, "warn  webhooks: crm: no agent here is called clerk, so nothing is sent of it: there are script\n", "ok    webhooks: crm may be sent to https://93.184.216.34, and nothing was sent\n", "warn  webhooks: in: nothing could be sent now: prohibited IP address")
}
