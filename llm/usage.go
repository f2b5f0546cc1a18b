package llm

import (
	"github.com/openai/openai-go/v3"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// usageOf is what an endpoint says that an answer has cost. What it leaves out is not
// said either.
func usageOf(chunk openai.ChatCompletionChunk) *protocol.TokenUsage {
	u := chunk.Usage
	told := &protocol.TokenUsage{Model: chunk.Model}
	for _, each := range []struct {
		valid bool
		count int64
		into  **int64
	}{
		{u.JSON.PromptTokens.Valid(), u.PromptTokens, &told.InputTokens},
		{u.JSON.CompletionTokens.Valid(), u.CompletionTokens, &told.OutputTokens},
		{u.JSON.TotalTokens.Valid(), u.TotalTokens, &told.TotalTokens},
		{u.CompletionTokensDetails.JSON.ReasoningTokens.Valid(), u.CompletionTokensDetails.ReasoningTokens, &told.ReasoningTokens},
		{u.PromptTokensDetails.JSON.CachedTokens.Valid(), u.PromptTokensDetails.CachedTokens, &told.CachedInputTokens},
	} {
		if each.valid && each.count >= 0 {
			*each.into = &each.count
		}
	}
	return told
}

// usage is what the answers of an execution have cost, those before a question or a
// crash too.
type usage struct{ told *protocol.TokenUsage }

func (u *usage) add(more *protocol.TokenUsage) {
	if more == nil {
		return
	}
	if u.told == nil {
		u.told = &protocol.TokenUsage{}
	}
	u.told.Model = more.Model
	for _, each := range []struct{ into, from **int64 }{
		{&u.told.InputTokens, &more.InputTokens},
		{&u.told.OutputTokens, &more.OutputTokens},
		{&u.told.TotalTokens, &more.TotalTokens},
		{&u.told.ReasoningTokens, &more.ReasoningTokens},
		{&u.told.CachedInputTokens, &more.CachedInputTokens},
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
}

func (u *usage) tell(run *adapter.Run) error { return nil }
