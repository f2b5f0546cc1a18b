package adapter_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// A delta that waits for company is not in the log while another run begins and ends, and comes
// with what its run says next. Without a linger it is there by then.
func TestDeltasLinger(t *testing.T) {
	for linger, logged := range map[time.Duration]int{time.Hour: 1, -1: 2} {
		heard, said, goOn := make(chan struct{}), make(chan struct{}), make(chan struct{})
		delta := &protocol.TextMessageContent{MessageID: "m", Delta: "x"}
		l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			if run.ThreadID() != "thread" {
				return nil
			}
			if err := run.Emit(&protocol.TextMessageStart{MessageID: "m", Role: protocol.RoleAssistant}, delta); err != nil {
				return err
			}
			<-heard
			if err := run.Emit(delta); err != nil {
				return err
			}
			close(said)
			<-goOn
			return run.Emit(delta, &protocol.TextMessageEnd{MessageID: "m"})
		}), func(o *runner.Options) { o.Linger = linger })
		l.submit(user("hello"))
		l.until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageContent })
		close(heard)
		await(l, said)
		succeeded(t, l.on("other").say("hello"))
		view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{})
		if err != nil {
			t.Fatal(err)
		}
		deltas := 0
		for _, e := range view.Log {
			if bytes.Contains(e, []byte(protocol.TypeTextMessageContent)) {
				deltas++
			}
		}
		if deltas != logged {
			t.Errorf("linger %s: %d deltas are logged", linger, deltas)
		}
		close(goOn)
		succeeded(t, l.untilEnd())
		if texts := l.texts(); len(texts) == 0 || texts[len(texts)-1] != "xxx" {
			t.Errorf("linger %s: %q", linger, texts)
		}
	}
}
