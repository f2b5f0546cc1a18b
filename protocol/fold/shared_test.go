package fold

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// TestFoldIsThePlainOne applies events at random to folds that are cloned at random,
// and holds each to a fold that shares nothing.
func TestFoldIsThePlainOne(t *testing.T) {
	for _, sizes := range []struct {
		name  string
		gap   Place
		step  Place
		chunk int
	}{{"as it is", placeGap, placeStep, chunkSize}, {"small chunks", placeGap, placeStep, 3}, {"no room", 4, 2, 5}} {
		t.Run(sizes.name, func(t *testing.T) {
			defer func(gap, step Place, chunk int) { placeGap, placeStep, chunkSize = gap, step, chunk }(placeGap, placeStep, chunkSize)
			placeGap, placeStep, chunkSize = sizes.gap, sizes.step, sizes.chunk
			for seed := range uint64(60) {
				foldAtRandom(t, rand.New(rand.NewPCG(seed, 1)), 120)
			}
		})
	}
}

// twins are a fold and the plain one.
type twins struct {
	shared *Fold
	plain  *plainFold
}

// kept is a clone, and what it held when it was made.
type kept struct {
	fold *Fold
	held protocol.Messages
	text string
}

func foldAtRandom(t *testing.T, r *rand.Rand, steps int) {
	t.Helper()
	var held protocol.Messages
	for i := range r.IntN(9) {
		held = append(held, randomMessage(r, fmt.Sprint("m", i)))
	}
	pool := []*twins{{New(held, nil), &plainFold{log: newPlainMessages(held)}}}
	var all []kept
	var told []string
	for range steps {
		p := pool[r.IntN(len(pool))]
		if r.IntN(8) == 0 {
			c := &twins{p.shared.Clone(), p.plain.clone()}
			if len(pool) < 4 {
				pool = append(pool, c)
			} else {
				pool[r.IntN(len(pool))] = c
			}
			early := c.shared.Clone()
			all = append(all, kept{early, early.Messages(), jsonOf(t, early.Messages())})
			told = append(told, "clone")
		}
		e := randomEvent(r)
		text, _ := json.Marshal(e)
		told = append(told, string(text))
		warning := p.shared.Apply(e)
		if plain := p.plain.Apply(e); (warning == nil) != (len(plain) == 0 || !slices.ContainsFunc(plain, func(err error) bool { return err != nil })) {
			t.Fatalf("%s\nwarns of %v, the plain one of %v", strings.Join(told, "\n"), warning, plain)
		}
		if r.IntN(3) == 0 {
			sameFolds(t, p, told)
		}
		if len(all) > 0 && r.IntN(6) == 0 {
			changesLead(t, all[r.IntN(len(all))].fold, p.shared, told)
		}
	}
	for _, p := range pool {
		sameFolds(t, p, told)
	}
	for _, k := range all {
		if now := jsonOf(t, k.fold.Messages()); now != k.text {
			t.Fatalf("%s\nchanged a clone from\n%s\nto\n%s", strings.Join(told, "\n"), k.text, now)
		}
		if now := jsonOf(t, k.held); now != k.text {
			t.Fatalf("%s\nchanged messages that were handed out from\n%s\nto\n%s", strings.Join(told, "\n"), k.text, now)
		}
	}
}

