package redisstore

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aguiws/aguiws/adapter/store"
)

// titleSize is what a record can hold without costing several times as much:
// longer values make Redis store it as a table.
const titleSize = 60

func cutTitle(title string) string { return cut(title, titleSize) }

// cut makes a text valid and short enough, at the end of a character.
func cut(text string, size int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= size {
		return text
	}
	for !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}

// Threads implements store.Threads.
func (s *lists) Threads(ctx context.Context, namespace string, q store.PageQuery) (store.ThreadPage, error) {
	l := listing{kind: 't', prefix: digest(namespace), key: func(p *partition) string { return p.threads }}
	load := func(threads []threadKeys, _ []hit) call { return infosOf(threads...) }
	read := func(_ hit, r *reply) (store.ThreadInfo, bool) {
		info, ok := readInfo(r)
		return info, ok && info.Thread.Namespace == namespace
	}
	threads, next, err := page(ctx, s, l, q, load, read)
	if err != nil {
		err = fmt.Errorf("redisstore: threads: %w", err)
	}
	return store.ThreadPage{Threads: threads, Next: next}, err
}

// infosOf asks for what a list says of threads of one partition.
func infosOf(threads ...threadKeys) call {
	c := call{script: threadsScript}
	for _, t := range threads {
		c.keys = append(c.keys, t.rec(), t.journal(), t.base+"queue")
	}
	return c
}

// readInfo reads what infosOf has asked for of one thread; false: it was never used.
func readInfo(r *reply) (store.ThreadInfo, bool) {
	if !r.more() {
		return store.ThreadInfo{}, false
	}
	key, ok := threadOf(r.string())
	return store.ThreadInfo{Thread: key, Title: r.string(), Updated: time.UnixMilli(r.int()), Active: r.bool(),
		Suspended: r.bool(), Queued: int(r.int()), ActiveRun: r.string(), LatestRun: r.string()}, ok
}

// SetTitle implements store.Threads. An empty title takes it away, so that the
// next input with one names the thread.
func (s *lists) SetTitle(ctx context.Context, key store.ThreadKey, title string) (bool, error) {
	t := s.keys.thread(key)
	r, err := s.run(ctx, call{script: titleScript, keys: []string{t.rec()}, args: args{{"title", cutTitle(title)}}})
	if err != nil {
		return false, err
	}
	return r.bool(), r.err
}
