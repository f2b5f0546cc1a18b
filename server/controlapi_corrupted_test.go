package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/adapter/store"
)

// corrupt is a store in which one thread cannot be read.
type corrupt struct{ store.Store }

func (c corrupt) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	if key.Thread == "corrupt" {
		return nil, fmt.Errorf("%w: not JSON", store.ErrCorrupted)
	}
	return c.Store.Read(ctx, key, q)
}

// What is stored and cannot be read is not taken for a store that does not answer: the
// same request again would be of no use.
func TestV1TellsWhatIsCorrupted(t *testing.T) {
	var log logged
	r := newRunner(t, corrupt{embedded(t)}, &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{}), "script": script.New(script.Options{})}})
	v := newV1On(t, r, &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	status, _, _ := v.send(http.MethodGet, "/threads/corrupt", "", nil)
	if status != http.StatusInternalServerError {
		t.Errorf("got %d", status)
	}
	log.awaits(t, "a thread cannot be read")
}
