package protocol

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxTimeText bounds a text that is read as a time, in bytes.
const maxTimeText = 256

var errTime = errors.New("protocol: no time of ISO 8601 or RFC 3339")

// toldAlike is a time that every reader reads alike.
var toldAlike = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$`)

// ReadTime reads a time as producers write it: in RFC 3339, and in the forms of ISO 8601,
// basic and extended, dates by week and ordinal ones among them. A time without an offset is
// in UTC, and a date is its first instant. The zero time, which is no time, is what "" says,
// and any time before 1970 or behind the year 9999: producers write theirs for none.
//
// told is the same time as any reader reads it: the text itself if that is so, or else
// RFC 3339 in UTC, because readers differ over all other forms.
func ReadTime(text string) (at time.Time, told string, err error) {
	if len(text) > maxTimeText {
		return time.Time{}, "", errTime
	}
	s := scan{strings.TrimSpace(text)}
	if s.rest == "" {
		return time.Time{}, "", nil
	}
	at, ok := s.date()
	if !ok || !s.clock(&at) || s.rest != "" {
		return time.Time{}, "", errTime
	}
	if at.Unix() <= 0 || at.UTC().Year() > 9999 {
		return time.Time{}, "", nil
	}
	if toldAlike.MatchString(text) && text[17:19] != "60" && text[11:13] != "24" {
		return at, text, nil
	}
	return at, at.UTC().Format(time.RFC3339Nano), nil
}

// scan is a text that is read from the left.
type scan struct{ rest string }

// digits takes exactly n of them.
func (s *scan) digits(n int) (int, bool) {
	if s.run() < n {
		return 0, false
	}
	v, err := strconv.Atoi(s.rest[:n])
	s.rest = s.rest[n:]
	return v, err == nil
}

// run is how many digits come next.
func (s *scan) run() int {
	return len(s.rest) - len(strings.TrimLeft(s.rest, "0123456789"))
}

func (s *scan) takes(any string) bool {
	if s.rest == "" || !strings.ContainsRune(any, rune(s.rest[0])) {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// date reads a day: 2026-11-28, 20261128, 2026-332, 2026332, 2026-W48-6, 2026W486.
func (s *scan) date() (at time.Time, ok bool) {
	width := 4
	if s.rest[0] == '+' {
		s.rest, width = s.rest[1:], 6
	}
	year, ok := s.digits(width)
	if !ok {
		return at, false
	}
	dashed := s.takes("-")
	if s.takes("Ww") {
		return s.week(year, dashed)
	}
	n := s.run()
	if !dashed && n > 4 {
		return at, false // a clock begins with a letter or a space
	}
	if n == 3 {
		day, _ := s.digits(3)
		at = time.Date(year, 1, day, 0, 0, 0, 0, time.UTC)
		return at, day > 0 && at.Year() == year
	}
	month, ok := s.digits(2)
	if !ok || dashed && !s.takes("-") {
		return at, false
	}
	day, ok := s.digits(2)
	at = time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return at, ok && month >= 1 && int(at.Month()) == month && at.Day() == day
}

func (s *scan) week(year int, dashed bool) (at time.Time, ok bool) {
	week, ok := s.digits(2)
	if !ok || week < 1 {
		return at, false
	}
	day := 1
	if !dashed || s.takes("-") {
		if day, ok = s.digits(1); !ok || day < 1 || day > 7 {
			return at, false
		}
	}
	fourth := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC) // is in week 1
	monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
	at = monday.AddDate(0, 0, 7*(week-1)+day-1)
	isoYear, isoWeek := at.ISOWeek()
	return at, isoYear == year && isoWeek == week
}

// clock adds the time of the day, if there is one: 10:00:00.5Z, 100000,5+0100, 10:00, 10.
func (s *scan) clock(at *time.Time) bool {
	if s.rest == "" {
		return true
	}
	if !s.takes("Tt ") {
		return s.zone(at)
	}
	s.rest = strings.TrimLeft(s.rest, " ")
	units := []time.Duration{time.Hour, time.Minute, time.Second}
	most := []int{24, 59, 60}
	var sum time.Duration
	unit := 0
	for ; unit < len(units); unit++ {
		if unit > 0 && !s.takes(":") && s.run() < 2 {
			break
		}
		v, ok := s.digits(2)
		if !ok || v > most[unit] {
			return false
		}
		sum += time.Duration(v) * units[unit]
	}
	if unit == 0 {
		return false
	}
	if s.takes(".,") {
		n := s.run()
		fraction, err := strconv.ParseFloat("0."+s.rest[:n], 64)
		if n == 0 || err != nil {
			return false
		}
		sum += nanoseconds(s.rest[:n], fraction, units[unit-1])
		s.rest = s.rest[n:]
	}
	if sum > 24*time.Hour+time.Second {
		return false
	}
	*at = at.Add(sum)
	return s.zone(at)
}

// nanoseconds are a fraction of a unit, cut and not rounded.
func nanoseconds(digits string, fraction float64, unit time.Duration) time.Duration {
	if unit != time.Second {
		return time.Duration(fraction * float64(unit))
	}
	n, _ := strconv.Atoi((digits + "000000000")[:9])
	return time.Duration(n)
}

// zone takes the offset away: Z, UTC, +01:00, +0100, +01, with the name of a place behind it.
func (s *scan) zone(at *time.Time) bool {
	s.rest = strings.TrimLeft(s.rest, " ")
	s.rest = strings.Replace(s.rest, "−", "-", 1)
	east := 1
	switch {
	case s.takes("+"):
	case s.takes("-"):
		east = -1
	default:
		return s.inUTC()
	}
	var offset time.Duration
	for n, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
		if n > 0 && !s.takes(":") && s.run() < 2 {
			break
		}
		v, ok := s.digits(2)
		if !ok || v > 59 || n == 0 && v > 23 {
			return false
		}
		offset += time.Duration(v) * unit
	}
	*at = at.Add(-time.Duration(east) * offset)
	return s.inUTC() || s.place()
}

func (s *scan) inUTC() bool {
	s.rest = strings.TrimLeft(s.rest, " ")
	for _, name := range []string{"Z", "UTC", "GMT"} {
		if len(s.rest) >= len(name) && strings.EqualFold(s.rest[:len(name)], name) {
			s.rest = s.rest[len(name):]
			break
		}
	}
	return s.rest == "" || s.place()
}

// place takes the name of a place away, which is there beside an offset.
func (s *scan) place() bool {
	if strings.HasPrefix(s.rest, "[") && strings.HasSuffix(s.rest, "]") {
		s.rest = ""
	}
	return s.rest == ""
}
