package stage

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
)

func Deleted(th *Thread) bool {
	th.Helper()
	ok, err := th.Store.Delete(th.Context(), th.Key, Deleting(""))
	return Must(th, ok, err)
}

func HeadersNamed(run string) json.RawMessage {
	return json.RawMessage(`{"authorization":"Bearer ` + run + `"}`)
}

func Raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

func RawMap(texts map[string]string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, k := range slices.Sorted(maps.Keys(texts)) {
		out[k] = Raw(texts[k])
	}
	return out
}

func StringsOf(events [][]byte) []string {
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = string(e)
	}
	return out
}

// Hearing reads all that lies behind a cursor.
func Hearing(th *Thread, after string) (list []store.Notice, next string) {
	th.Helper()
	for {
		page, err := th.Store.Notices(th.Context(), store.NoticeQuery{After: after, Limit: 7})
		page = Must(th, page, err)
		if after = page.Next; len(page.Notices) == 0 {
			return list, after
		}
		list = append(list, page.Notices...)
	}
}

// Told is a notice in short.
func Told(n store.Notice) string {
	words := []string{string(n.Kind)}
	add := func(name, value string) {
		if value != "" {
			words = append(words, name+value)
		}
	}
	add("", n.RunID)
	add("as ", strings.TrimPrefix(n.Label, "label-"))
	add("of ", n.Agent)
	add("for ", n.Owner)
	add("in ", n.Tenant)
	add("about ", strings.Join(n.Interrupts, ","))
	add("why ", strings.Join(n.Reasons, ","))
	for _, s := range n.Summaries {
		add("shows ", fmt.Sprintf("%+v", s))
	}
	if !n.Deadline.IsZero() {
		add("until ", fmt.Sprint(n.Deadline.UnixMilli()))
	}
	add("by ", n.By)
	add("how ", n.How)
	return strings.Join(words, " ")
}

// CarriedAfterwards shows that the thread goes on.
func CarriedAfterwards(th *Thread) {
	th.Helper()
	th.Begun(th.Wait("afterwards"))
	th.Carried("afterwards")
}

// InParallel calls f for 0 to n-1 from several goroutines.
func InParallel(n, workers int, f func(i int)) {
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := w; i < n; i += workers {
				f(i)
			}
		})
	}
	group.Wait()
}
