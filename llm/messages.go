package llm

import (
	"encoding/json"
	"strings"

	"github.com/aguiws/aguiws/llm/chat"
	"github.com/aguiws/aguiws/protocol"
)

// params are the messages as chat completions have them: each call is followed by its
// result, whatever came in between, and by a word of its absence if it has none. Messages
// that a model is not told are left out: reasoning, activities, results without a call.
func (k *aside) params(messages protocol.Messages, o *Options) []chat.Message {
	results := map[string]*protocol.Message{}
	for i := range messages {
		if m := &messages[i]; m.Role == protocol.RoleTool {
			results[m.ToolCallID] = m
		}
	}
	var list []chat.Message
	for i := range messages {
		switch m := &messages[i]; m.Role {
		case protocol.RoleSystem, protocol.RoleDeveloper:
			list = append(list, chat.Message{Role: "system", Content: m.Content.String()})
		case protocol.RoleUser:
			list = append(list, userMessage(m.Content, o))
		case protocol.RoleAssistant:
			if text := m.Content.String(); text != "" || len(m.ToolCalls) > 0 {
				list = append(list, assistantMessage(text, m.ToolCalls))
			}
			for _, t := range m.ToolCalls {
				list = append(list, chat.Message{Role: "tool", Content: k.resultOf(t.ID, results[t.ID]), ToolCallID: t.ID})
			}
		}
	}
	return list
}

func (k *aside) resultOf(call string, m *protocol.Message) string {
	if m == nil {
		why := k.without[call]
		if why == "" {
			why = "there is no result: it was cancelled, or has not come yet"
		}
		return notExecuted(why)
	}
	text := m.Content.String()
	if m.Error != "" {
		text += "\n" + m.Error
	}
	if args, ok := k.edited[call]; ok {
		text += "\n(A human changed the arguments to " + args + ")"
	}
	return text
}

func assistantMessage(text string, calls []protocol.ToolCall) chat.Message {
	m := chat.Message{Role: "assistant"}
	if text != "" {
		m.Content = text
	}
	for _, c := range calls {
		args := c.Function.Arguments
		if !json.Valid([]byte(args)) {
			args = "{}" // endpoints read them, and refuse what they cannot
		}
		m.ToolCalls = append(m.ToolCalls, chat.Call{ID: c.ID, Type: "function", Function: chat.Function{Name: c.Function.Name, Arguments: args}})
	}
	return m
}

func userMessage(content *protocol.Content, o *Options) chat.Message {
	parts, ok := content.Parts()
	if !ok {
		return chat.Message{Role: "user", Content: content.String()}
	}
	list := make([]chat.Part, 0, len(parts))
	for _, p := range parts {
		list = append(list, partOf(p, o))
	}
	if len(list) == 0 {
		return chat.Message{Role: "user", Content: ""}
	}
	return chat.Message{Role: "user", Content: list}
}

// partOf is a part where the API has its like and the endpoint would not have to fetch
// it, unless o lets it; else a word that there was one.
func partOf(p protocol.Part, o *Options) chat.Part {
	s := p.Source
	switch {
	case p.Type == protocol.PartText:
		return chat.Text(p.Text)
	case s == nil:
	case p.Type == protocol.PartImage && s.Type == protocol.SourceURL && (o.ImageURLs || strings.HasPrefix(s.Value, "data:")):
		return chat.Part{Type: "image_url", Image: &chat.Image{URL: s.Value}}
	case p.Type == protocol.PartImage && s.Type == protocol.SourceData:
		return chat.Part{Type: "image_url", Image: &chat.Image{URL: dataURL(s)}}
	case p.Type == protocol.PartAudio && s.Type == protocol.SourceData && audioFormat(s.MimeType) != "":
		return chat.Part{Type: "input_audio", Audio: &chat.Audio{Data: s.Value, Format: audioFormat(s.MimeType)}}
	case p.Type == protocol.PartDocument && s.Type == protocol.SourceData:
		return chat.Part{Type: "file", File: &chat.File{Data: dataURL(s), Name: fileName(p, s)}}
	case p.Type == protocol.PartDocument && s.Type == protocol.SourceFile && o.FileIDs:
		return chat.Part{Type: "file", File: &chat.File{ID: s.Value}}
	}
	return chat.Text("[" + string(p.Type) + ": this model is not shown it]")
}

func dataURL(s *protocol.Source) string { return "data:" + s.MimeType + ";base64," + s.Value }

func audioFormat(mime string) string {
	switch mime {
	case "audio/wav", "audio/x-wav", "audio/wave":
		return "wav"
	case "audio/mpeg", "audio/mp3":
		return "mp3"
	}
	return ""
}

// fileName is what the API wants beside a file's bytes.
func fileName(p protocol.Part, s *protocol.Source) string {
	var told struct {
		Filename string `json:"filename"`
	}
	if json.Unmarshal(p.Metadata, &told) == nil && told.Filename != "" {
		return told.Filename
	}
	_, kind, _ := strings.Cut(s.MimeType, "/")
	if kind == "" || strings.ContainsAny(kind, "./\\") {
		kind = "bin"
	}
	return "document." + kind
}
