package redisstore

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// noticeID names a notice on all nodes: its place in the stream, and the partition.
func noticeID(part int, entry string) string { return entry + "-" + strconv.Itoa(part) }

// noticeAt is where a notice of that id is.
func noticeAt(k *keyspace.Space, id string) (p *keyspace.Partition, entry string, ok bool) {
	parts := strings.Split(id, "-")
	if len(parts) != 3 {
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
	return &k.Parts[i], parts[0] + "-" + parts[1], true
}

// noticeOf reads an entry of a stream of notices. It passes over fields that it does not
// know.
func noticeOf(part int, entry string, v map[string]string) (n store.Notice, err error) {
	ms, _, _ := strings.Cut(entry, "-")
	n = store.Notice{ID: noticeID(part, entry), Kind: store.NoticeKind(v["kind"]), Thread: store.ThreadKey{Namespace: v["namespace"], Thread: v["thread"]},
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
