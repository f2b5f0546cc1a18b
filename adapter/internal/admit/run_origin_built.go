package admit

import (
	"github.com/aguiws/aguiws/adapter/store"
)

// origin is why the run that is built comes to be.
func (n *BeginBuilder) origin() store.RunOrigin {
	switch {
	case n.Letter != nil || n.from.Through == store.ThroughOperator:
		return store.OriginOperator
	case n.from.Through == store.ThroughExpiry:
		return store.OriginExpiry
	case n.Continues != nil && !n.Steer:
		return store.OriginResume
	case n.Caller != nil:
		return store.OriginChild
	}
	return store.OriginUser
}
