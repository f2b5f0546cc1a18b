package hostile

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/server/identity"
)

// asksFor is set for a process that is to be the server of the asking agent.
const asksFor = "AGUIWS_HOSTILE_ASKS"

// costly are schemas as an agent's author may well write them, and answers that make
// much of them.
var costly = map[string]struct{ schema, answer string }{
	"/zeros": {
		`{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}}}}`,
		`{"tags":[` + strings.TrimSuffix(strings.Repeat("0,", 500_000), ",") + `]}`,
	},
	"/recursive": {
		`{"$ref":"#/$defs/n","$defs":{"n":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/n"},{"allOf":[{"$ref":"#/$defs/n"}]}]}}}}`,
		strings.Repeat("[", 90) + "1" + strings.Repeat("]", 90),
	},
	"/pattern": {
		`{"type":"string","pattern":"(a?){1000}b$"}`,
		`"` + strings.Repeat("a", mib) + `"`,
	},
}

// serveAsking serves an agent that asks for what it is named, and says hi otherwise.
func serveAsking(args []string) error {
	flags := flag.NewFlagSet("asking", flag.ContinueOnError)
	addr, redis := flags.String("addr", "", ""), flags.String("redis", "", "")
	flags.String("effects", "", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	store, err := redisstore.Open(context.Background(), *redis, nil)
	if err != nil {
		return err
	}
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		said := run.Input().Messages
		for name, c := range costly {
			if len(said) > 0 && said[len(said)-1].Content.String() == name {
				_, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonInputRequired, Message: "?", ResponseSchema: protocol.Any(c.schema)})
				return err
			}
		}
		return run.Say("hi")
	})
	runs, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{"": agent}})
	if err != nil {
		return err
	}
	auth, err := identity.NewTokens([]identity.Token{
		{Token: attackerToken, User: "eve", Tenant: "evil"}, {Token: victimToken, User: "ann", Tenant: "acme"},
	})
	if err != nil {
		return err
	}
	s, err := server.New(runs, &server.Options{Auth: auth, InputsPerMinute: 6000, InputBurst: 1000})
	if err != nil {
		return err
	}
	l, err := s.Listen(*addr)
	if err != nil {
		return err
	}
	return s.Serve(l)
}

// answered is what became of an answer.
type answered struct {
	name   string
	status int
	size   int
	took   time.Duration
}

// forAnAnswer is how long judging one may take on any machine.
const forAnAnswer = 30 * time.Second

var interruptID = regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`)

// costlyAnswers are given once each, and until then the attacker is not at its limit.
func costlyAnswers(s *siege) {
	results := make(chan answered, len(costly))
	for name, c := range costly {
		status, text := s.post(s.ctx, attackerToken, attackerAddress, "/agui", input("ask"+name[1:], "r", "m", name))
		id := interruptID.FindStringSubmatch(text)
		if id == nil {
			s.t.Logf("the question %s was refused: %d %.300s", name, status, text) // which is one way to hold out
			results <- answered{name: name, status: http.StatusOK}
			continue
		}
		entry, _ := json.Marshal(id[1])
		body := fmt.Sprintf(`{"threadId":"ask%s","runId":"r2","messages":[],"resume":[{"interruptId":%s,"status":"resolved","payload":%s}]}`, name[1:], entry, c.answer)
		s.working.Go(func() {
			ctx, cancel := context.WithTimeout(s.t.Context(), forAnAnswer)
			defer cancel()
			began := time.Now()
			status, text := s.post(ctx, attackerToken, attackerAddress, "/agui", body)
			results <- answered{name, status, len(text), time.Since(began)}
		})
	}
	s.working.Go(func() {
		for range costly {
			s.answers = append(s.answers, <-results)
		}
	})
}

// costlyAnswersEnded holds the server to have answered, in few words.
func costlyAnswersEnded(s *siege) {
	s.working.Wait()
	for _, a := range s.answers {
		s.t.Logf("%s: %d, %d bytes, %s", a.name, a.status, a.size, a.took.Round(time.Millisecond))
		if a.status == 0 {
			s.t.Errorf("the answer to %s was not judged within %s", a.name, forAnAnswer)
		}
		if a.size > 64<<10 {
			s.t.Errorf("the answer to %s was refused in %d KiB", a.name, a.size>>10)
		}
	}
}
