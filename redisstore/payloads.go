package redisstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

const (
	payloadsDue    = 64                  // that a script looks at
	payloadAgain   = 10 * time.Minute    // after which one is told again
	pieceMark      = 'p'                 // stands before a piece, which may have the byte of what is compressed
	rememberedGone = 30 * 24 * time.Hour // for which it is known that one has expired
)

// payloads are large values of threads, each in pieces, so that no script has more than
// one of these.
type payloads struct{ conn *link.Connection }

// PutPayloadPiece implements store.Payloads.
func (s *payloads) PutPayloadPiece(ctx context.Context, key store.ThreadKey, upload string, piece int, data []byte) error {
	t := s.conn.Keys.Thread(key)
	_, err := s.conn.Run(ctx, link.Call{Script: lua.PayloadPut, Keys: []string{t.Upload(upload)}, Args: lua.Args{
		{"piece", piece}, {"data", link.Compress(append([]byte{pieceMark}, data...))}, {"grace", store.PayloadGrace.Milliseconds()}}})
	return err
}

// KeepPayload implements store.Payloads.
func (s *payloads) KeepPayload(ctx context.Context, key store.ThreadKey, upload string, p store.NewPayload) (store.PayloadInfo, error) {
	if err := s.roomInNamespace(ctx, key, p); err != nil {
		return store.PayloadInfo{}, err
	}
	t := s.conn.Keys.Thread(key)
	pieces := (p.Size + store.PayloadPiece - 1) / store.PayloadPiece
	r, err := s.conn.Run(ctx, link.Call{Script: lua.PayloadKeep,
		Keys: []string{t.Rec(), t.Payloads(), t.Upload(upload), t.Payload(p.Digest), t.Part.PayloadsDue(), t.Part.PayloadBytes()},
		Args: lua.Args{{"namespace", key.Namespace}, {"hash", t.Hash()}, {"digest", p.Digest}, {"size", p.Size}, {"count", max(pieces, 1)},
			{"keep", p.Keep.Milliseconds()}, {"room", max(p.Thread, 0)}, {"most", store.MaxPayloads},
			{"grace", store.PayloadGrace.Milliseconds()}, {"about", link.Pack(nil, p.Type, p.Name)}}})
	if err != nil {
		return store.PayloadInfo{}, err
	}
	switch verdict := r.Int(); verdict {
	case 0:
		return readPayload(r, p.Digest)
	case 1:
		return store.PayloadInfo{}, store.ErrPayloadLost
	case 2:
		return store.PayloadInfo{}, fmt.Errorf("%w: the thread has as much of them as it may", store.ErrPayloadQuota)
	default:
		return store.PayloadInfo{}, cmp.Or(r.Err, errors.New("redisstore: keep a payload: the thread is not in use"))
	}
}

// roomInNamespace adds up what the partitions count.
func (s *payloads) roomInNamespace(ctx context.Context, key store.ThreadKey, p store.NewPayload) error {
	if p.Namespace <= 0 {
		return nil
	}
	if has, err := s.Payload(ctx, key, p.Digest); err != nil || has != nil && !has.Gone {
		return err // it takes no more
	}
	cmds := make([]*redis.StringCmd, len(s.conn.Keys.Parts))
	for i := range s.conn.Keys.Parts {
		cmds[i] = redis.NewStringCmd(ctx, "hget", s.conn.Keys.Parts[i].PayloadBytes(), key.Namespace)
	}
	sum := p.Size
	for i, err := range link.Ask(ctx, s.conn, cmds) {
		if err != nil && !errors.Is(err, redis.Nil) {
			return link.Error("count payloads", err)
		}
		cmd := cmds[i]
		n, _ := strconv.ParseInt(cmd.Val(), 10, 64) // what is no number is none of ours
		sum += n
	}
	if sum > p.Namespace {
		return fmt.Errorf("%w: the namespace has as much of them as it may", store.ErrPayloadQuota)
	}
	return nil
}

