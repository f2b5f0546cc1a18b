package gateway

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// recorded is a stream of a real package, and what it answered.
type recorded struct {
	stream string
	in     *protocol.RunAgentInput
}

func readRecorded(t *testing.T, folder, scenario string) (recorded, bool) {
	t.Helper()
	at := filepath.Join("testdata", folder, scenario)
	stream, err := os.ReadFile(at + ".sse")
	if os.IsNotExist(err) {
		return recorded{}, false
	}
	request, bad := os.ReadFile(at + ".request.json")
	if err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	in, err := protocol.DecodeInput(request)
	if err != nil {
		t.Fatal(err)
	}
	return recorded{string(stream), in}, true
}

// plays is the stream with the ids that the gateway has sent in place of the recorded ones.
func (r recorded) plays() turn {
	return func(w http.ResponseWriter, _ *http.Request, in *protocol.RunAgentInput) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, strings.NewReplacer(r.in.ThreadID, in.ThreadID, r.in.RunID, in.RunID).Replace(r.stream))
	}
}

// What real packages send is one well-formed run, its interrupts are told, and an answer
// goes back as the package wants it.
func TestRecordedAgents(t *testing.T) {
	// By scenario, or of all that is not said apart.
	repairs := map[string]map[string]string{
		"plain":             {"": "ids"},
		"tanstack":          {"": "ids message_id run_started_late", "slow": "ids", "fail": "ids"},
		"mastra":            {"": "custom_interrupt interrupt_message", "slow": "", "fail": ""},
		"langgraph":         {"": "custom_interrupt ids", "slow": "ids", "fail": "after_end left_open"},
		"langgraph-outcome": {"": "custom_interrupt ids", "slow": "ids", "fail": "after_end left_open"},
	}
	docs, err := os.ReadFile("../docs/frameworks.md")
	if err != nil {
		t.Fatal(err)
	}
	for folder, of := range repairs {
		kinds := strings.Fields(strings.Join(slices.Collect(maps.Values(of)), " "))
		slices.Sort(kinds)
		_, row, _ := strings.Cut(regexp.MustCompile("\n\\| [^|\n]*`"+folder+"`[^|\n]* \\| `[a-z_]+`.*").FindString(string(docs)), " | ")
		var told []string
		for _, kind := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row, -1) {
			told = append(told, kind[1])
		}
		slices.Sort(told)
		if kinds = slices.Compact(kinds); !slices.Equal(told, kinds) {
			t.Errorf("docs/frameworks.md says that %s needs %v, and it needs %v", folder, told, kinds)
		}
	}
	type peer struct {
		folder  string
		dialect Dialect
	}
	var peers []peer
	for folder, dialect := range map[string]Dialect{"plain": DialectPlain, "tanstack": DialectTanStack, "mastra": DialectMastra, "langgraph": DialectLangGraph, "langgraph-outcome": DialectLangGraph} {
		peers = append(peers, peer{folder, dialect}, peer{folder, DialectAuto})
	}
	for _, p := range peers {
		folder, dialect := p.folder, p.dialect
		for scenario, test := range map[string]struct {
			asks    string // the stream that asks, "" for one that does not
			answers []string
			then    []string // the streams that answer
			says    string   // part of what is held at the end
		}{
			"slow":    {says: "5"},
			"fail":    {},
			"approve": {asks: "approve-1-asks", answers: []string{`{"approved":true}`}, then: []string{"approve-2-answered"}, says: "Sent to approve."},
			"decline": {asks: "decline-1-asks", answers: []string{`{"approved":false}`}, then: []string{"decline-2-answered"}},
			"cancel":  {asks: "cancel-1-asks", answers: []string{""}, then: []string{"cancel-2-answered"}},
			"both":    {asks: "both-1-asks", answers: []string{`{"approved":true}`, `{"approved":false}`}, then: []string{"both-2-answered", "both-3-answered"}},
		} {
			t.Run(folder+"/"+scenario+"/"+string(dialect), func(t *testing.T) {
				first := test.asks
				if first == "" {
					first = scenario
				}
				if folder == "langgraph-outcome" && scenario == "both" {
					first, test.then = "both-by-command-1-asks", []string{"both-by-command-2-answered"}
				}
				stream, ok := readRecorded(t, folder, first)
				if !ok {
					t.Skip("it has none")
				}
				before := stream
				l := newLab(t, &Options{Dialect: dialect}, stream.plays())
				begun := &protocol.RunAgentInput{Messages: stream.in.Messages}
				l.submit(begun)
				end := l.untilEnd()
				switch {
				case scenario == "fail":
					if e, ok := end[len(end)-1].(*protocol.RunError); !ok || strings.HasPrefix(e.Code, "upstream_") || strings.HasPrefix(e.Code, "agent_protocol") {
						t.Errorf("%s", show(end))
					}
				case test.asks == "":
					succeeded(t, end)
				}
				var sent, wanted []string
				for n, next := 0, test.answers; len(next) > 0; n++ {
					answer, ok := readRecorded(t, folder, test.then[min(n, len(test.then)-1)])
					if !ok {
						t.Fatal("no answer is recorded")
					}
					open := interrupted(t, end)
					var entries []protocol.ResumeEntry
					for k, i := range open {
						if next[k] == "" {
							entries = append(entries, cancelled(i.ID))
						} else {
							entries = append(entries, resolved(i.ID, next[k]))
						}
					}
					next = next[len(open):]
					l.peer.next(answer.plays())
					end = l.answer(entries...)
					now := l.peer.runs()
					ids := strings.NewReplacer(now[n].in.RunID, before.in.RunID)
					sent = append(sent, ids.Replace(saidIn(t, now[n+1].in)))
					wanted = append(wanted, saidIn(t, answer.in))
					before = answer
				}
				want, ok := repairs[folder][scenario]
				if !ok {
					want = repairs[folder][""]
				}
				if got := strings.Join(l.repairs(), " "); got != want {
					t.Errorf("repaired %q", got)
				}
				if holds := abridged(l.fold().Messages()); !strings.Contains(holds, test.says) {
					t.Errorf("holds %s", holds)
				}
				if test.asks != "" && strings.Join(sent, " ") != strings.Join(wanted, " ") {
					t.Errorf("sent %s\nnot  %s", sent, wanted)
				}
				if test.asks != "" {
					succeeded(t, end)
				}
				l.wellFormed()
			})
		}
	}
}

// saidIn is how an input answers.
func saidIn(t *testing.T, in *protocol.RunAgentInput) string {
	t.Helper()
	if in.Resume != nil {
		return asJSON(t, in.Resume)
	}
	var props struct {
		Command struct{ Resume json.RawMessage }
	}
	if err := json.Unmarshal(in.ForwardedProps, &props); err != nil {
		t.Fatal(err)
	}
	return compacted(t, props.Command.Resume)
}

// compacted is JSON with the members of objects in their order.
func compacted(t *testing.T, text []byte) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return asJSON(t, value)
}
