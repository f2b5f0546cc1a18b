package redisstore

import (
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/redis/go-redis/v9"
)

const (
	digestSize = 8
	stampSize  = 6
	hashSize   = 22 // of threadHash
	pageSize   = 50
	pageLimit  = 1000
)

// digest is index.lua's: it places members in an index and proves nothing.
func digest(s string) string {
	sum := sha1.Sum([]byte(s))
	return string(sum[:digestSize])
}

// digests writes the digests of distinct strings one after the other.
func digests(of []string) string {
	var all []string
	for _, s := range of {
		if d := digest(s); !slices.Contains(all, d) {
			all = append(all, d)
		}
	}
	return strings.Join(all, "")
}

// forever is index.lua's FOREVER, the last time that a stamp can hold.
const forever = 1<<(8*stampSize) - 1

// unstamp reads index.lua's stamp.
func unstamp(s string) int64 {
	var b [8]byte
	copy(b[8-stampSize:], s)
	return int64(binary.BigEndian.Uint64(b[:]))
}

// listing is one query of an index: in each partition, the members that begin
// with a prefix, and of these the ones after a place.
type listing struct {
	kind   byte
	prefix string
	key    func(*partition) string
	after  string // what follows the prefix in the last member of the page before
}

// hit is a member of an index, without the listing's prefix.
type hit struct {
	part   *partition
	member string
}

// thread returns the keys of the hit's thread, whose hash stands behind a time.
func (h hit) thread() threadKeys {
	return threadKeys{part: h.part, base: h.part.base + h.member[stampSize:stampSize+hashSize] + ":"}
}

var errCursor = fmt.Errorf("%w: ask for the first page with an empty one", adapter.ErrBadCursor)

// cursor names the place after a member. It belongs to the query that made it.
func (l *listing) cursor(member string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(l.mark() + member))
}

func (l *listing) mark() string { return string(l.kind) + digest(l.prefix)[:4] }

func (l *listing) seek(cursor string) error {
	if cursor == "" {
		return nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return errCursor
	}
	member, ok := strings.CutPrefix(string(raw), l.mark())
	if !ok || len(member) < stampSize+hashSize {
		return errCursor
	}
	l.after = member
	return nil
}

// beyond is the first string after all that begin with a prefix; "" when there
// is none.
func beyond(prefix string) string {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < math.MaxUint8 {
			b[i]++
			return string(b[:i+1])
		}
	}
	return ""
}

// scan merges a listing's partitions. Each is asked for its likely share of what
// is wanted, and again when it turns out to hold more of it.
type scan struct {
	s     *Store
	l     listing
	parts []scanned
}

type scanned struct {
	part  *partition
	after string
	ahead []string
	done  bool // ahead is all there is
}

func (s *Store) scan(l listing) *scan {
	c := &scan{s: s, l: l}
	for i := range s.keys.parts {
		c.parts = append(c.parts, scanned{part: &s.keys.parts[i], after: l.after})
	}
	return c
}

// take returns the next members in order, fewer than n only at the end.
func (c *scan) take(ctx context.Context, n int) ([]hit, error) {
	var hits []hit
	for len(hits) < n {
		if err := c.fill(ctx, n-len(hits)); err != nil {
			return nil, err
		}
		for len(hits) < n {
			first := -1
			for i := range c.parts {
				p := &c.parts[i]
				if len(p.ahead) == 0 {
					if !p.done {
						first = -1
						break
					}
					continue
				}
				if first < 0 || p.ahead[0] < c.parts[first].ahead[0] {
					first = i
				}
			}
			if first < 0 {
				break
			}
			p := &c.parts[first]
			hits = append(hits, hit{p.part, p.ahead[0]})
			p.ahead = p.ahead[1:]
		}
		if !slices.ContainsFunc(c.parts, func(p scanned) bool { return !p.done || len(p.ahead) > 0 }) {
			break
		}
	}
	return hits, nil
}

