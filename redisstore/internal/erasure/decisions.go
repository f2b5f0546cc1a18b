package erasure

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// each goes through the decisions of a query.
func (e *erasing) each(ctx context.Context, q store.DecisionQuery, one func(store.Decision) error) error {
	for q.Limit = page; ; {
		found, err := e.st.Decisions(ctx, q)
		if err != nil {
			return err
		}
		for _, d := range found.Decisions {
			if err := one(d); err != nil {
				return err
			}
		}
		if q.Cursor = found.Next; q.Cursor == "" {
			return nil
		}
	}
}

// decided takes the decisions about the person's threads out of the record, also those about
// threads that were deleted before.
func (e *erasing) decided(ctx context.Context) error {
	forgotten := map[string]bool{}
	return e.each(ctx, store.DecisionQuery{AllTenants: true, Namespace: e.who.Namespace}, func(d store.Decision) error {
		e.sum.Decisions++
		if e.dry || forgotten[d.Thread.Thread] {
			return nil
		}
		forgotten[d.Thread.Thread] = true
		return e.st.ForgetDecisions(ctx, d.Thread)
	})
}

// unnamed leaves of the person's decisions about other threads what was decided.
func (e *erasing) unnamed(ctx context.Context) error {
	return e.each(ctx, store.DecisionQuery{Tenant: e.who.Tenant, User: e.who.Name}, func(d store.Decision) error {
		if d.Thread.Namespace == e.who.Namespace {
			return nil
		}
		e.sum.Unnamed++
		if e.dry {
			return nil
		}
		body, err := unsaid(d.Body)
		if err != nil {
			return fmt.Errorf("decision %s: %w", d.ID, err)
		}
		id := strings.Split(d.ID, "-")
		ms, a := strconv.ParseInt(id[0], 10, 64)
		seq, b := strconv.ParseUint(id[1], 10, 64)
		if a != nil || b != nil {
			return fmt.Errorf("decision %q has an id that cannot be read", d.ID)
		}
		p := e.conn.Keys.Thread(d.Thread).Part
		_, err = e.conn.Run(ctx, link.Call{Script: lua.Unname, Keys: []string{p.Decisions, p.Lists},
			Args: lua.Args{{"id", fmt.Sprintf("%d-%d", ms, seq)}, {"user", e.who.Name}, {"body", link.Compress(body)}}})
		return err
	})
}

// unsaid is the body of a decision without who has decided, and without the answer's words.
func unsaid(text json.RawMessage) (json.RawMessage, error) {
	var body store.DecisionBody
	if len(text) > 0 {
		if err := json.Unmarshal(text, &body); err != nil {
			body = store.DecisionBody{} // nobody can read it, so that nothing of it may stay
		}
	}
	body.Name, body.Credential = "", ""
	if len(body.Payload) > 0 {
		var said struct {
			Approved *bool `json:"approved,omitempty"`
		}
		_ = json.Unmarshal(body.Payload, &said) // of what is none of that nothing stays
		body.Payload, _ = json.Marshal(said)
	}
	return json.Marshal(body)
}
