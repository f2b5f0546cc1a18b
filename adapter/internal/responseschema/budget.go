package responseschema

import (
	"context"
	"errors"
	"time"
)

// ErrTooComplex says that a payload takes more to check than is spent on one.
var ErrTooComplex = errors.New("the payload takes too much to check against its schema")

// What is spent. A step is what takes some 10 ns, and its price includes what it
// allocates: the same payload costs the same wherever it is checked.
const (
	maxSteps  = 4_000_000
	maxTime   = 5 * time.Second // a last resort: steps come first, whatever the load
	stepValue = 32              // a value that is read, some 100 bytes
	stepMemo  = 64              // a verdict that is remembered
	pollEvery = 4096
)

// Budget is what may be spent on the payloads of one request. It is not safe for
// concurrent use.
type Budget struct {
	spent int
	until time.Time
}

// meter spends a budget up to a limit. It ends the work by a panic with a stopped,
// which Check recovers: nothing of what is under way has anything to tidy up.
type meter struct {
	ctx   context.Context
	spent int
	limit int
	poll  int
	until time.Time
}

type stopped struct{ err error }

func (m *meter) spend(steps int) {
	if steps < 0 || steps > m.limit-m.spent {
		panic(stopped{ErrTooComplex})
	}
	m.spent += steps
	if m.spent < m.poll {
		return
	}
	m.poll = m.spent + pollEvery
	if err := m.ctx.Err(); err != nil {
		panic(stopped{err})
	}
	if time.Now().After(m.until) {
		panic(stopped{ErrTooComplex})
	}
}

// within runs work, and says what stopped it.
func within(work func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s, ours := p.(stopped)
			if !ours {
				panic(p)
			}
			err = s.err
		}
	}()
	work()
	return nil
}
