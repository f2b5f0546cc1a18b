package protocol

// Family is what the events of one item have in common: those that open it, go
// on with it and end it. The families are in the order in which what is open is
// opened again: a subagent before what belongs to it, a message before its
// calls.
type Family uint8

// The families.
const (
	FamilyNone      Family = iota
	FamilyRun              // by runId
	FamilySubagent         // by subagentRunId
	FamilyStep             // by name, of each owner
	FamilyText             // by messageId; whole messages are of it as well
	FamilyToolCall         // by toolCallId
	FamilySpan             // of reasoning, by messageId
	FamilyReasoning        // a message of reasoning; its span may have the same messageId
	FamilyActivity         // by messageId; never open
	Families               // how many there are, none among them
)

// Verb is what an event does to its item.
type Verb uint8

// The verbs.
const (
	Unlisted  Verb = iota // what is no event of this package
	Opens                 // also again
	Continues             // adds a delta
	Ends                  // whether well or not
	Abridges              // a chunk: opens or continues, see Expander
	Sets                  // all of an item that is never open, or a change to it
	Apart                 // is about no item of its own
)

// Effect is what an event does to which item. Its pointers point into the event. It has
// four fields of a word each, so that it is passed in registers.
type Effect struct {
	Act
	ID    *string // nil for events without, and for chunks that name none
	Owner *string // the subagent that the event is attributed to
	Delta *string // of Continues, and of a chunk that has one
}

// Act is what all events of a type do.
type Act struct {
	Family Family
	Verb   Verb
	chunks chunkEnds
}

// chunkEnds says which streams of chunks an event puts an end to.
type chunkEnds uint8

const (
	endsItsOwners chunkEnds = iota // for the end of a subagent the subagent's
	endsNone
	endsAll
)

// ItemKey names something that can be open, within a run.
type ItemKey struct {
	Family Family
	ID     string // of a step its name
	Owner  Owner  // of a step
}

// Item is the item that the event is about; false if it opens, continues and
// ends none.
func (x Effect) Item() (key ItemKey, ok bool) {
	if x.ID == nil || x.Verb != Opens && x.Verb != Continues && x.Verb != Ends {
		return ItemKey{}, false
	}
	key = ItemKey{Family: x.Family, ID: *x.ID}
	if x.Family == FamilyStep {
		key.Owner = NewOwner(x.Owner)
	}
	return key, true
}

