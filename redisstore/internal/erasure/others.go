package erasure

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/index"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// others looks at all threads of the store for the person's name. What is said in a thread
// of others is theirs and stays. A thread that gets an input moves to the front of the list,
// so the list is read from its end.
func (e *erasing) others(ctx context.Context) error {
	for i := range e.conn.Keys.Parts {
		p := &e.conn.Keys.Parts[i]
		for from := "(" + index.Beyond(index.ThreadList); ; {
			cmd := redis.NewStringSliceCmd(ctx, "zrevrangebylex", p.Lists, from, "["+index.ThreadList, "limit", 0, page)
			if err := errors.Join(link.Ask(ctx, e.conn, []*redis.StringSliceCmd{cmd})...); err != nil {
				return err
			}
			if err := e.look(ctx, p, cmd.Val()); err != nil {
				return err
			}
			if len(cmd.Val()) < page {
				break
			}
			from = "(" + cmd.Val()[page-1]
		}
	}
	return nil
}

// other is a thread of others.
type other struct {
	*erasing
	keyspace.Thread
	key store.ThreadKey
}

// look reads of some threads what most have no more of, and then the rest of each.
func (e *erasing) look(ctx context.Context, p *keyspace.Partition, members []string) error {
	var bases []string
	var recs []*redis.SliceCmd
	looking := []any{"mget"}
	for _, m := range members {
		if len(m) != index.ThreadSize {
			continue // of what is no member there is nothing to read
		}
		bases = append(bases, p.Base+m[len(m)-index.HashSize:]+":")
		recs = append(recs, redis.NewSliceCmd(ctx, "hmget", bases[len(bases)-1]+"rec", "thread", "user", "owner", "run"))
		looking = append(looking, bases[len(bases)-1]+"reviewers")
	}
	if len(bases) == 0 {
		return nil
	}
	reviewers := redis.NewSliceCmd(ctx, looking...)
	if err := errors.Join(link.Ask(ctx, e.conn, append(recs, reviewers))...); err != nil {
		return err
	}
	var scans []*redis.ScanCmd
	e.begun = map[string]*redis.ScanCmd{}
	for _, base := range bases {
		for _, key := range []string{base + "runs", base + "drafts"} {
			e.begun[key] = hscan(ctx, key, 0)
			scans = append(scans, e.begun[key])
		}
	}
	if err := errors.Join(link.Ask(ctx, e.conn, scans)...); err != nil {
		return err
	}
	for i, cmd := range recs {
		v := make([]string, 4)
		for j, value := range cmd.Val() {
			v[j], _ = value.(string)
		}
		key, ok := keyspace.ThreadOf(v[0])
		if !ok || key.Namespace == e.who.Namespace {
			continue
		}
		o := &other{erasing: e, Thread: keyspace.Thread{Part: p, Base: bases[i], Member: v[0]}, key: key}
		noted, _ := reviewers.Val()[i].(string)
		if err := errors.Join(o.unnoted(ctx, noted), o.unname(ctx, v[1], v[2], v[3] != "")); err != nil {
			return fmt.Errorf("thread %q of namespace %q: %w", key.Thread, key.Namespace, err)
		}
	}
	return nil
}

// held is one stored value that is to become another.
type held struct {
	key, field string
	place      int64
	was, is    string
}

// unnoted takes the person out of those who look at what the thread asks, and to whom it is
// assigned. What is noted of something else than what is open now goes as a whole.
func (o *other) unnoted(ctx context.Context, noted string) error {
	if o.dry || !strings.Contains(noted, o.who.Name) {
		return nil
	}
	_, open, bad := o.st.Review(ctx, o.key, o.who.Name, 0)
	if bad == nil && open {
		_, bad = o.st.Assign(ctx, o.key, o.who.Name, 0)
	}
	if bad == nil && open {
		return nil
	}
	return o.drop(ctx, [][]any{{"unlink", o.Reviewers()}})
}

// unname takes the person's name out of a thread, unless something goes on in it: whoever
// carries a run would write it again.
func (o *other) unname(ctx context.Context, user, owner string, active bool) error {
	var changes []held
	if user == o.who.Name {
		changes = append(changes, held{key: o.Rec(), field: "user", was: user}, held{key: o.Rec(), field: "owner", was: owner})
	}
	runs, err := o.runs(ctx)
	if err != nil {
		return err
	}
	drafts, err := o.drafts(ctx)
	if err != nil {
		return err
	}
	changes = append(append(changes, runs...), drafts...)
	if len(changes) == 0 {
		return nil
	}
	journal, err := o.journal(ctx)
	if err != nil {
		return err
	}
	changes = append(changes, journal...)
	if len(runs) > 0 {
		o.sum.Keep = append(o.sum.Keep, o.key)
	}
	waits := redis.NewIntCmd(ctx, "exists", o.Base+"queue")
	if err := errors.Join(link.Ask(ctx, o.conn, []*redis.IntCmd{waits})...); err != nil {
		return err
	}
	if active || waits.Val() > 0 {
		o.sum.left("thread %q of namespace %q names the person, and a run is active in it or an input waits: run it again when that has ended", o.key.Thread, o.key.Namespace)
		return nil
	}
	// The records of runs go last: by them the thread is found again.
	for i := len(changes) - 1; i >= 0; i-- {
		c := changes[i]
		done, err := o.swap(ctx, c.key, c.field, c.place, c.was, c.is)
		if err != nil {
			return err
		}
		if !done {
			o.sum.left("thread %q of namespace %q has changed meanwhile: run it again", o.key.Thread, o.key.Namespace)
			return nil
		}
	}
	return nil
}

