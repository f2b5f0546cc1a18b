package erasure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// without is an object without those of its members that are the person's name, without the
// name in those that are lists, and in those that are within. It is the same text if the
// name is not there, or what is there cannot be read.
func (o *other) without(text []byte, names ...string) []byte {
	var members map[string]json.RawMessage
	if !says(text, o.who.Name) || json.Unmarshal(text, &members) != nil {
		return text
	}
	changed := false
	for _, name := range names {
		var list []string
		var one string
		switch {
		case json.Unmarshal(members[name], &one) == nil && one == o.who.Name:
			delete(members, name)
			changed = true
		case json.Unmarshal(members[name], &list) == nil && slices.Contains(list, o.who.Name):
			members[name] = encode(slices.DeleteFunc(list, func(user string) bool { return user == o.who.Name }))
			changed = true
		}
	}
	for _, name := range within {
		was := members[name]
		var list []json.RawMessage
		if json.Unmarshal(was, &list) == nil {
			for i := range list {
				is := o.without(list[i], "user", "users")
				changed = changed || !bytes.Equal(is, list[i])
				list[i] = is
			}
			if len(list) > 0 {
				members[name] = encode(list)
			}
		} else if is := o.without(was, "user", "users"); !bytes.Equal(is, was) {
			members[name], changed = is, true
		}
	}
	if !changed {
		return text
	}
	return encode(members)
}

// within are the members of what is stored that name users themselves: accounts, calls of
// agents, and the questions of a suspension.
var within = []string{"login", "child", "caller", "items"}

// encode writes members as they are: what a person was shown must not be written otherwise.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it was read from JSON
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// quoted are the two ways in which a text stands in stored JSON.
func quoted(text string) [2][]byte {
	escaped, _ := json.Marshal(text) // texts can be written
	return [2][]byte{encode(text), escaped}
}

func says(text []byte, name string) bool {
	quotes := quoted(name)
	return slices.ContainsFunc(quotes[:], func(q []byte) bool { return bytes.Contains(text, q) })
}

// record is a run's record without the person. It is the same text if the run is of others.
func (o *other) record(stored string) string {
	text, err := link.Decompress(stored)
	var r store.RunRecord
	if err != nil || !says(text, o.who.Name) || json.Unmarshal(text, &r) != nil {
		return stored // of what cannot be read nobody knows whose it is
	}
	is := o.without(text, "user", "countsFor")
	if r.User == o.who.Name && len(r.Decisions) > 0 {
		is = bytes.Replace(is, r.Decisions, o.anonymous(r.Decisions), 1)
	}
	if bytes.Equal(is, text) {
		return stored
	}
	return string(link.Compress(is))
}

// untold is a RUN_STARTED that does not tell who has decided. It is as long as it was, since
// the bytes of a log are counted.
func (o *other) untold(event string) string {
	var e struct {
		Metadata struct {
			Aguiws struct {
				Decisions json.RawMessage `json:"decisions"`
			} `json:"aguiws"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(event), &e) != nil || len(e.Metadata.Aguiws.Decisions) == 0 {
		return event
	}
	told := e.Metadata.Aguiws.Decisions
	return strings.Replace(event, string(told), string(o.anonymous(told)), 1)
}

// anonymous are decisions, as followers are told of them, that are nobody's. They have as many bytes.
func (o *other) anonymous(told []byte) []byte {
	for _, name := range quoted(o.who.Shown) {
		was := append([]byte(`"by":`), name...)
		is := append([]byte(`"by":""`), bytes.Repeat([]byte(" "), len(was)-len(`"by":""`))...)
		told = bytes.ReplaceAll(told, was, is)
	}
	return told
}

// drafts are answers of the person that wait for others'. They go.
func (o *other) drafts(ctx context.Context) (changes []held, err error) {
	key := o.Base + "drafts"
	err = o.scan(ctx, key, func(id, value string) error {
		var draft struct {
			Metadata struct {
				Aguiws struct {
					User string `json:"user"`
				} `json:"aguiws"`
			} `json:"metadata"`
		}
		if text, err := link.Decompress(value); err == nil && json.Unmarshal(text, &draft) == nil && draft.Metadata.Aguiws.User == o.who.Name {
			changes = append(changes, held{key: key, field: id, was: value})
		}
		return nil
	})
	return changes, err
}

// journalPage is how many entries are read at once: one may have a large result.
const journalPage = 20

// openText is where an execution has its open suspension, as run.lua has it.
const openText = 3

// journal is what the live execution knows of the person: who began it, who has answered,
// and whose messages have led to what is open.
func (o *other) journal(ctx context.Context) (changes []held, err error) {
	execution := redis.NewSliceCmd(ctx, "hmget", o.Runs(), "x", "f")
	if err := errors.Join(link.Ask(ctx, o.conn, []*redis.SliceCmd{execution})...); err != nil {
		return nil, err
	}
	if was, ok := execution.Val()[0].(string); ok {
		changes = append(changes, o.changed(held{key: o.Runs(), field: "x", was: was, is: o.execution(was)})...)
	}
	if was, ok := execution.Val()[1].(string); ok {
		changes = append(changes, o.changed(held{key: o.Runs(), field: "f", was: was, is: o.frozen(was)})...)
	}
	for from := int64(0); ; from += journalPage {
		cmd := redis.NewStringSliceCmd(ctx, "lrange", o.Journal(), from, from+journalPage-1)
		if err := errors.Join(link.Ask(ctx, o.conn, []*redis.StringSliceCmd{cmd})...); err != nil {
			return nil, err
		}
		for i, was := range cmd.Val() {
			changes = append(changes, o.changed(held{key: o.Journal(), place: from + int64(i), was: was, is: o.entry(was)})...)
		}
		if len(cmd.Val()) < journalPage {
			return changes, nil
		}
	}
}

func (o *other) execution(was string) string {
	texts, err := link.Unpack(was)
	if err != nil || len(texts) <= openText {
		return was
	}
	open, err := link.Unpack(texts[openText])
	if err != nil || len(open) != 2 {
		return was
	}
	open[1] = o.compressed(open[1], "users")
	texts[openText] = string(link.Pack(nil, open...))
	return string(link.Pack(nil, texts...))
}

// frozen may have beside it, packed, what undoes a checkpoint.
func (o *other) frozen(was string) string {
	if was == "" {
		return was
	}
	if _, err := strconv.Atoi(was[:1]); err != nil {
		return o.compressed(was, "user")
	}
	both, err := link.Unpack(was)
	if err != nil || len(both) == 0 {
		return was
	}
	both[0] = o.compressed(both[0], "user")
	return string(link.Pack(nil, both...))
}

func (o *other) entry(was string) string { return o.compressed(was, "user", "users") }

// compressed is without of a value that may be compressed, and the same if nothing goes.
func (o *other) compressed(was string, names ...string) string {
	text, err := link.Decompress(was)
	if err != nil {
		return was
	}
	is := o.without(text, names...)
	if bytes.Equal(is, text) {
		return was
	}
	return string(link.Compress(is))
}
