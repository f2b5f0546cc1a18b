package redisstore

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/redis/go-redis/v9"
)

// formats are those that this build reads, the oldest first, without a gap. The last
// is what it writes.
//
// The number is for servers of two builds on one Redis: may each write beside the
// other, and read what the other has written? While the answer is yes it stays.
//
// What leaves the number as it is, because who does not know it passes over it, and
// may drop it where it writes the value anew:
//   - a member that is added to a JSON value, and may be missing
//   - a field that is added to a hash, and a key that is added to a thread or to a
//     partition, if nothing goes wrong where they are not kept up; a thread's key must
//     be in threadKeys.all and go with the thread, so that an older server, which
//     leaves it behind when it deletes the thread, does no harm
//   - a text that is added to the end of a packed list
//   - a new kind of journal entry: who does not know it leaves the run to who does
//   - a kind of message between nodes: it is taken for one that was missed
//
// What raises it, because who does not know it would do the wrong thing:
//   - a member, a field or a key that changes its meaning or its type, or goes
//   - another order, or another number, of what stands in one value: the line of a
//     run, a member of an index, the head of a suspension
//   - another word where they are few and known, as the states of a run and of its
//     dispatch
//   - a field that every script must keep up, or must heed before it decides
//   - another dictionary or method of compression; another way from a thread to its keys
//   - two scripts of which one relies on what only the new one of the other does
//
// To raise it: add a line here, which says how the older format is read. Prefer to
// read both: a thread is rewritten when it is next touched, and never all of them at
// once. A format is taken off the front of this
// table when its data cannot be there any more; CHANGELOG says so.
var formats = []storedFormat{
	{3, "what doc.go describes", "as it is"},
}

type storedFormat struct {
	number  int
	changed string // what is different from the one before
	read    string // how it is read by the build that writes the last one
}

// span is the numbers of the first and the last of formats.
type span struct{ oldest, written int }

func spanOf(formats []storedFormat) span {
	return span{formats[0].number, formats[len(formats)-1].number}
}

// reads are the formats that a store with these options reads.
func (o *Options) reads() span {
	if o.format != (span{}) {
		return o.format
	}
	return spanOf(formats)
}

func (f span) String() string {
	if f.oldest == f.written {
		return fmt.Sprintf("format %d", f.written)
	}
	return fmt.Sprintf("formats %d to %d", f.oldest, f.written)
}

// A FormatError says that the stored data and this build do not go together.
type FormatError struct {
	Prefix  string
	Stored  int // the format of the data
	Oldest  int // that this build reads
	Written int // by this build
	Servers int // of an older format that are running
}

func (e *FormatError) Error() string {
	reads := span{e.Oldest, e.Written}
	switch {
	case e.Stored > e.Written:
		return fmt.Sprintf("the data under prefix %q is of format %d, and this server knows %s: upgrade this server, or give it another prefix",
			e.Prefix, e.Stored, reads)
	case e.Stored < e.Oldest:
		return fmt.Sprintf("the data under prefix %q is of format %d, and this server knows %s: start a release once that knows both, or give this server another prefix",
			e.Prefix, e.Stored, reads)
	}
	return fmt.Sprintf("the data under prefix %q is of format %d, this server writes format %d, and servers that could not read it are running (%d): stop them first",
		e.Prefix, e.Stored, e.Written, e.Servers)
}

// refuses says why data of a format cannot be had; nil: it can.
func (f span) refuses(prefix string, stored int) *FormatError {
	if stored >= f.oldest && stored <= f.written {
		return nil
	}
	return &FormatError{Prefix: prefix, Stored: stored, Oldest: f.oldest, Written: f.written}
}

// metaSource is a script that stands without lib.lua: it concerns no thread.
var metaSource = func() string {
	source, err := luaFiles.ReadFile("lua/meta.lua")
	if err != nil {
		panic(err)
	}
	return string(source)
}()

