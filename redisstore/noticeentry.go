package redisstore

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// noticeID names a notice on all nodes: its entry's place in the stream, the partition, and
// which of the entry's notices it is, if it is not the first.
func noticeID(part int, id string) string {
	if place := strings.SplitN(id, "-", 3); len(place) == 3 {
		return fmt.Sprintf("%s-%s-%d-%s", place[0], place[1], part, place[2])
	}
	return id + "-" + strconv.Itoa(part)
}

// noticeIn names one in its partition.
func noticeIn(entry string, nth int) string {
	if nth == 0 {
		return entry
	}
	return entry + "-" + strconv.Itoa(nth)
}

// noticeAt is where a notice is that noticeID has named.
func noticeAt(k *keyspace.Space, id string) (p *keyspace.Partition, in string, ok bool) {
	parts := strings.Split(id, "-")
	if len(parts) != 3 && (len(parts) != 4 || parts[3] == "0") {
		return nil, "", false
	}
	for _, number := range parts {
		if n, err := strconv.ParseUint(number, 10, 64); err != nil || strconv.FormatUint(n, 10) != number {
			return nil, "", false
		}
	}
	i, err := strconv.Atoi(parts[2])
	if err != nil || i >= len(k.Parts) {
		return nil, "", false
	}
	return &k.Parts[i], strings.Join(slices.Delete(parts, 2, 3), "-"), true
}

// noticesOf are the fields of each notice of an entry: those before the first kind are of all.
func noticesOf(words []string) (list []map[string]string) {
	shared := map[string]string{}
	v := shared
	for i := 0; i+1 < len(words); i += 2 {
		if words[i] == "kind" {
			v = maps.Clone(shared)
			list = append(list, v)
		}
		v[words[i]] = words[i+1]
	}
	return list
}

// noticeOf reads a notice. It passes over fields that it does not know.
func noticeOf(part int, id string, v map[string]string) (n store.Notice, err error) {
	ms, _, _ := strings.Cut(id, "-")
	n = store.Notice{ID: noticeID(part, id), Kind: store.NoticeKind(v["kind"]), Thread: store.ThreadKey{Namespace: v["namespace"], Thread: v["thread"]},
		Tenant: v["tenant"], Owner: v["owner"], Agent: v["agent"], RunID: v["run"], Label: v["label"], By: v["by"], How: v["how"]}
	n.At, n.Deadline = cmp.Or(unixTime(v["at"]), unixTime(ms)), unixTime(v["deadline"])
	var bad, worse error
	n.Interrupts, bad = link.Unpack(v["interrupts"])
	n.Reasons, worse = link.Unpack(v["reasons"])
	if text := v["summaries"]; text != "" && json.Unmarshal([]byte(text), &n.Summaries) != nil {
		n.Summaries = nil // they say nothing that the ids do not lead to
	}
	if err := cmp.Or(bad, worse); err != nil {
		return n, fmt.Errorf("redisstore: notice: %w: %w", store.ErrCorrupted, err)
	}
	return n, nil
}

// unixTime is a time in Unix ms; zero of what is none.
func unixTime(text string) time.Time {
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
