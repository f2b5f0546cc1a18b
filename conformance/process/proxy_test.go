package process

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// The proxy that docs/proxies.md shows passes on what the binding needs, and
// nothing that is the operator's.
func TestBehindNginx(t *testing.T) {
	suite.Full(t)
	binary, err := exec.LookPath("nginx")
	if err != nil {
		command.Missing(t, "nginx", "install Debian's nginx-light")
	}
	const bearer = "proxied-0123456789"
	port := redistest.FreePort(t)
	origin := "https://localhost:" + strconv.Itoa(port)
	list := filepath.Join(t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(list, []byte(`[{token: `+bearer+`, user: ann}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	server := command.Start(t, command.Options{Args: []string{
		"--auth", "tokens", "--token-file", list, "--hosts", "localhost", "--origins", origin, "--trusted-proxies", "127.0.0.1",
		"--max-inputs=-1", "--max-requests-per-user=-1", "--max-requests-per-address=-1", "--max-sockets-per-user=-1", "--max-runs-per-user=-1",
	}})
	roots := startNginx(t, binary, port, server.Addr())

	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(roots)
	browser := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	defer browser.CloseIdleConnections()
	ask := func(method, path, body string, header ...string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, origin+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+bearer)
		r.Header.Set("Content-Type", "application/json")
		for n := 0; n < len(header); n += 2 {
			r.Header.Set(header[n], header[n+1])
		}
		answer, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		return answer
	}
	for _, want := range []struct {
		method, path, body, origin string
		status                     int
	}{
		{http.MethodGet, "/", "", "", http.StatusOK},
		{http.MethodGet, "/metrics", "", "", http.StatusNotFound},
		{http.MethodGet, "/readyz", "", "", http.StatusNotFound},
		{http.MethodGet, "/v1/threads", "", origin, http.StatusOK},
		{http.MethodGet, "/v1/threads", "", "https://evil.example", http.StatusForbidden},
		{http.MethodPost, "/agui", strings.Repeat(" ", 4<<20+1), "", http.StatusRequestEntityTooLarge},
	} {
		header := []string{}
		if want.origin != "" {
			header = append(header, "Origin", want.origin)
		}
		if got := ask(want.method, want.path, want.body, header...); got.StatusCode != want.status {
			t.Errorf("%s %s from %q: %s, want %d", want.method, want.path, want.origin, got.Status, want.status)
		}
	}

	// What is buffered would come at the end of the run, which is hours away.
	stream := ask(http.MethodPost, "/agui", `{"threadId":"streamed","runId":"r","messages":[{"id":"m","role":"user","content":"/slow 1000 20000"}]}`)
	seen := make(chan bool, 1)
	go func() {
		for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
			if strings.Contains(lines.Text(), "TEXT_MESSAGE_CONTENT") {
				seen <- true
				return
			}
		}
		seen <- false
	}()
	select {
	case came := <-seen:
		if !came {
			t.Error("the stream ended without a delta")
		}
	case <-time.After(time.Minute):
		t.Error("the proxy keeps events back")
	}
	stream.Body.Close()

	trusted, profile := filepath.Join(t.TempDir(), "roots.pem"), filepath.Join(t.TempDir(), "profile.json")
	for name, text := range map[string]string{trusted: string(roots), profile: `{"name":"proxied","lacks":["direct"]}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, url := range []string{"wss" + strings.TrimPrefix(origin, "https") + "/agui/ws", origin + "/agui"} {
		harness := exec.CommandContext(t.Context(), "go", "run", "./conformance/cmd/agui", "test", "--url", url, "--profile", profile,
			"--header", "Authorization: Bearer "+bearer, "--timeout", "30s")
		harness.Dir, harness.Env = command.Root(t), append(os.Environ(), "SSL_CERT_FILE="+trusted)
		if out, err := harness.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", url, err, out)
		}
	}
}

// startNginx runs the two blocks of nginx's language that docs/proxies.md shows, for a port
// and an upstream of the test's, and returns the certificate that it shows.
func startNginx(t *testing.T, binary string, port int, upstream string) []byte {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(command.Root(t), "docs", "proxies.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)\n```nginx\n(.*?)\n```\n").FindAllSubmatch(page, -1)
	if len(shown) != 2 {
		t.Fatalf("docs/proxies.md shows %d blocks of nginx", len(shown))
	}
	dir := t.TempDir()
	site := string(shown[1][1])
	for from, to := range map[string]string{"listen 443 ssl": "listen 127.0.0.1:" + strconv.Itoa(port) + " ssl", "127.0.0.1:8080": upstream, "127.0.0.1:8081": upstream, "/etc/aguiws/": dir + "/"} {
		if !strings.Contains(site, from) {
			t.Fatalf("the configuration of nginx does not hold %q", from)
		}
		site = strings.ReplaceAll(site, from, to)
	}
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;"
	}
	main := fmt.Sprintf(`%s daemon off; pid %[2]s/pid; error_log stderr; %[4]s
http { access_log off; client_body_temp_path %[2]s/a; proxy_temp_path %[2]s/b; fastcgi_temp_path %[2]s/c; uwsgi_temp_path %[2]s/d; scgi_temp_path %[2]s/e;
%[3]s }`, user, dir, site, shown[0][1])
	chain, key := selfSigned(t)
	for name, text := range map[string][]byte{"nginx.conf": []byte(main), "chain.pem": chain, "key.pem": key} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said strings.Builder
	cmd := exec.Command(binary, "-e", "stderr", "-c", filepath.Join(dir, "nginx.conf"))
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("nginx said\n%s", &said)
		}
	})
	poll(t, "nginx does not listen", func() bool {
		c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return chain
}

// selfSigned is a certificate for localhost, and its key, in PEM.
func selfSigned(t *testing.T) (chain, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}
