package link

import (
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// besideConnections is how many connections to a server a client beside another keeps.
const besideConnections = 4

// Beside is a client of the same servers with few connections of its own. A client that is
// neither a Client nor a ClusterClient stands for itself.
func Beside(client redis.UniversalClient, timeout time.Duration) redis.UniversalClient {
	switch c := client.(type) {
	case *redis.Client:
		o := *c.Options()
		o.PushNotificationProcessor = nil // the library made it for that client
		o.MaxRetries, o.ReadTimeout, o.WriteTimeout = -1, timeout, timeout
		o.PoolSize, o.MaxConcurrentDials, o.PipelinePoolSize = besideConnections, besideConnections, -1
		o.MinIdleConns, o.MaxIdleConns, o.MaxActiveConns = 0, 0, 0
		return redis.NewClient(&o)
	case *redis.ClusterClient:
		o := *c.Options()
		o.Addrs = slices.Clone(o.Addrs) // to which each client appends
		o.MaxRetries, o.ReadTimeout, o.WriteTimeout = -1, timeout, timeout
		o.PoolSize, o.MaxConcurrentDials, o.PipelinePoolSize = besideConnections, besideConnections, -1
		o.MinIdleConns, o.MaxIdleConns, o.MaxActiveConns = 0, 0, 0
		return redis.NewClusterClient(&o)
	}
	return client
}
