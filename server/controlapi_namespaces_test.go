package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// takes reports whether an operation has a query parameter.
func takes(described json.RawMessage, parameter string) bool {
	return strings.Contains(string(described), `"in":"query","name":"`+parameter+`"`)
}

// Whoever names a namespace in which it has no business is refused, and never given an
// empty answer or its own data in place of it. The refusal does not depend on what is there.
func TestV1NamespacesOfOthers(t *testing.T) {
	w := newWalk(t)
	before := w.state()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	answer := w.request(t, http.MethodGet, "/v1/openapi.json", annsToken, "")
	_, text, _ := strings.Cut(answer, "\n{")
	if err := json.Unmarshal([]byte("{"+text), &document); err != nil {
		t.Fatal(err)
	}
	walked := 0
	for path, methods := range document.Paths {
		for method, described := range methods {
			method = strings.ToUpper(method)
			resolves := method+" "+path == "POST /v1/inbox/resolve"
			if !takes(described, "namespace") && !resolves {
				continue
			}
			walked++
			for _, who := range []string{"another user", "an approver elsewhere"} {
				var answers []string
				for _, namespace := range []string{"acme/user/ann", "acme/user/nobody"} {
					query, body := "?namespace="+url.QueryEscape(namespace), ""
					if resolves {
						query = ""
						body = fmt.Sprintf(`{"idempotencyKey":"k","items":[{"threadId":%q,"namespace":%q,"entries":[{"interruptId":%q,"status":"cancelled"}]}]}`, w.theirs.thread, namespace, w.theirs.interrupt)
					} else if make := bodies[method+" "+path]; make != nil {
						body = make(w.theirs)
					}
					for _, thread := range []string{"", "&thread=" + w.theirs.thread} {
						if thread != "" && (resolves || !takes(described, "thread")) {
							continue
						}
						answer := w.request(t, method, fill(t, path, w.theirs, "")+query+thread, strangers[who], body)
						if status, _, _ := strings.Cut(answer, " "); !slices.Contains([]string{"400", "403", "404"}, status) {
							t.Errorf("%s: %s %s with the namespace %s and %q answers %s", who, method, path, namespace, thread, answer)
						}
						answers = append(answers, answer)
					}
				}
				half := len(answers) / 2
				if !slices.Equal(answers[:half], answers[half:]) {
					t.Errorf("%s: %s %s tells what is used:\n%s", who, method, path, strings.Join(answers, "\n"))
				}
			}
		}
	}
	if walked < 20 {
		t.Errorf("%d operations take a namespace", walked)
	}
	if after := w.state(); after != before {
		t.Errorf("ann was told\n%s\nand is now\n%s", before, after)
	}
}
