// Package protocol is AG-UI on the wire: events and inputs, and what an event
// is about. It speaks version 1.1 and needs the standard library alone. The
// packages below it judge and gather what is read here.
//
//	RunAgentInput ─→ run ─→ Event, Event, … ─→ RunFinished or RunError
//	                           │
//	        Decode, Append     │  bytes and structs, nothing lost
//	        Expander           │  chunks become the events they stand for
//	        order.Sequence     │  is this event legal now?
//	        fold.Fold          │  messages, state, interrupts, what is open
//	        jsonpatch.Apply    │  a state or an activity after a delta
//	        downgrade.Profile  ▼  what an older peer can be sent
//
// What is wrong with a document is a problem.Error, which names the places.
//
// An event is a pointer to a struct, and the struct is the type: there are no
// constructors. Optional strings are empty when absent, except where the empty
// string means something; those are pointers. Open JSON is kept as bytes, so
// that numbers keep their digits: json.RawMessage where null is a value, Any
// where it is not.
//
// # Forgiving and exact
//
// Reading keeps what this version does not know and refuses what it knows to be
// wrong, with a JSON pointer to each place; Strip takes the unknown away again
// for whoever acts on an event rather than relaying it. Validate is exact: it
// accepts what the published schema accepts. Writing is exact as well, but for
// the unknown members that reading kept, and writes nothing that reading would
// refuse.
//
// All of it follows from the structs: their tags, and unions.go, say which
// members there are, kinds.go which events, and family.go what they are about.
//
// # Concurrency
//
// Events, messages and inputs are plain data. An Expander and a Decoder
// belong to one goroutine each.
package protocol
