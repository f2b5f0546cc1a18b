package protocol

// laidMessage reads by hand a message as most of a history are: with an id, a text and a
// role that needs nothing else, in any order. False, and nothing is read, is every other
// message, which the general reader judges. The general reader decides what is right:
// FuzzLaidMessageIsGeneral.
func (r *reader) laidMessage(m *Message) bool {
	end, id, role, content := r.cutMessage()
	if end == 0 {
		return false
	}
	*m = Message{ID: unquote(id), Role: role, Content: Text(unquote(content))}
	r.pos = end
	return true
}

// cutMessage finds the end of the message that begins here, and its members as they are
// written; 0: it has others, or not all of them, or one of them twice.
func (r *reader) cutMessage() (end int, id []byte, role Role, content []byte) {
	ahead := reader{data: r.data, pos: r.pos}
	if ahead.data[ahead.pos] != '{' {
		return 0, nil, "", nil
	}
	ahead.pos++
	for name := ahead.nextMember(); name != nil; name = ahead.nextMember() {
		if ahead.data[ahead.pos] != '"' {
			return 0, nil, "", nil
		}
		value := ahead.token()
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
	return ahead.pos + 1, id, role, content
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
