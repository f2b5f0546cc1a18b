package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/gateway"
	"github.com/aguiws/aguiws/protocol"
)

// upstreams connects to those that are configured. It also talks to one that the command
// line names, and to all of them if the command line has a message: whoever types it wants that.
func (r *report) upstreams(ctx context.Context, s *settings, list []upstreamEntry) {
	for i := range list {
		each := &list[i]
		subject := "upstream " + each.Name
		named := i < len(s.upstream) && s.from["upstream"] == "--upstream"
		if named || s.from["message"] == "--message" {
			r.converse(ctx, subject, each, s.recording.message)
		} else if err := each.connect(ctx); err != nil {
			r.say("warn", subject, "%s cannot be connected to now: %v", each.shownURL(), err)
		} else {
			r.say("ok", subject, "%s can be connected to; check --message TEXT would say something to it", each.shownURL())
		}
	}
}

// converse says something to an upstream, and tells what the gateway makes of the answer.
func (r *report) converse(ctx context.Context, subject string, e *upstreamEntry, message string) {
	r.say("ok", subject, "%s is sent one message, in a thread of its own: %q", e.shownURL(), message)
	x, err := e.ask(ctx, greeting(message, protocol.Version11))
	if err == nil && x.forbidsVersion() {
		r.say("ok", subject, "will be put right, in each request (%s): %s", gateway.RepairVersion, repairWords[gateway.RepairVersion])
		x, err = e.ask(ctx, greeting(message, ""))
	}
	if err != nil {
		r.fail(subject, fmt.Errorf("the agent cannot be reached: %w", err))
		return
	}
	if x.to != "" {
		r.fail(subject, fmt.Errorf("the agent answered %d, a redirect to %q, and redirects are not followed: write that URL", x.status, e.told(x.to, 200)))
		return
	}
	if !x.streams() {
		r.fail(subject, fmt.Errorf("the agent answered %d with the content type %.80q, and not with a stream of events (text/event-stream): is %s the path of an agent?%s", x.status, x.kind, e.shownURL(), e.excerpt(x.body)))
		return
	}
	events := x.events()
	r.say("ok", subject, "the agent answered 200 text/event-stream: %d events, the first after %v, the last after %v", len(events), x.first.Round(time.Millisecond), x.took.Round(time.Millisecond))
	found, err := e.rehearse(ctx, x)
	if err != nil {
		r.fail(subject, fmt.Errorf("the agent's answer could not be examined: %w", err))
		return
	}
	r.version(subject, e, found)
	heard := gateway.HeardIn(events)
	r.dialect(subject, e, heard)
	r.outcome(subject, e, found, heard)
	r.edits(subject, events)
	r.repairs(subject, found)
	r.capabilities(ctx, subject, e)
}

// excerpt is the beginning of an answer that is no stream.
func (e *upstreamEntry) excerpt(body []byte) string {
	text := e.told(string(body), 200)
	if text == "" {
		return ""
	}
	return fmt.Sprintf(" It says %q", text)
}

func (r *report) version(subject string, e *upstreamEntry, found *findings) {
	if found.protocol == "" {
		r.say("ok", subject, "the agent does not say which version of AG-UI it speaks: the gateway takes it for one before 1.0, and tells it what it understands all the same")
		return
	}
	r.say("ok", subject, "the agent speaks AG-UI %s", e.told(found.protocol, 32))
}

func (r *report) dialect(subject string, e *upstreamEntry, heard gateway.Heard) {
	configured := gateway.Dialect(e.Dialect)
	if configured == "" {
		configured = gateway.DialectAuto
	}
	switch {
	case heard.Dialect == "":
		hint := ". Some agents tell it only when they ask: --message gives a text at which yours asks"
		if heard.Outcome || heard.Custom {
			hint = ""
		}
		r.say("ok", subject, "nothing in its answer tells of a framework, and the dialect is %s%s", configured, hint)
	case configured == gateway.DialectAuto && heard.Guess:
		r.say("warn", subject, "the agent is taken for %s, because %s and nothing else tells whose that is: say it, dialect: %s in upstreams or --upstream %s=%s+%s", heard.Dialect, heard.Why, heard.Dialect, e.Name, heard.Dialect, e.shownURL())
	case configured == gateway.DialectAuto:
		r.say("ok", subject, "the dialect is %s, which the server finds out itself: %s", heard.Dialect, heard.Why)
	case heard.Dialect == configured:
		r.say("ok", subject, "the dialect is %s, as is configured: %s", configured, heard.Why)
	default:
		r.say("warn", subject, "the agent looks like %s, because %s, and the dialect is %s: set dialect: %s in upstreams or --upstream %s=%s+%s", heard.Dialect, heard.Why, configured, heard.Dialect, e.Name, heard.Dialect, e.shownURL())
	}
}

