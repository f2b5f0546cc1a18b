package hostile

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// target is what a target of webhooks is called.
const target = "crm"

// webhooksTo are the settings that have a target at an address.
func webhooksTo(address string) []string {
	return []string{"--webhook-private", "127.0.0.1",
		"--webhooks", fmt.Sprintf(`[{name: %s, url: %q, kinds: [%s], from: start, secrets: ["whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="]}]`, target, address, store.NoticeOpened)}
}

// givenUp makes dead letters of the runs of the threads called letter, whose server has
// stopped, and has the target's webhooks given up. Servers would take hours. It says which
// they are.
func givenUp(t *testing.T, redis *redistest.Server) map[string]string {
	t.Helper()
	db, err := redisstore.Open(t.Context(), redis.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	terminal, err := protocol.Encode(&protocol.RunError{Message: "given up"})
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]string{}
	for n := range thousand {
		thread := fmt.Sprint("letter-", n)
		claimed, err := db.Claim(t.Context(), store.ClaimRequest{
			Thread: store.ThreadKey{Namespace: "evil/user/" + strings.TrimSuffix(attackerToken, "-0123456789"), Thread: thread}, Token: "given-up"})
		if err != nil || claimed.Kind == store.ClaimNothing {
			t.Fatalf("%s: %+v %v", thread, claimed, err)
		}
		buried, err := db.Bury(t.Context(), store.Nack{Claim: claimed.Claim, Error: strings.Repeat("<", 500), Terminal: terminal})
		if err != nil || buried.State != store.DispatchDeadLetter {
			t.Fatalf("%s: %+v %v", thread, buried, err)
		}
		named[thread] = claimed.Claim.RunID
	}
	dead := 0
	for more := true; more; {
		taken, err := db.TakeWebhooks(t.Context(), store.WebhookTake{Target: target, Kinds: []store.NoticeKind{store.NoticeOpened}, FromStart: true, Limit: 200, Hold: time.Minute})
		if more = len(taken.Webhooks) > 0; err != nil {
			t.Fatal(err)
		}
		for _, w := range taken.Webhooks {
			if err := db.SettleWebhook(t.Context(), target, store.WebhookResult{ID: w.Notice.ID, Hold: w.Hold, Kind: store.WebhookDead,
				Tries: store.WebhookTries{Count: 9, First: w.Taken, Last: w.Taken, Error: strings.Repeat("<", 500)}}); err != nil {
				t.Fatal(err)
			}
			named[fmt.Sprint("dead-", dead)] = w.Notice.ID
			dead++
		}
	}
	if dead < thousand*9/10 { // notices of a partition with many have gone
		t.Errorf("%d webhooks were given up", dead)
	}
	return named
}
