package packaging_test

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/server/metrics"
	"github.com/aguiws/aguiws/server/webhook"
)

// exported are the labels of the metrics that a server has, by name, and the series that it
// has before anybody has asked it for anything.
func exported(t *testing.T) (known map[string][]string, fresh []*dto.MetricFamily) {
	t.Helper()
	m := metrics.New()
	st, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	runs, err := runner.New(m.Store(st), &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}})
	if err != nil {
		t.Fatal(err)
	}
	hooks, err := webhook.New(st, []webhook.Target{{Name: "crm", URL: "https://crm.example", Secrets: []string{"whsec_" + strings.Repeat("A", 32)}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.New(runs, &server.Options{Metrics: m, Webhooks: hooks})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, stop := range []func(context.Context) error{srv.Shutdown, hooks.Shutdown, runs.Shutdown} {
			if err := stop(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}()
	all := make(chan *prometheus.Desc)
	go func() {
		m.Registry().Describe(all)
		close(all)
	}()
	form := regexp.MustCompile(`fqName: "([^"]*)".*variableLabels: \{([^}]*)\}`)
	known = map[string][]string{}
	for d := range all {
		m := form.FindStringSubmatch(d.String())
		if m == nil {
			t.Fatalf("a description is written in another way: %s", d)
		}
		known[m[1]] = strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || r == ' ' })
	}
	if fresh, err = m.Registry().Gather(); err != nil {
		t.Fatal(err)
	}
	return known, fresh
}

var (
	metric = regexp.MustCompile(`\b((?:aguiws|process|go)_[a-z0-9_]+)(?:\{([^}]*)\})?`)
	label  = regexp.MustCompile(`([a-z_]+)\s*(=~|!~|!=|=)\s*"([^"]*)"`)
)

// judge holds an expression to the metrics and labels that there are.
func judge(t *testing.T, expression string, known map[string][]string) {
	t.Helper()
	found := metric.FindAllStringSubmatch(expression, -1)
	if len(found) == 0 {
		t.Errorf("%s names no metric", expression)
	}
	for _, m := range found {
		labels, ok := known[m[1]]
		if base, is := strings.CutSuffix(m[1], "_bucket"); is {
			labels, ok = known[base]
		}
		if !ok {
			t.Errorf("%s: no server has %s", expression, m[1])
		}
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			if l[1] != "instance" && !slices.Contains(labels, l[1]) {
				t.Errorf("%s: %s has the labels %q", expression, m[1], labels)
			}
		}
	}
	for _, by := range regexp.MustCompile(`\bby \(([^)]*)\)`).FindAllStringSubmatch(expression, -1) {
		for name := range strings.SplitSeq(by[1], ", ") {
			if name != "instance" && name != "le" && !slices.ContainsFunc(found, func(m []string) bool {
				return slices.Contains(known[strings.TrimSuffix(m[1], "_bucket")], name)
			}) {
				t.Errorf("%s: no metric in it has the label %s", expression, name)
			}
		}
	}
}

// judgeFresh holds an expression to the series that a server has from its start: one that is
// born at 1 has not increased, so nobody would hear of the first.
func judgeFresh(t *testing.T, expression string, fresh []*dto.MetricFamily) (named int) {
	t.Helper()
	for _, m := range metric.FindAllStringSubmatch(expression, -1) {
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			if l[2] != "=" && l[2] != "=~" {
				continue
			}
			for value := range strings.SplitSeq(l[3], "|") {
				named++
				if !slices.ContainsFunc(fresh, func(f *dto.MetricFamily) bool {
					return f.GetName() == m[1] && slices.ContainsFunc(f.GetMetric(), func(series *dto.Metric) bool {
						return slices.ContainsFunc(series.GetLabel(), func(has *dto.LabelPair) bool {
							return has.GetName() == l[1] && has.GetValue() == value
						})
					})
				}) {
					t.Errorf("%s: a server that has just begun has no %s{%s=%q}", expression, m[1], l[1], value)
				}
			}
		}
	}
	return named
}

// The alerts ask for what servers export, and operations.md says what to do at each.
func TestAlerts(t *testing.T) {
	known, fresh := exported(t)
	values := 0
	rules := parse[struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr         string
				Labels, Annotations map[string]string
			}
		}
	}](t, "prometheus/aguiws.rules.yaml")
	page := read(t, "../docs/operations.md")
	named := map[string]bool{}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			named[r.Alert] = true
			if !strings.HasPrefix(r.Expr, "up{") { // Prometheus makes that one
				judge(t, r.Expr, known)
				values += judgeFresh(t, r.Expr, fresh)
			}
			if !strings.Contains(page, "\n| `"+r.Alert+"` | ") {
				t.Errorf("docs/operations.md has no line for %s", r.Alert)
			}
			if r.Labels["severity"] == "" || r.Annotations["summary"] == "" {
				t.Errorf("%s has no severity or no summary", r.Alert)
			}
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(Aguiws\\w+)` \\|").FindAllStringSubmatch(page, -1) {
		if !named[m[1]] {
			t.Errorf("docs/operations.md names %s, which is no alert", m[1])
		}
	}
	if len(named) < 10 || values < 8 {
		t.Errorf("%d alerts with %d values were read", len(named), values)
	}
}

func TestDashboard(t *testing.T) {
	known, _ := exported(t)
	var board struct {
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
		Templating struct{ List []struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(read(t, "grafana/aguiws.json")), &board); err != nil {
		t.Fatal(err)
	}
	ids, expressions := map[int]bool{}, 0
	for i, p := range board.Panels {
		if ids[p.ID] {
			t.Errorf("two panels have the id %d", p.ID)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			expressions++
			judge(t, target.Expr, known)
		}
		for _, q := range board.Panels[:i] {
			a, b := p.GridPos, q.GridPos
			if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("%s lies over %s", p.Title, q.Title)
			}
		}
	}
	if expressions < 30 {
		t.Errorf("%d expressions were read", expressions)
	}
}

// What the chart scales by is exported.
func TestChartScales(t *testing.T) {
	values := parse[struct {
		KEDA struct{ Prometheus struct{ Query string } }
	}](t, "helm/aguiws/values.yaml")
	known, _ := exported(t)
	judge(t, values.KEDA.Prometheus.Query, known)
}

// AguiwsDown asks for a job of the name that the chart's PodMonitor and operations.md give it.
func TestJob(t *testing.T) {
	const job = "aguiws"
	chart := parse[struct{ Name string }](t, "helm/aguiws/Chart.yaml")
	for file, says := range map[string]string{
		"prometheus/aguiws.rules.yaml":          `up{job="` + job + `"}`,
		"helm/aguiws/templates/podmonitor.yaml": "\n  jobLabel: app.kubernetes.io/name ",
		"helm/aguiws/templates/_helpers.tpl":    "\napp.kubernetes.io/name: {{ .Chart.Name }}\n",
		"../docs/operations.md":                 "\n- job_name: " + job + "\n",
	} {
		if !strings.Contains(read(t, file), says) {
			t.Errorf("%s does not say %q", file, says)
		}
	}
	if chart.Name != job {
		t.Errorf("the chart is called %q", chart.Name)
	}
}
