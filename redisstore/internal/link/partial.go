package link

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/redis/go-redis/v9"
)

// Missing judges calls to several partitions by their errors: nil when all have
// answered, an error that wraps store.ErrPartial when some masters of a Cluster did
// not, or what some hold cannot be read, and what went wrong otherwise.
func (s *servers) Missing(errs []error) error {
	return missing(s.Client, errs)
}

func missing(client redis.UniversalClient, errs []error) error {
	_, several := client.(*redis.ClusterClient)
	answered := false
	var silent error
	for _, err := range errs {
		switch {
		case err == nil:
			answered = true
		case !errors.Is(err, store.ErrCorrupted) && (!several || !errors.Is(err, store.ErrOutcomeUnknown)):
			return err
		case silent == nil:
			silent = err
		}
	}
	if silent != nil && answered {
		return fmt.Errorf("%w: %w", store.ErrPartial, silent)
	}
	return silent
}

// EachMaster calls one for all masters of a Cluster at once. Its error is missing's.
func EachMaster(ctx context.Context, cluster *redis.ClusterClient, one func(context.Context, *redis.Client) error) error {
	var mu sync.Mutex
	var errs []error
	err := cluster.ForEachMaster(ctx, func(ctx context.Context, c *redis.Client) error {
		err := one(ctx, c)
		if err != nil {
			err = fmt.Errorf("%s: %w", c.Options().Addr, err)
		}
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, err)
		return nil
	})
	if err != nil {
		return Error("find the masters", err)
	}
	return missing(cluster, errs)
}

// eachServer calls one for the only server, or for each master of a Cluster that answers, and not
// for a client of another kind.
func (s *servers) eachServer(ctx context.Context, one func(context.Context, *redis.Client) error) error {
	switch c := s.Client.(type) {
	case *redis.ClusterClient:
		return Most(EachMaster(ctx, c, one))
	case *redis.Client:
		return one(ctx, c)
	}
	return nil
}

// Most is an error unless it says that a part does not answer.
func Most(err error) error {
	if errors.Is(err, store.ErrPartial) {
		return nil
	}
	return err
}
