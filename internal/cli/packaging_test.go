package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

func packed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../packaging/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// settingsOf are those of a command line, as what is packed gives it.
func settingsOf(t *testing.T, args []string, vars environment) *settings {
	t.Helper()
	s, err := readSettings(args, vars, io.Discard)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	if len(s.strays) > 0 {
		t.Errorf("%q: these are no settings: %v", args, s.strays)
	}
	return s
}

// The unit starts a server, and waits longer for it than its drain takes.
func TestUnitStarts(t *testing.T) {
	unit := packed(t, "systemd/aguiws.service")
	line := regexp.MustCompile(`(?m)^ExecStart=/usr/bin/aguiws (.*)$`).FindStringSubmatch(unit)
	wait := regexp.MustCompile(`(?m)^TimeoutStopSec=(\d+)$`).FindStringSubmatch(unit)
	if line == nil || wait == nil {
		t.Fatal("the unit has no ExecStart or no TimeoutStopSec")
	}
	args := strings.Fields(line[1])
	for i, arg := range args {
		if strings.HasPrefix(arg, "${CREDENTIALS_DIRECTORY}/aguiws.yaml") {
			if !strings.Contains(unit, "\nLoadCredential=aguiws.yaml:") {
				t.Error("nobody loads the configuration")
			}
			text, err := configs.ReadFile("configs/gateway.yaml") // which the packages install
			if err != nil {
				t.Fatal(err)
			}
			args[i] = write(t, "a.yaml", string(text))
		}
	}
	longer(t, wait[1]+"s", settingsOf(t, args, nil))
}

// longer wants a grace that is longer than the server's drain.
func longer(t *testing.T, grace string, s *settings) {
	t.Helper()
	if d, err := time.ParseDuration(grace); err != nil || d < s.drain+5*time.Second {
		t.Errorf("a grace of %s is too short for a drain of %s: %v", grace, s.drain, err)
	}
}

// imageVariables are what the image sets.
func imageVariables(t *testing.T) (vars environment) {
	t.Helper()
	for _, m := range regexp.MustCompile(`AGUIWS_[A-Z_]+=\S+`).FindAllString(packed(t, "Dockerfile"), -1) {
		vars = append(vars, m)
	}
	if len(vars) == 0 {
		t.Fatal("the image sets nothing")
	}
	return vars
}

// The image serves nobody without users, and tells its health where it is asked.
func TestImageStarts(t *testing.T) {
	vars := imageVariables(t)
	if _, err := readSettings(nil, vars, io.Discard); err == nil || !strings.Contains(err.Error(), "set --auth") {
		t.Errorf("without users: %v", err)
	}
	s := settingsOf(t, nil, append(vars, "AGUIWS_AUTH=tokens", "AGUIWS_TOKENS=[{token: 0123456789abcdef, user: ann}]"))
	_, port, _ := strings.Cut(s.metricsAddr, ":")
	if !strings.Contains(packed(t, "Dockerfile"), `"healthz", "http://127.0.0.1:`+port+`/healthz"]`) {
		t.Errorf("the health check does not ask at %s", s.metricsAddr)
	}
}

func TestComposeStarts(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Command     any
			Environment map[string]string
			Grace       string `yaml:"stop_grace_period"`
			Healthcheck struct{ Test []string }
		}
	}
	if err := yaml.Unmarshal([]byte(packed(t, "compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	service := file.Services["aguiws"]
	vars := imageVariables(t)
	for name, value := range service.Environment {
		vars = append(vars, name+"="+regexp.MustCompile(`\$\{(?:[^{}]|\$\$\([^)]*\))*\}`).ReplaceAllString(value, "0123456789abcdef"))
	}
	var args []string
	for _, each := range service.Command.([]any) {
		args = append(args, fmt.Sprint(each))
	}
	longer(t, service.Grace, settingsOf(t, args, vars))
	if len(service.Healthcheck.Test) != 4 || service.Healthcheck.Test[2] != "healthz" {
		t.Errorf("the health check is %q", service.Healthcheck.Test)
	}
}

// The chart's settings are ones, with what it adds of its own.
func TestChartStarts(t *testing.T) {
	var values struct {
		Config map[string]any
	}
	text := packed(t, "helm/aguiws/values.yaml")
	if err := yaml.Unmarshal([]byte(text), &values); err != nil {
		t.Fatal(err)
	}
	template := packed(t, "helm/aguiws/templates/configmap.yaml")
	added := regexp.MustCompile(`"([a-z-]+)" (?:"([^"]+)"|\(printf "%ds" \(int \.Values\.drainSeconds\)\))`).FindAllStringSubmatch(template, -1)
	if len(added) != 3 {
		t.Fatalf("the chart adds %q", added)
	}
	all := maps.Clone(values.Config)
	for _, m := range added {
		if _, is := all[m[1]]; is {
			t.Errorf("the values set %s, which the chart sets", m[1])
		}
		if all[m[1]] = m[2]; m[2] == "" {
			all[m[1]] = "20s"
		}
	}
	file, err := yaml.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	settingsOf(t, []string{"serve", "--config", write(t, "a.yaml", string(file))}, imageVariables(t))
	// What stands there as an example is a setting, too.
	examples := regexp.MustCompile(`(?m)^  # ([a-z-]+): ?`).FindAllStringSubmatch(text, -1)
	for _, m := range examples {
		if s := newSettings(); nearest(m[1], names(s.table())) != m[1] {
			t.Errorf("the values show %s, which is no setting", m[1])
		}
	}
	if len(examples) == 0 {
		t.Error("the values show no example")
	}
	if deployment := packed(t, "helm/aguiws/templates/deployment.yaml"); !strings.Contains(deployment, "terminationGracePeriodSeconds: {{ add .Values.preStopSeconds .Values.drainSeconds .Values.marginSeconds }}") {
		t.Error("the grace does not follow the drain")
	}
}
