package gateway

import (
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

// script is an answer in short: ">id" begins a run, "<" ends it, "!" fails it, a number waits
// for seconds, a word is said. "ask" ends one with an interrupt, and "old" is in the thread.
func playing(t *testing.T, script string) func() (received, error) {
	words := strings.Fields(script)
	index := 0
	return func() (received, error) {
		for len(words) > 0 {
			word := words[0]
			words = words[1:]
			index++
			e := received{index: index, text: []byte(word)}
			switch {
			case word[0] == '>':
				e.event = &protocol.RunStarted{RunID: word[1:]}
			case word == "<":
				e.event = &protocol.RunFinished{Usage: []protocol.TokenUsage{{Model: "m"}}}
			case word == "ask":
				e.event = &protocol.RunFinished{Outcome: &protocol.RunOutcome{Type: protocol.OutcomeInterrupt}}
			case word[0] == '!':
				e.event = &protocol.RunError{Message: word}
			case word == "?":
				return received{}, violation(index, "it is none")
			case word == "5s", word == "1s":
				seconds, _ := time.ParseDuration(word) // it is one
				time.Sleep(seconds)
				continue
			default:
				e.event = &protocol.TextMessageContent{Delta: word}
			}
			return e, nil
		}
		return received{}, io.EOF
	}
}

func old(e protocol.Event) bool {
	said, ok := e.(*protocol.TextMessageContent)
	return ok && said.Delta == "old"
}

// Of several runs of an answer the one that was asked for is told, with the end that counts.
func TestRunsOfAnAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		script, told string
		repairs      string
		own          bool // that the agent has ids of its own is known
		knows        bool // and is then
	}{
		"one":                              {script: ">r a b <", told: ">r a b <"},
		"one that fails":                   {script: ">r a !x", told: ">r a !x"},
		"one without an id":                {script: "> a <", told: "> a <"},
		"none":                             {script: "a <", told: "a <"},
		"an error alone":                   {script: "!x", told: "!x"},
		"it breaks off":                    {script: ">r a", told: ">r a EOF"},
		"nothing":                          {script: "", told: "EOF"},
		"a replay":                         {script: ">old x < >r a <", told: ">r a <", repairs: "replay"},
		"two":                              {script: ">old x < >older y !z >r a <", told: ">r a <", repairs: "replay replay"},
		"one that had asked":               {script: ">old x ask >r a <", told: ">r a <", repairs: "replay"},
		"one with a late error":            {script: ">old x < !late >r a <", told: ">r a <", repairs: "replay"},
		"one that failed before it began":  {script: "!x >r a <", told: ">r a <"},
		"and it breaks off":                {script: ">old x < >r a", told: ">r a EOF", repairs: "replay"},
		"and is silent":                    {script: ">old x < >r", told: ">r EOF", repairs: "replay"},
		"another's id":                     {script: ">x a b <", told: ">x a b <", knows: true},
		"that is known":                    {script: ">x a b <", told: ">x a b <", own: true, knows: true},
		"that breaks off":                  {script: ">x a", told: ">x a EOF"},
		"that cannot be read":              {script: ">x a ? b", told: ">x a BAD"},
		"the last of others' ids":          {script: ">x a < >y b <", told: ">y b <", repairs: "replay"},
		"that was not known":               {script: ">x a < >y b <", told: ">x a >y b <", own: true},
		"it was not the agent's habit":     {script: ">x a < >r b <", told: ">x a >r b <", own: true},
		"announced as another's":           {script: ">x >r a <", told: ">x >r a <"},
		"announced as another's behind it": {script: ">r >x a <", told: ">r >x a <"},
		"said before it begins":            {script: "a >x b <", told: "a >x b <", knows: true},
		"another behind it":                {script: ">r a < >x b !y", told: ">r a <", repairs: "after_end"},
		"the same again":                   {script: ">r a < >r b <", told: ">r a >r b <"},
		"the same when it had failed":      {script: ">r a !x >r b <", told: ">r a >r b <"},
		"a late error":                     {script: ">r a < !x", told: ">r a !x(late)"},
		"one behind a question":            {script: ">r a ask !x", told: ">r a !x(late)"},
		"one behind more":                  {script: ">r a < b !x", told: ">r a !x(late)", repairs: "after_end"},
		"two errors":                       {script: ">r a < !x !y", told: ">r a !x(late)", repairs: "after_end"},
		"two ends":                         {script: ">r a < ask", told: ">r a <", repairs: "after_end"},
		"an end behind an error":           {script: ">r a !x <", told: ">r a !x", repairs: "after_end"},
		"nonsense behind it":               {script: ">r a < ? ? !x", told: ">r a !x(late)", repairs: "after_end after_end"},
		"much behind it":                   {script: ">r a < " + strings.Repeat("x", behindBytes) + " !x", told: ">r a <", repairs: "after_end"},
		"a late error of another's id":     {script: ">x a < !x", told: ">x a !x(late)", knows: true},
		"longer than a replay":             {script: ">x old 5s b c <", told: ">x old b c <", knows: true},
		"a replay that is too slow":        {script: ">x old 5s y < >r a <", told: ">x old y >r a <"},
		"a replay that takes its time":     {script: ">x old 1s y < >r a <", told: ">r a <", repairs: "replay"},
		"one that begins late":             {script: ">x 1s old y < >r a <", told: ">r a <", repairs: "replay"},
		"one of what the thread has not":   {script: ">x y 1s z < >r a <", told: ">x y z >r a <"},
		"another one, which has":           {script: ">x old 1s < >y a 1s b < >r c <", told: ">y a b >r c <", repairs: "replay"},
		"one that is too long":             {script: ">old " + strings.Repeat("x", 100) + " < >r a <", told: ">old " + strings.Repeat("x", 100) + " >r a <"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var own atomic.Bool
				own.Store(test.own)
				var told, repairs []string
				waits, atEnd := false, false
				s := runs{
					read: playing(t, test.script), sent: "r", own: &own, most: 100, retells: old,
					behind: func(w bool) { waits = w }, repaired: func(name string) { repairs = append(repairs, name) },
				}
				for ended := false; !ended; {
					e, err := s.next()
					word := string(e.text)
					switch x := e.event.(type) {
					case *protocol.RunFinished:
						ended = true
					case *protocol.RunError:
						ended = true
						if e.late != (len(x.Usage) > 0 || strings.Contains(test.script, "ask")) {
							t.Errorf("late %v, with usage %v", e.late, x.Usage)
						}
					}
					atEnd = ended
					switch {
					case errors.Is(err, io.EOF):
						word, ended = "EOF", true
					case err != nil:
						word, ended = "BAD", true
					case e.late:
						word += "(late)"
					}
					told = append(told, word)
				}
				if got := strings.Join(told, " "); got != test.told {
					t.Errorf("told %s", got)
				}
				if got := strings.Join(repairs, " "); got != test.repairs {
					t.Errorf("repaired %s", got)
				}
				if waits != atEnd {
					t.Errorf("what comes is waited for as behind an end: %v", waits)
				}
				if own.Load() != test.knows {
					t.Errorf("it is known: %v", own.Load())
				}
			})
		})
	}
}

