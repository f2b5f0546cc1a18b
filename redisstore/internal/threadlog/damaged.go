package threadlog

import (
	"context"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// Sound is what a repair leaves of a log. Its elements are looked at here, a page at a time: a script that looked at
// all of them would keep the server. Scripts take elements from the list's head alone, and add them to its end. A list
// that has as many and the same last one is therefore the same.
type Sound struct {
	Seen                       int64  // elements of the list
	Tail                       string // the last of them
	Left                       int64  // of them go: behind these all can be read, and follow each other
	First, Behind, Last, Bytes int64  // of what is left, as stopall.lua has them
}

// Look looks at what of a thread's log it has not seen yet. Not ok: the list has lost elements meanwhile, and is to be
// looked at from its beginning.
func (log *Sound) Look(ctx context.Context, c *link.Connection, t keyspace.Thread) (ok bool, err error) {
	for count := int64(32); ; {
		from := max(log.Seen-1, 0) // the last one again
		cmd := redis.NewStringSliceCmd(ctx, "lrange", t.Log(), from, from+count)
		if err := link.Ask(ctx, c, []*redis.StringSliceCmd{cmd})[0]; err != nil && !link.WrongType(err) {
			return false, err
		}
		page := cmd.Val() // of what is no list there is nothing
		if log.Seen > 0 {
			if len(page) == 0 || page[0] != log.Tail {
				return false, nil
			}
			page = page[1:]
		}
		if len(page) == 0 {
			return true, nil
		}
		bytes, err := log.take(ctx, c, t, page)
		if err != nil {
			return false, err
		}
		count = max(min(PageBytes*int64(len(page))/max(bytes, 1), pieceEvents), 1)
	}
}

// take takes in the next elements of a list. It returns how many bytes they have.
func (log *Sound) take(ctx context.Context, c *link.Connection, t keyspace.Thread, page []string) (bytes int64, err error) {
	var apart []*redis.BoolCmd
	for _, e := range page {
		if first, _, _, is, err := link.Span(e); err == nil && is {
			apart = append(apart, redis.NewBoolCmd(ctx, "hexists", t.Big(), strconv.FormatInt(first, 10)))
		}
	}
	for _, err := range link.Ask(ctx, c, apart) {
		if err != nil && !link.WrongType(err) {
			return 0, err
		}
	}
	for _, e := range page {
		bytes += int64(len(e))
		first, behind, size, is, err := link.Span(e)
		readable := err == nil
		if is {
			readable, apart = apart[0].Val(), apart[1:]
		}
		at := log.Seen
		log.Seen, log.Tail = at+1, e
		switch {
		case !readable:
			log.Left, log.First, log.Behind, log.Last, log.Bytes = at+1, 0, 0, 0, 0
		case log.First > 0 && first == log.Last+1:
			log.Last, log.Bytes = behind-1, log.Bytes+size
		default:
			log.Left, log.First, log.Behind, log.Last, log.Bytes = at, first, behind, behind-1, size
		}
	}
	return bytes, nil
}
