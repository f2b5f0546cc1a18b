package protocol

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol/internal/wire"
	"github.com/aguiws/aguiws/protocol/problem"
)

// partBinary is the one medium of releases before 1.0: a mimeType with an id, a url
// or data, and perhaps a filename. It is read as an image, audio, video or document part,
// by its mimeType. Its source is the data, or else the url, or else the id. Its metadata
// have the filename and, under binaryKey, {"binary":{…}} with what has no place of its own.
// By that a peer before 1.0 is told the part as it came.
const partBinary PartType = "binary"

const (
	binaryKey   = "aguiws"
	filenameKey = "filename"
)

// binaryRest is what of a binary part has no place of its own in a medium.
type binaryRest struct {
	URL string `json:"url,omitzero"` // of one that has data as well
}

// upgradeBinary replaces the binary parts of the messages.
func (in *RunAgentInput) upgradeBinary() error {
	var problems problem.List
	for i := range in.Messages {
		c := in.Messages[i].Content
		if parts, ok := c.Parts(); ok && hasBinary(parts) {
			in.Messages[i].Content = PartsOf(upgradeParts(parts, fmt.Sprintf("/messages/%d/content", i), &problems)...)
		}
	}
	if list := problems.Problems(); list != nil {
		return &problem.Error{Problems: list}
	}
	return nil
}

func hasBinary(parts []Part) bool {
	for _, p := range parts {
		if p.Type == partBinary {
			return true
		}
	}
	return false
}

// likeness is what makes two media the same.
type likeness struct {
	kind            PartType
	source          SourceType
	value, mimeType string
	filename        string
}

func likenessOf(p Part) likeness {
	return likeness{p.Type, p.Source.Type, p.Source.Value, p.Source.MimeType, filenameOf(p.Metadata)}
}

// upgradeParts returns the parts with media in the place of binary ones. A client
// that speaks to peers of both kinds says a medium in both forms: then the binary
// one goes.
func upgradeParts(parts []Part, path string, problems *problem.List) []Part {
	said := map[likeness]bool{}
	for _, p := range parts {
		if p.Source == nil {
			continue
		}
		m := likenessOf(p)
		said[m] = true
		m.filename = "" // the same, without its name
		said[m] = true
	}
	out := make([]Part, 0, len(parts))
	for i, p := range parts {
		if p.Type != partBinary {
			out = append(out, p)
			continue
		}
		upgraded, whole, bad := upgradePart(p)
		if bad != nil {
			bad.Pointer = fmt.Sprintf("%s/%d%s", path, i, bad.Pointer)
			problems.Add(*bad)
			continue
		}
		if !whole || !said[likenessOf(upgraded)] {
			out = append(out, upgraded)
		}
	}
	return out
}

// upgradePart makes a medium of a binary part. Whole: its likeness is all that it
// says. A problem's pointer is into the part.
func upgradePart(p Part) (up Part, whole bool, bad *problem.Problem) {
	text := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(p.Extra)) {
		raw := p.Extra[name]
		switch name {
		case "mimeType", "url", "data", filenameKey:
			if string(raw) == "null" {
				continue
			}
			if raw[0] != '"' {
				return p, false, &problem.Problem{Pointer: "/" + name, Message: "expected a string"}
			}
			text[name] = wire.Unquote(raw)
		case "text", "source", "metadata": // no binary part had one, and a medium has its own
		default: // nothing that any version knows: it is told of with others of its kind
			if up.Extra == nil {
				up.Extra = map[string]json.RawMessage{}
			}
			up.Extra[name] = raw
		}
	}
	mimeType, there := text["mimeType"]
	if !there {
		return p, false, &problem.Problem{Message: `the member "mimeType" is required`}
	}
	up.Type, up.ID, up.Source = mediumFor(mimeType), p.ID, &Source{MimeType: mimeType}
	var rest binaryRest
	switch {
	case text["data"] != "":
		up.Source.Type, up.Source.Value, rest.URL = SourceData, text["data"], text["url"]
	case text["url"] != "":
		up.Source.Type, up.Source.Value = SourceURL, text["url"]
	case p.ID != "":
		up.Source.Type, up.Source.Value, up.ID = SourceFile, p.ID, ""
	default:
		return p, false, &problem.Problem{Message: "expected an id, a url or data"}
	}
	metadata := map[string]any{binaryKey: map[string]any{string(partBinary): rest}}
	if text[filenameKey] != "" {
		metadata[filenameKey] = text[filenameKey]
	}
	encoded, err := json.Marshal(metadata)
	if err != nil {
		return p, false, &problem.Problem{Message: err.Error()}
	}
	up.Metadata = encoded
	return up, up.ID == "" && rest.URL == "", nil
}

// mediumFor is the medium that a mimeType is of.
func mediumFor(mimeType string) PartType {
	family, _, _ := strings.Cut(strings.ToLower(mimeType), "/")
	switch medium := PartType(family); medium {
	case PartImage, PartAudio, PartVideo:
		return medium
	}
	return PartDocument
}

// cameAsBinary reads the mark of upgradePart. A peer that sends it with a medium of its own
// has that told to older peers as a binary part.
func cameAsBinary(metadata Any) (rest binaryRest, ok bool) {
	var m struct {
		Own struct {
			Binary *binaryRest `json:"binary"`
		} `json:"aguiws"`
	}
	if len(metadata) == 0 || json.Unmarshal(metadata, &m) != nil || m.Own.Binary == nil {
		return rest, false
	}
	return *m.Own.Binary, true
}

func filenameOf(metadata Any) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(metadata, &m) != nil || len(m[filenameKey]) == 0 || m[filenameKey][0] != '"' {
		return "" // metadata may be anything
	}
	return wire.Unquote(m[filenameKey])
}

// Binary returns the binary part of releases before 1.0 as which p came; not ok: it came as
// it is.
func (p Part) Binary() (binary Part, ok bool) {
	rest, marked := cameAsBinary(p.Metadata)
	if !marked || p.Source == nil {
		return p, false
	}
	text := map[string]string{"mimeType": p.Source.MimeType, filenameKey: filenameOf(p.Metadata), "url": rest.URL}
	binary = Part{Type: partBinary, ID: p.ID, Extra: maps.Clone(p.Extra)}
	if binary.Extra == nil {
		binary.Extra = map[string]json.RawMessage{}
	}
	switch p.Source.Type {
	case SourceData:
		text["data"] = p.Source.Value
	case SourceURL:
		text["url"] = p.Source.Value
	case SourceFile:
		binary.ID = p.Source.Value
	default:
		return p, false
	}
	for name, value := range text {
		if value == "" && name != "mimeType" {
			continue
		}
		binary.Extra[name] = wire.AppendString(nil, value)
	}
	return binary, true
}
