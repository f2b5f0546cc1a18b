package cli

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"
)

func packed(t *testing.T, name string) string {
	t.Helper()
	return readFile(t, "../../packaging/"+name)
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

// systemd ignores a line of a drop-in that stands below no section.
func TestDropInsAreRead(t *testing.T) {
	page := readFile(t, "../../docs/install.md")
	shown := blocks(page, "ini")
	for _, comment := range regexp.MustCompile(`(?m)(?:^#   .*\n)+`).FindAllString(packed(t, "systemd/aguiws.service"), -1) {
		shown = append(shown, strings.ReplaceAll(comment, "#   ", ""))
	}
	if len(shown) != 2 {
		t.Errorf("the page and the unit show %q", shown)
	}
	for _, text := range shown {
		if !regexp.MustCompile(`\A(?:#.*\n)*\[Service\]\nLoadCredential=`).MatchString(text) {
			t.Errorf("this begins with no section:\n%s", text)
		}
	}
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

// chartFile is the configuration that the chart makes of values, which are merged into its
// own as Helm does it. Of Helm's functions there are those that the template uses.
func chartFile(t *testing.T, values string) string {
	t.Helper()
	var all struct {
		Config  map[string]any
		Drain   float64 `yaml:"drainSeconds"`
		Ingress map[string]any
	}
	for _, text := range []string{packed(t, "helm/aguiws/values.yaml"), values} { // yaml.v3 merges maps
		if err := yaml.Unmarshal([]byte(text), &all); err != nil {
			t.Fatal(err)
		}
	}
	functions := template.FuncMap{
		"include": func(string, any) string { return "named" },
		"int":     func(f float64) int { return int(f) },
		"list":    func() []any { return nil },
		"append":  func(l []any, each any) []any { return append(slices.Clone(l), each) },
		"uniq":    func(l []any) []any { return l },
		"default": func(other []any, is any) any {
			if is == nil {
				return other
			}
			return is
		},
		"toString": func(is any) string { return fmt.Sprint(is) },
		"deepCopy": func(m map[string]any) map[string]any { return maps.Clone(m) },
		"dict": func(pairs ...any) map[string]any {
			m := map[string]any{}
			for i := 0; i < len(pairs); i += 2 {
				m[pairs[i].(string)] = pairs[i+1]
			}
			return m
		},
		"set":            func(m map[string]any, name string, to any) map[string]any { m[name] = to; return m },
		"omit":           func(m map[string]any, name string) map[string]any { delete(m, name); return m },
		"mergeOverwrite": func(m, over map[string]any) map[string]any { maps.Copy(m, over); return m },
		"toYaml": func(v any) (string, error) {
			text, err := yaml.Marshal(v)
			return string(text), err
		},
		"nindent": func(n int, text string) string {
			return "\n" + strings.Repeat(" ", n) + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+strings.Repeat(" ", n))
		},
	}
	made, err := template.New("").Funcs(functions).Parse(packed(t, "helm/aguiws/templates/configmap.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := made.Execute(&out, map[string]any{"Values": map[string]any{"config": all.Config, "drainSeconds": all.Drain, "ingress": all.Ingress}}); err != nil {
		t.Fatal(err)
	}
	var object struct{ Data map[string]string }
	if err := yaml.Unmarshal([]byte(out.String()), &object); err != nil {
		t.Fatalf("%v in\n%s", err, &out)
	}
	return object.Data["aguiws.yaml"]
}

// A server starts from what the chart makes of its own values, and of those that
// docs/kubernetes.md shows.
func TestChartStarts(t *testing.T) {
	page := readFile(t, "../../docs/kubernetes.md")
	shown := 0
	for _, values := range append(blocks(page, "text"), "") {
		if values != "" && !strings.Contains("\n"+values, "\nconfig:\n") {
			continue
		}
		shown++
		settingsOf(t, []string{"serve", "--config", write(t, "a.yaml", chartFile(t, values))}, imageVariables(t))
	}
	if shown < 3 {
		t.Errorf("the page shows %d values", shown-1)
	}
	// What stands in the values as an example is a setting, too.
	text := packed(t, "helm/aguiws/values.yaml")
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
