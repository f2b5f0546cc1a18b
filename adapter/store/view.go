package store

import (
	"encoding/json"
	"time"
)

// ReadQuery says which parts of a thread are wanted beyond its record.
type ReadQuery struct {
	After *Position // events after it, when they are retained in the same epoch; see ThreadView.Recovered
	// Have is a position as of which the caller holds the thread's messages and state.
	// In the same epoch and with all that is behind it retained, the events behind it are
	// answered and nothing before; see ThreadView.Held. After comes first.
	Have         *Position
	Label        string   // run records under this client runId
	InterruptIDs []string // how these were answered
	ToolCallIDs  []string // which of these calls have or had an interrupt
	MessageIDs   []string // which of these messages were archived
	RunID        string   // this server-made run record
	Inputs       bool     // the queued inputs themselves
	Follower     bool     // register this node
	Sender       bool     // with Follower: as a Begin of a Sender does
	Small        bool     // a large thread is not wanted whole: see ThreadView.Large
	Journal      bool     // what goes on when the open interrupts are answered: see ThreadView.Execution
	// Window is how many of the messages are wanted, the last ones: fewer where these have
	// very many bytes. 0: all. See Snapshot.Older. Not with Have.
	Window int
	// Head and Tail are what the caller would put around the messages, of which it makes one text: see
	// Snapshot.Text.
	Head, Tail string
}

// ThreadView is a thread as one atomic read saw it.
type ThreadView struct {
	Thread   ThreadKey
	Version  int64 // raised by every decision: begin, claim, activate, end, nack, stop, stop all, checkpoint; and when a draft is replaced or taken back
	Epoch    string
	Base     int64 // position of the first retained event
	Seq      int64 // position of the last event; 0 in an empty log
	Boundary int64 // position of the last terminal event
	Now      time.Time

	Snapshot Snapshot
	Log      [][]byte // the events after From, up to Seq. Nil when Recovered
	From     int64    // the position before Log: Snapshot.At, or that of ReadQuery.Have
	// Held is true when ReadQuery.Have could be honoured. Then Snapshot has no more than
	// its At, which may be before From or behind it, and what is Frozen.
	Held bool
	// Recovered is true when ReadQuery.After could be honoured; then Missed
	// holds the first events after it, as many as the store has at hand, and Snapshot and Log
	// are empty. Range has the others.
	Recovered bool
	Missed    [][]byte
	// Large is about how many bytes the view would have; 0: it is whole. A store
	// may answer so a ReadQuery that is Small, and then says nothing else but Thread
	// and Recovered.
	Large int64

	Suspension  json.RawMessage            // the open suspension as Batch.End gave it; nil when no interrupt is open
	Execution   *ExecutionView             // with ReadQuery.Journal: of the open suspension, without what is of a claim; nil when no interrupt is open
	Active      *RunState                  // the claimed dispatch's run
	Latest      *RunState                  // the latest run with a RUN_STARTED in the log
	Queue       []QueuedRun                // queued inputs, in order, without the cancelled ones
	QueueLength int                        // how many stand in the queue, with the cancelled ones that are not logged yet; of those that have joined a run the ones beyond many
	Labelled    []RunState                 // runs under ReadQuery.Label, oldest first: the latest 31 at least, and the active one
	Run         *RunState                  // ReadQuery.RunID
	Answers     map[string]json.RawMessage // by interrupt id, of those asked for
	Asked       map[string]bool            // of ReadQuery.ToolCallIDs
	Archived    map[string]bool            // of ReadQuery.MessageIDs

	// Bytes is how many the store holds of the thread's messages, state and log.
	Bytes int64

	Tenant        string // of the Begin that used the thread first
	Title         string
	Used          bool                       // it got an input since it was begun or deleted
	Owner         string                     // for whom it counts, as Taken.Owner; "": nobody
	Deleted       bool                       // unused since it was deleted or retired, of which the store knows for a day
	DispatchEpoch int64                      // raised by each StopAll
	Paused        bool                       // its run is wished to suspend, or about to: see Control.Pause
	Drafts        map[string]json.RawMessage // see Inbox.Drafts
}

// Snapshot is messages and state as of a position: where a run ended, or of a checkpoint.
type Snapshot struct {
	At       int64
	State    json.RawMessage   // nil: never set
	Messages []json.RawMessage // in order
	// Text is ReadQuery.Head, Messages with a comma between two, and ReadQuery.Tail. Messages are parts of
	// it. Nil: the store has them apart.
	Text   []byte
	Frozen json.RawMessage // SnapshotUpdate.Frozen, of the last update that had it
	Open   json.RawMessage // SnapshotUpdate.Open, of the last update
	// Older is how many messages stand before these, left out for ReadQuery.Window; Before
	// is for Messages, which has them.
	Older  int64
	Before string
}

// RunState is a run record: Record as Begin gave it, and what the store knows.
type RunState struct {
	ID          string
	Record      json.RawMessage
	Status      RunStatus
	RunStarted  int64           // position of its RUN_STARTED; 0 while queued
	Terminal    json.RawMessage // its terminal event; nil before the end
	Execution   string
	LatestOfExe string // the id of the execution's latest run
}

// RunStatus is where a run stands.
type RunStatus string

const (
	RunQueued    RunStatus = "queued"
	RunActive    RunStatus = "active"
	RunEnded     RunStatus = "ended"
	RunCancelled RunStatus = "stopped" // cancelled in the queue; its two events are logged when the queue is next released
)

// QueuedRun is an accepted input that waits.
type QueuedRun struct {
	ID     string
	Record json.RawMessage // as Begin.Record
	Size   int64           // bytes that the input and its record take in the store
	Input  json.RawMessage // as Enqueue.Input; with ReadQuery.Inputs
}
