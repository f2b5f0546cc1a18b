package link

import (
	"log/slog"
	"time"
)

// Settings are those of the options by which a connection goes, and the rooms above it. The
// store's Options say what they mean.
type Settings struct {
	Prefix       string
	Partitions   int
	Node         string
	Lease        time.Duration
	Follow       time.Duration
	LargeEvent   int
	NoticesKept  int // how many entries of them by each partition
	Timeout      time.Duration
	WaitReplicas int
	WaitTimeout  time.Duration
	Logger       *slog.Logger
	HistoryID    string
	Clock        func() time.Time

	Volatile bool // the data dies with the process
	Singly   bool // the connection cannot hold more than one command
	Scripts  bool // functions are not used
}
