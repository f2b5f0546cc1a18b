package frames

import "testing"

func TestEventID(t *testing.T) {
	for id, want := range map[string]int64{"e:0": 0, "e:12": 12, "a:b:3": 3, "": -1, "e": -1, "e:": -1, ":1": -1, "e:-1": -1, "e:1x": -1, "e:99999999999999999999": -1, "e:9223372036854775808": -1} {
		at, ok := ParseEventID(id)
		if ok != (want >= 0) || ok && (at.Seq != want || string(AppendEventID(nil, *at)) != id) {
			t.Errorf("%q: %v %v", id, at, ok)
		}
	}
}
