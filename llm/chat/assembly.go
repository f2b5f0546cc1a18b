package chat

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aguiws/aguiws/protocol/surrogate"
)

// Assembly puts together the tool calls of one answer. OpenAI tells the pieces of calls
// apart by their index. Other endpoints leave the index out or give all calls one, begin
// a call without its id or its name, or give each piece an id of its own. A piece therefore
// belongs to a call by its index, in there by its id, and else by whether the call's
// arguments are whole. If that leaves more than one reading, there is an error.
//
// The zero value, with Max, is ready for one answer.
type Assembly struct {
	Max     int // calls; one more is an error
	calls   []*Partial
	current map[place]*Partial // the call at each place that the last piece went to
	last    place
	old     bool            // the calls are a function_call
	retired map[string]bool // ids of calls that others have taken the place of
}

// Partial is a call as far as it has come.
type Partial struct {
	Name  string // "" until it comes
	args  strings.Builder
	half  surrogate.Half // that the arguments end with
	json  extent
	at    place
	id    string
	again bool // the name came twice, which whole arguments alone explain
}

// place is what an index stands for, or the lack of one.
type place struct {
	index int64
	known bool
}

func (c *Partial) add(more string) string {
	c.args.WriteString(more)
	c.json.read(more)
	return more
}

// Rest adds what is left of a character whose other half has not come, and returns it.
func (c *Partial) Rest() string { return c.add(c.half.Rest()) }

// Arguments are the call's arguments as far as they have come.
func (c *Partial) Arguments() string { return c.args.String() }

// Bare reports whether none have come.
func (c *Partial) Bare() bool { return !c.json.begun }

// Whole reports whether the arguments have come to the end of their object.
func (c *Partial) Whole() bool { return c.json.ended() }

// Add takes the next piece and returns its call, whose arguments grew by more. The call
// is nil if the piece says nothing. An error says why the piece cannot be given to a call.
func (a *Assembly) Add(d CallDelta) (call *Partial, more string, err error) {
	if d.ID == "" && d.Function.Name == "" && d.Function.Arguments == "" {
		return nil, "", nil
	}
	if len(a.calls) > 0 && a.old != d.old {
		return nil, "", errors.New("the answer has both tool_calls and a function_call")
	}
	if a.retired[d.ID] {
		return nil, "", fmt.Errorf("the id %.100q of a tool call comes back after another one", d.ID)
	}
	at := a.last
	if d.Index != nil {
		at = place{*d.Index, true}
	}
	call, err = a.find(d, at)
	if err != nil {
		return nil, "", err
	}
	if call == nil {
		if call, err = a.begin(d, at); err != nil {
			return nil, "", err
		}
	}
	a.current[call.at], a.last = call, call.at
	more, err = a.extend(call, d)
	return call, more, err
}

// begin makes a call of which d is the first piece.
func (a *Assembly) begin(d CallDelta, at place) (*Partial, error) {
	if len(a.calls) == a.Max {
		return nil, fmt.Errorf("the answer has more than %d tool calls", a.Max)
	}
	if a.calls == nil {
		a.current, a.retired, a.old = map[place]*Partial{}, map[string]bool{}, d.old
	}
	call := &Partial{at: at}
	// The same name without arguments, behind a whole call, begins one or says the name again.
	if before := a.current[at]; before != nil && d.ID == "" && before.Name == d.Function.Name && blank(string(d.Function.Arguments)) {
		call.again = true
	}
	a.calls = append(a.calls, call)
	return call, nil
}

// extend adds a piece to its call.
func (a *Assembly) extend(c *Partial, d CallDelta) (more string, err error) {
	more = string(d.Function.Arguments)
	switch {
	case d.Function.Name != "" && c.Name != "" && d.Function.Name != c.Name:
		return "", fmt.Errorf("a tool call has two names, %.100q and %.100q", c.Name, d.Function.Name)
	case c.Whole() && blank(more):
		more = ""
	case c.Whole() && d.ID != "" && d.ID == c.id && more == c.Arguments():
		more = "" // the whole call, once more under its id
	case c.Whole():
		return "", errors.New("the arguments of a tool call go on after their end")
	}
	if d.Function.Name != "" {
		c.Name = d.Function.Name
	}
	if d.ID != "" && d.ID != c.id {
		if c.id != "" {
			a.retired[c.id] = true
		}
		c.id = d.ID
	}
	return c.add(c.half.Join(more)), nil
}

// find returns the call that a piece goes on with; nil: the piece begins one.
func (a *Assembly) find(d CallDelta, at place) (*Partial, error) {
	if d.ID != "" {
		for i := len(a.calls) - 1; i >= 0; i-- {
			if c := a.calls[i]; c.id == d.ID && (c.at == at || d.Index == nil) {
				return c, nil
			}
		}
	}
	c := a.current[at]
	switch {
	case c == nil:
		return nil, nil
	case d.ID != "" && c.id != "":
		return c.byAnotherID(d), nil
	}
	return c.byPlace(d)
}

// byAnotherID returns c if a piece with another id than c's goes on with it, as with
// endpoints that give each piece an id. Else the id is that of another call.
func (c *Partial) byAnotherID(d CallDelta) *Partial {
	args := string(d.Function.Arguments)
	switch {
	case c.Whole(), blank(args), c.Name == "" && c.Bare():
		return nil
	case d.Function.Name != "" && (c.Bare() || opens(args)):
		return nil
	}
	return c
}

// byPlace returns c if a piece at its place that has no id, or the first one there, goes
// on with it.
func (c *Partial) byPlace(d CallDelta) (*Partial, error) {
	name := d.Function.Name
	switch {
	case name == "" && c.Whole() && d.ID != "":
		return nil, nil
	case name == "", c.Name == "":
		return c, nil
	case c.Whole():
		return nil, nil
	case c.Bare() && name == c.Name:
		return nil, fmt.Errorf("the name %.100q comes again at its index without an id: it may be one tool call or two", name)
	case c.Bare():
		return nil, nil
	case name != c.Name || opens(string(d.Function.Arguments)):
		return nil, fmt.Errorf("a tool call of %.100q begins at the index of one of %.100q that has not ended", name, c.Name)
	}
	c.again = true
	return c, nil
}

// End says what of the calls cannot be understood now that all pieces are there.
func (a *Assembly) End() error {
	named := map[place]int{}
	for _, c := range a.calls {
		if c.Name != "" {
			named[c.at]++
		} else if !c.Bare() {
			return errors.New("a tool call has no name")
		}
	}
	bare := map[place]string{} // the name of the last call there that has no arguments
	for _, c := range a.calls {
		switch {
		case c.Name == "":
			continue
		case c.again && !c.Whole():
			return fmt.Errorf("the name %.100q comes again: it may be one tool call or two", c.Name)
		case named[c.at] > 1 && !c.Bare() && !c.Whole():
			return fmt.Errorf("several tool calls have one index, and the arguments of %.100q have no end", c.Name)
		case !c.Bare() && bare[c.at] == c.Name:
			return fmt.Errorf("%.100q is called at one index without arguments and with them: it may be one tool call or two", c.Name)
		}
		if c.Bare() {
			bare[c.at] = c.Name
		}
	}
	return nil
}
