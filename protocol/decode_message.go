package protocol

import "github.com/aguiws/aguiws/protocol/internal/wire"

// laidMessage reads by hand a message as most of a history are: with an id, a text and a
// role that needs nothing else, in any order. False, and nothing is read, is every other
// message, which the general reader judges. The general reader decides what is right:
// FuzzLaidMessageIsGeneral.
func (r *reader) laidMessage(m *Message) bool {
	end, id, role, content := r.cutMessage()
	if end == 0 {
		return false
	}
	*m = Message{ID: wire.Unquote(id), Role: role, Content: Text(wire.Unquote(content))}
	r.Pos = end
	return true
}

// cutMessage finds the end of the message that begins here, and its members as they are
// written; 0: it has others, or not all of them, or one of them twice.
func (r *reader) cutMessage() (end int, id []byte, role Role, content []byte) {
	ahead := wire.Reader{Data: r.Data, Pos: r.Pos}
	if ahead.Data[ahead.Pos] != '{' {
		return 0, nil, "", nil
	}
	ahead.Pos++
	for name := ahead.NextMember(); name != nil; name = ahead.NextMember() {
		if ahead.Data[ahead.Pos] != '"' {
			return 0, nil, "", nil
		}
		value := ahead.Token()
		switch {
		case id == nil && string(name) == `"id"`:
			id = value
		case role == "" && string(name) == `"role"`:
			if role = textRole(value); role == "" {
				return 0, nil, "", nil
			}
		case content == nil && string(name) == `"content"`:
			content = value
		default:
			return 0, nil, "", nil
		}
	}
	if id == nil || role == "" || content == nil {
		return 0, nil, "", nil
	}
	return ahead.Pos + 1, id, role, content
}

// textRole is the role that is written here, if its messages need nothing but text.
func textRole(written []byte) Role {
	switch string(written) {
	case `"user"`:
		return RoleUser
	case `"assistant"`:
		return RoleAssistant
	case `"system"`:
		return RoleSystem
	case `"developer"`:
		return RoleDeveloper
	case `"reasoning"`:
		return RoleReasoning
	}
	return ""
}
