package server

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/metrics"
)

// refusesEach refuses what each credential is named for.
type refusesEach struct{}

func (refusesEach) Authenticate(_ context.Context, c identity.Credential) (identity.Identity, error) {
	switch c.Bearer {
	case "":
		return identity.Identity{}, &identity.RefusedError{Reason: identity.ReasonMissing, Detail: "none came"}
	case "plain-secret":
		return identity.Identity{}, fmt.Errorf("not in the directory: %w", identity.ErrUnauthenticated)
	case "odd-secret":
		return identity.Identity{}, &identity.RefusedError{Reason: "of its own", Detail: "because"}
	}
	return identity.Identity{}, &identity.RefusedError{Reason: identity.ReasonAudience, Detail: `aud is "x", and jwt-audience "y"`}
}

// Why a credential was refused is for the operator: in the log once a minute for each
// reason, and counted. The client is told nothing of it.
func TestRefusedCredentialsAreExplained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		m := metrics.New()
		s, _, end := piped(t, newFake(), &Options{Auth: refusesEach{}, Metrics: m, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		defer end()
		ask := func(bearer string) {
			t.Helper()
			r, _ := http.NewRequest(http.MethodGet, "/agui/capabilities", nil)
			r.RemoteAddr = "192.0.2.1:7"
			c, refused := s.gate.Authenticate(r, bearer, bearer != "", true)
			if c != nil || refused != peer.RefuseCredential {
				t.Fatalf("%q: %+v, %+v", bearer, c, refused)
			}
		}
		warnings := func() int { return strings.Count(log.String(), "level=WARN msg=\"a credential was refused") }
		for range 5 {
			ask("audience-secret")
		}
		if warnings() != 1 || !strings.Contains(log.String(), "reason=audience") || !strings.Contains(log.String(), `jwt-audience \"y\"`) || !strings.Contains(log.String(), "address=192.0.2.1") {
			t.Errorf("the log has\n%s", log.String())
		}
		ask("plain-secret")
		ask("odd-secret")
		if warnings() != 2 || !strings.Contains(log.String(), "reason=other why=\"not in the directory") {
			t.Errorf("the log has\n%s", log.String())
		}
		ask("")
		if warnings() != 2 {
			t.Errorf("the log warns of a client that sent no credential:\n%s", log.String())
		}
		time.Sleep(time.Minute)
		ask("audience-secret")
		if warnings() != 3 || !strings.Contains(log.String(), "refused=5") {
			t.Errorf("after a minute the log has\n%s", log.String())
		}
		if strings.Contains(log.String(), "secret") {
			t.Errorf("the log holds a credential:\n%s", log.String())
		}
		for reason, want := range map[string]float64{"audience": 6, "other": 2, "missing": 1} {
			if got := value(t, m, "aguiws_credentials_refused_total", reason); got != want {
				t.Errorf("%v of %s", got, reason)
			}
		}
	})
}
