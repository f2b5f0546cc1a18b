package redisstore

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// noticeID names a notice on all nodes: its place in the stream, and the partition.
func noticeID(p *partition, entry string) string { return entry + "-" + strconv.Itoa(p.index) }

// noticeAt is where a notice of that id is.
func (k *keyspace) noticeAt(id string) (p *partition, entry string, ok bool) {
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
	if err != nil || i >= len(k.parts) {
		return nil, "", false
	}
	return &k.parts[i], parts[0] + "-" + parts[1], true
}

// noticeOf reads an entry of a stream of notices. It passes over fields that it does not
// know.
func noticeOf(p *partition, entry string, fields []string) (n store.Notice, err error) {
	ms, _, _ := strings.Cut(entry, "-")
	v := map[string]string{"at": ms}
	for i := 0; i+1 < len(fields); i += 2 {
		v[fields[i]] = fields[i+1]
	}
	n = store.Notice{ID: noticeID(p, entry), Kind: store.NoticeKind(v["kind"]), Thread: store.ThreadKey{Namespace: v["namespace"], Thread: v["thread"]},
		Tenant: v["tenant"], Owner: v["owner"], Agent: v["agent"], RunID: v["run"], Label: v["label"], By: v["by"], How: v["how"]}
	for text, into := range map[string]*time.Time{v["at"]: &n.At, v["deadline"]: &n.Deadline} {
		if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
			*into = time.UnixMilli(ms)
		}
	}
	var bad, worse error
	n.Interrupts, bad = unpack(v["interrupts"])
	n.Reasons, worse = unpack(v["reasons"])
	if err := cmp.Or(bad, worse); err != nil {
		return n, fmt.Errorf("redisstore: notice: %w: %w", store.ErrCorrupted, err)
	}
	return n, nil
}
