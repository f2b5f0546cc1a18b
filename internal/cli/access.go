package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/aguiws/aguiws/server/identity"
)

// access is who may use the server, and what the server shows of itself.
// SIGHUP reads its files again.
type access struct {
	s           *settings
	auth        identity.Authenticator
	certificate atomic.Pointer[tls.Certificate] // nil: no TLS
}

// newAccess joins what is wrong with each of its files.
func newAccess(s *settings) (*access, error) {
	id := &access{s: s}
	var err error
	switch s.auth {
	case "tokens":
		var list []identity.Token
		if list, err = id.listed(); err == nil {
			id.auth, err = identity.NewTokens(list)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", id.tokenSetting(), err)
		}
	case "jwt":
		id.auth, err = newJWT(s)
	default:
		id.auth = identity.None{}
	}
	return id, errors.Join(err, id.loadCertificate())
}

func newJWT(s *settings) (*identity.JWT, error) {
	options := s.claims()
	options.KeySet, options.Issuer, options.Audience = s.jwt.keySet, s.jwt.issuer, s.jwt.audience
	j, err := identity.NewJWT(options)
	if err == nil {
		return j, nil
	}
	return nil, fmt.Errorf("%s: %w", s.named("jwt-keys"), err)
}

func (id *access) tokenSetting() string {
	if id.s.tokenFile != "" {
		return id.s.named("token-file")
	}
	return id.s.named("tokens")
}

// listed returns the tokens of the settings or of their file.
func (id *access) listed() ([]identity.Token, error) {
	if id.s.tokenFile == "" {
		return id.s.tokens, nil
	}
	data, err := os.ReadFile(id.s.tokenFile)
	if err != nil {
		return nil, err
	}
	list, err := tokenEntries.parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id.s.tokenFile, err)
	}
	return list, nil
}

func (id *access) loadCertificate() error {
	if id.s.tlsCert == "" {
		return nil
	}
	c, err := tls.LoadX509KeyPair(id.s.tlsCert, id.s.tlsKey)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", id.s.named("tls-cert"), id.s.named("tls-key"), err)
	}
	id.certificate.Store(&c)
	return nil
}

// reload reads the files again. A certificate that cannot be read stays as it
// was. A list of tokens that cannot be read lets nobody in: it is not known whom it would
// have kept out.
func (id *access) reload(log *slog.Logger) {
	if tokens, ok := id.auth.(*identity.Tokens); ok && id.s.tokenFile != "" {
		list, err := id.listed()
		if err == nil {
			err = tokens.Replace(list)
		}
		switch {
		case err != nil:
			_ = tokens.Replace(nil) // nothing in it can be wrong
			log.Error("the list of tokens cannot be read: the server lets nobody in, and closes the connections that tokens had opened.  "+
				"Put the file right (write another and rename it) and send SIGHUP again; a list that is [] revokes all", "error", err)
		case len(list) == 0:
			log.Warn("the list of tokens is empty: all tokens are revoked, and the connections that they had opened are closed")
		default:
			log.Info("tokens were read again", "tokens", len(list))
		}
	}
	if err := id.loadCertificate(); err != nil {
		log.Error("the certificate stays as it was", "error", err)
	} else if id.s.tlsCert != "" {
		log.Info("the certificate was read again")
	}
}

// watch reloads at every SIGHUP, until the function that it returns is called.
func (id *access) watch(log *slog.Logger) (stop func()) {
	hup, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(hup, syscall.SIGHUP)
	go func() {
		defer close(ended)
		for range hup {
			id.reload(log)
		}
	}()
	return func() {
		signal.Stop(hup)
		close(hup)
		<-ended
	}
}

// warm asks for an issuer's keys before anybody waits for them.
func (id *access) warm(ctx context.Context, log *slog.Logger) {
	j, ok := id.auth.(*identity.JWT)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := j.Check(ctx); err != nil {
		log.Warn("the issuer's keys cannot be fetched: users cannot be authenticated until they can", "error", err)
	}
}
