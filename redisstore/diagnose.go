package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// Finding is one thing that Diagnose looked at.
type Finding struct {
	Subject string // what was looked at, such as "persistence"
	Detail  string
	Failed  bool // a store cannot work with it
	Warning bool // it can, and may lose what it acknowledged
}

// Diagnose does what Open would rely on, step by step, and says what it found.
// It leaves nothing behind but the scripts in the server's cache. It stops where
// going on is pointless.
func Diagnose(ctx context.Context, url string, opts *Options) []Finding {
	d := &diagnosis{opts: opts.withDefaults()}
	client, err := link.Connect(url, d.opts.Timeout)
	if err != nil {
		d.fail("URL", err)
		return d.findings
	}
	defer client.Close()
	began := time.Now()
	if err := client.Ping(ctx).Err(); err != nil {
		d.fail("connect", err)
		return d.findings
	}
	d.good("connect", "answers in %s", time.Since(began).Round(10*time.Microsecond))
	d.servers(ctx, client)
	if !d.failed {
		d.layout(ctx, client)
		d.scripts(ctx, client)
		d.probe(ctx, client)
	}
	return d.findings
}

type diagnosis struct {
	opts     Options
	findings []Finding
	failed   bool
}

func (d *diagnosis) good(subject, format string, args ...any) {
	d.findings = append(d.findings, Finding{Subject: subject, Detail: fmt.Sprintf(format, args...)})
}

func (d *diagnosis) fail(subject string, err error) {
	d.failed = true
	d.findings = append(d.findings, Finding{Subject: subject, Detail: err.Error(), Failed: true})
}

// servers looks at every master.
func (d *diagnosis) servers(ctx context.Context, client redis.UniversalClient) {
	cluster, ok := client.(*redis.ClusterClient)
	if !ok {
		d.server(ctx, client, "")
		return
	}
	masters := make(chan *redis.Client, 1024) // ForEachMaster calls concurrently
	err := cluster.ForEachMaster(ctx, func(_ context.Context, c *redis.Client) error {
		masters <- c
		return nil
	})
	close(masters)
	if err != nil {
		d.fail("cluster", err)
	}
	for c := range masters {
		d.server(ctx, c, c.Options().Addr+" ")
	}
}

func (d *diagnosis) server(ctx context.Context, client redis.Cmdable, name string) {
	text, err := client.Info(ctx).Result()
	if err != nil {
		d.fail(name+"info", err)
		return
	}
	info := link.ParseInfo(text)
	if v := info["redis_version"]; link.AtLeast(v, 6, 2) {
		d.good(name+"version", "%s", v)
	} else {
		d.fail(name+"version", fmt.Errorf("%q: at least 6.2 is needed", v))
	}
	if role := info["role"]; role == "master" {
		if n, _ := strconv.Atoi(info["connected_slaves"]); n < d.opts.WaitReplicas {
			d.fail(name+"replicas", fmt.Errorf("the master has %d replicas, and every write waits for %d", n, d.opts.WaitReplicas))
		}
		d.good(name+"role", "master, %s replicas", info["connected_slaves"])
	} else {
		d.fail(name+"role", fmt.Errorf("%q: the server must be a master", role))
	}
	warned := map[string]bool{}
	for _, w := range link.Durability(info) {
		warned[w.Setting] = true
		finding := Finding{Subject: name + w.Setting, Detail: w.Value + ": " + w.Problem, Warning: true}
		if d.opts.Strict {
			finding.Failed, finding.Warning, d.failed = true, false, true
		}
		d.findings = append(d.findings, finding)
	}
	if !warned["maxmemory-policy"] {
		d.good(name+"maxmemory-policy", "noeviction")
	}
	if warned["appendonly"] {
		return
	}
	d.good(name+"appendonly", "yes")
	if d.opts.WaitReplicas > 0 {
		return
	}
	// A user that may not ask gets no finding: only this one needs it.
	if is, err := client.ConfigGet(ctx, "appendfsync").Result(); err == nil && is["appendfsync"] != "always" {
		forgets := "the last second"
		if is["appendfsync"] == "no" {
			forgets = "the last half a minute"
		}
		d.findings = append(d.findings, Finding{Subject: name + "appendfsync", Warning: true,
			Detail: is["appendfsync"] + ": a power cut may forget " + forgets + "; set always, or --wait-replicas"})
	}
}

// layout compares how threads are spread, and in which format they are stored, with
// how they were when the prefix was first used.
func (d *diagnosis) layout(ctx context.Context, client redis.UniversalClient) {
	have, err := client.HMGet(ctx, keyspace.MetaKey(d.opts.Prefix), "partitions", "format").Result()
	if err != nil {
		d.fail("prefix", err)
		return
	}
	partitions, used := have[0].(string)
	stored, _ := have[1].(string)
	if !used {
		d.good("prefix", "%q has not been used", d.opts.Prefix)
		return
	}
	o := d.opts.settings()
	if err := o.Fits(partitions, stored); err != nil {
		d.fail("prefix", err)
		return
	}
	d.good("prefix", "%q has been used, with %s partitions and data of format %s", d.opts.Prefix, partitions, stored)
}

func (d *diagnosis) scripts(ctx context.Context, client redis.UniversalClient) {
	if err := link.Probe(ctx, client, d.opts.settings()); err != nil {
		d.fail("scripts", err)
		return
	}
	d.good("scripts", "they are loaded, and may ask for the server's history")
}

// probe writes a key, reads it back and deletes it. It would go by itself.
func (d *diagnosis) probe(ctx context.Context, client redis.UniversalClient) {
	key, want := d.opts.Prefix+":check:"+rand.Text(), rand.Text()
	if err := client.Set(ctx, key, want, 10*time.Second).Err(); err != nil {
		d.fail("write", err)
		return
	}
	got, err := client.Get(ctx, key).Result()
	if err == nil && got != want {
		err = errors.New("a read did not return what was written: is the server behind a proxy that reads from replicas?")
	}
	if err != nil {
		d.fail("read", err)
	}
	if err := client.Del(ctx, key).Err(); err != nil {
		d.fail("delete", err)
		return
	}
	if !d.failed {
		d.good("write, read, delete", "a key came and went")
	}
}
