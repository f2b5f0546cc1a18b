package notices

import (
	"context"
	"errors"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// maxReadings bounds how many pages of what others may be told are read to find something.
const maxReadings = 10

// Page reads up to limit notices for who asks for them now and then. Without any it waits,
// for that long at most. It reads on only while whole readings come, and not to fill the
// last quarter, which small readings would. Some, beside an error that wraps store.ErrPartial.
func (f *Feed) Page(ctx context.Context, q Query, limit int, wait time.Duration) (Page, error) {
	w := &Watcher{query: q}
	comes := make(chan struct{}, 1)
	if wait > 0 {
		watching := f.Watch(Query{Topic: q.Topic, Passes: q.Passes}, func() {
			select {
			case comes <- struct{}{}:
			default:
			}
		})
		defer watching.Close()
	}
	over := time.NewTimer(wait)
	defer over.Stop()
	p := Page{Next: q.After, Items: []Item{}}
	for readings := 1; ; readings++ {
		room := limit - len(p.Items)
		got, err := f.fetch(ctx, store.NoticeQuery{After: p.Next, From: q.From, Limit: room}, false)
		if err != nil && (!errors.Is(err, store.ErrPartial) || got.Next == "") {
			return p, err
		}
		p.Next, p.Missed = got.Next, p.Missed || got.Missed
		for _, item := range items(got.Notices) {
			if w.mayKnow(item.Notice) && w.passes(item.Notice) {
				p.Items = append(p.Items, item)
			}
		}
		// A short reading is no end: a partition gives a part of what it has.
		p.More = len(got.Notices) > 0 || got.Missed
		full, whole := 4*(limit-len(p.Items)) < limit, len(got.Notices) == room
		if err != nil || full || len(p.Items) > 0 && !whole || p.Missed || p.More && readings == maxReadings {
			return p, err
		}
		if p.More {
			continue
		}
		select {
		case <-comes:
			readings = 0
		case <-over.C:
			return p, nil
		case <-ctx.Done():
			return p, context.Cause(ctx)
		}
	}
}
