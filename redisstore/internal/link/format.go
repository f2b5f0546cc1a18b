package link

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// format is the number of the stored format, which package lua describes. Servers of two
// builds may share a Redis when they write the same number.
//
// These leave the number as it is, because a server that does not know them passes over
// them, and may drop them when it writes the value anew:
//   - a member that is added to a JSON value, and may be missing
//   - a field that is added to a hash, and a key that is added to a thread or to a
//     partition, if nothing goes wrong when they are not kept up; a thread's key must
//     be in keyspace.Thread.All and go with the thread, so that a server that leaves it
//     behind when it deletes the thread does no harm
//   - a text that is added to the end of a packed list
//   - a new kind of journal entry: a server that does not know it leaves the run to one
//     that does
//   - a kind of message between nodes: it is taken for one that was missed
//
// These raise it, because a server that does not know them would do the wrong thing:
//   - a member, a field or a key that changes its meaning or its type, or goes
//   - another order, or another number, of what stands in one value: the line of a
//     run, a member of an index, the head of a suspension
//   - another word when they are few and known, like the states of a run and of its
//     dispatch
//   - a field that every script must keep up, or must heed before it decides
//   - another dictionary or method of compression; another way from a thread to its keys
//   - two scripts of which one relies on what only the new one of the other does
const format = "9"

// recordLayout records how threads are spread over keys, in which format they are stored,
// and a secret of the store's, when the prefix is new. It refuses a prefix that was recorded otherwise: no
// thread would be found again, or none understood.
func (s *Connection) recordLayout(ctx context.Context) error {
	fresh := make([]byte, 32)
	rand.Read(fresh)
	have, err := s.Client.Eval(ctx, lua.Meta, []string{keyspace.MetaKey(s.Settings.Prefix)}, s.Settings.Partitions, format, hex.EncodeToString(fresh)).StringSlice()
	if err != nil {
		return Error("record the layout", err)
	}
	if err := s.Settings.Fits(have[0], have[1]); err != nil {
		return fmt.Errorf("redisstore: prefix %w", err)
	}
	if s.Secret, err = hex.DecodeString(have[2]); err != nil || len(s.Secret) != len(fresh) {
		return fmt.Errorf("redisstore: prefix %q: the field secret of %s is not %d bytes in hexadecimal: remove it, and the tokens that were made with it end", s.Settings.Prefix, keyspace.MetaKey(s.Settings.Prefix), len(fresh))
	}
	return nil
}

// Fits reports why this build and these options do not go with what is recorded for
// the prefix; nil: they do.
func (o *Settings) Fits(partitions, stored string) error {
	if want := strconv.Itoa(o.Partitions); partitions != want {
		return fmt.Errorf("%q has %s partitions, not %s: the number cannot be changed", o.Prefix, partitions, want)
	}
	if stored != format {
		return fmt.Errorf("%q holds data of format %q, and this server knows format %s alone: use the release that wrote the data, or another prefix", o.Prefix, stored, format)
	}
	return nil
}
