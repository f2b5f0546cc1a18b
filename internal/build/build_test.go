package build

import (
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	here := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: module, Version: version}, Settings: settings}
	}
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}}
	for name, c := range map[string]struct {
		told  Info
		known *debug.BuildInfo
		want  Info
	}{
		"nothing known":          {Info{}, nil, Info{next, "", ""}},
		"go run":                 {Info{}, here("(devel)"), Info{next, "", ""}},
		"a release":              {Info{"1.2.3", "abc", "2026-01-02T03:04:05Z"}, here("(devel)", vcs...), Info{"1.2.3", "abc", "2026-01-02T03:04:05Z"}},
		"go install of a tag":    {Info{}, here("v1.2.3"), Info{"1.2.3", "", ""}},
		"go install of a commit": {Info{}, here("v0.0.0-20260102030405-0123456789ab"), Info{next, "0123456789ab", "2026-01-02T03:04:05Z"}},
		"a commit behind a tag":  {Info{}, here("v1.2.4-0.20260102030405-0123456789ab"), Info{next, "0123456789ab", "2026-01-02T03:04:05Z"}},
		"a checkout":             {Info{}, here("(devel)", vcs...), Info{next, "0123456789ab", "2026-01-02T03:04:05Z"}},
		"a changed checkout": {Info{}, here("v0.0.0-20260102030405-0123456789ab+dirty", append(vcs, debug.BuildSetting{Key: "vcs.modified", Value: "true"})...),
			Info{next, "0123456789ab", "2026-01-02T03:04:05Z"}},
		"in another program": {Info{}, &debug.BuildInfo{Main: debug.Module{Path: "example.com/shop", Version: "v9.0.0"}, Deps: []*debug.Module{{Path: module, Version: "v1.2.3"}}, Settings: vcs},
			Info{"1.2.3", "", ""}},
	} {
		if got := read(c.told, c.known); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// The changelog's newest release is the one that the sources lead to.
func TestNextIsTheChangelogs(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)`).FindSubmatch(text)
	if newest == nil || strings.TrimSuffix(next, "-dev") != string(newest[1]) {
		t.Errorf("the sources lead to %s, and the changelog's newest release is %q", next, newest)
	}
}
