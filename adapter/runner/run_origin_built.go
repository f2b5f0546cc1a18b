package runner

// origin is why the run that is built comes to be.
func (n *beginBuilder) origin() RunOrigin {
	switch {
	case n.letter != nil || n.from.Through == ThroughOperator:
		return OriginOperator
	case n.from.Through == ThroughExpiry:
		return OriginExpiry
	case n.Continues != nil && !n.Steer:
		return OriginResume
	case n.Input.ParentRunID != "":
		return OriginChild
	}
	return OriginUser
}
