// Package budget bounds the bytes that a process holds for its clients: what is being
// read from them, what waits to be worked on, and what they are yet to take.
//
// A user, an address and a kind of connection have a share each. A client over a share
// waits, and is refused after a while; others do not notice. An eighth of the whole is kept
// for small amounts of those who hold little, so that nobody is refused those by what
// others hold.
package budget

import (
	"container/list"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// FlushAt is how many bytes gathered for a peer are worth a system call of their own.
const FlushAt = 64 << 10

// Kind is what something is held for.
type Kind int

const (
	Frames  Kind = iota // messages of sockets, from the first byte until their effect is done
	Bodies              // of requests, likewise
	Replies             // what is written to clients, on whatever connection
	kinds
)

func (k Kind) String() string { return [...]string{"frames", "bodies", "replies"}[k] }

// Small is an amount that one who holds no more than that finds room for in the
// reserve.
const Small = 64 << 10

// The bounds of what waits: more is refused at once.
const (
	maxWaiting     = 4096
	maxWaitingEach = 256 // for one user
)

// Options are the bounds of a Budget, in bytes.
type Options struct {
	Total int64
	// User and Address are the shares of one of them; negative: they have none.
	User, Address int64
	// Patience is how long what finds no room waits for it.
	Patience time.Duration
}

// Budget is the bytes of one process. Its methods may be called concurrently.
type Budget struct {
	opts    Options
	reserve int64

	mu      sync.Mutex
	held    int64
	kinds   [kinds]share
	users   map[string]*share
	addrs   map[string]*share
	waiting int
	order   list.List // of *flow: those that wait take turns
	refused [reasons]int64
}

// share is what one party may hold, and does.
type share struct {
	flow
	most     int64 // negative: all that there is
	held     int64
	accounts int
	// first is the account that may go on though the share is used up, so that not
	// all of them wait for each other with what they hold.
	first *Account
}

// flow are the amounts that wait for one user, or for one account of nobody.
type flow struct {
	waiters []*waiter
	at      *list.Element
}

type waiter struct {
	account *Account
	bytes   int64
	come    chan struct{} // closed when it has its room
}

// New returns a budget of which nothing is used.
func New(o Options) *Budget {
	b := &Budget{opts: o, reserve: o.Total / 8, users: map[string]*share{}, addrs: map[string]*share{}}
	for k := range b.kinds {
		b.kinds[k].most = o.Total / 2
	}
	return b
}

// Account is what one connection, or one request, holds of a kind. One goroutine at a
// time calls Take; Give and Close may be called by any.
type Account struct {
	b       *Budget
	kind    Kind
	user    *share // nil: not told apart from others
	address *share // likewise
	names   [2]string
	flow    flow // of a user who is not told apart
	held    int64
	closed  bool
	of      *party
}

// party is what the accounts of one connection, or of one request, hold together.
type party struct{ held int64 }

// Open opens an account. "" is a user or an address that is not told apart. The
// caller closes it.
func (b *Budget) Open(kind Kind, user, address string) *Account {
	a := &Account{b: b, kind: kind, names: [2]string{user, address}, of: &party{}}
	b.mu.Lock()
	defer b.mu.Unlock()
	a.user = open(b.users, user, b.opts.User)
	a.address = open(b.addrs, address, b.opts.Address)
	return a
}

// Join says that an account that holds nothing yet is of the same connection or request as
// another: what the one holds is given back when it could go on with the other.
func (a *Account) Join(other *Account) {
	a.b.mu.Lock()
	defer a.b.mu.Unlock()
	a.of = other.of
}

func open(shares map[string]*share, name string, most int64) *share {
	if name == "" {
		return nil
	}
	s := shares[name]
	if s == nil {
		s = &share{most: most}
		shares[name] = s
	}
	s.accounts++
	return s
}

func leave(shares map[string]*share, name string, s *share) {
	if s == nil {
		return
	}
	if s.accounts--; s.accounts == 0 {
		delete(shares, name)
	}
}

// Close gives back all that the account holds. It can take nothing any more.
func (a *Account) Close() {
	b := a.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if a.closed {
		return
	}
	b.free(a, a.held)
	a.closed = true
	leave(b.users, a.names[0], a.user)
	leave(b.addrs, a.names[1], a.address)
	b.grant()
}

// Give gives back so many bytes, or all that the account holds if that is less.
func (a *Account) Give(bytes int64) {
	b := a.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free(a, min(bytes, a.held))
	b.grant()
}

// Held is what the account holds.
func (a *Account) Held() int64 {
	a.b.mu.Lock()
	defer a.b.mu.Unlock()
	return a.held
}

// Take waits for room for so many bytes; more than one kind may hold is as much as
// that. The error is a *Full, or the context's.
func (a *Account) Take(ctx context.Context, bytes int64) error {
	b := a.b
	b.mu.Lock()
	bytes = min(bytes, b.kinds[a.kind].most)
	flow := a.line()
	full := b.judge(a, bytes)
	// A small amount does not wait behind others, and neither does an account that holds
	// some already.
	if full == nil && (len(flow.waiters) == 0 || a.held > 0 || small(bytes)) {
		b.take(a, bytes)
		b.mu.Unlock()
		return nil
	}
	if full == nil {
		full = &Full{Reason: User, Kind: a.kind}
	}
	if a.closed || b.waiting >= maxWaiting || len(flow.waiters) >= maxWaitingEach {
		b.refused[full.Reason]++
		b.mu.Unlock()
		return full
	}
	w := &waiter{a, bytes, make(chan struct{})}
	b.wait(flow, w)
	b.mu.Unlock()

	patience := time.NewTimer(b.opts.Patience)
	defer patience.Stop()
	var err error
	select {
	case <-w.come:
		return nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-patience.C:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-w.come:
		if err == nil {
			return nil
		}
		b.free(a, bytes)
	default:
		b.drop(flow, w)
		if err == nil {
			if full = b.judge(a, bytes); full == nil {
				full = &Full{Reason: User, Kind: a.kind} // it stood behind others of the user's
			}
			b.refused[full.Reason]++
			err = full
		}
	}
	b.grant()
	return err
}

// Try takes what there is room for at once, and reports whether there was.
func (a *Account) Try(bytes int64) bool {
	b := a.b
	b.mu.Lock()
	defer b.mu.Unlock()
	ok := b.judge(a, bytes) == nil
	if ok {
		b.take(a, bytes)
	}
	return ok
}

func small(bytes int64) bool { return bytes <= Small }

// little reports whether the account is one of somebody who holds little.
func (a *Account) little() bool {
	if a.user != nil {
		return a.user.held <= Small
	}
	return a.held <= Small
}

// line is where the account's amounts wait.
func (a *Account) line() *flow {
	if a.user != nil {
		return &a.user.flow
	}
	return &a.flow
}

// judge says why there is no room; nil: there is.
func (b *Budget) judge(a *Account, bytes int64) *Full {
	if a.closed {
		return &Full{Reason: Total, Kind: a.kind}
	}
	if small(bytes) && a.little() {
		switch {
		case b.held+bytes > b.opts.Total:
			return &Full{Reason: Total, Kind: a.kind}
		case a.address != nil && a.address.most >= 0 && a.address.held+bytes > a.address.most+b.reserve/4:
			return &Full{Reason: Address, Kind: a.kind}
		}
		return nil
	}
	kind := &b.kinds[a.kind]
	switch {
	case !a.user.admits(a, bytes):
		return &Full{Reason: User, Kind: a.kind}
	case !a.address.admits(a, bytes):
		return &Full{Reason: Address, Kind: a.kind}
	case !kind.admits(a, bytes):
		return &Full{Reason: ByKind, Kind: a.kind}
	case b.held+bytes > b.most(a, kind):
		return &Full{Reason: Total, Kind: a.kind}
	}
	return nil
}

// most is up to where all may be used: the reserve is for small amounts, and half of it
// for whoever is first of a kind to go on.
func (b *Budget) most(a *Account, kind *share) int64 {
	if a.held > 0 && (kind.first == nil || kind.first == a) {
		return b.opts.Total - b.reserve/2
	}
	return b.opts.Total - b.reserve
}

// admits reports whether the share has room. One account may go beyond it: to go on
// with what is held, or when little else is.
func (s *share) admits(a *Account, bytes int64) bool {
	switch {
	case s == nil || s.most < 0 || s.held+bytes <= s.most:
		return true
	case s.first == nil:
		return a.of.held > 0 || s.held <= max(Small, s.most/8)
	}
	return s.first.of == a.of
}

func (b *Budget) take(a *Account, bytes int64) {
	for _, s := range []*share{a.user, a.address, &b.kinds[a.kind]} {
		if s == nil {
			continue
		}
		if s.held += bytes; s.most >= 0 && s.held > s.most && s.first == nil && !small(bytes) {
			s.first = a
		}
	}
	if kind := &b.kinds[a.kind]; b.held+bytes > b.opts.Total-b.reserve && kind.first == nil && !small(bytes) {
		kind.first = a
	}
	a.held += bytes
	a.of.held += bytes
	b.held += bytes
}

func (b *Budget) free(a *Account, bytes int64) {
	if a.closed || bytes <= 0 {
		return
	}
	a.held -= bytes
	a.of.held -= bytes
	b.held -= bytes
	for _, s := range []*share{a.user, a.address, &b.kinds[a.kind]} {
		if s == nil {
			continue
		}
		s.held -= bytes
		if s.first == a && a.held <= Small {
			s.first = nil
		}
	}
}

// wait puts an amount in its line: one that goes on with something before those that
// begin.
func (b *Budget) wait(f *flow, w *waiter) {
	b.waiting++
	at := len(f.waiters)
	if w.account.held > 0 {
		for at = 0; at < len(f.waiters) && f.waiters[at].account.held > 0; at++ {
		}
	}
	f.waiters = slices.Insert(f.waiters, at, w)
	if f.at == nil {
		f.at = b.order.PushBack(f)
	}
}

func (b *Budget) drop(f *flow, w *waiter) {
	if i := slices.Index(f.waiters, w); i >= 0 {
		f.waiters = slices.Delete(f.waiters, i, i+1)
		b.waiting--
	}
	if len(f.waiters) == 0 && f.at != nil {
		b.order.Remove(f.at)
		f.at, f.waiters = nil, nil
	}
}

// grant lets go what has room by now, by turns. A waiter for which there is none holds up
// no other.
func (b *Budget) grant() {
	if b.waiting == 0 {
		return
	}
	for e := b.order.Front(); e != nil; {
		next := e.Next()
		f := e.Value.(*flow)
		if w := b.ready(f); w != nil {
			b.take(w.account, w.bytes)
			close(w.come)
			b.drop(f, w)
			if f.at != nil { // behind the others
				b.order.MoveToBack(e)
				if next == nil {
					next = e
				}
			}
		}
		e = next
	}
}

// ready is the first in a line, if that has room by now, or what is small and has: it does
// not wait behind others. nil: none has.
func (b *Budget) ready(f *flow) *waiter {
	for i, w := range f.waiters {
		if (i == 0 || small(w.bytes)) && b.judge(w.account, w.bytes) == nil {
			return w
		}
	}
	return nil
}

// Reason is which bound was met.
type Reason int

const (
	User    Reason = iota // the user's share
	Address               // the address's
	ByKind                // the kind's
	Total                 // all of it
	reasons
)

func (r Reason) String() string { return [...]string{"user", "address", "kind", "total"}[r] }

// Full says that there was no room.
type Full struct {
	Reason Reason
	Kind   Kind
}

func (f *Full) Error() string {
	return fmt.Sprintf("budget: no room for %s: %s is used up", f.Kind, [...]string{"the user's share", "the address's share", "the share of all such", "all there is"}[f.Reason])
}

// Own reports whether who asked holds too much, and not others.
func (f *Full) Own() bool { return f.Reason == User || f.Reason == Address }

// Usage is what a budget looks like.
type Usage struct {
	Held    map[string]int64 // by kind
	Waiting int              // amounts that wait for room
	Refused map[string]int64 // amounts that were refused, by the share that was used up
}

// Usage tells what is used.
func (b *Budget) Usage() Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	u := Usage{Held: map[string]int64{}, Waiting: b.waiting, Refused: map[string]int64{}}
	for k := range kinds {
		u.Held[k.String()] = b.kinds[k].held
	}
	for r := range reasons {
		u.Refused[r.String()] = b.refused[r]
	}
	return u
}

// Held is what is held of all kinds.
func (b *Budget) Held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}
