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
