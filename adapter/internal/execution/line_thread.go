package execution

import (
	"encoding/json"

	"github.com/aguiws/aguiws/protocol"
)

func (l *line) State() json.RawMessage {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	return l.x.fold.State()
}

func (l *line) Messages() protocol.Messages {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	return l.x.fold.Messages()
}

func (l *line) Message(id string) (protocol.Message, bool) {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	return l.x.fold.Message(id)
}

func (l *line) Role(id string) (protocol.Role, bool) {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	return l.x.fold.Role(id)
}

func (l *line) ToolCall(id string) (protocol.ToolCall, bool) {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	return l.x.fold.Call(id)
}

func (l *line) Answered(call string) bool {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	_, answered := l.x.fold.Answer(call)
	return answered
}
