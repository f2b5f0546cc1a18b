package redisstore

import (
	"context"
	"fmt"

	"github.com/aguiws/aguiws/redisstore/internal/erasure"
)

// Person is whom ErasePerson erases. Erased counts what it has deleted.
type (
	Person = erasure.Person
	Erased = erasure.Summary
)

// ErasePerson takes a person out of the store, or, dry, finds out what would go. It goes in
// small pieces beside servers that run. What it returns has what has gone so far, also beside
// an error; called again it does what is left.
func (s *Store) ErasePerson(ctx context.Context, who Person, dry bool) (*Erased, error) {
	done, err := erasure.Erase(ctx, s.conn, s, who, dry)
	if err != nil {
		err = fmt.Errorf("redisstore: erase: %w", err)
	}
	return done, err
}
