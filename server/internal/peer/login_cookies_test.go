package peer

import (
	"net/http"
	"strings"
	"testing"
)

// No upstream is told what binds a browser to a login.
func TestLoginCookiesGoNowhere(t *testing.T) {
	s := &Gate{passes: []string{"Cookie"}}
	for came, goes := range map[string]string{
		"a=1; aguiws-login-0123=x; b=2":    "a=1; b=2",
		"__Host-aguiws-login-0123=x; a=1":  "a=1",
		"a=1;__Host-aguiws-login-0123 = x": "a=1",
		"aguiws-login-0123=x":              "",
		"__Host-aguiws-session=x; a=1":     "a=1",
		"aguiws-session-8080=x; a=1":       "a=1",
		"aguiws-signin-8080=x":             "",
		"my-aguiws-login-0123=x; a=\"q\"":  "my-aguiws-login-0123=x; a=\"q\"",
	} {
		headers := s.passed(&http.Request{Header: http.Header{"Cookie": {came, came}}})
		want := strings.TrimPrefix(goes+"; "+goes, "; ")
		if got, there := headers["cookie"]; got != want || there != (goes != "") {
			t.Errorf("%s: %q", came, got)
		}
	}
}
