package protocol

import "reflect"

// Values of this package are read and written by encoding/json as Decode and Append do.

// MarshalJSON writes what is declared.
func (c AgentCapabilities) MarshalJSON() ([]byte, error) { return marshal(&c) }

// UnmarshalJSON reads as Decode does.
func (c *AgentCapabilities) UnmarshalJSON(data []byte) error { return unmarshal(data, c) }

// MarshalJSON writes the string, the array or the object.
func (c Content) MarshalJSON() ([]byte, error) { return marshal(&c) }

// UnmarshalJSON reads any of the three forms.
func (c *Content) UnmarshalJSON(data []byte) error { return unmarshal(data, c) }

// MarshalJSON writes what the part's type has.
func (p Part) MarshalJSON() ([]byte, error) { return marshal(&p) }

// UnmarshalJSON reads as Decode does.
func (p *Part) UnmarshalJSON(data []byte) error { return unmarshal(data, p) }

// MarshalJSON writes what the source's type has.
func (s Source) MarshalJSON() ([]byte, error) { return marshal(&s) }

// UnmarshalJSON reads as Decode does.
func (s *Source) UnmarshalJSON(data []byte) error { return unmarshal(data, s) }

// MarshalJSON writes the input.
func (in RunAgentInput) MarshalJSON() ([]byte, error) {
	return appendValue(make([]byte, 0, in.sizeHint()), shapeOf(reflect.TypeFor[RunAgentInput]()), reflect.ValueOf(&in).Elem())
}

// UnmarshalJSON reads as DecodeInput does.
func (in *RunAgentInput) UnmarshalJSON(data []byte) error {
	read, err := DecodeInput(data)
	if err != nil {
		return err
	}
	*in = *read
	return nil
}

// MarshalJSON writes the tool.
func (t Tool) MarshalJSON() ([]byte, error) { return marshal(&t) }

// UnmarshalJSON reads as DecodeInput does.
func (t *Tool) UnmarshalJSON(data []byte) error { return unmarshal(data, t) }

// MarshalJSON writes the context.
func (c Context) MarshalJSON() ([]byte, error) { return marshal(&c) }

// UnmarshalJSON reads as DecodeInput does.
func (c *Context) UnmarshalJSON(data []byte) error { return unmarshal(data, c) }

// MarshalJSON writes the entry.
func (r ResumeEntry) MarshalJSON() ([]byte, error) { return marshal(&r) }

// UnmarshalJSON reads as DecodeInput does.
func (r *ResumeEntry) UnmarshalJSON(data []byte) error { return unmarshal(data, r) }

// MarshalJSON writes the interrupt.
func (i Interrupt) MarshalJSON() ([]byte, error) { return marshal(&i) }

// UnmarshalJSON reads as Decode does.
func (i *Interrupt) UnmarshalJSON(data []byte) error { return unmarshal(data, i) }

// MarshalJSON writes an array, empty for nil.
func (m Messages) MarshalJSON() ([]byte, error) { return marshal(&m) }

// MarshalJSON writes what the role has.
func (m Message) MarshalJSON() ([]byte, error) { return marshal(&m) }

// UnmarshalJSON reads as Decode does.
func (m *Message) UnmarshalJSON(data []byte) error { return unmarshal(data, m) }

// MarshalJSON writes the call.
func (c ToolCall) MarshalJSON() ([]byte, error) { return marshal(&c) }

// UnmarshalJSON reads as Decode does.
func (c *ToolCall) UnmarshalJSON(data []byte) error { return unmarshal(data, c) }

// MarshalJSON writes the function.
func (f ToolFunction) MarshalJSON() ([]byte, error) { return marshal(&f) }

// UnmarshalJSON reads as Decode does.
func (f *ToolFunction) UnmarshalJSON(data []byte) error { return unmarshal(data, f) }

// MarshalJSON refuses members that the outcome's type does not have.
func (o RunOutcome) MarshalJSON() ([]byte, error) { return marshal(&o) }

// UnmarshalJSON reads as Decode does.
func (o *RunOutcome) UnmarshalJSON(data []byte) error { return unmarshal(data, o) }

// MarshalJSON writes the reported counts.
func (u TokenUsage) MarshalJSON() ([]byte, error) { return marshal(&u) }

// UnmarshalJSON reads as Decode does.
func (u *TokenUsage) UnmarshalJSON(data []byte) error { return unmarshal(data, u) }

// MarshalJSON refuses members that the outcome's type does not have.
func (o SubagentOutcome) MarshalJSON() ([]byte, error) { return marshal(&o) }

// UnmarshalJSON reads as Decode does.
func (o *SubagentOutcome) UnmarshalJSON(data []byte) error { return unmarshal(data, o) }
