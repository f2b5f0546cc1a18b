package link

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Connect makes a client for
//
//	redis://[user:password@]host[:port][/db]      one server; rediss:// with TLS
//	unix://path                                   one server
//	redis+sentinel://host,host,…/master[/db]      the master that Sentinel names
//	redis+cluster://host,host,…                   Cluster
//
// and for go-redis's own forms of the last two: redis://host?addr=host&… and, for
// Sentinel, master_name in the query.
func Connect(raw string, timeout time.Duration) (redis.UniversalClient, error) {
	kind, plain, err := parseURL(raw)
	if err != nil {
		return nil, fmt.Errorf("redisstore: %w", err)
	}
	quiet := func() *maintnotifications.Config {
		return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	}
	switch kind {
	case "cluster":
		o, err := redis.ParseClusterURL(plain)
		if err != nil {
			return nil, withoutURL(err)
		}
		o.MaxRetries, o.ContextTimeoutEnabled, o.DisableIdentity, o.MaintNotificationsConfig = -1, true, true, quiet()
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.DialerRetries = timeout, timeout, timeout, 1
		return redis.NewClusterClient(o), nil
	case "sentinel":
		o, err := redis.ParseFailoverURL(plain)
		if err != nil {
			return nil, withoutURL(err)
		}
		o.MaxRetries, o.ContextTimeoutEnabled, o.DisableIdentity = -1, true, true
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.DialerRetries = timeout, timeout, timeout, 1
		return redis.NewFailoverClient(o), nil
	default:
		o, err := redis.ParseURL(plain)
		if err != nil {
			return nil, withoutURL(err)
		}
		o.MaxRetries, o.ContextTimeoutEnabled, o.DisableIdentity, o.MaintNotificationsConfig = -1, true, true, quiet()
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.DialerRetries = timeout, timeout, timeout, 1
		return redis.NewClient(o), nil
	}
}

// withoutURL keeps passwords out of an error: net/url repeats what it was given.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return fmt.Errorf("redisstore: the store's URL: %w", err)
}

// parseURL says what kind of deployment a URL names, and writes it as go-redis
// reads it. Errors never repeat the URL: it may hold a password.
func parseURL(raw string) (kind, plain string, err error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	base, kind, explicit := strings.Cut(scheme, "+")
	if !ok || (base != "redis" && base != "rediss" && base != "unix") {
		return "", "", fmt.Errorf("a store's URL begins with redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://")
	}
	if !explicit {
		query := ""
		if _, q, found := strings.Cut(rest, "?"); found {
			query = q
		}
		values, err := url.ParseQuery(query)
		if err != nil {
			return "", "", fmt.Errorf("the query of the store's URL cannot be read")
		}
		switch {
		case values.Has("master_name"):
			return "sentinel", raw, nil
		case values.Has("addr"):
			return "cluster", raw, nil
		}
		return "single", raw, nil
	}
	if kind != "sentinel" && kind != "cluster" {
		return "", "", fmt.Errorf("a store's URL knows +sentinel and +cluster, not +%s", kind)
	}
	rest, query, _ := strings.Cut(rest, "?")
	hosts, path, _ := strings.Cut(rest, "/")
	user := ""
	if i := strings.LastIndexByte(hosts, '@'); i >= 0 {
		user, hosts = hosts[:i+1], hosts[i+1:]
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", "", fmt.Errorf("the query of the store's URL cannot be read")
	}
	first, others, _ := strings.Cut(hosts, ",")
	for _, h := range strings.Split(others, ",") {
		if h != "" {
			values.Add("addr", h)
		}
	}
	if kind == "sentinel" {
		master, db, _ := strings.Cut(path, "/")
		if master == "" {
			return "", "", fmt.Errorf("a Sentinel URL names the master after the hosts: redis+sentinel://host,host/master")
		}
		values.Set("master_name", master)
		path = db
	}
	plain = base + "://" + user + first + "/" + path
	if len(values) > 0 {
		plain += "?" + values.Encode()
	}
	return kind, plain, nil
}
