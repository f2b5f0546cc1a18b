package client_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server"
)

func TestPayloads(t *testing.T) {
	n := serve(t, &server.Options{})
	_, through := over(t, n)
	opts := &client.Options{HTTPClient: through}
	c, err := client.Dial(t.Context(), n.url(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	followed, err := c.Follow(t.Context(), "t", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := followed.Say("/report 50000").Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	var p client.Payload
	for _, m := range followed.View().Messages {
		if found, ok := client.PayloadIn(m.Content); ok && m.Role == protocol.RoleTool {
			p = found
		}
	}
	if p.Name != "report.csv" || p.Size < 600_000 || !strings.HasPrefix(p.Preview, "row,square\n1,1\n") {
		t.Fatalf("%+v", p)
	}
	payloads := client.NewPayloads(n.http.URL+"/", opts)
	read := func(from int64) string {
		body, err := payloads.Open(t.Context(), p.Ref, from)
		if err != nil {
			t.Fatal(err)
		}
		defer body.Close()
		text, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	all := read(0)
	if int64(len(all)) != p.Size || !strings.HasPrefix(all, p.Preview) || read(p.Size-100) != all[p.Size-100:] {
		t.Errorf("%d of %d bytes", len(all), p.Size)
	}
	for ref, want := range map[string]int{p.Ref[:len(p.Ref)-64] + strings.Repeat("0", 64): 404, "x": 400} {
		var refused *client.RefusedError
		if _, err := payloads.Open(t.Context(), ref, 0); !errors.As(err, &refused) || refused.Status != want {
			t.Errorf("%s: %v", ref, err)
		}
	}
	var refused *client.RefusedError
	if _, err := payloads.Open(t.Context(), p.Ref, p.Size); !errors.As(err, &refused) || refused.Status != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("behind the end: %v", err)
	}
}
