package judge

import (
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// placed is the input with the ids of the thread for the messages that came without one and
// that the thread holds, or its queue. Clients that have no ids repeat their history in
// each turn, or send what is new alone. An input is history up to its last answer. Messages
// of users behind that are new, unless they follow there in the thread as well.
//
// History is found where most of its end stands in the thread, the later of two such places;
// what of it is elsewhere is found by what it says. Tool messages are found by their calls,
// instructions and reasoning by what they say. A message that is not found is new.
func placed(input *protocol.RunAgentInput, held *fold.Fold, queue []store.QueuedRun) *protocol.RunAgentInput {
	s, open := spelled(input.Messages, held)
	if s == nil {
		return input
	}
	p := placing{sent: s, open: open, queue: saidInQueue(queue)}
	p.read(held)
	p.loosely()
	p.turns()
	again := *input
	again.Messages = p.sent
	return &again
}

// said is what a message says; of one that is named by its id, which.
type said struct {
	id          string
	role        protocol.Role
	text, parts string
}

func saidBy(m protocol.Message) said {
	s := said{role: m.Role, text: m.Content.String()}
	parts, _ := m.Content.Parts()
	for _, part := range parts {
		if part.Type != protocol.PartText {
			text, _ := m.Content.MarshalJSON()
			return said{role: m.Role, parts: string(text)}
		}
	}
	return s
}

// saidInQueue is what the messages that wait say, of those that came without an id.
func saidInQueue(queue []store.QueuedRun) (ids []string) {
	for _, q := range queue {
		record, err := stored.Record(&store.RunState{Record: q.Record})
		if err != nil {
			continue
		}
		for _, id := range record.Messages {
			if _, ok := saidPart(id); ok {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// placing finds the messages without an id in a thread.
type placing struct {
	sent  protocol.Messages
	open  map[string]bool // ids of those to find
	keys  []said          // of sent; an id where it has one, or was found
	named map[string]bool
	queue []string

	held  []said // users and answers that say something, in order
	ids   []string
	taken []bool
	loose map[said][]string // ids of the rest
}

// read reads what is compared.
func (p *placing) read(held *fold.Fold) {
	p.named, p.loose = map[string]bool{}, map[said][]string{}
	p.keys = make([]said, len(p.sent))
	for i, m := range p.sent {
		if p.open[m.ID] {
			p.keys[i] = saidBy(m)
			if len(m.ToolCalls) > 0 || m.Role == protocol.RoleTool {
				p.keys[i] = said{id: m.ID} // a call, or a result, that is new
			}
			continue
		}
		p.keys[i], p.named[m.ID] = said{id: m.ID}, true
	}
	for m := range held.All() {
		key := saidBy(m)
		if p.named[m.ID] {
			key = said{id: m.ID}
		}
		switch {
		case m.Role == protocol.RoleUser, m.Role == protocol.RoleAssistant && (p.named[m.ID] || !isEmpty(m.Content)):
			key.role = m.Role
			p.held, p.ids = append(p.held, key), append(p.ids, m.ID)
		case key.id == "":
			p.loose[key] = append(p.loose[key], m.ID)
		}
	}
	p.taken = make([]bool, len(p.held))
	for i, m := range p.sent {
		if p.keys[i].id != "" {
			p.keys[i].role = m.Role
		}
	}
}

// loosely finds instructions and reasoning, which stand wherever.
func (p *placing) loosely() {
	for i, m := range p.sent {
		if key := p.keys[i]; key.id == "" && m.Role != protocol.RoleUser && m.Role != protocol.RoleAssistant {
			if ids := p.loose[key]; len(ids) > 0 {
				p.sent[i].ID, p.loose[key] = ids[0], ids[1:]
			}
		}
	}
}

// turns finds what users and the agent have said to each other.
func (p *placing) turns() {
	var order []int // of sent
	answers := 0    // what of it is history
	for i, m := range p.sent {
		if m.Role == protocol.RoleUser || m.Role == protocol.RoleAssistant {
			order = append(order, i)
			if m.Role == protocol.RoleAssistant {
				answers = len(order)
			}
		}
	}
	past, new := order[:answers], order[answers:]
	end := p.endOf(past)
	if end > 0 {
		left := p.backward(past, end)
		p.anywhere(left)
	} else {
		p.anywhere(past)
	}
	p.follows(new, end)
}

// endOf is where most of the end of what was sent stands in the thread, the later of two
// places; 0: nowhere.
func (p *placing) endOf(past []int) int {
	n := len(p.held)
	if len(past) == 0 || n == 0 {
		return 0
	}
	texts := make([]said, 0, len(past)+1+n)
	for i := len(past) - 1; i >= 0; i-- {
		texts = append(texts, p.keys[past[i]])
	}
	texts = append(texts, between)
	for i := n - 1; i >= 0; i-- {
		texts = append(texts, p.held[i])
	}
	end, most := 0, 0
	for i, run := range prefixes(texts)[len(past)+1:] {
		if run > most {
			end, most = n-i, run
		}
	}
	if most > 0 {
		return end
	}
	for i := n - 1; i >= 0; i-- {
		if p.held[i].role != protocol.RoleAssistant {
			continue
		}
		if isBeginning(p.keys[past[len(past)-1]], p.held[i]) {
			return i + 1
		}
		return 0
	}
	return 0
}

// backward finds what was sent before an end step by step, and returns what is left. An
// answer that its client has only the beginning of is found as well.
func (p *placing) backward(past []int, end int) (left []int) {
	at := len(past) - 1
	for c := end - 1; at >= 0 && c >= 0; at, c = at-1, c-1 {
		if key := p.keys[past[at]]; key != p.held[c] && !isBeginning(key, p.held[c]) {
			break
		}
		p.find(past[at], c)
	}
	return past[:at+1]
}

// anywhere finds what was sent by what it says, the last first.
func (p *placing) anywhere(past []int) {
	if len(past) == 0 {
		return
	}
	places := map[said][]int{}
	for c, key := range p.held {
		if !p.taken[c] && key.id == "" {
			places[key] = append(places[key], c)
		}
	}
	for i := len(past) - 1; i >= 0; i-- {
		key := p.keys[past[i]]
		if at := places[key]; key.id == "" && len(at) > 0 {
			p.find(past[i], at[len(at)-1])
			places[key] = at[:len(at)-1]
		}
	}
}

// follows finds what users have said last: behind the history if that was found, else at the
// thread's end as far as nobody has answered it, and then in the queue.
func (p *placing) follows(new []int, end int) {
	var users []int // of held, those that may have been sent
	for c := len(p.held) - 1; c >= end; c-- {
		if p.held[c].role == protocol.RoleUser {
			users = append(users, c)
		} else if end == 0 {
			break
		}
	}
	for i, k := 0, len(users)-1; i < k; i, k = i+1, k-1 {
		users[i], users[k] = users[k], users[i]
	}
	if end == 0 {
		users = users[p.overlap(users, new):]
	}
	at := 0
	for at < len(new) && at < len(users) && p.keys[new[at]] == p.held[users[at]] {
		p.find(new[at], users[at])
		at++
	}
	for q := 0; at < len(new) && q < len(p.queue); q++ {
		waits, _ := saidPart(p.queue[q])
		if m := &p.sent[new[at]]; p.keys[new[at]].id == "" && waits == saidDigest(*m) {
			m.ID = p.queue[q]
			at++
		}
	}
}

// overlap is how many of users stand before those that new begins with, to the last one.
func (p *placing) overlap(users, new []int) int {
	texts := make([]said, 0, len(users)+1+len(new))
	for _, i := range new {
		texts = append(texts, p.keys[i])
	}
	texts = append(texts, between)
	for _, c := range users {
		texts = append(texts, p.held[c])
	}
	for i, run := range prefixes(texts)[len(new)+1:] {
		if run == len(users)-i {
			return i
		}
	}
	return len(users)
}

// find notes that what was sent at i is what the thread holds at c.
func (p *placing) find(i, c int) {
	p.taken[c] = true
	p.sent[i].ID = p.ids[c]
}

// isBeginning reports whether an answer was sent that is the beginning of the one held.
func isBeginning(sent, held said) bool {
	return sent.id == "" && held.id == "" && sent.role == protocol.RoleAssistant && held.role == sent.role &&
		sent.text != "" && sent.parts == "" && held.parts == "" && begins(sent.text, held.text)
}
