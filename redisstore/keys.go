package redisstore

import (
	"crypto/sha256"
	"encoding/base64"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
)

// keyspace makes every key and channel name. See doc.go for what they hold.
type keyspace struct {
	prefix string
	parts  []partition
}

// partition is the keys that the threads of a partition share.
type partition struct {
	index                 int
	base                  string // prefix and hash tag
	leases, ready, counts string
	inbox, threads, dead  string
	notices               string
	decisions, decided    string
	work                  string // the family of its streams: behind it comes an agent's name
}

func newKeyspace(prefix string, partitions int) *keyspace {
	k := &keyspace{prefix: prefix}
	for i, tag := range partitionTags(partitions) {
		base := prefix + ":{" + tag + "}:"
		k.parts = append(k.parts, partition{index: i, base: base, leases: base + "leases", ready: base + "ready",
			counts: base + "counts", inbox: base + "inbox", threads: base + "threads", dead: base + "dead", work: base + "work:",
			notices: base + "notices", decisions: base + "decisions", decided: base + "decided"})
	}
	return k
}

func metaKey(prefix string) string               { return prefix + ":meta" }
func (k *keyspace) nodeChannels() string         { return k.prefix + ":node:" }
func (k *keyspace) nodeChannel(id string) string { return k.nodeChannels() + id }
func (k *keyspace) nudges() string               { return k.prefix + ":nudge" }
func (k *keyspace) takes(agent string) string    { return k.prefix + ":takes:" + agent }

// ownerKeys is what is counted of an owner, in a partition that its id chooses: who
// deletes a thread knows no more of its owner.
type ownerKeys struct{ runs, owned, inputs string }

func (k *keyspace) owner(id string) ownerKeys {
	h := fnv.New64a()
	h.Write([]byte(id))
	base := k.parts[h.Sum64()%uint64(len(k.parts))].base + "owner:" + id + ":"
	return ownerKeys{base + "runs", base + "threads", base + "inputs"}
}