// A run is told while it comes: nothing of it is kept back.
func TestRunsAreStreamed(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		own    bool
		held   int // so many events are held back before
	}{
		"as it was sent":       {script: ">r a b c"},
		"without an id":        {script: "> a b c"},
		"before it begins":     {script: "a >x b c"},
		"behind a replay":      {script: ">old < >r a b"},
		"under a known habit":  {script: ">x a b c", own: true},
		"new in the thread":    {script: ">x 1s a b c", held: 1},
		"announced once more":  {script: ">r >x a b"},
		"longer than a replay": {script: ">x old 1s a 5s b c d e", held: 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var own atomic.Bool
				own.Store(test.own)
				read, taken := playing(t, test.script), 0
				s := runs{sent: "r", own: &own, most: 100, retells: old, behind: func(bool) {}, repaired: func(string) {}}
				s.read = func() (received, error) { e, err := read(); taken = max(taken, e.index); return e, err }
				var ahead []int
				for {
					e, err := s.next()
					if err != nil {
						break
					}
					ahead = append(ahead, taken-e.index)
				}
				ahead = ahead[test.held:]
				if slices.Max(ahead) > 0 {
					t.Errorf("read ahead of what is told: %v", ahead)
				}
			})
		})
	}
}

// What may be behind a run's end is waited for a while, and another run as long as the first.
func TestWatchBehindTheEnd(t *testing.T) {
	for name, test := range map[string]struct {
		phases []waiting
		after  time.Duration // until it is over
	}{
		"in a run":          {[]waiting{forFirstEvent, forMore}, time.Minute},
		"behind it":         {[]waiting{forFirstEvent, forMore, forEnd}, defaultAfterEnd},
		"in another run":    {[]waiting{forFirstEvent, forMore, forEnd, forMore}, time.Minute},
		"behind another":    {[]waiting{forFirstEvent, forMore, forEnd, forMore, forEnd}, defaultAfterEnd},
		"an end that is no": {[]waiting{forFirstEvent, forMore, forEnd, forFirstEvent}, defaultAfterEnd},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				over := make(chan *failure, 1)
				w := startWatch(&Options{ConnectTimeout: time.Hour, FirstByteTimeout: time.Hour, SilenceTimeout: time.Minute, afterEnd: defaultAfterEnd}, func(f *failure) { over <- f })
				for _, p := range test.phases {
					w.enter(p)
				}
				w.waits()
				began := time.Now()
				if f := <-over; time.Since(began).Round(time.Second) != test.after || f.Code != CodeTimeout {
					t.Errorf("%v after %v", f, time.Since(began))
				}
			})
		})
	}
}
