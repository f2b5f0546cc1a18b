package judge

import (
	"context"
	"errors"
	"strings"

	"github.com/aguiws/aguiws/adapter/internal/responseschema"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/problem"
)

// payloads checks the payloads of one input. The text about them is bounded for all of them
// together.
type payloads struct {
	schemas *responseschema.Set
	budget  *responseschema.Budget
	fields  []map[string]string
	tooMuch string // the interrupt whose answer cannot be checked
	why     string
}

// check notes what is wrong with an answer to what was shown.
func (p *payloads) check(ctx context.Context, shown protocol.Interrupt, entry protocol.ResumeEntry) error {
	if shown.ResponseSchema.IsZero() || p.tooMuch != "" {
		return nil
	}
	problems, err := p.schemas.CheckWithin(ctx, p.budget, shown.ResponseSchema, entry.Payload)
	switch {
	case err == nil:
	case errors.Is(err, responseschema.ErrTooComplex):
		p.tooMuch, p.why = entry.InterruptID, "the answer takes too much to check against what was asked: make it smaller"
	case ctx.Err() != nil:
		return ctx.Err()
	default: // asked by a version that took the schema: the question can still be cancelled
		p.tooMuch, p.why = entry.InterruptID, "the answer cannot be checked, the question can only be cancelled: "+err.Error()
	}
	for _, wrong := range problems {
		if len(p.fields) < problem.Max {
			p.fields = append(p.fields, map[string]string{"interruptId": entry.InterruptID, "pointer": wrong.Pointer, "message": wrong.Message})
		}
	}
	return nil
}

// refusal is of what was noted, nil if all fits.
func (p *payloads) refusal() *protocol.RunError {
	switch {
	case len(p.fields) > 0:
		return Refuse(CodePayloadInvalid, "the answer does not fit what was asked: "+
			strings.TrimSpace(p.fields[0]["pointer"]+" "+p.fields[0]["message"]), map[string]any{"fields": p.fields})
	case p.tooMuch != "":
		return Refuse(CodePayloadTooComplex, p.why, map[string]any{"interruptIds": []string{p.tooMuch}})
	}
	return nil
}