// EffectOf is the table of the families, from which order, fold and Expander
// and whoever renames or reopens items know what an event is about. It is a
// switch, because every event goes through it several times.
func EffectOf(e Event) Effect {
	switch e := e.(type) {
	case *RunStarted:
		return Effect{Act: Act{Family: FamilyRun, Verb: Opens, chunks: endsAll}, ID: &e.RunID}
	case *RunFinished:
		return Effect{Act: Act{Family: FamilyRun, Verb: Ends, chunks: endsAll}, ID: &e.RunID}
	case *RunError:
		return Effect{Act: Act{Family: FamilyRun, Verb: Ends, chunks: endsAll}}

	case *SubagentStarted:
		return Effect{Act: Act{Family: FamilySubagent, Verb: Opens, chunks: endsNone}, ID: &e.SubagentRunID}
	case *SubagentFinished:
		return Effect{Act: Act{Family: FamilySubagent, Verb: Ends}, ID: &e.SubagentRunID}
	case *SubagentError:
		return Effect{Act: Act{Family: FamilySubagent, Verb: Ends}, ID: &e.SubagentRunID}

	case *StepStarted:
		return Effect{Act: Act{Family: FamilyStep, Verb: Opens}, ID: &e.StepName, Owner: e.SubagentRunID}
	case *StepFinished:
		return Effect{Act: Act{Family: FamilyStep, Verb: Ends}, ID: &e.StepName, Owner: e.SubagentRunID}

	case *TextMessageStart:
		return Effect{Act: Act{Family: FamilyText, Verb: Opens}, ID: &e.MessageID, Owner: e.SubagentRunID}
	case *TextMessageContent:
		return Effect{Act: Act{Family: FamilyText, Verb: Continues}, ID: &e.MessageID, Owner: e.SubagentRunID, Delta: &e.Delta}
	case *TextMessageEnd:
		return Effect{Act: Act{Family: FamilyText, Verb: Ends}, ID: &e.MessageID, Owner: e.SubagentRunID}
	case *TextMessageChunk:
		return Effect{Act: Act{Family: FamilyText, Verb: Abridges}, ID: e.MessageID, Owner: e.SubagentRunID, Delta: e.Delta}

	case *ToolCallStart:
		return Effect{Act: Act{Family: FamilyToolCall, Verb: Opens}, ID: &e.ToolCallID, Owner: e.SubagentRunID}
	case *ToolCallArgs:
		return Effect{Act: Act{Family: FamilyToolCall, Verb: Continues}, ID: &e.ToolCallID, Owner: e.SubagentRunID, Delta: &e.Delta}
	case *ToolCallEnd:
		return Effect{Act: Act{Family: FamilyToolCall, Verb: Ends}, ID: &e.ToolCallID, Owner: e.SubagentRunID}
	case *ToolCallChunk:
		return Effect{Act: Act{Family: FamilyToolCall, Verb: Abridges}, ID: e.ToolCallID, Owner: e.SubagentRunID, Delta: e.Delta}
	case *ToolCallResult: // a message of its own
		return Effect{Act: Act{Family: FamilyText, Verb: Sets}, ID: &e.MessageID, Owner: e.SubagentRunID}

	case *ReasoningStart:
		return Effect{Act: Act{Family: FamilySpan, Verb: Opens}, ID: &e.MessageID, Owner: e.SubagentRunID}
	case *ReasoningEnd:
		return Effect{Act: Act{Family: FamilySpan, Verb: Ends}, ID: &e.MessageID, Owner: e.SubagentRunID}
	case *ReasoningMessageStart:
		return Effect{Act: Act{Family: FamilyReasoning, Verb: Opens}, ID: &e.MessageID, Owner: e.SubagentRunID}
	case *ReasoningMessageContent:
		return Effect{Act: Act{Family: FamilyReasoning, Verb: Continues}, ID: &e.MessageID, Owner: e.SubagentRunID, Delta: &e.Delta}
	case *ReasoningMessageEnd:
		return Effect{Act: Act{Family: FamilyReasoning, Verb: Ends}, ID: &e.MessageID, Owner: e.SubagentRunID}
	case *ReasoningMessageChunk:
		return Effect{Act: Act{Family: FamilyReasoning, Verb: Abridges}, ID: e.MessageID, Owner: e.SubagentRunID, Delta: e.Delta}

	case *ActivitySnapshot:
		return Effect{Act: Act{Family: FamilyActivity, Verb: Sets, chunks: endsNone}, ID: &e.MessageID, Owner: e.SubagentRunID}
	case *ActivityDelta:
		return Effect{Act: Act{Family: FamilyActivity, Verb: Sets, chunks: endsNone}, ID: &e.MessageID, Owner: e.SubagentRunID}

	case *MessagesSnapshot:
		return Effect{Act: Act{Verb: Apart, chunks: endsAll}}
	case *ReasoningEncryptedValue:
		return Effect{Act: Act{Verb: Apart, chunks: endsNone}, Owner: e.SubagentRunID}
	case *Raw:
		return Effect{Act: Act{Verb: Apart, chunks: endsNone}, Owner: e.SubagentRunID}
	case *Unknown:
		return Effect{Act: Act{Verb: Apart, chunks: endsNone}}
	case *StateSnapshot:
		return Effect{Act: Act{Verb: Apart}, Owner: e.SubagentRunID}
	case *StateDelta:
		return Effect{Act: Act{Verb: Apart}, Owner: e.SubagentRunID}
	case *Custom:
		return Effect{Act: Act{Verb: Apart}, Owner: e.SubagentRunID}
	}
	return Effect{}
}

// ReferencesOf points to the ids by which an event names what is another's,
// that of its own item and its owner's aside.
func ReferencesOf(e Event) (items, subagents []*string) {
	var list []*string
	switch e := e.(type) {
	case *ToolCallStart:
		list = []*string{e.ParentMessageID}
	case *ToolCallResult:
		list = []*string{&e.ToolCallID}
	case *ReasoningEncryptedValue:
		list = []*string{&e.EntityID}
	case *SubagentStarted:
		list = []*string{e.ParentMessageID, e.ParentToolCallID}
		if e.ParentSubagentRunID != nil {
			subagents = []*string{e.ParentSubagentRunID}
		}
	}
	for _, id := range list {
		if id != nil {
			items = append(items, id)
		}
	}
	return items, subagents
}

// EndOf is the event that ends an item, whose owner is as given. Runs and
// subagents end in more than one way.
func EndOf(family Family, id string, owner *string) Event {
	tag := Attributed{owner}
	switch family {
	case FamilyStep:
		return &StepFinished{Attributed: tag, StepName: id}
	case FamilyText:
		return &TextMessageEnd{Attributed: tag, MessageID: id}
	case FamilyToolCall:
		return &ToolCallEnd{Attributed: tag, ToolCallID: id}
	case FamilySpan:
		return &ReasoningEnd{Attributed: tag, MessageID: id}
	case FamilyReasoning:
		return &ReasoningMessageEnd{Attributed: tag, MessageID: id}
	}
	return nil
}
