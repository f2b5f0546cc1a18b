package store

import "context"

// Presence is how nodes know which agents the others serve.
type Presence interface {
	// Offer makes known to other nodes that this one takes runs of these agents and
	// of no others; of none when there are none. They see it when it has returned,
	// until it is called again or the process ends. After an error they see it when
	// the store can be reached.
	Offer(ctx context.Context, agents []string) error
	// Takers returns how many other nodes take runs of each of the agents, in the
	// order asked. An error: it is not known.
	Takers(ctx context.Context, agents []string) ([]int, error)
}