// readPayload reads the line that a thread has of a payload.
func readPayload(r *link.Reply, digest string) (store.PayloadInfo, error) {
	fields := strings.SplitN(r.Text(), " ", 5)
	if r.Err != nil || len(fields) < 5 {
		r.Spoil("no payload")
		return store.PayloadInfo{}, r.Err
	}
	var n [3]int64
	for i := range n {
		var err error
		if n[i], err = strconv.ParseInt(fields[i], 10, 64); err != nil {
			r.Spoil("no payload")
			return store.PayloadInfo{}, r.Err
		}
	}
	about, err := link.Unpack(fields[4])
	if err != nil || len(about) < 2 {
		r.Spoil("no payload")
		return store.PayloadInfo{}, r.Err
	}
	info := store.PayloadInfo{Digest: digest, Size: n[0], Created: time.UnixMilli(n[1]), Type: about[0], Name: about[1]}
	if n[2] > 0 {
		info.Expires = time.UnixMilli(n[2])
	}
	return info, nil
}

func (s *payloads) readPayload(ctx context.Context, key store.ThreadKey, digest string, piece int) (*link.Reply, error) {
	t := s.conn.Keys.Thread(key)
	return s.conn.Run(ctx, link.Call{Script: lua.PayloadRead, Keys: []string{t.Payloads(), t.Payload(digest)},
		Args: lua.Args{{"digest", digest}, {"piece", piece}}})
}

// Payload implements store.Payloads.
func (s *payloads) Payload(ctx context.Context, key store.ThreadKey, digest string) (*store.PayloadInfo, error) {
	r, err := s.readPayload(ctx, key, digest, -1)
	if err != nil {
		return nil, err
	}
	state := r.Int()
	if state == 0 {
		return nil, r.Err
	}
	info, err := readPayload(r, digest)
	info.Gone = state == 2
	return &info, err
}

// ReadPayload implements store.Payloads.
func (s *payloads) ReadPayload(ctx context.Context, key store.ThreadKey, digest string, piece int) ([]byte, error) {
	r, err := s.readPayload(ctx, key, digest, piece)
	if err != nil {
		return nil, err
	}
	state := r.Int()
	_ = r.Text()
	if state != 1 {
		return nil, r.Err
	}
	r.Room = link.RoomOf(ctx)
	data := r.JSON()
	if len(data) == 0 {
		return nil, r.Err
	}
	return data[1:], r.Err
}

// DuePayloads implements store.Payloads.
func (s *payloads) DuePayloads(ctx context.Context) (due []store.DuePayload, more bool, err error) {
	calls := make([]link.Call, len(s.conn.Keys.Parts))
	for i := range s.conn.Keys.Parts {
		p := &s.conn.Keys.Parts[i]
		calls[i] = link.Call{Script: lua.PayloadDue, Keys: []string{p.PayloadsDue()}, Args: lua.Args{{"base", p.Base}, {"limit", payloadsDue},
			{"grace", store.PayloadGrace.Milliseconds()}, {"again", payloadAgain.Milliseconds()}, {"remember", rememberedGone.Milliseconds()},
			{"most", 2 * store.MaxPayloads}}}
	}
	replies, errs := s.conn.RunAll(ctx, calls)
	for i, r := range replies {
		if errs[i] != nil {
			continue
		}
		more = r.Int() == payloadsDue || more
		for l := r.List(); l.More(); {
			key, known := keyspace.ThreadOf(l.Text())
			if d := (store.DuePayload{Thread: key, Digest: l.Text(), Staged: l.Int(), Live: l.Bool()}); known {
				due = append(due, d)
			}
			r.Join(l)
		}
		errs[i] = r.Err
	}
	return due, more, errors.Join(errs...)
}

// SettlePayload implements store.Payloads.
func (s *payloads) SettlePayload(ctx context.Context, p store.DuePayload, referred bool) error {
	t := s.conn.Keys.Thread(p.Thread)
	_, err := s.conn.Run(ctx, link.Call{Script: lua.PayloadDrop, Keys: []string{t.Payloads(), t.Part.PayloadsDue()}, Args: lua.Args{
		{"thread", t.Base}, {"member", t.PayloadDue(p.Digest)}, {"digest", p.Digest}, {"staged", p.Staged}, {"referred", referred}}})
	return err
}