func jsonOf(t *testing.T, messages protocol.Messages) string {
	t.Helper()
	text, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func sameFolds(t *testing.T, p *twins, told []string) {
	t.Helper()
	want := p.plain.log.messages()
	fail := func(what string, got, want any) {
		t.Helper()
		t.Fatalf("%s\n%s:\n%v\nexpected\n%v", strings.Join(told, "\n"), what, got, want)
	}
	if got, want := jsonOf(t, slices.Collect(p.shared.All())), jsonOf(t, want); got != want {
		fail("messages", got, want)
	}
	if got, want := jsonOf(t, p.shared.Messages()), jsonOf(t, want); got != want {
		fail("messages as a slice", got, want)
	}
	back := slices.Collect(p.shared.Backward())
	slices.Reverse(back)
	if got, want := jsonOf(t, back), jsonOf(t, want); got != want {
		fail("messages backward", got, want)
	}
	if p.shared.Len() != len(want) {
		fail("length", p.shared.Len(), len(want))
	}
	weight := p.shared.Len()*messageWeight + len(p.shared.State())
	for i := range want {
		weight += want[i].Weight()
	}
	if p.shared.Weight() != weight {
		fail("weight", p.shared.Weight(), weight)
	}
	first, calls, answers := map[string]int{}, map[string]int{}, map[string]int{}
	for i, m := range want {
		if _, ok := first[m.ID]; !ok {
			first[m.ID] = i
		}
		for _, c := range m.ToolCalls {
			if _, ok := calls[c.ID]; !ok {
				calls[c.ID] = i
			}
		}
		if m.Role == protocol.RoleTool {
			answers[m.ToolCallID] = i
		}
	}
	for i := range 14 {
		for _, id := range []string{fmt.Sprint("m", i), fmt.Sprint("c", i)} {
			at, there := first[id]
			if role, ok := p.shared.Role(id); ok != there || ok && role != want[at].Role {
				fail("role of "+id, role, there)
			}
			m, ok := p.shared.Message(id)
			if ok != there || p.shared.Has(id) != there || ok && !sameMessage(&m, &want[at]) {
				fail("message "+id, m, there)
			}
			if place, ok := p.shared.Place(id); ok && (p.shared.Rank(place) != at || jsonOf(t, slices.Collect(p.shared.From(place))) != jsonOf(t, want[at:])) {
				fail("rank of "+id, p.shared.Rank(place), at)
			}
			at, there = calls[id]
			if m, ok = p.shared.Caller(id); ok != there || ok && !sameMessage(&m, &want[at]) {
				fail("caller of "+id, m, there)
			}
			var call *protocol.ToolCall
			if there {
				i := slices.IndexFunc(want[at].ToolCalls, func(c protocol.ToolCall) bool { return c.ID == id })
				call = &want[at].ToolCalls[i]
			}
			if c, ok := p.shared.Call(id); ok != there || ok && !reflect.DeepEqual(c, *call) {
				fail("call "+id, c, call)
			}
			at, there = answers[id]
			if m, ok = p.shared.Answer(id); ok != there || ok && !sameMessage(&m, &want[at]) {
				fail("answer to "+id, m, there)
			}
		}
	}
}

// changesLead applies what Since says to what was, and expects what is.
func changesLead(t *testing.T, was, now *Fold, told []string) {
	t.Helper()
	changes := now.Since(was)
	byID := func(f *Fold) map[string][]string {
		m := map[string][]string{}
		for held := range f.All() {
			m[held.ID] = append(m[held.ID], jsonOf(t, protocol.Messages{held}))
		}
		return m
	}
	want, got := byID(now), byID(was)
	for id, held := range want {
		if len(held) > 1 || len(got[id]) > 1 {
			return // which of them it was cannot be said
		}
	}
	left := slices.Collect(was.All())
	for _, id := range changes.Removed {
		delete(got, id)
		left = slices.DeleteFunc(left, func(m protocol.Message) bool { return m.ID == id })
	}
	for _, m := range slices.Concat(changes.Changed, changes.Added) {
		got[m.ID] = []string{jsonOf(t, protocol.Messages{m})}
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Fatalf("%s\nchanges %+v\nlead from %s\nto        %v\nand not   %v", strings.Join(told, "\n"), changes, jsonOf(t, was.Messages()), got, want)
	}
	if changes.Moved {
		return
	}
	i := 0
	for m := range now.All() {
		if left = append(left, changes.Added...); m.ID != left[i].ID {
			t.Fatalf("%s\nthe order is not %v", strings.Join(told, "\n"), changes)
		}
		i++
	}
}

func randomMessage(r *rand.Rand, id string) protocol.Message {
	m := protocol.Message{ID: id, Role: []protocol.Role{protocol.RoleUser, protocol.RoleAssistant, protocol.RoleTool, protocol.RoleReasoning, protocol.RoleActivity, protocol.RoleAssistant}[r.IntN(6)]}
	switch m.Role {
	case protocol.RoleActivity:
		m.ActivityType, m.Content = "plan", protocol.ObjectOf(json.RawMessage(`{"n":1}`))
	case protocol.RoleTool:
		m.ToolCallID, m.Content = fmt.Sprint("c", r.IntN(5)), protocol.Text("answer")
	case protocol.RoleAssistant:
		if r.IntN(2) == 0 {
			m.Content = protocol.Text(fmt.Sprint(r.IntN(5)))
		}
		for range r.IntN(3) {
			m.ToolCalls = append(m.ToolCalls, protocol.ToolCall{ID: fmt.Sprint("c", r.IntN(5)), Type: "function", Function: protocol.ToolFunction{Name: "n", Arguments: "{"}})
		}
	default:
		m.Content = protocol.Text("x")
		if r.IntN(4) == 0 && m.Role == protocol.RoleUser {
			m.Content = protocol.PartsOf()
		}
	}
	return m
}

func randomEvent(r *rand.Rand) protocol.Event {
	id, call := fmt.Sprint("m", r.IntN(12)), fmt.Sprint("c", r.IntN(5))
	var base protocol.Base
	if r.IntN(5) == 0 {
		base.Metadata = protocol.Metadata{fmt.Sprint("k", r.IntN(3)): json.RawMessage(fmt.Sprint(r.IntN(9)))}
	}
	delta, owner := fmt.Sprint(r.IntN(100)), protocol.Attributed{}
	if r.IntN(6) == 0 {
		owner.SubagentRunID = &call
	}
	switch r.IntN(22) {
	case 0, 1:
		return &protocol.TextMessageStart{Base: base, Attributed: owner, MessageID: id}
	case 2, 3, 4, 5, 6:
		return &protocol.TextMessageContent{Base: base, MessageID: id, Delta: delta}
	case 7:
		return &protocol.TextMessageEnd{Base: base, MessageID: id}
	case 8:
		return &protocol.ReasoningMessageStart{Base: base, MessageID: id, Role: protocol.RoleReasoning}
	case 9:
		return &protocol.ReasoningMessageContent{Base: base, MessageID: id, Delta: delta}
	case 10:
		e := &protocol.ToolCallStart{Base: base, Attributed: owner, ToolCallID: call, ToolCallName: "n"}
		if r.IntN(2) == 0 {
			e.ParentMessageID = &id
		}
		return e
	case 11, 12:
		return &protocol.ToolCallArgs{Base: base, ToolCallID: call, Delta: delta}
	case 13:
		return &protocol.ToolCallEnd{Base: base, ToolCallID: call}
	case 14, 15:
		return &protocol.ToolCallResult{Base: base, MessageID: id, ToolCallID: call, Content: *protocol.Text(delta)}
	case 16:
		replace := r.IntN(2) == 0
		return &protocol.ActivitySnapshot{Base: base, MessageID: id, ActivityType: "plan", Content: json.RawMessage(`{"n":1}`), Replace: &replace}
	case 17:
		return &protocol.ActivityDelta{Base: base, MessageID: id, ActivityType: "plan", Patch: json.RawMessage(`[{"op":"add","path":"/m","value":` + delta + `}]`)}
	case 18:
		return &protocol.ReasoningEncryptedValue{Subtype: []string{protocol.SubtypeMessage, protocol.SubtypeToolCall}[r.IntN(2)], EntityID: []string{id, call}[r.IntN(2)], EncryptedValue: delta}
	case 19:
		return &protocol.TextMessageChunk{Base: base, MessageID: &id, Delta: &delta}
	case 20:
		e := &protocol.RunStarted{ThreadID: "t", RunID: "r", Input: &protocol.RunAgentInput{}}
		for range r.IntN(4) {
			e.Input.Messages = append(e.Input.Messages, randomMessage(r, fmt.Sprint("m", r.IntN(12))))
		}
		return e
	}
	e := &protocol.MessagesSnapshot{Base: base}
	for i := range 10 {
		if r.IntN(3) > 0 {
			e.Messages = append(e.Messages, randomMessage(r, fmt.Sprint("m", i)))
		}
	}
	return e
}

// manyMessages is a conversation of n messages.
func manyMessages(n int) protocol.Messages {
	messages := make(protocol.Messages, n)
	for i := range messages {
		messages[i] = protocol.Message{ID: fmt.Sprint("message-", i), Role: protocol.RoleUser, Content: protocol.Text("what was said")}
	}
	return messages
}

// turn is a clone, what a short run does to it, and all that is asked about it.
func turn(f *Fold, n int) *Fold {
	c := f.Clone()
	id := fmt.Sprint("reply-", n)
	_ = c.Apply(&protocol.RunStarted{ThreadID: "t", RunID: "r", Input: &protocol.RunAgentInput{Messages: protocol.Messages{{ID: "asked-" + id, Role: protocol.RoleUser, Content: protocol.Text("x")}}}})
	_ = c.Messages()
	_ = c.Apply(&protocol.TextMessageStart{MessageID: id})
	for range 20 {
		_ = c.Apply(&protocol.TextMessageContent{MessageID: id, Delta: "some of the text"})
	}
	_ = c.Apply(&protocol.TextMessageEnd{MessageID: id})
	if changes := c.Since(f); len(changes.Added) != 2 || changes.Moved || len(changes.Changed)+len(changes.Removed) > 0 {
		panic(fmt.Sprint(changes))
	}
	return c
}

// TestFoldCostsWhatChanged holds a turn in a long conversation to little more than what
// one in a short conversation costs.
func TestFoldCostsWhatChanged(t *testing.T) {
	cost := func(n int) (allocs, bytes float64) {
		f := New(manyMessages(n), nil)
		f.Messages()
		f = turn(f, 0)
		if allocs := testing.AllocsPerRun(100, func() { f.Clone() }); allocs > 10 {
			t.Errorf("a clone of %d messages allocates %v times", n, allocs)
		}
		const turns = 200
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range turns {
			f = turn(f, i+1)
		}
		runtime.ReadMemStats(&after)
		return float64(after.Mallocs-before.Mallocs) / turns, float64(after.TotalAlloc-before.TotalAlloc) / turns
	}
	shortAllocs, shortBytes := cost(100)
	longAllocs, longBytes := cost(50_000)
	t.Logf("a turn in 100 messages: %.0f allocations, %.0f bytes; in 50,000: %.0f, %.0f", shortAllocs, shortBytes, longAllocs, longBytes)
	if longAllocs > 1.5*shortAllocs || longBytes > 2*shortBytes {
		t.Errorf("a turn in 50,000 messages: %.0f allocations of %.0f bytes; in 100: %.0f of %.0f", longAllocs, longBytes, shortAllocs, shortBytes)
	}
}

// TestFoldDeltasAllocateNothing but the room that text grows into.
func TestFoldDeltasAllocateNothing(t *testing.T) {
	f := New(nil, nil)
	delta, args := &protocol.TextMessageContent{MessageID: "m", Delta: "word"}, &protocol.ToolCallArgs{ToolCallID: "c", Delta: "word"}
	_ = f.Apply(&protocol.TextMessageStart{MessageID: "m"})
	_ = f.Apply(&protocol.ToolCallStart{ToolCallID: "c", ToolCallName: "n"})
	if n := testing.AllocsPerRun(10_000, func() { _, _ = f.Apply(delta), f.Apply(args) }); n > 0 {
		t.Errorf("two deltas allocate %v times", n)
	}
}
