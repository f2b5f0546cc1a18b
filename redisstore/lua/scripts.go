package lua

import (
	"embed"
)

//go:embed *.lua
var files embed.FS

// shared are the files that scripts share, in the order in which they may use each other.
var shared = []string{"lib", "thread", "work", "run", "index", "notice", "suspension", "payload", "trim", "repair", "pieces",
	"snapshot", "queue", "window", "decision", "branch", "tree"}

// The scripts, each of which has the name of the last of its files.
var (
	Read        = newScript("thread", "work", "run", "index", "suspension", "pieces", "window", "read")
	Begin       = newScript("thread", "work", "run", "index", "notice", "suspension", "queue", "decision", "branch", "begin")
	Commit      = newScript("commit") // the hot one: without thread.lua
	Note        = newScript("thread", "work", "run", "index", "suspension", "note")
	Join        = newScript("thread", "work", "run", "index", "notice", "suspension", "queue", "join")
	Activate    = newScript("thread", "work", "run", "index", "notice", "suspension", "queue", "activate")
	End         = newScript("thread", "work", "run", "index", "notice", "suspension", "trim", "pieces", "snapshot", "queue", "end")
	Checkpoint  = newScript("thread", "work", "run", "index", "suspension", "trim", "pieces", "snapshot", "checkpoint")
	Midrun      = newScript("thread", "work", "run", "index", "suspension", "trim", "pieces", "snapshot", "midrun")
	Stage       = newScript("thread", "pieces", "snapshot", "stage")
	Clear       = newScript("thread", "pieces", "clear")
	Archive     = newScript("thread", "archive")
	Archived    = newScript("thread", "archived")
	Claim       = newScript("thread", "work", "run", "index", "notice", "suspension", "queue", "claim")
	Renew       = newScript("thread", "work", "renew")
	Nack        = newScript("thread", "work", "run", "index", "notice", "suspension", "queue", "nack")
	Journal     = newScript("thread", "work", "run", "journal")
	Stop        = newScript("thread", "work", "run", "index", "notice", "suspension", "queue", "stop")
	StopAll     = newScript("thread", "work", "run", "index", "notice", "suspension", "repair", "queue", "stopall")
	Pause       = newScript("thread", "pause")
	Dispatches  = newScript("thread", "work", "run", "dispatches")
	Messages    = newScript("thread", "pieces", "window", "messages")
	Range       = newScript("thread", "range")
	Tail        = newScript("thread", "tail")
	Due         = newScript("due")
	Postpone    = newScript("thread", "work", "run", "index", "suspension", "postpone")
	Offer       = newScript("thread", "work", "run", "index", "suspension", "queue", "offer")
	Waiting     = newScript("waiting")
	Counts      = newScript("counts")
	Inbox       = newScript("thread", "work", "run", "index", "suspension", "inbox")
	Threads     = newScript("thread", "work", "run", "index", "suspension", "threads")
	Title       = newScript("title")
	Drafts      = newScript("thread", "work", "run", "index", "notice", "suspension", "drafts")
	Review      = newScript("thread", "work", "run", "index", "suspension", "review")
	Delete      = newScript("thread", "work", "run", "index", "notice", "suspension", "payload", "trim", "repair", "decision", "delete")
	DeadLetters = newScript("thread", "work", "run", "deadletters")
	Quotas      = newScript("quotas")
	Hold        = newScript("hold")
	Usage       = newScript("usage")
	Retire      = newScript("thread", "work", "run", "index", "notice", "suspension", "payload", "trim", "pieces", "retire")
	Purge       = newScript("thread", "work", "run", "index", "notice", "suspension", "payload", "trim", "purge")
	HookRead    = newScript("hookread")
	HookTake    = newScript("hooktake")
	HookSettle  = newScript("hooksettle")
	HookCounts  = newScript("hookcounts")
	HookDead    = newScript("hookdead")
	HookResend  = newScript("hookresend")
	HookForget  = newScript("hookforget")
	Targets     = newScript("targets")
	Nodes       = newScript("nodes")
	Notices     = newScript("notices")
	Decisions   = newScript("index", "decision", "decisions")
	Refused     = newScript("thread", "work", "run", "index", "suspension", "refused")
	Forget      = newScript("index", "decision", "forget")
	Records     = newScript("index", "decision", "records")
	Unname      = newScript("index", "decision", "unname")
	Swap        = newScript("swap")
	FlowPut     = newScript("flowput")
	FlowRead    = newScript("flowread")
	FlowTake    = newScript("flowtake")
	Tokens      = newScript("tokens")
	TokenPut    = newScript("tokenput")
	TokenDrop   = newScript("tokendrop")
	TokenHold   = newScript("tokenhold")
	PayloadPut  = newScript("payloadput")
	PayloadKeep = newScript("payloadkeep")
	PayloadRead = newScript("payloadread")
	PayloadDue  = newScript("payload", "payloaddue")
	PayloadDrop = newScript("payload", "payloadsettle")
	TreePut     = newScript("thread", "index", "tree", "treeput")
	TreeRead    = newScript("thread", "index", "tree", "treeread")
	TreeBelow   = newScript("thread", "index", "tree", "treebelow")
	TreeWalk    = newScript("thread", "index", "tree", "treewalk")
	TreePage    = newScript("thread", "index", "tree", "treepage")
	TreeDoom    = newScript("thread", "index", "tree", "treedoom")
	TreeGone    = newScript("thread", "index", "tree", "treegone")
	TreeMade    = newScript("treemade")
	Doom        = newScript("doom")

	All = []*Script{Read, Begin, Commit, Note, Join, Activate, End, Checkpoint, Midrun, Stage, Clear, Archive, Archived,
		Claim, Renew, Nack, Journal, Stop, StopAll, Pause, Dispatches,
		Messages, Range, Tail, Due, Postpone, Offer, Waiting, Counts, Inbox, Threads, Title, Drafts, Review,
		Delete, DeadLetters, Retire, Purge, Quotas, Hold, Usage,
		HookRead, HookTake, HookSettle, HookCounts, HookDead, HookResend,
		HookForget, Targets, Nodes,
		Notices, Decisions, Refused, Forget, Records, Unname, Swap,
		FlowPut, FlowRead, FlowTake, Tokens, TokenPut, TokenDrop, TokenHold,
		PayloadPut, PayloadKeep, PayloadRead, PayloadDue, PayloadDrop,
		TreePut, TreeRead, TreeBelow, TreeWalk, TreePage, TreeDoom, TreeGone, TreeMade, Doom}
)

// Common are the scripts of every run, and of what a server does by the clock. To collect what
// scripts leave behind, Redis looks through all that it has been given, so that it gets the
// others when somebody needs them.
var Common = []*Script{Read, Begin, Commit, Note, Activate, End, Claim, Renew, Range, Tail, Due, Offer, Quotas, Hold}

// Meta is a script that stands without lib.lua: it concerns no thread.
var Meta = func() string {
	source, err := files.ReadFile("meta.lua")
	if err != nil {
		panic(err)
	}
	return string(source)
}()
