package execution

import "context"

// insideKey marks the context handed to steps and branches.
type insideKey struct{}

func inside(ctx context.Context, what string) context.Context {
	return context.WithValue(ctx, insideKey{}, what)
}

// inside names what a caller is inside of where only a whole run may call; "": of
// nothing. The execution's lock is held.
func (x *execution) inside(ctx context.Context, s *scope) string {
	what, _ := ctx.Value(insideKey{}).(string)
	switch {
	case what != "":
		return what
	case s.step != "":
		return "step " + s.step
	case s.branch || x.forks > 0:
		return "a branch of Parallel"
	}
	return ""
}
