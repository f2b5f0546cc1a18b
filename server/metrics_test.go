package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/ws"
	"github.com/aguiws/aguiws/server/metrics"
	"github.com/aguiws/aguiws/server/webhook"
)

// value is what a metric counts under label values, in the order of docs/metrics.md.
func value(t *testing.T, m *metrics.Metrics, name string, labels ...string) float64 {
	t.Helper()
	families, err := m.Registry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, each := range f.GetMetric() {
			if slices.EqualFunc(each.GetLabel(), labels, func(p *dto.LabelPair, v string) bool { return p.GetValue() == v }) {
				return each.GetCounter().GetValue() + each.GetGauge().GetValue() + float64(each.GetHistogram().GetSampleCount())
			}
		}
	}
	return 0
}

// counts waits until a metric counts that much: what a client is told is counted
// before or after it is told.
func counts(t *testing.T, m *metrics.Metrics, want float64, name string, labels ...string) {
	t.Helper()
	eventually(t, fmt.Sprintf("%s%v is %v", name, labels, want), func() bool { return value(t, m, name, labels...) == want })
}

func metered(t *testing.T, opts *Options) (*testServer, *metrics.Metrics) {
	t.Helper()
	var err error
	if opts.Webhooks, err = webhook.New(&deadStore{}, nil, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opts.Webhooks.Shutdown(context.Background()) })
	opts.Metrics = metrics.New()
	agent := script.New(script.Options{})
	r := newRunner(t, opts.Metrics.Store(embedded(t)), &runner.Options{Agents: map[string]adapter.Agent{"": agent}})
	return newTestServer(t, running(r), opts), opts.Metrics
}

