package conformance

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// What a server does not have over HTTP is skipped; what fails, or what its profile
// lists, is tried.
func TestProbe(t *testing.T) {
	cases := one(t, "A> follow\nA< RUN_STARTED\n")
	for _, test := range []struct {
		name    string
		events  http.HandlerFunc
		profile *Profile
		want    Status
	}{
		{"there is none", status(http.StatusNotFound), nil, Skipped},
		{"another method", status(http.StatusMethodNotAllowed), &Profile{Lacks: []string{"queue"}}, Skipped},
		{"no event stream", status(http.StatusOK), nil, Skipped},
		{"it fails", status(http.StatusBadGateway), nil, Failed},
		{"there is none and it is listed", status(http.StatusNotFound), &Profile{Offers: []string{"follow"}}, Failed},
		{"an event stream", says(begun, ended), nil, Passed},
	} {
		server := httptest.NewServer(test.events)
		target := Target{URL: server.URL, Over: SSE, Profile: test.profile, Timeout: patience}
		got := Run(t.Context(), target, cases, nil)
		server.Close()
		if got[0].Status != test.want {
			t.Errorf("%s: %s (%s) %v, expected %s", test.name, got[0].Status, got[0].Reason, got[0].Violations, test.want)
		}
		if test.profile != nil && len(test.profile.Lacks) > 0 && !slices.Equal(test.profile.Lacks, []string{"queue"}) {
			t.Errorf("%s: the profile was changed: %+v", test.name, test.profile)
		}
	}
}
