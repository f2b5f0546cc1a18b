package frames

import "testing"

// The weight of a frame is about what it takes.
func TestWeigh(t *testing.T) {
	for text, want := range map[string]int64{
		`{"a":1,"b":{"c":"x:y","d":[{"e\\":2},{"f\"":"::"}]}}`: 6,
		`"a":`: 1, `"`: 0, `"a\`: 0, ``: 0, `"\\":`: 1, `"\":`: 0,
	} {
		if got := members([]byte(text)); got != want {
			t.Errorf("%s: %d members, want %d", text, got, want)
		}
	}
}
