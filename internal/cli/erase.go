package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server/identity"
)

// erasing is what erase alone can be told.
type erasing struct {
	user, tenant, namespace string
	dry                     bool
}

func (c *erasing) table() []setting {
	return []setting{
		{"user", "Erasing", textValue{&c.user, "name"}, "the person, by the user of a token, or the claim of a JWT that `jwt-user` names"},
		{"tenant", "Erasing", textValue{&c.tenant, "name"}, "the person's tenant"},
		{"namespace", "Erasing", textValue{&c.namespace, "name"}, "the namespace that holds the person's threads and those of nobody else. If it is empty, it is TENANT/user/USER"},
		{"dry-run", "Erasing", switchValue{&c.dry}, "say what would go, and change nothing"},
	}
}

// errLeft: something of the person is left, and the summary says what.
var errLeft = errors.New("erase: something is left, as the summary says")

// erase takes a person out of Redis, and writes what has gone: counts, and no contents.
func erase(ctx context.Context, s *settings, w io.Writer) error {
	c := &s.erasing
	if s.redis == "" {
		return fmt.Errorf("erase: %s is missing: the embedded store ends with its server", s.named("redis"))
	}
	if c.user == "" {
		return errors.New("erase: the person is missing: aguiws erase --user NAME")
	}
	who := redisstore.Person{Tenant: c.tenant, Shown: c.user, Name: identity.NameOf(c.tenant, c.user),
		Namespace: cmp.Or(c.namespace, identity.OwnNamespace(c.tenant, c.user))}
	s.strict = false // what keeps a server from starting keeps nobody in the store
	st, err := openStore(ctx, s, newLogger(s, io.Discard))
	if err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	defer st.Close()
	done, err := st.ErasePerson(ctx, who, c.dry)
	says := "erased at " + time.Now().UTC().Format(time.RFC3339)
	if c.dry {
		says = "would be erased"
	}
	if bad := reportErased(w, fmt.Sprintf("%s %s from Redis, under the prefix %s", who.Name, says, s.prefix), done); bad != nil {
		return bad
	}
	switch {
	case err != nil:
		return fmt.Errorf("erase: stopped before the end, run it again: %w", err)
	case len(done.Left) > 0:
		return errLeft
	}
	return nil
}

// mostLeft is how many things that are left are named.
const mostLeft = 100

// reportErased writes what has gone.
func reportErased(w io.Writer, head string, done *redisstore.Erased) error {
	lines, found := []string{head}, len(done.Keep)+len(done.Left)
	for _, of := range []struct {
		n    int
		what string
	}{
		{done.Threads, "threads of the person, with all that is in them"},
		{done.Decisions, "decisions about those threads"},
		{done.Unnamed, "decisions about other threads: the name and the words of the answer"},
		{done.Runs, "runs of other threads: the name"},
		{done.Notices, "notices"},
		{done.Webhooks, "webhooks that were owed, dead ones too"},
		{done.Accounts, "accounts at other services"},
	} {
		lines, found = append(lines, fmt.Sprintf("  %6d  %s", of.n, of.what)), found+of.n
	}
	if found == 0 {
		lines = append(lines, "The store has nothing of this person. If it should have, look at --user, --tenant, --namespace and --redis-prefix.")
	}
	for _, key := range done.Keep {
		lines = append(lines, fmt.Sprintf("  kept    what the person has said in thread %q of namespace %q", key.Thread, key.Namespace))
	}
	for _, left := range done.Left[:min(len(done.Left), mostLeft)] {
		lines = append(lines, "  left    "+left)
	}
	if more := len(done.Left) - mostLeft; more > 0 {
		lines = append(lines, fmt.Sprintf("  left    %d more like these", more))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, readable(line)); err != nil {
			return err
		}
	}
	return nil
}