func (r *report) outcome(subject string, e *upstreamEntry, found *findings, heard gateway.Heard) {
	switch {
	case found.code != "":
		r.fail(subject, fmt.Errorf("the run would end with %s: %s", found.code, e.told(found.message, 500)))
	case heard.Outcome && heard.Custom:
		r.say("ok", subject, "the agent asks by the outcome of RUN_FINISHED and by CUSTOM on_interrupt: the two are one question")
	case heard.Outcome:
		r.say("ok", subject, "the agent asks by the outcome of RUN_FINISHED, as AG-UI has it")
	case heard.Custom && found.asks:
		r.say("ok", subject, "the agent asks by CUSTOM on_interrupt, which becomes an interrupt")
	case heard.Custom:
		r.say("warn", subject, "the agent asks by CUSTOM on_interrupt, which means nothing in this dialect: nobody would be asked")
	default:
		r.say("ok", subject, "the run ended in order, and asked nothing: how it asks was not seen")
	}
}

// edits warns of an agent that may not know how its question about a call can be answered.
func (r *report) edits(subject string, events []json.RawMessage) {
	for _, event := range events {
		var end struct {
			Outcome struct{ Interrupts []protocol.Interrupt }
		}
		_ = json.Unmarshal(event, &end) // what is no such end asks nothing
		if slices.ContainsFunc(end.Outcome.Interrupts, func(i protocol.Interrupt) bool {
			return i.Reason == protocol.ReasonToolCall && i.ResponseSchema.IsZero() && i.Metadata["answers"] == nil
		}) {
			r.say("warn", subject, "the agent asks with the reason tool_call and without a responseSchema: people may edit the arguments, and it has to act with the editedArgs of the answer")
			return
		}
	}
}

// repairWords are what a repair puts right.
var repairWords = map[string]string{
	gateway.RepairIDs:               "the agent calls the run or the thread by ids of its own",
	gateway.RepairRunStartedLate:    "events come before RUN_STARTED",
	gateway.RepairRunStartedMissing: "there is no RUN_STARTED",
	gateway.RepairRunStartedAgain:   "RUN_STARTED comes twice",
	gateway.RepairVersion:           "inputs with a protocolVersion are refused, and sent again without",
	gateway.RepairReplay:            "earlier runs come before the one that was asked for, and are left out",
	gateway.RepairOutcome:           "the run ends by an outcome that AG-UI does not have, which is taken for a success",
	gateway.RepairHalf:              "characters are cut in halves",
	gateway.RepairLeftOpen:          "messages, calls or steps are open at the run's end",
	gateway.RepairStartAgain:        "what is open is opened again",
	gateway.RepairEndAgain:          "what is not open is closed",
	gateway.RepairCallAgain:         "a tool call is announced that the thread has already",
	gateway.RepairCallChanged:       "a tool call is announced that the thread has with another name or other arguments, which stay",
	gateway.RepairResultAgain:       "a result comes that the thread has already",
	gateway.RepairMessageID:         "a message has the id of another one",
	gateway.RepairDelta:             "a delta fits nothing that is there, and is left out",
	gateway.RepairNull:              "null stands where AG-UI leaves a member out",
	gateway.RepairAfterEnd:          "events come behind the run's end, and are left out",
	gateway.RepairCustomInterrupt:   "CUSTOM on_interrupt becomes an interrupt",
	gateway.RepairDialect:           "CUSTOM on_interrupt comes, and nothing tells that it is a question, or of which dialect",
	gateway.RepairAnswers:           "answers that a question offers cannot be given, and are left out",
	gateway.RepairInterruptAgain:    "an interrupt comes twice",
	gateway.RepairReason:            "an interrupt's reason has no namespace, or lacks what it needs",
	gateway.RepairMessage:           "a question without a message gets what its metadata says",
	gateway.RepairSchema:            "an interrupt's schema is too large or too deep, and is left out",
	gateway.RepairExpiry:            "an interrupt's time is in another form than RFC 3339, and told in that, or none, and left out",
	gateway.RepairPolicy:            "an interrupt has metadata of this server's (aguiws), which is left out",
}

func (r *report) repairs(subject string, found *findings) {
	if len(found.repairs) == 0 {
		r.say("ok", subject, "nothing in its answer has to be put right")
	}
	for _, name := range slices.Sorted(maps.Keys(found.repairs)) {
		r.say("ok", subject, "will be put right, %s in this answer (%s): %s", times(found.repairs[name]), name, repairWords[name])
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func (r *report) capabilities(ctx context.Context, subject string, e *upstreamEntry) {
	o, err := e.options(nil)
	if err != nil {
		return // newAgents has said it
	}
	upstream, err := gateway.New(e.URL, o)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	defer upstream.Close(ctx)
	switch caps, err := upstream.Capabilities(ctx); {
	case err != nil:
		r.say("warn", subject, "the agent does not say what it can do: %v", err)
	case caps == nil:
		r.say("ok", subject, "the agent does not say what it can do, which it need not")
	default:
		r.say("ok", subject, "the agent says what it can do: %s", summary(caps))
	}
}

// summary names what capabilities tell of.
func summary(caps *protocol.AgentCapabilities) string {
	var members map[string]json.RawMessage
	text, err := json.Marshal(caps)
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	if err != nil || len(members) == 0 {
		return "nothing"
	}
	list := strings.Join(slices.Sorted(maps.Keys(members)), ", ")
	if caps.Identity != nil && caps.Identity.Name != "" {
		return fmt.Sprintf("%s, of %.100q", list, caps.Identity.Name)
	}
	return list
}
