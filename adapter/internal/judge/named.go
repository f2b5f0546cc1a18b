package judge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// givenPrefix begins the ids of messages that came without one.
const givenPrefix = "unnamed-"

const (
	placeDigits = 16
	saidDigits  = 32
)

// Named gives ids to the messages of an input that have none, and leaves out those that say
// nothing besides. An id follows from the run, the place in the input and what the message
// says, so that an input that is sent again has the same. The end of the id follows from
// what the message says alone: it is known by that while it is queued.
func Named(input *protocol.RunAgentInput) *protocol.RunAgentInput {
	var messages protocol.Messages
	for i, m := range input.Messages {
		switch {
		case m.ID != "":
		case m.Role == protocol.RoleAssistant && len(m.ToolCalls) == 0 && len(m.Extra) == 0 && isEmpty(m.Content):
			if messages == nil {
				messages = append(protocol.Messages{}, input.Messages[:i]...)
			}
			continue
		default:
			if messages == nil {
				messages = append(make(protocol.Messages, 0, len(input.Messages)), input.Messages[:i]...)
			}
			m.ID = givenPrefix + digest(placeDigits, input.RunID, strconv.Itoa(i)) + "-" + saidDigest(m)
		}
		if messages != nil {
			messages = append(messages, m)
		}
	}
	if messages == nil {
		return input
	}
	named := *input
	named.Messages = messages
	return &named
}

func isEmpty(c *protocol.Content) bool {
	parts, _ := c.Parts()
	return c.String() == "" && len(parts) == 0
}

// isGiven reports whether the message has its id from Named. A message that says something
// else under an id which its sender has learnt has that id from its sender.
func isGiven(m protocol.Message) bool {
	end, ok := saidPart(m.ID)
	return ok && end == saidDigest(m)
}

// saidPart is what an id of Named has of what its message says.
func saidPart(id string) (string, bool) {
	if !strings.HasPrefix(id, givenPrefix) || len(id) != len(givenPrefix)+placeDigits+1+saidDigits {
		return "", false
	}
	return id[len(id)-saidDigits:], true
}

func saidDigest(m protocol.Message) string {
	if isText(m) {
		return digest(saidDigits, string(m.Role), "", m.Content.String())
	}
	m.ID = ""
	text, err := m.MarshalJSON()
	if err != nil {
		text = []byte(m.Content.String()) // it is judged where it is stored
	}
	return digest(saidDigits, string(m.Role), string(bytes.TrimSpace(text)))
}

// isText reports whether a message has a role and a text, as most have, and nothing else.
func isText(m protocol.Message) bool {
	return m.Content.IsText() && len(m.ToolCalls) == 0 && m.ToolCallID == "" && m.Name == "" && m.Error == "" && m.ActivityType == "" &&
		m.EncryptedValue == "" && m.EncryptedValueType == "" && m.SubagentRunID == nil && len(m.Metadata) == 0 && len(m.Extra) == 0
}

func digest(digits int, of ...string) string {
	sum := sha256.New()
	for _, each := range of {
		io.WriteString(sum, strconv.Itoa(len(each))+":"+each)
	}
	return hex.EncodeToString(sum.Sum(nil))[:digits]
}
