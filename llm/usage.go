package llm

import (
	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/llm/chat"
	"github.com/aguiws/aguiws/protocol"
)

// usageOf is what an endpoint says that an answer has cost. It does not say either what the
// endpoint leaves out.
func usageOf(chunk chat.Chunk) *protocol.TokenUsage {
	u := chunk.Usage
	told := &protocol.TokenUsage{Model: chunk.Model}
	for _, each := range []struct {
		count *int64
		into  **int64
	}{
		{u.Prompt, &told.InputTokens},
		{u.Completion, &told.OutputTokens},
		{u.Total, &told.TotalTokens},
		{u.CompletionDetails.Reasoning, &told.ReasoningTokens},
		{u.PromptDetails.Cached, &told.CachedInputTokens},
	} {
		if each.count != nil && *each.count >= 0 {
			*each.into = each.count
		}
	}
	return told
}

// usage is what the answers have cost that one run was given.
type usage struct {
	run  string
	told protocol.TokenUsage
}

// tell counts a turn, and has the run tell the sum. Those before a question are the
// run's that has asked it, and those before a crash this one's.
func (u *usage) tell(run *adapter.Run, t turn) error {
	if carried := run.LatestInput().RunID; u.run != carried {
		*u = usage{run: carried}
	}
	if t.Usage == nil || t.Run != u.run {
		return nil
	}
	u.told.Model = t.Usage.Model
	for _, each := range []struct{ into, from **int64 }{
		{&u.told.InputTokens, &t.Usage.InputTokens},
		{&u.told.OutputTokens, &t.Usage.OutputTokens},
		{&u.told.TotalTokens, &t.Usage.TotalTokens},
		{&u.told.ReasoningTokens, &t.Usage.ReasoningTokens},
		{&u.told.CachedInputTokens, &t.Usage.CachedInputTokens},
	} {
		if *each.from == nil {
			continue
		}
		sum := **each.from
		if *each.into != nil {
			sum += **each.into
		}
		*each.into = &sum
	}
	return run.Usage(u.told)
}
