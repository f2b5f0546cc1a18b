package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
)

// leastOf leaves out of a value what its schema does not require.
func leastOf(value any, schema map[string]any) any {
	switch v := value.(type) {
	case map[string]any:
		properties, ok := schema["properties"].(map[string]any)
		if !ok {
			return v
		}
		required, _ := schema["required"].([]any)
		least := map[string]any{}
		for name, member := range v {
			if slices.Contains(required, any(name)) {
				least[name] = leastOf(member, properties[name].(map[string]any))
			}
		}
		return least
	case []any:
		of, _ := schema["items"].(map[string]any)
		var least []any
		for _, each := range v {
			least = append(least, leastOf(each, of))
		}
		return least
	}
	return value
}

// What the document does not require is not needed: no operation wants a query, and none
// more of a body than the document does.
func TestOpenAPISaysWhatIsRequired(t *testing.T) {
	if testing.Short() {
		t.Skip("one request after another: the race detector has nothing to find, and takes its time")
	}
	v := newV1(t).as("0123456789abcdef-root-of-all")
	_, text, _ := v.send("GET", "/openapi.json", "", nil)
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name, In string
				Required bool
			}
			RequestBody struct {
				Content map[string]struct{ Schema map[string]any }
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for i, op := range v.ops {
		thread := fmt.Sprint("t", i)
		v.call("addInput", 202, "/threads/"+thread+"/input", say("/confirm sure?"))
		rested := v.rests(thread)
		interrupt := rested["interrupts"].([]any)[0].(map[string]any)["id"].(string)
		v.call("addInput", 202, "/threads/"+thread+"-waits/input", say("/event paid"))
		_, token, _ := strings.Cut(fmt.Sprint(v.rests(thread + "-waits")["messages"]), adapter.EventsPath)
		token, _, _ = strings.Cut(token, " ")
		run := items(v.call("listRuns", 200, "/threads/"+thread+"/runs", ""))[0]["id"].(string)
		path := regexp.MustCompile(`\{\w+\}`).ReplaceAllStringFunc(op.path, func(name string) string {
			return map[string]string{"{thread}": thread, "{run}": run, "{interrupt}": interrupt, "{branch}": "none", "{token}": token}[name]
		})
		described := document.Paths["/v1"+op.path][strings.ToLower(op.method)]
		body := ""
		if op.takes {
			whole := wholeBodies[op.method+" /v1"+op.path][0]
			whole = strings.NewReplacer(`"i"`, `"`+interrupt+`"`, `"threadId":"t"`, `"threadId":"`+thread+`"`, `"resolved"`, `"cancelled"`).Replace(whole)
			var value any
			if err := json.Unmarshal([]byte(whole), &value); err != nil {
				t.Fatal(err)
			}
			least, err := json.Marshal(leastOf(value, described.RequestBody.Content["application/json"].Schema))
			if err != nil {
				t.Fatal(err)
			}
			body = string(least)
		}
		for _, p := range described.Parameters {
			if p.In != "path" && p.Required {
				t.Errorf("%s: this test does not give %s", op.id, p.Name)
			}
		}
		status, answer, _ := v.send(op.method, path, body, nil)
		if status == http.StatusBadRequest || op.takes && status == http.StatusNotFound || status == http.StatusForbidden {
			t.Errorf("%s with no more than the document requires, %s: %d %s", op.id, body, status, answer)
		}
	}
}
