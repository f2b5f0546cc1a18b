package gateway_test

import (
	"encoding/json"
	"fmt"
)

// face is a character of two halves in JSON.
const face = "😀"

// cut is a text of two deltas: of some numbers between the halves of a character, of others
// with a half that nothing follows, of most as it is. has is what everybody must be told.
func cut(n int, before, after string) (deltas []string, has string) {
	begun, ended := escaped(before), escaped(after)
	switch n % 5 {
	case 2:
		return []string{`"` + begun + `\ud83d"`, `"\ude00` + ended + `"`}, face
	case 3:
		return []string{`"` + begun + `"`, `"` + ended + `\ud83d"`}, ""
	case 4:
		return []string{`"` + begun + `\ud83d"`, `"` + ended + `\ude00"`}, ""
	}
	return []string{`"` + begun + ended + `"`}, ""
}

// escaped is a text as it stands in a JSON string.
func escaped(text string) string {
	quoted, _ := json.Marshal(text) // of a string
	return string(quoted[1 : len(quoted)-1])
}

// cuts adds an event for each delta, and says what is said.
func (t *spoken) cuts(event string, about said, before, after string) {
	deltas, has := cut(about.number, before, after)
	about.has = has
	t.says = append(t.says, about)
	id, _ := json.Marshal(about.own) // of a string
	for _, delta := range deltas {
		t.events = append(t.events, fmt.Sprintf(event, id, delta))
	}
}
