package gateway

import (
	"slices"

	"github.com/aguiws/aguiws/protocol"
)

// spend counts what a request has used, for the end of the run to tell that it was made
// for. Usage that an earlier run has told is not told again.
func (c *call) spend(said outcome) {
	label := c.run.LatestInput().RunID
	if c.label != label {
		c.label, c.used = label, nil
	}
	if said.For == label {
		c.used = together(c.used, said.Usage)
	}
	_ = c.run.Usage(c.used...) // what was decoded can be encoded
}

// maxCount is the largest that AG-UI has for a count.
const maxCount = 1<<53 - 1

// together is what two requests have used, by provider and model.
func together(used, more []protocol.TokenUsage) []protocol.TokenUsage {
	if len(used) == 0 {
		return more
	}
	used = slices.Clone(used)
	at := make(map[[2]string]int, len(used))
	for i, u := range used {
		at[[2]string{u.Provider, u.Model}] = i
	}
	for _, u := range more {
		i, known := at[[2]string{u.Provider, u.Model}]
		if !known {
			used = append(used, u)
			continue
		}
		sum := &used[i]
		for into, count := range map[**int64]*int64{
			&sum.InputTokens: u.InputTokens, &sum.OutputTokens: u.OutputTokens, &sum.TotalTokens: u.TotalTokens,
			&sum.ReasoningTokens: u.ReasoningTokens, &sum.CachedInputTokens: u.CachedInputTokens, &sum.CacheWriteInputTokens: u.CacheWriteInputTokens,
		} {
			switch {
			case count == nil:
			case *into == nil:
				*into = count
			default:
				n := min(**into+*count, maxCount)
				*into = &n
			}
		}
	}
	return used
}
