package notices

import (
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		kind               store.NoticeKind
		how                string
		severity, sentence string
	}{
		{store.NoticeOpened, "", Action, "Agent mail waits for an answer in thread t of ann until 2030-03-17T17:46:40Z."},
		{store.NoticeReopened, "", Action, "Agent mail waits again for an answer in thread t of ann until 2030-03-17T17:46:40Z."},
		{store.NoticeDrafted, "", Info, "bob answered a part of what waits in thread t of ann."},
		{store.NoticeDecided, "resolved", Info, "bob answered what waited in thread t of ann."},
		{store.NoticeDecided, "cancelled", Info, "bob cancelled what waited in thread t of ann."},
		{store.NoticeExpired, "", Warning, "Nobody answered in time what waited in thread t of ann."},
		{store.NoticeCancelled, "", Info, "What waited in thread t of ann was cancelled."},
		{store.NoticeRunStarted, "", Info, "Agent mail began a run in thread t of ann."},
		{store.NoticeRunEnded, "finish", Info, "Agent mail finished a run in thread t of ann."},
		{store.NoticeRunEnded, "fail", Error, "Agent mail failed in a run in thread t of ann."},
		{store.NoticeRunEnded, "cancel", Info, "Agent mail was stopped in a run in thread t of ann."},
		{store.NoticeRunEnded, "suspend", Info, "Agent mail ended a run with a question in thread t of ann."},
		{store.NoticeDead, "", Error, "Agent mail lost a run in thread t of ann: an operator can requeue or dismiss it."},
		{store.NoticeThreadGone, "", Info, "Thread t of ann was deleted."},
	} {
		n := store.Notice{
			Kind: tt.kind, How: tt.how, Thread: store.ThreadKey{Namespace: "acme/user/ann", Thread: "t"}, Owner: "acme/ann", Agent: "mail",
			Interrupts: []string{"i"}, Reasons: []string{"tool_call"}, Deadline: time.Unix(1900000000, 0), By: "acme/bob",
		}
		if w := Wire(&n); w.Severity != tt.severity || w.Sentence != tt.sentence || (w.Page == "/?thread=t&namespace=acme%2Fuser%2Fann") != (tt.kind != store.NoticeThreadGone) {
			t.Errorf("%s %s: %s %q %s", tt.kind, tt.how, w.Severity, w.Sentence, w.Page)
		}
	}
	for _, k := range Kinds {
		if w := Wire(&store.Notice{Kind: k, Thread: store.ThreadKey{Thread: "t"}, Interrupts: []string{"i", "j"}}); w.Sentence == "" {
			t.Errorf("%s has no words", k)
		}
	}
}
