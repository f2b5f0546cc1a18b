package cli

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/internal/origin"
	"github.com/aguiws/aguiws/server"
)

// setting is one thing that can be set: by the flag --name, by the environment
// as AGUIWS_NAME, and by the key name of the configuration file.
type setting struct {
	name  string
	group string
	value value
	help  string
}

// value is a place for what a setting is set to. Set's error says what is
// expected; its caller says of which setting. String is how the value is
// written, and shown as a default.
type value interface {
	Set(text string) error
	String() string
	// kind names what is expected, for the usage. "" for a switch, which is on
	// where its flag says no more than its name.
	kind() string
}

type textValue struct {
	into *string
	what string
}

func (v textValue) Set(text string) error { *v.into = text; return nil }
func (v textValue) String() string        { return *v.into }
func (v textValue) kind() string          { return v.what }

type choiceValue struct {
	into  *string
	among []string
}

func (v choiceValue) Set(text string) error {
	if !slices.Contains(v.among, text) {
		return fmt.Errorf("%q: must be %s", text, v.kind())
	}
	*v.into = text
	return nil
}

func (v choiceValue) String() string { return *v.into }

func (v choiceValue) kind() string {
	last := len(v.among) - 1
	return strings.Join(v.among[:last], ", ") + " or " + v.among[last]
}

// words are what stands between commas or spaces.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// listValue is written with commas.
type listValue struct {
	into *[]string
	what string
}

func (v listValue) Set(text string) error {
	*v.into = words(text)
	return nil
}

func (v listValue) String() string { return strings.Join(*v.into, ",") }
func (v listValue) kind() string   { return v.what }

// originsValue is a list in which each entry can match a page.
type originsValue struct{ into *[]string }

func (v originsValue) Set(text string) error {
	list := words(text)
	if _, err := origin.ParseSet(list); err != nil {
		return err
	}
	*v.into = list
	return nil
}

func (v originsValue) String() string { return strings.Join(*v.into, ",") }
func (v originsValue) kind() string   { return "origins" }

// disconnectValue is written as the agents' and routes' policies, with commas.
type disconnectValue struct {
	into *map[string]server.Disconnect
}

func (v disconnectValue) Set(text string) error {
	set := server.DisconnectDefaults()
	for _, each := range words(text) {
		name, policy, found := strings.Cut(each, "=")
		if !found {
			return fmt.Errorf("%q: expected %s", each, v.kind())
		}
		set[name] = server.Disconnect(policy)
	}
	// Which agents there are is known when all settings are.
	if err := server.CheckOnDisconnect(set, slices.Collect(maps.Keys(set))); err != nil {
		return err
	}
	*v.into = set
	return nil
}

func (v disconnectValue) String() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(*v.into)) {
		list = append(list, name+"="+string((*v.into)[name]))
	}
	return strings.Join(list, ",")
}

func (v disconnectValue) kind() string { return "name=policy" }

// parsedValue is a list of what is read one by one.
type parsedValue[T fmt.Stringer] struct {
	into  *[]T
	parse func(string) (T, error)
	what  string
}

func (v parsedValue[T]) Set(text string) error {
	var list []T
	for _, each := range words(text) {
		one, err := v.parse(each)
		if err != nil {
			return err
		}
		list = append(list, one)
	}
	*v.into = list
	return nil
}

func (v parsedValue[T]) String() string {
	var list []string
	for _, one := range *v.into {
		list = append(list, one.String())
	}
	return strings.Join(list, ",")
}

func (v parsedValue[T]) kind() string { return v.what }

// parsePrefix reads a network, or an address as one.
func parsePrefix(text string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(text)
	if addr, single := netip.ParseAddr(text); err != nil && single == nil {
		p, err = addr.Prefix(addr.BitLen())
	}
	if err != nil {
		err = fmt.Errorf("%q: expected addresses or networks such as 10.0.0.0/8", text)
	}
	return p, err
}

type durationValue struct {
	into        *time.Duration
	least, most time.Duration // most 0: no bound
}

func (v durationValue) Set(text string) error {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return fmt.Errorf("%q: expected a time such as 10s or 1m30s", text)
	case d < v.least:
		return fmt.Errorf("%s: at least %s", d, v.least)
	case v.most > 0 && d > v.most:
		return fmt.Errorf("%s: at most %s", d, v.most)
	}
	*v.into = d
	return nil
}

func (v durationValue) String() string { return shorten(v.into.String()) }
func (v durationValue) kind() string   { return "time" }

// shorten takes the zeros out of 1m0s.
func shorten(d string) string {
	if strings.HasSuffix(d, "m0s") {
		d = strings.TrimSuffix(d, "0s")
	}
	if strings.HasSuffix(d, "h0m") {
		d = strings.TrimSuffix(d, "0m")
	}
	return d
}

// numberValue is a whole number.
type numberValue struct {
	into  *int
	least int
	most  int // 0: no bound
}

func (v numberValue) Set(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return fmt.Errorf("%q: expected a number", text)
	case n < v.least:
		return fmt.Errorf("%d: at least %d", n, v.least)
	case v.most > 0 && n > v.most:
		return fmt.Errorf("%d: at most %d", n, v.most)
	}
	*v.into = n
	return nil
}

func (v numberValue) String() string { return strconv.Itoa(*v.into) }
func (v numberValue) kind() string   { return "number" }

// limitValue is a whole number from 1, or -1 for no limit.
type limitValue struct{ into *int }

func (v limitValue) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n == 0 || n < -1 {
		return fmt.Errorf("%q: expected a number from 1, or -1 for no limit", text)
	}
	*v.into = n
	return nil
}

func (v limitValue) String() string { return strconv.Itoa(*v.into) }
func (v limitValue) kind() string   { return "number" }

// bytesValue is a size, with KiB, MiB or GiB.
type bytesValue struct {
	into  *int64
	least int64
}

var units = []struct {
	name string
	size int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

func (v bytesValue) Set(text string) error {
	digits, size := text, int64(1)
	for _, u := range units {
		if before, found := strings.CutSuffix(text, u.name); found {
			digits, size = strings.TrimSpace(before), u.size
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err != nil || n < 0 || n > (1<<40)/size:
		return fmt.Errorf("%q: expected a size such as 4MiB", text)
	case n*size < v.least:
		return fmt.Errorf("%s: at least %s", text, bytesValue{into: &v.least})
	}
	*v.into = n * size
	return nil
}

func (v bytesValue) String() string {
	for _, u := range units {
		if *v.into >= u.size && *v.into%u.size == 0 {
			return strconv.FormatInt(*v.into/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(*v.into, 10)
}

func (v bytesValue) kind() string { return "size" }

// bytesLimitValue is a size, or -1 for no limit.
type bytesLimitValue struct {
	into  *int64
	least int64
}

func (v bytesLimitValue) Set(text string) error {
	if text == "-1" {
		*v.into = -1
		return nil
	}
	return bytesValue(v).Set(text)
}

func (v bytesLimitValue) String() string {
	if *v.into < 0 {
		return "-1"
	}
	return bytesValue(v).String()
}

func (v bytesLimitValue) kind() string { return "size" }

type switchValue struct{ into *bool }

func (v switchValue) Set(text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return fmt.Errorf("%q: expected true or false", text)
	}
	*v.into = on
	return nil
}

func (v switchValue) String() string { return strconv.FormatBool(*v.into) }
func (v switchValue) kind() string   { return "" }
