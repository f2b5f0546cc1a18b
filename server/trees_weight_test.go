package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/server/internal/peer"
)

// An answer about a tree is a page of it, and as many bytes as are stored.
func TestV1TreesComeInPages(t *testing.T) {
	v := newV1(t)
	const threads = 140
	meta := `{"x":"` + strings.Repeat("<", 16<<10-8) + `"}`
	for i := range threads {
		under := ""
		if i > 0 {
			under = `,"parentThreadId":"t0"`
		}
		v.call("createThread", 201, "/threads", fmt.Sprintf(`{"threadId":"t%d","metadata":%s%s}`, i, meta, under))
	}
	for _, path := range []string{"/threads/t0/tree?limit=200", "/trees?limit=200", "/trees?root=t0&limit=200"} {
		seen := 0
		for pages, cursor := 0, ""; ; pages++ {
			status, body, _ := v.send("GET", path+cursor, "", nil)
			if status != http.StatusOK || pages > 9 {
				t.Fatalf("%s: %d %.200s", path, status, body)
			}
			if len(body) > 2<<20 {
				t.Errorf("%s: an answer of %d bytes", path, len(body))
			}
			seen += strings.Count(string(body), meta)
			_, next, more := strings.Cut(string(body[max(len(body)-4000, 0):]), `"next":"`)
			if !more {
				break
			}
			next, _, _ = strings.Cut(next, `"`)
			cursor = "&cursor=" + next
		}
		if seen != threads {
			t.Errorf("%s: %d threads of %d", path, seen, threads)
		}
	}
	v.fails("getTree", 400, "invalid_input", "/threads/t0/tree?cursor=x", "")
}

// Who has the store look at many threads at once may ask for less after that.
func TestV1TreesAreWeighed(t *testing.T) {
	const burst, threads = 100, 80
	v := newV1With(t, &Options{FrameBurst: 1000, InputBurst: 1000, RequestsPerUser: 0.01, RequestBurst: burst})
	v.call("createThread", 201, "/threads", `{"threadId":"a"}`)
	v.call("createThread", 201, "/threads", `{"threadId":"top"}`)
	for i := range threads {
		v.call("createThread", 201, "/threads", fmt.Sprintf(`{"threadId":"t%d","parentThreadId":"top"}`, i))
	}
	v.call("addInput", 202, "/threads/top/input", say("/say hello"))
	left := burst - threads - 4 // and the document
	asks := func(method, path, body string) (took int) {
		t.Helper()
		if status, text, _ := v.send(method, path, body, nil); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
		return 1 + threads/peer.ThreadsOfRequest
	}
	left -= asks("PATCH", "/threads/top/tree", `{"parentThreadId":"a"}`)
	left -= asks("POST", "/threads/top/interrupt", `{}`)
	for range left {
		if status, text, _ := v.send("GET", "/threads/top/tree?limit=1", "", nil); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
	}
	if status, _, _ := v.send("GET", "/threads/top/tree?limit=1", "", nil); status != http.StatusTooManyRequests {
		t.Errorf("more was asked for than may be: %d", status)
	}
}
