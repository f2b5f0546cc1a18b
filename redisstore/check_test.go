package redisstore

import (
	"context"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/alicebob/miniredis/v2"
)

func TestSettingsThatLoseDataAreNamed(t *testing.T) {
	good := "maxmemory_policy:noeviction\r\naof_enabled:1\r\naof_last_write_status:ok\r\nrdb_last_bgsave_status:ok\r\nconnected_slaves:0\r\n"
	tests := []struct{ from, to, setting string }{
		{"", "", ""},
		{"noeviction", "allkeys-lru", "maxmemory-policy"},
		{"aof_enabled:1", "aof_enabled:0", "appendonly"},
		{"aof_last_write_status:ok", "aof_last_write_status:err", "aof_last_write_status"},
		{"rdb_last_bgsave_status:ok", "rdb_last_bgsave_status:err", "rdb_last_bgsave_status"},
		{"connected_slaves:0", "connected_slaves:2", "min-replicas-to-write"},
		{"connected_slaves:0", "connected_slaves:2\r\nmin_slaves_good_slaves:2", ""},
	}
	for _, tt := range tests {
		w := link.Durability(link.ParseInfo(strings.Replace(good, tt.from, tt.to, 1)))
		if tt.setting == "" && len(w) > 0 || tt.setting != "" && (len(w) != 1 || w[0].Setting != tt.setting) {
			t.Errorf("%s: %v", tt.to, w)
		}
	}
}

func TestVersions(t *testing.T) {
	for v, want := range map[string]bool{"6.2.0": true, "6.1.9": false, "7.0.15": true, "10.0": true, "5.9.9": false, "": false, "x.y": false} {
		if link.AtLeast(v, 6, 2) != want {
			t.Errorf("%s: %t", v, !want)
		}
	}
}

func TestARealServersSettingsAreChecked(t *testing.T) {
	durable := open(t, redistest.Start(t, redistest.Options{AOF: "everysec"}).URL(), Options{Strict: true})
	if w := durable.Warnings(); len(w) != 0 || !durable.Durable() {
		t.Errorf("durable: %v", w)
	}
	url := redistest.Start(t, redistest.Options{Args: []string{"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"}}).URL()
	if w := open(t, url, Options{}).Warnings(); len(w) != 2 {
		t.Errorf("warnings: %v", w)
	}
	if _, err := Open(context.Background(), url, &Options{Strict: true}); err == nil || !strings.Contains(err.Error(), "maxmemory-policy is allkeys-lru") {
		t.Errorf("strict: %v", err)
	}
}

func TestAServerThatCannotBeUsedIsRefused(t *testing.T) {
	ctx := context.Background()
	master := redistest.Start(t, redistest.Options{TCP: true})
	port := master.URL()[strings.LastIndexByte(master.URL(), ':')+1:]
	replica := redistest.Start(t, redistest.Options{Args: []string{"--replicaof", "127.0.0.1 " + port}})
	if _, err := Open(ctx, replica.URL(), nil); err == nil || !strings.Contains(err.Error(), "must be a master") {
		t.Errorf("replica: %v", err)
	}
	if _, err := Open(ctx, "unix:///nowhere", nil); err == nil {
		t.Error("nowhere: no error")
	}
	// Without INFO in scripts a fail-over that loses writes would go unnoticed.
	blind := redistest.Start(t, redistest.Options{})
	if answer, err := blind.Do("ACL", "SETUSER", "default", "-info"); answer != "+OK" || err != nil {
		t.Fatal(answer, err)
	}
	if _, err := Open(ctx, blind.URL(), nil); err == nil {
		t.Error("no INFO: no error")
	}
	small := miniredis.RunT(t)
	if _, err := Open(ctx, "redis://"+small.Addr(), nil); err == nil {
		t.Error("no history: no error")
	}
}

// What a power cut may take is said, unless replicas have it by then.
func TestDiagnoseNamesWhatAPowerCutTakes(t *testing.T) {
	for _, test := range []struct {
		aof      string
		replicas int
		says     string // "": no warning
	}{{"everysec", 0, "the last second"}, {"no", 0, "half a minute"}, {"always", 0, ""}, {"everysec", 1, ""}, {"", 0, ""}} {
		said := ""
		for _, f := range Diagnose(t.Context(), redistest.Start(t, redistest.Options{AOF: test.aof}).URL(), &Options{WaitReplicas: test.replicas}) {
			if f.Subject == "appendfsync" && f.Warning {
				said = f.Detail
			}
		}
		if (said == "") != (test.says == "") || !strings.Contains(said, test.says) {
			t.Errorf("%+v: %q", test, said)
		}
	}
}
