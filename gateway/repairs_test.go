package gateway

import (
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// A repair leaves one well-formed run that says what the agent meant, is counted by its
// name, and logged.
func TestRepairs(t *testing.T) {
	const call = `{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"send","parentMessageId":"p"}`
	const args = `{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"to\":\"ann\"}"}`
	const bob = `{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"to\":\"bob\"}"}`
	const over = `{"type":"TOOL_CALL_END","toolCallId":"c1"}`
	const result = `{"type":"TOOL_CALL_RESULT","messageId":"r1","toolCallId":"c1","content":"ok","role":"tool"}`
	first := []string{began, call, args, over, result, done}
	paused := append(slices.Clone(first[:5]), asks(confirm))
	for name, test := range map[string]struct {
		earlier []string // a run before; if it asks, this one goes on behind the answer
		events  []string
		repairs string
		holds   string // what the messages are, abridged
	}{
		"other ids":                     {events: []string{`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, open, word, shut, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`}, repairs: RepairIDs, holds: "assistant:hi"},
		"two ids of one run":            {events: []string{began, open, word, shut, `{"type":"RUN_FINISHED","threadId":"THREAD","runId":"r"}`}, repairs: RepairIDs, holds: "assistant:hi"},
		"events before the run":         {events: []string{result, began, open, word, shut, done}, repairs: RepairRunStartedLate, holds: "tool:ok assistant:hi"},
		"no beginning":                  {events: []string{open, word, shut, done}, repairs: RepairRunStartedMissing, holds: "assistant:hi"},
		"two beginnings":                {events: []string{began, open, began, word, shut, done}, repairs: RepairRunStartedAgain, holds: "assistant:hi"},
		"left open":                     {events: []string{began, open, word, call, `{"type":"STEP_STARTED","stepName":"s"}`, done}, repairs: RepairLeftOpen, holds: "assistant:hi call:send()"},
		"left open by an interrupt":     {events: []string{began, open, word, asks(confirm)}, repairs: RepairLeftOpen, holds: "assistant:hi"},
		"opened twice":                  {events: []string{began, open, open, word, shut, done}, repairs: RepairStartAgain, holds: "assistant:hi"},
		"closed twice":                  {events: []string{began, open, word, shut, shut, done}, repairs: RepairEndAgain, holds: "assistant:hi"},
		"a step that was not begun":     {events: []string{began, `{"type":"STEP_FINISHED","stepName":"s"}`, open, word, shut, done}, repairs: RepairEndAgain, holds: "assistant:hi"},
		"a call again":                  {earlier: paused, events: []string{began, call, args, over, open, word, shut, done}, repairs: RepairCallAgain, holds: "call:send({\"to\":\"ann\"}) tool:ok assistant:hi"},
		"a call again, spaced":          {earlier: paused, events: []string{began, call, `{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{ \"to\" :"}`, `{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"\"ann\"}"}`, over, done}, repairs: RepairCallAgain, holds: "call:send({\"to\":\"ann\"}) tool:ok"},
		"a call again, without args":    {earlier: paused, events: []string{began, call, over, done}, repairs: RepairCallAgain, holds: "call:send({\"to\":\"ann\"}) tool:ok"},
		"a call again, in a chunk":      {earlier: paused, events: []string{began, `{"type":"TOOL_CALL_CHUNK","toolCallId":"c1","toolCallName":"send","delta":"{\"to\":\"ann\"}"}`, done}, repairs: RepairCallAgain, holds: "call:send({\"to\":\"ann\"}) tool:ok"},
		"a call that goes on":           {earlier: []string{began, call, `{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"to\":"}`, over, done}, events: []string{began, call, `{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"\"ann\"}"}`, over, done}, holds: "call:send({\"to\":\"ann\"})"},
		"a call again, not ended":       {earlier: paused, events: []string{began, call, args, done}, repairs: RepairCallAgain, holds: "call:send({\"to\":\"ann\"}) tool:ok"},
		"a call again, opened twice":    {earlier: paused, events: []string{began, call, call, args, over, done}, repairs: RepairCallAgain + " " + RepairStartAgain, holds: "call:send({\"to\":\"ann\"}) tool:ok"},
		"a call again, twice":           {earlier: paused, events: []string{began, call, args, over, call, args, over, done}, repairs: RepairCallAgain, holds: "call:send({\"to\":\"ann\"}) tool:ok"},
		"a call of this run again":      {events: []string{began, call, args, over, call, args, over, done}, repairs: RepairCallAgain, holds: "call:send({\"to\":\"ann\"})"},
		"a call that has changed":       {earlier: first, events: []string{began, call, bob, over, strings.ReplaceAll(result, `r1`, `r2`), done}, repairs: RepairCallChanged + " " + RepairMessageID, holds: "call:send({\"to\":\"ann\"}) tool:ok call:send({\"to\":\"bob\"}) tool:ok"},
		"one that has, not ended":       {earlier: first, events: []string{began, call, bob, open, word, shut, done}, repairs: RepairCallChanged + " " + RepairLeftOpen + " " + RepairMessageID, holds: "call:send({\"to\":\"ann\"}) tool:ok call:send({\"to\":\"bob\"}) assistant:hi"},
		"one that has, at length":       {earlier: first, events: []string{began, call, strings.Replace(bob, "bob", strings.Repeat("b", 2*spaces), 1), over, open, word, shut, done}, repairs: RepairCallChanged + " " + RepairMessageID, holds: "call:send({\"to\":\"ann\"}) tool:ok call:send({\"to\":\"" + strings.Repeat("b", 2*spaces) + "\"}) assistant:hi"},
		"one that says little":          {earlier: []string{began, call, over, done}, events: append(append([]string{began, call}, slices.Repeat([]string{strings.Replace(args, `"delta":"{\"to\":\"ann\"}"`, `"delta":""`, 1)}, 2*maxHeld)...), args, over, done), holds: "call:send({\"to\":\"ann\"})"},
		"one of another name":           {earlier: first, events: []string{began, strings.Replace(call, "send", "pay", 1), bob, over, done}, repairs: RepairCallChanged + " " + RepairMessageID, holds: "call:send({\"to\":\"ann\"}) tool:ok call:pay({\"to\":\"bob\"})"},
		"one without args that goes on": {earlier: []string{began, call, over, done}, events: []string{began, call, args, over, done}, holds: "call:send({\"to\":\"ann\"})"},
		"one of an earlier turn":        {earlier: first, events: []string{began, call, args, over, result, done}, repairs: RepairCallChanged + " " + RepairMessageID, holds: "call:send({\"to\":\"ann\"}) tool:ok call:send({\"to\":\"ann\"}) tool:ok"},
		"one of it, for the frontend":   {earlier: first, events: []string{began, call, args, over, done}, repairs: RepairCallChanged + " " + RepairMessageID, holds: "call:send({\"to\":\"ann\"}) tool:ok call:send({\"to\":\"ann\"})"},
		"a result again":                {earlier: first, events: []string{began, result, open, word, shut, done}, repairs: RepairResultAgain, holds: "call:send({\"to\":\"ann\"}) tool:ok assistant:hi"},
		"another result":                {earlier: first, events: []string{began, strings.Replace(result, `"ok"`, `"later"`, 1), done}, repairs: RepairMessageID, holds: "call:send({\"to\":\"ann\"}) tool:ok tool:later"},
		"a user's message id":           {events: []string{began, strings.ReplaceAll(open, `"a"`, `"m-go"`), strings.ReplaceAll(word, `"a"`, `"m-go"`), strings.ReplaceAll(shut, `"a"`, `"m-go"`), done}, repairs: RepairMessageID, holds: "assistant:hi"},
		"a user's id for reasoning":     {events: []string{began, `{"type":"REASONING_MESSAGE_START","messageId":"m-go","role":"reasoning"}`, `{"type":"REASONING_MESSAGE_CONTENT","messageId":"m-go","delta":"hm"}`, `{"type":"REASONING_MESSAGE_END","messageId":"m-go"}`, done}, repairs: RepairMessageID, holds: "reasoning:hm"},
		"a patch of nothing":            {events: []string{began, `{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/nothing"}]}`, open, word, shut, done}, repairs: RepairDelta, holds: "assistant:hi"},
		"null for nothing":              {events: []string{began, `{"type":"TEXT_MESSAGE_START","messageId":"a","role":"assistant","name":null,"rawEvent":null}`, word, shut, done}, repairs: RepairNull, holds: "assistant:hi"},
		"an earlier run first":          {events: []string{strings.Replace(began, `"RUN"`, `"old"`, 1), strings.ReplaceAll(open, `"a"`, `"b"`), strings.Replace(done, `"RUN"`, `"old"`, 1), began, open, word, shut, done}, repairs: RepairReplay, holds: "assistant:hi"},
		"another version's outcome":     {events: []string{began, open, word, shut, `{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN","outcome":{"type":"paused","until":"monday"}}`}, repairs: RepairOutcome, holds: "assistant:hi"},
		"a beginning without ids":       {events: []string{`{"type":"RUN_STARTED"}`, open, word, shut, `{"type":"RUN_FINISHED"}`}, repairs: RepairIDs, holds: "assistant:hi"},
		"one with null":                 {events: []string{`{"type":"RUN_STARTED","threadId":null,"runId":null,"input":{"x":null}}`, open, word, shut, `{"type":"RUN_FINISHED","threadId":null,"runId":null,"result":null,"outcome":null}`}, repairs: RepairIDs, holds: "assistant:hi"},
		"null in a snapshot":            {events: []string{began, `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","content":"hi","name":null,"toolCalls":null}]}`, done}, repairs: RepairNull, holds: "assistant:hi"},
		"half a character":              {events: []string{began, open, strings.Replace(word, "hi", `h\ud83d`, 1), strings.Replace(word, "hi", `\ude00`, 1), shut, done}, repairs: RepairHalf, holds: "assistant:h😀"},
		"more behind the end":           {events: []string{began, open, word, shut, done, done, open}, repairs: RepairAfterEnd, holds: "assistant:hi"},
		"more behind an error":          {events: []string{began, open, word, `{"type":"RUN_ERROR","message":"x"}`, done}, repairs: RepairAfterEnd + " " + RepairLeftOpen, holds: "assistant:hi"},
		"without":                       {events: []string{began, open, word, shut, done}, holds: "assistant:hi"},
	} {
		t.Run(name, func(t *testing.T) {
			turns := []turn{sends(test.events...)}
			if test.earlier != nil {
				turns = append([]turn{sends(test.earlier...)}, turns...)
			}
			// However long it takes to be read: nothing here stays open behind its end.
			l := newLab(t, &Options{afterEnd: patience}, turns...)
			var asked []protocol.Interrupt
			if test.earlier != nil {
				l.say("earlier")
				asked = l.fold().Interrupts()
			}
			if asked == nil {
				l.say("go")
			} else {
				l.answer(resolved(asked[0].ID, `true`))
			}
			l.wellFormed()
			if repairs := strings.Join(l.repairs(), " "); repairs != test.repairs {
				t.Errorf("repaired %q", repairs)
			}
			if holds := abridged(l.fold().Messages()); holds != test.holds {
				t.Errorf("holds %s", holds)
			}
			for name := range strings.FieldsSeq(test.repairs) {
				if n := strings.Count(l.log.String(), "repair="+name+" "); n != 1 || !slices.Contains(Repairs, name) {
					t.Errorf("%s is logged %d times:\n%s", name, n, l.log)
				}
			}
			if s := l.up.Status(); s.Repairs == 0 != (test.repairs == "") {
				t.Errorf("%+v", s)
			}
		})
	}
}

func abridged(messages protocol.Messages) string {
	var list []string
	for _, m := range messages {
		if m.Role == protocol.RoleUser {
			continue
		}
		if m.Content != nil && m.Content.String() != "" {
			list = append(list, string(m.Role)+":"+m.Content.String())
		}
		for _, c := range m.ToolCalls {
			list = append(list, "call:"+c.Function.Name+"("+c.Function.Arguments+")")
		}
	}
	return strings.Join(list, " ")
}

// A name is of one repair. Each is provoked in TestRepairs, TestInterruptsAreMended or TestRecordedAgents.
func TestRepairsAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Repairs {
		if seen[name] {
			t.Errorf("%q twice", name)
		}
		seen[name] = true
	}
}
