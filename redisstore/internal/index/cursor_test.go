package index

import (
	"encoding/base64"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

func TestACursorLeadsBackToWhereItWasMade(t *testing.T) {
	a, b := strings.Repeat("a", StampSize+HashSize), strings.Repeat("b", StampSize+HashSize+3)
	for name, at := range map[string]Listing{
		"plain":           {after: a},
		"late":            {after: b, late: map[int]string{0: "", 3: a, 5: a, 63: b}},
		"late at the end": {over: true, late: map[int]string{7: "", 8: a}},
	} {
		at.Kind, at.Prefix = 'i', "prefix"
		cursor := at.cursor()
		back := Listing{Kind: 'i', Prefix: "prefix"}
		if err := back.seek(cursor, 64); err != nil || !reflect.DeepEqual(back, at) {
			t.Errorf("%s: %+v, not %+v: %v", name, back, at, err)
		}
		other := Listing{Kind: 't', Prefix: "prefix"}
		if err := other.seek(cursor, 64); !errors.Is(err, store.ErrBadCursor) {
			t.Errorf("%s: another list takes it: %v", name, err)
		}
	}
	l := Listing{Kind: 'i', Prefix: "prefix"}
	for name, list := range map[string][]string{
		"nothing late": {a}, "no partition": {a, ""}, "half": {a, a, "1", b}, "no number": {a, a, "1,x"}, "no such partition": {a, a, "64"},
		"negative": {a, a, "-1"}, "a short member": {"x", a, "1"}, "a short place": {a, "x", "1"}, "none": {},
	} {
		cursor := base64.RawURLEncoding.EncodeToString([]byte(lateMark + l.mark() + string(link.Pack(nil, list...))))
		if err := (&Listing{Kind: 'i', Prefix: "prefix"}).seek(cursor, 64); !errors.Is(err, store.ErrBadCursor) {
			t.Errorf("%s: %v", name, err)
		}
	}
	damaged := base64.RawURLEncoding.EncodeToString([]byte(lateMark + l.mark() + "9:x"))
	if err := l.seek(damaged, 64); !errors.Is(err, store.ErrBadCursor) {
		t.Errorf("damaged: %v", err)
	}
}
