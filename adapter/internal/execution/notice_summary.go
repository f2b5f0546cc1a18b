package execution

import (
	"github.com/aguiws/aguiws/adapter/internal/decision"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// These bound what a notice shows of the interrupts that it tells of: how many, and their
// bytes.
const (
	summariesShown = 5
	summaryMessage = 300
	summaryArgs    = 500
	summaryBytes   = 4 << 10
)

// summaries are what a notice shows of interrupts that have just opened, if the options want
// that: without what runner.Options.RedactLists takes out of arguments.
func summaries(n *node.Node, interrupts []protocol.Interrupt, items []store.SuspendedInterrupt) []store.InterruptSummary {
	if !n.Options.NoticeSummaries {
		return nil
	}
	var list []store.InterruptSummary
	room := summaryBytes
	for i, it := range interrupts[:min(len(interrupts), summariesShown)] {
		s := store.InterruptSummary{ID: it.ID, Reason: decision.CutText(it.Reason, summaryMessage), Message: decision.CutText(it.Message, summaryMessage)}
		s.Truncated = len(s.Reason) < len(it.Reason) || len(s.Message) < len(it.Message)
		if c := items[i].Call; c != nil {
			args := string(decision.Redactions(n.Options.RedactLists).In(c.Name, []byte(c.Arguments)))
			s.Tool, s.Arguments, s.Redacted = decision.CutText(c.Name, summaryMessage), decision.CutText(args, summaryArgs), args != c.Arguments
			s.Truncated = s.Truncated || len(s.Tool) < len(c.Name) || len(s.Arguments) < len(args)
		}
		if room -= len(s.ID) + len(s.Reason) + len(s.Message) + len(s.Tool) + len(s.Arguments); room < 0 {
			break
		}
		list = append(list, s)
	}
	return list
}
