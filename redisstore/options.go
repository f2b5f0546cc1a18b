package redisstore

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// Options of a Store. The zero value of each field is the default it names.
type Options struct {
	Prefix     string        // of every key and channel; "aguiws"
	Partitions int           // fixed when the prefix is first used, refused if it differs later; 64
	Node       string        // this process's id, unique among all that share the prefix, without white space; random
	Lease      time.Duration // of a claim, after which another worker takes the run over; 10 s
	Follow     time.Duration // for which a node follows a thread after Read, Tail or Begin; 60 s
	Keep       time.Duration // of runs, labels and answers, after their end; Retire takes them away; 30 days
	Retain     int           // events in a log at rest, never fewer than those after its snapshot; 10,000
	// RetainBytes and RetainAge bound a log as Retain does: 8 MiB, and 7 days. In
	// a thread that is in use events may stay half of RetainAge longer.
	RetainBytes int
	RetainAge   time.Duration
	// ThreadTTL is for how long a thread is kept in which nothing goes on, since
	// its last input or end; 0 is for ever.
	ThreadTTL time.Duration
	// NoticeCount is of how many changes the notices are kept in all, each partition having its
	// share of them, and NoticeAge for how long: 100,000, and 7 days. Both are approximate. A change
	// has one notice or several, and one of very many counts as several.
	NoticeCount int
	NoticeAge   time.Duration
	// KeepDecisions is for how long a decision is on record; 365 days.
	KeepDecisions time.Duration
	LargeEvent    int           // bytes from which on an event is stored outside the log's list; 64 KiB
	Timeout       time.Duration // of one call; 2 s
	// WaitReplicas is how many replicas must have a write before it is
	// acknowledged; 0. If there are fewer, the outcome is unknown after WaitTimeout, which
	// comes on top of Timeout. A store opens when there are so many, and is ready (Ready)
	// while there are. Not with an embedded store.
	WaitReplicas int
	WaitTimeout  time.Duration // 1 s
	Strict       bool          // a Warning of the start-up checks is an error
	Logger       *slog.Logger  // slog.Default()

	// HistoryID stands for master_replid where the server has none. Data that
	// outlived a change of it is treated as restored by another server.
	HistoryID string
	// Clock stands for the server's clock. For tests of exact times: all stores
	// on a prefix must share it.
	Clock func() time.Time

	// Webhooks is how many of them may wait for one target (store.WebhookCounts.Most), and how
	// many dead ones are kept of it; 65,536. Each partition has its share.
	Webhooks int

	volatile bool // the data dies with the process
	singly   bool // the connection cannot hold more than one command
	scripts  bool // functions of Redis are not used
	piece    int  // of how many messages a piece of a large change is; 500
}

// nodeLength lets a thread's record name two nodes that follow it in 64 bytes, up to which
// Redis keeps it packed.
const nodeLength = 12

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	or(&d.Prefix, "aguiws")
	or(&d.Partitions, 64)
	or(&d.Node, rand.Text()[:nodeLength])
	or(&d.Lease, 10*time.Second)
	or(&d.Follow, 60*time.Second)
	or(&d.Keep, 30*24*time.Hour)
	or(&d.Retain, 10_000)
	or(&d.RetainBytes, 8<<20)
	or(&d.RetainAge, 7*24*time.Hour)
	or(&d.NoticeCount, 100_000)
	or(&d.NoticeAge, 7*24*time.Hour)
	or(&d.KeepDecisions, 365*24*time.Hour)
	or(&d.LargeEvent, 64<<10)
	or(&d.Webhooks, 64<<10)
	or(&d.Timeout, 2*time.Second)
	or(&d.piece, 500)
	or(&d.WaitTimeout, time.Second)
	or(&d.Logger, slog.Default())
	return d
}

func or[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// check refuses options that cannot work. The defaults are filled in before.
func (o *Options) check() error {
	if o.Partitions < 1 || o.Partitions > 1024 {
		return fmt.Errorf("redisstore: %d partitions: 1 to 1024 are possible", o.Partitions)
	}
	if o.Lease < time.Millisecond || o.Follow < time.Millisecond || o.Keep < time.Millisecond ||
		o.Retain < 1 || o.RetainBytes < 1 || o.RetainAge < time.Millisecond || o.LargeEvent < 2 || o.ThreadTTL < 0 {
		return errors.New("redisstore: the lease and the times to follow, to keep and to retain are a millisecond at least; an event and a byte are retained at least; a large event has two bytes; the time that a thread is kept is not negative")
	}
	if o.NoticeCount < 1 || o.NoticeAge < time.Millisecond || o.KeepDecisions < time.Millisecond {
		return errors.New("redisstore: a notice is kept at least, and notices and decisions for a millisecond")
	}
	if strings.ContainsFunc(o.Node, unicode.IsSpace) {
		return fmt.Errorf("redisstore: the node %q: must have no white space", o.Node)
	}
	if o.WaitReplicas < 0 || o.WaitTimeout < time.Millisecond {
		return errors.New("redisstore: WaitReplicas is 0 at least, WaitTimeout a millisecond")
	}
	return nil
}

// settings are what the connection goes by.
func (o *Options) settings() link.Settings {
	return link.Settings{Prefix: o.Prefix, Partitions: o.Partitions, Node: o.Node, Lease: o.Lease, Follow: o.Follow, LargeEvent: o.LargeEvent,
		NoticesKept: max(o.NoticeCount/o.Partitions, 1), Timeout: o.Timeout, WaitReplicas: o.WaitReplicas, WaitTimeout: o.WaitTimeout,
		Logger: o.Logger, HistoryID: o.HistoryID, Clock: o.Clock, Volatile: o.volatile, Singly: o.singly, Scripts: o.scripts}
}
