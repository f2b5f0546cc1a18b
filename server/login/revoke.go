package login

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// revokeTime bounds how long a user who deletes an account waits for the provider.
const revokeTime = 5 * time.Second

// Forget deletes a user's token. False: there was none. A provider that takes tokens back
// (RFC 7009) is told; the token is gone here whatever it answers.
func (s *Service) Forget(ctx context.Context, user, provider string) (bool, error) {
	if err := s.known(user); err != nil {
		return false, err
	}
	for {
		h, version, err := s.stored(ctx, user, provider)
		if err != nil || version == "" {
			return false, err
		}
		dropped, err := s.store.DropToken(ctx, user, provider, version)
		if err != nil {
			return false, err
		}
		if !dropped {
			continue // it was renewed
		}
		s.opts.Observe(provider, EventDeleted)
		if p := s.providers[provider]; p != nil && h != nil {
			s.revoke(ctx, p, h)
		}
		return true, nil
	}
}

// revoke tells a provider that a token is wanted no more.
func (s *Service) revoke(ctx context.Context, p *client, h *held) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeTime)
	defer cancel()
	at, err := p.endpoint(ctx)
	if err == nil && at.Revoke == "" {
		return
	}
	if err == nil {
		err = p.revoke(ctx, at.Revoke, &h.token)
	}
	if err != nil {
		s.opts.Observe(p.Name, EventRevocationFailed)
		s.opts.Logger.Warn("a token that its user has deleted is good at its provider until it expires", "provider", p.Name, "error", s.saidOf(p, err))
		return
	}
	s.opts.Observe(p.Name, EventRevoked)
}

// revoke asks as RFC 7009 has it: with the refresh token what came of it ends, too.
func (c *client) revoke(ctx context.Context, at string, t *token) error {
	form := url.Values{"token": {t.Access}, "token_type_hint": {"access_token"}}
	if t.Refresh != "" {
		form = url.Values{"token": {t.Refresh}, "token_type_hint": {"refresh_token"}}
	}
	inForm := c.ClientAuth == "post" || c.ClientSecret == ""
	if inForm {
		form.Set("client_id", c.ClientID)
		if c.ClientSecret != "" {
			form.Set("client_secret", c.ClientSecret)
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if !inForm {
		r.SetBasicAuth(url.QueryEscape(c.ClientID), url.QueryEscape(c.ClientSecret))
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return &url.Error{Op: http.MethodPost, URL: at, Err: fmt.Errorf("the provider answers %d", resp.StatusCode)}
	}
	return nil
}