// fill asks the partitions of which nothing is ahead for their share of n, and
// for three deviations more, so that one round is nearly always enough.
func (c *scan) fill(ctx context.Context, n int) error {
	share := float64(n) / float64(len(c.parts))
	count := min(n, int(share+3*math.Sqrt(share))+3)
	var asked []*scanned
	var cmds []*redis.StringSliceCmd
	for i := range c.parts {
		p := &c.parts[i]
		if len(p.ahead) > 0 || p.done {
			continue
		}
		from, to := "["+c.l.prefix, "+"
		if p.after != "" {
			from = "(" + c.l.prefix + p.after
		}
		if b := beyond(c.l.prefix); b != "" {
			to = "(" + b
		}
		asked = append(asked, p)
		cmds = append(cmds, redis.NewStringSliceCmd(ctx, "zrangebylex", c.l.key(p.part), from, to, "limit", 0, count))
	}
	if err := ask(ctx, c.s, cmds); err != nil {
		return err
	}
	for i, p := range asked {
		members := cmds[i].Val()
		p.done = len(members) < count
		for _, m := range members {
			if len(m) < len(c.l.prefix)+stampSize+hashSize {
				return fmt.Errorf("redisstore: %s holds what is no member", c.l.key(p.part))
			}
			p.after = m[len(c.l.prefix):]
			p.ahead = append(p.ahead, p.after)
		}
	}
	return nil
}

// ask sends reading commands to any partitions, in one round trip where the
// connection allows it.
func ask[C redis.Cmder](ctx context.Context, s *Store, cmds []C) error {
	if err := s.usable(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	if len(cmds) == 1 || s.opts.singly {
		for _, cmd := range cmds {
			_ = s.client.Process(ctx, cmd)
		}
	} else if len(cmds) > 1 {
		pipe := s.client.Pipeline()
		for _, cmd := range cmds {
			_ = pipe.Process(ctx, cmd)
		}
		_, _ = pipe.Exec(ctx) // each command has its own error
	}
	for _, cmd := range cmds {
		if err := cmd.Err(); err != nil {
			return storeError("read an index", err)
		}
	}
	return nil
}

// page reads one page of a listing: load makes the call for the hits of one
// partition, whose script answers a list for each, an empty one for what is not
// there any more; read makes an item of such a list, or drops it.
func page[T any](ctx context.Context, s *Store, l listing, q adapter.PageQuery,
	load func([]threadKeys, []hit) call, read func(hit, *reply) (T, bool)) (items []T, next string, err error) {
	if err := l.seek(q.Cursor); err != nil {
		return nil, "", err
	}
	if q.Limit < 0 {
		return nil, "", fmt.Errorf("a page of %d is not possible", q.Limit)
	}
	limit := min(cmp.Or(q.Limit, pageSize), pageLimit)
	c := s.scan(l)
	var last hit // of the full page
	for {
		want := limit + 1 - len(items)
		hits, err := c.take(ctx, want)
		if err != nil {
			return nil, "", err
		}
		answers, err := s.loadHits(ctx, hits, load)
		if err != nil {
			return nil, "", err
		}
		for i, h := range hits {
			item, ok := read(h, answers[i])
			if answers[i].err != nil {
				return nil, "", answers[i].err
			}
			if !ok {
				continue
			}
			if len(items) == limit {
				return items, l.cursor(last.member), nil
			}
			items, last = append(items, item), h
		}
		if len(hits) < want {
			return items, "", nil
		}
	}
}

// loadHits reads what hits are about, one script a partition, and returns an answer
// for each.
func (s *Store) loadHits(ctx context.Context, hits []hit, load func([]threadKeys, []hit) call) ([]*reply, error) {
	groups := map[*partition][]int{}
	var order []*partition
	for i, h := range hits {
		if groups[h.part] == nil {
			order = append(order, h.part)
		}
		groups[h.part] = append(groups[h.part], i)
	}
	calls := make([]call, len(order))
	for i, p := range order {
		var group []hit
		var keys []threadKeys
		for _, at := range groups[p] {
			group = append(group, hits[at])
			keys = append(keys, hits[at].thread())
		}
		calls[i] = load(keys, group)
	}
	answers := make([]*reply, len(hits))
	replies, errs := s.runAll(ctx, calls)
	for i, p := range order {
		if errs[i] != nil {
			return nil, errs[i]
		}
		for _, at := range groups[p] {
			answers[at] = replies[i].list()
		}
		if replies[i].err != nil {
			return nil, replies[i].err
		}
	}
	return answers, nil
}
