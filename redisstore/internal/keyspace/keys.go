// Package keyspace makes the names of all keys and channels. What they hold is in the table
// of package lua.
package keyspace

import (
	"crypto/sha256"
	"encoding/base64"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
)

// Space makes the names below one prefix.
type Space struct {
	prefix string
	Parts  []Partition
}

// Partition is the keys that the threads of a partition share.
type Partition struct {
	Index                 int
	Base                  string // prefix and hash tag
	Leases, Ready, Counts string
	Inbox, Dead           string
	Lists                 string // of threads, and of the decision record
	Notices               string
	Decisions             string
	Work                  string // the family of its streams: behind it comes an agent's name
}

// New returns the space of a prefix with so many partitions.
func New(prefix string, partitions int) *Space {
	k := &Space{prefix: prefix}
	for i, tag := range partitionTags(partitions) {
		base := prefix + ":{" + tag + "}:"
		k.Parts = append(k.Parts, Partition{Index: i, Base: base, Leases: base + "leases", Ready: base + "ready",
			Counts: base + "counts", Inbox: base + "inbox", Lists: base + "lists", Dead: base + "dead", Work: base + "work:",
			Notices: base + "notices", Decisions: base + "decisions"})
	}
	return k
}

// MetaKey is the key of what is recorded of a prefix.
func MetaKey(prefix string) string { return prefix + ":meta" }

// NodeChannels is what the channels of all nodes begin with.
func (k *Space) NodeChannels() string { return k.prefix + ":node:" }

// NodeChannel is the channel of a node.
func (k *Space) NodeChannel(id string) string { return k.NodeChannels() + id }

// Nudges is the channel by which nodes hear that there is work.
func (k *Space) Nudges() string { return k.prefix + ":nudge" }

// Takes is the channel that those have who take runs of an agent.
func (k *Space) Takes(agent string) string { return k.prefix + ":takes:" + agent }

// Owner is what is counted of an owner, in a partition that its id chooses: who
// deletes a thread knows no more of its owner.
type Owner struct{ Runs, Owned, Inputs string }

// Owner returns the keys of an owner by its id.
func (k *Space) Owner(id string) Owner {
	h := fnv.New64a()
	h.Write([]byte(id))
	base := k.Parts[h.Sum64()%uint64(len(k.Parts))].Base + "owner:" + id + ":"
	return Owner{base + "runs", base + "threads", base + "inputs"}
}

