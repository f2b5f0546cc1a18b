package login

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// Two flows of a user at a provider end in one token. The later flow asks for the scopes of
// both, and the wider of two tokens stays, so that neither takes from the other what it was
// for.

// underWay is what flows that are under way ask for together.
type underWay struct {
	Scopes []string  `json:"scopes"`
	Until  time.Time `json:"until"` // when the latest of them is over
}

const sealedScopes = "scopes\x00"

func underWayID(user, provider string) string {
	return digest(sealedScopes + user + "\x00" + provider)
}

// underWay adds the scopes of a user's other flows at the provider to those of one that
// begins, which they have from then on.
func (d *Desk) underWay(ctx context.Context, p *client, user string, scopes []string) ([]string, error) {
	id := underWayID(user, p.Name)
	sealed, err := d.store.Flow(ctx, id)
	if err != nil {
		return nil, err
	}
	var others underWay
	if text, _, err := d.opts.Sealer.Open(sealed, sealedScopes+id); err == nil && json.Unmarshal(text, &others) == nil && time.Now().Before(others.Until) {
		scopes = p.wanted(store.Login{Scopes: slices.Concat(scopes, others.Scopes)})
	}
	text, err := json.Marshal(underWay{scopes, time.Now().Add(flowTime)})
	if err != nil {
		return nil, err
	}
	return scopes, d.store.PutFlow(ctx, id, d.opts.Sealer.Seal(text, sealedScopes+id), flowTime)
}

// forgetUnderWay lets the next flow ask for no more than it is for: its user has declined.
func (d *Desk) forgetUnderWay(ctx context.Context, p *client, user string) {
	if err := d.store.PutFlow(ctx, underWayID(user, p.Name), []byte(" "), time.Minute); err != nil {
		d.opts.Logger.Debug("the next login may ask for what was declined", "error", err)
	}
}

// grant stores a flow's token, unless another flow has brought one that is good for more.
func (d *Desk) grant(ctx context.Context, p *client, f *flow, t token) error {
	for {
		h, was, err := d.stored(ctx, f.User, f.Provider)
		if err != nil {
			return err
		}
		if of := (store.Login{Provider: f.Provider, Scopes: f.Scopes}); len(t.Asked) < askedOf(h) && d.usable(p, h, of) {
			return nil
		}
		if was == "" {
			was = store.NoToken
		}
		if _, stored, err := d.put(ctx, f.User, f.Provider, t, was); err != nil || stored {
			return err
		}
	}
}

func askedOf(h *held) int {
	if h == nil {
		return 0
	}
	return len(h.Asked)
}
