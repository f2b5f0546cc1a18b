package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
)

const environmentPrefix = "AGUIWS_"

// environment is a list of NAME=value, as os.Environ has it.
type environment []string

// get returns a variable's value. "" when it is not set.
func (e environment) get(name string) string {
	for _, each := range e {
		if value, found := strings.CutPrefix(each, name+"="); found {
			return value
		}
	}
	return ""
}

// environmentName is the variable that sets a setting.
func environmentName(setting string) string {
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(setting, "-", "_"))
}

// readEnvironment sets what no flag has set.
func (s *settings) readEnvironment(env environment, table []setting) error {
	var wrong []error
	for _, each := range table {
		name := environmentName(each.name)
		if text := env.get(name); text != "" && s.from[each.name] == "" {
			if err := each.value.Set(text); err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
			}
			s.from[each.name] = name
		}
	}
	return errors.Join(wrong...)
}

// platform is how Kubernetes and linked containers name what they tell of a
// service; the second kind is told from a setting by its value.
var platform = regexp.MustCompile(`^[^=]*_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)=|^[^=]*_PORT=(tcp|udp|sctp)://`)

// strays lists the variables that look like settings and are none. They are no
// mistakes for sure: what runs the command may put variables of a service of
// that name there, and those of an older or a newer version may be left.
func (e environment) strays(table []setting) []stray {
	known := append(names(table), "config", "crash-at", "model-key")
	var list []stray
	for _, each := range e {
		name, value, _ := strings.Cut(each, "=")
		rest, ours := strings.CutPrefix(name, environmentPrefix)
		if !ours || value == "" || platform.MatchString(each) {
			continue
		}
		isName := func(setting string) bool { return environmentName(setting) == name }
		if slices.ContainsFunc(known, isName) {
			continue
		}
		s := stray{name: name}
		if near := nearest(strings.ToLower(strings.ReplaceAll(rest, "_", "-")), known); near != "" {
			s.nearest = environmentName(near)
		}
		list = append(list, s)
	}
	return list
}

// warnOfStrays says them, but not what they hold.
func (s *settings) warnOfStrays(log *slog.Logger) {
	for _, each := range s.strays {
		log.Warn("the environment: " + each.String())
	}
}

// stray is a variable that has the name of a setting and sets none.
type stray struct {
	name    string
	nearest string // what was probably meant; "" when nothing is like it
}

func (s stray) String() string {
	return s.name + " is no setting" + meant(s.nearest)
}
