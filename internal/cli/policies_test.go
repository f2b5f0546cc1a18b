package cli

import (
	"strings"
	"testing"
)

func TestPolicies(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "refuse",
		"refuse":                                 "refuse",
		"cancel":                                 "cancel",
		"clerk=cancel":                           "refuse,clerk=cancel",
		"cancel, judge=refuse clerk=cancel":      "cancel,clerk=cancel,judge=refuse",
		"ignore":                                 `!"ignore": must be refuse, cancel or AGENT=POLICY`,
		"clerk=ignore":                           `!"clerk=ignore": must be`,
		"=cancel":                                `!"=cancel": must be`,
		"cancel,refuse":                          `!"refuse": there is another`,
		"clerk=cancel,clerk=cancel":              `!"clerk=cancel": there is another`,
		"cancel,clerk=refuse,judge=refuse,clerk": `!"clerk": must be`,
	} {
		p := policies{common: "cancel", own: map[string]string{"old": "refuse"}}
		v := policiesValue{&p, []string{"refuse", "cancel"}}
		err := v.Set(text)
		switch says, wrong := strings.CutPrefix(want, "!"); {
		case wrong && (err == nil || !strings.HasPrefix(err.Error(), says)):
			t.Errorf("%q: %v, want %s", text, err, says)
		case wrong && v.String() != "cancel,old=refuse":
			t.Errorf("%q: refused, and it is %s", text, v)
		case !wrong && (err != nil || v.String() != want):
			t.Errorf("%q is %s, %v", text, v, err)
		}
	}
	p := policies{common: "refuse", own: map[string]string{"clerk": "cancel"}}
	if p.of("clerk") != "cancel" || p.of("judge") != "refuse" {
		t.Errorf("%+v", p)
	}
}
