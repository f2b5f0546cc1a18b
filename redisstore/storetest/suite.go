package storetest

import (
	"testing"

	"github.com/aguiws/aguiws/redisstore/storetest/runs"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
	"github.com/aguiws/aguiws/redisstore/storetest/threads"
)

// Run runs the contract. Subtests run one after the other.
func Run(t *testing.T, open stage.Open) {
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			for _, tt := range g.tests {
				t.Run(tt.Name, func(t *testing.T) {
					tt.Run(stage.NewEnv(t, open))
				})
			}
		})
	}
}

// groups are all that Run runs.
var groups = []struct {
	name  string
	tests []stage.Test
}{
	{"Read", threads.ReadTests}, {"Begin", runs.BeginTests}, {"Commit", runs.CommitTests}, {"End", runs.EndTests}, {"Resume", runs.ResumeTests}, {"Headers", runs.HeaderTests},
	{"Expire", runs.ExpireTests}, {"Claim", runs.ClaimTests}, {"Work", runs.WorkTests}, {"Stop", runs.StopTests}, {"Join", runs.JoinTests}, {"Checkpoint", runs.CheckpointTests}, {"Follow", threads.FollowTests}, {"Retry", runs.RetryTests}, {"History", threads.HistoryTests},
	{"Inbox", threads.InboxTests}, {"InboxOf", threads.InboxOfTests}, {"Threads", threads.ThreadsTests}, {"ThreadQuery", threads.ThreadQueryTests}, {"Drafts", threads.DraftsTests}, {"Review", threads.ReviewTests}, {"Delete", threads.DeleteTests},
	{"Retire", threads.RetireTests}, {"Large", threads.LargeTests}, {"Messages", threads.MessageTests}, {"Page", threads.PageTests}, {"Presence", runs.PresenceTests},
	{"Dispatch", runs.DispatchTests}, {"Queue", runs.QueueTests}, {"Dedupe", runs.DedupeTests}, {"Nack", runs.NackTests}, {"Interrupt", runs.StopAllTests},
	{"DeadLetters", runs.DeadLetterTests}, {"Retention", threads.RetentionTests}, {"Branches", threads.BranchTests}, {"Quotas", threads.QuotaTests}, {"Notices", threads.NoticeTests}, {"Decisions", threads.DecisionTests}, {"Withdrawn", threads.WithdrawnTests}, {"Logins", threads.LoginTests}, {"Payloads", threads.PayloadTests}, {"Tree", threads.TreeTests}, {"TreeWalk", threads.TreeWalkTests}, {"TreeMade", threads.TreeMadeTests}, {"TreePlay", threads.TreePlayTests},
}