func TestMetricsCount(t *testing.T) {
	ts, m := metered(t, &Options{Auth: byToken{
		"ann": {Namespace: "n", User: "user-4711"}, "probe": {Scopes: []string{identity.ScopeMetrics}},
	}})
	c := ts.connect("/agui/ws", bearer("ann", ws.Subprotocol))
	c.expect("ws.hello")
	tb := newTab(c)
	if n := value(t, m, "aguiws_sockets", "full"); n != 1 {
		t.Errorf("%v sockets", n)
	}
	id := interrupts(t, tb.ask("run-4711", "/confirm message-4711"))[0]
	tb.send(says("r2", "never mind"))
	wantCode(t, tb.until(), "interrupts_pending")
	tb.send(resumes("r3", resolved(id, `{"approved":true}`)))
	wantSuccess(t, tb.until())
	tb.send(resumes("r4", resolved(id, `{"approved":true}`)))
	wantSuccess(t, tb.until())
	tb.checkPosition()
	other := ts.connect("/agui/ws", bearer("ann", ws.Subprotocol))
	other.expect("ws.hello")
	other.send(`{"type":"kind-4711"}`, `{"type":"ws.attach","threadId":"thread-4711"}`)
	other.expect("ws.error")
	other.expect("ws.attached")
	other.expect("ws.live")
	plain := ts.connect("/agui/ws", bearer("probe"))
	plain.send(input("t", "r"), `{"type":"ws.ping"}`)
	plain.expect("RUN_ERROR")
	plain.expect("RUN_ERROR")
	for _, want := range []struct {
		n      float64
		name   string
		labels []string
	}{
		{5, "aguiws_frames_received_total", []string{"input"}},
		{2, "aguiws_frames_received_total", []string{"ws.ping"}},
		{1, "aguiws_frames_received_total", []string{"invalid"}},
		{2, "aguiws_inputs_total", []string{"started"}},
		{1, "aguiws_inputs_total", []string{"refused"}},
		{1, "aguiws_inputs_total", []string{"repeat"}},
		{1, "aguiws_refusals_total", []string{"interrupts_pending"}},
		{1, "aguiws_refusals_total", []string{"invalid_frame"}},
		{1, "aguiws_refusals_total", []string{"forbidden"}},
		{1, "aguiws_refusals_total", []string{"invalid_input"}},
		{2, "aguiws_dispatches", []string{"acked"}},
		{1, "aguiws_attaches_total", []string{"no_position"}},
		{2, "aguiws_attached_threads", nil},
		{2, "aguiws_runs_started_total", nil},
		{10_000, "aguiws_runs_max", nil},
		{1, "aguiws_runs_ended_total", []string{"interrupt"}},
		{1, "aguiws_runs_ended_total", []string{"success"}},
		{1, "aguiws_interrupts_raised_total", nil},
		{1, "aguiws_interrupts_answered_total", nil},
		{float64(tb.seq), "aguiws_events_logged_total", nil},
	} {
		counts(t, m, want.n, want.name, want.labels...)
	}
	if n := value(t, m, "aguiws_events_delivered_total"); n < float64(tb.seq) {
		t.Errorf("%v of %d events were delivered", n, tb.seq)
	}
	if n := value(t, m, "aguiws_store_call_seconds", "commit"); n < 2 {
		t.Errorf("%v commits were timed", n)
	}

	for token, want := range map[string]int{"ann": 403, "probe": 200, "": 401} {
		header := http.Header{}
		if token != "" {
			header.Set("Authorization", "Bearer "+token)
		}
		if status, _, _ := ts.get("/metrics", header, ""); status != want {
			t.Errorf("%q gets %d of /metrics", token, status)
		}
	}
	c.ws.CloseNow()
	other.ws.CloseNow()
	plain.ws.CloseNow()
	eventually(t, "the socket is not counted any more", func() bool {
		return value(t, m, "aguiws_sockets", "full") == 0 && value(t, m, "aguiws_attached_threads") == 0 && value(t, m, "aguiws_sockets_closed_total", "0") == 3
	})
	counts(t, m, 3, "aguiws_http_requests_total", "/agui/ws", "101")

	w := httptest.NewRecorder()
	ts.Probes().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	page, _ := io.ReadAll(w.Result().Body)
	// What is counted may be any number.
	page = regexp.MustCompile(`(?m) \S+$`).ReplaceAll(page, nil)
	for _, secret := range []string{"4711", id} {
		if strings.Contains(string(page), secret) {
			t.Errorf("a label tells %q", secret)
		}
	}
	documented(t, m)
}

// documented holds docs/metrics.md to what m has.
func documented(t *testing.T, m *metrics.Metrics) {
	t.Helper()
	page := readFile(t, "../docs/metrics.md")
	rows := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(aguiws_[a-z_]+)` \\| (.*?)\\|").FindAllStringSubmatch(page, -1) {
		rows[row[1]] = strings.NewReplacer("`", "", " ", "").Replace(row[2])
	}
	described := map[string]string{}
	for _, line := range descriptions(m) {
		described[line[0]] = line[1]
	}
	for name, labels := range rows {
		if got, ok := described[name]; !ok || got != labels {
			t.Errorf("docs/metrics.md lists %s with labels %q; there is %q, %v", name, labels, got, ok)
		}
	}
	for name := range described {
		if _, ok := rows[name]; !ok {
			t.Errorf("docs/metrics.md does not list %s", name)
		}
	}
	if len(rows) < 15 {
		t.Errorf("docs/metrics.md lists %d metrics: is it read as it is written?", len(rows))
	}
}

// descriptions are the names and labels of the metrics that are ours.
func descriptions(m *metrics.Metrics) (list [][2]string) {
	all := make(chan *prometheus.Desc)
	go func() {
		m.Registry().Describe(all)
		close(all)
	}()
	form := regexp.MustCompile(`fqName: "(aguiws_[^"]*)".*variableLabels: \{([^}]*)\}`)
	for d := range all {
		if found := form.FindStringSubmatch(d.String()); found != nil {
			list = append(list, [2]string{found[1], found[2]})
		}
	}
	return list
}
