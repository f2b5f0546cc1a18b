// Package build says which release of this module a program has in it.
package build

import (
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// next is the release that the sources lead to. The tag of a release wins over it.
const next = "0.1.0-dev"

// A release sets these by -ldflags "-X github.com/aguiws/aguiws/internal/build.version=…".
var version, commit, date string

// Info is what is known of a build. Commit and Date are "" when nobody told.
type Info struct {
	Version string // 0.1.0, without a v
	Commit  string
	Date    string // of the commit, in RFC 3339
}

// Get returns what this program was built from.
func Get() Info {
	known, _ := debug.ReadBuildInfo()
	return read(Info{version, commit, date}, known)
}

// Version is Get's.
func Version() string { return Get().Version }

// String is one line: version, commit, date, compiler and platform.
func (i Info) String() string {
	about := []string{}
	if i.Commit != "" {
		about = append(about, "commit "+i.Commit)
	}
	if i.Date != "" {
		about = append(about, i.Date)
	}
	about = append(about, runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH)
	return i.Version + " (" + strings.Join(about, ", ") + ")"
}

const module = "github.com/aguiws/aguiws"

// pseudo is the end of a version that go made up for a commit: its time and name.
var pseudo = regexp.MustCompile(`[.-](\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)-([0-9a-f]{12})(\+.*)?$`)

// read takes what a release said of itself, and the rest from what go knows.
func read(told Info, known *debug.BuildInfo) Info {
	if known != nil {
		for _, m := range append(slices.Clone(known.Deps), &known.Main) {
			if m.Path == module {
				told.fill(fromModule(m.Version))
			}
		}
		if known.Main.Path == module {
			told.fill(fromVCS(known.Settings))
		}
	}
	told.fill(Info{Version: next})
	return told
}

// fill sets what is not known yet.
func (i *Info) fill(from Info) {
	for _, each := range []struct {
		into *string
		from string
	}{{&i.Version, from.Version}, {&i.Commit, from.Commit}, {&i.Date, from.Date}} {
		if *each.into == "" {
			*each.into = each.from
		}
	}
}

// fromModule reads a module's version: a tag, or a commit that has none.
func fromModule(version string) Info {
	if m := pseudo.FindStringSubmatch(version); m != nil {
		return Info{Commit: m[7], Date: m[1] + "-" + m[2] + "-" + m[3] + "T" + m[4] + ":" + m[5] + ":" + m[6] + "Z"}
	}
	if version, is := strings.CutPrefix(version, "v"); is {
		return Info{Version: version}
	}
	return Info{}
}

// fromVCS reads what go noted of a checkout.
func fromVCS(list []debug.BuildSetting) (i Info) {
	changed := false
	for _, each := range list {
		switch each.Key {
		case "vcs.revision":
			i.Commit = each.Value[:min(12, len(each.Value))]
		case "vcs.time":
			i.Date = each.Value
		case "vcs.modified":
			changed = each.Value == "true"
		}
	}
	if changed && i.Commit != "" {
		i.Commit += "+dirty"
	}
	return i
}
