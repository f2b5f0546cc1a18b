package gateway_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// script is what an agent says in the turns of a thread, made of bytes: each byte is a
// choice, and what is missing is the first one.
type script struct {
	bytes []byte
	turns []*spoken
	words int
	calls map[string]int // by the agent's id: the number of the last one of that name
	sent  map[string]int // those with which the turn began
	kept  map[string]int // calls, without those that a snapshot has left out
}

// spoken is one turn.
type spoken struct {
	events []string
	says   []said
	about  int  // the number of the call that it asks about at its end; 0: none
	whole  bool // it restates the thread by a snapshot, which may leave out what was said
}

// said is something of which it can be told what it has to be like for everybody.
type said struct {
	number int
	role   protocol.Role // "": a call
	own    string        // the agent's id
	has    string        // beside its number
}

// The ids that come again, those of users among them, and one that looks like an alias.
var doorIDs = []string{
	"a", "b", "pay:0", "", "say-0", "c", strings.Repeat("l", 1024), strings.Repeat("L", 2000),
	"a~01234567-0123-0123-0123-0123456789ab", "r",
}

// mayTell are bounds that are hit too seldom to be found, and take long.
const (
	deepState  = 130
	largeParts = 5 // of a state, of 900,000 bytes each
)

func (s *script) next(of int) int {
	if len(s.bytes) == 0 {
		return 0
	}
	n := int(s.bytes[0]) % of
	s.bytes = s.bytes[1:]
	return n
}

func (s *script) id() string { return doorIDs[s.next(len(doorIDs))] }

// word is a text that nothing else holds, by its number.
func word(n int) string { return "<" + strconv.Itoa(n) + ">" }

func (s *script) number() int { s.words++; return s.words }

const maxSpoken = 12 // items of a turn

func scriptOf(data []byte) *script {
	s := &script{bytes: data, calls: map[string]int{}}
	for range 1 + s.next(3) {
		s.sent, s.kept = maps.Clone(s.calls), maps.Clone(s.calls)
		turn := &spoken{}
		s.turns = append(s.turns, turn)
		turn.add(`{"type":"RUN_STARTED","threadId":"THREAD","runId":"RUN"}`)
		for range 1 + s.next(maxSpoken) {
			s.item(turn)
		}
		s.end(turn)
		s.calls = s.kept
	}
	return s
}

func (t *spoken) add(format string, args ...any) {
	for i, a := range args {
		if text, ok := a.(string); ok {
			quoted, _ := json.Marshal(text)
			args[i] = string(quoted)
		}
	}
	t.events = append(t.events, fmt.Sprintf(format, args...))
}

func (s *script) item(t *spoken) {
	switch s.next(13) {
	case 0:
		s.text(t)
	case 1:
		s.reasoning(t)
	case 2, 3:
		s.call(t, s.id(), false)
	case 4:
		s.call(t, s.id(), true)
	case 5:
		t.add(`{"type":"TOOL_CALL_RESULT","toolCallId":%s,"messageId":%s,"content":%s}`, s.id(), s.id(), word(s.number()))
	case 6, 7:
		s.activity(t)
	case 8:
		s.snapshot(t)
	case 9:
		s.state(t)
	case 10:
		t.add(`{"type":"REASONING_ENCRYPTED_VALUE","subtype":%s,"entityId":%s,"encryptedValue":"e"}`, []string{"message", "tool-call"}[s.next(2)], s.id())
	case 11:
		n, id := s.number(), s.id()
		t.cuts(`{"type":"TEXT_MESSAGE_CHUNK","messageId":%s,"delta":%s}`, said{number: n, role: protocol.RoleAssistant, own: id}, word(n), "")
	case 12:
		s.whole(t)
	}
}

func (s *script) activity(t *spoken) {
	id := s.id()
	t.add(`{"type":"ACTIVITY_SNAPSHOT","messageId":%s,"activityType":"plan","content":{"n":%d},"replace":%t}`, id, s.number(), s.next(2) == 0)
	if s.next(2) == 1 {
		t.add(`{"type":"ACTIVITY_DELTA","messageId":%s,"activityType":"plan","patch":[{"op":"add","path":"/d","value":%d}]}`, id, s.number())
	}
}

