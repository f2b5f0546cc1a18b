package llm_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/llm"
)

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		reply reply
		want  llm.Found
		err   string
	}{
		"has it":        {raw("application/json", `{"object":"list","data":[{"id":"m-2"},{"id":"m-1"}]}`), llm.Found{Listed: true, Has: true, Others: []string{"m-2"}}, ""},
		"has a tag":     {raw("application/json", `{"object":"list","data":[{"id":"m-1:latest"}]}`), llm.Found{Listed: true, Has: true}, ""},
		"has others":    {raw("application/json", `{"object":"list","data":[{"id":"b"},{"id":"a"}]}`), llm.Found{Listed: true, Others: []string{"a", "b"}}, ""},
		"does not tell": {http.NotFound, llm.Found{}, ""},
		"wrong key":     {status(401, "", "no "+secret), llm.Found{}, "does not take the key (401)"},
		"a page":        {raw("text/html", "<html>"), llm.Found{}, "is no endpoint of OpenAI's kind"},
		"names its key": {raw("application/json", `{"data":[{"id":"a-`+secret+`"},{"id":"m-1"}]}`), llm.Found{Listed: true, Has: true, Others: []string{"a-…"}}, ""},
		"cut":           {status(500, "", strings.Repeat("x", 195)+secret), llm.Found{}, "answers by 500 Internal Server Error: xxx"},
		"not a word":    {status(500, "", "oops\x1b[2J\n"), llm.Found{}, "answers by 500 Internal Server Error: oops\uFFFD[2J\uFFFD"},
		"broken":        {status(500, "", "oops"), llm.Found{}, "answers by 500 Internal Server Error: oops"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(c.reply))
			defer server.Close()
			client := server.Client()
			got, err := newAgent(t, llm.Options{URL: server.URL + "/v1", Model: "m-1", Key: secret, Retries: -1, Client: client}).Check(t.Context())
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), secret[:5])) {
				t.Fatalf("%v, want %q", err, c.err)
			}
			if got.Listed != c.want.Listed || got.Has != c.want.Has || strings.Join(got.Others, " ") != strings.Join(c.want.Others, " ") {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}
