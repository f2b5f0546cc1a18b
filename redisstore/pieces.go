package redisstore

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/internal/threadlog"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// pieceBytes is about how many bytes the messages of a piece have, as pieces.lua has it. A change
// that is larger, or of more messages than Options.piece, comes in pieces.
const pieceBytes = 512 << 10

// pieceTries is how often pieces are brought before it is given up: what others have left is
// taken out in between.
const pieceTries = 4

// errPieces says that others change the messages of a thread again and again meanwhile.
var errPieces = fmt.Errorf("redisstore: %w: the messages of the thread", store.ErrMoved)

// verdictPieces is PIECES of lib.lua. The others are those of stage.lua.
const (
	verdictPieces = 5

	pieceBrought = 0
	pieceOthers  = 1
	pieceAgain   = 3
)

// decider decides on a change of a thread's stored messages: the batch of a run, or a checkpoint of
// a thread at rest.
type decider struct {
	keyspace.Thread
	run, token, epoch               string
	depoch, number, expect, version int64
}

// deciderOf is a batch.
func deciderOf(t keyspace.Thread, b store.Batch) decider {
	return decider{Thread: t, run: b.Claim.RunID, token: b.Claim.Token, depoch: b.Claim.DispatchEpoch, number: b.Number, expect: b.Expect}
}

// stamp names the decision with what it changes, and says how many pieces there are. Sent again it is
// the same.
func (d decider) stamp(p threadlog.Parts, drop any) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %d %d %q %v", d.token, d.number, d.version, d.epoch, drop)
	for _, part := range slices.Concat(p.Puts, p.Removes, p.Orders) {
		for _, item := range part {
			fmt.Fprintf(sum, " %q", item)
		}
	}
	return fmt.Sprintf("%x.%d.%d.%d", sum.Sum(nil)[:8], len(p.Puts), len(p.Removes), len(p.Orders))
}

// decide brings pieces of what is too much for one script, and calls the one that decides with the
// rest.
func (s *Store) decide(ctx context.Context, d decider, u threadlog.SnapshotUpdate, call func(u threadlog.SnapshotUpdate, stamp string) (*link.Reply, error)) (*link.Reply, error) {
	parts := u.Parts(s.opts.piece, pieceBytes)
	drop, stamp := any(u.Drop), ""
	if u.Whole {
		drop = ""
	}
	if parts.Any() {
		stamp = d.stamp(parts, drop)
		if parts.Puts != nil {
			u.Messages = nil
		}
		if parts.Removes != nil {
			u.Removed = nil
		}
		if parts.Orders != nil {
			u.Pieces, u.Whole, u.Drop = nil, false, 0
		}
	}
	for range pieceTries {
		if stamp != "" {
			other, err := s.bring(ctx, d, stamp, parts, drop)
			if err != nil {
				return nil, err
			}
			if other != nil {
				if err := s.clear(ctx, d.Thread, *other); err != nil {
					return nil, err
				}
				continue
			}
		}
		r, err := call(u, stamp)
		if err != nil {
			return nil, err
		}
		ahead := *r
		if ahead.Int() != verdictPieces {
			return r, nil
		}
		if err := s.clear(ctx, d.Thread, ahead.Text()); err != nil {
			return nil, err
		}
	}
	return nil, errPieces
}

// bring brings pieces. It returns the stamp of what is to be cleared before.
func (s *Store) bring(ctx context.Context, d decider, stamp string, parts threadlog.Parts, drop any) (other *string, err error) {
	for _, of := range []struct {
		kind  string
		parts [][]any
	}{{"puts", parts.Puts}, {"removes", parts.Removes}, {"orders", parts.Orders}} {
		for piece := 0; piece < len(of.parts); {
			r, err := s.conn.Run(ctx, link.Call{Script: lua.Stage, Keys: d.All(), Args: lua.Args{
				{"run", d.run}, {"token", d.token}, {"depoch", d.depoch}, {"number", d.number}, {"expect", d.expect},
				{"version", d.version}, {"epoch", d.epoch}, {"stamp", stamp}, {"piece", piece}, {"kind", of.kind}, {"drop", drop},
			}, Rest: of.parts[piece]})
			if err != nil {
				return nil, err
			}
			switch r.Int() {
			case pieceBrought:
				piece++
			case pieceAgain:
			case pieceOthers:
				before := r.Text()
				return &before, r.Err
			default:
				return nil, r.Err // the decision says why
			}
		}
	}
	return nil, nil
}

// clear takes out what a decision has left of pieces: one that was made if the stamp is empty.
func (s *Store) clear(ctx context.Context, t keyspace.Thread, stamp string) error {
	for {
		r, err := s.conn.Run(ctx, link.Call{Script: lua.Clear, Keys: []string{t.Rec(), t.Snap(), t.Producers()}, Args: lua.Args{{"stamp", stamp}}})
		if err != nil {
			return err
		}
		if r.Int() == 0 {
			return r.Err
		}
	}
}

// cleared does what a decision that was made has left to do, if it came in pieces. What
// fails is left to the thread's next decision, or to Retire.
func (s *Store) cleared(ctx context.Context, t keyspace.Thread, u threadlog.SnapshotUpdate) {
	if u.Parts(s.opts.piece, pieceBytes).Any() {
		_ = s.clear(ctx, t, "")
	}
}
