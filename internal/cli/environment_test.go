package cli

import (
	"context"
	"io"
	"reflect"
	"strings"
	"testing"
)

// What looks like a setting of the environment and is none is named, with the
// setting that was probably meant.
func TestStrayVariables(t *testing.T) {
	for _, c := range []struct {
		variable string
		want     []stray
	}{
		{"AGUIWS_REDIS_ULR=redis://:hidden@here", []stray{{"AGUIWS_REDIS_ULR", "AGUIWS_REDIS"}}},
		{"AGUIWS_LESE=5s", []stray{{"AGUIWS_LESE", "AGUIWS_LEASE"}}},
		{"AGUIWS_CONFG=a.yaml", []stray{{"AGUIWS_CONFG", "AGUIWS_CONFIG"}}},
		{"AGUIWS_max_frame=1MiB", []stray{{"AGUIWS_max_frame", "AGUIWS_MAX_FRAME"}}},
		{"AGUIWS_XYLOPHONE=1", []stray{{"AGUIWS_XYLOPHONE", ""}}},
		{"AGUIWS_PORT=8080", []stray{{"AGUIWS_PORT", ""}}},
		{"AGUIWS_=1", []stray{{"AGUIWS_", ""}}},
		{"AGUIWS_LEASE=5s", nil},
		{"AGUIWS_CONFIG=", nil},
		{"AGUIWS_CRASH_AT=somewhere", nil},
		{"AGUIWS_LESE=", nil},
		{"AGUIWSLESE=5s", nil},
		{"REDIS_URL=redis://here", nil},
		{"no assignment", nil},
		// What Kubernetes tells of services named aguiws and aguiws-redis.
		{"AGUIWS_SERVICE_HOST=10.0.0.1", nil},
		{"AGUIWS_SERVICE_PORT=80", nil},
		{"AGUIWS_SERVICE_PORT_HTTP=80", nil},
		{"AGUIWS_PORT=tcp://10.0.0.1:80", nil},
		{"AGUIWS_PORT_80_TCP=tcp://10.0.0.1:80", nil},
		{"AGUIWS_PORT_80_TCP_PROTO=tcp", nil},
		{"AGUIWS_PORT_80_TCP_PORT=80", nil},
		{"AGUIWS_PORT_80_TCP_ADDR=10.0.0.1", nil},
		{"AGUIWS_REDIS_SERVICE_HOST=10.0.0.2", nil},
		{"AGUIWS_REDIS_PORT=tcp://10.0.0.2:6379", nil},
		{"AGUIWS_REDIS_PORT_6379_TCP_ADDR=10.0.0.2", nil},
	} {
		s, err := readSettings([]string{"version"}, environment{c.variable}, io.Discard)
		if err != nil || !reflect.DeepEqual(s.strays, c.want) {
			t.Errorf("%s: got %v, %v, want %v", c.variable, s.strays, err, c.want)
		}
	}
}

// They are said whatever becomes of the command: what refuses to start may lack
// just what the misspelt variable was to set. What they hold is not said.
func TestStrayVariablesAreSaid(t *testing.T) {
	var log, out strings.Builder
	stray := env("AGUIWS_REDIS_ULR", "redis://:hidden-4711@here", "AGUIWS_MODE", "durable", "AGUIWS_SERVICE_HOST", "10.0.0.1")
	if err := run(context.Background(), nil, stray, &out, &log); err == nil {
		t.Fatal("starts")
	}
	if said := log.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "AGUIWS_REDIS_ULR") || !strings.Contains(said, "did you mean AGUIWS_REDIS?") || strings.Contains(said, "hidden-4711") {
		t.Errorf("the log says %q", said)
	}
	if err := run(context.Background(), []string{"check", "--addr", "127.0.0.1:0"}, env("AGUIWS_LESE", "5s"), &out, io.Discard); err != nil {
		t.Error(err)
	}
	wantLines(t, out.String(), "warn  environment: AGUIWS_LESE is no setting (did you mean AGUIWS_LEASE?)")
}