// ownerID names an owner inside keys; "": nobody.
func ownerID(o store.Owner) string {
	if o.Name == "" {
		return ""
	}
	kind := "u"
	if o.Tenant {
		kind = "t"
	}
	sum := sha256.Sum256([]byte(kind + o.Name))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// owned names a thread among those of its owner: its partition and its hash.
func (t threadKeys) owned() string {
	return strconv.Itoa(t.part.index) + ":" + t.hash()
}

// ownedAsMade names a thread among those of its owner that were made and had no input.
func ownedAsMade(key store.ThreadKey) string { return "m" + memberOf(key) }

// madeOwned is the thread that ownedAsMade names.
func madeOwned(name string) (store.ThreadKey, bool) {
	member, ok := strings.CutPrefix(name, "m")
	if !ok {
		return store.ThreadKey{}, false
	}
	return threadOf(member)
}

// ownedRecord is the key of the record of a thread that is owned under a name.
func (k *keyspace) ownedRecord(name string) (string, bool) {
	index, hash, ok := strings.Cut(name, ":")
	i, err := strconv.Atoi(index)
	if !ok || err != nil || i < 0 || i >= len(k.parts) {
		return "", false
	}
	return k.parts[i].base + hash + ":rec", true
}

// targetKeys is what a target of webhooks is owed of a partition.
type targetKeys struct{ due, items, tries, dead string }

func (p *partition) target(name string) targetKeys {
	base := p.base + "hook:" + name + ":"
	return targetKeys{base + "due", base + "items", base + "tries", base + "dead"}
}

func (k *keyspace) targets() string { return k.prefix + ":targets" }
func (k *keyspace) nodes() string   { return k.prefix + ":nodes" }

// threadKeys is one thread's keys, and its name in the partition's sorted sets.
type threadKeys struct {
	part   *partition
	base   string
	member string
}

func (k *keyspace) thread(key store.ThreadKey) threadKeys {
	hash, sum := threadHash(key)
	p := &k.parts[sum%uint64(len(k.parts))]
	return threadKeys{part: p, base: p.base + string(hash[:]) + ":", member: memberOf(key)}
}

func (t threadKeys) rec() string       { return t.base + "rec" }
func (t threadKeys) log() string       { return t.base + "log" }
func (t threadKeys) journal() string   { return t.base + "journal" }
func (t threadKeys) big() string       { return t.base + "big" }
func (t threadKeys) followers() string { return t.base + "followers" }
func (t threadKeys) disp() string      { return t.base + "disp" }
func (t threadKeys) snap() string      { return t.base + "snap" }
func (t threadKeys) closing() string   { return t.base + "closing" }
func (t threadKeys) producers() string { return t.base + "producers" }

// all returns the keys in the order of keysOf in thread.lua.
func (t threadKeys) all() []string {
	return []string{
		t.rec(), t.log(), t.snap(), t.base + "runs",
		t.base + "memo", t.journal(), t.closing(), t.base + "queue",
		t.disp(), t.followers(), t.base + "archive", t.base + "drafts", t.big(), t.base + "past", t.producers(),
		t.part.leases, t.part.ready, t.part.counts, t.part.inbox, t.part.threads, t.part.dead, t.part.notices, t.part.work,
	}
}

// deciding is all with the keys of the decision record.
func (t threadKeys) deciding() []string { return append(t.all(), t.part.decisions, t.part.decided) }

// hash names the thread in keys.
func (t threadKeys) hash() string {
	return strings.TrimSuffix(strings.TrimPrefix(t.base, t.part.base), ":")
}

// memberOf writes a thread's key so that threadOf can read it back, whatever
// bytes it has.
func memberOf(key store.ThreadKey) string {
	return strconv.Itoa(len(key.Namespace)) + ":" + key.Namespace + key.Thread
}

func threadOf(member string) (store.ThreadKey, bool) {
	size, rest, ok := strings.Cut(member, ":")
	n, err := strconv.Atoi(size)
	if !ok || err != nil || n < 0 || n > len(rest) {
		return store.ThreadKey{}, false
	}
	return store.ThreadKey{Namespace: rest[:n], Thread: rest[n:]}, true
}

// flow is the key of a flow, in a partition that its id chooses.
func (k *keyspace) flow(id string) string {
	name := ownerID(store.Owner{Name: id})
	h := fnv.New64a()
	h.Write([]byte(name))
	return k.parts[h.Sum64()%uint64(len(k.parts))].base + "login:" + name + ":flow"
}

// tokens is the key of a user's tokens; nobody's are those of whoever is not told apart.
func (k *keyspace) tokens(user string) string {
	return strings.TrimSuffix(k.owner(ownerID(store.Owner{Name: "login/" + user})).runs, "runs") + "tokens"
}

func (t threadKeys) payloads() string             { return t.base + "payloads" }
func (t threadKeys) payload(digest string) string { return t.base + "payload:" + digest }
func (t threadKeys) upload(name string) string    { return t.base + "upload:" + name }
func (p *partition) payloadBytes() string         { return p.base + "payloads" }
func (p *partition) payloadsDue() string          { return p.base + "payloads:due" }
func (t threadKeys) payloadDue(d string) string   { return t.hash() + ":" + d }

// tree are the keys of a namespace: its nodes, where they are found, the partition's
// namespaces in which threads are being deleted, their metadata, and the partition's threads
// that were made and are not used.
func (k *keyspace) tree(namespace string) []string {
	name := ownerID(store.Owner{Name: "tree/" + namespace})
	h := fnv.New64a()
	h.Write([]byte(name))
	p := &k.parts[h.Sum64()%uint64(len(k.parts))]
	return []string{p.base + "tree:" + name + ":nodes", p.base + "tree:" + name + ":index", p.felled(), p.base + "tree:" + name + ":meta", p.made()}
}

func (p *partition) felled() string { return p.base + "felled" }
func (p *partition) made() string   { return p.base + "made" }
