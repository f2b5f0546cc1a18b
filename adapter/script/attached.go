package script

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// kinds are what media are called.
var kinds = map[protocol.PartType]string{
	protocol.PartImage: "a picture", protocol.PartAudio: "a recording", protocol.PartVideo: "a video", protocol.PartDocument: "a file",
}

// attached says what media came with a message; empty: none.
func attached(said *protocol.Content) string {
	parts, _ := said.Parts()
	var came []string
	for _, p := range parts {
		if p.Source != nil {
			came = append(came, describe(p))
		}
	}
	if len(came) == 0 {
		return ""
	}
	return "I have got " + strings.Join(came, "; and ") + "."
}

// describe says what one medium is, as far as it can be told from the part alone.
func describe(p protocol.Part) string {
	facts := []string{kinds[p.Type]}
	if facts[0] == "" {
		facts[0] = string(p.Type)
	}
	var told struct{ Filename string }
	if json.Unmarshal(p.Metadata, &told) == nil && told.Filename != "" {
		facts[0] += " named " + told.Filename
	}
	if p.Source.MimeType != "" {
		facts = append(facts, "of type "+p.Source.MimeType)
	}
	if p.Source.Type != protocol.SourceData {
		return strings.Join(append(facts, "by reference"), ", ")
	}
	data, err := base64.StdEncoding.DecodeString(p.Source.Value)
	if err != nil {
		return strings.Join(append(facts, "which is not base64"), ", ")
	}
	return strings.Join(append(facts, fmt.Sprintf("%d bytes", len(data))), ", ")
}
