package hostile

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// What is said of threads beside their messages, and how they stand below each other.

// grown is how many threads the attacker's tree has.
const grown = 950

// growTree makes the attacker's tree, each thread with as much metadata as may be: letters
// that HTML would write with six.
func growTree(s *siege, metadata string) {
	s.t.Helper()
	s.make(`{"threadId":"top"}`)
	s.make(`{"threadId":"a"}`)
	s.make(`{"threadId":"b"}`)
	for n := range grown {
		s.make(fmt.Sprintf(`{"threadId":"below-%d","parentThreadId":"top","metadata":{"x":%q}}`, n, metadata))
	}
}

// make makes a thread, as fast as the attacker may.
func (s *siege) make(body string) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		status, text := s.post(s.ctx, attackerToken, attackerAddress, "/v1/threads", body)
		switch {
		case status == http.StatusCreated:
			return
		case status != http.StatusTooManyRequests || time.Now().After(deadline):
			s.t.Fatalf("making a thread: %d %.300s", status, text)
		}
		wait(s.ctx, 100*time.Millisecond, nil)
	}
}

// readTrees has a large tree read by many at once.
func readTrees(s *siege) {
	growTree(s, strings.Repeat("<", 16<<10-16))
	s.repeat(32, func(ctx context.Context, reached func()) {
		for _, path := range []string{"/v1/threads/top/tree?limit=200", "/v1/trees?limit=200"} {
			_, _ = s.request(ctx, http.MethodGet, attackerToken, attackerAddress, path, nil)
		}
		reached()
	})
}

// moveTrees moves a large tree to and fro.
func moveTrees(s *siege) {
	growTree(s, "")
	s.repeat(16, func(ctx context.Context, reached func()) {
		for _, to := range []string{"a", "b"} {
			_, _ = s.request(ctx, http.MethodPatch, attackerToken, attackerAddress, "/v1/threads/top/tree", strings.NewReader(`{"parentThreadId":"`+to+`"}`))
		}
		reached()
	})
}