// line is a run's as run.lua has it: the number, the position of its RUN_STARTED, and its texts.
var line = regexp.MustCompile(`(?s)^(\w\w (\d+) \d+ (\d+)(?: \d+){11}) (.*)$`)

// These are texts of a line.
const (
	summaryText = 10
	stopperText = 15
)

// runs are the records of the person's runs, what the log tells of their beginning, and what
// names the person of the runs of others: their summaries, and who has stopped them.
func (o *other) runs(ctx context.Context) (changes []held, err error) {
	key, started := o.Runs(), map[string]int64{}
	var records []held
	err = o.scan(ctx, key, func(field, value string) error {
		switch {
		case strings.HasPrefix(field, "m:"):
			m := line.FindStringSubmatch(value)
			if m == nil {
				return nil // nobody can read it
			}
			started[m[2]], _ = strconv.ParseInt(m[3], 10, 64)
			if !strings.Contains(m[4], o.who.Name) {
				return nil
			}
			if texts, err := link.Unpack(m[4]); err == nil && len(texts) > summaryText {
				texts[summaryText] = string(o.without([]byte(texts[summaryText]), "users"))
				if len(texts) > stopperText && texts[stopperText] == o.who.Name {
					texts[stopperText] = ""
				}
				changes = append(changes, o.changed(held{key: key, field: field, was: value, is: m[1] + " " + string(link.Pack(nil, texts...))})...)
			}
		case strings.HasPrefix(field, "r"):
			records = append(records, o.changed(held{key: key, field: field, was: value, is: o.record(value)})...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	o.sum.Runs += len(records)
	begun := map[int64]bool{}
	for _, r := range records {
		begun[started[r.field[1:]]] = true
	}
	events, err := o.events(ctx, begun)
	return append(append(records, events...), changes...), err
}

// changed is a change, if it is one.
func (o *other) changed(h held) []held {
	if h.was == h.is {
		return nil
	}
	return []held{h}
}

// logPage is how many elements of a log are looked through at a time.
const logPage = 64

// position is that of an element's first event.
func position(element string) int64 {
	text, _, _ := strings.Cut(element, ",")
	at, _ := strconv.ParseInt(text, 10, 64)
	return at
}

// events are those of the log at the positions of the RUN_STARTED of the person's runs. A run that
// never began has none, and what lies before the first element is gone.
func (o *other) events(ctx context.Context, begun map[int64]bool) (changes []held, err error) {
	head := redis.NewStringCmd(ctx, "lindex", o.Log(), 0)
	if err := errors.Join(link.Ask(ctx, o.conn, []*redis.StringCmd{head})...); err != nil && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	last := int64(0)
	for at := range begun {
		if head.Val() == "" || at < max(position(head.Val()), 1) {
			continue
		}
		last = max(last, at)
		field := strconv.FormatInt(at, 10)
		big := redis.NewStringCmd(ctx, "hget", o.Big(), field)
		if err := errors.Join(link.Ask(ctx, o.conn, []*redis.StringCmd{big})...); err != nil && !errors.Is(err, redis.Nil) {
			return nil, err
		}
		changes = append(changes, o.changed(held{key: o.Big(), field: field, was: big.Val(), is: o.untold(big.Val())})...)
	}
	for from, more := int64(0), last > 0; more; from += logPage {
		page := redis.NewStringSliceCmd(ctx, "lrange", o.Log(), from, from+logPage-1)
		if err := errors.Join(link.Ask(ctx, o.conn, []*redis.StringSliceCmd{page})...); err != nil {
			return nil, err
		}
		for i, was := range page.Val() {
			is := link.Mapped(was, func(at int64, e []byte) []byte {
				if begun[at] {
					return []byte(o.untold(string(e)))
				}
				return e
			})
			changes = append(changes, o.changed(held{key: o.Log(), place: from + int64(i), was: was, is: is})...)
		}
		n := len(page.Val())
		more = n == logPage && position(page.Val()[n-1]) < last
	}
	return changes, nil
}