// OwnerID names an owner inside keys; "": nobody.
func OwnerID(o store.Owner) string {
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

// Owned names a thread among those of its owner: its partition and its hash.
func (t Thread) Owned() string {
	return strconv.Itoa(t.Part.Index) + ":" + t.Hash()
}

// OwnedAsMade names a thread among those of its owner that were made and had no input.
func OwnedAsMade(key store.ThreadKey) string { return "m" + MemberOf(key) }

// MadeOwned is the thread that OwnedAsMade names.
func MadeOwned(name string) (store.ThreadKey, bool) {
	member, ok := strings.CutPrefix(name, "m")
	if !ok {
		return store.ThreadKey{}, false
	}
	return ThreadOf(member)
}

// OwnedRecord is the key of the record of a thread that is owned under a name.
func (k *Space) OwnedRecord(name string) (string, bool) {
	index, hash, ok := strings.Cut(name, ":")
	i, err := strconv.Atoi(index)
	if !ok || err != nil || i < 0 || i >= len(k.Parts) {
		return "", false
	}
	return k.Parts[i].Base + hash + ":rec", true
}

// Target is what a target of webhooks is owed of a partition.
type Target struct{ Due, Items, Tries, Dead string }

// Target returns the keys of a target of webhooks.
func (p *Partition) Target(name string) Target {
	base := p.Base + "hook:" + name + ":"
	return Target{base + "due", base + "items", base + "tries", base + "dead"}
}

// Targets is the key of the targets of webhooks.
func (k *Space) Targets() string { return k.prefix + ":targets" }

// Nodes is the key of what nodes tell of themselves.
func (k *Space) Nodes() string { return k.prefix + ":nodes" }

// Thread is one thread's keys, and its name in the partition's sorted sets.
type Thread struct {
	Part   *Partition
	Base   string
	Member string
}

// Thread returns the keys of a thread.
func (k *Space) Thread(key store.ThreadKey) Thread {
	hash, sum := threadHash(key)
	p := &k.Parts[sum%uint64(len(k.Parts))]
	return Thread{Part: p, Base: p.Base + string(hash[:]) + ":", Member: MemberOf(key)}
}

// These are the keys of a thread, by what package lua calls them.

func (t Thread) Rec() string       { return t.Base + "rec" }
func (t Thread) Log() string       { return t.Base + "log" }
func (t Thread) Runs() string      { return t.Base + "runs" }
func (t Thread) Journal() string   { return t.Base + "journal" }
func (t Thread) Big() string       { return t.Base + "big" }
func (t Thread) Disp() string      { return t.Base + "disp" }
func (t Thread) Snap() string      { return t.Base + "snap" }
func (t Thread) Closing() string   { return t.Base + "closing" }
func (t Thread) Producers() string { return t.Base + "producers" }
func (t Thread) Archive() string   { return t.Base + "archive" }
func (t Thread) Reviewers() string { return t.Base + "reviewers" }

// All returns the keys in the order of keysOf in thread.lua.
func (t Thread) All() []string {
	return []string{
		t.Rec(), t.Log(), t.Snap(), t.Runs(),
		t.Journal(), t.Closing(), t.Base + "queue",
		t.Disp(), t.Archive(), t.Base + "drafts", t.Big(), t.Base + "past", t.Producers(),
		t.Part.Leases, t.Part.Ready, t.Part.Counts, t.Part.Inbox, t.Part.Lists, t.Part.Dead, t.Part.Notices, t.Part.Work,
	}
}

// Own are those of All that hold this thread alone, the one that lists its payloads, and the one of
// who looks at it.
func (t Thread) Own() []string {
	return append(slices.DeleteFunc(t.All(), func(k string) bool { return !strings.HasPrefix(k, t.Base) }), t.Payloads(), t.Reviewers())
}

// Deciding is All with the key of the decision record.
func (t Thread) Deciding() []string { return append(t.All(), t.Part.Decisions) }

// Hash names the thread in keys.
func (t Thread) Hash() string {
	return strings.TrimSuffix(strings.TrimPrefix(t.Base, t.Part.Base), ":")
}

// MemberOf writes a thread's key so that ThreadOf can read it back, whatever
// bytes it has.
func MemberOf(key store.ThreadKey) string {
	return strconv.Itoa(len(key.Namespace)) + ":" + key.Namespace + key.Thread
}

// ThreadOf reads what MemberOf has written; false: it is something else.
func ThreadOf(member string) (store.ThreadKey, bool) {
	size, rest, ok := strings.Cut(member, ":")
	n, err := strconv.Atoi(size)
	if !ok || err != nil || n < 0 || n > len(rest) {
		return store.ThreadKey{}, false
	}
	return store.ThreadKey{Namespace: rest[:n], Thread: rest[n:]}, true
}

// Flow is the key of a flow, in a partition that its id chooses.
func (k *Space) Flow(id string) string {
	name := OwnerID(store.Owner{Name: id})
	h := fnv.New64a()
	h.Write([]byte(name))
	return k.Parts[h.Sum64()%uint64(len(k.Parts))].Base + "login:" + name + ":flow"
}

// Tokens is the key of a user's tokens; nobody's are those of whoever is not told apart.
func (k *Space) Tokens(user string) string {
	return strings.TrimSuffix(k.Owner(OwnerID(store.Owner{Name: "login/" + user})).Runs, "runs") + "tokens"
}

// These are the keys of payloads, of a thread and of a partition.

func (t Thread) Payloads() string             { return t.Base + "payloads" }
func (t Thread) Payload(digest string) string { return t.Base + "payload:" + digest }
func (t Thread) Upload(name string) string    { return t.Base + "upload:" + name }
func (p *Partition) PayloadBytes() string     { return p.Base + "payloads" }
func (p *Partition) PayloadsDue() string      { return p.Base + "payloads:due" }
func (t Thread) PayloadDue(d string) string   { return t.Hash() + ":" + d }

// Tree are the keys of a namespace: its nodes, where they are found, the partition's
// namespaces in which threads are being deleted, their metadata, and the partition's threads
// that were made and are not used.
func (k *Space) Tree(namespace string) []string {
	name := OwnerID(store.Owner{Name: "tree/" + namespace})
	h := fnv.New64a()
	h.Write([]byte(name))
	p := &k.Parts[h.Sum64()%uint64(len(k.Parts))]
	return []string{p.Base + "tree:" + name + ":nodes", p.Base + "tree:" + name + ":index", p.Felled(), p.Base + "tree:" + name + ":meta", p.Made()}
}

// Felled and Made are what a partition keeps of the trees of threads in it.

func (p *Partition) Felled() string { return p.Base + "felled" }
func (p *Partition) Made() string   { return p.Base + "made" }
