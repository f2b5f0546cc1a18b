package link

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Ask sends commands to any partitions, in one round trip where the
// connection allows it and not to those whose master is silent, and returns the error of
// each.
func Ask[C redis.Cmder](ctx context.Context, s *Connection, cmds []C) []error {
	keys := make([]string, len(cmds))
	for i, cmd := range cmds {
		keys[i] = cmd.Args()[1].(string)
	}
	return AskAt(ctx, s, keys, cmds)
}

// AskAt is ask for commands of which it is told where they go.
func AskAt[C redis.Cmder](ctx context.Context, s *Connection, keys []string, cmds []C) []error {
	errs := make([]error, len(cmds))
	if err := s.Usable(); err != nil {
		for i := range errs {
			errs[i] = err
		}
		return errs
	}
	ctx, cancel := context.WithTimeout(ctx, s.Settings.Timeout)
	defer cancel()
	one := func(cmd C) {
		cmd.SetErr(nil)
		_ = s.Client.Process(ctx, cmd)
	}
	pipeline := func(client redis.UniversalClient, at []int) {
		pipe := client.Pipeline()
		for _, i := range at {
			_ = pipe.Process(ctx, cmds[i])
		}
		_, _ = pipe.Exec(ctx) // each command has its own error
	}
	_, several := s.Client.(*redis.ClusterClient)
	s.perMaster(keys, func(master *redis.Client, at []int) {
		switch {
		case several && s.silences.has(master):
			for _, i := range at {
				cmds[i].SetErr(errSilent)
			}
		case len(cmds) == 1 || s.Settings.Singly || several && master == nil:
			for _, i := range at {
				one(cmds[i])
			}
		case several:
			pipeline(master, at)
			for _, i := range at {
				if Redirected(cmds[i].Err()) {
					one(cmds[i])
				}
			}
		default:
			pipeline(s.Client, at)
		}
	})
	for i, cmd := range cmds {
		if err := cmd.Err(); err != nil {
			errs[i] = Error(cmd.Name(), err)
			s.unheard(s.Master(keys[i]), errs[i])
			if WrongType(err) {
				s.WrongKey(keys[i])
			}
		}
	}
	return errs
}