// recordLayout records how threads are spread over keys, and in which format they are
// stored, or refuses to go on where it was recorded differently: no thread would be
// found again, or none understood. An older format is raised when nobody runs who
// knows only that.
func (s *connection) recordLayout(ctx context.Context) error {
	stored, err := s.meta(ctx, "")
	if err != nil || stored == s.format.written {
		return err
	}
	if refused := s.format.refuses(s.opts.Prefix, stored); refused != nil {
		return fmt.Errorf("redisstore: %w", refused)
	}
	running, err := s.listeners(ctx)
	if err != nil {
		return err
	}
	if running == 0 {
		_, err := s.meta(ctx, strconv.Itoa(stored))
		return err
	}
	// One of its own kind may have raised it meanwhile.
	if now, err := s.meta(ctx, ""); err != nil || now == s.format.written {
		return err
	}
	return fmt.Errorf("redisstore: %w", &FormatError{Prefix: s.opts.Prefix, Stored: stored, Oldest: s.format.oldest, Written: s.format.written, Servers: running})
}

// meta returns the stored format, which is this build's from now on if it was raised
// from what is named. A prefix that is new gets this build's.
func (s *connection) meta(ctx context.Context, raised string) (int, error) {
	want := strconv.Itoa(s.opts.Partitions)
	v, err := s.client.Eval(ctx, metaSource, []string{metaKey(s.opts.Prefix)}, want, s.format.written, raised).StringSlice()
	if err != nil {
		return 0, storeError("record the layout", err)
	}
	if have := v[0]; have != want {
		return 0, fmt.Errorf("redisstore: prefix %q has %s partitions, not %s: the number cannot be changed", s.opts.Prefix, have, want)
	}
	return readFormat(s.opts.Prefix, v[1])
}

func readFormat(prefix, text string) (int, error) {
	stored, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("redisstore: the format of the data under prefix %q is %q, which is no number: use another prefix", prefix, text)
	}
	return stored, nil
}

// listeners counts the nodes that listen under the prefix. In Cluster a subscription
// is known to the server that has it and to no other.
func (s *connection) listeners(ctx context.Context) (int, error) {
	var mu sync.Mutex
	running := 0
	one := func(ctx context.Context, c redis.UniversalClient) error {
		found, err := c.PubSubNumSub(ctx, s.keys.nudges()).Result()
		if err != nil {
			return storeError("count the servers that run", err)
		}
		mu.Lock()
		defer mu.Unlock()
		running += int(found[s.keys.nudges()])
		return nil
	}
	if c, ok := s.client.(*redis.ClusterClient); ok {
		err := c.ForEachShard(ctx, func(ctx context.Context, c *redis.Client) error { return one(ctx, c) })
		return running, err
	}
	return running, one(ctx, s.client)
}

// formatEvery is how often a store looks whether another has raised the format. It
// looks as well when it has not been heard for a while: who raises it counts those who
// listen.
const formatEvery = 30 * time.Second

// watchFormat looks at the stored format until it is newer than what this build knows,
// or the store closes.
func (s *connection) watchFormat() {
	tick := time.NewTicker(formatEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.closing:
			return
		case <-tick.C:
		case <-s.rejoined:
		}
		if s.lookAtFormat(context.Background()) != nil {
			return
		}
	}
}

// lookAtFormat reads the stored format and, if it cannot be had any more, closes the
// store to every call. What cannot be read is looked at again. An older format than
// this store opened with is what a fail-over has made of it, and is raised again.
func (s *connection) lookAtFormat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	text, err := s.client.HGet(ctx, metaKey(s.opts.Prefix), "format").Result()
	if err != nil {
		return nil
	}
	stored, err := readFormat(s.opts.Prefix, text)
	if err == nil && stored < s.format.written {
		_, _ = s.meta(ctx, text)
	}
	if err != nil || stored <= s.format.written {
		return nil
	}
	outdated := s.format.refuses(s.opts.Prefix, stored)
	s.outdated.Store(outdated)
	s.ended <- outdated
	return outdated
}

// Outdated yields a FormatError when another server has raised the format of what is
// stored. Every call of this store fails from then on and wraps ErrOutcomeUnknown, as
// if Redis were gone: nothing must be read or written that is not understood, and the
// runs are taken over by who understands them. The process is to end.
func (s *connection) Outdated() <-chan error { return s.ended }

func (s *connection) current() error {
	if outdated := s.outdated.Load(); outdated != nil {
		return fmt.Errorf("redisstore: %w: %w", store.ErrOutcomeUnknown, outdated)
	}
	return nil
}
