package cli

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// certify writes a certificate for 127.0.0.1 and its key, and returns who
// trusts it.
func certify(t *testing.T, cert, key string, serial int64) *x509.CertPool {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(parsed)
	return pool
}

// eventually polls until a condition holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// With TLS the page, the API and sockets work; SIGHUP takes a new certificate
// and a new list of tokens, and closes what was opened with a token that is
// gone.
func TestTLSAndReload(t *testing.T) {
	dir := t.TempDir()
	cert, key, tokens := filepath.Join(dir, "cert"), filepath.Join(dir, "key"), filepath.Join(dir, "tokens")
	list := func(text string) {
		if err := os.WriteFile(tokens, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list("- {token: 0123456789abcdef-ann, user: ann}\n- {token: 0123456789abcdef-bob, user: bob}\n")
	pool := certify(t, cert, key, 1)
	c := start(t, env(), "--tls-cert", cert, "--tls-key", key, "--auth", "tokens", "--token-file", tokens)
	client := func(pool *x509.CertPool) *http.Client {
		return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
	}
	if status, _ := get(t, client(pool), "https://"+c.addr+"/agui/capabilities", "", "Authorization", "Bearer 0123456789abcdef-ann"); status != 200 {
		t.Errorf("got %d", status)
	}
	dial := func(token string) (*websocket.Conn, error) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		ws, _, err := websocket.Dial(ctx, "wss://"+c.addr+"/agui/ws", &websocket.DialOptions{HTTPClient: client(pool),
			HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
		if err == nil {
			t.Cleanup(func() { ws.CloseNow() })
		}
		return ws, err
	}
	ann, err := dial("0123456789abcdef-ann")
	if err != nil {
		t.Fatal(err)
	}
	bob, err := dial("0123456789abcdef-bob")
	if err != nil {
		t.Fatal(err)
	}
	c.converse(ann, said("r1", "/say hello"))

	list("- {token: 0123456789abcdef-ann, user: ann}\n")
	fresh := certify(t, cert, key, 2)
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, _, err := bob.Read(ctx); websocket.CloseStatus(err) != 4401 {
		t.Errorf("bob's socket ends with %v", err)
	}
	c.converse(ann, said("r2", "/say hello again"))
	eventually(t, "the new certificate is shown", func() bool {
		resp, err := client(fresh).Get("https://" + c.addr + "/healthz")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil && resp.StatusCode == 200
	})
	pool = fresh
	if _, err := dial("0123456789abcdef-bob"); err == nil {
		t.Error("bob is let in")
	}
	ann.CloseNow()
}
