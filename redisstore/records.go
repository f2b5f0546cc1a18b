package redisstore

import (
	"context"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// recordsEvery is how often what partitions keep for a time is looked at.
const recordsEvery = time.Minute

// recordsSteps bounds what one look takes of a partition's decisions.
const recordsSteps = 10

// retireRecords takes notices and decisions that are past their time, however long a pass
// over the threads takes.
func (s *retention) retireRecords(ctx context.Context) error {
	s.retired.mu.Lock()
	defer s.retired.mu.Unlock()
	if time.Since(s.retired.records) < min(recordsEvery, s.opts.NoticeAge, s.opts.KeepDecisions) {
		return nil
	}
	s.retired.records = time.Now()
	var calls []link.Call
	for i := range s.conn.Keys.Parts {
		p := &s.conn.Keys.Parts[i]
		calls = append(calls, link.Call{Script: lua.Records, Keys: []string{p.Notices, p.Decisions, p.Lists}, Args: lua.Args{
			{"age", s.opts.NoticeAge.Milliseconds()}, {"keep", s.opts.KeepDecisions.Milliseconds()}, {"limit", decisionsForgotten}}})
	}
	var partial error
	for step := 0; len(calls) > 0 && step < recordsSteps; step++ {
		replies, errs := s.conn.RunAll(ctx, calls)
		if err := s.conn.Missing(errs); err != nil {
			partial = fmt.Errorf("redisstore: retire notices and decisions: %w", err)
		}
		var more []link.Call
		for i, r := range replies {
			if link.WrongType(errs[i]) {
				s.conn.FindWrong(ctx, calls[i].Keys, []string{"stream", "stream", "zset"})
			}
			if errs[i] == nil && r.Bool() {
				more = append(more, calls[i])
			}
		}
		calls = more
	}
	return partial
}