func (s *script) text(t *spoken) {
	n, id := s.number(), s.id()
	t.add(`{"type":"TEXT_MESSAGE_START","messageId":%s,"role":"assistant"}`, id)
	t.cuts(`{"type":"TEXT_MESSAGE_CONTENT","messageId":%s,"delta":%s}`, said{number: n, role: protocol.RoleAssistant, own: id}, word(n), "")
	if s.next(4) > 0 {
		t.add(`{"type":"TEXT_MESSAGE_END","messageId":%s}`, id)
	}
}

func (s *script) reasoning(t *spoken) {
	n, id := s.number(), s.id()
	t.add(`{"type":"REASONING_START","messageId":%s}`, id)
	t.add(`{"type":"REASONING_MESSAGE_START","messageId":%s,"role":"reasoning"}`, id)
	t.cuts(`{"type":"REASONING_MESSAGE_CONTENT","messageId":%s,"delta":%s}`, said{number: n, role: protocol.RoleReasoning, own: id}, word(n), "")
	if s.next(4) > 0 {
		t.add(`{"type":"REASONING_MESSAGE_END","messageId":%s}`, id)
		t.add(`{"type":"REASONING_END","messageId":%s}`, id)
	}
}

// call is a call with arguments that no other has, or, again, those of the last of its id.
func (s *script) call(t *spoken, id string, again bool) {
	n := s.calls[id]
	if n == 0 || !again {
		n = s.number()
	}
	s.announce(id, n)
	parent := ""
	if s.next(2) == 1 {
		text, _ := json.Marshal(s.id())
		parent = `,"parentMessageId":` + string(text)
	}
	t.add(`{"type":"TOOL_CALL_START","toolCallId":%s,"toolCallName":%s`+parent+`}`, id, "t"+strconv.Itoa(n%2))
	t.cuts(`{"type":"TOOL_CALL_ARGS","toolCallId":%s,"delta":%s}`, said{number: n, own: id}, `{"n":"`+word(n), `"}`)
	if s.next(4) > 0 {
		t.add(`{"type":"TOOL_CALL_END","toolCallId":%s}`, id)
	}
	if s.next(2) == 1 {
		t.add(`{"type":"TOOL_CALL_RESULT","toolCallId":%s,"messageId":%s,"content":%s}`, id, s.id(), word(s.number()))
	}
}

func (s *script) announce(id string, n int) { s.calls[id], s.kept[id] = n, n }

func arguments(n int) string { return `{"n":"` + word(n) + `"}` }

// whole is a call with its result, as most agents tell them.
func (s *script) whole(t *spoken) {
	id, n := s.id(), s.number()
	s.announce(id, n)
	t.says = append(t.says, said{number: n, own: id})
	t.events = append(t.events, call(id, "pay", n)...)
	t.events = append(t.events, result(id, "r"+strconv.Itoa(n), s.number())...)
}

// snapshot restates what the agent was sent, and some messages more.
func (s *script) snapshot(t *spoken) {
	t.whole = true
	s.kept = maps.Clone(s.sent)
	list := "SENT"
	for range s.next(4) {
		n, id := s.number(), s.id()
		quoted, _ := json.Marshal(id)
		switch s.next(4) {
		case 0:
			list += fmt.Sprintf(`,{"id":%s,"role":"assistant","content":"%s"}`, quoted, word(n))
		case 1:
			list += fmt.Sprintf(`,{"id":%s,"role":"reasoning","content":"%s"}`, quoted, word(n))
		case 2:
			args, _ := json.Marshal(arguments(n))
			list += fmt.Sprintf(`,{"id":%s,"role":"assistant","toolCalls":[{"id":%s,"type":"function","function":{"name":"t","arguments":%s}}]}`, quoted, quoted, args)
			s.announce(id, n)
		case 3:
			list += fmt.Sprintf(`,{"id":%s,"role":"tool","toolCallId":%s,"content":"%s"}`, quoted, quoted, word(n))
		}
	}
	t.events = append(t.events, `{"type":"MESSAGES_SNAPSHOT","messages":[`+list+`]}`)
}

