package hostile

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// operation is one of the document.
type operation struct{ id, method, path string }

// documented are the operations of a server's document.
func documented(t *testing.T, server *command.Server) (list []operation) {
	t.Helper()
	status, text := send(t, server, attackerToken, operation{method: "GET", path: "/openapi.json"}, asked{}, nil, 0)
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &doc); err != nil || status != http.StatusOK {
		t.Fatal(status, err)
	}
	for path, methods := range doc.Paths {
		for method, text := range methods {
			var of struct {
				OperationID string `json:"operationId"`
			}
			if json.Unmarshal(text, &of) == nil && of.OperationID != "" {
				list = append(list, operation{of.OperationID, strings.ToUpper(method), strings.TrimPrefix(path, "/v1")})
			}
		}
	}
	return list
}

// send asks for an operation for the nth time. A status of 0 is none within a while.
func send(t testing.TB, server *command.Server, token string, op operation, as asked, named map[string]string, n int) (int, []byte) {
	path, body := op.path+"?"+as.query, as.body
	for name, value := range as.named {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	fill := func(text string) string {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "{thread}", cmp.Or(as.thread, ofBig)), "{n}", strconv.Itoa(n))
		for name, value := range named {
			text = strings.ReplaceAll(text, "{"+name+"}", value)
		}
		return text
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, op.method, server.URL()+"/v1"+fill(path), strings.NewReader(fill(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil
	}
	return answer.StatusCode, text
}

// operated starts a server on the data, with a user who may do everything for each of some
// names, and the attacker.
func operated(t *testing.T, redis *redistest.Server, outside string, users []string, args ...string) *command.Server {
	t.Helper()
	var list []map[string]any
	for token, user := range users {
		list = append(list, map[string]any{"token": users[token] + "-0123456789", "user": user, "tenant": "evil", "scopes": []string{"read", "run", "approver", "admin", "tenants"}})
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte(base64.StdEncoding.EncodeToString(make([]byte, 32))+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var logins []map[string]string
	for _, name := range []string{"idp", "kept", "dropped"} {
		logins = append(logins, map[string]string{"name": name, "client-id": "x", "authorize-url": outside, "token-url": outside + "/token"})
	}
	providers, err := json.Marshal(logins)
	if err != nil {
		t.Fatal(err)
	}
	return command.Start(t, command.Options{Redis: redis.URL(), Args: append([]string{"--auth", "tokens", "--token-file", file,
		"--logins", string(providers), "--login-keys", keys, "--public-url", "https://here.example",
		"--payloads-from", "2KiB", "--max-requests-per-address", "-1", "--max-inputs", "-1", "--max-runs-per-user", "-1"}, args...)})
}
