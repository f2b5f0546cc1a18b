package hostile

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// endlessRuns are more than the server may have at once, on as many sockets as it takes
// to follow their threads.
func endlessRuns(s *siege) {
	s.repeat(8, func(ctx context.Context, reached func()) {
		c, in, release, err := s.socket(ctx, 64<<10, "agui.v1.json")
		if err != nil {
			return
		}
		defer release()
		gone := s.gone(in)
		for n := range 15 {
			thread := fmt.Sprintf("endless-%s-%d", c.LocalAddr(), n)
			if _, err := io.WriteString(c, frame(final|text, input(thread, "r", "m", "/slow 10000 60000"))); err != nil {
				break
			}
		}
		wait(ctx, time.Second, gone)
		reached()
		wait(ctx, time.Minute, gone)
		release()
		<-gone
	})
}

const secret = "my-password-is-hunter2"

// unknownMembers come as one long name, and as many short ones.
func unknownMembers(s *siege) {
	long := strings.TrimSuffix(input("unknown", "r", "m", "/say hi"), "}") + `,"` + secret + strings.Repeat("Z", 3*mib) + `":"` + secret + `"}`
	var many strings.Builder
	many.WriteString(strings.TrimSuffix(input("unknown", "r", "m", "/say hi"), "}"))
	for n := range 150_000 {
		fmt.Fprintf(&many, `,"\u0001%x":0`, n)
	}
	many.WriteByte('}')
	s.repeat(2, func(ctx context.Context, reached func()) {
		for _, body := range []string{long, many.String()} {
			_, _ = s.post(ctx, attackerToken, attackerAddress, "/agui", body)
		}
		reached()
	})
}

// unknownMembersLeftOut holds the log to be short, and to have no value.
func unknownMembersLeftOut(s *siege) {
	const most = 256 << 10
	if grown := s.server.Written() - s.before; grown > most {
		s.t.Errorf("the log grew by %d KiB", grown>>10)
	}
	if strings.Contains(s.server.Output(), `"`+secret+`"`) {
		s.t.Error("the log has the value of a member that nobody knows")
	}
}