func (s *script) state(t *spoken) {
	switch n := s.next(256); {
	case n == 255:
		t.add(`{"type":"STATE_SNAPSHOT","snapshot":{}}`)
		for k := range largeParts {
			t.events = append(t.events, fmt.Sprintf(`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/k%d","value":"%s"}]}`, k, strings.Repeat("x", 900_000)))
		}
	case n > 250:
		t.events = append(t.events, `{"type":"STATE_SNAPSHOT","snapshot":`+nested(deepState)+`}`)
	case n > 245:
		deep := nested(deepState / 2)
		t.events = append(t.events, `{"type":"STATE_SNAPSHOT","snapshot":`+deep+`}`,
			`{"type":"STATE_DELTA","delta":[{"op":"add","path":"`+strings.Repeat("/a", deepState/2)+`","value":`+deep+`}]}`)
	case n > 240:
		t.events = append(t.events, `{"type":"ACTIVITY_SNAPSHOT","messageId":"deep","activityType":"plan","content":`+nested(deepState)+`}`)
	default:
		t.add(`{"type":"STATE_SNAPSHOT","snapshot":{"n":%d}}`, s.number())
	}
}

func nested(depth int) string {
	return strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
}

// end ends a turn, in one of three with a question, mostly about a call.
func (s *script) end(t *spoken) {
	if s.next(3) > 0 {
		t.add(`{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN"}`)
		return
	}
	id := s.id()
	about := ""
	if s.calls[id] > 0 && id != "" { // an empty one is none
		quoted, _ := json.Marshal(id)
		about = `,"toolCallId":` + string(quoted)
		t.about = s.calls[id]
	}
	t.events = append(t.events, fmt.Sprintf(`{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN","outcome":{"type":"interrupt","interrupts":[{"id":"i%d","reason":"x:ask","message":"?"%s}]}}`, len(s.turns), about))
}

// turnOf is a turn of these events; ends: it ends with a question.
func turnOf(ends *asked, says []said, events ...[]string) *spoken {
	t := &spoken{says: says}
	t.add(`{"type":"RUN_STARTED","threadId":"THREAD","runId":"RUN"}`)
	for _, more := range events {
		t.events = append(t.events, more...)
	}
	if ends == nil {
		t.add(`{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN"}`)
		return t
	}
	t.about = ends.number
	t.add(`{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"tool_call","message":"?","toolCallId":%s}]}}`, ends.call)
	return t
}

// asked is a question about a call.
type asked struct {
	call   string
	number int
}

func asking(call string, number int) *asked { return &asked{call, number} }

func call(id, name string, n int) []string {
	t := &spoken{}
	t.add(`{"type":"TOOL_CALL_START","toolCallId":%s,"toolCallName":%s}`, id, name)
	t.add(`{"type":"TOOL_CALL_ARGS","toolCallId":%s,"delta":%s}`, id, arguments(n))
	t.add(`{"type":"TOOL_CALL_END","toolCallId":%s}`, id)
	return t.events
}

func result(call, message string, n int) []string {
	t := &spoken{}
	t.add(`{"type":"TOOL_CALL_RESULT","toolCallId":%s,"messageId":%s,"content":%s}`, call, message, word(n))
	return t.events
}

func text(id string, n int) []string {
	t := &spoken{}
	t.add(`{"type":"TEXT_MESSAGE_START","messageId":%s,"role":"assistant"}`, id)
	t.add(`{"type":"TEXT_MESSAGE_CONTENT","messageId":%s,"delta":%s}`, id, word(n))
	t.add(`{"type":"TEXT_MESSAGE_END","messageId":%s}`, id)
	return t.events
}
