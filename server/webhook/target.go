package webhook

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/aguiws/aguiws/adapter/store"
)

// Kinds are what a target can want.
var Kinds = []store.NoticeKind{store.NoticeOpened, store.NoticeDrafted, store.NoticeDecided, store.NoticeExpired, store.NoticeCancelled,
	store.NoticeReopened, store.NoticeRunStarted, store.NoticeRunEnded, store.NoticeDead, store.NoticeThreadGone}

// Target is whom webhooks are sent to.
type Target struct {
	// Name is for ever: what the target has got is known by it. 1 to 63 of a-z, 0-9, -.
	Name string
	// URL is https, or http where its host is one of Options.PrivateHosts.
	URL    string
	Kinds  []store.NoticeKind // empty: all
	Tenant string             // "": all tenants
	// Agents are those whose notices are sent, "default" for the one without a name; empty:
	// all. The deletion of a thread is about no agent, and is sent in any case.
	Agents []string
	// Secrets sign, each of them: two while one takes the place of the other. They are
	// whsec_ and the base64 of 24 to 64 random bytes.
	Secrets []string
	// FromStart lets a new target begin with the oldest notice that is kept, and not with
	// the next one.
	FromStart bool
}

// MaxTargets is how many targets there may be: each is looked after by itself.
const MaxTargets = 100

// CheckTargets refuses targets that cannot work. Its errors tell no secret.
func CheckTargets(targets []Target, privateHosts []string) error {
	if len(targets) > MaxTargets {
		return fmt.Errorf("%d targets are configured, and %d are allowed", len(targets), MaxTargets)
	}
	var names []string
	for _, t := range targets {
		if err := t.check(privateHosts); err != nil {
			return fmt.Errorf("target %q: %w", t.Name, err)
		}
		if slices.Contains(names, t.Name) {
			return fmt.Errorf("target %q: two targets have this name", t.Name)
		}
		names = append(names, t.Name)
	}
	return nil
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

func (t *Target) check(privateHosts []string) error {
	if !nameForm.MatchString(t.Name) {
		return errors.New("a name has 1 to 63 of a-z, 0-9 and -, and begins with no -")
	}
	if err := checkURL(t.URL, privateHosts); err != nil {
		return err
	}
	for _, kind := range t.Kinds {
		if !slices.Contains(Kinds, kind) {
			return fmt.Errorf("there is no kind %q: must be one of %s", kind, strings.Join(texts(Kinds), ", "))
		}
	}
	for _, agent := range t.Agents {
		if agent == "" || strings.Contains(agent, ",") {
			return fmt.Errorf("%q is no agent's name", agent)
		}
	}
	if len(t.Secrets) == 0 {
		return errors.New("a target needs a secret: `whsec_` and the base64 of 24 to 64 random bytes, as by `echo whsec_$(openssl rand -base64 32)`")
	}
	for i, secret := range t.Secrets {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || !strings.HasPrefix(secret, "whsec_") || len(raw) < 24 || len(raw) > 64 {
			return fmt.Errorf("secret %d of %d: must be `whsec_` and the base64 of 24 to 64 random bytes, as by `echo whsec_$(openssl rand -base64 32)`", i+1, len(t.Secrets))
		}
	}
	return nil
}

// checkURL refuses what could never be sent to, and does not repeat what may be secret.
func checkURL(text string, privateHosts []string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("its url is none such as https://hooks.example.com/aguiws")
	case u.User != nil:
		return errors.New("its url names a user: a receiver knows the sender by the signature")
	case u.Fragment != "":
		return errors.New("its url has a fragment, which is sent to nobody")
	}
	host := strings.ToLower(u.Hostname())
	if slices.Contains(privateHosts, host) {
		return nil
	}
	if u.Scheme != "https" {
		return fmt.Errorf("its url is not https, which only the hosts of webhook-private may be without: %q is none", host)
	}
	if ip, err := netip.ParseAddr(host); err == nil && public(ip) != nil {
		return fmt.Errorf("%s is no address of the internet: webhook-private must name it", host)
	}
	return nil
}

func texts(kinds []store.NoticeKind) (list []string) {
	for _, k := range kinds {
		list = append(list, string(k))
	}
	return list
}

// CheckHost looks up where the target is, and says why nothing could be sent there now.
func (t *Target) CheckHost(ctx context.Context, privateHosts []string) error {
	u, err := url.Parse(t.URL)
	if err != nil {
		return errors.New("its url is none")
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil || slices.Contains(privateHosts, strings.ToLower(u.Hostname())) {
		return err
	}
	for _, ip := range found {
		if err = public(ip.Unmap()); err == nil {
			return nil
		}
	}
	return err
}

// Host is where a target is, as it may be shown: paths may hold secrets.
func (t *Target) Host() string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// configuration is a digest of what a target is sent, where and how: one that has said it
// wants no more may want what is configured anew.
func (t *Target) configuration() string {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // texts alone
	}
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// signers sign with a target's secrets.
func (t *Target) signers() (list []*standardwebhooks.Webhook, err error) {
	for _, secret := range t.Secrets {
		s, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}
